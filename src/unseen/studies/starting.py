"""From what a folder holds to a first study that runs: `unseen init` asks the designs themselves what they accept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.studies.first_study import COMBINATIONS, DOMAINS, Progress, Start, opened
from unseen.studies.starting_combinations import image_counts, start_combinations
from unseen.studies.starting_domains import start_domains
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import Factor
from unseen.vocabulary.instances import IMAGE, NOTHING
from unseen.vocabulary.samples import Samples

if TYPE_CHECKING:
    from unseen.worlds.propose import Proposal

MANY = 10  # levels of a measured factor that may be put into bins
SCARCE = 8  # images of a combination: with fewer, many levels become a few bins
CIRCLE, LINE = 8, 6  # bins of a turn, and of a measure, that a first study would like
_SHARED = {IMAGE: 1, NOTHING: 2}  # how much training and test share
FEWEST, TRIED = 3, 3  # bins, and numbers of them that are tried


def start(found: Proposal, study: str | None = None, progress: Progress | None = None) -> Start:
    """A study of what was found: of one domain left out where the second factor is a domain, else of combinations."""
    from unseen.worlds.roles import is_domain

    guessed = tuple(_guessed(found))
    if found.missing:
        return Start(found, study or COMBINATIONS, found.world, guessed=guessed, missing=found.missing)
    wanted = study or (DOMAINS if is_domain(found.factor(found.columns)) else COMBINATIONS)
    first = start_domains if wanted == DOMAINS else start_combinations
    made, why = _first(first, found, progress)
    if made is None and study is None and wanted == DOMAINS:
        made, why = _first(start_combinations, found, progress)
    if made is None:
        return Start(found, wanted, found.world, guessed=guessed, missing=why)
    return replace(made, guessed=(*guessed, *_objects(found, made), *made.guessed))


def _objects(found: Proposal, made: Start) -> Iterator[str]:
    """What is taken for one object, and whether objects are kept apart."""
    by = made.design.get("disjoint_by")
    if found.objects is None or by == NOTHING:
        return
    if by == IMAGE:
        yield (
            f"objects are NOT kept apart: too few levels of {found.objects} fill training, validation and test with "
            f"the combinations of this study, so that one object may be trained on and tested "
            f'(disjoint_by = "{IMAGE}"); accuracy is then in part that of knowing the object. '
            "`unseen audit-split` counts them"
        )
        return
    yield (
        f"objects are taken as instances: no object is in two pools. An object is one level of {found.objects}; to "
        f'take every image for itself, set disjoint_by = "{IMAGE}" in [design]'
    )


def _first(
    make: Callable[[Proposal, Mapping[str, Any], Samples], Start], found: Proposal, progress: Progress | None
) -> tuple[Start | None, str]:
    """The first way to read the images that makes a study; one whose sets share objects, or images, only if there is no
    other."""
    spare, why = None, ""
    for world, said in _ways(found):
        try:
            samples = opened(world, progress)
            if "bins" in world and not _fuller(found, samples):
                continue
            made = make(found, world, samples)
        except UnseenError as fault:
            why = why or str(fault)
            continue
        made = replace(made, guessed=(*said, *made.guessed))
        shared = _SHARED.get(str(made.design.get("disjoint_by")), 0)
        if not shared:
            return made, ""
        if spare is None or shared < spare[0]:
            spare = shared, made
    return (spare[1] if spare else None), why


def _ways(found: Proposal) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    """The folder as found; before it with many views in bins where combinations have few images, after it without the
    pools of its folders."""
    plain = dict(found.world)
    second = found.factor(found.columns)
    if _should_bin(found, second):
        for how in _bins(second):
            count = how if isinstance(how, int) else how["count"]
            said = (
                f"the {len(second)} levels of {second.name} are put into {count} bins, since a combination has "
                f"{_span(found.counts)} as they are (the line bins)",
            )
            yield {**plain, "bins": {second.name: how}}, said
    yield plain, ()
    if found.template and "{pool}" in found.template:
        text = re.sub(r"\{pool\}", "*", found.template)
        yield {**plain, "template": text}, ("the folders train, val and test are not kept: they hold too few images",)


def _should_bin(found: Proposal, factor: Factor) -> bool:
    numeric = all(isinstance(level, int | float) for level in factor.levels)
    if found.counts is None or not numeric or factor.kind not in ("ordinal", "circular") or len(factor) < MANY:
        return False
    full = found.counts[found.counts > 0]
    return bool(np.median(full) < SCARCE) or len(factor) > 3 * MANY


def _bins(factor: Factor) -> Iterator[Any]:
    """Bins to try: of the same width, then of as many images each."""
    for count in bin_counts([float(level) for level in factor.levels], CIRCLE if factor.kind == "circular" else LINE):
        yield count
        yield {"count": count, "by": "count"}


def bin_counts(values: Sequence[float], wanted: int) -> list[int]:
    """Numbers of bins to try, near the one wanted first. Evenly spaced levels are shared out evenly: 12 views in 8 bins
    would be one view and two in turn.

    >>> bin_counts(range(0, 360, 30), 8), bin_counts(range(0, 360, 5), 8), bin_counts(range(0, 360, 10), 8)
    ([6, 4, 3], [8, 9, 6], [9, 6, 4])
    >>> bin_counts([0, 1, 5, 9, 20, 21, 22, 30, 40, 41, 50], 6)
    [6, 3]
    """
    steps = np.diff(np.sort(np.asarray(values, float)))
    even = bool(np.allclose(steps, steps[0]))
    fitting = [count for count in range(FEWEST, 2 * wanted + 1) if count < len(values) and len(values) % count == 0]
    if even and fitting:
        return sorted(fitting, key=lambda count: (abs(count - wanted), count))[:TRIED]
    return [wanted, wanted // 2]


def _fuller(found: Proposal, samples: Samples) -> bool:
    """Whether the scarcest combination has more images in bins than it had."""
    if found.counts is None:
        return True
    binned = image_counts(samples, (str(found.rows), str(found.columns)))
    return bool(binned[binned > 0].min() > found.counts[found.counts > 0].min())


def _span(counts: np.ndarray | None) -> str:
    full = counts[counts > 0] if counts is not None else np.zeros(1, int)
    least, most = int(full.min()), int(full.max())
    return f"{least} to {most} images" if least < most else f"{least} image{'s' * (least != 1)}"


def _guessed(found: Proposal) -> Iterator[str]:
    if found.readings and found.readings[0].why:
        yield found.readings[0].why
    if found.rows and found.columns:
        yield f"{found.rows} is what is named, {found.columns} what is generalised over (--category, --across)"
    if found.ignored:
        yield f"columns that differ in nearly every row are no factors: {listed(found.ignored, 5)}"
    yield from found.problems
