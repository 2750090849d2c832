"""What a study of sanity checks must record."""

from __future__ import annotations

from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError


def check(study: Study, trial: Trial) -> None:
    """Methods, and two images at least whose maps are compared."""
    section = trial.recipe.explanations
    if not section.methods or section.checked < 2:
        raise UnseenError(
            'kind = "sanity" compares maps before and after layers are drawn anew; name explanations.methods, and set '
            "explanations.checked to 2 images at least."
        )
