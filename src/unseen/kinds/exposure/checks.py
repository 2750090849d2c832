"""What a study of transformations must ask."""

from __future__ import annotations

from unseen.kinds.category_asked import check_category
from unseen.studies.study import Study
from unseen.studies.trials import Trial


def check(study: Study, trial: Trial) -> None:
    """A network that is to be asked about categories seen transformed and others must learn to name categories."""
    check_category(study, trial, ", seen transformed or not")
