"""A process that is at a study says so: its heartbeat is written by a thread, and follows the events of its work."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.studies.heartbeats import (
    WORK,
    Doing,
    Heartbeat,
    as_json,
    beat_seconds,
    folder_of,
    thinned,
)
from unseen.studies.together import goes_together
from unseen.studies.trials import Trial, precisions
from unseen.version import build
from unseen.vocabulary.whereabouts import here, realm
from unseen.vocabulary.whole_files import put_whole

if TYPE_CHECKING:
    from unseen.studies.recorded import Event
    from unseen.studies.study import Study

QUICK = 2.0  # seconds between two writes where something has happened
KINDS = {"started": "trial", "pretraining": "encoder", "calibrating": "calibration"}


def worker_name() -> str:
    """A name that no other process has, on any machine."""
    one = here()
    return f"{one.host}-{one.pid}-{realm() or 'x'}-{secrets.token_hex(4)}"


class Beating:
    """The heartbeat of this process, from when the block begins until it ends. Call it with the events of the work.

    ``stopped`` is called, from the thread, when somebody asks this worker to end. A disk that is full is no reason to
    stop: the file is touched then, and says what it said."""

    def __init__(
        self, study: Path, device: str = "", *, kind: str = WORK, stopped: Callable[[], None] | None = None, **told: Any
    ) -> None:
        one = here()
        self.study, self.stopped = study, stopped
        now = time.strftime("%Y-%m-%dT%H:%M:%S")
        about = {"host": one.host, "pid": one.pid, "realm": one.realm, "born": one.born, "started": now}
        self.now = Heartbeat(worker_name(), kind, **{**about, "unseen": build(), "device": device, **told})
        self._doing: dict[str, Doing] = {}
        self._curves: dict[str, list[dict[str, float]]] = {}
        self._epochs: dict[str, int] = {}
        self._lock, self._news, self._over = threading.Lock(), threading.Event(), threading.Event()
        self._busy_since: float | None = None

    @property
    def name(self) -> str:
        return self.now.name

    @property
    def path(self) -> Path:
        return folder_of(self.study) / f"{self.name}.json"

    def __enter__(self) -> Beating:
        folder_of(self.study).mkdir(parents=True, exist_ok=True)
        self.write()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._news.set()
        self._thread.join(timeout=10)
        for path in (self.path, self.path.with_suffix(".stop")):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)

    def expect(self, epochs: dict[str, int]) -> None:
        """How many epochs each identity will take, for whoever looks."""
        with self._lock:
            self._epochs.update(epochs)

    def say(self, **told: Any) -> None:
        """Change what is told: ``state``, ``note``."""
        with self._lock:
            self.now = replace(self.now, **told)
        self._news.set()

    def __call__(self, event: Event) -> None:
        with self._lock:
            self._follow(event)
        self._news.set()

    def _follow(self, event: Event) -> None:
        name, now = event.identity or event.trial, self.now
        if event.kind in KINDS:
            epochs = self._epochs.get(name, 0) or int(event.figures.get("epochs", 0))
            began = time.strftime("%Y-%m-%dT%H:%M:%S")
            self._doing[name] = Doing(name, event.trial, KINDS[event.kind], 0, epochs, began)
            self._curves[name] = []
            if KINDS[event.kind] == "trial":
                self._busy_since = self._busy_since or time.monotonic()
        elif event.kind == "epoch" and name in self._doing:
            figures = {key: float(value) for key, value in event.figures.items() if isinstance(value, int | float)}
            done = self._doing[name].epoch + 1
            self._curves[name].append({**figures, "epoch": done})
            self._doing[name] = replace(self._doing[name], epoch=done)
            if self._doing[name].kind == "trial":  # an encoder's epochs say nothing of how long a trial's take
                self.now = replace(now, epochs=now.epochs + 1)
        elif event.kind in ("finished", "failed", "pretrained", "calibrated"):
            self._doing.pop(name, None)
            self._curves.pop(name, None)
            counts = {"finished": event.kind == "finished", "failed": event.kind == "failed"}
            asked = bool(event.kind == "finished" and event.figures.get("asked"))
            self.now = replace(now, asked=now.asked + asked, **{k: getattr(now, k) + n for k, n in counts.items()})
            if event.kind == "failed":
                self.now = replace(self.now, note=f"{event.trial}: {event.figures.get('error', '')}"[:500])
        if not self._doing and self._busy_since is not None:
            self.now = replace(self.now, seconds=self.now.seconds + time.monotonic() - self._busy_since)
            self._busy_since = None

    def told(self) -> Heartbeat:
        """What it says now, counted one further."""
        with self._lock:
            doing = tuple(replace(one, curve=thinned(self._curves[name])) for name, one in self._doing.items())
            memory, device_memory = memory_taken()
            self.now = replace(self.now, beat=self.now.beat + 1, memory=memory, device_memory=device_memory)
            busy = time.monotonic() - self._busy_since if self._busy_since is not None else 0.0
            return replace(self.now, doing=doing, seconds=round(self.now.seconds + busy, 3))

    def write(self) -> None:
        text = as_json(self.told())
        try:
            put_whole(self.path, text, sync=False)
        except OSError:
            with contextlib.suppress(OSError):
                os.utime(self.path)

    def _beat(self) -> None:
        last, every = time.monotonic(), beat_seconds()
        while not self._over.is_set():
            self._news.wait(min(every, QUICK))
            if self._over.is_set():
                return
            since = time.monotonic() - last
            if since >= every or (self._news.is_set() and since >= min(every, QUICK)):
                self._news.clear()
                self.write()
                last = time.monotonic()
            elif self._news.is_set():
                self._over.wait(max(0.0, min(every, QUICK) - since))
            if self.stopped is not None and self.path.with_suffix(".stop").exists():
                self.stopped()


def both(beating: Beating, watch: Callable[[Event], None]) -> Callable[[Event], None]:
    """What happens is told to the heartbeat first, then to whoever watches."""

    def watching(event: Event) -> None:
        beating(event)
        watch(event)

    return watching


def epochs_of(study: Study, trials: Sequence[Trial], device: str) -> dict[str, int]:
    """How many epochs trials will take, by the identities that this device gives them; none of what is not trained."""
    found = {}
    for trial in trials:
        if not goes_together(trial) and not trial.recipe.calibration.steps:
            found[study.identity(trial, precisions(trial.recipe, device)[0])] = trial.recipe.training.epochs
    return found


def memory_taken() -> tuple[int, int]:
    """Bytes that this process took at most, of the host's memory and of its device's; 0 where it cannot be told."""
    host = device = 0
    with contextlib.suppress(ImportError):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        host = peak if sys.platform == "darwin" else peak * 1024
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available() and torch.cuda.is_initialized():
        device = int(torch.cuda.max_memory_reserved())
    return host, device


def memory_now() -> tuple[int, int]:
    """Bytes that this process and those it started hold now, and what it took on its device; where the system does not
    tell (Linux does), what this process took at most."""
    most, device = memory_taken()
    held = sum(_resident(pid) for pid in (os.getpid(), *_children()))
    return held or most, device


def _children() -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError, ValueError):
        for thread in os.listdir("/proc/self/task"):
            text = Path(f"/proc/self/task/{thread}/children").read_text(encoding="ascii")
            found += [int(number) for number in text.split()]
    return found


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    return 0
