"""Every answer of a study, read lazily: who answered, what is filtered, counted, sorted, and sent a page at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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
LEVELS = 400  # of a factor that can be chosen from a list
FACTOR = "f."  # before the name of a factor in an address, since one may be called "set"
SORTS = ("row", "surest", "least sure", "largest error")


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
    return [name for name in frame.collect_schema().names() if name not in COLUMNS]


def right(frame: pl.LazyFrame) -> pl.Expr:
    """Whether an answer is right; of numbers, which are never quite, null."""
    import polars as pl

    if is_number(frame):
        return pl.lit(None, dtype=pl.Boolean).alias("right")
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

    if order == "surest":
        return frame.sort("confidence", "sample", descending=[True, False], nulls_last=True)
    if order == "least sure":
        return frame.sort("confidence", "sample", nulls_last=True)
    if order == "largest error" and is_number(frame):
        return frame.sort((pl.col("truth") - pl.col("response")).abs(), descending=True, nulls_last=True)
    return frame.sort("sample", "target")


def page(shelf: Shelf, asked: Asked) -> dict[str, Any]:
    """A page of answers with how many there are in all and how many are right. ``by``: some of each group in place of
    some of all, with the groups they fall into."""
    import polars as pl

    now = shelf[asked.text("study")].reading()
    frame = filtered(scanned(now, asked.several("trial")), asked)
    start = asked.whole("start", 0, 0, 2**31)
    ordered = in_order(frame, asked.one_of("order", SORTS, SORTS[0])).with_columns(right(frame))
    counted = frame.select(n=pl.len(), right=right(frame).sum(), images=pl.col("sample").n_unique())
    groups: list[dict[str, Any]] = []
    if by := asked.text("by"):
        each, most = asked.whole("each", EACH, 1, PAGE), asked.whole("most", GROUPS, 1, GROUPS)
        told = frame.group_by(_group(frame, by).alias("group")).agg(n=pl.len(), right=right(frame).sum())
        head, every = pl.collect_all([counted, told])
        every = sorted(every.to_dicts(), key=lambda row: natural(row["group"]))
        groups = every[start : start + most]
        names = [row["group"] for row in groups]
        some = ordered.with_columns(_group(frame, by).alias("group"))
        some = some.filter(pl.col("group").is_in(names)).group_by("group", maintain_order=True).head(each)
        body, many = _worded(some).collect(), len(every)
    else:
        some = ordered.slice(start, asked.whole("most", PAGE, 1, MOST))
        head, body = pl.collect_all([counted, _worded(some)])
        many = 0
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


def _group(frame: pl.LazyFrame, by: str) -> pl.Expr:
    """What answers are grouped by: a column, a cell of several (with commas between them), right or wrong, how sure."""
    import polars as pl

    columns = frame.collect_schema().names()
    if by == "right":
        return pl.when(right(frame)).then(pl.lit("right")).otherwise(pl.lit("wrong"))
    if by == "confidence":
        low = (pl.col("confidence") * 10).floor().clip(0, 9).cast(pl.Int32)
        words = pl.format("{} to {}", (low / 10).round(1), ((low + 1) / 10).round(1))
        return pl.when(pl.col("confidence").is_null()).then(pl.lit("not told")).otherwise(words)
    if by == "mistake":
        taken = pl.format("{} taken for {}", pl.col("truth").cast(pl.String), pl.col("response").cast(pl.String))
        return pl.when(right(frame)).then(pl.format("{}, right", pl.col("truth").cast(pl.String))).otherwise(taken)
    names = by.split(",")
    for name in names:
        if name not in columns:
            raise unknown("column", name, [*columns, "right", "confidence", "mistake"])
    words = [pl.col(name).cast(pl.String) for name in names]
    return words[0] if len(words) == 1 else pl.concat_str(words, separator=" · ", ignore_nulls=True)


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
