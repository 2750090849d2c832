"""A study that leaves one domain out, as the page shows it: a row for each domain, and the mean over them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from unseen.kinds.domains.shown import Domains
from unseen.measures import Interval
from unseen.reports.blocks import Html, Section
from unseen.reports.tables import table
from unseen.reports.words import has_interval, number, whole_percent

if TYPE_CHECKING:
    from collections.abc import Sequence


def same_images(draws: int) -> str:
    """What an interval over repeats is about: other images, or other networks on these."""
    if draws > 1:
        return f"Repeats are {draws} draws of the images, each with training and test images of its own."
    return (
        "All repeats share one split: intervals and verdicts are about these test images, and say how networks from "
        "other seeds would differ, not how other images would."
    )


def percent(found: Interval, *, signed: bool = False) -> str:
    """
    >>> percent(Interval(0.612, 0.5, 0.72, 3)), percent(Interval(-0.04, float("nan"), float("nan"), 1), signed=True)
    ('61 [50, 72]', '−4')
    """
    if found.value != found.value:
        return "not known"
    ends = [whole_percent(end).replace("-", "−") for end in (found.value, found.low, found.high) if end == end]
    head = f"+{ends[0]}" if signed and found.value > 0 and ends[0] != "0" else ends[0]
    return f"{head} [{ends[1]}, {ends[2]}]" if has_interval(found.low, found.high) else head


def domain_sections(found: Sequence[Domains]) -> list[Section]:
    """The table by domain, and folded below it the one by category."""
    if not found:
        return []
    body = "\n".join(f"{_head(one, len(found) > 1)}{_by_domain(one)}{_by_category(one)}" for one in found)
    return [Section("by-domain", f"By {found[0].factor}", (Html(body),))]


def _head(found: Domains, several: bool) -> str:
    return f"<h3>{escape(found.model)}</h3>" if several else ""


def _by_domain(found: Domains) -> str:
    rows = [
        [row.name, percent(row.left_out), percent(row.trained), percent(row.gap, signed=True), row.verdict,
         percent(row.others), number(row.majority, percent=True).replace(".0 %", " %"), row.counted,
         str(row.gap.n or row.left_out.n)]
        for row in (*found.rows, found.whole)
    ]  # fmt: skip
    heads = [found.factor, "left out", "trained on", "gap", "verdict", "other domains", "majority", "images", "n"]
    training = f", {found.learned}" if found.learned else ""
    words = (
        f"Accuracy in %, [95 % interval]. Left out: new images of the {found.factor}, by networks that never saw it. "
        f"Trained on: the same images, by {found.compared}{training}; the gap between the two is "
        f"paired by repeat. Other domains: new images of those the first networks were trained on. Majority: always "
        f"saying the most frequent {found.category}; chance is {number(found.chance, percent=True)}. n counts repeats; "
        f"in the last line it counts levels of {found.factor}: claims about new ones rest on these, and few give a "
        f"wide interval. {same_images(found.draws)} A verdict needs three repeats that differ, and an interval that "
        f"excludes 0."
    )
    notes = "".join(f" {row.note}" for row in (*found.rows, found.whole) if row.note)
    right = ("left out", "trained on", "gap", "other domains", "majority", "images", "n")
    return table(heads, rows, right=right) + f'<p class="small">{escape(words + notes)}</p>'


def _by_category(found: Domains) -> str:
    names = list(dict.fromkeys(name for row in found.rows for name in row.by_category))
    rows = []
    for name in names:
        cells = [row.by_category.get(name) for row in found.rows]
        rows.append([name, *("–" if cell is None else f"{_share(cell[0])} ({cell[1]:,})" for cell in cells)])
    heads = [found.category, *(row.name for row in found.rows)]
    made = table(heads, rows, right=heads[1:])
    words = f"By {found.category}: accuracy in % where the {found.factor} was left out (images)"
    return f"<details><summary>{escape(words)}</summary>{made}</details>"


def _share(value: float) -> str:
    return "–" if value != value else whole_percent(value)
