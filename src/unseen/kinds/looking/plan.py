"""What a study of where networks look will be judged by."""

from __future__ import annotations

from unseen.kinds.planned import PlannedVerdicts
from unseen.kinds.repeats import repeats
from unseen.studies.study import Study


def plan(study: Study) -> PlannedVerdicts:
    """Two claims of each method."""
    draws, seeds = repeats(study)
    return PlannedVerdicts(
        draws or seeds, "draws of the images" if draws else "seeds", 2 * len(study.recipe.explanations.methods)
    )
