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
    """A study from its folder, a shipped recipe's name, a file, tables or a recipe; kept in ``runs/<name>`` by default.

    A name that ships means the recipe, also where a folder happens to be called so: ``./demo`` is the folder.
    """
    from unseen.studies.describe import find_recipe
    from unseen.studies.study import Study
    from unseen.vocabulary.recipe import Recipe, changed, check_own_readout, extended, own_tables, recipe_from, shipped

    if isinstance(recipe, str | Path) and str(recipe) not in shipped() and Path(recipe).is_dir():
        return _in_folder(Path(recipe), out, settings)
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
    if path is None:
        name = "".join(c if c.isalnum() else "-" for c in resolved.title.lower()).strip("-") or "study"
    else:
        name = str(recipe).removesuffix(".toml") if not Path(str(recipe)).is_file() else path.stem
    return Study(resolved, Path(out) if out is not None else Path("runs") / name)


def _in_folder(folder: Path, out: str | Path | None, settings: Sequence[str]) -> Any:
    """The study of a folder, by the recipe of its last run; with ``out``, the same recipe in another folder."""
    from unseen.studies.study import Study, load_study
    from unseen.vocabulary.recipe import read_recipe

    if settings and (folder / "recipe.toml").is_file():
        recipe = read_recipe(folder / "recipe.toml", settings)
    else:
        recipe = load_study(folder).recipe
    return Study(recipe, folder if out is None else Path(out))


def run_recipe(
    recipe: str | Path | dict[str, Any] | Recipe,
    *,
    out: str | Path | None = None,
    device: str = "auto",
    workers: int | None = None,
    settings: Sequence[str] = (),
    watch: Callable[[Any], None] | None = None,
) -> pl.DataFrame:
    """Run what is missing of a study and give its tidy table. A study may be given by its folder."""
    from unseen.engines.local import run_study
    from unseen.studies.collect import collect

    study = open_study(recipe, out=out, settings=settings)
    study.check()
    run_study(study, device=device, workers=workers, watch=watch or (lambda event: None))
    return collect(study)


__all__ = ["open_study", "run_recipe"]
