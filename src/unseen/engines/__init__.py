"""Engines run studies: this machine's processes and GPU. Clusters come with their own issue."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.vocabulary.errors import UnseenError, listed

if TYPE_CHECKING:
    import polars as pl

    from unseen.engines.local import Outcome
    from unseen.studies.study import Study
    from unseen.vocabulary.recipe import Recipe


Settings = Sequence[str] | Mapping[str, Any]


def said(settings: Settings) -> list[str]:
    """Settings as ``--set`` has them.

    >>> said({"training.epochs": 3, "world.name": "digits"}), said(["seeds=[0]"])
    (['training.epochs=3', 'world.name="digits"'], ['seeds=[0]'])
    """
    from unseen.vocabulary.grids import inline

    if isinstance(settings, str):
        raise UnseenError(
            f'settings = {settings!r} must be a table, {{"training.epochs": 3}}, or a list, ["seeds=[0]"].'
        )
    if isinstance(settings, Mapping):
        return [f"{_quoted(str(key))}={inline(value)}" for key, value in settings.items()]
    return list(settings)


def _quoted(key: str) -> str:
    """A key as ``--set`` reads it: what the grid varies has dots in its own name.

    >>> _quoted("grid.design.seen_per_level"), _quoted("training.lr")
    ('grid."design.seen_per_level"', 'training.lr')
    """
    first, _, rest = key.partition(".")
    return f'{first}."{rest}"' if first == "grid" and "." in rest and '"' not in rest else key


def open_study(
    recipe: str | Path | dict[str, Any] | Recipe,
    *,
    out: str | Path | None = None,
    settings: Settings = (),
    trust: bool = False,
) -> Any:
    """A study from its folder, a shipped recipe's name, a file, tables or a recipe; kept in ``runs/<name>`` by default.
    ``settings`` change its recipe: ``{"training.epochs": 3}``, or as ``--set`` has them.

    A name that ships means the recipe, also where a folder happens to be called so: ``./demo`` is the folder. Python
    code that a recipe file names (``module:factory``) runs once it was trusted: ``trust`` does so, and remembers it.
    What tables, a recipe made in Python or ``settings`` name was said by whoever gave them.
    """
    from unseen.studies.recipe_files import find_recipe
    from unseen.studies.study import Study
    from unseen.studies.trusting import code_names, said_names
    from unseen.vocabulary.recipe import Recipe, changed, check_own, extended, own_tables, recipe_from, shipped
    from unseen.vocabulary.recipe_text import is_there
    from unseen.vocabulary.trust import allow, remember

    settings = said(settings)
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


def run_watched(
    study: Study,
    *,
    device: str = "auto",
    workers: int | None = None,
    pack: int | None = None,
    watch: Callable[[Any], None] | None = None,
    progress: bool | None = None,
    command: str = "",
) -> Outcome:
    """Check a study and run what is missing, with the bar that suits (``progress`` True or False settles it)."""
    from unseen.engines.local import find_device, run_study
    from unseen.engines.progress import bar_for
    from unseen.kinds.checks import check
    from unseen.studies.trusting import settle

    settle(study.recipe, f"recipe '{study.recipe.title}'", trust=False)
    check(study)
    with bar_for(study, find_device(device).type, progress) as bar:

        def watching(event: Any) -> None:
            bar(event)
            if watch is not None:
                watch(event)

        return run_study(study, device=device, workers=workers, pack=pack, watch=watching, command=command)


def run_recipe(
    recipe: str | Path | dict[str, Any] | Recipe,
    *,
    out: str | Path | None = None,
    device: str = "auto",
    workers: int | None = None,
    settings: Settings = (),
    trust: bool = False,
    watch: Callable[[Any], None] | None = None,
    progress: bool | None = None,
) -> pl.DataFrame:
    """Run what is missing of a study (a recipe, or a study's folder) and give its tidy table. ``settings`` and
    ``trust``: as for :func:`open_study`; ``progress``: a bar, by default in a notebook and on a terminal."""
    import warnings

    from unseen.kinds.collect import collect, damage, finished_trials
    from unseen.studies.commands import called

    study = open_study(recipe, out=out, settings=settings, trust=trust)
    asked = called(recipe, out=out, settings=said(settings))
    outcome = run_watched(study, device=device, workers=workers, watch=watch, progress=progress, command=asked)
    if outcome.failed == outcome.trials:
        reasons = dict.fromkeys(str(record["error"]) for record in study.failures().values())
        raise UnseenError(f"all {outcome.trials} trials of '{study.path}' failed: {listed(reasons, 3)}")
    found = collect(study)
    for line in damage(study, finished_trials(study)):
        warnings.warn(line, stacklevel=3)
    return found


__all__ = ["open_study", "run_recipe", "run_watched"]
