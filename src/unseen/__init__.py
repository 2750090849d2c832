"""unseen tells whether a vision model works on what it has not seen, when it will, and why.

    world = unseen.world("digits", viewpoint="position")
    split = unseen.split(world, "hold_out_combinations", columns="position", seen_per_level=4)
    study = unseen.open_study("demo").run()

Everything here shows itself in a notebook; docs/guide/python.md walks through it. Nothing heavy is imported before it
is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from unseen.version import __version__
from unseen.vocabulary.errors import UnseenError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from unseen import designs, explanations, exports, measures, models, recordings, reports, training, worlds
    from unseen.engines.opened import OpenedStudy
    from unseen.notebooks import OpenedNetwork, OpenedSplit, OpenedWorld
    from unseen.notebooks.explained import OpenedExplanation
    from unseen.vocabulary.recipe import Recipe
    from unseen.vocabulary.world import World

STAGES = ("worlds", "designs", "models", "training", "recordings", "explanations", "measures", "reports", "exports")

__all__ = [
    "UnseenError",
    "__version__",
    "catalogue",
    "designs",
    "examine",
    "explain",
    "explanations",
    "exports",
    "failure_rules",
    "measures",
    "models",
    "network",
    "open_study",
    "recordings",
    "reports",
    "run",
    "split",
    "training",
    "world",
    "worlds",
]


def catalogue(of: str = "") -> pl.DataFrame:
    """What there is: a table of the ``"worlds"``, ``"designs"``, ``"networks"`` or ``"recipes"``; without a word all of
    them, by name and what they are."""
    from unseen.notebooks.catalogue import listed_parts

    return listed_parts(of)


def world(name: str | World, /, **arguments: Any) -> OpenedWorld:
    """Open a world by its name (``catalogue("worlds")``) and arguments, or take one of your own.

    It has ``show()``, ``rows(category=3)``, ``images(rows)``, ``table(rows)``, ``factors`` and a length.
    """
    from unseen.notebooks import open_world

    return open_world(name, **arguments)


def split(world: str | World, design: str, /, *, seed: int = 0, **arguments: Any) -> OpenedSplit:
    """Divide a world by a design (``catalogue("designs")``): what is seen in training, what is asked at test.

    It has ``sets``, ``rows("train")``, ``counts("train")``, ``table()``, ``show()`` and ``audit``.
    """
    from unseen.notebooks import open_split

    return open_split(world, design, seed=seed, **arguments)


def network(
    backbone: str,
    split: OpenedSplit,
    /,
    *,
    targets: str | Sequence[str] = (),
    seed: int = 0,
    **settings: Any,
) -> OpenedNetwork:
    """Make a network (``catalogue("networks")``, a timm name or your own ``module:factory``) for the questions of a
    split; by default, which level of each of its factors an image shows. ``settings``: ``sharing``, ``stem`` and the
    other keys of a recipe's ``[network]``.

    It has ``train(epochs=5)``, ``curve()``, ``responses("unseen")``, ``activity(layer)`` and ``layers``.
    """
    from unseen.notebooks import open_network

    return open_network(backbone, split, targets=targets, seed=seed, **settings)


def run(
    recipe: str | Path | dict[str, Any] | Recipe,
    *,
    out: str | Path | None = None,
    device: str = "auto",
    workers: int | None = None,
    settings: Sequence[str] | Mapping[str, Any] = (),
    trust: bool = False,
    watch: Callable[[Any], None] | None = None,
    progress: bool | None = None,
) -> pl.DataFrame:
    """Run a study (its folder, a shipped recipe's name, a file, tables or a Recipe) and give its tidy table. What is
    finished is not run again. ``open_study(...).run()`` does the same and gives the study.

    ``settings`` change the recipe: ``{"training.epochs": 3}``, or ``["training.epochs=3"]`` as on the command line.
    ``out``: its folder. ``progress``: a bar, by default in a notebook and on a terminal. ``trust``: Python code that
    its recipe names may run.
    """
    from unseen.engines import run_recipe

    return run_recipe(
        recipe, out=out, device=device, workers=workers, settings=settings, trust=trust, watch=watch, progress=progress
    )


def examine(
    model: Any,
    /,
    *,
    world: str = "",
    meshes: str | Path | None = None,
    folder: str | Path | None = None,
    factors: Sequence[str] = (),
    canonical: Mapping[str, Any] | None = None,
    images: int = 4000,
    map: str = "auto",
    preprocessing: Mapping[str, Any] | None = None,
    labels: str | Path | Sequence[str] | None = None,
    checkpoint: str | Path | None = None,
    out: str | Path | None = None,
    settings: Sequence[str] | Mapping[str, Any] = (),
    device: str = "auto",
    trust: bool = False,
    download: bool = False,
    answers: Mapping[str, str] | None = None,
    feeding_check: bool = True,
    closing: bool = False,
    progress: bool | None = None,
) -> OpenedStudy:
    """Ask a model canonical images and changed ones, and say where it fails: a name, a file (.onnx, .pt2), a torch
    module, any function of images (uint8 ``[n, 3, height, width]`` in, scores ``[n, classes]`` out), a table of answers
    (.csv, .parquet), or a list of these. Nothing is trained; what was asked before is not asked again.

    By default our everyday objects are shown (``world``, ``meshes``, ``folder`` of your images), with every factor
    varied (``factors``) over ``images`` images. ``labels`` names its outputs, ``map`` says which label means which
    category, ``preprocessing`` how it is fed; ``feeding_check`` tries whether another way is better. ``closing``
    also asks how much variation a new last layer must be shown until the gaps close. ``answers`` says what becomes of
    odd rows of a table, as in ``{"doubled": "first", "unknown": "skip", "no_answer": "skip"}``.

    The study has ``answer()``, ``summary()``, ``findings()``, ``figure()``, ``responses()`` and ``report()``.
    """
    from unseen.engines.examining import ExamineOptions
    from unseen.engines.examining import examine as examine_models

    asked = ExamineOptions(
        world=world, meshes=meshes, folder=folder, factors=tuple(factors), canonical=dict(canonical or {}),
        images=images, map=map, preprocessing=dict(preprocessing or {}),
        labels=str(labels) if hasattr(labels, "__fspath__") else labels, checkpoint=checkpoint, download=download,
        answers=dict(answers or {}),
    )  # fmt: skip
    return examine_models(
        model, asked, out=out, settings=settings, device=device, trust=trust, check_feeding=feeding_check,
        closing=closing, progress=progress,
    )  # fmt: skip


def failure_rules(
    table: Any,
    /,
    factors: Sequence[str] = (),
    *,
    objects: str = "",
    wrong: str = "",
    longest: int = 5,
    conditions: int = 2,
) -> pl.DataFrame:
    """When does it fail? Short rules that tell wrong answers from right ones in a table of answers (a polars frame, or
    a .csv or .parquet file): of a model, of people, of anything. Columns ``truth`` and ``response``, or one that is
    true where an answer is ``wrong``; ``factors`` are the other columns unless named. Rules are found on half of the
    rows and judged on the other half; rows that have the same value of ``objects`` (an object, an image, a person) stay
    together.

    One row per rule, or one that says that nothing tells failures apart. ``open_study(...).rules()`` does it for a
    study.
    """
    from unseen.kinds.failures.tables import rules_of_table

    return rules_of_table(table, factors, objects=objects, wrong=wrong, longest=longest, conditions=conditions)


def explain(
    model: Any,
    images: Any,
    method: str = "gradient",
    asked: Any = None,
    /,
    *,
    target: str | None = None,
    **settings: Any,
) -> OpenedExplanation:
    """Maps over images: what in them a network's answer rests on, by one method (``unseen.explanations.METHODS``).

    ``model`` is a name (``"efficientnet-lite0"``), a network of unseen, a torch module, or a function from images to
    scores (methods "occlusion" and "rise"). ``images`` is a tensor or an array ``[n, channels, height, width]``, or
    files and folders. ``asked``: a class by its name or number, or a ``Score``, a ``Difference`` or a ``Unit`` of
    :mod:`unseen.explanations`; by default the class that is answered. ``settings`` are the method's own.

    The explanation shows itself in a notebook and has ``maps``, ``notes``, ``answers``, ``check()``, ``sheet()`` and
    ``save("maps.png")``.
    """
    from unseen.notebooks.explained import explain_images

    return explain_images(model, images, method, asked, target=target, **settings)


def open_study(
    study: str | Path | dict[str, Any] | Recipe,
    *,
    out: str | Path | None = None,
    settings: Sequence[str] | Mapping[str, Any] = (),
    trust: bool = False,
) -> OpenedStudy:
    """Open a study without running it: by its folder (``"runs/demo"``), or by what :func:`run` takes. ``trust`` lets
    Python code that its recipe names run, from now on until it changes.

    It has ``status()``, ``run()``, ``results()``, ``summary()``, ``findings()``, ``rules()``, ``answer()``,
    ``figure()``, ``report()``, ``trials()``, ``trial(...)``, ``responses()``, ``world()`` and ``split()``.
    """
    from unseen.engines.opened import opened

    return opened(study, out, settings, trust)


def __getattr__(name: str) -> Any:
    """A stage, imported when it is first asked for."""
    if name in STAGES:
        return importlib.import_module(f"unseen.{name}")
    raise AttributeError(f"module 'unseen' has no attribute '{name}'; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return [*__all__]
