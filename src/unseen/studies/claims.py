"""How one worker among many chooses what to do next: first what nobody ever had, in an order of its own, then what was
lost by others.

Nothing is listed for a claim as a rule: a key that is not known to be taken is tried, and only after several tries
that others won, or when nothing new is left, are the folders listed. So a claim costs one file, however many trials
there are.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from unseen.studies.jobs import ENCODER, TRIAL, Job
from unseen.studies.leases import FREE, HELD, OVER, POISON, Lease, Leases

LOOKED_AT = 8  # pieces of another sort that are passed over to fill a pack
LOST_RACES = 8  # tries in a row that others won, after which the folders are listed


@dataclass(frozen=True, eq=False)
class Claim:
    """A piece of work that is mine now. ``again``: it was another worker's before, which did not come back."""

    job: Job
    number: int

    @property
    def again(self) -> bool:
        return self.number > 1


@dataclass
class Claims:
    """What one worker knows of the work of a study.

    ``finished`` says of one piece whether it is stored (a look at its files), ``stored`` lists the names of all that
    is; ``poisoned`` is told of what outlived its workers."""

    jobs: Sequence[Job]
    leases: Leases
    finished: Callable[[Job], bool]
    stored: Callable[[], Collection[str]]
    poisoned: Callable[[Job, Lease], None] = lambda job, lease: None
    fresh: deque[Job] = field(default_factory=deque)
    contested: dict[str, Job] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)  # failed, or left alone
    done: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Pieces that others need come first; of the rest every worker has an order of its own, so that a thousand of
        them do not all try the same one."""
        first = [job for job in self.jobs if job.kind != TRIAL]
        rest = sorted((job for job in self.jobs if job.kind == TRIAL), key=lambda job: _place(self.leases.me, job.key))
        self.fresh.extend([*first, *rest])
        self._encoders = {job.key for job in self.jobs if job.kind == ENCODER}

    @property
    def left(self) -> bool:
        """Whether there is anything that is neither stored nor failed, as far as is known."""
        return bool(self.fresh or self.contested)

    def take(self, most: Callable[[Job], int] = lambda job: 1) -> list[Claim]:
        """Pieces to do together, as many as ``most`` says of the first; none where all that is left is others', or
        waits for others. What was another worker's is taken alone, so that whatever killed that one takes nothing with
        it."""
        return self._new(most) or self._old()

    def _new(self, most: Callable[[Job], int]) -> list[Claim]:
        mine: list[Claim] = []
        losses, put_back = 0, list[Job]()
        while self.fresh and (not mine or len(mine) < most(mine[0].job)):
            job = self.fresh.popleft()
            if not self._ready(job) or (mine and not _go_together(mine[0].job, job)):
                put_back.append(job)
                if mine and len(put_back) >= LOOKED_AT:
                    break
                continue
            if self.finished(job):
                self.done.add(job.key)
            elif self.leases.take(job.key, 1):
                if self._still_open(job, 1):
                    mine.append(Claim(job, 1))
                losses = 0
            else:
                self.contested[job.key] = job
                losses += 1
                if losses >= LOST_RACES and not mine:
                    self.look()
                    losses = 0
        self.fresh.extendleft(reversed(put_back))
        return mine

    def _old(self) -> list[Claim]:
        """What was another's, or was given back."""
        if not self.contested:
            return []
        leases = self.leases.all()
        for key, job in list(self.contested.items()):
            if self.finished(job):
                self._close(key, self.done)
                continue
            lease = leases.get(key)
            standing = self.leases.standing(key, lease)
            if standing == OVER:
                self._close(key, self.over)
            elif standing == POISON and lease is not None:
                self._close(key, self.over)
                self.poisoned(job, lease)
            elif standing == FREE and self._ready(job):
                number = lease.number + 1 if lease else 1
                if self.leases.take(key, number) and self._still_open(job, number):
                    del self.contested[key]
                    return [Claim(job, number)]
            else:
                assert standing in (HELD, FREE)
        return []

    def _still_open(self, job: Job, number: int) -> bool:
        """Whether what was just taken is still to be done: it may have been finished between the look and the lease,
        by one that was believed lost, or by the worker of a lease that is not listed yet."""
        if not self.finished(job):
            return True
        self.done.add(job.key)
        self.contested.pop(job.key, None)
        self.leases.mine.pop(job.key, None)
        return False

    def _ready(self, job: Job) -> bool:
        """Whether what a piece needs is there, or will never be (it fails then, and says why)."""
        return job.needs not in self._encoders or job.needs in self.done or job.needs in self.over

    def look(self) -> None:
        """List the folders: forget what is stored, know what others have."""
        names, taken = self.stored(), self.leases.all()
        kept: deque[Job] = deque()
        for job in self.fresh:
            if job.kind == TRIAL and job.finished(names):
                self.done.add(job.key)
            elif job.key in taken:
                self.contested[job.key] = job
            else:
                kept.append(job)
        self.fresh = kept
        for key, job in list(self.contested.items()):
            if job.kind == TRIAL and job.finished(names):
                self._close(key, self.done)
            elif key in taken and taken[key].mark == "failed":
                self._close(key, self.over)

    def settle(self, claim: Claim, failed: bool) -> None:
        """Say what became of a claim: it is stored, or it failed, or it is given back."""
        key = claim.job.key
        self.leases.mine.pop(key, None)
        if self.finished(claim.job):
            self.done.add(key)
        elif failed:
            self.leases.mark(key, claim.number, "failed")
            self.over.add(key)
        else:
            self.leases.mark(key, claim.number, "left")
            self.contested[key] = claim.job

    def _close(self, key: str, where: set[str]) -> None:
        self.contested.pop(key, None)
        where.add(key)


def _go_together(one: Job, other: Job) -> bool:
    """Whether two pieces may be run in one pack."""
    return one.kind == other.kind == TRIAL and one.together == other.together


def _place(worker: str, key: str) -> bytes:
    return hashlib.blake2b(f"{worker} {key}".encode(), digest_size=8).digest()
