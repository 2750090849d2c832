"""What a study of replicas must ask."""

from __future__ import annotations

from unseen.designs.replicate import ORIGINAL, REPLICA
from unseen.kinds.category_asked import check_category
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.design_facts import Replicated
from unseen.vocabulary.errors import UnseenError, listed


def check(study: Study, trial: Trial) -> None:
    """A drop is of the original against another set, of the category."""
    Replicated.of(study.split(trial).facts)  # a recipe may name this kind for another design
    check_category(study, trial, " on a test set and on others made like it")
    asked = study.asked(trial)
    if not {ORIGINAL, REPLICA} <= set(asked):
        raise UnseenError(
            f"a drop is from the original test set to a new one, and recordings.sets asks "
            f"{listed(asked) or 'nothing'}; "
            f'name both, e.g. recordings.sets = ["original", "replica", "shifted"].'
        )
