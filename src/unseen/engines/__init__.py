"""Engines run studies: this machine's processes and GPU. Clusters come with their own issue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.vocabulary.errors import UnseenError, listed

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
    """A study from its folder, a shipped recipe's name, a file, tables or a recipe; kept in ``runs/<name>`` by default.

    A name that ships means the recipe, also where a folder happens to be called so: ``./demo`` is the folder. Python
    code that a recipe file names (``module:factory``) runs once it was trusted: ``trust`` does so, and remembers it.
    What tables, a recipe made in Python or ``settings`` name was said by whoever gave them.
    """
    from unseen.studies.describe import find_recipe
    from unseen.studies.study import Study
    from unseen.studies.trusting import code_names, said_names
    from unseen.vocabulary.recipe import Recipe, changed, check_own, extended, own_tables, recipe_from, shipped
    from unseen.vocabulary.recipe_text import is_there
    from unseen.vocabulary.trust import allow, remember

    if (
        isinstance(recipe, str | Path)
        and str(recipe) not in shipped()
        and is_there(Path(recipe))
        and Path(recipe).is_dir()
    ):
        study = _in_folder(Path(recipe), out, settings)
        allow(said_names(settings))
        if trust:
            remember(code_names(study.recipe))
        return study
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
    allow(said_names(settings) if path is not None else code_names(resolved))
    if trust:
        remember(code_names(resolved))
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
    trust: bool = False,
    watch: Callable[[Any], None] | None = None,
) -> pl.DataFrame:
    """Run what is missing of a study (a recipe, or a study's folder) and give its tidy table. ``trust``: as for
    :func:`open_study`."""
    import warnings

    from unseen.engines.local import run_study
    from unseen.kinds.checks import check
    from unseen.kinds.collect import collect, damage, finished_trials
    from unseen.studies.commands import called
    from unseen.studies.trusting import settle

    study = open_study(recipe, out=out, settings=settings, trust=trust)
    settle(study.recipe, f"recipe '{study.recipe.title}'", trust=False)
    check(study)
    asked = called(recipe, out=out, settings=settings)
    outcome = run_study(study, device=device, workers=workers, watch=watch or (lambda event: None), command=asked)
    if outcome.failed == outcome.trials:
        reasons = dict.fromkeys(str(record["error"]) for record in study.failures().values())
        raise UnseenError(f"all {outcome.trials} trials of '{study.path}' failed: {listed(reasons, 3)}")
    found = collect(study)
    for line in damage(study, finished_trials(study)):
        warnings.warn(line, stacklevel=3)
    return found


__all__ = ["open_study", "run_recipe"]
