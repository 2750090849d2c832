"""What a study of transformations will be judged by."""

from __future__ import annotations

from unseen.kinds.collect import REPEAT, varied
from unseen.kinds.planned import PlannedVerdicts
from unseen.kinds.repeats import distinct, repeats
from unseen.measures.verdicts import FEWEST_SIGNS
from unseen.studies.study import Study

ONE_CHOICE = 'all repeats share one choice of categories: give grid."design.seed" several values'
ON_AXES = ("design.seen", "design.level", "world.levels", "world.strengths")


def plan(study: Study) -> PlannedVerdicts:
    """Trends of both accuracies and of invariance, where there are numbers to compare; the lowest family and the cue;
    invariance beside both accuracies; what is near chance, over transformations, where τ is searched for."""
    draws, seeds = repeats(study)
    models = distinct(study, [key for key in varied(study) if key not in (REPEAT, *ON_AXES)])
    asked = [trial.recipe.design.arguments for trial in study.trials]
    recorded = study.recipe.recordings
    rising = len({one.get("seen") or 0 for one in asked} - {0}) > 1
    given = [one.get("level") for one in [one for one in asked if one.get("seen")] or asked]
    levels = len({str(level) for one in given for level in (one if isinstance(one, list | tuple) else [one])})
    near = recorded.invariance and recorded.threshold == "search" and levels >= FEWEST_SIGNS
    each = 2 * rising + 2 + (2 + rising) * recorded.invariance + near
    over = f"over {levels} transformations"
    return PlannedVerdicts(
        draws or seeds, "draws of categories" if draws else "seeds", each * models, "" if draws else ONE_CHOICE,
        also=over if near else "",
        apart=f"{over}, whether accuracy is near chance without the active units" if near else "",
    )  # fmt: skip
