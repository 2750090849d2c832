"""What a study of replicas will be judged by."""

from __future__ import annotations

from unseen.kinds.planned import PlannedVerdicts
from unseen.kinds.repeats import repeats
from unseen.kinds.replica.read import DRAWS, SEEDS
from unseen.studies.study import Study


def plan(study: Study) -> PlannedVerdicts:
    """The drop of each of four collections, and two slopes."""
    draws, seeds = repeats(study)
    return PlannedVerdicts(draws or seeds, DRAWS if draws else SEEDS, 6)
