"""Engines run studies: this machine's processes and GPU. Clusters come with their own issue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from unseen.vocabulary.recipe import Recipe


def open_study(
    recipe: str | Path | dict[str, Any] | Recipe,
    *,
    out: str | Path | None = None,
    settings: Sequence[str] = (),
    trust: bool = False,
) -> Any:
    """A study from a shipped recipe's name, a file, tables or a recipe; kept in ``runs/<name>`` by default.

    Python code that a recipe file names (``module:factory``) runs once it was trusted: ``trust`` does so, and remembers
    it. What tables, a recipe made in Python or ``settings`` name was said by whoever gave them.
    """
    from unseen.studies.describe import find_recipe
    from unseen.studies.study import Study
    from unseen.studies.trusting import code_names, said_names
    from unseen.vocabulary.recipe import Recipe, changed, check_own_readout, extended, own_tables, recipe_from
    from unseen.vocabulary.trust import allow, remember

    if isinstance(recipe, str | Path):
        path = find_recipe(recipe)
        own, where = own_tables(path), str(path)
        tables = extended(own, path)
    else:
        path, where = None, "recipe"
        own = {} if isinstance(recipe, Recipe) else dict(recipe)
        tables = recipe.model_dump(mode="python") if isinstance(recipe, Recipe) else extended(own)
    wanted = changed(tables, settings, where)
    check_own_readout(own, (tables, wanted), where)
    resolved = recipe_from(wanted, where)
    allow(said_names(settings) if path is not None else code_names(resolved))
    if trust:
        remember(code_names(resolved))
    if path is None:
        name = "".join(c if c.isalnum() else "-" for c in resolved.title.lower()).strip("-") or "study"
    else:
        name = str(recipe).removesuffix(".toml") if not Path(str(recipe)).is_file() else path.stem
    return Study(resolved, Path(out) if out is not None else Path("runs") / name)


def run_recipe(
    recipe: str | Path | dict[str, Any] | Recipe,
    *,
    out: str | Path | None = None,
    device: str = "auto",
    workers: int | None = None,
    settings: Sequence[str] = (),
    trust: bool = False,
    watch: Callable[[Any], None] | None = None,
) -> pl.DataFrame:
    """Run what is missing of a study and give its tidy table. ``trust``: as for :func:`open_study`."""
    from unseen.engines.local import run_study
    from unseen.studies.collect import collect
    from unseen.studies.trusting import settle

    study = open_study(recipe, out=out, settings=settings, trust=trust)
    settle(study.recipe, f"recipe '{study.recipe.title}'", trust=False)
    study.check()
    run_study(study, device=device, workers=workers, watch=watch or (lambda event: None))
    return collect(study)


__all__ = ["open_study", "run_recipe"]
