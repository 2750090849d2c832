"""Many objects at once, by several processes.

A thousand objects take half a minute of one core. The processes are plain Python runs of this module, not forks or
spawns of the caller, which may hold a GPU, threads, or a script without a main guard. They end with the caller. ``-P``:
they look for modules where the caller does, and never in the working directory first, where anybody's files may lie.
"""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from unseen.vocabulary.cores import cores
from unseen.vocabulary.whole_files import put_whole
from unseen.worlds.collections import FIRST_COLLECTION, make_object
from unseen.worlds.rendering.mesh import Mesh

FEW = 200  # fewer than this for each process are not worth its start
Wanted = tuple[str, int]  # category, instance


def make_objects(
    wanted: Sequence[Wanted], seed: int = 0, processes: int | None = None, collection: str = FIRST_COLLECTION
) -> tuple[Mesh, ...]:
    """The objects asked for, in that order; the same whoever makes them."""
    processes = min(cores(), len(wanted) // FEW) if processes is None else processes
    if processes < 2:
        return tuple(make_object(category, instance, seed, collection) for category, instance in wanted)
    with tempfile.TemporaryDirectory(prefix="unseen-objects-") as folder:
        parts = [list(wanted[part::processes]) for part in range(processes)]
        files = [Path(folder) / f"{part}.pickle" for part in range(processes)]
        running = []
        for part, file in zip(parts, files):
            file.with_suffix(".asked").write_bytes(pickle.dumps((part, seed, collection)))
            command = [sys.executable, "-P", "-m", "unseen.worlds.making", str(file), str(os.getpid())]
            running.append(  # quiet: what a process cannot make is tried, and told, here
                subprocess.Popen(command, env=_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            )
        made = [_collected(child, file, part, seed, collection) for child, file, part in zip(running, files, parts)]
    found: list[Mesh | None] = [None] * len(wanted)
    for part, meshes in enumerate(made):
        found[part::processes] = meshes
    return tuple(mesh for mesh in found if mesh is not None)


def _environment() -> dict[str, str]:
    """The caller's, with its way of finding this package."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "OMP_NUM_THREADS": "1"}


def _collected(child: subprocess.Popen, file: Path, part: list[Wanted], seed: int, collection: str) -> list[Mesh]:
    """What a process made; where it could not, it is made here."""
    if child.wait() == 0 and file.is_file():
        return pickle.loads(file.read_bytes())
    return [make_object(category, instance, seed, collection) for category, instance in part]


def main() -> None:
    file, asker = Path(sys.argv[1]), int(sys.argv[2])
    part, seed, collection = pickle.loads(file.with_suffix(".asked").read_bytes())
    made = []
    for category, instance in part:
        if os.getppid() != asker:  # killed: nobody waits for this, and nobody else clears it away
            shutil.rmtree(file.parent, ignore_errors=True)
            return
        made.append(make_object(category, instance, seed, collection))
    put_whole(file, pickle.dumps(made), sync=False)


if __name__ == "__main__":
    main()
