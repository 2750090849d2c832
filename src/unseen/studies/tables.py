"""Names in a recipe meet the functions they stand for, with every argument checked before any work starts."""

from __future__ import annotations

import hashlib
import inspect
import typing
from collections.abc import Callable, Container, Mapping
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError, PydanticUndefinedAnnotation

from unseen import worlds
from unseen.designs import DESIGNS
from unseen.studies.protocol_table import protocol_of
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.plain_values import shown
from unseen.vocabulary.recipe import Recipe
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.sections import DesignSection, NamedSection
from unseen.vocabulary.split import Split
from unseen.vocabulary.world import World

LOCATIONS = frozenset(
    {"root", "manifest", "index", "cache", "download", "workers"}
)  # where, not what: never part of an identity


def placeless(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A world's arguments without those that only say where files lie, also of a world within it. Of a folder whose
    meshes another world shows, that there is one remains.

    >>> placeless({"root": "here", "of": {"name": "mnist", "root": "there"}})
    {'of': {'name': 'mnist'}}
    >>> placeless({"meshes": "here"})
    {'meshes': {}}
    """
    kept: dict[str, Any] = {}
    for key, value in arguments.items():
        if isinstance(value, Mapping):
            kept[key] = placeless(value)
        elif key == "meshes" and isinstance(value, str):
            kept[key] = {}
        elif key not in LOCATIONS:
            kept[key] = value
    return kept


@lru_cache(maxsize=1)
def designs() -> dict[str, Callable[..., Split]]:
    """The whole table of designs: ours, and what installed packages add."""
    added = {point.name: point.load() for point in entry_points(group="unseen.designs")}
    return {**added, **DESIGNS}


def check_call(
    what: str, function: Callable[..., Any], arguments: Mapping[str, Any], given_by_us: tuple[str, ...]
) -> None:
    """Argument names, missing ones and types against a function's signature."""
    parameters = {k: p for k, p in inspect.signature(function).parameters.items() if k not in given_by_us}
    open_ended = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    for name in arguments:
        if name not in parameters and not open_ended:
            raise unknown("key", f"{what}.{name}", [f"{what}.{key}" for key in parameters])
    missing = [
        k for k, p in parameters.items() if p.default is p.empty and k not in arguments and p.kind is not p.VAR_KEYWORD
    ]
    if missing:
        names = ", ".join(f"{what}.{name}" for name in missing)
        raise UnseenError(f"{names} must be given: {function.__name__} has no default for it.")
    try:
        hints = typing.get_type_hints(function)
    except NameError:
        return
    for name, value in arguments.items():
        if name in hints:
            _check_type(f"{what}.{name}", value, hints[name])


_adapter = lru_cache(maxsize=256)(TypeAdapter)  # building one costs more than a hundred checks


def _check_type(key: str, value: Any, hint: Any) -> None:
    try:
        taken = _adapter(hint).validate_python(value)
        if not same_kind(value, taken):
            raise UnseenError(
                f"{key} = {shown(value)} would be read as {shown(taken)}: numbers stand without quotes, and true and "
                "false are no numbers."
            )
    except (PydanticSchemaGenerationError, PydanticUndefinedAnnotation):
        return
    except ValidationError as error:
        message = error.errors()[0]["msg"]
        if "Sequence" in message or "tuple" in message or "list" in message:
            raise UnseenError(f"{key} = {shown(value)} must be a list, e.g. [{shown(value)}].") from None
        raise UnseenError(f"{key} = {shown(value)}: {message[0].lower()}{message[1:]}.") from None


def same_kind(given: Any, taken: Any) -> bool:
    """Whether a value was taken for what it is: truth values stay such, and so does text.

    >>> same_kind(True, 1), same_kind("3", 3), same_kind(3, 3.0), same_kind([1, "3"], [1, 3])
    (False, False, True, False)
    """
    if isinstance(given, Mapping) and isinstance(taken, Mapping):
        return all(same_kind(value, taken.get(key)) for key, value in given.items())
    if isinstance(given, list | tuple) and isinstance(taken, list | tuple):
        return len(given) == len(taken) and all(map(same_kind, given, taken))
    if isinstance(given, bool) or isinstance(taken, bool):
        return isinstance(given, bool) and isinstance(taken, bool)
    return not (isinstance(given, str) and isinstance(taken, int | float))


def open_world(section: NamedSection) -> World:
    """The world a recipe names. Files are looked at anew: a folder may have been edited since it was last opened."""
    _check_world("world", section.name, section.arguments)
    return worlds.make(section.name, **section.arguments)


def _check_world(what: str, name: object, arguments: Mapping[str, Any]) -> None:
    """Arguments of a world, and of one within it; an unknown name is refused by the table itself."""
    if not isinstance(name, str) or name not in worlds.worlds():
        return
    check_call(what, worlds.worlds()[name].load(), arguments, ())
    inner = arguments.get("of", {})
    if inner is None or isinstance(inner, str | int | float | list | tuple):
        raise UnseenError(f"{what}.of = {shown(inner)} must be a section, e.g. [{what}.of] and name = ... below it.")
    if isinstance(inner, Mapping) and all(isinstance(key, str) for key in inner):
        below = {key: value for key, value in inner.items() if key != "name"}
        _check_world(f"{what}.of", inner.get("name"), below)


def design_call(section: DesignSection) -> tuple[Callable[..., Split], dict[str, Any]]:
    """The design a recipe names and its arguments, checked; lists are read from their files."""
    table = designs()
    if section.name not in table:
        raise unknown("design", section.name, table)
    arguments = dict(section.arguments)
    if isinstance(arguments.get("lists"), Mapping):
        arguments["lists"] = {name: read_list(where) for name, where in arguments["lists"].items()}
    check_call("design", table[section.name], arguments, ("samples", "seed"))
    return table[section.name], arguments


def trains(recipe: Recipe) -> bool:
    """Whether a recipe's design has rows to train on. One that only asks makes no network."""
    function = designs().get(recipe.design.name)
    return getattr(inspect.getmodule(function), "TRAINS", True) if function else True


def make_split(section: DesignSection, samples: Samples) -> Split:
    function, arguments = design_call(section)
    return function(samples, **arguments, seed=section.seed)


def read_list(where: Any) -> list[str]:
    """One name per line; labels behind a name are left to the design, which knows the names."""
    if isinstance(where, list):
        return where
    path = Path(str(where))
    if not path.is_file():
        raise UnseenError(f"design.lists names '{where}', which is not a file here ({Path.cwd()}).")
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


PAIRED = ("ada-gvae", "slow-vae", "pcl")  # objectives that see pairs, both images of which are augmented


def component_versions(recipe: Recipe, space: Container[str]) -> dict[str, int]:
    """The version number of each part whose change would change results; a fixed bug raises it.

    A part that not every trial uses is named only where it is used, so that a fault mended there orphans no other.
    """
    function = designs().get(recipe.design.name)
    module = inspect.getmodule(function) if function else None
    versions = {"design": getattr(module, "VERSION", 1), "training": 1, "models": 1, "recordings": 1}
    if recipe.training.augment:
        versions["augment"] = 3 if recipe.training.objective in PAIRED else 2
    if recipe.training.augment.get("brightness") and recipe.world.name == "transformed":
        versions["brightness"] = 2  # it cut off what is darker than black
    if (protocol := protocol_of(recipe)).version > 1:
        versions["protocol"] = protocol.version
    if (pools := _pools_version(recipe, function, space)) is not None:
        versions["pools"] = pools
    return versions


def _pools_version(recipe: Recipe, design: Callable[..., Split] | None, space: Container[str]) -> int | None:
    """Of pools that do not take every image for itself. 3: by the world's instance factor, whatever it is called, and
    also where levels are held out."""
    arguments = recipe.design.arguments
    by = arguments.get("disjoint_by", "instance")
    takes = design is not None and "disjoint_by" in inspect.signature(design).parameters
    if takes and by == "instance" and isinstance(space, FactorSpace):
        used = {str(value) for value in arguments.values() if isinstance(value, str)}
        kinds = [f.name for f in space.factors if f.kind == "instance" and f.name not in used]
        if kinds and ("instance" not in space or getattr(inspect.getmodule(design), "POOLS_BY_KIND", False)):
            return 3
    return 2 if by == "nothing" or by in space else None


def digest(text: str, size: int = 8) -> str:
    return hashlib.blake2b(text.encode(), digest_size=size).hexdigest()
