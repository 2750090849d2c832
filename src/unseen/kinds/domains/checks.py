"""What a study that leaves a domain out may ask."""

from __future__ import annotations

from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.design_facts import LeftOut
from unseen.vocabulary.errors import UnseenError


def check(study: Study, trial: Trial) -> None:
    """The domain left out has no trained answer of its own, so that the category is all that can be asked."""
    recipe, split = trial.recipe, study.split(trial)
    (category,), asked = LeftOut.of(split.facts).targets, [target.factor for target in study.targets(trial)]
    if recipe.task != "classification":
        raise UnseenError(
            f'design "{recipe.design.name}" asks which {category} an image shows: leave out task = "{recipe.task}".'
        )
    if asked != [category]:
        raise UnseenError(
            f"design \"{recipe.design.name}\" asks for '{category}' alone, and targets names {', '.join(asked)}. Set "
            f'targets = ["{category}"], or leave targets out.'
        )
