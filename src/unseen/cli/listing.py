"""Lists and tables on the terminal, within 80 columns."""

from __future__ import annotations

import inspect
from typing import Any

from rich.console import Console
from rich.table import Table

from unseen.vocabulary.errors import unknown

FORMATS = ("table", "csv", "json", "markdown")


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def list_worlds(console: Console) -> None:
    from unseen.worlds import describe_worlds

    table = _table("world", "what it is", "arguments")
    for row in describe_worlds():
        names = [f"{name}!" for name in row["required"]] + list(row["arguments"])
        table.add_row(row["name"], row["summary"], ", ".join(names))
    console.print(table)
    console.print('\nAn argument with ! must be given. In a recipe: \\[world] name = "digits", viewpoint = "scale".')


def list_designs(console: Console) -> None:
    from unseen.studies.tables import designs

    for name, function in designs().items():
        doc = inspect.getdoc(function) or ""
        console.print(f"[bold]{name}[/]")
        console.print(f"  {doc.partition(chr(10))[0]}", markup=False)
        for key, parameter in inspect.signature(function).parameters.items():
            if key == "samples":
                continue
            default = "must be given" if parameter.default is parameter.empty else f"default {parameter.default!r}"
            console.print(f"    {key}: {default}", markup=False)


def list_models(console: Console, network: str | None) -> None:
    from unseen.models import describe_models, layer_names

    if network is not None:
        for sharing in ("shared", "separate"):
            names = layer_names(network, ["category", "viewpoint"], sharing)
            console.print(f"[bold]{sharing}[/]: {', '.join(names)}")
        return
    table = _table("backbone", "M params", "sharing", "least px", "small stem")
    for row in describe_models():
        table.add_row(
            row["name"], f"{row['parameters']:.2f}", ", ".join(row["sharing"]),
            str(row["smallest"]["standard"]), str(row["smallest"]["small"]),
        )  # fmt: skip
    console.print(table)
    console.print("\nAny other timm name, or your own module:factory, works as shared or separate.")


def list_recipes(console: Console, name: str | None) -> None:
    from unseen.studies.describe import find_recipe, shipped, summary_of

    if name is not None:
        print(find_recipe(name).read_text(encoding="utf-8"), end="")
        return
    table = _table("recipe", "what it asks")
    for key, path in shipped().items():
        table.add_row(key, summary_of(path))
    console.print(table)
    console.print("\n`unseen recipes NAME` prints one; `unseen plan NAME` shows what it would do.")


def show_results(study: Any, console: Console, form: str, summary: bool) -> None:
    """Numbers of a study in the form asked for."""
    if form not in FORMATS:
        raise unknown("format", form, FORMATS)
    from unseen.studies.collect import collect
    from unseen.studies.contents import summary_of

    frame = summary_of(study) if summary else collect(study)
    if form == "csv":
        print(frame.write_csv(), end="")
    elif form == "json":
        print(frame.write_json())
    elif form == "markdown":
        print(markdown(frame))
    else:
        _accuracy_table(console, frame) if summary else console.print(markdown(frame.head(40)), markup=False)


def markdown(frame: Any) -> str:
    """A frame as a Markdown table."""
    lines = ["| " + " | ".join(frame.columns) + " |", "|" + "---|" * len(frame.columns)]
    for row in frame.iter_rows():
        cells = ["" if v is None else f"{v:.4g}" if isinstance(v, float) else str(v) for v in row]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _accuracy_table(console: Console, frame: Any) -> None:
    """The study's main numbers for a person: accuracy and specialization."""
    shown = frame.filter(frame["measure"].is_in(["accuracy", "median specialization", "share of units"]))
    table = _table("measure", "of", "series", "x", "value [95 % interval]", "n")
    for row in shown.iter_rows(named=True):
        of = " ".join(filter(None, [row["target"], row["set"], row["layer"], row["unit_type"]]))
        low, high = row["low"], row["high"]
        spread = f" [{low:.3f}, {high:.3f}]" if low == low and low is not None else ""
        table.add_row(row["measure"], of, row["series"], f"{row['x']:g}", f"{row['value']:.3f}{spread}", str(row["n"]))
    console.print(table)
