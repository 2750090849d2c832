"""Hold out levels of every factor (Schott et al. 2022): does a network learn how a factor works, or only its samples?

The four splits are those of the paper; what no source states is ours: images for choosing the epoch come from training
cells alone, test sets may be drawn from, and the probe is of the whole grid.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from unseen.designs.quotas import plain_sizes
from unseen.vocabulary.design_facts import Ranges
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.factors import Factor
from unseen.vocabulary.instances import NOTHING, alone, kept_together
from unseen.vocabulary.pools import Pools
from unseen.vocabulary.rules import EVERY_ROW, Drawn, InPool, Rule, at_most, marked
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import RowSet, Split

VERSION = 1
POOLS_BY_KIND = True  # before version 3 of pools this design took every image for itself
MODES = ("random", "composition", "interpolation", "extrapolation")


def hold_out_levels(
    samples: Samples,
    *,
    mode: str,
    share: float = 0.2,
    protect: Sequence[str] = (),
    validation: float = 0.05,
    images: int | None = None,
    test_images: int | None = 20_000,
    probe_images: int = 10_000,
    shares: Sequence[float] = (0.7, 0.1, 0.2),
    disjoint_by: str = "instance",
    seed: int,
) -> Split:
    """Split a world by the levels of all its factors but those in ``protect`` (Schott et al. 2022).

    ``share`` is the part r of each factor's n levels that is held out, ⌈r·n⌉ of them. ``extrapolation`` holds out the
    highest, ``interpolation`` those between evenly spaced ones, and a row is tested on if *any* factor is held out.
    ``composition`` trains on rows where *any* of the k factors is among its lowest ⌊q·n⌋ levels, with
    q = 1 − (1 − (1−r)^k)^(1/k): every level is seen, most combinations are not. ``random`` trains on as many rows as
    extrapolation, whichever they are. The paper's shares: dSprites 0.2, Shapes3D 0.15, MPI3D 0.1.

    Sets: ``train``; ``validation``, a part of the training rows (none where it is 0); ``test``, all other rows; where
    levels are held out also ``one-out-<factor>``, where that factor alone is out of range, ``two-out``, and
    ``many-out`` (three or more); ``probe``, rows of the whole grid, trained on or not. Of the training rows at most
    ``images`` are taken, of each test set ``test_images`` and of the probe ``probe_images``, by chance; None, or
    more than there are, takes all.

    Where the world has an instance factor (photos of objects), objects are no levels to interpolate between: they are
    left out of the split factors, and ``shares`` of them are trained on, chosen by and asked, so that no object is in
    two pools. ``disjoint_by = "nothing"`` takes the factor like any other. Ours.
    """
    if mode not in MODES:
        raise unknown("value for design.mode", mode, MODES)
    if not 0 < share < 1:
        raise UnseenError(f"design.share = {share!r} is the part of each factor's levels held out; between 0 and 1.")
    images, test_images, probed = plain_sizes(
        of="rows", images=images, test_images=test_images, probe_images=probe_images
    )
    things = _set_aside(samples, disjoint_by)
    varying = _varying(samples, protect, things)
    pools = Pools(tuple(float(one) for one in shares), by=things or "nothing", within=_row(samples, things), seed=seed)
    words, marks, cells, rest = _cells(samples, varying, mode, share, seed)
    n_cells, n_rest = cells.count(samples), rest.count(samples)
    _check_both_sides(mode, share, n_cells, n_rest)

    def within(rule: Rule, pool: str) -> Rule:
        return rule if things is None else InPool(rule, pools, pool)

    kept, rest = within(cells, "train"), within(rest, "test")
    n_kept = n_cells if things is None else kept.count(samples)
    n_validation = _validation_rows(validation, n_kept)
    if things is not None:
        _check_pools(samples, things, kept, rest, within(cells, "validation") if n_validation else None)

    def drawn(reason: str, rule: Rule, most: int | None, what: str) -> RowSet:
        every = rule.count(samples)
        part = f" ({most:,} of {every:,}, by chance)" if most is not None and most < every else ""
        taken = at_most(rule, most if part else None, name=what, seed=seed)
        return RowSet(reason + part, "test", rule=taken)

    # With nothing passed over and everything taken a draw is the rule itself.
    skip = n_validation if things is None else 0  # a pool of its own is not drawn from what is trained on
    trained: Rule = Drawn(kept, "validation", seed, skip=skip, take=images)
    sets = {"train": RowSet(words["train"], rule=trained if skip or images is not None else kept)}
    if n_validation:
        few = n_validation if images is None else min(n_validation, max(1, round(validation * images)))
        held = Drawn(within(cells, "validation"), "validation", seed, take=few)  # few to train on need few to choose by
        reason = f"{100 * validation:g} % of the training rows, not trained on, to choose the epoch"
        reason = reason if things is None else f"rows as in training, of another {things}, to choose the epoch"
        sets["validation"] = RowSet(reason, "validation", rule=held)
    sets["test"] = drawn(words["test"], rest, test_images, "test images")
    for name, (reason, rule) in _by_factors_out(marks).items():
        rule = within(rule, "test")
        if rule.count(samples):  # a world that lists its cells may have none of a kind
            sets[name] = drawn(reason, rule, test_images, "test images")
    sets["probe"] = drawn("rows of the whole grid, seen or not, for what units code", EVERY_ROW, probed, "probe")
    factors = tuple(name for name in samples.space.names if len(samples.space[name]) > 1 and name != things)
    return Split(
        factors,
        sets,
        pools,
        Ranges(
            mode=mode,
            share=share,
            protected=tuple(name for name in samples.space.names if name in protect),
            grid=tuple(len(samples.space[name]) for name in factors),
            withheld=marks,
            trained_share=n_kept / len(samples),
            test_share=(n_rest if things is None else rest.count(samples)) / len(samples),
            words=words["levels"],
            disjoint_by=things or "",
        ),
    )


def held_out(levels: int, share: float, mode: str) -> tuple[int, ...]:
    """Level numbers that a factor of ``levels`` levels loses: ⌈share·levels⌉ of them.

    >>> held_out(6, 0.2, "extrapolation"), held_out(6, 0.2, "interpolation")
    ((4, 5), (1, 4))
    """
    gone = math.ceil(Fraction(str(share)) * levels)  # 0.07 × 100 is 7, not the 7.000000000000001 of floating point
    if mode == "extrapolation":
        return tuple(range(levels - gone, levels))
    kept = np.round(np.linspace(0, levels - 1, max(levels - gone, 0))).astype(int).tolist()
    return tuple(level for level in range(levels) if level not in kept)


def always_seen(levels: int, share: float, factors: int) -> int:
    """How many of a factor's lowest levels composition trains on, whatever the other factors: ⌊q·levels⌋.

    >>> [always_seen(n, 0.2, 4) for n in (6, 40, 32)]
    [0, 4, 3]
    """
    return math.floor(_q(share, factors) * levels + 1e-9)


def _q(share: float, factors: int) -> float:
    """The part of each factor's levels that leaves as few rows to test as ``share`` does; its own inverse."""
    return 1 - (1 - (1 - share) ** factors) ** (1 / factors)


