"""Which Python code a recipe names, and who said that it may run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unseen.vocabulary.recipe import Recipe, setting
from unseen.vocabulary.sources import names_code
from unseen.vocabulary.trust import IN_PYTHON, allow, remember, require


def code_names(recipe: Recipe) -> list[str]:
    """Backbones of a recipe and of its grids that are ``module:factory``. Nothing else in a recipe is imported by its
    place: worlds, designs and objectives are rows of tables, and installed packages add to those."""
    swept = [value for grid in recipe.grid for key, values in grid.items() if "backbone" in key for value in values]
    names = dict.fromkeys(value for value in (recipe.network.backbone, *swept) if isinstance(value, str))
    return [name for name in names if names_code(name)]


def said_names(settings: Sequence[str]) -> list[str]:
    """Code that a user named in words of their own, by ``--set``."""
    found: list[object] = []
    for text in settings:
        key, value = setting(text)
        if "backbone" in key:
            found += value if isinstance(value, list) else [value]
        elif key.strip() == "network":
            found.append(value.get("backbone") if isinstance(value, dict) else None)
    return [name for name in found if isinstance(name, str) and names_code(name)]


def settle(recipe: Recipe, where: str, *, trust: bool, said: Iterable[str] = (), how: str = IN_PYTHON) -> str | None:
    """Allow what a user said and what they trusted before, refuse the rest. ``trust`` allows all of it from now on;
    gives why that cannot be remembered, if so."""
    allow(said)
    names = code_names(recipe)
    if trust:
        return remember(names) if names else None
    require(names, where, how)
    return None
