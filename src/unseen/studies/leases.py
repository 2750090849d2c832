"""Which worker has taken what: ``leases/<key>.<n>``, made by O_EXCL and never changed hands. Whoever makes number n + 1
has taken it over. Nothing but exclusive creation and listing is asked of the file system.

``<key>.<n>`` holds the name of the worker that took it. Beside it may lie ``<key>.<n>.failed``: it was run and failed,
and nobody tries it again, or ``<key>.<n>.left``: its worker gave it back in good order, so that it does not count as an
attempt. Leases are never unlinked while anybody works, but by who could not write a name into one.

A lease is stale when the heartbeat of its worker is gone, or has not changed for 180 s of the *observer's* own
monotonic clock (no clocks are compared), or its process is gone on this boot and pid namespace. What outlived three
workers that did not come back is *poison*: left alone and recorded as failed. Running is at least once, storing is
once, by rename: a worker that was believed lost and comes back does no harm.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from unseen.studies.heartbeats import folder_of, read, stale_seconds
from unseen.vocabulary.whereabouts import surely_gone

FOLDER = "leases"
ATTEMPTS = 3  # workers that may be lost with a trial before it is left alone
FAILED, LEFT = "failed", "left"
FREE, HELD, OVER, POISON = "free", "held", "over", "poison"


@dataclass(frozen=True)
class Lease:
    """The newest lease of a key. ``attempts``: leases that were not given back; ``mark``: "failed", "left" or ""."""

    number: int
    attempts: int
    mark: str = ""

    def standing(self, lost: bool) -> str:
        """Whether it may be taken; ``lost``: its worker is.

        >>> Lease(1, 1).standing(lost=True), Lease(3, 3).standing(lost=True), Lease(4, 3, "left").standing(lost=True)
        ('free', 'poison', 'free')
        """
        if self.mark == FAILED:
            return OVER
        if self.mark == LEFT:
            return FREE
        if not lost:
            return HELD
        return FREE if self.attempts < ATTEMPTS else POISON


def newest(names: Iterable[str]) -> dict[str, Lease]:
    """The newest lease of every key, by the names of files.

    >>> newest(["a.1", "a.1.left", "a.2", "b.1", "b.1.failed", ".tmp", "x"])
    {'a': Lease(number=2, attempts=1, mark=''), 'b': Lease(number=1, attempts=1, mark='failed')}
    """
    numbers: dict[str, int] = {}
    marks: dict[tuple[str, int], str] = {}
    left: dict[str, int] = {}
    for name in names:
        key, _, rest = name.partition(".")
        number, _, mark = rest.partition(".")
        if not key or not number.isdecimal() or mark not in ("", FAILED, LEFT):
            continue
        numbers[key] = max(numbers.get(key, 0), int(number))
        if mark:
            marks[key, int(number)] = mark
            left[key] = left.get(key, 0) + (mark == LEFT)
    return {key: Lease(n, n - left.get(key, 0), marks.get((key, n), "")) for key, n in numbers.items()}


class Observed:
    """What one observer has seen of the heartbeats of others: who is lost is judged by its own clock alone."""

    def __init__(self, study: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder, self.clock = folder_of(study), clock
        self.seen: dict[str, tuple[object, float]] = {}  # a mark that changes with each beat, and since when

    def lost(self, name: str) -> bool:
        """Whether a worker is lost. One that is seen for the first time lives, unless it is surely gone."""
        path = self.folder / f"{name or '?'}.json"
        found = read(path, 0.0)
        if found is None and name and not path.exists():
            return True
        if found is not None and surely_gone(found.where):
            return True
        try:
            mark: object = (found.beat if found else None, os.stat(path).st_mtime_ns)
        except OSError:
            mark = None
        before, since = self.seen.setdefault(name, (mark, self.clock()))
        if before != mark:
            self.seen[name] = (mark, self.clock())
            return False
        return self.clock() - since > stale_seconds()


class Leases:
    """The leases of a study, as one worker takes them."""

    def __init__(self, study: Path, me: str, lost: Callable[[str], bool]) -> None:
        self.folder, self.me, self.lost = study / FOLDER, me, lost
        self.mine: dict[str, int] = {}  # what I have taken and not yet said the end of

    def all(self) -> dict[str, Lease]:
        """The newest lease of every key that was ever taken."""
        try:
            return newest(os.listdir(self.folder))
        except FileNotFoundError:
            return {}

    def holder(self, key: str, number: int) -> str:
        """The name of the worker that took it; "" where it has not yet written it."""
        try:
            return (self.folder / f"{key}.{number}").read_text(encoding="utf-8").strip()
        except OSError:
            return ""

    def standing(self, key: str, lease: Lease | None) -> str:
        """Whether a key may be taken now: "free", "held" (by a worker that lives, or by me), "over", "poison"."""
        if lease is None:
            return FREE
        if lease.mark:
            return lease.standing(lost=False)
        holder = self.holder(key, lease.number)
        return lease.standing(lost=holder != self.me and self.lost(holder))

    def take(self, key: str, number: int = 1) -> bool:
        """Take a key under this number; False where another one was quicker."""
        self.mine[key] = number  # before it is: whoever is stopped in between gives it back
        if self._made(f"{key}.{number}", self.me):
            return True
        del self.mine[key]
        return False

    def give_back(self) -> None:
        """Say of all that I have and did not end that I left it."""
        for key, number in list(self.mine.items()):
            if self.holder(key, number) == self.me:
                with contextlib.suppress(OSError):  # one that cannot be said keeps no other one from being said
                    self.mark(key, number, LEFT)
            self.mine.pop(key, None)

    def mark(self, key: str, number: int, mark: str) -> None:
        """Say what became of a lease: "failed", or "left" in good order. Its name says all, on a full disk too."""
        self._made(f"{key}.{number}.{mark}", "")

    def reset(self) -> None:
        """Forget all leases: only where nobody works. What failed, or was lost too often, is tried again."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _made(self, name: str, text: str) -> bool:
        path = self.folder / name
        for _ in range(2):
            try:
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            except FileExistsError:
                return False
            except FileNotFoundError:
                self.folder.mkdir(parents=True, exist_ok=True)
                continue
            try:
                if text:
                    os.write(handle, text.encode())
            except OSError:  # without a name in it, it would count as a worker that was lost
                path.unlink(missing_ok=True)
                raise
            finally:
                os.close(handle)
            return True
        return False
