"""Pictures that are nearly the same: re-encoded, resized, cropped a little or brightened, which no comparison of bytes
finds (Barz & Denzler 2020, *Do we train on test data?*, found such in the test sets of CIFAR).

A picture is hashed to 64 bits by its low frequencies about their median (pHash: Zauner 2010, *Implementation and
benchmarking of perceptual image hash functions*), and those whose hashes are near are compared by 16 × 16 grey pixels.
The hash alone takes too much for a copy: with 4 differing bits, 60 % of 5,000 rendered objects had a "copy" among the
others. Thresholds are ours, measured by ``python -m bench.near_copies``.

Where pictures resemble each other by nature (digits, things on white), any count would cry wolf. So the rate between
two sets stands beside the rate among training images of different instances, and is an alarm only where it is beyond
what that explains. Ours; ``python -m bench.near_copy_alarms`` simulates how often it alarms, with and without a leak.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Bool, Float, Float16, Int, Shaped, UInt64

SIDE, KEPT, THUMB = 32, 8, 16  # pixels before the DCT, frequencies kept, pixels compared; of each axis
BITS = 10  # of 64 that may differ
ALIKE = 0.98  # correlation of pixels from which pictures are near-copies
TWINS = 0.999  # from which they are as good as the same
LEVEL = 0.05  # of audits without a leak that may alarm
FLAT = 2.0  # of 255: a picture whose pixels spread less shows nothing to compare
BLOCK = 2**22  # pairs compared together
DENSE = 0.02  # of these, from which one matrix product is faster than pair by pair
AT_ONCE = 64  # pictures that are made small together


@dataclass(frozen=True, eq=False)
class Prints:
    """What is kept of pictures: about 520 bytes of each, whatever their size."""

    codes: UInt64[np.ndarray, " n"]
    thumbs: Float16[np.ndarray, "n pixels"]  # of mean 0 and length 1
    flat: Bool[np.ndarray, " n"]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, places: np.ndarray) -> Prints:
        return Prints(self.codes[places], self.thumbs[places], self.flat[places])


def prints(pictures: Shaped[np.ndarray, "n channels height width"]) -> Prints:
    """The prints of pictures on the scale of 0 to 255."""
    small = np.concatenate([_small(pictures[at : at + AT_ONCE]) for at in range(0, len(pictures), AT_ONCE)])
    low = (_cosines() @ small @ _cosines().T).reshape(len(small), KEPT * KEPT)
    bits = low > np.median(low, axis=1, keepdims=True)
    codes = np.packbits(bits, axis=1).view(">u8").ravel().astype(np.uint64)
    each = SIDE // THUMB
    thumbs = small.reshape(len(small), THUMB, each, THUMB, each).mean(axis=(2, 4)).reshape(len(small), -1)
    thumbs -= thumbs.mean(axis=1, keepdims=True)
    length = np.linalg.norm(thumbs, axis=1, keepdims=True)
    return Prints(codes, (thumbs / np.maximum(length, 1e-6)).astype(np.float16), length[:, 0] / THUMB < FLAT)


def joined(parts: Sequence[Prints]) -> Prints:
    return Prints(*(np.concatenate([getattr(one, name) for one in parts]) for name in ("codes", "thumbs", "flat")))


def _small(pictures: np.ndarray) -> Float[np.ndarray, "n 32 32"]:
    """Grey, 32 × 32: every pixel the mean of what it covers."""
    weights = (0.299, 0.587, 0.114) if pictures.shape[1] == 3 else (1 / pictures.shape[1],) * pictures.shape[1]
    grey = np.multiply(pictures[:, 0], np.float32(weights[0]), dtype=np.float32)
    for channel, weight in enumerate(weights[1:], start=1):
        grey += np.multiply(pictures[:, channel], np.float32(weight), dtype=np.float32)
    return _means(grey.shape[1]) @ grey @ _means(grey.shape[2]).T


@lru_cache(maxsize=64)
def _means(pixels: int) -> Float[np.ndarray, "32 pixels"]:
    edges = np.linspace(0, pixels, SIDE + 1)
    start, end = np.arange(pixels), np.arange(1, pixels + 1)
    share = np.clip(np.minimum(edges[1:, None], end) - np.maximum(edges[:-1, None], start), 0, None)
    return (share / share.sum(axis=1, keepdims=True)).astype(np.float32)


@lru_cache(maxsize=1)
def _cosines() -> Float[np.ndarray, "8 32"]:
    """The DCT-II at frequencies 1 to 8."""
    k, x = np.arange(1, KEPT + 1)[:, None], np.arange(SIDE)
    return np.cos(np.pi * (2 * x + 1) * k / (2 * SIDE)).astype(np.float32)


def most_alike(
    asked: Prints,
    among: Prints,
    own: Int[np.ndarray, " asked"] | None = None,
    others: Int[np.ndarray, " among"] | None = None,
) -> tuple[Float[np.ndarray, " asked"], Int[np.ndarray, " asked"]]:
    """For each picture the correlation with the most alike one whose hash is near, and its place; -1 and -1 where there
    is none. With ``own`` and ``others`` only those of another number count: of another object. Flat pictures are alike
    to none.

    The hashes of all pairs are compared, some millions at a time: two instructions a pair are faster in numpy than an
    index of buckets would be in Python, and pictures that all look alike, which fill such buckets, cost little more.
    """
    best, place = np.full(len(asked), -1.0, dtype=np.float32), np.full(len(asked), -1, dtype=np.int64)
    step = max(1, BLOCK // max(len(among), 1))
    for start in range(0, len(asked) if len(among) else 0, step):
        rows = slice(start, start + step)
        near = np.bitwise_count(asked.codes[rows, None] ^ among.codes) <= BITS
        near &= ~asked.flat[rows, None] & ~among.flat
        if own is not None and others is not None:
            near &= own[rows, None] != others
        for left, right, alike in _compared(asked.thumbs[rows], among.thumbs, near):
            order = np.argsort(alike, kind="stable")  # the last write stays: the most alike
            better = order[alike[order] > best[rows][left[order]]]
            best[start + left[better]], place[start + left[better]] = alike[better], right[better]
    return best, place


def _compared(asked: np.ndarray, among: np.ndarray, near: np.ndarray):
    """Places and correlations of the pairs that are near, some at a time."""
    left, right = np.nonzero(near)
    if len(left) > DENSE * near.size:
        alike = asked.astype(np.float32) @ among.astype(np.float32).T
        yield left, right, alike[left, right]
        return
    for at in range(0, len(left), 2**16):
        i, j = left[at : at + 2**16], right[at : at + 2**16]
        yield i, j, np.einsum("nk,nk->n", asked[i].astype(np.float32), among[j].astype(np.float32))


def counted_as(things: Int[np.ndarray, " near"], of: Int[np.ndarray, " near"]) -> float:
    """How many near-copies count as one. Pictures of one thing look alike or do not together; so do things that are
    like the same other one, and two that are like each other. ``things`` are numbers of what the near-copies show,
    ``of`` of what they are most alike to. It is the size of the clump that a near-copy belongs to, in the mean: the
    design effect of clusters that are all or nothing (Kish 1965, *Survey Sampling*). Clumps are not chained any
    further: a leak of many pictures of few things would be one clump.

    >>> counted_as(np.array([1, 2, 3]), np.array([4, 5, 6])), counted_as(np.array([1, 2]), np.array([2, 1]))
    (1.0, 2.0)
    """
    pairs = np.sort(np.stack([things, of]), axis=0)
    sizes = [np.unique(one, axis=-1, return_counts=True)[1] for one in (things, of, pairs)]
    return max(float((one**2).sum() / one.sum()) for one in sizes) if len(things) else 1.0


@dataclass(frozen=True)
class Resemblance:
    """Of ``asked`` images of a set, how many have a near-copy in another; ``within``: of ``looked_at`` training images,
    how many have one among as many training images of other instances.

    ``clumped`` and ``clumped_within`` say how many of these images count as one. ``twins`` of the near-copies are as
    good as the same picture, ``twins_within`` of those in training. ``judged`` pairs of sets are looked at together.
    """

    near: int
    asked: int
    within: int
    looked_at: int
    clumped: float = 1.0
    clumped_within: float = 1.0
    twins: int = 0
    twins_within: int = 0
    judged: int = 1

    @property
    def expected(self) -> float:
        """Near-copies if images of the set were no more alike to training images than these are to each other.

        >>> Resemblance(near=9, asked=200, within=10, looked_at=1000).expected
        2.0
        """
        return self.asked * self.within / self.looked_at if self.looked_at else 0.0

    @property
    def p(self) -> float:
        """How often a set that is no more alike would have so many: Fisher's exact test, one-sided, since the rate in
        training is itself counted, and often from few.

        >>> f"{Resemblance(near=1, asked=100, within=0, looked_at=1900).p:.3f}"
        '0.050'
        """
        from scipy.stats import hypergeom

        clumped = self.clumped_within if self.within else self.clumped
        near, asked = math.floor(self.near / self.clumped), math.ceil(self.asked / self.clumped)
        within, looked = math.ceil(self.within / clumped), math.ceil(self.looked_at / clumped)
        return float(hypergeom.sf(near - 1, asked + looked, near + within, asked)) if near else 1.0

    @property
    def natural(self) -> bool:
        """Whether resemblance explains what was found: an alarm in at most 5 % of audits with no leak (Bonferroni over
        the pairs of sets).

        >>> [Resemblance(near, 200, 10, 1000).natural for near in (5, 9)]
        [True, False]
        """
        return self.p >= LEVEL / self.judged

    @property
    def odd_twins(self) -> bool:
        """Whether pictures are as good as the same, where none of another instance are in training: one is enough."""
        return self.twins > 0 and not self.twins_within
