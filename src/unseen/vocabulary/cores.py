"""How many cores this process may use, which in a container or a Slurm job is fewer than the machine has."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
SELF = Path("/proc/self/cgroup")


def cores() -> int:
    """The least of what the machine has, what this process is bound to, what its cgroup is given time for (rounded up)
    and what Slurm gave its task; at least one."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else math.inf  # not on macOS and Windows
    task = os.environ.get("SLURM_CPUS_PER_TASK", "")
    given = int(task) if task.isdecimal() and int(task) else math.inf
    return max(1, math.ceil(min(os.cpu_count() or 1, bound, given, quota())))


def quota(mounted: Path = CGROUPS, of: Path = SELF) -> float:
    """Cores' worth of time that the cgroups of this process leave it (v2: ``cpu.max``, v1: ``cpu.cfs_quota_us``), the
    least over its groups; without a limit, or without cgroups, infinitely many."""
    return min((_limit(folder) for folder in _groups(mounted, of)), default=math.inf)


def _groups(mounted: Path, of: Path) -> Iterator[Path]:
    """The folders of this process's groups and of those they lie in. In a container the path that ``of`` names may be
    the host's and not be there: what is mounted at the top is the container's own then."""
    try:
        lines = of.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):  # a group may be named in any bytes
        return
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "cpu" not in controllers.split(","):
            continue
        roots = [mounted] if not controllers else [mounted / controllers, mounted / "cpu"]
        for root in roots:
            inside = root / path.lstrip("/")
            yield from (folder for folder in (inside, *inside.parents) if folder == root or root in folder.parents)


def _limit(folder: Path) -> float:
    try:
        if (folder / "cpu.max").is_file():
            most, period = (folder / "cpu.max").read_text(encoding="utf-8").split()[:2]
        else:
            most, period = (
                (folder / f"cpu.cfs_{name}_us").read_text(encoding="utf-8").strip() for name in ("quota", "period")
            )
        return int(most) / int(period) if most != "max" and int(most) > 0 and int(period) > 0 else math.inf
    except (OSError, ValueError):
        return math.inf
