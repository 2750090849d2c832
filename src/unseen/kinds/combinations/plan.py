"""What a study of combinations will be judged by."""

from __future__ import annotations

from unseen.kinds.collect import REPEAT, varied
from unseen.kinds.combinations.axis import axis
from unseen.kinds.combinations.findings import MOST_CURVES
from unseen.kinds.combinations.repeats import repeats_of
from unseen.kinds.planned import PlannedVerdicts
from unseen.kinds.repeats import distinct, repeats
from unseen.studies.study import Study

# Standard deviation of Separate − Shared between choices of held-out cells, each averaged over diversities: .022, .014
# and .021 in the tables mnist-position-choices, mnist-scale-choices and rendered-cars-choices (n = 4 each).
SPREAD = 0.02


def plan(study: Study) -> PlannedVerdicts:
    draws, seeds = repeats(study)
    unit, one_choice = repeats_of(study)
    shared = 'all seeds share one choice of held-out cells: give grid."design.seed" several values'
    compared = {"separate", "shared"} <= {trial.recipe.network.sharing for trial in study.trials}
    spread = SPREAD if compared else 0.0
    return PlannedVerdicts(draws or seeds, unit[1], _comparisons(study), shared if one_choice else "", spread)


def _comparisons(study: Study) -> int:
    """Trends of each curve (or of all together), pairs of architectures, specialization of each target."""
    keys = axis(study)[2]
    targets = len(study.targets(study.trials[0]))
    curves = distinct(study, keys)
    along = [key for key in varied(study) if key not in (*keys, REPEAT)]  # what is on the x axis
    more = distinct(study, along) > 1
    told = 1 + (targets > 1)
    trends = 2 * told * (curves if curves <= MOST_CURVES else 1) if more else 0
    sharing = {trial.recipe.network.sharing for trial in study.trials}
    groups = curves // max(1, len(sharing))
    others = sharing - {"shared"} if "shared" in sharing else set()
    pairs = groups * sum(1 + targets * (one == "separate" and targets > 1) for one in others)
    units = targets if study.recipe.recordings.layers != "none" else 0
    return max(1, trends + pairs + units)
