"""Recipes as text: the resolved recipe of a study, shipped recipes by name."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.recipe import Recipe, shipped
from unseen.vocabulary.recipe_text import is_file, is_there, no_recipe
from unseen.vocabulary.unused_keys import reads_out


def recipe_toml(recipe: Recipe) -> str:
    """A recipe as TOML, every default written out, of what it uses.

    >>> from unseen.vocabulary.recipe import recipe_from
    >>> recipe = recipe_from({"title": "t", "world": {"name": "digits"}, "design": {"name": "d", "columns": "view"}})
    >>> recipe_from(tomllib.loads(recipe_toml(recipe))) == recipe
    True
    """
    import tomli_w

    tables = _without_none(recipe.model_dump(mode="json"))
    if not reads_out(tables, "recipe"):
        del tables["readout"]  # inherited, and refused where a recipe writes it itself
    if tables.get("grid") == [{}]:
        del tables["grid"]
    return tomli_w.dumps(tables)


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    return [_without_none(item) for item in value] if isinstance(value, list) else value


def find_recipe(name: str | Path) -> Path:
    """A recipe file by path, or a shipped one by name."""
    path = Path(name)
    if is_file(path):
        return path
    table = shipped()
    key = str(name).removesuffix(".toml")
    if key in table:
        return table[key]
    if is_there(path):
        raise UnseenError(no_recipe(path))
    if path.suffix == ".toml":
        raise UnseenError(f"no recipe file '{path}' here ({Path.cwd()}); `unseen recipes` lists those that ship.")
    if path.parts[:1] == ("runs",) or path.is_absolute():
        raise UnseenError(f"no study in '{path}' and no recipe of that name; `unseen recipes` lists those that ship.")
    raise unknown("recipe", name, table)


def summary_of(path: Path) -> str:
    """The first sentence of a recipe's opening comment."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").strip())
    return lines[0] if lines else tomllib.loads(path.read_text(encoding="utf-8")).get("title", "")
