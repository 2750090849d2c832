"""What a recipe says of its study, as the page repeats it."""

from __future__ import annotations

from typing import TypedDict

from unseen.studies.recipe_files import recipe_toml
from unseen.vocabulary.recipe import Recipe


class RecipeWords(TypedDict):
    """Fields of ``reports.contents.Contents``."""

    title: str
    question: str
    shows: str
    recipe: str
    citation: str


def words_of(recipe: Recipe) -> RecipeWords:
    return {
        "title": recipe.title,
        "question": recipe.question,
        "shows": recipe.shows,
        "recipe": recipe_toml(recipe),
        "citation": recipe.citation,
    }
