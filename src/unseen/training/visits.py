"""Rows as training meets them: visits with their labels, every picture once on the device, noise drawn anew.

A set may list a row more than once (an image that is shown twice in an epoch): that is two *visits* to one picture,
which the device holds once, in a *slot*. Rows whose picture depends on the draw (noise) are fresh: every visit has a
slot of its own, which is drawn again in place at the start of every epoch. Turn k of a row's visits in epoch e shows
draw 1 + e · most + k, with ``most`` the turns of the row that is listed most often, so that no draw comes twice. Draw 0
is that of tests. What is shown depends on the epoch alone: held or streamed, packed or alone, it is the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from unseen.training.feed import Images, fits, resident

CHUNK = 2048  # pictures drawn anew at a time


class FreshVisits:
    """Which visits are drawn anew, as turns (−1: not), and the ``epoch`` that the device holds (None: draw 0)."""

    def __init__(self, turns: Int[np.ndarray, " visits"]) -> None:
        self.turns, self.most = turns, int(turns.max()) + 1
        self.epoch: int | None = None

    def draws(self, visits: np.ndarray, epoch: int) -> Int[np.ndarray, " n"]:
        turns = self.turns[visits]
        return np.where(turns < 0, 0, 1 + epoch * self.most + turns)


@dataclass(frozen=True, eq=False)
class LabelledData:
    """Visits with their labels; the pictures themselves where they fit on the device, else the function that fetches.

    ``fetch(rows, device)`` gives pictures as in a test; where some are fresh, ``fetch(rows, device, draw)`` others.
    """

    rows: np.ndarray  # of each visit
    labels: Tensor  # [visits, targets] class numbers, or the numbers to regress
    fetch: Images
    held: Tensor | None  # [slots, ...]
    drawn: bool = False  # made by the world when asked, on any device
    slots: Tensor | None = None  # of each visit; None: each has its own, in order
    fresh: FreshVisits | None = None  # None: no picture depends on the draw

    def __len__(self) -> int:
        return len(self.rows)

    def gathered(self, visits: Tensor) -> Tensor:
        """Held pictures, without waiting for the device: a captured step may ask this."""
        assert self.held is not None
        return self.held.index_select(0, visits if self.slots is None else self.slots.index_select(0, visits))

    def visited(self, visits: np.ndarray, device: str, epoch: int) -> Tensor:
        """Pictures fetched for visits of an epoch, each at its own draw."""
        rows = self.rows[visits]
        if self.fresh is None:
            return self.fetch(rows, device)
        draws = self.fresh.draws(visits, epoch)
        found: Tensor | None = None
        for draw in np.unique(draws):
            here = np.flatnonzero(draws == draw)
            part = self.fetch(rows[here], device, int(draw))
            if len(here) == len(rows):
                return part
            found = part.new_empty((len(rows), *part.shape[1:])) if found is None else found
            found.index_copy_(0, torch.from_numpy(here).to(part.device), part)
        assert found is not None
        return found

    def tested(self, visits: np.ndarray, device: str) -> Tensor:
        """Pictures of visits as a test shows them, whatever epoch the device holds."""
        if self.held is None or self.fresh is not None:
            return self.fetch(self.rows[visits], device)
        return self.gathered(torch.from_numpy(visits).to(self.held.device))

    def redraw(self, epoch: int) -> bool:
        """Draw fresh pictures for an epoch, in place; whether anything was. Learners that share these pictures are in
        the same epoch, so it happens once; none of them may still be reading those of the last."""
        if self.fresh is None or self.held is None or self.fresh.epoch == epoch:
            return False
        turns, device = self.fresh.turns, self.held.device
        visits = np.argsort(turns, kind="stable")[
            np.count_nonzero(turns < 0) :
        ]  # those of one turn, one draw, together
        self.fresh.epoch = None  # should a fetch fail, nothing is known of what is there
        for start in range(0, len(visits), CHUNK):
            some = visits[start : start + CHUNK]
            at = torch.from_numpy(some).to(device)
            slots = at if self.slots is None else self.slots.index_select(0, at)
            self.held.index_copy_(0, slots, self.visited(some, str(device), epoch))
        self.fresh.epoch = epoch
        return True


def labelled_data(
    rows: np.ndarray,
    labels: np.ndarray,
    fetch: Images,
    device: torch.device,
    hold: bool | None = None,
    drawn: bool = False,
    fresh: Bool[np.ndarray, " visits"] | None = None,
) -> LabelledData:
    """Bring rows to the device: all at once where they fit in half of its free memory. Those of a ``drawn`` world that
    do not fit are drawn there when their turn comes. ``fresh`` says which depend on the draw."""
    if fresh is not None and not fresh.any():
        fresh = None
    opens, slots = placed(rows, fresh)
    first = fetch(rows[:1], "cpu")
    if hold is None:
        hold = fits(len(opens), first.numel() * first.element_size(), device)
    held = resident(fetch, rows[opens], device) if hold else None
    kind = torch.float32 if np.issubdtype(labels.dtype, np.floating) else torch.long
    repeated = hold and len(opens) < len(rows)
    return LabelledData(
        rows,
        torch.as_tensor(labels, dtype=kind, device=device),
        fetch,
        held,
        drawn,
        torch.from_numpy(slots).to(device) if repeated else None,
        None if fresh is None else FreshVisits(np.where(fresh, turns_of(rows), -1)),
    )


def placed(
    rows: np.ndarray, fresh: Bool[np.ndarray, " visits"] | None = None
) -> tuple[Int[np.ndarray, " slots"], Int[np.ndarray, " visits"]]:
    """The visits that open a slot (the first of a row; of fresh rows every one), and the slot of every visit.

    >>> [each.tolist() for each in placed(np.array([7, 3, 7, 3]), np.array([True, False, True, False]))]
    [[0, 1, 2], [0, 1, 2, 1]]
    """
    _, first, which = np.unique(rows, return_index=True, return_inverse=True)
    before = first[which]
    opens = before == np.arange(len(rows))
    if fresh is not None:
        opens |= fresh
    own = np.cumsum(opens) - 1
    return np.flatnonzero(opens), np.where(opens, own, own[before])


def turns_of(rows: np.ndarray) -> Int[np.ndarray, " visits"]:
    """How many visits to the same row come before each.

    >>> turns_of(np.array([7, 3, 7, 7])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(rows, kind="stable")
    _, starts, sizes = np.unique(rows[order], return_index=True, return_counts=True)
    turns = np.empty(len(rows), dtype=np.int64)
    turns[order] = np.arange(len(rows)) - np.repeat(starts, sizes)
    return turns
