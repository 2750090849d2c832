"""What a study of transformations must ask."""

from __future__ import annotations

from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.design_facts import Exposed
from unseen.vocabulary.errors import UnseenError


def check_category(study: Study, trial: Trial) -> None:
    """A network that is to be asked about categories seen transformed and others must learn to name categories."""
    split, asked = study.split(trial), [target.factor for target in study.targets(trial)]
    Exposed.of(split.facts)  # a recipe may name this kind for another design
    category = split.factors[0]
    if category not in asked:
        both = ", ".join(f'"{name}"' for name in (category, *asked))
        raise UnseenError(
            f"design '{trial.recipe.design.name}' asks for the accuracy for '{category}', seen transformed or not, and "
            f"targets names {', '.join(asked)} alone. Add it to targets: targets = [{both}]."
        )
