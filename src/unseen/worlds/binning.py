"""Many ordered or circular levels into a few bins: 72 views become 8 azimuths, each with enough images to hold out.

A bin is a level with a name; its coordinate is the middle of the bin, so that distances between bins stay those of the
levels. Around a circle the first bin is centred on 0, since a front view lies at 0 more often than beside it (ours).
A bin holds its lower edge and not its upper one; the last bin of a line holds both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float, Int

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import Factor, Level
from unseen.worlds.bins import Bins

_NEAR = 1e-9  # of a bin: a level this close below an edge lies on it (0.1 + 0.2 is 0.3)
Encode = Callable[[Sequence[Level] | None], tuple[Factor, np.ndarray]]  # levels asked for -> factor, level numbers


@dataclass(frozen=True, eq=False)
class Binned:
    """A factor whose levels are bins, the bin of each image (-1: in none), the level it had before, and a sentence."""

    factor: Factor
    codes: Int[np.ndarray, " images"]
    before: np.ndarray
    said: str


def binned_as_asked(encode: Encode, how: Bins, wanted: Sequence[Level] | None = None) -> Binned:
    """A factor read by ``encode`` and binned. The levels ``wanted`` are names of bins, or levels before binning."""
    if wanted is None:
        return binned(*encode(None), how)
    try:
        whole = binned(*encode(None), how)
    except UnseenError:  # bins that only the wanted levels fill
        return binned(*encode(wanted), how)
    names = [str(level) for level in wanted]
    if not set(names) <= set(whole.factor.texts):
        return binned(*encode(wanted), how)
    order = [whole.factor.index(name) for name in names]
    old = whole.factor
    middles = tuple(old.coordinates[number] for number in order)
    factor = Factor(old.name, tuple(names), old.kind, coordinates=middles, period=old.period)
    new = np.full(len(old) + 1, -1)
    new[order] = np.arange(len(order))
    return Binned(factor, new[whole.codes], whole.before, f"{whole.said}; kept: {listed(names)}")


def binned(factor: Factor, codes: Int[np.ndarray, " images"], how: Bins) -> Binned:
    """A factor and its images' level numbers (-1: left out), binned.

    >>> views = Factor("view", tuple(range(0, 360, 5)), kind="circular", period=360)
    >>> eight = binned(views, np.arange(72), Bins(8))
    >>> eight.factor.levels[:3], eight.factor.coordinates[:3], eight.codes[[0, 4, 5, 71]].tolist()
    (('340-20', '25-65', '70-110'), ((0.0,), (45.0,), (90.0,)), [0, 0, 1, 0])
    """
    values = _values(factor)
    if how.count > len(factor) and not how.edges:
        raise UnseenError(
            f"{how.count} bins asked of factor '{factor.name}', which has {len(factor)} levels: "
            f"{listed(factor.levels)}. Ask for at most {len(factor)}."
        )
    if how.start is not None and factor.kind != "circular":
        raise UnseenError(
            f"bins of '{factor.name}' have a start, which only a circle needs. Say kinds = {{ {factor.name} = "
            f'"circular" }}, or give the edges of its bins, as in {{ edges = [0, 30, 60] }}.'
        )
    images = np.bincount(codes[codes >= 0], minlength=len(factor))
    if how.edges:
        edges, place = _by_edges(factor, values, np.array(how.edges))
    elif how.by == "count":
        edges, place = _by_images(factor, values, images, how)
    else:
        edges, place = _by_width(factor, values, how)
    _no_empty(factor, edges, place, how)
    whole = not how.edges and all(isinstance(level, int) for level in factor.levels)
    names = how.names or (_by_levels(factor, place, values, edges) if whole else _by_numbers(edges, bool(how.edges)))
    middles = tuple((_middle(low, high),) for low, high in pairwise(edges))
    home = None if factor.canonical is None else int(place[factor.canonical])
    new = Factor(
        factor.name, names, factor.kind, home if home != -1 else None, coordinates=middles, period=factor.period
    )
    said = f"{factor.name}: {len(factor)} levels in {len(new)} bins: {listed(names)}"
    return Binned(new, np.where(codes >= 0, place[codes], -1).astype(np.int64), np.asarray(factor.levels)[codes], said)


def _values(factor: Factor) -> Float[np.ndarray, " levels"]:
    words = [level for level in factor.levels if isinstance(level, str)]
    if words:
        raise UnseenError(
            f"factor '{factor.name}' cannot be binned: its levels are words, such as {listed(words[:3])}. Bins need "
            f"numbers; a template reads only the number of view12.png as view{{{factor.name}:d}}.png."
        )
    if factor.kind not in ("ordinal", "circular"):
        raise UnseenError(
            f"factor '{factor.name}' is of kind '{factor.kind}', whose levels have no order; only an ordinal or a "
            f'circular factor has bins. Set kinds = {{ {factor.name} = "ordinal" }} if its numbers are a measure.'
        )
    return np.array([float(level) for level in factor.levels])


def _from(values: Float[np.ndarray, " levels"], start: float, factor: Factor) -> Float[np.ndarray, " levels"]:
    """The levels, each taken round the circle into the one turn that begins at ``start``."""
    if factor.period is None:
        return values
    gone = np.mod(values - start, factor.period)
    return start + np.where(gone > factor.period * (1 - _NEAR), 0.0, gone)


def _by_width(factor: Factor, values: np.ndarray, how: Bins) -> tuple[np.ndarray, np.ndarray]:
    if factor.kind == "circular" and factor.period is not None:
        first = -factor.period / how.count / 2 if how.start is None else how.start
        edges = first + np.arange(how.count + 1) * (factor.period / how.count)
    else:
        edges = np.linspace(values.min(), values.max(), how.count + 1)
    step = float(edges[1] - edges[0])
    along = (_from(values, float(edges[0]), factor) - edges[0]) / step
    return edges, np.clip(np.floor(along + _NEAR), 0, how.count - 1).astype(np.int64)


def _by_edges(factor: Factor, values: np.ndarray, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    span = float(edges[-1] - edges[0])
    if factor.period is not None and span > factor.period * (1 + _NEAR):
        raise UnseenError(
            f"the edges of '{factor.name}' span {span:g}, more than its full turn of {factor.period:g}; "
            "the last edge may lie one turn after the first."
        )
    around = _from(values, float(edges[0]), factor)
    near = _NEAR * np.diff(edges).min()
    place = np.searchsorted(edges - near, around, side="right") - 1
    place[np.abs(around - edges[-1]) <= near] = len(edges) - 2  # the last bin holds both its edges
    outside = (around < edges[0] - near) | (around > edges[-1] + near)
    return edges, np.where(outside, -1, place).astype(np.int64)


def _by_images(
    factor: Factor, values: np.ndarray, images: Int[np.ndarray, " levels"], how: Bins
) -> tuple[np.ndarray, np.ndarray]:
    """Bins of about as many images each; a level is never torn apart, and goes where the middle of its images lies."""
    around = _from(values, how.start or 0.0, factor)
    order = np.argsort(around, kind="stable")
    share = np.empty(len(values))
    share[order] = (np.cumsum(images[order]) - images[order] / 2) / max(images.sum(), 1)
    centred = factor.period is not None and how.start is None  # half of the first bin lies before 0
    place = np.floor(share * how.count + (0.5 if centred else 0.0)).astype(np.int64) % how.count
    if centred and factor.period is not None:
        late = (place == 0) & (share > 0.5)
        around = np.where(late, around - factor.period, around)
    inside = [around[place == number] for number in range(how.count)]
    if any(not len(own) for own in inside):
        return np.full(how.count + 1, math.nan), place
    between = [(before.max() + after.min()) / 2 for before, after in pairwise(inside)]
    if factor.period is None:
        return np.array([around.min(), *between, around.max()]), place
    last = (inside[-1].max() + inside[0].min() + factor.period) / 2
    return np.array([last - factor.period, *between, last]), place


def _no_empty(factor: Factor, edges: np.ndarray, place: np.ndarray, how: Bins) -> None:
    empty = sorted(set(range(how.count)) - set(place.tolist()))
    if not empty:
        return
    if np.isnan(edges).any():
        raise UnseenError(
            f"factor '{factor.name}' cannot have {how.count} bins of equally many images: some levels alone have more "
            "than a bin's share. Ask for fewer bins, or give edges."
        )
    names = how.names or _by_numbers(edges, bool(how.edges))
    raise UnseenError(
        f"{len(empty)} of {how.count} bins of factor '{factor.name}' hold none of its {len(factor)} levels: "
        f"{listed(names[number] for number in empty)}. Ask for fewer bins, for bins of equally many images "
        f'({{ count = {how.count}, by = "count" }}), or give edges.'
    )


def _by_levels(factor: Factor, place: np.ndarray, values: np.ndarray, edges: np.ndarray) -> tuple[str, ...]:
    """Bins named by the first and the last level they hold: whole numbers that people know from their files."""
    around = _from(values, float(edges[0]), factor)
    ends = []
    for number in range(len(edges) - 1):
        inside = sorted(np.flatnonzero(place == number), key=lambda level: around[level])
        ends.append((str(factor.levels[inside[0]]), str(factor.levels[inside[-1]])))
    return _joined(ends)


def _by_numbers(edges: np.ndarray, exact: bool = False) -> tuple[str, ...]:
    """Bins named by their edges, with as many digits as tell them apart, or all."""
    texts = [f"{edge:g}" if float(f"{edge:g}") == edge else repr(edge) for edge in edges.tolist()]
    for digits in () if exact else range(max(3, len(f"{np.abs(edges).max():.0f}")), 18):
        shorter = [f"{edge:.{digits}g}" for edge in edges.tolist()]
        if len(set(shorter)) == len(shorter):
            texts = shorter
            break
    return _joined(list(pairwise(texts)))


def _joined(ends: list[tuple[str, str]]) -> tuple[str, ...]:
    signed = any(text.startswith("-") for pair in ends for text in pair)
    return tuple(low if low == high else f"{low}{' to ' if signed else '-'}{high}" for low, high in ends)


def _middle(low: float, high: float) -> float:
    return float(low + (high - low) / 2)
