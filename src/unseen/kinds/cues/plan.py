"""What a study of two cues will be judged by."""

from __future__ import annotations

from unseen.kinds.collect import REPEAT, varied
from unseen.kinds.cues.findings import PATCHES
from unseen.kinds.cues.read import DRAWS, SEEDS, SHARE
from unseen.kinds.planned import PlannedVerdicts
from unseen.kinds.repeats import distinct, repeats
from unseen.studies.study import Study


def plan(study: Study) -> PlannedVerdicts:
    """Of each model which cue decides at both ends, and the trend between them; and whether small patches are last."""
    draws, seeds = repeats(study)
    models = max(1, distinct(study, [key for key in varied(study) if key not in (REPEAT, SHARE)]))
    shares = {trial.recipe.design.arguments.get("decorrelated") for trial in study.trials}
    each = (0 in shares) + (1 in shares) + (len(shares) > 1)
    patches = models > 1 and any(PATCHES in str(trial.recipe.network) for trial in study.trials)
    return PlannedVerdicts(draws or seeds, DRAWS if draws else SEEDS, each * models + patches)
