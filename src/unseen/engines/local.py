"""Run a study on this machine: packed on one GPU, or one process per trial on the cores of a CPU."""

from __future__ import annotations

import gc
import multiprocessing
import os
import queue
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unseen.studies.execute import Event, Watch, execute
from unseen.studies.study import Study
from unseen.studies.trials import Trial, precisions
from unseen.vocabulary.errors import UnseenError, unknown

PACK = 4
DEVICES = ("auto", "cpu", "cuda", "mps")


@dataclass(frozen=True)
class Outcome:
    """What a run did."""

    trials: int
    already: int
    finished: int
    failed: int


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
    study: Study, *, device: str = "auto", workers: int | None = None, pack: int | None = None, watch: Watch
) -> Outcome:
    """Run every trial that is missing. What is finished stays; what failed before is tried again."""
    from unseen.studies.describe import recipe_toml
    from unseen.studies.store import write_text

    place = find_device(device)
    with study.store.locked():
        study.store.sweep()
        write_text(study.path / "recipe.toml", recipe_toml(study.recipe))
        todo = study.missing(place.type)
        counts = {"finished": 0, "failed": 0}

        def counting(event: Event) -> None:
            if event.kind in counts:
                counts[event.kind] += 1
            watch(event)

        if place.type == "cpu":
            processes = workers or max(1, (os.cpu_count() or 1) // study.recipe.training.threads)
            processes = min(processes, max(1, len(todo)))
            if processes > 1:
                _in_processes(study, todo, processes, counting)
            else:
                for trial in todo:
                    execute(study, [trial], place, counting)
        else:
            for start in range(0, len(todo), pack or PACK):
                _packed(study, todo[start : start + (pack or PACK)], place, counting)
    return Outcome(len(study.trials), len(study.trials) - len(todo), **counts)


def _packed(study: Study, trials: Sequence[Trial], device: Any, watch: Watch) -> None:
    """Train trials together; when the device's memory does not suffice, half as many at a time."""
    import torch

    waiting = [list(trials)]
    while waiting:
        group = [trial for trial in waiting.pop(0) if study.find(trial, device.type) is None]
        if not group:
            continue
        try:
            execute(study, group, device, watch)
        except torch.OutOfMemoryError as error:
            gc.collect()
            if device.type == "cuda":
                torch.cuda.empty_cache()
            if len(group) == 1:
                batch = group[0].recipe.training.batch
                message = f"one trial alone does not fit in memory: lower training.batch ({batch}). {str(error)[:200]}"
                _record_failure(study, group[0], device.type, message, watch)
                continue
            half = len(group) // 2
            watch(Event("note", f"{len(group)} trials do not fit in the device's memory; {half} at a time from here"))
            waiting[:0] = [group[:half], group[half:]]
        finally:
            gc.collect()


def _record_failure(study: Study, trial: Trial, device: str, message: str, watch: Watch) -> None:
    name = study.identity(trial, precisions(trial.recipe, device)[0])
    record = {"identity": name, "label": trial.label, "condition": dict(trial.condition), "seed": trial.seed}
    study.store.fail(name, {**record, "error": message})
    watch(Event("failed", trial.label, name, {"error": message}))


def _in_processes(study: Study, todo: Sequence[Trial], processes: int, watch: Watch) -> None:
    """One trial per process at a time. A process that dies takes only its own trial with it."""
    context = multiprocessing.get_context("spawn")
    tasks, events = context.Queue(), context.Queue()
    places = {id(trial): number for number, trial in enumerate(study.trials)}
    for trial in todo:
        tasks.put(places[id(trial)])
    holding: dict[int, int] = {}
    left = len(todo)
    crew: dict[int, Any] = {}

    def hire() -> None:
        worker = context.Process(target=_work, args=(study.recipe, study.path, tasks, events, os.getpid()), daemon=True)
        worker.start()
        crew[worker.pid or 0] = worker

    for _ in range(processes):
        hire()
    try:
        while left > 0:
            try:
                kind, pid, body = events.get(timeout=0.5)
            except queue.Empty:
                for pid in [pid for pid, worker in crew.items() if not worker.is_alive()]:
                    worker = crew.pop(pid)
                    if pid in holding:
                        left -= 1
                        code = worker.exitcode
                        hint = "probably out of memory; try fewer --workers" if code == -9 else "see the messages above"
                        message = f"its process ended with code {code} ({hint})"
                        _record_failure(study, study.trials[holding.pop(pid)], "cpu", message, watch)
                    if left > len(holding):
                        hire()
                continue
            if kind == "took":
                holding[pid] = body
            elif kind == "did":
                holding.pop(pid, None)
                left -= 1
            elif kind == "fatal":
                raise UnseenError(body)
            else:
                watch(body)
    finally:
        for worker in crew.values():
            worker.terminate()
        for worker in crew.values():
            worker.join(timeout=5)


def _work(recipe: Any, path: Any, tasks: Any, events: Any, parent: int) -> None:
    """A worker: takes trials until none are left, or until its parent is gone (a killed parent leaves no orphans)."""
    import torch

    _die_with_parent()
    study, pid, device = Study(recipe, path), os.getpid(), torch.device("cpu")

    def watch(event: Event) -> None:
        if os.getppid() != parent:
            os._exit(1)
        events.put(("event", pid, event))

    try:
        while True:
            try:
                number = tasks.get(timeout=1)
            except queue.Empty:
                return
            events.put(("took", pid, number))
            execute(study, [study.trials[number]], device, watch)
            events.put(("did", pid, number))
    except UnseenError as error:
        events.put(("fatal", pid, str(error)))
    except KeyboardInterrupt:
        return


def _die_with_parent() -> None:
    """Linux only: the kernel ends this process when its parent ends. Elsewhere the next message notices."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, 9)
