"""Bags of patches: accuracy by patch size, where patches are scrambled, and how alike scores are to a ResNet's.

    unseen run brendel2019/small --no-report
    unseen results runs/brendel2019/small --format parquet --to docs/results/brendel2019/small.parquet
    python -m docs.results.bagnets runs/brendel2019/small docs/results/brendel2019/scores.csv
    python -m docs.results.bagnets runs/brendel2019/small docs/results/brendel2019/floor.csv --floor

The third writes correlations of scores, from kept weights; the last learns classical bags of features as a floor. Both
do without polars, and the third computes on a GPU where there is one: so they run where a study was run.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping
from itertools import combinations, count, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from docs.results.numbers import holm, interval, mean_of

PATCH = {"bagnet-9": 9, "bagnet-17": 17, "bagnet-33": 33}
PLAIN = "none"
FLOOR = "bag of features"
SCRAMBLED = "patches-scrambled@"


class Bagnets:
    """One study's table; where they are known the correlations beside it, and what classical bags of features reach.
    ``steps`` asks whether larger patches know more, too."""

    def __init__(
        self, path: Path, scores: Path | None = None, classical: Path | None = None, *, side: int, steps: bool = False
    ) -> None:
        import polars as pl

        self.side = side
        rows = pl.read_parquet(path)
        own = rows.filter(pl.col("measure") == "accuracy", pl.col("target") == "category")
        self.trials, self.images = own["trial"].n_unique(), int(own["n"].max() or 0)
        self.chance = float(rows.filter(pl.col("measure") == "chance")["value"][0])
        flags = rows.filter(pl.col("measure") == "flag: unconverged", pl.col("value") > 0)
        self.unconverged = flags["trial"].n_unique()
        self.cells = {(r["backbone"], r["set"].removeprefix("test-"), r["seed"]): r["value"] for r in own.to_dicts()}
        self.sides = sorted({int(a.removeprefix(SCRAMBLED)) for _, a, _ in self.cells if a != PLAIN}, reverse=True)
        self.resnet = next(network for network, _, _ in self.cells if network not in PATCH)
        alike = pl.read_csv(scores).to_dicts() if scores else []
        self.scores = {(one["network"], one["seeds"]): one["correlation"] for one in alike}
        below = pl.read_csv(classical).to_dicts() if classical else []
        self.cells |= {(FLOOR, r["set"].removeprefix("test-"), r["seed"]): r["value"] for r in below}
        self.differences = {(b, s): less(self.of(b, s), self.of(b)) for b in self.networks for s in self.sides}
        others = {("patch", b): less(self.of(self.resnet), self.of(b)) for b in PATCH}
        larger = list(PATCH)
        if steps:
            others |= {("larger", b): less(self.of(b), self.of(a)) for a, b in pairwise(larger)}
        self.tests = {**self.differences, **others}
        ps = [mean_of(one).p for one in self.tests.values()]
        self.corrected = dict(zip(self.tests, holm(ps)))

    @property
    def networks(self) -> list[str]:
        return [*PATCH, self.resnet]

    def sees(self, network: str) -> str:
        """How many pixels a place of it sees."""
        patch = PATCH.get(network, 9 if network == FLOOR else None)
        return f"{patch}×{patch}" if patch else f"all {self.side}×{self.side}"

    def published(self, network: str) -> str:
        """What the abstract of Brendel & Bethge 2019 says."""
        return {"bagnet-33": "87.6 %", "bagnet-17": "that of AlexNet"}.get(network, "")

    def of(self, network: str, side: int | None = None) -> dict[int, float]:
        """Accuracy by seed, plain or with patches of so many pixels scrambled."""
        asked = PLAIN if side is None else f"{SCRAMBLED}{side}"
        return {seed: value for (one, two, seed), value in sorted(self.cells.items()) if (one, two) == (network, asked)}

    def alike(self, network: str) -> dict[str, float]:
        """Correlations of scores with the ResNet's, by seed; of the ResNet with itself by pairs of seeds."""
        return {seeds: value for (one, seeds), value in self.scores.items() if one == network}

    def rows(self) -> str:
        """Accuracy of each network: plain, and with patches scrambled."""
        return "\n".join(
            f"| {n} | {self.sees(n)} | {interval(self.of(n))} | "
            + " | ".join(interval(self.of(n, side)) for side in self.sides)
            + f" | {self.published(n)} |"
            for n in (FLOOR, *self.networks)
            if self.of(n)
        )

    def losses(self) -> str:
        return "\n".join(
            f"| {n} | " + " | ".join(self.loss(n, side) for side in self.sides) + " |" for n in self.networks
        )

    def loss(self, network: str, side: int) -> str:
        lost = {seed: -value for seed, value in self.differences[network, side].items()}
        return f"{interval(lost)}, {self.told((network, side))}"

    def likenesses(self) -> str:
        return "\n".join(f"| {n} | {interval(self.alike(n))} |" for n in self.networks)

    def told(self, key: Any) -> str:
        """How a difference stands after correction for all of the page."""
        p = self.corrected[key]
        return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def less(a: Mapping[int, float], b: Mapping[int, float]) -> dict[int, float]:
    return {seed: a[seed] - b[seed] for seed in a if seed in b}


