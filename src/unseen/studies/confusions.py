"""Which class is taken for which: counts per target and set of test images, condition by condition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unseen.measures import confusion_matrix
from unseen.reports.answered import ConfusionPicture
from unseen.studies.answered import Told
from unseen.studies.answers import Words

MOST_PICTURES = 32  # of a study
MOST_SHOWN = 6  # at once; the others are folded away


def confusion_pictures(told: Sequence[Told]) -> tuple[ConfusionPicture, ...]:
    """Those of cells never seen first, in the conditions that saw most; the others after them."""
    found: dict[tuple[str, str, str], tuple[Told, np.ndarray, int, int]] = {}
    for one in told:
        for target in one.targets.found():
            classes = _classes(one, target)
            for asked in one.sets.found():
                here = one.tested & one.sets.is_(asked) & one.targets.is_(target)
                if not here.any():
                    continue
                truth, response = (Words(w.places[here], w.names).numbered(classes) for w in (one.truth, one.response))
                counts = confusion_matrix(truth, response, levels=len(classes))
                unseen = int(one.unseen[here].sum() * 2 > here.sum())
                _, before, networks, _ = found.get((one.condition, target, asked), (one, None, 0, 0))
                if before is not None and before.shape == counts.shape:
                    counts = counts + before
                found[one.condition, target, asked] = one, counts, networks + 1, unseen
    order = sorted(found, key=lambda key: (not found[key][0].main, not found[key][3]))
    made = []
    for place, key in enumerate(order[:MOST_PICTURES]):
        one, counts, networks, unseen = found[key]
        first = one.main and bool(unseen) and place < MOST_SHOWN
        made.append(ConfusionPicture(*key, _classes(one, key[1]), counts, networks, first))
    if made and not any(picture.main for picture in made):  # nothing unseen was asked
        made[0] = ConfusionPicture(*order[0], made[0].classes, made[0].counts, made[0].networks)
    return tuple(made)


def _classes(one: Told, target: str) -> tuple[str, ...]:
    """The answers a target allows, then any others that are stored."""
    here = one.targets.is_(target)
    known = [str(name) for name in one.facts["targets"].get(target, ())]
    spelt = [column.names[place] for column in (one.truth, one.response) for place in np.unique(column.places[here])]
    return tuple(dict.fromkeys([*known, *spelt]))
