"""A comparison on a terminal of 80 columns."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from unseen.kinds.comparison.page import letters
from unseen.kinds.comparison.tables import Numbers
from unseen.measures import Interval
from unseen.reports.console import bare_table, print_hanging, print_table
from unseen.reports.words import probability

MOST = 15  # pairs that are shown


def show(console: Console, found: Numbers) -> None:
    mark = letters(found)
    table = bare_table("subject", "accuracy [95 % interval]", "n", "ties")
    table.columns[1].no_wrap = True
    for own in sorted(found.owns, key=lambda own: -own.accuracy.value):
        table.add_row(
            escape(own.group.words),
            escape(_shown(own.accuracy)),
            f"{own.accuracy.n:,} {own.over}",
            mark[own.group.name],
        )
    print_table(console, table)
    print_hanging(
        console,
        "Ties: subjects that share a letter do not differ significantly (5 %, Holm's correction for all pairs).",
    )
    console.print()
    table = bare_table("first − second", "difference", "p", "κ of errors", "images")
    for column in table.columns[1:]:
        column.no_wrap = True
    for pair in found.pairs[:MOST]:
        p = probability(pair.adjusted) if pair.adjusted == pair.adjusted else ""
        both = f"{pair.first} − {pair.second}"
        table.add_row(
            escape(both), escape(_shown(pair.difference, 2)), p, escape(_shown(pair.kappa, 2)), f"{pair.images:,}"
        )
    print_table(console, table)
    if len(found.pairs) > MOST:
        print_hanging(console, f"… {len(found.pairs) - MOST} more pairs: on the page, or with --format csv.")
    if undefined := sum(pair.undefined for pair in found.pairs):
        total = sum(pair.pairs for pair in found.pairs)
        print_hanging(
            console, f"κ is undefined for {undefined:,} of {total:,} pairs of members: both all right, or all wrong."
        )
    for name, of in found.inside.items():
        print_hanging(console, f"Members of '{name}' with each other: κ = {_shown(of)}, n = {of.n}.")
    if found.biases:
        console.print()
        table = bare_table("subject", "shape bias [95 % interval]", "shape", "texture", "neither")
        for name, own in found.biases.items():
            one = own[""]
            table.add_row(
                escape(name), escape(_shown(one.bias)), *(f"{k:,}" for k in (one.shape, one.texture, one.neither))
            )
        print_table(console, table)


def _shown(of: Interval, digits: int = 3) -> str:
    if of.value != of.value:
        return "undefined"
    span = f" [{_rounded(of.low, digits)}, {_rounded(of.high, digits)}]" if of.low == of.low else ""
    return f"{_rounded(of.value, digits)}{span}"


def _rounded(value: float, digits: int) -> str:
    """
    >>> _rounded(-0.26, 2), _rounded(-0.001, 2)
    ('−0.26', '0.00')
    """
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")
