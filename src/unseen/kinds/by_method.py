"""Numbers of maps, method by method: the summary, the terminal's table and the dots of kinds that ask about maps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from unseen.measures import Interval
from unseen.reports.console import bare_table, print_table
from unseen.reports.words import interval, number

if TYPE_CHECKING:
    import altair as alt
    import polars as pl
    from rich.console import Console


def frame_of(numbers: Iterable[tuple[str, str, str, Interval]]) -> pl.DataFrame:
    """A summary of means over repeats, from (method, set, measure, mean); those of no repeat are left out."""
    import polars as pl

    rows = [
        {
            "x": "maps", "series": method, "set": of, "target": "", "layer": "", "unit_type": "",
            "measure": measure, "value": one.value, "low": one.low, "high": one.high, "n": one.n, "chance": None,
        }
        for method, of, measure, one in numbers if one.n
    ]  # fmt: skip
    schema = None if rows else {"x": pl.String, "series": pl.String, "set": pl.String, "measure": pl.String}
    return pl.DataFrame(rows, schema=schema, infer_schema_length=None)


def show_table(console: Console, frame: pl.DataFrame, measure: str, sets: Sequence[str]) -> None:
    """Means of one measure: a row for each method, a column for each set that has any, and n; a mean over fewer says
    so itself."""
    told = {(r["series"], r["set"]): r for r in frame.iter_rows(named=True) if r["measure"] == measure}
    sets = met(frame, sets)
    table = bare_table("method", *sets, "n")
    for method in dict.fromkeys(name for name, _ in told):
        cells = [told.get((method, one)) for one in sets]
        n = max((cell["n"] for cell in cells if cell), default=0)
        words = (f"{number(cell['value'])}{_fewer(cell['n'], n)}" if cell else "" for cell in cells)
        table.add_row(method, *words, str(n))
    print_table(console, table)


def met(frame: pl.DataFrame, sets: Sequence[str]) -> tuple[str, ...]:
    """Those of the sets that have numbers: what was not asked for needs no empty column."""
    there = set(frame["set"])
    return tuple(one for one in sets if one in there)


class ByMethod(NamedTuple):
    """Rows of a summary by method, set and measure; of how many repeats at the most; the sets that have numbers."""

    rows: Mapping[tuple[str, str, str], Mapping[str, Any]]
    n: int
    sets: tuple[str, ...]


def by_method(frame: pl.DataFrame, sets: Sequence[str]) -> ByMethod:
    rows = {(row["series"], row["set"], row["measure"]): row for row in frame.iter_rows(named=True)}
    return ByMethod(rows, max((row["n"] or 0 for row in rows.values()), default=0), met(frame, sets))


def cell(row: Mapping[str, Any] | None, most: int = 0) -> str:
    """A row of the summary as the cell of a table: its mean and interval; of fewer repeats than ``most`` also n."""
    if row is None:
        return ""
    return f"{number(row['value'])} {interval(row['low'], row['high'], row['n'])}{_fewer(row['n'], most)}"


def _fewer(n: int, most: int) -> str:
    return f" (n = {n})" if 1 < n < most else ""


def dots(
    frame: pl.DataFrame, measure: str, methods: Sequence[str], colours: Mapping[str, str], x: alt.X, *, row: int
) -> alt.LayerChart:
    """A row of ``row`` pixels for each method, in it a dot with its interval for each set, in its colour; ``x`` is how
    the mean is drawn."""
    import altair as alt
    import polars as pl

    from unseen.reports.charts import finite, interval_tips

    mine = frame.filter((pl.col("measure") == measure) & pl.col("set").is_in(list(colours)))
    data = [
        {"method": one["series"], "of": one["set"], "value": finite(one["value"]), "low": finite(one["low"]),
         "high": finite(one["high"]), "shown": number(one["value"]),
         "interval": interval(one["low"], one["high"], one["n"]), "n": one["n"]}
        for one in mine.iter_rows(named=True)
    ]  # fmt: skip
    base = alt.Chart(alt.Data(values=data))
    y = alt.Y("method:N", sort=list(methods), title=None)
    shift = alt.YOffset("of:N", sort=list(colours))
    paint = alt.Color("of:N", scale=alt.Scale(domain=list(colours), range=list(colours.values())))
    tips = [alt.Tooltip("method:N"), alt.Tooltip("of:N", title="compared"), alt.Tooltip("shown:N", title="mean")]
    tips += interval_tips()
    low = x.copy()
    low.shorthand = "low:Q"
    bars = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2, clip=True)
    points = base.transform_filter("isValid(datum.value)").mark_point(filled=True, size=50, opacity=1)
    layers = [
        bars.encode(y, x=low, x2="high:Q", yOffset=shift, color=paint),
        points.encode(y, x=x, yOffset=shift, color=paint, tooltip=tips),
    ]
    return alt.LayerChart(layer=layers, height=row * max(1, len(methods)))
