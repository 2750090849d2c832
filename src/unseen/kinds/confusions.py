"""Which class is taken for which: counts per target and set of test images, condition by condition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unseen.kinds.trial_answers import TrialAnswers
from unseen.measures import confusion_matrix
from unseen.reports.answer_pictures import ConfusionPicture
from unseen.studies.answers import WordColumn

MOST_PICTURES = 32  # of a study
MOST_SHOWN = 6  # at once; the others are folded away


class Confusions:
    """Counts of every condition, target and set, as trials are read."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str, str], tuple[ConfusionPicture, bool]] = {}  # and whether its cells are unseen

    def add(self, one: TrialAnswers) -> None:
        for target in one.targets.found():
            classes = _classes(one, target)
            for asked in one.sets.found():
                here = one.tested & one.sets.is_(asked) & one.targets.is_(target)
                if not here.any():
                    continue
                truth, response = (
                    WordColumn(w.places[here], w.names).numbered(classes) for w in (one.truth, one.response)
                )
                counts = confusion_matrix(truth, response, levels=len(classes))
                networks, unseen = 1, bool(one.unseen[here].sum() * 2 > here.sum())
                before = self.found.get((one.condition, target, asked), (None, False))[0]
                if before is not None and before.classes == classes:
                    counts, networks = counts + before.counts, before.networks + 1
                picture = ConfusionPicture(one.condition, target, asked, classes, counts, networks, one.main)
                self.found[one.condition, target, asked] = picture, unseen

    def pictures(self) -> tuple[ConfusionPicture, ...]:
        """Those of cells never seen first, in the conditions that saw most; the others after them, folded away."""
        order = sorted(self.found.values(), key=lambda one: (not one[0].main, not one[1]))[:MOST_PICTURES]
        shown = [picture.main and unseen and place < MOST_SHOWN for place, (picture, unseen) in enumerate(order)]
        if shown and not any(shown):  # nothing unseen was asked
            shown[0] = True
        return tuple(replace(picture, main=first) for (picture, _), first in zip(order, shown))


def _classes(one: TrialAnswers, target: str) -> tuple[str, ...]:
    """The answers a target allows, then any others that are stored."""
    here = one.targets.is_(target)
    known = [str(name) for name in one.facts["targets"].get(target, ())]
    spelt = [column.names[place] for column in (one.truth, one.response) for place in np.unique(column.places[here])]
    return tuple(dict.fromkeys([*known, *spelt]))
