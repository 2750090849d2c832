"""Recipes with one thing wrong, drawn by chance (seeded) or listed one by one, and the path of `unseen check`."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from unseen.engines import open_study
from unseen.kinds.checks import check
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import extended, own_tables, shipped

SECTIONS = ("training", "readout", "search", "calibration", "network", "recordings", "measures", "world", "design")
ODD: tuple[Any, ...] = (
    math.nan, math.inf, -math.inf, -1, 0, 2**62, -(2**62), 10**40, 1e300, 1e-300, 0.5, True, False, "x", "", "3", "nan",
    "None", "é漢字🙂", "a\x00b", "\x1b[31m", "\ud800", [], {}, [[]], {"": 1}, [None], ["x", 3], {"name": "x"}, None,
    "../../etc/passwd", "*", "x" * 5000, list(range(1000)), [True, 1], b"bytes", 1 + 2j, object(),
)  # fmt: skip
NONSENSE: tuple[Any, ...] = (math.nan, math.inf, -1, True, "x")  # no number of a recipe may be any of these
MAY_BE_BELOW_ZERO = {"world.angles", "world.zenith"}  # angles are numbers too


def tables_of(name: str) -> dict[str, Any]:
    path = shipped()[name]
    return extended(own_tables(path), path)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in nested tables and lists."""
    if path:
        yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inside:
        yield from places(below, (*path, key))


def at(tables: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        tables = tables[key]
    return tables


def changed(tables: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    made = copy.deepcopy(tables)
    at(made, path[:-1])[path[-1]] = value
    return made


def misspelt(word: str, chance: Random) -> str:
    place = chance.randrange(max(1, len(word)))
    return word[:place] + chance.choice("xyzé\t") + word[place + 1 :]


def mutation(name: str, number: int) -> tuple[str, dict[str, Any]]:
    """The recipe with one thing changed, the same for the same number, and what it was."""
    chance, tables = Random(f"{name} {number}"), tables_of(name)
    path = chance.choice(list(places(tables)))
    kind = chance.choice(("delete", "odd", "odd", "odd", "misspell", "nest", "twice", "elsewhere"))
    made, inside = copy.deepcopy(tables), path[:-1]
    here, key, value = at(made, inside), path[-1], at(tables, path)
    if kind == "delete":
        del here[key]
    elif kind == "misspell" and isinstance(value, str):
        here[key] = misspelt(value, chance)
    elif kind == "misspell" and isinstance(key, str):
        here[misspelt(key, chance)] = here.pop(key)
    elif kind == "nest":
        here[key] = chance.choice(({"name": value}, [value], {str(key): {str(key): value}}))
    elif kind == "twice" and isinstance(value, list):
        here[key] = value + value
    elif kind == "elsewhere":
        section = chance.choice(SECTIONS)
        made.setdefault(section, {})[str(key)] = value
        kind = f"elsewhere ({section})"
    else:
        kind, here[key] = "odd", chance.choice(ODD)
    return f"{name} {number}: {kind} at {path}", made


def numbers(tables: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Where a recipe has numbers: one place of each list."""
    found = {}
    for path in places(tables):
        value = at(tables, path)
        if isinstance(value, int | float) and not isinstance(value, bool):
            bare = tuple("[]" if isinstance(part, int) else part for part in path)
            found.setdefault(bare, path)
    return list(found.values())


def refused(tables: dict[str, Any]) -> str | None:
    """What `unseen check` says against a recipe; None where it passes. Anything but an UnseenError comes through."""
    try:
        check(open_study(tables, out=Path("nowhere")))
    except UnseenError as error:
        said = str(error)
        assert said.strip(), "an error without words"
        said.encode()
        return said
    return None


def shown(tables: Any) -> str:
    return json.dumps(tables, default=repr)[:2000]
