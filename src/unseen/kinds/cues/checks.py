"""What a study of two cues must ask."""

from __future__ import annotations

from unseen.designs.decorrelate import CONFLICTING
from unseen.kinds.category_asked import check_category
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.design_facts import Decorrelated
from unseen.vocabulary.errors import UnseenError, listed


def check(study: Study, trial: Trial) -> None:
    """A decision for one of two cues needs images in which they conflict, and the category asked."""
    Decorrelated.of(study.split(trial).facts)  # a recipe may name this kind for another design
    check_category(study, trial, " where it conflicts with another cue")
    asked = study.asked(trial)
    if CONFLICTING not in asked:
        raise UnseenError(
            f"this study tells by which cue networks decide, and recordings.sets asks {listed(asked) or 'nothing'}; "
            f'name "{CONFLICTING}" too, e.g. recordings.sets = ["agreeing", "{CONFLICTING}"].'
        )
