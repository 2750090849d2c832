"""Train on every domain but one, and ask the one left out: photos, sketches, paintings of the same categories.

The protocol of PACS (Li et al. 2017, *Deeper, broader and artier domain generalization*), VLCS and Office-Home; the
epoch is chosen on images of the trained domains (Gulrajani & Lopez-Paz 2021, *In search of lost domain
generalization*: whoever chooses by the left-out domain has seen it). ``left_out = "none"`` trains on all domains: the
upper bound, without which a domain that was never seen cannot be told from one that is hard. Ours: that bound, equal
totals, and which images are asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from jaxtyping import Int

from unseen.designs.apart import things_told
from unseen.designs.quotas import computed, even, plain_sizes, source_of, take_each
from unseen.designs.spread import BALANCES, largest, spread
from unseen.vocabulary.design_facts import LeftOut
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.factors import Level
from unseen.vocabulary.instances import alone, kept_together
from unseen.vocabulary.plain_numbers import is_whole
from unseen.vocabulary.pools import POOLS, Pools, things
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import Part, RowSet, Split, available, part_rows

VERSION = 1
NOTHING = "none"  # left out: the upper bound
ASKED = ("test", "all")


def leave_one_out(
    samples: Samples,
    *,
    factor: str,
    left_out: Level,
    category: str = "category",
    images: int | str | None = None,
    balance: str = "images",
    asked: str = "test",
    test_images_per_cell: int | None = None,
    probe_per_cell: int = 100,
    shares: Sequence[float] = (0.7, 0.1, 0.2),
    disjoint_by: str = "instance",
    seed: int,
) -> Split:
    """Train on every level of ``factor`` but ``left_out``, and ask ``category`` in the level left out.

    Sets: ``train`` and ``validation`` of the trained domains only; ``seen``, new images of the trained domains;
    ``unseen``, images of the left-out one; ``probe``. With ``left_out = "none"`` all domains are trained on, ``seen``
    has new images of each, and ``unseen`` is empty.

    ``images``: training images in all. By default the largest total that every choice of ``left_out`` can give: where
    domains differ in size, a network that lost the largest would else know less because it learned from less, and the
    upper bound would have more to learn from than any. ``"all"`` takes what there is, as published numbers do.
    ``balance="images"`` keeps the proportions in which categories and domains come (the smallest cell of a photo set
    would make all others as small); ``"domains"`` takes equally many of each trained domain, ``"cells"`` of each
    category in each. No image is listed twice, so an epoch has as many steps in every trial.

    ``asked="test"`` asks the test pool of the left-out domain: the images that the network of all domains is asked too,
    so that the two differ by their training alone. ``"all"`` asks every image of it, as most of the field does; the two
    are then compared on the images that both are asked.

    Cells may be empty. A category that no trained domain has is not asked: the network has no answer for it.
    """
    left, trained = _levels(samples, category, factor, left_out)
    most, probed = plain_sizes(test_images_per_cell=test_images_per_cell, probe_per_cell=probe_per_cell)
    for key, given, possible in (("balance", balance, BALANCES), ("asked", asked, ASKED)):
        if given not in possible:
            raise unknown(f"value for design.{key}", given, possible)
    factors, kind, names = (category, factor), samples.space[factor], samples.space[category].levels
    disjoint_by = kept_together(samples, disjoint_by, factors)
    within = factors if alone(samples, disjoint_by) else (category,)  # groups have no one level of their own
    pools = Pools(tuple(float(share) for share in shares), by=disjoint_by, within=within, seed=seed)
    supply = {pool: available(samples, pools, pool, factors) for pool in POOLS}
    _check_trained(samples, factors, trained, supply["train"], pools)
    shared = computed(samples, factors)
    own = {pool: _own(supply[pool], trained, shared) for pool in ("train", "validation")}
    shown = _images(images, _equal(supply["train"], shared, balance), own["train"], balance)
    words = "all" if left is None else f"all but {kind.levels[left]}"
    equal = "all images there are" if images == "all" else f"{shown:,} images, whichever is left out"
    sets = {"train": RowSet(f"{factor}: {words}; {equal}", "train", _parts(own["train"], shown, balance, shared))}
    known = np.unique([part.cell[0] for part in sets["train"].parts])  # categories that the network has an answer for
    if choosing := largest(own["validation"], balance):
        reason = f"new images of the trained levels of {factor}, to choose the epoch"
        sets["validation"] = RowSet(reason, "validation", _parts(own["validation"], choosing, balance, shared))
    here = [(int(c), level) for c in known for level in trained if supply["test"][c, level]]
    sets["seen"] = RowSet(
        f"new images of the trained levels of {factor}", "test", take_each(here, supply["test"], most)
    )
    sources = ("test",) if asked == "test" or disjoint_by == "nothing" else ("test", "validation", "train")
    if len(sources) > 1:
        _check_own(samples, pools, factors, shared[1])
    there = sum((supply[pool] for pool in sources), np.zeros_like(supply["test"]))
    strange = [] if left is None else [c for c in np.flatnonzero(there[:, left]) if c not in known]
    sets["unseen"] = _unseen(samples, Split(factors, {}, pools), sources, left, known, there, most)
    every = [(c, level) for c in range(len(names)) for level in range(len(kind)) if supply["test"][c, level]]
    reason = f"every {category} at every level of {factor}, for the activity of units"
    sets["probe"] = RowSet(reason, "test", take_each(every, supply["test"], probed))
    facts = LeftOut(
        left_out=NOTHING if left is None else kind.levels[left],
        factor=factor,
        trained=words,
        trained_levels=tuple(kind.levels[level] for level in trained),
        images=shown,
        combinations=len(sets["train"].parts),
        grid=(len(names), len(kind)),
        balance=balance,
        asked=asked,
        disjoint_by=disjoint_by,
        withheld={factor: () if left is None else (left,)},
        targets=(category,),
        not_asked=tuple(names[c] for c in strange),
        not_asked_images=0 if left is None else int(there[strange, left].sum()),
        absent=() if left is None else tuple(names[c] for c in known if not there[c, left]),
    )
    return Split(factors, sets, pools, facts)


def _levels(samples: Samples, category: str, factor: str, left_out: Level) -> tuple[int | None, list[int]]:
    """The number of the level left out (None: of none) and of those trained on."""
    if category == factor:
        raise UnseenError(f"design.category and design.factor are both '{factor}'; name two factors.")
    kind = samples.space[factor]
    if len(samples.space[category]) < 2:
        raise UnseenError(f"factor '{category}' has one level, so that every answer is right; this design needs two.")
    if len(kind) < 2:
        raise UnseenError(f"factor '{factor}' has one level; leaving it out would leave nothing to train on.")
    if NOTHING in kind.levels:
        raise UnseenError(
            f"factor '{factor}' has a level called '{NOTHING}', which here says that no level is left out; give it "
            f'another name, or use design.name = "matrix" with train_all_but.'
        )
    if left_out == NOTHING:
        return None, list(range(len(kind)))
    if left_out not in kind.levels:
        raise unknown(
            "level", left_out, [*kind.levels, NOTHING], where=f"factor '{factor}' (design.left_out; 'none': all)"
        )
    left = kind.index(left_out)
    return left, [level for level in range(len(kind)) if level != left]


def _own(supply: Int[np.ndarray, "rows columns"], trained: Sequence[int], shared: tuple[bool, ...]) -> np.ndarray:
    """Images that each trained cell may take as its own. Where the world computes a factor, the cells of one source
    share it out evenly: no image is shown in two."""
    own = np.zeros_like(supply)
    own[:, trained] = supply[:, trained]
    if any(shared):
        cells = [(int(c), int(level)) for c, level in np.argwhere(own)]
        users = Counter(source_of(cell, shared) for cell in cells)
        given: Counter[tuple[int, ...]] = Counter()
        for cell in cells:
            source = source_of(cell, shared)
            own[cell] = even(int(supply[cell]), users[source])[given[source]]
            given[source] += 1
    return own


def _parts(own: np.ndarray, total: int, balance: str, shared: tuple[bool, ...]) -> tuple[Part, ...]:
    taken, used, parts = spread(own, total, balance), Counter(), []
    for cell in ((int(c), int(level)) for c, level in np.argwhere(taken)):
        source = source_of(cell, shared)
        skip = used[source] if any(shared) else 0
        parts.append(Part(cell, int(taken[cell]), skip))
        used[source] += int(taken[cell])
    return tuple(parts)


def _equal(supply: Int[np.ndarray, "rows columns"], shared: tuple[bool, ...], balance: str) -> int:
    """The largest total that every choice of the level to leave out can give."""
    levels = range(supply.shape[1])
    choices = [[level for level in levels if level != left] for left in levels]
    return min(largest(_own(supply, some, shared), balance) for some in choices)


def _images(given: object, equal: int, own: Int[np.ndarray, "rows columns"], balance: str) -> int:
    """The number of training images: as given, else what all choices have."""
    if given == "all":
        return largest(own, balance)
    if given is None:
        return equal
    if not is_whole(given) or given < 1:
        raise UnseenError(
            f'design.images = {given!r} is a number of training images in all, from 1; "all" takes what there is, and '
            f"without it every choice of design.left_out has the same number."
        )
    if given > equal:
        raise UnseenError(
            f"design.images = {given}, but {equal} is the most that every choice of design.left_out can give; give "
            f'fewer, leave it out for {equal}, or set "all" for as many as each choice has.'
        )
    if given < (cells := int((own > 0).sum())):
        raise UnseenError(
            f"design.images = {given}; {cells} trained cells need at least one image each: give {cells} or more."
        )
    return int(given)


def _unseen(
    samples: Samples,
    bare: Split,
    sources: Sequence[str],
    left: int | None,
    known: np.ndarray,
    there: np.ndarray,
    most: int | None,
) -> RowSet:
    category, factor = bare.factors
    if left is None:
        return RowSet(f"no level of {factor} is left out", "test")
    name = samples.space[factor].levels[left]
    cells = [(int(c), left) for c in known if there[c, left]]
    if not cells:
        raise UnseenError(
            f"design.left_out = {name!r}: none of its test images shows a {category} that is trained on; leave "
            f"out another level of '{factor}', or give the test pool a larger share (design.shares)."
        )
    asks = tuple(other for other in samples.space.names if other != factor)
    reason = f"{factor} {name}, never seen in training"
    if len(sources) == 1:
        return RowSet(f"{reason}: the test pool", "test", take_each(cells, there, most), asks=asks)
    rows = []
    for cell in cells:
        found = np.concatenate([part_rows(samples, bare, pool, Part(cell)) for pool in sources])
        rows.append(found[:most])
    return RowSet(f"{reason}: all pools", "test", listed=np.concatenate(rows), asks=asks)


def _check_trained(
    samples: Samples, factors: tuple[str, str], trained: Sequence[int], supply: np.ndarray, pools: Pools
) -> None:
    category, factor = factors
    levels = samples.space[factor].levels
    bare = [levels[level] for level in trained if not supply[:, level].any()]
    if bare:
        told = f"{things_told(samples, pools)} ".lstrip()
        raise UnseenError(
            f"{len(bare)} of the {len(trained)} trained levels of '{factor}' have no image in pool 'train': "
            f"{listed(bare)}. {told}Add images, leave them out of the world, or give this pool a larger share "
            f"(design.shares)."
        )
    if (known := int(supply[:, trained].any(axis=1).sum())) < 2:
        raise UnseenError(
            f"the trained levels of '{factor}' ({listed(levels[level] for level in trained)}) have images of {known} "
            f"{category} only, so that every answer is right; this design needs two."
        )


def _check_own(samples: Samples, pools: Pools, factors: tuple[str, str], free: bool) -> None:
    """All pools of the left-out level may be asked where none of its things was trained on elsewhere."""
    factor = factors[1]
    if not free:
        if alone(samples, pools.by):
            return
        at = np.stack([things(samples, pools.by, pools.within), samples.groups(factor)])
        if len(np.unique(at, axis=1)[0]) == len(np.unique(at[0])):
            return  # nothing is at two levels
    why = f"every image is shown at each {factor}" if free else f"some {pools.by} is at several levels of {factor}"
    raise UnseenError(
        f'design.asked = "all" would ask what training has seen, since {why}; set design.asked = "test", the default.'
    )
