"""What there is, as tables: worlds, designs, networks, recipes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from unseen.vocabulary.errors import unknown

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]


def _worlds() -> list[Row]:
    from unseen.worlds import describe_worlds

    return [
        {"name": row["name"], "what": row["summary"], "arguments": _words([*row["required"]], row["arguments"])}
        for row in describe_worlds()
    ]


def _designs() -> list[Row]:
    from unseen.studies.tables import designs

    rows = []
    for name, function in designs().items():
        own = {k: p.default for k, p in inspect.signature(function).parameters.items() if k not in ("samples", "seed")}
        needed = [key for key, default in own.items() if default is inspect.Parameter.empty]
        what = (inspect.getdoc(function) or "").partition("\n")[0].replace("``", "")
        rows.append(
            {"name": name, "what": what, "arguments": _words(needed, {k: own[k] for k in own if k not in needed})}
        )
    return rows


def _networks() -> list[Row]:
    from unseen.models import describe_models, describe_small

    return [
        {
            "name": row["name"],
            "what": f"{row['parameters']:.2f} million weights",
            "arguments": f"sharing: {', '.join(row['sharing'])}",
        }
        for row in [*describe_models(), *describe_small()]
    ]


def _recipes() -> list[Row]:
    from unseen.studies.recipe_files import summary_of
    from unseen.vocabulary.recipe import shipped

    return [{"name": name, "what": summary_of(path), "arguments": ""} for name, path in shipped().items()]


PARTS: Mapping[str, Callable[[], list[Row]]] = {
    "worlds": _worlds,
    "designs": _designs,
    "networks": _networks,
    "recipes": _recipes,
}


def listed_parts(of: str = "") -> pl.DataFrame:
    """One table: ``of, name, what, arguments``; those with ``!`` must be given."""
    import polars as pl

    if of and of not in PARTS:
        raise unknown("catalogue", of, PARTS)
    rows = [{"of": part, **row} for part in ([of] if of else PARTS) for row in PARTS[part]()]
    return pl.DataFrame(rows).drop(*(["of"] if of else []))


def _words(needed: list[str], others: Mapping[str, Any]) -> str:
    return ", ".join([*(f"{name}!" for name in needed), *others])
