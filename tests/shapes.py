"""The run-time checker that ``conftest.py`` puts on every function of ``unseen``.

Where an annotation names an array, jaxtyping checks its shape and type; every other annotation is checked by beartype
alone, which is many times faster. Checkers are made when a function is first called: most of a thousand modules'
functions are not, in one process. An int may stand for a float. A wrong word where only some are possible is let
through: the function itself answers it with a sentence, and tests ask for that sentence. Functions inside functions
are checked where they name arrays.
"""

import dataclasses
import inspect
import threading
from functools import partial, wraps
from typing import Any, get_args, get_type_hints

import jaxtyping
from beartype import BeartypeConf, beartype
from beartype.roar import BeartypeCallHintViolation, BeartypeException

_strict = beartype(conf=BeartypeConf(is_pep484_tower=True))
_plain = beartype(conf=BeartypeConf(is_pep484_tower=True, violation_type=jaxtyping.TypeCheckError))
_shaped = jaxtyping.jaxtyped
_making = threading.RLock()
_known: dict[Any, dict[str, Any]] = {}  # what the annotations of a piece of code mean


def checked(function):
    careful = _strict(function)

    @wraps(function)
    def call(*arguments, **options):
        try:
            return careful(*arguments, **options)
        except BeartypeCallHintViolation as violation:
            if "typing.Literal[" not in str(violation):
                raise
            return function(*arguments, **options)

    return call


def install():
    """Check every function and dataclass of ``unseen`` that is imported from here on."""
    jaxtyping.install_import_hook("unseen", "shapes.checked")
    jaxtyping.jaxtyped = when_called  # what the hook writes before each function


def when_called(function=None, *, typechecker=None):
    """jaxtyping's own decorator, applied when the function is first called, and only where arrays are named."""
    if function is None:
        return partial(when_called, typechecker=typechecker)
    if isinstance(function, classmethod | staticmethod):
        return type(function)(when_called(function.__func__, typechecker=typechecker))
    if inspect.isclass(function):
        if dataclasses.is_dataclass(function) and "__init__" in vars(function):
            function.__init__ = when_called(function.__init__, typechecker=typechecker)
        return function
    if not inspect.isfunction(function) or hasattr(function, "__wrapped__"):
        return function if inspect.isfunction(function) else _shaped(function, typechecker=typechecker)
    hints = meant(function)
    if not hints:
        return function
    arrays = any(map(names_array, hints.values()))
    if "<locals>" in function.__qualname__ and not arrays:
        return function
    ready = None

    @wraps(function)
    def call(*arguments, **options):
        nonlocal ready
        if ready is None:
            with _making:  # two threads that call it first would read annotations that the other is changing
                ready = _shaped(function, typechecker=typechecker) if arrays else plain(function, hints, typechecker)
        return ready(*arguments, **options)

    return call


def plain(function, hints, typechecker):
    """Checked by beartype alone."""
    as_written, function.__annotations__ = function.__annotations__, hints
    try:
        return _plain(function)
    except BeartypeException:  # a hint that it does not take on the function itself
        return _shaped(function, typechecker=typechecker)
    finally:
        function.__annotations__ = as_written


def meant(function):
    """The annotations of a function as types; what cannot be known yet, and words, are anything."""
    key = function.__code__, function.__module__, function.__qualname__
    if key not in _known:
        found = {name: typed(one, function.__globals__) for name, one in function.__annotations__.items()}
        _known[key] = {name: one for name, one in found.items() if one is not Any}
    return _known[key]


def typed(annotation, names):
    def one(value: annotation): ...

    try:
        hint = get_type_hints(one, names, include_extras=True)["value"]
    except Exception:
        return Any
    return Any if "typing.Literal[" in repr(hint) else hint


def names_array(hint):
    if inspect.isclass(hint):
        return issubclass(hint, jaxtyping.AbstractArray)
    return any(map(names_array, get_args(hint)))
