"""What a study of variability will be judged by."""

from __future__ import annotations

from unseen.kinds.collect import REPEAT, varied
from unseen.kinds.planned import PlannedVerdicts
from unseen.kinds.repeats import distinct, repeats
from unseen.kinds.variability.read import CANONICAL, CLASSES, FOLD, INSTANCES, SAMPLES, repeats_of
from unseen.studies.study import Study


def plan(study: Study) -> PlannedVerdicts:
    """The claims that its regimes and protocols allow; see ``findings.py``."""
    keys, (draws, seeds) = varied(study), repeats(study)
    key, over = repeats_of(keys)
    n = distinct(study, [FOLD]) if key == FOLD else draws if key == REPEAT else seeds
    regimes = {str(trial.recipe.design.arguments.get("regime", CANONICAL)) for trial in study.trials}
    protocols = {trial.recipe.protocol_name for trial in study.trials}
    every = any(trial.recipe.design.arguments.get("vary") == "all" for trial in study.trials)
    claims = (CANONICAL in regimes) + 2 * (SAMPLES in regimes) + 2 * (INSTANCES in regimes) + 2 * (CLASSES in regimes)
    claims += (CLASSES in regimes) + every + 2 * ({"probe", "finetune"} <= protocols)
    return PlannedVerdicts(n, over, claims)
