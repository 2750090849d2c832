"""What a study of conditions must ask."""

from __future__ import annotations

from unseen.kinds.category_asked import check_category
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.design_facts import Conditions


def check(study: Study, trial: Trial) -> None:
    """A matrix shows the accuracy for the category, so that is what networks must learn."""
    Conditions.of(study.split(trial).facts)  # a recipe may name this kind for another design
    check_category(study, trial, f" at every level of '{study.split(trial).factors[1]}'")
