"""What a study of conditions must ask."""

from __future__ import annotations

from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.design_facts import Conditions
from unseen.vocabulary.errors import UnseenError


def check_category(study: Study, trial: Trial) -> None:
    """A matrix shows the accuracy for the category, so that is what networks must learn."""
    split, asked = study.split(trial), [target.factor for target in study.targets(trial)]
    Conditions.of(split.facts)  # a recipe may name this kind for another design
    category = split.factors[0]
    if category not in asked:
        both = ", ".join(f'"{name}"' for name in (category, *asked))
        raise UnseenError(
            f"design '{trial.recipe.design.name}' asks for the accuracy for '{category}' at every level of "
            f"'{split.factors[1]}', and targets names {', '.join(asked)} alone. Add it to targets: targets = [{both}]."
        )
