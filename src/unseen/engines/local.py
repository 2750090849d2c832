"""Run a study on this machine: packed on one GPU, or one process per trial on the cores of a CPU."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, cast

from unseen.engines.deaths import death, ending
from unseen.studies.beating import Beating, both, epochs_of
from unseen.studies.calibration import calibrate
from unseen.studies.commands import note_command
from unseen.studies.execute import Event, Watch, execute
from unseen.studies.heartbeats import RUN, forget
from unseen.studies.missing_trials import missing_trials, turns
from unseen.studies.pretraining import pretrain
from unseen.studies.room import check_room
from unseen.studies.store import DiskTrouble, disk_error
from unseen.studies.study import Study
from unseen.studies.together import PACK as TOGETHER
from unseen.studies.together import goes_together
from unseen.studies.trials import Trial, precisions
from unseen.studies.trusting import settle
from unseen.studies.weight_budget import keeps_weights
from unseen.vocabulary.cores import cores
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.trust import allow, allowed
from unseen.vocabulary.whole_files import put_whole

PACK = 4
SAFE_PATH = "PYTHONSAFEPATH"
DEVICES = ("auto", "cpu", "cuda", "mps")
CANNOT_START = (
    "In a script, call unseen.run below `if __name__ == '__main__':` (each process reads the script again); or give "
    "workers=1 to run in this process."
)


@dataclass(frozen=True)
class Outcome:
    """What a run did."""

    trials: int
    already: int
    finished: int
    failed: int
    asked: int = 0  # of those finished: from weights that were kept, without training


def find_device(name: str) -> Any:
    """The device a name means; "auto" takes the fastest there is."""
    import torch

    kind = name.partition(":")[0]
    if kind not in DEVICES:
        raise unknown("device", name, DEVICES)
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if kind == "auto":
        return torch.device(next(k for k in ("cuda", "mps", "cpu") if there[k]))
    if not there[kind]:
        found = ", ".join(k for k, here in there.items() if here)
        raise UnseenError(f"device '{name}' was asked for, but torch {torch.__version__} sees only: {found}.")
    return torch.device(name)


def run_study(
    study: Study,
    *,
    device: str = "auto",
    workers: int | None = None,
    pack: int | None = None,
    watch: Watch,
    command: str = "",
) -> Outcome:
    """Run every trial that is missing. What is finished stays; what failed before is tried again. Strengths that the
    recipe wants calibrated are found first, and encoders made that trials need. ``command``: how it was asked for,
    noted for the report."""
    from unseen.studies.recipe_files import recipe_toml

    place = find_device(device)
    settle(study.recipe, f"recipe '{study.recipe.title}'", trust=False)
    with study.store.locked(), contextlib.ExitStack() as stack:
        study.store.sweep()
        forget(study.path)
        try:
            put_whole(study.path / "recipe.toml", recipe_toml(study.recipe))
            note_command(study.path, command)
        except OSError as error:
            raise disk_error(error, study.path) from error
        beating = stack.enter_context(Beating(study.path, str(place), kind=RUN))
        study.store.check_alone(beating.name)  # of two that began on two machines at once each sees the other
        watch = both(beating, watch)
        if any(trial.recipe.pretraining.world for trial in study.trials):
            pretrain(study, device=place, watch=watch)
        if study.calibrations:
            calibrate(study, device=place, watch=watch)
        todo = study.missing(place.type)
        check_room(study, todo, place.type)
        for line in missing_trials(study, place.type).words():
            watch(Event("note", line))
        counts = {"finished": 0, "failed": 0, "asked": 0}

        def counting(event: Event) -> None:
            if event.kind in counts:
                counts[event.kind] += 1
                counts["asked"] += bool(event.figures.get("asked"))
            watch(event)

        beating.expect(epochs_of(study, todo, place.type))
        for turn in turns(study, todo, place.type):
            some = [trial for trial in turn if not goes_together(trial)]
            in_packs(study, [trial for trial in turn if goes_together(trial)], pack or TOGETHER, place, counting)
            if not some:
                continue
            if place.type == "cpu":
                _on_cores(study, some, workers, place, counting)
            else:
                in_packs(study, some, pack or PACK, place, counting)
    return Outcome(len(study.trials), len(study.trials) - len(todo), **counts)


def _on_cores(study: Study, trials: Sequence[Trial], workers: int | None, device: Any, watch: Watch) -> None:
    """One process per trial on the cores there are, or all in this one."""
    processes = workers or max(1, cores() // study.recipe.training.threads)
    processes = min(processes, max(1, len(trials)))
    if processes > 1:
        _in_processes(study, trials, processes, watch)
    else:
        for trial in trials:
            execute(study, [trial], device, watch)


def in_packs(study: Study, trials: Sequence[Trial], size: int, device: Any, watch: Watch) -> None:
    """Train ``size`` trials together; when the device's memory does not suffice, half as many from there on."""
    import torch

    waiting = list(trials)
    failed: set[str] = set()

    def watching(event: Event) -> None:
        if event.kind == "failed":
            failed.add(event.identity)
        watch(event)

    def open_still(trial: Trial) -> bool:
        name = study.identity(trial, precisions(trial.recipe, device.type)[0])
        return name not in failed and study.find(trial, device.type) is None

    while waiting:
        taken, waiting = waiting[:size], waiting[size:]
        group = [trial for trial in taken if open_still(trial)]
        if not group:
            continue
        try:
            execute(study, group, device, watching)
        except torch.OutOfMemoryError as error:
            gc.collect()
            if device.type == "cuda":
                torch.cuda.empty_cache()
            if len(group) == 1:
                batch = group[0].recipe.training.batch
                message = f"one trial alone does not fit in memory: lower training.batch ({batch}). {str(error)[:200]}"
                record_failure(study, group[0], device.type, message, watch)
                continue
            size = len(group) // 2
            watch(Event("note", f"{len(group)} trials do not fit in the device's memory; {size} at a time from here"))
            waiting = [*group, *waiting]
        finally:
            if device.type != "cpu" or goes_together(group[0]):  # a look at all objects takes .15 s, a trial perhaps 3
                gc.collect()


