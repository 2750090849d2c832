"""Every answer of a study, read lazily: who answered, what is filtered, counted, sorted, and sent a page at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from unseen.measures.statistics import proportion_interval
from unseen.studies.subjects import UNASKED, answers_of, subjects_of
from unseen.viewer.asked import Asked
from unseen.viewer.shelf import NotServed, Reading, Shelf
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.responses import COLUMNS

if TYPE_CHECKING:
    import polars as pl

PAGE, MOST = 200, 1000  # answers sent at once: as a rule, and at most
EACH, GROUPS = 12, 60  # answers of each group, and groups sent at once
ROW, RANK = "_row_", "_rank_"  # columns that no answer has
KEY = "_group_"  # the columns that tell groups apart
LEVELS = 400  # of a factor that can be chosen from a list
FACTOR = "f."  # before the name of a factor in an address, since one may be called "set"
SORTS = ("row", "surest", "least sure", "largest error")
LEAST_FIRST = ("row", "least sure")


class Answerer(NamedTuple):
    """Whoever answered: a trial of the study, or a subject whose answers were made elsewhere."""

    name: str
    label: str
    kind: str  # "trial", "model" or "people"


def answerers(now: Reading) -> list[Answerer]:
    """Everybody whose answers are here, trials first."""
    found = [
        Answerer(name, trial.label, "trial")
        for trial, name in zip(now.trials, now.identities)
        if name and name in now.facts
    ]
    return found + [Answerer(name, label, kind) for name, (label, kind) in _given(now).items()]


def _given(now: Reading) -> dict[str, tuple[str, str]]:
    if not now.stored.store.subjects():
        return {}
    return {one.identity: (one.subject.name, one.subject.kind) for one in subjects_of(now.study)[0]}


def scanned(now: Reading, names: Sequence[str] = ()) -> pl.LazyFrame:
    """The answers of some answerers, or of all, as they lie in their files; nothing is read yet."""
    import polars as pl

    there = {one.name: one for one in answerers(now)}
    names = resolved(now, names)
    for name in names:
        if name not in there:
            raise NotServed(str(unknown("answers of", name[:40], [one.name for one in there.values()])))
    chosen = [there[name] for name in names] if names else list(there.values())
    if not chosen:
        raise UnseenError("nobody has answered yet: no trial of this study is finished.")
    files = [now.stored.store.trials / one.name / "responses.parquet" for one in chosen if one.kind == "trial"]
    parts = []
    if files:
        parts.append(pl.scan_parquet(files, missing_columns="insert", extra_columns="ignore", cache=False))
    records = {one.identity: one for one in subjects_of(now.study)[0]} if any(o.kind != "trial" for o in chosen) else {}
    for one in (one for one in chosen if one.kind != "trial"):
        frame = pl.DataFrame(pl.from_arrow(answers_of(now.study, records[one.name])))
        frame = frame.filter(pl.col("set").cast(pl.String) != UNASKED).with_columns(pl.lit(one.name).alias("trial"))
        parts.append(frame.lazy())
    return parts[0] if len(parts) == 1 else pl.concat([_worded(one) for one in parts], how="diagonal_relaxed")


def resolved(now: Reading, names: Sequence[str]) -> list[str]:
    """Answerers by their names; a trial may be given by its number, too."""
    return [now.identities[now.trial(name)] or name if name.isdecimal() and len(name) < 12 else name for name in names]


def _worded(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Categories as words: those of files made elsewhere may be others."""
    import polars as pl
    import polars.selectors as cs

    return frame.with_columns((cs.categorical() | cs.enum()).cast(pl.String))


def is_number(frame: pl.LazyFrame) -> bool:
    """Whether truth and response are numbers: what is asked is how much, not which."""
    return frame.collect_schema()["truth"].is_numeric()


def factors_in(frame: pl.LazyFrame) -> list[str]:
    """Columns that say what an image shows, beside the answers to it."""
    return [name for name in frame.collect_schema().names() if name not in (*COLUMNS, ROW)]


def right(frame: pl.LazyFrame) -> pl.Expr:
    """Whether an answer is right; of numbers, which are never quite, null."""
    import polars as pl

    if is_number(frame):
        return pl.lit(None, dtype=pl.Boolean).alias("right")
    columns = frame.collect_schema()
    if columns["truth"] == columns["response"] == pl.Categorical:  # words need not be looked up
        return (pl.col("truth") == pl.col("response")).alias("right")
    return (pl.col("truth").cast(pl.String) == pl.col("response").cast(pl.String)).alias("right")


