"""All workers of a study followed in one place: what they do comes as the events of one run, from their files."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from unseen.studies.execute import Event, Watch
from unseen.studies.heartbeats import WORK, Heartbeat, heartbeats
from unseen.studies.jobs import ENCODER, TRIAL, Job, jobs_of, left_to_do, stored
from unseen.studies.leases import FOLDER, OVER, newest
from unseen.studies.strengths import found_text
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError

EVERY = 1.0  # seconds between two looks


@dataclass
class Followed:
    """A study as whoever started its workers sees it. ``open``: pieces of work that are neither stored nor failed."""

    study: Study
    watch: Watch
    open: dict[str, Job] = field(default_factory=dict)
    finished: int = 0
    failed: int = 0
    asked: int = 0

    def __post_init__(self) -> None:
        self._epochs: dict[tuple[str, str], int] = {}
        self._begun: set[tuple[str, str]] = set()
        self._lost: set[str] = set()
        self._looked = False  # what was done before the first look tells nothing of how fast it goes
        self._list()

    def _list(self) -> None:
        self.study.refresh()
        jobs = left_to_do(self.study, jobs_of(self.study))
        self.open = {job.key: job for job in jobs}
        self._calibrated = self.study.store.calibrations()

    def look(self) -> list[Heartbeat]:
        """What has happened since the last look is told; gives the workers that live."""
        found = [one for one in heartbeats(self.study.path) if one.kind == WORK]
        for one in found:
            self._tell_progress(one)
            if not one.living and one.name not in self._lost:
                self._lost.add(one.name)
                doing = ", ".join(doing.label for doing in one.doing)
                what = f"; what it had is taken over: {doing}" if doing else ""
                self.watch(Event("note", f"{one.words} is lost{what}"))
        self._looked = True
        self._tell_ends()
        if self.study.store.calibrations() != self._calibrated:
            self._list()
        return [one for one in found if one.living]

    def _tell_progress(self, one: Heartbeat) -> None:
        for doing in one.doing:
            at = (one.name, doing.identity)
            if at not in self._begun:
                self._begun.add(at)
                self.watch(Event("started", doing.label, doing.identity))
            for _ in range(self._epochs.get(at, 0), doing.epoch):
                self.watch(Event("epoch", doing.label, doing.identity, {} if self._looked else {"earlier": True}))
            self._epochs[at] = max(doing.epoch, self._epochs.get(at, 0))

    def _tell_ends(self) -> None:
        names = stored(self.study)
        try:
            leases = newest(path.name for path in (self.study.path / FOLDER).iterdir())
        except OSError:
            leases = {}
        failures = None
        for key, job in list(self.open.items()):
            if job.kind != TRIAL:
                if key in names:
                    del self.open[key]
                    self._tell_before(job)
            elif job.finished(names):
                del self.open[key]
                for trial, answers in zip(job.trials, job.answers):
                    self._tell_finished(trial, next(name for name in answers if name in names))
            if key in self.open and key in leases and leases[key].standing(lost=False) == OVER:
                del self.open[key]
                failures = failures if failures is not None else self.study.store.failures()
                self._tell_failed(job, failures)

    def _tell_before(self, job: Job) -> None:
        if job.kind == ENCODER:
            self.watch(Event("pretrained", job.label, job.key, {"text": job.label}))
        elif (record := self.study.store.calibration(job.key)) is not None:
            self.watch(Event("calibrated", job.label, job.key, {"text": found_text(record)}))

    def _tell_finished(self, trial: Trial, name: str) -> None:
        figures: dict[str, object] = {}
        with contextlib.suppress(UnseenError):
            facts = self.study.store.read(name)
            figures = {"flags": facts.get("flags", {}), "asked": bool(facts.get("asked"))}
        self.finished += 1
        self.asked += bool(figures.get("asked"))
        self.watch(Event("finished", trial.label, name, figures))

    def _tell_failed(self, job: Job, failures: dict[str, dict[str, object]]) -> None:
        if job.kind != TRIAL:
            why = failures.get(job.key, {}).get("error", "its worker tells why, in its log")
            self.watch(Event("note", f"{job.label} failed: {why}"))
            return
        for trial, answers in zip(job.trials, job.answers):
            if record := next((failures[name] for name in answers if name in failures), None):
                self.failed += 1
                told = {"error": str(record.get("error", ""))}
                self.watch(Event("failed", trial.label, str(record.get("identity", job.key)), told))


def follow(
    followed: Followed,
    running: Callable[[], Sequence[str]],
    *,
    every: float = EVERY,
    show: Callable[[list[Heartbeat]], None] = lambda workers: None,
) -> None:
    """Follow a study until nothing is left of it, or nobody is at it any more. ``running``: names of what was started
    and has not ended, as whoever started it knows; ``show`` is told of the workers that live at each look."""
    quiet = 0
    while True:
        workers = followed.look()
        show(workers)
        if not followed.open and not running():
            return
        quiet = 0 if workers or running() else quiet + 1
        if quiet > 2:
            return
        time.sleep(every)
