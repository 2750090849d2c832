"""What a study of conditions will be judged by."""

from __future__ import annotations

from unseen.kinds.collect import REPEAT, varied
from unseen.kinds.conditions.asked import OWN
from unseen.kinds.planned import PlannedVerdicts
from unseen.kinds.repeats import distinct, repeats
from unseen.studies.study import Study

ON_AXES = ("world.levels", "world.strengths", *OWN)


def plan(study: Study) -> PlannedVerdicts:
    """Two claims of each group of conditions, and of what is left out."""
    draws, seeds = repeats(study)
    keys = varied(study)
    models = distinct(study, [key for key in keys if key not in (REPEAT, *ON_AXES)])
    groups = min(4, distinct(study, [key for key in keys if key in OWN]))
    return PlannedVerdicts(draws or seeds, "draws of the images" if draws else "seeds", (groups + 2) * models)
