"""Finding a user's own network: ``module:factory``, or an installed package's entry point."""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
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
