"""unseen tells whether a vision model works on what it has not seen, when it will, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unseen.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl

    from unseen.engines.opened import OpenedStudy
    from unseen.vocabulary.recipe import Recipe

__all__ = ["__version__", "open_study", "run"]


def run(recipe: str | Path | dict[str, Any] | Recipe, **options: Any) -> pl.DataFrame:
    """Run a study (its folder, a shipped recipe's name, a file, tables or a Recipe) and give its tidy table.

    Options are those of :func:`unseen.engines.run_recipe`: ``out``, ``device``, ``workers``, ``settings``,
    ``trust``. What is finished is not run again.
    """
    from unseen.engines import run_recipe

    return run_recipe(recipe, **options)


def open_study(
    study: str | Path | dict[str, Any] | Recipe,
    *,
    out: str | Path | None = None,
    settings: Sequence[str] = (),
    trust: bool = False,
) -> OpenedStudy:
    """Open a study without running it: by its folder (``"runs/demo"``), or by what :func:`run` takes. ``trust`` lets
    Python code that its recipe names run, from now on until it changes.

    It has ``status()``, ``results()``, ``summary()``, ``responses()``, ``trials()``, ``report()`` and ``run()``.
    """
    from unseen.engines.opened import opened

    return opened(study, out, settings, trust)
