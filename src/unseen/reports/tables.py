"""Tables of the page: findings, numbers, published beside ours, flags, facts."""

from __future__ import annotations

import base64
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, cast

from unseen.reports.charts import set_title
from unseen.reports.contents import Contents
from unseen.reports.finding import Finding
from unseen.reports.words import finding_numbers, has_interval, interval, number, plain, verdict_words
from unseen.vocabulary.words import capital

if TYPE_CHECKING:
    import polars as pl

MOST_ROWS = 1500  # in the page; the CSV has them all
TELLING = 5  # epochs that a plateau can be seen in (ours)
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


def verdicts(items: Sequence[Finding]) -> str:
    """Claims at a glance: verdict, claim, number, repeats. What nothing is expected of is told among the details."""
    shown = [item for item in items if item.judged] or items
    rows = []
    for item in shown:
        style, words = verdict_words(item)
        spread = f" {interval(item.low, item.high, item.n)}" if has_interval(item.low, item.high) else ""
        rows.append(
            f'<tr><td><a class="mark {style}" href="#verdict-rules">{words}</a></td>'
            f'<td class="wrap">{escape(headed(item.name))}</td>'
            f"<td>{escape(number(item.value) + spread)}</td>"
            f"<td>{escape(f'{item.n} {item.over}'.strip() if item.n != 1 else '1')}</td></tr>"
        )
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("verdict", "claim", "number [95 %]", "n"))
    body = "\n".join(rows)
    return (
        f'<div class="scroll whole" tabindex="0"><table class="verdicts"><thead><tr>{heads}</tr></thead>'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def headed(name: str) -> str:
    """A claim as a heading. One that begins with whom it is of begins as that is spelt.

    >>> headed("shape decides"), headed("resnet18: shape decides"), headed("vit-tiny-p8 is worse")
    ('Shape decides', 'resnet18: shape decides', 'vit-tiny-p8 is worse')
    """
    first = name.partition(" ")[0]
    return name if first.endswith(":") or any(letter.isdigit() for letter in first) else capital(name)


def findings(items: Sequence[Finding]) -> str:
    """Each with its verdict, its numbers and, where it is open, why."""
    made = []
    for item in items:
        style, words = verdict_words(item)
        why = f'<span class="why">Open: {escape(item.why)}.</span>' if item.judged and item.why else ""
        made.append(
            f'<li><a class="mark {style}" href="#verdict-rules">{words}</a>'
            f"<span><strong>{escape(headed(item.name))}.</strong> {escape(item.statement)}</span>"
            f'<span class="number">{escape(finding_numbers(item))}</span>{why}</li>'
        )
    return f'<ul class="findings">\n{"".join(made)}\n</ul>'


def published(contents: Contents, measure: str = "accuracy", target: str = "") -> str:
    """Published numbers, with ours of a measure and target beside them where the series, x and set are the same."""
    from unseen.reports.selection import lead_target, measure_rows

    assert contents.published is not None
    rows = measure_rows(contents, measure)
    lead = target or lead_target(rows)
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
    keys = [key for key in keys if key != "x" or contents.x_title]  # without a title it says what another column says
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
        f"Download as CSV ({frame.height:,} row{'s' * (frame.height != 1)})</a>"
    )


def flags(contents: Contents) -> str:
    """Trials that are not there first: means over what is there may be of other conditions than they seem."""
    unrun, of = contents.unrun
    left = f"<p>{unrun:,} of {of:,} trials have not finished; everything here is without them.</p>" if unrun else ""
    return left + _flags(contents)


def _flags(contents: Contents) -> str:
    frame = contents.flags
    if not frame.height:
        none = "Of the others none" if contents.unrun[0] else "None"
        return f"<p>{none}: every trial that was run {_sound(contents)}</p>"
    heads = {"flag": "flag", "series": contents.series_title, "x": contents.x_title}
    heads |= {name: name for name in ("seed", "trial", "detail")}
    heads = {name: head for name, head in heads.items() if head}
    rows = [[_key(name, row[name]) for name in heads] for row in frame.to_dicts()]
    made = table(list(heads.values()), rows, wrap=("detail",))
    if frame.height <= MOST_FLAGS:
        return made
    kinds = Counter(frame["flag"]).most_common()
    words = f"{frame.height:,} flags: {', '.join(f'{count:,} {kind}' for kind, count in kinds)}"
    return f"<details><summary>{escape(words)}</summary>{made}</details>"


def _sound(contents: Contents) -> str:
    """What the absence of flags says: of convergence nothing where training could not judge it. A few epochs show no
    plateau, and a network that was best in its last epoch may have gone on."""
    import polars as pl

    finite = "finished and stayed finite"
    if "last" in _selections(contents.recipe):
        return f"{finite}; convergence is judged only where the best epoch is selected."
    curves = contents.curves
    if not curves.height:
        return f"{finite}; without curves convergence cannot be judged."
    fewest = cast(int, curves.group_by("trial").n_unique()["epoch"].min())
    if fewest < TELLING:
        count = "one epoch" if fewest == 1 else f"{fewest} epochs"
        return f"{finite}; with {count} convergence cannot be judged."
    asked = curves.filter(pl.col("phase") == "validation", pl.col("target") == "total")
    best = asked.group_by("trial").agg(
        pl.col("epoch").sort_by("loss", "epoch").first().alias("best"), pl.col("epoch").max().alias("last")
    )
    open_still = best.filter(pl.col("best") == pl.col("last")).height
    if open_still:
        were = f"trial{'s' * (best.height != 1)} {'was' if open_still == 1 else 'were'}"
        return (
            f"{finite}. {open_still:,} of {best.height:,} {were} best in the last epoch, by less than 5 % over the "
            "last tenth of training: whether longer training would help, these curves cannot tell."
        )
    return "finished, converged (the best epoch was not the last) and stayed finite."


def _selections(recipe: str) -> set[str]:
    """Which epoch networks are taken from, as a resolved recipe has it: "best", "last", or either by its grid.

    >>> sorted(_selections('[training]\\nselect = "best"\\n[readout]\\nselect = "last"'))
    ['best']
    """
    parsed = tomllib.loads(recipe)
    found = {parsed.get("training", {}).get("select", "best")}
    grids = parsed.get("grid", [])
    for grid in [grids] if isinstance(grids, dict) else grids:
        found |= set(grid.get("training.select", ()))
    return found


def facts(sections: Mapping[str, Mapping[str, str]]) -> str:
    parts = []
    for title, values in sections.items():
        rows = "".join(
            f'<tr><th scope="row">{escape(str(key))}</th><td>{escape(str(value))}</td></tr>'
            for key, value in values.items()
        )
        parts.append(f"<div><h3>{escape(title)}</h3><table>{rows}</table></div>")
    return f'<div class="facts">{"".join(parts)}</div>'
