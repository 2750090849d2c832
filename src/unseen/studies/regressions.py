"""A trial whose answers are numbers becomes rows of the tidy table: R² per factor, modularity, towards the mean.

The sets are those of the design: ``one-out-<factor>`` holds images with that factor alone out of range.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from unseen.measures import factor_scores, modularity, share_towards_mean

R2, OUT, OTHERS = "R²", "R² of the factor out of range", "R² of the other factors"
TOWARDS = "share towards the mean"
MEAN = "mean over factors"
ONE_OUT = "one-out-"


def answered(facts: Mapping[str, Any], folder: Path) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """(predicted, true) ``[images, factors]`` of each asked set, factors in the order of the trial's targets."""
    import pyarrow.parquet as pq

    table = pq.read_table(folder / "responses.parquet", columns=["set", "target", "sample", "truth", "response"])
    sets, targets = (np.asarray(table[name].cast("string")) for name in ("set", "target"))
    numbers = {name: np.asarray(table[name], dtype=np.float64) for name in ("truth", "response")}
    sample = np.asarray(table["sample"])
    found = {}
    for asked in dict.fromkeys(sets.tolist()):
        columns: dict[str, list[np.ndarray]] = {"response": [], "truth": []}
        for target in facts["targets"]:
            here = np.flatnonzero((sets == asked) & (targets == target))
            here = here[np.argsort(sample[here], kind="stable")]
            for name, values in columns.items():
                values.append(numbers[name][here])
        found[asked] = np.stack(columns["response"], axis=1), np.stack(columns["truth"], axis=1)
    return found


def regressed(facts: Mapping[str, Any], folder: Path) -> Iterator[dict[str, Any]]:
    """All numbers of one trial that regresses factors."""
    names = list(facts["targets"])
    levels = [len(classes) for classes in facts["targets"].values()]
    answers = answered(facts, folder)
    for asked, (predicted, true) in answers.items():
        for variance in ("grid", "test"):
            scores = factor_scores(predicted, true, names=names, levels=levels, variance=variance)
            measure = R2 if variance == "grid" else f"{R2} (variance of the set)"
            for name, value in zip(names, scores.r2):
                yield {"measure": measure, "set": asked, "target": name, "value": value, "n": scores.n}
            yield {"measure": measure, "set": asked, "target": MEAN, "value": scores.mean, "n": scores.n}
            if variance == "grid":
                yield {"measure": "factors without R²", "set": asked, "value": len(scores.undefined), "n": len(names)}
    alone = {asked: pair for asked, pair in answers.items() if asked.removeprefix(ONE_OUT) in names}
    out = {asked: asked.removeprefix(ONE_OUT) for asked in alone}
    for row in modularity(alone, names=names, levels=levels, out=out):
        yield {"measure": OUT, "set": row.name, "target": row.factor, "value": row.out, "n": row.n}
        yield {"measure": OTHERS, "set": row.name, "target": row.factor, "value": row.others, "n": row.n}
    yield from _towards_mean(facts, alone, out, names)


def _towards_mean(
    facts: Mapping[str, Any],
    alone: Mapping[str, tuple[np.ndarray, np.ndarray]],
    out: Mapping[str, str],
    names: list[str],
) -> Iterator[dict[str, Any]]:
    """For the factor out of range: is it answered nearer to the mean of the levels seen in training than it is?"""
    withheld = facts["facts"].get("withheld", {})
    for asked, (predicted, true) in alone.items():
        factor = out[asked]
        n, place = len(facts["targets"][factor]), names.index(factor)
        seen = [level for level in range(n) if level not in withheld.get(factor, ())]
        if len(seen) in (0, n):
            continue
        mean = float(np.mean(seen) / (n - 1))
        found = share_towards_mean(predicted[:, place], true[:, place], mean)
        yield {"measure": TOWARDS, "set": asked, "target": factor, "value": found.share.value, "n": found.share.n}
        lost = found.undefined + found.non_finite
        yield {"measure": f"{TOWARDS}: undefined", "set": asked, "target": factor, "value": lost, "n": len(true)}
