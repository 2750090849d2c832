"""Worlds: rows → images. The table of those that have a name, and the one door to them.

Importing this module loads neither torch nor scikit-learn: a row says where its function lives, and a name, an
argument or a missing argument is checked before that function runs. A package of your own adds rows by the entry point
group ``unseen.worlds`` (``name = "module:function"``); a name that is already in the table keeps its own meaning.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any, cast

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.world import World

GROUP = "unseen.worlds"


@dataclass(frozen=True)
class Entry:
    """A row of the table: where a world's function lives (``module:function``), and what it is in one line."""

    target: str
    summary: str = ""

    def load(self) -> Callable[..., World]:
        module, _, function = self.target.partition(":")
        return cast(Callable[..., World], getattr(importlib.import_module(module), function))

    def __call__(self, *positional: Any, **arguments: Any) -> World:
        return self.load()(*positional, **arguments)


WORLDS: dict[str, Entry] = {
    "digits": Entry("unseen.worlds.digits:digits", "scikit-learn's 1,797 handwritten digits, 8×8; no download"),
    "mnist": Entry("unseen.worlds.digits:mnist", "MNIST's 70,000 handwritten digits, from a folder of idx files"),
    "fashion-mnist": Entry(
        "unseen.worlds.digits:fashion_mnist", "Fashion-MNIST's 70,000 articles of clothing, from idx files"
    ),
    "folder": Entry("unseen.worlds.folder:folder", "any directory of images, factors read from paths or a manifest"),
    "biased-cars": Entry("unseen.worlds.biased_cars:biased_cars", "Biased-Cars in the official release's layout"),
    "objects": Entry("unseen.worlds.objects:objects", "procedural objects, rendered in any pose, place, size, light"),
    "natural-variation": Entry(
        "unseen.worlds.natural_variation:natural_variation",
        "rendered classes × objects: pose, position, size, light, background, alone, in pairs, together",
    ),
    "cars": Entry("unseen.worlds.cars.world:cars", "rendered car models × azimuth in a street, as in Biased-Cars"),
    "meshes": Entry("unseen.worlds.meshes.world:meshes", "your own meshes in any usual layout, rendered"),
    "dsprites": Entry("unseen.worlds.toys.dsprites:dsprites", "dSprites, re-rendered or the official file"),
    "shapes3d": Entry("unseen.worlds.toys.shapes3d:shapes3d", "3D Shapes, re-rendered or the official file"),
    "mpi3d": Entry("unseen.worlds.toys.mpi3d:mpi3d", "an MPI3D-like robot arm, or the official file"),
    "transformed": Entry(
        "unseen.worlds.transforms.transformed:transformed", "any world, with transformations as a further factor"
    ),
    "generated": Entry(
        "unseen.worlds.generators.generated:generated", "any world beside what a generator (GAN) draws after it"
    ),
    "translated": Entry(
        "unseen.worlds.generators.translated:translated",
        "any world beside what a generator (pix2pix) makes of plainer pictures of it",
    ),
    "stylised": Entry(
        "unseen.worlds.transforms.stylised:stylised", "any world, as it is and painted in styles that tell nothing"
    ),
    "described": Entry(
        "unseen.worlds.described:described",
        "any world, with properties of its categories as further factors (concepts)",
    ),
    "shuffled": Entry(
        "unseen.worlds.shuffled:shuffled", "any world with its pictures assigned to rows at random: a null control"
    ),
}


@lru_cache(maxsize=1)
def worlds() -> dict[str, Entry]:
    """The whole table: ours, and what installed packages add.

    >>> "digits" in worlds()
    True
    """
    added = {point.name: Entry(point.value) for point in entry_points(group=GROUP)}
    return {**added, **WORLDS}


def signature(name: str) -> inspect.Signature:
    """The arguments a world takes."""
    return inspect.signature(_function(name))


def make(name: str, /, **arguments: Any) -> World:
    """The world called ``name``.

    >>> make("digits", viewpont="scale")
    Traceback (most recent call last):
    unseen.vocabulary.errors.UnseenError: no argument 'viewpont' in world 'digits'; possible: viewpoint, categories, \
cell, canvas, sizes, angles. Did you mean 'viewpoint'?
    """
    function = _function(name)
    check_arguments(f"world '{name}'", function, arguments)
    return function(**arguments)


def inner_world(of: object, doing: str) -> World:
    """The world that a wrapper is given: itself, or as a recipe's table with its name and arguments. ``doing`` is what
    the wrapper does to it."""
    if isinstance(of, Mapping):
        arguments = {str(key): value for key, value in of.items()}
        name = arguments.pop("name", None)
        if not isinstance(name, str):
            raise UnseenError(f'`of` needs the `name` of the world to {doing}, such as {{name = "digits"}}.')
        return make(name, **arguments)
    if isinstance(of, World):
        return of
    raise UnseenError(
        f'`of` is a world, or a table with its name and arguments, {{name = "digits"}}; {of!r} was given.'
    )


def check_arguments(what: str, function: Callable[..., object], arguments: Mapping[str, Any]) -> None:
    """Raise for an argument the function does not have, or one it needs and was not given."""
    parameters = inspect.signature(function).parameters
    named = [name for name, p in parameters.items() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        for given in arguments:
            if given not in named:
                raise unknown("argument", given, named, where=what)
    missing = [name for name in named if parameters[name].default is inspect.Parameter.empty and name not in arguments]
    if missing:
        raise UnseenError(f"{what} needs {', '.join(missing)}; its arguments are {', '.join(named)}.")


def describe_worlds() -> list[dict[str, Any]]:
    """One row per world: ``name``, ``summary``, ``arguments`` (name → default) and those ``required``.

    A world of another package that cannot be imported is listed with the reason as its summary.
    """
    rows = []
    for name, entry in worlds().items():
        try:
            function = entry.load()
        except Exception as problem:
            reason = f"cannot be loaded from {entry.target}: {problem}"
            rows.append({"name": name, "summary": reason, "arguments": {}, "required": []})
            continue
        summary = entry.summary or (inspect.getdoc(function) or "").partition("\n")[0]
        parameters = inspect.signature(function).parameters
        named = {key: p.default for key, p in parameters.items() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
        required = [key for key, default in named.items() if default is inspect.Parameter.empty]
        arguments = {key: default for key, default in named.items() if key not in (*required, "progress")}
        rows.append({"name": name, "summary": summary, "arguments": arguments, "required": required})
    return rows


def _function(name: str) -> Callable[..., World]:
    table = worlds()
    if name not in table:
        raise unknown("world", name, table)
    try:
        return table[name].load()
    except (ImportError, AttributeError) as problem:
        raise UnseenError(f"world '{name}' cannot be loaded from {table[name].target}: {problem}.") from problem
