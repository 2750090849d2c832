"""What a study of transformations must ask."""

from __future__ import annotations

from unseen.kinds.category_asked import check_category
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.design_facts import Exposed


def check(study: Study, trial: Trial) -> None:
    """A network that is to be asked about categories seen transformed and others must learn to name categories."""
    Exposed.of(study.split(trial).facts)  # a recipe may name this kind for another design
    check_category(study, trial, ", seen transformed or not")
