"""A study whose networks train on every domain but one (design ``leave_one_out``): what is known of its trials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unseen.vocabulary.errors import UnseenError

if TYPE_CHECKING:
    from unseen.vocabulary.recipe import Recipe
    from unseen.vocabulary.split import Split
    from unseen.vocabulary.target import Target

DESIGN = "leave_one_out"


def is_domains(recipe: Recipe) -> bool:
    """Whether a study's networks train on every domain but one."""
    return recipe.design.name == DESIGN


def check_only_category(recipe: Recipe, split: Split, targets: Sequence[Target]) -> None:
    """The domain left out has no trained answer of its own, so that the category is all that can be asked."""
    if not is_domains(recipe):
        return
    (category,), asked = split.facts["targets"], [target.factor for target in targets]
    if recipe.task != "classification":
        raise UnseenError(f'design "{DESIGN}" asks which {category} an image shows: leave out task = "{recipe.task}".')
    if asked != [category]:
        raise UnseenError(
            f"design \"{DESIGN}\" asks for '{category}' alone, and targets names {', '.join(asked)}. Set targets = "
            f'["{category}"], or leave targets out.'
        )
