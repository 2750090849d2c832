"""Mesh files converted side by side, each in a process of its own, into the cache.

A worker is this interpreter started anew, told one file per line. It does not run the user's script again, as a pool of
:mod:`multiprocessing` would where nothing guards it. A file that ends its worker (a reader that crashes, too little
memory) is left out like any other that cannot be read. Whatever was converted stays in the cache, whoever is killed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from unseen.vocabulary.cores import cores
from unseen.vocabulary.errors import UnseenError
from unseen.worlds.meshes.converted import MeshFacts, converted, facts_of
from unseen.worlds.meshes.reading import Reading
from unseen.worlds.meshes.references import Unreadable

FILES_EACH, BYTES_EACH = 32, 20_000_000  # for which another worker is worth the seconds it takes to start
HEAVY = 50_000_000  # bytes; such files are converted one at a time, so that their memory does not add up
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); import unseen.worlds.meshes.crew as crew; crew.serve()"
)
_ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS")}


@dataclass(frozen=True)
class Job:
    path: Path
    content: str
    how: Reading
    bytes: int


Outcome = MeshFacts | str  # what is known of a mesh now, or why the file shows none


def convert(
    jobs: Sequence[Job], cache: Path, *, workers: int | None = None, tell: Callable[[int, int], None] | None = None
) -> list[Outcome]:
    """Each job's outcome, in order. ``workers``: processes, at most; by default as many as there are cores."""
    tell = tell or (lambda done, total: None)
    n = _processes(jobs, cores() if workers is None else workers)
    if n > 1 or any(job.bytes > HEAVY for job in jobs):  # one that takes all memory then ends its worker only
        return _in_processes(jobs, cache, n, tell)
    found: list[Outcome] = []
    for job in jobs:
        found.append(one_converted(job, cache))
        tell(len(found), len(jobs))
    return found


def _processes(jobs: Sequence[Job], most: int) -> int:
    worth = max(len(jobs) // FILES_EACH, sum(job.bytes for job in jobs) // BYTES_EACH)
    return max(1, min(most, len(jobs), worth))


def one_converted(job: Job, cache: Path) -> Outcome:
    """The mesh is read and kept; a disk that is full and a missing reader are errors, all else is told."""
    try:
        return facts_of(converted(job.path, job.content, job.how, cache))
    except Unreadable as fault:
        return str(fault)
    except OSError as fault:
        return f"cannot be read: {fault.strerror or fault}"
    except MemoryError:
        return "it needs more memory than there is here"


class _Worker:
    """A process that converts files, one after another."""

    def __init__(self) -> None:
        path = json.dumps([place for place in sys.path if place])
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            encoding="utf-8", env={**os.environ, **_ONE_THREAD}, start_new_session=True,  # Ctrl-C is for its parent
        )  # fmt: skip

    def told(self, word: Any) -> Any:
        """Its answer; None where it is no more."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(word) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError:
            return None
        return json.loads(line) if line.endswith("\n") else None

    def asked(self, job: Job) -> Outcome:
        answer = self.told({"path": str(job.path), "content": job.content, "how": asdict(job.how), "bytes": job.bytes})
        if answer is None:
            how = self.process.wait()
            reason = "out of memory, perhaps" if how == -9 else f"exit {how}"
            return f"the process that read it ended ({reason})"
        if "error" in answer:
            raise UnseenError(answer["error"])
        return answer["reason"] if "reason" in answer else MeshFacts.of(answer)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:  # what was not yet written goes nowhere
                pass


def _hired(cache: Path, crew: list[_Worker]) -> _Worker | None:
    """A worker that has begun; None where none can."""
    try:
        worker = _Worker()
    except (OSError, ValueError, TypeError):  # no interpreter to start, or no process left
        return None
    crew.append(worker)
    return worker if worker.told(str(cache)) is not None else None


def _in_processes(jobs: Sequence[Job], cache: Path, n: int, tell: Callable[[int, int], None]) -> list[Outcome]:
    found: dict[int, Outcome] = {}
    heavy = deque(number for number, job in enumerate(jobs) if job.bytes > HEAVY)
    light = deque(number for number, job in enumerate(jobs) if job.bytes <= HEAVY)
    crew: list[_Worker] = []

    def work(queues: Sequence[deque[int]]) -> None:
        worker: _Worker | None = None
        for queue in queues:
            while not over:
                try:
                    number = queue.popleft()
                except IndexError:
                    break
                worker = worker or _hired(cache, crew)
                if worker is None:  # none can start here: the parent does what is left
                    queue.append(number)
                    return
                found[number] = worker.asked(jobs[number])
                if worker.process.poll() is not None:
                    worker = None

    over: list[bool] = []
    try:
        with ThreadPoolExecutor(n) as pool:
            try:
                waiting = {pool.submit(work, (heavy, light) if first == 0 else (light,)) for first in range(n)}
                while waiting:
                    done, waiting = wait(waiting, timeout=0.1)
                    for one in done:
                        one.result()
                    tell(len(found), len(jobs))
            except BaseException:
                over.append(True)
                for worker in crew:
                    worker.process.kill()  # whoever waits for its answer waits no longer
                raise
    finally:
        for worker in crew:
            worker.end()
    for number in (*heavy, *light):
        found[number] = one_converted(jobs[number], cache)
        tell(len(found), len(jobs))
    return [found[number] for number in range(len(jobs))]


def serve() -> None:
    """A worker's life: a line with the cache's place, then a line per file, each answered by a line."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer
    lines = iter(sys.stdin.buffer.readline, b"")
    cache = Path(json.loads(next(lines, b'""')))

    def tell(answer: Any) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    tell("ready")
    for line in lines:
        told = json.loads(line)
        job = Job(Path(told["path"]), told["content"], Reading(**told["how"]), told["bytes"])
        try:
            outcome = one_converted(job, cache)
        except UnseenError as error:
            tell({"error": str(error)})
            continue
        tell({"reason": outcome} if isinstance(outcome, str) else asdict(outcome))