def _set_aside(samples: Samples, disjoint_by: str) -> str | None:
    """The factor by which pools are disjoint; None where rows alone tell the sets apart."""
    by = kept_together(samples, disjoint_by, ())
    if by == NOTHING or alone(samples, by):
        return None
    samples.groups(by)  # it exists, and no image takes all its levels
    return by


def _row(samples: Samples, things: str | None) -> str | None:
    """Shares are exact within each category, where there is one."""
    of_kind = [factor.name for factor in samples.space.factors if "category" in (factor.name, factor.kind)]
    return of_kind[0] if things is not None and of_kind and of_kind[0] != things else None


def _check_pools(samples: Samples, things: str, train: Rule, test: Rule, validation: Rule | None) -> None:
    for pool, rule in (("train", train), ("validation", validation), ("test", test)):
        if rule is not None and not rule.count(samples):
            raise UnseenError(
                f"no row is left in pool '{pool}': pools are disjoint by {things}, which has "
                f"{len(samples.space[things])} levels. Give this pool a larger share (design.shares), or set "
                f'design.disjoint_by = "nothing" (training and testing then share every {things}).'
            )


def _varying(samples: Samples, protect: Sequence[str], things: str | None = None) -> list[Factor]:
    """The factors whose levels are held out."""
    names = samples.space.names
    if isinstance(protect, str):
        raise UnseenError(f'design.protect = {protect!r} must be a list of factors, e.g. ["{protect}"].')
    for name in protect:
        if name not in names:
            raise unknown("factor", name, names, where="this world, named in design.protect")
    varying = [factor for factor in samples.space.factors if factor.name not in (*protect, things)]
    if not varying:
        raise UnseenError(f"design.protect names all factors ({listed(names)}); leave at least one to be split on.")
    single = [factor.name for factor in varying if len(factor) < 2]
    if single:
        raise UnseenError(
            f"factor '{single[0]}' has one level, so nothing of it can be held out and its variance, by which R² "
            f'divides, is zero. Leave it out of the world, or protect it: design.protect = ["{single[0]}"].'
        )
    return varying


