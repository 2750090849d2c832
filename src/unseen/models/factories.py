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
from types import FunctionType, ModuleType
from typing import Any

from unseen.models.catalogue import Backbone
from unseen.vocabulary.errors import UnseenError, unknown


def factory_of(name: str) -> Callable[..., Any] | Backbone | None:
    """What ``module:factory`` or the entry point (group ``unseen.backbones``) called ``name`` stands for, if anything.

    The working directory is searched too: ``unseen`` as a console script would not find the user's file otherwise.
    """
    if ":" not in name:
        found = [point for point in importlib.metadata.entry_points(group="unseen.backbones") if point.name == name]
        return found[0].load() if found else None
    place, _, attribute = name.partition(":")
    try:
        with _working_directory():
            module = importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name and (place == error.name or place.startswith(f"{error.name}.")):
            raise UnseenError(
                f"backbone '{name}': no module '{error.name}'. It must be installed, or be a file '{error.name}.py' in "
                f"the working directory ({Path.cwd()})."
            ) from error
        raise UnseenError(f"backbone '{name}': importing '{place}' needs the missing module '{error.name}'.") from error
    except Exception as error:
        raise UnseenError(f"backbone '{name}': importing '{place}' failed: {type(error).__name__}: {error}") from error
    if not hasattr(module, attribute):
        callables = [n for n, v in vars(module).items() if callable(v) and not n.startswith("_")]
        raise unknown("factory", attribute, callables, where=f"module '{place}'")
    factory = getattr(module, attribute)
    if not callable(factory):
        raise UnseenError(f"backbone '{name}': '{attribute}' is a {type(factory).__name__}, not something to call.")
    return factory


def code_of(name: str) -> dict[str, str | None]:
    """What a user's own network counts by in an identity: its package's version, and a digest of the source files of
    the module named and of what the factory is defined in. Other modules that these import are not followed."""
    factory = factory_of(name)
    points = [point for point in importlib.metadata.entry_points(group="unseen.backbones") if point.name == name]
    module = sys.modules.get(points[0].module if points else name.partition(":")[0])
    made = factory.make if isinstance(factory, Backbone) else factory
    code = made if isinstance(made, FunctionType | type) else type(made)
    version = points[0].dist.version if points and points[0].dist else None
    return {"version": version, "source": _source(module, code)}


@lru_cache(maxsize=64)
def _source(module: ModuleType | None, code: FunctionType | type) -> str | None:
    """Read once for a factory, as its code is: what is edited later runs, and counts, when it is next imported."""
    files = set()
    for part in (module, code):
        try:
            files.add(inspect.getsourcefile(part))  # type: ignore[arg-type]
        except (TypeError, OSError):  # built in, or made where there is no file
            continue
    found = sorted(Path(file).read_bytes() for file in files if file and Path(file).is_file())
    return hashlib.blake2b(b"\0".join(found), digest_size=8).hexdigest() if found else None


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
