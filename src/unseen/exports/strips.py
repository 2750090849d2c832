"""Which rows a contact sheet shows: some at random, then each factor varying alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import Factor
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import stream


@dataclass(frozen=True)
class Strip:
    """One line of pictures: ``rows`` (None where no row has that level) and a caption each. ``held`` is the place of
    the level that the other strips keep."""

    title: str
    note: str
    rows: tuple[int | None, ...]
    captions: tuple[str, ...]
    held: int | None = None


def strips(samples: Samples, levels: int = 8, seed: int = 0) -> tuple[Strip, ...]:
    """Random rows, then a strip for each factor of more than one level, all others at their canonical level (the
    middle one where none is named), or as near to that as the world has rows."""
    if levels < 2:
        raise UnseenError(f"levels = {levels}; a strip needs at least 2 pictures to show a difference.")
    if not len(samples):
        raise UnseenError("this world has no rows to show.")
    count = min(levels, len(samples))
    drawn = np.sort(stream(seed, "exports", "sheet").choice(len(samples), count, replace=False)).tolist()
    at_random = Strip("at random", f"seed {seed}", tuple(drawn), tuple(f"row {row}" for row in drawn))
    base = _base(samples)
    kept = {name: int(samples.levels(name, np.array([base]))[0]) for name in samples.space.names}
    return at_random, *(_alone(samples, f, kept, base, levels) for f in samples.space.factors if len(f) > 1)


def spoken(factor: Factor, number: int) -> str:
    """A level by its name; a number that only counts levels (positions) by its text.

    >>> spoken(Factor("size", (0.1 + 0.2,)), 0), spoken(Factor("position", (0,), texts=("top left",)), 0)
    ('0.3', 'top left')
    """
    level, text = factor.levels[number], factor.texts[number]
    if isinstance(level, str) or text != str(level):
        return level if isinstance(level, str) else text
    return f"{level:.4g}" if isinstance(level, float) else str(level)


def _base(samples: Samples) -> int:
    """The row that all strips keep to: canonical in every factor, or as nearly as there is one."""
    wanted = {f.name: len(f) // 2 if f.canonical is None else f.canonical for f in samples.space.factors}
    row = _nearest(samples, wanted, None, None)
    assert row is not None
    return row


def _alone(samples: Samples, factor: Factor, kept: Mapping[str, int], base: int, levels: int) -> Strip:
    chosen = _spread(len(factor), kept[factor.name], levels)
    rows = tuple(_nearest(samples, {**kept, factor.name: level}, factor.name, base) for level in chosen)
    shown = f"{len(chosen)} of {len(factor)} levels" if len(chosen) < len(factor) else f"{len(factor)} levels"
    captions = tuple(spoken(factor, level) for level in chosen)
    return Strip(factor.name, f"{factor.kind}, {shown}", rows, captions, chosen.index(kept[factor.name]))


def _spread(total: int, held: int, most: int) -> list[int]:
    """Level numbers from the first to the last, evenly, the held one among them.

    >>> _spread(101, 51, 5)
    [0, 25, 51, 75, 100]
    """
    if total <= most:
        return list(range(total))
    chosen = np.linspace(0, total - 1, most).round().astype(int)
    chosen[np.abs(chosen - held).argmin()] = held
    return sorted(set(chosen.tolist()))


def _nearest(samples: Samples, wanted: Mapping[str, int], must: str | None, base: int | None) -> int | None:
    """The row at a cell, or the one that differs in the fewest factors, but never in ``must``. Of equals the base's own
    instance is taken, else the first."""
    found: tuple[int, int] | None = None
    home = [part.item() for part in samples.locate(np.array([base]))] if base is not None else [None, None]
    for number, block in enumerate(samples.blocks):
        if not block.instances:
            continue
        far = np.zeros(block.instances, np.int64)
        for name, column in block.stored.items():
            far += (column != wanted[name]) * (1_000 if name == must else 1)
        instance = int(far.argmin())
        if number == home[0] and far[home[1]] == far[instance]:
            instance = home[1]
        if far[instance] < 1_000 and (found is None or far[instance] < found[0]):
            grid = {name: wanted[name] for name in block.grid}
            found = int(far[instance]), int(samples.rows_at(np.array([instance]), grid, number)[0])
    return None if found is None else found[1]
