"""Ask and train nothing: every image of some cells is a question, for models as they are and for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from unseen.designs.quotas import plain_sizes, take_each
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import Level
from unseen.vocabulary.pools import Pools
from unseen.vocabulary.rules import Marked
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import RowSet, Split, available

VERSION = 1
TRAINS = False  # a recipe of this design makes no network to train
ASKED = "asked"
POOL = "test"


def ask(
    samples: Samples,
    *,
    category: str = "category",
    factors: Sequence[str] = (),
    only: Mapping[str, Sequence[Level]] | None = None,
    images_per_cell: int | None = None,
    seed: int = 0,
) -> Split:
    """Ask about images and train on none: of models that are given as they are, and of people.

    One set, ``asked``: every row of the world, or those at the levels of ``only`` (``{pose = [0, 90]}``). The question
    is which ``category`` an image shows; ``factors`` are those by whose levels answers are told apart (default: the
    category, and the first other factor that names no instances).

    ``images_per_cell`` asks so many images of each cell of these factors (fewer where there are fewer), each of another
    instance, at levels of the other factors that are drawn by ``seed``: what a person can answer in an hour.
    """
    only = dict(only or {})
    names = _factors(samples, category, factors, only)
    (most,) = plain_sizes(images_per_cell=images_per_cell)
    wanted = {name: _levels(samples, name, levels) for name, levels in only.items()}
    words = "; ".join(f"{name} {listed(levels, 4)}" for name, levels in only.items())
    pools = Pools(by="nothing", seed=seed)
    if most is None:
        others = {name: set(range(len(samples.space[name]))) - set(levels) for name, levels in wanted.items()}
        marks = tuple((name, tuple(sorted(left))) for name, left in others.items() if left)
        asked = RowSet(f"every image{f' at {words}' if words else ''}", POOL, rule=Marked(marks, most=0))
    else:
        supply = available(samples, pools, POOL, names)
        for axis, name in enumerate(names):
            if name in wanted:
                left = [level for level in range(supply.shape[axis]) if level not in wanted[name]]
                np.moveaxis(supply, axis, 0)[left] = 0
        cells = [tuple(map(int, cell)) for cell in np.argwhere(supply)]
        reason = f"{most} images of each combination of {listed(names)}{f' at {words}' if words else ''}"
        asked = RowSet(reason, POOL, take_each(cells, supply, most))
    split = Split(names, {ASKED: asked}, pools, {"targets": [category], "trained": "nothing"})
    if not split.count(samples, ASKED):
        raise UnseenError(f"design.only = {only} leaves no image to ask; name levels that come together.")
    return split


def _factors(
    samples: Samples, category: str, factors: Sequence[str], only: Mapping[str, Sequence[Level]]
) -> tuple[str, ...]:
    """The category first, then as asked; else what an image may vary in."""
    space = samples.space
    if len(space[category]) < 2:
        raise UnseenError(f"factor '{category}' has one level, so that every answer is right; ask about another.")
    others = [one.name for one in space.factors if one.name != category and one.kind != "instance" and len(one) > 1]
    chosen = list(factors) or others[:1]
    return tuple(space[name].name for name in dict.fromkeys([category, *chosen, *only]))


def _levels(samples: Samples, name: str, levels: Sequence[Level]) -> list[int]:
    if isinstance(levels, str) or not len(levels):
        raise UnseenError(
            f"design.only.{name} = {levels!r} must be a list of levels, e.g. [{samples.space[name].levels[0]!r}]."
        )
    return [samples.space[name].index(level) for level in levels]
