"""What a study of concepts will be judged by."""

from __future__ import annotations

from unseen.kinds.planned import PlannedVerdicts
from unseen.kinds.repeats import repeats
from unseen.studies.study import Study


def plan(study: Study) -> PlannedVerdicts:
    """Of each network that reads its class from concepts: a comparison with every other one, what the truth adds, and
    whether concepts fail where the class does."""
    draws, seeds = repeats(study)
    ways = {(trial.recipe.network.sharing, len(study.targets(trial)) > 1) for trial in study.trials}
    able = sum(sharing.startswith("concepts") for sharing, _ in ways)
    others = len(ways) - able
    return PlannedVerdicts(draws or seeds, "draws of the images" if draws else "seeds", able * (others + 2))
