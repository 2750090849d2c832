"""Engines run studies: this machine's processes and GPU. Clusters come with their own issue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from unseen.vocabulary.recipe import Recipe


def open_study(
    recipe: str | Path | dict[str, Any] | Recipe, *, out: str | Path | None = None, settings: Sequence[str] = ()
) -> Any:
    """A study from a shipped recipe's name, a file, tables or a recipe; kept in ``runs/<name>`` by default."""
    from unseen.studies.describe import find_recipe
    from unseen.studies.study import Study
    from unseen.vocabulary.recipe import Recipe, changed, check_own, extended, own_tables, recipe_from

    if isinstance(recipe, str | Path):
        path = find_recipe(recipe)
        own, where = own_tables(path), str(path)
        tables = extended(own, path)
    else:
        path, where = None, "recipe"
        own = {} if isinstance(recipe, Recipe) else dict(recipe)
        tables = recipe.model_dump(mode="python") if isinstance(recipe, Recipe) else extended(own)
    wanted = changed(tables, settings, where)
    check_own(own, (tables, wanted), where)
    resolved = recipe_from(wanted, where)
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
    watch: Callable[[Any], None] | None = None,
) -> pl.DataFrame:
    """Run what is missing of a study and give its tidy table."""
    from unseen.engines.local import run_study
    from unseen.studies.collect import collect

    study = open_study(recipe, out=out, settings=settings)
    study.check()
    run_study(study, device=device, workers=workers, watch=watch or (lambda event: None))
    return collect(study)


__all__ = ["open_study", "run_recipe"]
