"""Two subjects side by side: how many images both, one or neither had right, and the images they differ on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.measures.pairs import difference_p, error_consistency, pair_counts, paired_difference
from unseen.viewer.answers import PAGE, _worded, answerers, factors_in, filtered, is_number, resolved, right, scanned
from unseen.viewer.asked import Asked
from unseen.viewer.pictures import point_of
from unseen.viewer.shelf import NotServed, OnShelf, Reading, Shelf
from unseen.vocabulary.errors import UnseenError

if TYPE_CHECKING:
    import polars as pl

OUTCOMES = ("both", "first", "second", "neither")


def pair(shelf: Shelf, asked: Asked) -> dict[str, Any]:
    """Two subjects on the images that both were asked: counts, their difference, McNemar's p, and a page of these
    images, those on which they differ most first."""
    import polars as pl

    on_shelf = shelf[asked.text("study")]
    now = on_shelf.reading()
    first, second = resolved(now, [asked.text("first"), asked.text("second")])
    frame = together(now, asked, first, second)
    start, most = asked.whole("start", 0, 0, 2**31), asked.whole("most", PAGE, 1, PAGE)
    if not len(frame):
        raise UnseenError("they were asked no image in common with this set and target; choose another.")
    told = compared(on_shelf, now, asked, frame)
    if wanted := asked.one_of("outcome", ("", *OUTCOMES)):
        frame = frame.filter(pl.col("outcome") == wanted)
    frame = in_disagreement(frame)
    labels = {one.name: one.label for one in answerers(now)}
    return {
        **told,
        "labels": [labels[first], labels[second]],
        "found": len(frame),
        "start": start,
        "factors": [name for name in frame.columns if name not in OWN],
        "rows": frame.slice(start, most).to_dicts(),
    }


OWN = ("sample", "truth", "outcome", "first", "second", "first_right", "second_right", "first_sure", "second_sure")


def together(now: Reading, asked: Asked, first: str, second: str) -> pl.DataFrame:
    """One row per image that both were asked, with what each answered. Of several people who are one subject, the
    answer that most gave counts."""
    import polars as pl

    if not first or not second or first == second:
        raise NotServed("two subjects are compared: name both, and not the same one twice.")
    one, other = (once(filtered(scanned(now, [name]), asked), now) for name in (first, second))
    if is_number(one) or is_number(other):
        raise UnseenError(
            "this study's answers are numbers, which are not just right or wrong; compare them on the page of numbers."
        )
    told = ["sample", "truth", *factors_in(one)]
    columns = [
        pl.col("response").alias("first"),
        right(one).alias("first_right"),
        pl.col("confidence").alias("first_sure"),
    ]
    left = one.select(*told, *columns)
    columns = [
        pl.col("response").alias("second"),
        right(other).alias("second_right"),
        pl.col("confidence").alias("second_sure"),
    ]
    joined = left.join(other.select("sample", *columns), on="sample", how="inner", maintain_order="left")
    a, b = pl.col("first_right"), pl.col("second_right")
    outcome = (
        pl.when(a & b).then(pl.lit("both")).when(a).then(pl.lit("first")).when(b).then(pl.lit("second"))
        .otherwise(pl.lit("neither"))
    )  # fmt: skip
    return _worded(joined.with_columns(outcome.alias("outcome"))).collect()


def once(frame: pl.LazyFrame, now: Reading) -> pl.LazyFrame:
    """One answer of a subject to each image: the only one, or the one that most of its people gave."""
    import polars as pl

    frame = _worded(frame)
    if "participant" not in frame.collect_schema():
        return frame.unique("sample", keep="first", maintain_order=True)
    votes = frame.with_columns(votes=pl.len().over("sample", "response"))
    return votes.sort("sample", "votes", "response", descending=[False, True, False]).drop("votes").unique(
        "sample", keep="first", maintain_order=True
    )  # fmt: skip


def in_disagreement(frame: pl.DataFrame) -> pl.DataFrame:
    """Images that only one had right first, then those with two wrong answers; each by how sure the two were."""
    import polars as pl

    one_right = pl.col("first_right") != pl.col("second_right")
    other = pl.col("first") != pl.col("second")
    sure = pl.col("first_sure").fill_null(0) + pl.col("second_sure").fill_null(0)
    return frame.sort(one_right, other, sure, pl.col("sample"), descending=[True, True, True, False])


def compared(on_shelf: OnShelf, now: Reading, asked: Asked, frame: pl.DataFrame) -> dict[str, Any]:
    """Counts of a pair, the difference of their accuracies with its interval and p, and their error consistency."""
    first, second = (frame[f"{name}_right"].to_numpy().astype(bool) for name in ("first", "second"))
    objects = _objects(on_shelf, now, asked, frame["sample"].to_numpy())
    counts, gap = pair_counts(first, second), paired_difference(first, second, objects)
    consistency = error_consistency(first, second, objects)
    several = objects is not None and len(np.unique(objects)) < len(objects)
    return {
        "n": counts.n,
        "counts": dict(zip(OUTCOMES, (counts.both, counts.only_first, counts.only_second, counts.neither))),
        "accuracies": counts.accuracies,
        "difference": {"value": gap.value, "low": gap.low, "high": gap.high, "n": gap.n, "method": gap.method},
        "p": difference_p(first, second, objects),
        "test": "signs of objects flipped, since objects have several images" if several else "McNemar's exact test",
        "objects": len(np.unique(objects)) if objects is not None else None,
        "kappa": {"value": consistency.kappa.value, "low": consistency.kappa.low, "high": consistency.kappa.high},
        "kappa_why": consistency.why,
    }


def _objects(on_shelf: OnShelf, now: Reading, asked: Asked, rows: np.ndarray) -> np.ndarray | None:
    """The object of each image, where the world is at hand to tell."""
    with on_shelf.lock:
        if now.study.absent:
            return None
        named = Asked((*asked.pairs, ("trial", asked.text("first"))))
        return now.study.world(point_of(now, named)).samples.instance_numbers(rows.astype(np.int64))
