"""The grids of a recipe's tables: dotted keys and the values to try, changed by ``--set`` where they are."""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from unseen.vocabulary.errors import UnseenError, listed


def grids_of(tables: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    """The grids of a recipe. Without quotes TOML makes tables of a dotted key; they are put together again."""
    grid = tables.get("grid", {})
    grids = [grid] if isinstance(grid, Mapping) else grid
    if not isinstance(grids, list | tuple) or not all(isinstance(one, Mapping) for one in grids):
        raise UnseenError(
            f"{where}: grid = {grid!r} must be a section of keys with lists to try, e.g. "
            f'[grid] and "design.seen_per_level" = [1, 2, 4].'
        )
    return [dotted(one) for one in grids] or [{}]


def dotted(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Nested tables under dotted keys.

    >>> dotted({"design": {"seen_per_level": [1, 2]}})
    {'design.seen_per_level': [1, 2]}
    """
    flat: dict[str, Any] = {}
    for key, value in tables.items():
        inner = (
            {f"{key}.{rest}": v for rest, v in dotted(value).items()} if isinstance(value, Mapping) else {key: value}
        )
        flat |= inner
    return flat


def varied(grids: Sequence[Mapping[str, Any]], key: str, values: Any) -> list[dict[str, Any]]:
    """Several grids with other values for a key: in those that have it, or in all where none has.

    >>> varied([{"a.b": [1], "c.d": [2]}, {"c.d": [3]}], "a.b", [4])
    [{'a.b': [4], 'c.d': [2]}, {'c.d': [3]}]
    >>> varied([{"c.d": [2]}, {"c.d": [3]}], "a.b", [4])
    [{'c.d': [2], 'a.b': [4]}, {'c.d': [3], 'a.b': [4]}]
    """
    anywhere = any(key in one for one in grids)
    return [{**one, key: values} if key in one or not anywhere else dict(one) for one in grids]


def check_overruled(grids: Sequence[Mapping[str, Any]], key: str, change: str, also: bool) -> None:
    """A setting that every grid would overrule is refused; one that some would, unless their values are set ``also``.
    The error is a command's words that work. ``change`` is the setting as it was given."""
    own = [one[key] for one in grids if key in one]
    if not own or (also and len(own) < len(grids)):
        return
    instead = f'grid."{key}"'
    if len(grids) == 1:
        raise UnseenError(f"--set {key}: this recipe has a grid over '{key}' = {own[0]}; set '{instead}' instead.")
    words = _set(f"{instead}=[{inline(setting_value(change))}]")
    values = listed(dict.fromkeys(map(str, own)))
    if len(own) < len(grids):
        raise UnseenError(
            f"--set {key}: {len(own)} of this recipe's {len(grids)} grids have their own '{key}' = {values}, which "
            f"would overrule it there; for all trials: {_set(change)} {words}"
        )
    alone = {**grids[0], key: [setting_value(change)]}
    raise UnseenError(
        f"--set {key}: all {len(grids)} grids of this recipe have their own '{key}' = {values}; in all of them: {words}"
        f"\nin a grid of your own, here the first one's: {_set(f'grid={inline(alone)}')}"
    )


def setting_value(change: str) -> Any:
    """The value of ``key=value``, read as TOML, or as plain text where it is none.

    >>> setting_value("training.epochs=3"), setting_value("world.name=digits")
    (3, 'digits')
    """
    value = change.partition("=")[2].strip()
    try:
        found = tomllib.loads(f"value = {value}")
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return value
    return found["value"] if set(found) == {"value"} else value  # more lines are more keys, which nobody asked for


def inline(value: Any) -> str:
    """Plain data as TOML on one line.

    >>> inline({"a.b": [1, True, "x"], "c": [{"d": 0.5}]})
    '{"a.b" = [1, true, "x"], "c" = [{"d" = 0.5}]}'
    """
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{json.dumps(key)} = {inline(one)}' for key, one in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(inline, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool) else str(value)


def _set(change: str) -> str:
    return f"--set {shlex.quote(change)}"