def filtered(frame: pl.LazyFrame, asked: Asked) -> pl.LazyFrame:
    """The answers that an address asks for: ``set``, ``target``, ``truth``, ``response``, ``right``, ``sure`` and
    ``unsure`` (bounds of confidence), and factors by ``f.NAME``."""
    import polars as pl

    columns = frame.collect_schema()
    for name in ("set", "target", "truth", "response"):
        if values := [one for one in asked.several(name) if one]:
            frame = frame.filter(pl.col(name).cast(pl.String).is_in(values))
    for key, values in asked.given().items():
        if not key.startswith(FACTOR) or not any(values):
            continue
        if (name := key.removeprefix(FACTOR)) not in columns:
            raise unknown("factor", name, factors_in(frame))
        frame = frame.filter(pl.col(name).cast(pl.String).is_in([one for one in values if one]))
    if (wanted := asked.one_of("right", ("", "yes", "no"))) and not is_number(frame):
        frame = frame.filter(right(frame) if wanted == "yes" else ~right(frame))
    if (low := asked.number("sure")) is not None:
        frame = frame.filter(pl.col("confidence") >= low)
    if (high := asked.number("unsure")) is not None:
        frame = frame.filter(pl.col("confidence") <= high)
    return frame


def in_order(frame: pl.LazyFrame, order: str) -> pl.LazyFrame:
    """Sorted as asked; equal ones by their image."""
    import polars as pl

    if order == "row":
        return frame.sort("sample", "target")
    return frame.sort(_order(order), pl.col("sample"), descending=[order not in LEAST_FIRST, False], nulls_last=True)


def page(shelf: Shelf, asked: Asked) -> dict[str, Any]:
    """A page of answers with how many there are in all and how many are right. ``by``: some of each group in place of
    some of all, with the groups they fall into."""
    import polars as pl

    now = shelf[asked.text("study")].reading()
    by, order = asked.text("by"), asked.one_of("order", SORTS, SORTS[0])
    frame = scanned(now, asked.several("trial"))
    if order == "largest error" and not is_number(frame):
        raise UnseenError(
            "this study's answers are classes, whose errors have no size to sort by; possible: row, surest, least sure."
        )
    frame = filtered(frame.with_row_index(ROW) if by else frame, asked)
    start = asked.whole("start", 0, 0, 2**31)
    counted = frame.select(n=pl.len(), right=right(frame).sum(), images=pl.col("sample").n_unique())
    groups: list[dict[str, Any]] = []
    many = 0
    if by:
        each, most = asked.whole("each", EACH, 1, PAGE), asked.whole("most", GROUPS, 1, GROUPS)
        head, every = pl.collect_all([counted, _counted(frame, by)])
        every = every.with_columns(
            group=pl.Series([_called(by, row) for row in every.rows(named=True)], dtype=pl.String)
        )
        every = every[sorted(range(len(every)), key=lambda place: natural(every["group"][place]))]
        many, some = len(every), every.slice(start, most)
        groups = some.select("group", "n", "right").to_dicts()
        body = _some_of_each(frame, by, some, each, order)
    else:
        page = in_order(frame, order).slice(start, asked.whole("most", PAGE, 1, MOST)).with_columns(right(frame))
        head, body = pl.collect_all([counted, _worded(page)])
    n, rights, images = head.row(0)
    number = is_number(frame)
    return {
        "n": n,
        "images": images,
        "number": number,
        "accuracy": None if number else share(rights or 0, n),
        "start": start,
        "factors": factors_in(frame),
        "rows": body.drop("subject", strict=False).to_dicts(),
        "groups": [{**row, "accuracy": None if number else share(row["right"] or 0, row["n"])} for row in groups],
        "every group": many,
    }


def natural(words: str | None) -> list[Any]:
    """A key by which words are sorted as people sort them: numbers by their size.

    >>> sorted(["a 10", "a 9", "-1", "b"], key=natural)
    ['-1', 'a 9', 'a 10', 'b']
    """
    parts = re.split(r"((?<![\w.])-?\d+(?:\.\d+)?)", words or "")
    return [(0, float(part), "") if place % 2 else (1, 0.0, part) for place, part in enumerate(parts) if part]


def share(rights: int, n: int) -> dict[str, Any]:
    """A share with its n and its interval (Clopper and Pearson 1934)."""
    found = proportion_interval(rights, n)
    return {"value": found.value, "low": found.low, "high": found.high, "n": n}


def _keys(frame: pl.LazyFrame, by: str) -> dict[str, pl.Expr]:
    """What tells the groups apart: columns (with commas between them), right or wrong, mistakes, how sure."""
    import polars as pl

    columns = frame.collect_schema().names()
    if by == "right":
        return {KEY: right(frame)}
    if by == "confidence":
        return {KEY: (pl.col("confidence") * 10).floor().clip(0, 9).cast(pl.Int32)}
    names = ["truth", "response"] if by == "mistake" else by.split(",")
    for name in names:
        if name not in columns:
            raise unknown("column", name, [*columns, "right", "confidence", "mistake"])
    return {f"{KEY}{place}": pl.col(name) for place, name in enumerate(names)}


