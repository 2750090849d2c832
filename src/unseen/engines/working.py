"""One worker: it takes what is missing of a study, a pack at a time, and ends when nothing is left.

Any number of them work side by side, on any machines that share the study's folder. Whoever starts them (a person,
`unseen run --engine local`, Slurm, Ray) does nothing else.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unseen.engines.local import PACK, TOGETHER, find_device, in_packs, record_failure
from unseen.kinds.checks import check
from unseen.studies.beating import Beating, both, epochs_of
from unseen.studies.calibration import check_found, do_calibration
from unseen.studies.claims import Claim, Claims
from unseen.studies.execute import Event, Watch
from unseen.studies.heartbeats import LAST, RUN, WAITING, WORKING, living
from unseen.studies.jobs import CALIBRATION, ENCODER, TRIAL, Job, failed_names, is_finished, jobs_of, left_to_do, stored
from unseen.studies.leases import ATTEMPTS, FAILED, Lease, Leases, Observed
from unseen.studies.missing_trials import turns
from unseen.studies.pretraining import make_encoder
from unseen.studies.store import DiskTrouble
from unseen.studies.strengths import found_text
from unseen.studies.study import Study
from unseen.studies.trusting import settle
from unseen.version import build
from unseen.vocabulary.errors import StoreBusy, UnseenError
from unseen.vocabulary.recipe import read_recipe

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0  # seconds between two looks of a worker that waits for others


class Stop(KeyboardInterrupt):
    """Somebody asked this worker to end: what it has is given back."""


class NotReady(UnseenError):
    """This machine lacks what the study needs; nothing was taken."""


@dataclass(frozen=True)
class Worked:
    """What one worker did. ``left``: pieces of work that are neither stored nor failed, as far as it knows;
    ``gave_up``: those that failed, its own and others'; ``last``: it was asked to take nothing new."""

    finished: int
    failed: int
    asked: int
    left: int
    gave_up: int
    last: bool = False


def work_on(
    study: Study,
    *,
    device: str = "auto",
    pack: int | None = None,
    watch: Watch,
    wait: bool = True,
    hears: bool = True,
    **told: Any,
) -> Worked:
    """Take what is missing of a study and run it, until nothing is left. ``wait``: also for what others are at, in
    case they are lost. ``hears``: SIGTERM ends this worker in good order, SIGUSR1 lets it take nothing new; ``told``:
    who started it (``engine``, ``job``, ``log``), for its heartbeat."""
    place = find_device(device)
    settle(study.recipe, f"recipe '{study.recipe.title}'", trust=False)
    ready(study, place)
    worker = Worker(study, place, pack, watch)
    with Beating(study.path, str(place), stopped=worker.stop, **told) as beating:
        check_company(study, beating.name)
        worker.join(beating)
        with worker.hearing() if hears else contextlib.nullcontext():
            return worker.work(wait)


def ready(study: Study, place: Any) -> None:
    """Refuse a machine that lacks the environment, the images or the device that a study needs, before anything is
    taken: else one such machine would fail every trial of it."""
    import torch

    try:
        check(study)
        for world in {id(world): world for world in map(study.world, study.points)}.values():
            world.images(_first_row(), "cpu")
        torch.zeros(1, device=place)
    except (UnseenError, OSError, RuntimeError, ImportError) as error:
        raise NotReady(
            f"this machine ({socket.gethostname()}) cannot work on '{study.path}', and nothing was taken from it: "
            f"{error}"
        ) from error


def _first_row() -> Any:
    import numpy as np

    return np.array([0])


def check_company(study: Study, me: str) -> None:
    """Refuse where somebody has the study to himself, or others work on it with another state of this package: what
    they find would not belong together."""
    others = [one for one in living(study.path) if one.name != me]
    if alone := next((one.words for one in others if one.kind == RUN), study.store.lock_holder()):
        raise StoreBusy(
            f"study '{study.path}' is being run by {alone}, which has it to itself; wait for it, or end it and start "
            f"workers: `unseen run --engine local {study.path}`."
        )
    if other := next((one for one in others if one.unseen and one.unseen != build()), None):
        raise UnseenError(
            f"study '{study.path}' is being worked on with unseen {other.unseen} ({other.words}), and this is "
            f"{build()}; numbers of two versions do not belong together. Use that version here, or wait until those "
            f"workers have ended."
        )