def record_failure(study: Study, trial: Trial, device: str, message: str, watch: Watch) -> None:
    name = study.identity(trial, precisions(trial.recipe, device)[0])
    record = {"identity": name, "label": trial.label, "condition": dict(trial.condition), "seed": trial.seed}
    study.store.fail(name, {**record, "error": message})
    watch(Event("failed", trial.label, name, {"error": message}))


def _in_processes(study: Study, todo: Sequence[Trial], processes: int, watch: Watch) -> None:
    """One trial per process at a time. A process that dies takes only its own trial with it.

    Each has a pipe of its own: a queue that all share stays locked for ever when one is killed while it holds it.
    """
    context = multiprocessing.get_context("spawn")
    numbers = {id(trial): number for number, trial in enumerate(study.trials)}
    waiting = deque(todo)
    crew: dict[Connection, Any] = {}
    holding: dict[Connection, Trial] = {}
    begun: set[Connection] = set()

    def hire() -> None:
        ours, theirs = context.Pipe()
        given = (study.recipe, study.path, theirs, os.getpid(), allowed(), keeps_weights(study))
        worker = context.Process(target=_work, args=given, daemon=True)
        with _safe_path(), _deaf():
            worker.start()
        theirs.close()
        crew[ours] = worker

    def bury(pipe: Connection) -> None:
        worker = crew.pop(pipe)
        worker.join(timeout=5)
        pipe.close()
        if pipe not in begun and not crew:
            raise UnseenError(f"worker processes end {ending(worker.exitcode)} before they begin. {CANNOT_START}")
        if pipe in holding:
            trial = holding.pop(pipe)
            record_failure(study, trial, "cpu", death(worker.exitcode, trial.label), watch)

    try:
        for _ in range(processes):
            hire()
        while waiting or holding:
            for pipe in cast("list[Connection]", wait(list(crew))):
                try:
                    kind, body = pipe.recv()
                except (EOFError, OSError):
                    bury(pipe)
                    if waiting and pipe in begun:
                        hire()
                    continue
                if kind == "ready":
                    begun.add(pipe)
                    holding.pop(pipe, None)
                    if waiting:
                        holding[pipe] = waiting.popleft()
                    with contextlib.suppress(OSError):  # one that has just died is noticed when it is listened to
                        pipe.send(numbers[id(holding[pipe])] if pipe in holding else None)
                elif kind == "fatal":
                    raise DiskTrouble(body)
                else:
                    watch(body)
    finally:
        with _deaf():  # who presses Ctrl-C again only waits for the same
            for worker in crew.values():
                worker.terminate()
            for pipe, worker in crew.items():
                worker.join(timeout=5)
                if worker.is_alive():
                    worker.kill()
                    worker.join()
                pipe.close()


def _work(
    recipe: Any, path: Any, pipe: Connection, parent: int, said: frozenset[str] = frozenset(), keeps: bool | None = None
) -> None:
    """A worker: takes trials until none are left, or until its parent is gone (a killed parent leaves no orphans). It
    may import what its parent may (``said``), and keeps weights as its parent decided."""
    import torch

    _die_with_parent(parent)
    allow(said)
    study, device = Study(recipe, path, decided=keeps), torch.device("cpu")

    def tell(kind: str, body: Any = None) -> None:
        try:
            pipe.send((kind, body))
        except OSError:  # nobody listens any more
            os._exit(1)

    try:
        while True:
            tell("ready")
            number = pipe.recv()
            if number is None:
                return
            execute(study, [study.trials[number]], device, lambda event: tell("event", event))
    except EOFError:
        return
    except DiskTrouble as error:  # whatever else goes wrong is recorded with its trial
        tell("fatal", str(error))


@contextlib.contextmanager
def _deaf() -> Iterator[None]:
    """What is started here does not hear Ctrl-C, which goes to every process of a terminal: its parent ends it. The
    parent hears it when it leaves this: a signal that is held back is not lost."""
    if threading.current_thread() is not threading.main_thread():
        yield
    elif hasattr(signal, "pthread_sigmask"):
        from multiprocessing.resource_tracker import ensure_running

        ensure_running()  # it lets the signal through again while it starts
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    else:  # Windows
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, handler)


@contextlib.contextmanager
def _safe_path() -> Iterator[None]:
    """What is started here does not look for Python's own modules in the working directory, where anybody's files may
    lie; a worker takes over its parent's path once it runs."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


def _die_with_parent(parent: int) -> None:
    """Linux only: the kernel ends this process when its parent ends. Elsewhere the next message notices."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
