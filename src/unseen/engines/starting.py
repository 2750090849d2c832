"""Workers are started here: processes of this machine, one for each of its devices or of its cores.

Whoever starts them does nothing else, and may end without them.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from unseen.engines.local import find_device
from unseen.studies.commands import note_command
from unseen.studies.heartbeats import ask_to_stop, forget, living
from unseen.studies.leases import FOLDER
from unseen.studies.recipe_files import recipe_toml
from unseen.studies.store import disk_error
from unseen.studies.study import Study
from unseen.studies.trusting import code_names
from unseen.vocabulary.cores import cores
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.whole_files import put_whole

LOGS = "logs"
PATIENCE = 20.0  # seconds in which a worker that is asked to end does so
MIG = re.compile(r"UUID: (MIG-[^)\s]+)")


@dataclass(frozen=True)
class Placement:
    """Where one worker runs. ``visible``: what ``CUDA_VISIBLE_DEVICES`` is to say (None: as it is here)."""

    device: str
    visible: str | None = None


def visible_devices(environment: Mapping[str, str], counted: int, listed: str = "") -> list[str]:
    """Names of the GPUs that this process may use, as ``CUDA_VISIBLE_DEVICES`` has them: what that says (numbers, UUIDs
    of GPUs or of MIG slices), else the MIG slices that ``nvidia-smi -L`` lists, else ``counted`` numbers. CUDA ignores
    what follows a number below zero.

    >>> visible_devices({"CUDA_VISIBLE_DEVICES": "2,GPU-7f,-1,0"}, 8), visible_devices({}, 2)
    (['2', 'GPU-7f'], ['0', '1'])
    """
    said = environment.get("CUDA_VISIBLE_DEVICES")
    if said is not None:
        names = [name.strip() for name in said.split(",")]
        end = next((n for n, name in enumerate(names) if not name or name.startswith("-")), len(names))
        return list(dict.fromkeys(names[:end]))
    return MIG.findall(listed) or [str(number) for number in range(counted)]


def placements(device: str, devices: Sequence[str], workers: int | None, processes: int) -> list[Placement]:
    """One worker for each GPU, or as many as asked for, in turn; on a CPU one for each of its ``processes``.

    >>> [one.visible for one in placements("cuda", ["0", "1"], 3, 8)], len(placements("cpu", [], None, 8))
    (['0', '1', '0'], 8)
    """
    if device != "cuda":
        return [Placement(device)] * (workers or (processes if device == "cpu" else 1))
    if not devices:
        raise UnseenError("CUDA_VISIBLE_DEVICES leaves no GPU to work on; unset it, or give --device cpu.")
    return [Placement("cuda", devices[n % len(devices)]) for n in range(workers or len(devices))]


def placed_here(study: Study, device: str, workers: int | None) -> list[Placement]:
    """Where workers of a study go on this machine; nothing is asked of a GPU that another process would feel."""
    place = find_device(device)
    if place.index is not None:
        return placements("cuda", [visible_here()[place.index]], workers, 1) if place.type == "cuda" else []
    devices = visible_here() if place.type == "cuda" else []
    return placements(place.type, devices, workers, max(1, cores() // study.recipe.training.threads))


def visible_here() -> list[str]:
    import torch

    listed = ""
    if "CUDA_VISIBLE_DEVICES" not in os.environ and shutil.which("nvidia-smi"):
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=20, check=False)
            listed = done.stdout
    return visible_devices(os.environ, torch.cuda.device_count(), listed)


def prepare(study: Study, command: str = "", *, again: bool = True) -> None:
    """Write down what is to be worked on. Where nobody is at it, what is left of those who were is cleared, and with
    ``again`` what failed or was lost too often may be tried again; workers that are at it already take it up."""
    try:
        study.path.mkdir(parents=True, exist_ok=True)
        if not living(study.path):
            with study.store.locked():
                study.store.sweep()
                forget(study.path)
                if again:
                    shutil.rmtree(study.path / FOLDER, ignore_errors=True)
        text, place = recipe_toml(study.recipe), study.path / "recipe.toml"
        if not place.is_file() or place.read_text(encoding="utf-8") != text:
            put_whole(place, text)
        note_command(study.path, command)
        (study.path / LOGS).mkdir(exist_ok=True)
    except OSError as error:
        raise disk_error(error, study.path) from error


def worker_words(study: Study, device: str, pack: int | None) -> list[str]:
    """The command line of a worker, as this Python runs it."""
    words = [sys.executable, "-P", "-c", "from unseen.cli import main; main()", "work", str(study.path.absolute())]
    words += ["--device", device, *(["--pack", str(pack)] if pack else [])]
    for name in code_names(study.recipe):  # whoever started them has said that it may run
        words += ["--allow", name]
    return words


@dataclass
class LocalWorkers:
    """Processes of this machine that work on a study; they live on when this one ends."""

    study: Study
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    logs: list[Path] = field(default_factory=list)

    def start(self, some: Sequence[Placement], pack: int | None = None) -> None:
        stamp = time.strftime("%Y%m%dT%H%M%S")
        for number, place in enumerate(some):
            log = self.study.path / LOGS / f"local-{stamp}-{os.getpid()}-{number}.log"
            environment = {**os.environ, "UNSEEN_ENGINE": "local", "UNSEEN_LOG": str(log.absolute())}
            if place.visible is not None:
                environment["CUDA_VISIBLE_DEVICES"] = place.visible
            with open(log, "ab") as out:
                self.processes.append(
                    subprocess.Popen(
                        worker_words(self.study, place.device, pack), env=environment, stdin=subprocess.DEVNULL,
                        stdout=out, stderr=out, start_new_session=True,
                    )
                )  # fmt: skip
            self.logs.append(log)

    def running(self) -> list[str]:
        return [str(one.pid) for one in self.processes if one.poll() is None]

    def end(self) -> None:
        """Ask all to end in good order, and end those that do not."""
        for one in self.processes:
            if one.poll() is None:
                one.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + PATIENCE
        for one in self.processes:
            try:
                one.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()

    def troubles(self) -> list[str]:
        """What those that ended otherwise than in good order said last."""
        found = []
        for one, log in zip(self.processes, self.logs):
            if one.poll():
                lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() if log.is_file() else []
                said = next((line for line in reversed(lines) if line.startswith("error:")), lines[-1] if lines else "")
                found.append(f"worker {one.pid} ended with code {one.returncode}: {said} (its log: {log})")
        return found


def ask_all_to_stop(study: Study) -> int:
    """Ask every worker of a study to end in good order, wherever it runs."""
    return len(ask_to_stop(study.path))