Rows = tuple[tuple[str, ...], list[tuple[Any, ...]]]  # names of columns, and what they hold


def correlations(folder: str) -> Rows:
    """Pearson's correlation, over all plain test images and classes, of scores less each image's mean (which a softmax
    does not see): of each BagNet with the ResNet of its seed, and of ResNets of two seeds."""
    import torch

    import unseen
    from unseen.vocabulary.errors import UnseenError

    study, device = unseen.open_study(folder), "cuda" if torch.cuda.is_available() else "cpu"
    split = study.split(0)
    rows = split.rows(f"test-{PLAIN}")
    images = split.world.images(rows)
    scores: dict[tuple[str, int], np.ndarray] = {}
    for place in count():
        try:
            trial = study.trial(place)
        except UnseenError:  # there are no more
            break
        network = trial.network().module.to(device).eval()
        with torch.no_grad():
            parts = [torch.as_tensor(images[at : at + 64]).to(device) for at in range(0, len(rows), 64)]
            found = torch.cat([network(part)["category"] for part in parts]).float().cpu().numpy()
        scores[str(trial.facts["network"]["backbone"]), trial.seed] = found - found.mean(1, keepdims=True)

    def pearson(a: np.ndarray, b: np.ndarray) -> float:
        return float(np.corrcoef(a.ravel(), b.ravel())[0, 1])

    resnet = next(network for network, _ in scores if network not in PATCH)
    made = [
        (network, str(seed), pearson(own, scores[resnet, seed]), len(rows))
        for (network, seed), own in scores.items()
        if network != resnet
    ]
    seeds = sorted(seed for network, seed in scores if network == resnet)
    made += [
        (resnet, f"{a}–{b}", pearson(scores[resnet, a], scores[resnet, b]), len(rows))
        for a, b in combinations(seeds, 2)
    ]
    return ("network", "seeds", "correlation", "images"), made


def floor(folder: str) -> Rows:
    """Accuracy of three classical bags of features (codebooks of three seeds), learned from the study's own training
    images, on each set that the networks were asked."""
    import unseen
    from unseen.models.bag_of_features import BagOfFeatures

    split = unseen.open_study(folder).split(0)
    samples = split.world.samples

    def shown(name: str) -> tuple[np.ndarray, np.ndarray]:
        rows = split.rows(name)
        return np.asarray(split.world.images(rows)), np.asarray(samples.levels("category", rows))

    asked = {name: shown(name) for name in split.sets if name.startswith("test-")}
    images, labels = shown("train")
    made = []
    for seed in range(3):
        bag = BagOfFeatures(seed=seed).fit(images, labels)
        for name, (pictures, truth) in asked.items():
            right = bag.classes[bag(pictures).argmax(1)] == truth
            made.append((FLOOR, name, seed, float(right.mean()), len(truth)))
    return ("backbone", "set", "seed", "value", "n"), made


if __name__ == "__main__":
    make = floor if sys.argv[3:] == ["--floor"] else correlations
    names, made = make(sys.argv[1])
    with Path(sys.argv[2]).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([names, *made])
