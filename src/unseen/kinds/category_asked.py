"""A study that tells how well a category is known must ask for it."""

from __future__ import annotations

from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError


def check_category(study: Study, trial: Trial, where: str) -> None:
    """Refuse targets without the category. ``where`` goes on after "asks for the accuracy for 'category'"."""
    category, asked = study.split(trial).factors[0], [target.factor for target in study.targets(trial)]
    if category not in asked:
        both = ", ".join(f'"{name}"' for name in (category, *asked))
        raise UnseenError(
            f"design '{trial.recipe.design.name}' asks for the accuracy for '{category}'{where}, and targets names "
            f"{', '.join(asked)} alone. Add it to targets: targets = [{both}]."
        )