class Worker:
    """One worker's view of a study, and what it has taken."""

    def __init__(self, study: Study, place: Any, pack: int | None, watch: Watch) -> None:
        self.study, self.place, self.pack, self.watch = study, place, pack, watch
        self.last = self.stopping = self._hears = False
        self._failed: set[str] = set()

    def join(self, beating: Beating) -> None:
        """Begin to be one of the study's workers."""
        self.beating = beating
        self.watch = both(beating, self.watch)
        self.leases = Leases(self.study.path, beating.name, Observed(self.study.path).lost)
        self._recipe = _state(self.study.path / "recipe.toml")
        self._list()

    def _list(self) -> None:
        self.study.refresh()
        self._calibrated = set(self.study.store.calibrations())
        jobs = left_to_do(self.study, jobs_of(self.study))
        self.claims = Claims(jobs, self.leases, self._finished, lambda: stored(self.study), self._poisoned)

    def _finished(self, job: Job) -> bool:
        return is_finished(self.study, job)

    def work(self, wait: bool) -> Worked:
        pause = FIRST_PAUSE
        try:
            while not self.last:
                self._look_at_recipe()
                claims = self.claims.take(self._most)
                if self._new_strengths():
                    self.leases.give_back()
                    self._list()
                elif claims:
                    self._do(claims)
                    pause = FIRST_PAUSE
                elif not self.claims.left or not wait:
                    break
                else:
                    self._pause(pause)
                    pause = min(2 * pause, LONGEST_PAUSE)
        finally:
            with self._deaf():
                self.leases.give_back()
        now, claims = self.beating.now, self.claims
        left = len(claims.fresh) + len(claims.contested)
        return Worked(now.finished, now.failed, now.asked, left, len(claims.over), self.last)

    def _pause(self, seconds: float) -> None:
        self.beating.say(state=WAITING)
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0 and not self.last:
            self._heed()
            time.sleep(min(left, 0.2))
        self.beating.say(state=WORKING)

    def _most(self, job: Job) -> int:
        """How many pieces of this sort go together."""
        if job.kind != TRIAL:
            return 1
        if job.together:
            return self.pack or TOGETHER
        return self.pack or (1 if self.place.type == "cpu" else PACK)

    def _new_strengths(self) -> bool:
        """Whether a calibration was done since the trials were listed: those that need it can be told now."""
        known = {job.key for job in self.claims.jobs if job.kind == CALIBRATION} - self._calibrated
        return any(self.study.store.calibration_path(name).is_file() for name in known)

    def _look_at_recipe(self) -> None:
        """A study that is edited while workers run (seeds were added, say) is taken up as it is now."""
        now = _state(self.study.path / "recipe.toml")
        if now == self._recipe or now is None:
            return
        self._recipe = now
        study = Study(read_recipe(self.study.path / "recipe.toml"), self.study.path)
        if study.recipe == self.study.recipe:
            return
        self.watch(Event("note", "the study's recipe was changed; going on with what it says now"))
        settle(study.recipe, f"recipe '{study.recipe.title}'", trust=False)
        ready(study, self.place)
        self.study = study
        self._list()

    def _do(self, claims: Sequence[Claim]) -> None:
        self.beating.say(state=WORKING)
        first = claims[0].job
        if first.kind == CALIBRATION:
            failed = not self._calibrate(first)
        elif first.kind == ENCODER:
            failed = not make_encoder(
                self.study, self.study.encoders[first.key], device=self.place, watch=self._watching
            )
        else:
            failed = False
            self._run([trial for claim in claims for trial in claim.job.trials])
        for claim in claims:
            mine = failed or any(not names.isdisjoint(self._failed) for names in claim.job.answers)
            self.claims.settle(claim, mine)

    def _run(self, trials: Sequence[Any]) -> None:
        todo = [trial for trial in trials if self.study.find(trial, self.place.type) is None]
        self.beating.expect(epochs_of(self.study, todo, self.place.type))
        for turn in turns(self.study, todo, self.place.type):
            if turn:
                in_packs(self.study, turn, len(turn), self.place, self._watching)

    def _calibrate(self, job: Job) -> bool:
        needed = self.study.calibrations[job.key]
        try:
            do_calibration(self.study, needed, device=self.place, watch=self._watching)
            record = self.study.store.calibration(job.key)
            assert record is not None
            check_found(self.study, needed, record)
            self.watch(Event("calibrated", job.label, job.key, {"text": found_text(record)}))
        except DiskTrouble:
            raise
        except UnseenError as error:
            told = {"identity": job.key, "label": job.label, "seed": None, "error": str(error)}
            self.study.store.fail(job.key, told)
            self.watch(Event("failed", job.label, job.key, {"error": str(error)}))
            return False
        return True

    def _watching(self, event: Event) -> None:
        if event.kind == "failed":
            self._failed.add(event.identity)
        self.watch(event)
        self._heed()

    def _poisoned(self, job: Job, lease: Lease) -> None:
        """What outlived its workers is left alone, and told with their names."""
        holders = [self.leases.holder(job.key, n + 1) for n in range(lease.number)]
        message = (
            f"{ATTEMPTS} workers were lost while they ran it (killed, out of memory, or their machine went down): "
            f"{', '.join(filter(None, holders))}. Look at their logs, then try again: `unseen work --again` on "
            f"'{self.study.path}'"
        )
        for trial, names in zip(job.trials, job.answers):
            if job.kind == TRIAL and not any(map(self.study.store.has, names)):
                record_failure(self.study, trial, self.place.type, message, self.watch)
        if job.kind != TRIAL and not failed_names(self.study, job):
            told = {"identity": job.key, "label": job.label, "seed": None, "error": message}
            self.study.store.fail(job.key, told)
        self.leases.mark(job.key, lease.number, FAILED)

    # Being asked to end

    def stop(self) -> None:
        """Heard from another thread: end at the next event, or at once where signals are heard."""
        self.stopping = True
        if self._hears:
            signal.raise_signal(signal.SIGTERM)

    def _heed(self) -> None:
        if self.stopping and not self._hears:
            raise Stop

    @contextlib.contextmanager
    def hearing(self) -> Iterator[None]:
        """SIGTERM gives back what this worker has and ends it; SIGUSR1 lets it end what it has and take nothing new."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        asked: dict[Any, Callable[..., None]] = {signal.SIGTERM: self._end}
        if hasattr(signal, "SIGUSR1"):
            asked[signal.SIGUSR1] = self._take_nothing_new
        before = {number: signal.signal(number, heard) for number, heard in asked.items()}
        self._hears = True
        try:
            yield
        finally:
            self._hears = False
            for number, handler in before.items():
                signal.signal(number, handler)

    def _end(self, number: int, frame: Any) -> None:
        if self._hears:
            self._hears = False  # asked again, it would only tear apart what is being given back
            raise Stop

    def _take_nothing_new(self, number: int, frame: Any) -> None:
        self.last = True
        threading.Thread(target=self.beating.say, kwargs={"state": LAST}).start()  # a lock may be held right here

    @contextlib.contextmanager
    def _deaf(self) -> Iterator[None]:
        """Nothing interrupts what gives leases back."""
        main = threading.current_thread() is threading.main_thread()
        before = signal.signal(signal.SIGINT, signal.SIG_IGN) if main else None
        self._hears, heard = False, self._hears
        try:
            yield
        finally:
            self._hears = heard
            if main:
                signal.signal(signal.SIGINT, before)


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