def _counted(frame: pl.LazyFrame, by: str) -> pl.LazyFrame:
    """How many answers fall into each group, and how many of these are right."""
    import polars as pl

    keys = [one.alias(name) for name, one in _keys(frame, by).items()]
    return frame.group_by(keys).agg(n=pl.len(), right=right(frame).sum())


def _some_of_each(frame: pl.LazyFrame, by: str, groups: pl.DataFrame, each: int, order: str) -> pl.DataFrame:
    """The first answers of each of these groups, with the name of their group. Which they are is found from the columns
    that this needs; all others are read of these few alone."""
    import polars as pl

    keys = _keys(frame, by)
    names = groups.lazy().select(*keys, "group")
    found = frame.select(ROW, _order(order).alias(RANK), *(one.alias(name) for name, one in keys.items()))
    found = found.join(names, on=list(keys), how="inner", nulls_equal=True).group_by("group")
    first = pl.col(ROW).bottom_k_by(RANK, each) if order in LEAST_FIRST else pl.col(ROW).top_k_by(RANK, each)
    chosen = found.agg(first).explode(ROW).collect()
    some = frame.filter(pl.col(ROW).is_in(chosen[ROW].implode())).collect().lazy()
    some = in_order(some.join(chosen.lazy(), on=ROW), order)
    return _worded(some.with_columns(right(some)).drop(ROW)).collect()


def _order(order: str) -> pl.Expr:
    """What answers are sorted by."""
    import polars as pl

    if order == "largest error":
        return (pl.col("truth") - pl.col("response")).abs()
    return pl.col("sample" if order == "row" else "confidence")


def _called(by: str, row: Mapping[str, Any]) -> str:
    """What a group is called."""
    values = [value for name, value in row.items() if name.startswith(KEY)]
    if by == "right":
        return "right" if values[0] else "wrong"
    if by == "confidence":
        return "not told" if values[0] is None else f"{values[0] / 10:.1f} to {(values[0] + 1) / 10:.1f}"
    if by == "mistake":
        return f"{values[0]}, right" if values[0] == values[1] else f"{values[0]} taken for {values[1] or 'nothing'}"
    return " · ".join("none" if value is None else str(value) for value in values)


def accuracies(shelf: Shelf, asked: Asked) -> dict[str, Any]:
    """The share of right answers of everybody, in each set and of each target."""
    import polars as pl

    now = shelf[asked.text("study")].reading()
    everybody = answerers(now)
    if not everybody:
        return {"answerers": [], "rows": []}
    frame = scanned(now)
    if is_number(frame):
        return {"answerers": _told(everybody), "rows": []}
    counted = (
        frame.group_by("trial", "set", "target")
        .agg(n=pl.len(), right=right(frame).sum())
        .sort("trial", "target", "set")
    )
    rows = _worded(counted).collect().to_dicts()
    return {
        "answerers": _told(everybody),
        "rows": [{k: row[k] for k in ("trial", "set", "target")} | share(row["right"] or 0, row["n"]) for row in rows],
    }


def _told(everybody: Iterable[Answerer]) -> list[dict[str, str]]:
    return [one._asdict() for one in everybody]


def choices(shelf: Shelf, asked: Asked) -> dict[str, Any]:
    """What answers can be filtered by: everybody who answered, and of those chosen their sets, targets, classes and
    levels."""
    import polars as pl

    now = shelf[asked.text("study")].reading()
    everybody = answerers(now)
    names = resolved(now, asked.several("trial")) or [one.name for one in everybody[:1]]
    frame = scanned(now, names)
    columns, number = frame.collect_schema(), is_number(frame)
    factors = [name for name in factors_in(frame) if columns[name] in (pl.Categorical, pl.Enum, pl.String)]
    wanted = ["set", "target", *factors]
    words = [frame.select(pl.col(name).cast(pl.String).unique(maintain_order=True)) for name in wanted]
    classes = [frame.group_by("target").agg(pl.col(name).cast(pl.String).unique()) for name in ("truth", "response")]
    found = pl.collect_all(words + ([] if number else classes))
    values = {name: column[name].drop_nulls().to_list() for name, column in zip(wanted, found)}
    by_target = [{str(row[0]): sorted(row[1], key=natural) for row in one.rows()} for one in found[len(wanted) :]]
    return {
        "answerers": _told(everybody),
        "sets": values["set"],
        "targets": values["target"],
        "truth": by_target[0] if by_target else {},
        "response": by_target[1] if by_target else {},
        "factors": {one: sorted(values[one], key=natural) for one in factors if len(values[one]) <= LEVELS},
        "number": number,
        "chosen": names,
    }