def _cells(
    samples: Samples, varying: Sequence[Factor], mode: str, share: float, seed: int
) -> tuple[dict[str, str], Mapping[str, tuple[int, ...]], Rule, Rule]:
    """Reasons, levels held out by factor, and the rules of the rows to train on and of all others."""
    k = len(varying)
    if mode == "composition":
        low = {factor.name: range(always_seen(len(factor), share, k)) for factor in varying}
        if not any(low.values()):
            longest = max(map(len, varying))
            raise UnseenError(
                f"design.share = {share} leaves no training cell: with {k} factors, composition trains on the lowest "
                f"{_q(share, k):.3g} of each one's levels, less than one even of {longest}. Give a share of at most "
                f"{math.floor(1000 * _q(1 / longest, k)) / 1000:g}, or protect a factor."
            )
        some = ", ".join(f"{len(levels)} of {name}" for name, levels in low.items() if levels)
        words = {
            "levels": f"always trained on: the lowest {some}",
            "train": f"rows with some factor among its lowest levels ({some})",
            "test": f"new combinations: no factor among its lowest levels ({some})",
        }
        return words, {}, marked(low, least=1), marked(low, most=0)
    held = "extrapolation" if mode == "random" else mode
    marks = {factor.name: held_out(len(factor), share, held) for factor in varying}
    for factor in varying:
        _check_levels(factor, len(marks[factor.name]), held, share)
    if mode == "random":
        size = marked(marks, most=0).count(samples)
        words = {
            "levels": "every row alike",
            "train": "rows by chance, as many as extrapolation trains on",
            "test": "all other rows: new combinations of seen levels, at random",
        }
        draw = (EVERY_ROW, "random split", seed)
        return words, {}, Drawn(*draw, take=size), Drawn(*draw, skip=size)
    which = "highest" if mode == "extrapolation" else "in between"
    some = ", ".join(f"{len(levels)} of {name}" for name, levels in marks.items())
    words = {
        "levels": f"held out, {which}: {some}",
        "train": "rows with every factor at a level that is trained on",
        "test": f"rows with any factor at a held-out level ({which}: {some})",
    }
    return words, marks, marked(marks, most=0), marked(marks, least=1)


def _by_factors_out(marks: Mapping[str, Sequence[int]]) -> dict[str, tuple[str, Rule]]:
    """Test rows by which factor, and by how many, are at a held-out level."""
    sets: dict[str, tuple[str, Rule]] = {}
    for name in marks:
        rule = marked(marks, least=1, most=1, also=name)
        sets[f"one-out-{name}"] = f"{name} alone is out of range, the others are at levels trained on", rule
    if len(marks) > 1:
        sets["two-out"] = "exactly two factors are out of range", marked(marks, least=2, most=2)
    if len(marks) > 2:
        sets["many-out"] = "three or more factors are out of range", marked(marks, least=3)
    return sets


def _check_levels(factor: Factor, gone: int, mode: str, share: float) -> None:
    needed = 2 if mode == "interpolation" else 1
    if len(factor) - gone < needed:
        between = " to interpolate between" if needed == 2 else ""
        raise UnseenError(
            f"design.share = {share} holds out {gone} of the {len(factor)} levels of factor '{factor.name}', which "
            f"leaves {len(factor) - gone}{between}; {mode} needs at least {needed}. Give a smaller share, or protect "
            f'it: design.protect = ["{factor.name}"].'
        )


def _check_both_sides(mode: str, share: float, train: int, test: int) -> None:
    """A world that lists its cells, or stores them, may have none of a kind; a very small share may hold out none."""
    if not train or not test:
        side, more = ("training", "smaller") if not train else ("test", "larger")
        raise UnseenError(
            f"mode '{mode}' with design.share = {share} leaves no {side} row in this world; give a {more} share, or "
            f"protect other factors."
        )


def _validation_rows(part: float, rows: int) -> int:
    """How many training rows choose the epoch: at least one, unless none are asked for."""
    if not 0 <= part < 1:
        raise UnseenError(
            f"design.validation = {part!r} is the part of the training rows kept for choosing the epoch: from 0 (none) "
            f"to less than 1."
        )
    wanted = max(1, round(part * rows)) if part else 0
    if wanted >= rows:
        raise UnseenError(
            f"design.validation = {part} would keep {wanted} of {rows} training rows and leave none to train on; give "
            f"a smaller part, or 0."
        )
    return wanted
