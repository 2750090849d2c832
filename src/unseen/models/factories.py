"""Finding a user's own network: ``module:factory``, or an installed package's entry point."""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from unseen.models.catalogue import Backbone
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.sources import defining_files, find_source, is_pythons, names_code
from unseen.vocabulary.trust import CodeUnknown, check_place, is_allowed, missing_module, require
from unseen.vocabulary.uncompiled import run_from_source


def factory_of(name: str, *, trust: bool = True) -> Callable[..., Any] | Backbone | None:
    """What ``module:factory`` or the entry point (group ``unseen.backbones``) called ``name`` stands for, if anything.

    ``trust``: whoever calls named it. Where a recipe did, ``False`` refuses what was not allowed (`vocabulary.trust`).
    The working directory is searched too: ``unseen`` as a console script would not find the user's file otherwise.
    """
    if not names_code(name):
        found = [point for point in importlib.metadata.entry_points(group="unseen.backbones") if point.name == name]
        return _loaded(name, found[0]) if found else None
    source = check_place(name)
    if not trust:
        require([name], "the recipe")
    place, _, attribute = name.partition(":")
    before = _digest(defining_files(place, attribute))
    module = _imported(name, place)
    if not trust and source is not None and not _is_from(module, source.file):
        raise UnseenError(f"backbone '{name}': '{place}' was imported from '{module.__file__}', not '{source.file}'.")
    if not hasattr(module, attribute):
        callables = [n for n, v in vars(module).items() if callable(v) and not n.startswith("_")]
        raise unknown("factory", attribute, callables, where=f"module '{place}'")
    factory = getattr(module, attribute)
    if not callable(factory):
        raise UnseenError(f"backbone '{name}': '{attribute}' is a {type(factory).__name__}, not something to call.")
    home = factory.__module__ if isinstance(factory, BuiltinFunctionType | FunctionType | type) else None
    if home and is_pythons(home, find_source(home)):
        raise UnseenError(f"backbone '{name}': '{attribute}' is a part of Python ({home}), not a factory of networks.")
    if _as_imported.get(name, (None, None))[0] is not module:
        _as_imported[name] = module, before or _source(module, _code(factory))
    return factory


def _imported(name: str, place: str) -> ModuleType:
    run_from_source()
    try:
        with _working_directory():
            return importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name and (place == error.name or place.startswith(f"{error.name}.")):
            raise missing_module(name, error.name) from error
        raise UnseenError(f"backbone '{name}': importing '{place}' needs the missing module '{error.name}'.") from error
    except (Exception, SystemExit) as error:  # a module that leaves while it is imported is broken, not finished
        raise UnseenError(f"backbone '{name}': importing '{place}' failed: {type(error).__name__}: {error}") from error


def _loaded(name: str, point: importlib.metadata.EntryPoint) -> Any:
    """What an installed package gives the name to; whoever installed it trusts it."""
    try:
        return point.load()
    except (Exception, SystemExit) as error:
        raise UnseenError(
            f"backbone '{name}' of an installed package cannot be loaded from '{point.value}': "
            f"{type(error).__name__}: {error}"
        ) from error


def _is_from(module: ModuleType, file: Path) -> bool:
    there = getattr(module, "__file__", None)
    return there is not None and Path(there).resolve() == file.resolve()


_as_imported: dict[str, tuple[ModuleType, str | None]] = {}  # what is edited later counts when it is next imported


def code_of(name: str) -> dict[str, str | None]:
    """What a user's own network counts by in an identity: its package's version, and a digest of the source files of
    the module named and of what the factory is defined in. Other modules that these import are not followed. Of
    ``module:factory`` nothing is imported as long as its files tell."""
    points = [point for point in importlib.metadata.entry_points(group="unseen.backbones") if point.name == name]
    if points:
        factory, module = factory_of(name), sys.modules.get(points[0].module)
        made = factory.make if isinstance(factory, Backbone) else factory
        return {"version": points[0].dist.version if points[0].dist else None, "source": _source(module, _code(made))}
    place, _, attribute = name.partition(":")
    known, digest = _as_imported.get(name, (None, None))
    if known is None or sys.modules.get(place) is not known:
        digest = _digest(defining_files(place, attribute))
        if digest is None:
            if not is_allowed(name):
                raise CodeUnknown(f"the code of '{name}' is not at hand, or cannot be told without importing it")
            factory_of(name, trust=False)
            digest = _as_imported[name][1]
    return {"version": None, "source": digest}


def _code(made: Any) -> FunctionType | type:
    return made if isinstance(made, FunctionType | type) else type(made)


@lru_cache(maxsize=64)
def _source(module: ModuleType | None, code: FunctionType | type) -> str | None:
    """Read once for a factory, as its code is: what is edited later runs, and counts, when it is next imported."""
    files = set()
    for part in (module, code):
        try:
            files.add(inspect.getsourcefile(part))  # type: ignore[arg-type]
        except (TypeError, OSError):  # built in, or made where there is no file
            continue
    return _digest(frozenset(Path(file) for file in files if file and Path(file).is_file()))


def _digest(files: frozenset[Path] | None) -> str | None:
    """Of what files hold, in no order."""
    if not files:
        return None
    try:
        found = sorted(file.read_bytes() for file in files)
    except OSError:
        return None
    return hashlib.blake2b(b"\0".join(found), digest_size=8).hexdigest()


@contextmanager
def _working_directory() -> Iterator[None]:
    here = str(Path.cwd())
    added = here not in sys.path and "" not in sys.path
    if added:
        sys.path.append(here)
    try:
        yield
    finally:
        if added and here in sys.path:
            sys.path.remove(here)
