"""Tables of the page: findings, numbers, published beside ours, flags, facts."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from unseen.reports.charts import set_title
from unseen.reports.contents import Contents, Exposure, Finding
from unseen.reports.words import interval, measured, number, plain

if TYPE_CHECKING:
    import polars as pl

MOST_ROWS = 1500  # in the page; the CSV has them all
MOST_FLAGS = 12  # shown at once; more are counted by kind and folded away


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = (), wrap: Sequence[str] = ()
) -> str:
    """Escaped cells in a container that scrolls by itself where the screen is narrow, or the table long."""
    sides = [' class="right"' if head in right else ' class="wrap"' if head in wrap else "" for head in heads]
    head = "".join(f'<th scope="col"{side}>{escape(name)}</th>' for name, side in zip(heads, sides))
    body = "\n".join(
        f"<tr>{''.join(f'<td{side}>{escape(cell)}</td>' for cell, side in zip(row, sides))}</tr>" for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'
    )


def findings(items: Sequence[Finding]) -> str:
    marks = {
        True: ("holds", "✓ holds"),
        False: ("fails", "✗ does not hold"),
        None: ("open", "○ open"),
    }
    made = []
    for item in items:
        style, words = marks[item.holds]
        numbers = measured(item.value, item.low, item.high, item.n, item.p)
        made.append(
            f'<li><span class="mark {style}">{words}</span>'
            f"<span><strong>{escape(item.name[:1].upper() + item.name[1:])}.</strong> {escape(item.statement)}</span>"
            f'<span class="number">{numbers}</span></li>'
        )
    return f'<ul class="findings">\n{"".join(made)}\n</ul>'


def trends(about: Exposure) -> str:
    """Across-category accuracy of each transformation against the number of categories seen transformed."""
    rows = []
    for trend in about.trends:
        model, level, family = about.series[trend.series]
        spread = interval(trend.low, trend.high, trend.n)
        ends = f"{number(trend.first)} → {number(trend.last)}"
        rows.append(
            [model, level, family, ends, f"{trend.correlation:.2f}".replace("-", "−").replace("nan", "undefined"),
             spread, str(trend.n), trend.growth]
        )  # fmt: skip
    heads = ["model", "transformation", "family", "across, fewest → most seen", "ρ", "95 % interval", "n", "growth"]
    if not any(row[0] for row in rows):
        heads, rows = heads[1:], [row[1:] for row in rows]
    words = (
        "Across-category accuracy and the number of categories seen transformed: Spearman's ρ is the mean over "
        "repeats of the correlation within each, its interval over repeats; plainly trained networks are left out. "
        "Growth: a straight line against a logarithm by AIC."
    )
    return table(heads, rows, right=("ρ", "n"), wrap=("growth",)) + f'<p class="small">{escape(words)}</p>'


def published(contents: Contents) -> str:
    """Published numbers, with ours beside them where the series, x and set are the same."""
    from unseen.reports.selection import FACTORS, lead_target, measure_rows

    assert contents.published is not None
    rows = measure_rows(contents, "accuracy" if contents.regression is None else "R²")
    lead = lead_target(rows) if contents.regression is None else FACTORS
    ours = {(row["series"].casefold(), row["x"], row["set"]): row for row in rows if row["target"] == lead}
    made = []
    for row in contents.published.to_dicts():
        mine = ours.get((row["series"].casefold(), row["x"], row["set"]))
        beside = ["not run", "", "", ""]
        if mine is not None:
            gap = number(mine["value"] - row["value"])
            beside = [number(mine["value"]), interval(mine["low"], mine["high"], mine["n"]), str(mine["n"]), gap]
        made.append(
            [row["figure"], row["series"], plain(row["x"]), set_title(row["set"]), number(row["value"]), *beside]
        )
    heads = ["figure", contents.series_title, contents.x_title, "images", "published", "ours", "95 % interval", "n"]
    return table([*heads, "ours − published"], made, right=("published", "ours", "n", "ours − published"))


def summary(contents: Contents) -> str:
    """Every number of the report with its interval and n."""
    frame = contents.summary
    names = {"x": contents.x_title, "series": contents.series_title, "set": "images", "unit_type": "unit type"}
    keys = ["measure", "series", "x", "set", "target", "layer", "unit_type"]
    keys = [key for key in keys if key in frame.columns and any(value not in (None, "") for value in frame[key])]
    rows = [
        [
            *(_key(key, row[key]) for key in keys),
            number(row["value"], percent=row["measure"] == "share of units"),
            interval(row["low"], row["high"], row["n"], percent=row["measure"] == "share of units"),
            str(row["n"]),
        ]
        for row in frame.head(MOST_ROWS).to_dicts()
    ]
    cut = f'<p class="small">The first {MOST_ROWS:,} of {frame.height:,} rows; the CSV has all.</p>'
    shown = table([*(names.get(key, key) for key in keys), "value", "95 % interval", "n"], rows, right=("value", "n"))
    return (cut if frame.height > MOST_ROWS else "") + shown


def _key(name: str, value: Any) -> str:
    if value is None:
        return ""
    return plain(value) if name == "x" else set_title(value) if name == "set" else str(value)


def csv_link(frame: pl.DataFrame, name: str) -> str:
    """The whole table as a file, inside the page."""
    import polars.selectors as cs

    data = base64.b64encode(
        frame.with_columns(cs.float().fill_nan(None)).write_csv(float_precision=6).encode()
    ).decode()
    return (
        f'<a class="download small" download="{escape(name)}" href="data:text/csv;charset=utf-8;base64,{data}">'
        f"Download as CSV ({frame.height:,} rows)</a>"
    )


def flags(contents: Contents) -> str:
    frame = contents.flags
    if not frame.height:
        return f"<p>None: every trial that was run {_sound(contents)}</p>"
    columns = ("flag", "series", "x", "seed", "trial", "detail")
    rows = [[_key(name, row[name]) for name in columns] for row in frame.to_dicts()]
    heads = ["flag", contents.series_title, contents.x_title, "seed", "trial", "detail"]
    made = table(heads, rows, wrap=("detail",))
    if frame.height <= MOST_FLAGS:
        return made
    kinds = Counter(frame["flag"]).most_common()
    words = f"{frame.height:,} flags: {', '.join(f'{count:,} {kind}' for kind, count in kinds)}"
    return f"<details><summary>{escape(words)}</summary>{made}</details>"


def _sound(contents: Contents) -> str:
    """What the absence of flags says: of convergence nothing where training could not judge it."""
    curves = contents.curves
    if curves.height and curves.group_by("trial").n_unique()["epoch"].min() == 1:
        return "finished and stayed finite; with one epoch convergence cannot be judged."
    if re.search(r'^select = "last"', contents.recipe, re.MULTILINE):
        return "finished and stayed finite; convergence is judged only where the best epoch is selected."
    return "finished, converged and stayed finite."


def facts(sections: Mapping[str, Mapping[str, str]]) -> str:
    parts = []
    for title, values in sections.items():
        rows = "".join(
            f'<tr><th scope="row">{escape(str(key))}</th><td>{escape(str(value))}</td></tr>'
            for key, value in values.items()
        )
        parts.append(f"<div><h3>{escape(title)}</h3><table>{rows}</table></div>")
    return f'<div class="facts">{"".join(parts)}</div>'
