"""What a study of sanity checks will be judged by."""

from __future__ import annotations

from unseen.kinds.planned import PlannedVerdicts
from unseen.kinds.repeats import repeats
from unseen.studies.study import Study


def plan(study: Study) -> PlannedVerdicts:
    """One claim of each method."""
    draws, seeds = repeats(study)
    return PlannedVerdicts(
        draws or seeds, "draws of the images" if draws else "seeds", len(study.recipe.explanations.methods)
    )
