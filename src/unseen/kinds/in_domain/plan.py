"""What a study of regression will be judged by."""

from __future__ import annotations

from unseen.kinds.in_domain.axis import model_keys
from unseen.kinds.planned import PlannedVerdicts
from unseen.kinds.repeats import distinct
from unseen.studies.protocol_table import protocol_of
from unseen.studies.study import Study


def plan(study: Study) -> PlannedVerdicts:
    """Over models, each by the mean of its seeds; of one model, over its seeds."""
    keys, seeds = model_keys(study), len(study.recipe.seeds)
    worlds = [key for key in keys if key.startswith("world")]
    models = distinct(study, [key for key in keys if key not in worlds])
    encoders = any(protocol_of(trial.recipe).latents for trial in study.trials)
    comparisons = (5 + 3 * encoders) * distinct(study, worlds)
    return (
        PlannedVerdicts(models, "models", comparisons) if models > 1 else PlannedVerdicts(seeds, "seeds", comparisons)
    )
