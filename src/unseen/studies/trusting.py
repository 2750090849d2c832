"""Which Python code a recipe names, and who said that it may run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from unseen.vocabulary.recipe import Recipe, setting
from unseen.vocabulary.sources import names_code
from unseen.vocabulary.trust import IN_PYTHON, allow, remember, require

SCHEMES = (
    "timm", "torchvision", "open_clip", "huggingface", "hf", "hf-hub", "held",
)  # fmt: skip
# What stands before the name of a model that is no code of a user's.


def code_names(recipe: Recipe) -> list[str]:
    """Backbones and models of a recipe and of its grids that are ``module:factory``. Nothing else in a recipe is
    imported by its place: worlds, designs and objectives are rows of tables, and installed packages add to those."""
    swept = [value for grid in recipe.grid for key, values in grid.items() if _names_one(key) for value in values]
    named = (recipe.network.backbone, recipe.network.model, *swept)
    names = dict.fromkeys(value for value in named if isinstance(value, str))
    return [name for name in names if is_code(name)]


def _names_one(key: str) -> bool:
    return "backbone" in key or key == "network.model"


def is_code(name: str) -> bool:
    """Whether a backbone or a model is Python code by its place; "timm:resnet50" is a name of timm's."""
    return names_code(name) and name.partition(":")[0] not in SCHEMES and not Path(name).exists()


def said_names(settings: Sequence[str]) -> list[str]:
    """Code that a user named in words of their own, by ``--set``."""
    found: list[object] = []
    for text in settings:
        key, value = setting(text)
        if _names_one(key.strip()):
            found += value if isinstance(value, list) else [value]
        elif key.strip() == "network" and isinstance(value, dict):
            found += [value.get("backbone"), value.get("model")]
    return [name for name in found if isinstance(name, str) and is_code(name)]


def settle(recipe: Recipe, where: str, *, trust: bool, said: Iterable[str] = (), how: str = IN_PYTHON) -> str | None:
    """Allow what a user said and what they trusted before, refuse the rest. ``trust`` allows all of it from now on;
    gives why that cannot be remembered, if so."""
    allow(said)
    names = code_names(recipe)
    if trust:
        return remember(names) if names else None
    require(names, where, how)
    return None
