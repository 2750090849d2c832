"""Numbers of single trials become means with intervals over repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unseen.kinds.trial_numbers import DEGENERATE
from unseen.measures import mean_interval
from unseen.studies.records import Record

if TYPE_CHECKING:
    import polars as pl

BOUNDED = ("accuracy", "share of units", "median specialization", "median selectivity", "median invariance")


def layer_order(trials: Sequence[Record]) -> tuple[str, ...]:
    """Names of recorded layers from input to output, branches folded together."""
    found: dict[str, None] = {}
    for facts, _ in trials:
        found |= {plain(layer, tasks)[1]: None for layer, tasks in facts["tasks"].items()}
    return tuple(found)


def plain(layer: str, tasks: Sequence[str]) -> tuple[str, str]:
    """A layer's branch and its name in the backbone.

    >>> plain("category.layer4", ["category"]), plain("blocks.3", ["category", "view"])
    (('category', 'layer4'), ('', 'blocks.3'))
    """
    own = len(tasks) == 1 and layer.startswith(f"{tasks[0]}.")
    return (tasks[0], layer.removeprefix(f"{tasks[0]}.")) if own else ("", layer)


def summarise(tidy: pl.DataFrame, trials: Sequence[Record], bounded: Sequence[str] = ()) -> pl.DataFrame:
    """Mean and 95 % t interval over repeats, cut at 0 and 1 for what cannot leave that range: accuracies, shares and
    scores of units, and what else a kind names as ``bounded``.

    Of separate branches only the units of their own task count (Fig. 5).
    """
    import polars as pl

    branches = {layer: plain(layer, tasks) for facts, _ in trials for layer, tasks in facts["tasks"].items()}
    relevant = pl.Series([
        not row["unit_type"] or branches[row["layer"]][0] in ("", row["unit_type"])
        for row in tidy.iter_rows(named=True)
    ])  # fmt: skip
    kept = tidy.filter(relevant & ~tidy["measure"].is_in(["chance"]))
    kept = kept.with_columns(
        pl.col("layer").map_elements(lambda name: branches.get(name, ("", name))[1], return_dtype=pl.String)
    )
    chances = {row["target"]: row["value"] for row in tidy.filter(pl.col("measure") == "chance").iter_rows(named=True)}
    keys = ["x", "series", "set", "target", "layer", "unit_type", "measure"]
    rows = []
    for group, part in kept.group_by(keys, maintain_order=True):
        add = pl.col("value").sum() if group[-1].startswith(DEGENERATE) else pl.col("value").mean()  # over branches
        per_trial = part.group_by("trial", "repeat", maintain_order=True).agg(add)
        per_repeat = per_trial.group_by("repeat", maintain_order=True).agg(pl.col("value").mean())["value"]
        per_repeat = per_repeat.drop_nulls().cast(pl.Float64).to_numpy()
        if not len(per_repeat):
            continue
        i, head = mean_interval(per_repeat), dict(zip(keys, group))
        i = i.cut(0, 1) if head["measure"] in (*BOUNDED, *bounded) else i
        known = chances.get(head["target"]) if head["measure"] == "accuracy" else None
        found = {"value": i.value, "low": i.low, "high": i.high, "n": i.n, "chance": known}
        asked = part["n"].drop_nulls().to_list() if head["measure"] == "accuracy" else []
        rows.append({**head, **found, "asked": round(sum(asked) / len(asked), 1) if asked else None})
    return pl.DataFrame(rows, infer_schema_length=None).sort(
        ["measure", "target", "series", "set", "layer", "unit_type", "x"]
    )
