"""Encoders pretrained here (recipes `ibrahim2022/pretraining` and `causal`) from their tables, one for each seed of
pretraining: a repeat is an encoder made anew, and folds, which together ask every object once, are averaged in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import polars as pl

from docs.results.contrasts import Judged, above, above_all, family, less
from docs.results.numbers import interval, table
from docs.results.variations import ACCURACY, FACTORS, GAP, REST, WORST, averaged, points

BySeed = dict[int, float]
KEYS = ("network.backbone", "pretraining.objective", "pretraining.world.instances", "pretraining.world.drawn")
CAPTIONS = {"supervised": "labels", "simclr": "SimCLR", "mae": "MAE", "dino": "DINO", "clip": "CLIP",
            "none": "random weights"}  # fmt: skip

OBJECTIVES = tuple(one for one in CAPTIONS if one != "none")


class Made(NamedTuple):
    """How an encoder was made. ``objects`` of each class it learned from, ``drawn``: what varied among the pictures."""

    backbone: str
    objective: str
    objects: int | None
    drawn: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.backbone}, {CAPTIONS[self.objective]}"


class Encoders:
    """All seeds of one recipe; of some folds only, where it is set beside a study that has no others."""

    def __init__(self, folder: Path, name: str, folds: Sequence[int] = ()) -> None:
        files = sorted(folder.glob(f"{name}-[0-9].parquet"))
        rows = pl.concat([pl.read_parquet(file) for file in files], how="diagonal_relaxed")
        for key in KEYS:
            if key not in rows.columns:
                rows = rows.with_columns(pl.lit(None).alias(key))
        if folds:
            rows = rows.filter(pl.col("design.fold").is_in(list(folds)))
        self.trials, self.files = rows["trial"].n_unique(), [f"{folder.name}/{file.name}" for file in files]
        self.asked_folds = tuple(sorted(rows["design.fold"].unique().to_list()))
        self.folds = len(self.asked_folds)
        self.seeds = tuple(sorted(rows["pretraining.seed"].unique().to_list()))
        flagged = rows.filter(pl.col("measure").str.starts_with("flag"), pl.col("value") > 0)
        self.flagged = flagged["trial"].n_unique()
        own = rows.filter(pl.col("measure").is_in([GAP, ACCURACY]), pl.col("target") == "category")
        self.values: dict[tuple[Made, str, str], BySeed] = {}
        for key, some in own.group_by([*KEYS, "measure", "set", "pretraining.seed"], maintain_order=True):
            *made, measure, asked, seed = key
            assert len(some) == self.folds, f"{len(some)} of {self.folds} folds for {key}"
            mean = float(some["value"].cast(pl.Float64).mean())  # type: ignore[arg-type]
            self.values.setdefault((_made(*made), str(measure), str(asked)), {})[int(seed)] = mean  # type: ignore[call-overload]
        self.made = tuple(dict.fromkeys(made for made, _, _ in self.values))

    @property
    def tables(self) -> str:
        return ", ".join(f"[seed {seed}]({file})" for seed, file in zip(self.seeds, self.files))

    def gap(self, made: Made, factor: str) -> BySeed:
        return self.values[made, GAP, f"varying-{factor}"]

    def mean(self, made: Made) -> BySeed:
        return averaged([self.gap(made, factor) for factor in FACTORS])

    def home(self, made: Made) -> BySeed:
        return self.values[made, ACCURACY, "canonical"]


def _made(backbone: object, objective: object, objects: object, drawn: object) -> Made:
    told = () if drawn is None else tuple(json.loads(str(drawn)))
    return Made(str(backbone or "resnet18"), str(objective), None if objects is None else int(str(objects)), told)


class Kinds(Encoders):
    """Seven kinds of pretraining at two sizes, and random weights."""

    def table(self) -> str:
        order = sorted(self.made, key=lambda one: (one.backbone, one.objective, one.objects or 0))
        rows = []
        for one in order:
            gaps = [points(self.gap(one, factor)) for factor in FACTORS]
            objects = "" if one.objective == "none" else f"{30 * (one.objects or 0):,}"
            rows.append((one.name, objects, interval(self.home(one), cut=True), *gaps, points(self.mean(one))))
        return table(("encoder", "objects learned from", "held out", *FACTORS, "average"), rows)

    def claims(self) -> dict[str, Judged]:
        """As the paper has it: the objective matters more than the architecture, and more data help."""
        learned = [one for one in self.made if one.objective != "none"]
        pairs = list(combinations(learned, 2))
        objective = [self.apart(a, b) for a, b in pairs if a.backbone == b.backbone and _same(a, b, "objects")]
        architecture = [self.apart(a, b) for a, b in pairs if a.objective == b.objective and _same(a, b, "objects")]
        more = [
            less(self.mean(max(a, b, key=_size)), self.mean(min(a, b, key=_size)))
            for a, b in pairs
            if a.backbone == b.backbone and a.objective == b.objective
        ]
        own = {factor: averaged([self.gap(one, factor) for one in learned]) for factor in FACTORS}
        each = {name: above_all([less(own[other], own[name]) for other in REST]) for name in WORST}
        matters = less(averaged(objective), averaged(architecture))
        return family(**each, objective=above(matters), more=above(averaged(more)))

    def more(self, objective: str, changed: bool) -> BySeed:
        """What a probe of held-out objects has more on encoders of this objective (mean over networks and sizes) than
        on the first weights of the same network and seed: in canonical pictures, or where one factor is ``changed``."""
        first = {one.backbone: one for one in self.made if one.objective == "none"}
        own = [one for one in self.made if one.objective == objective]
        return averaged([less(self.right(one, changed), self.right(first[one.backbone], changed)) for one in own])

    def right(self, made: Made, changed: bool) -> BySeed:
        """Accuracy of held-out objects, mean over factors where one is ``changed``."""
        if not changed:
            return self.home(made)
        return averaged([self.values[made, ACCURACY, f"varying-{factor}"] for factor in FACTORS])

    def learned(self) -> dict[tuple[str, bool], Judged]:
        """Does each objective beat its own random start? All that is asked of one world is corrected together."""
        asked = [(one, changed) for one in OBJECTIVES for changed in (False, True)]
        found = family(**{f"{one} {changed}": above(self.more(one, changed)) for one, changed in asked})
        return {(one, changed): found[f"{one} {changed}"] for one, changed in asked}

    def apart(self, a: Made, b: Made) -> BySeed:
        """How far the gaps of two encoders are apart, mean over factors."""
        each = [less(self.gap(a, factor), self.gap(b, factor)) for factor in FACTORS]
        return averaged([{seed: abs(value) for seed, value in one.items()} for one in each])


def learned_table(everyday: Kinds, meshes: Kinds) -> str:
    """A line for each objective, canonical pictures and changed ones beside each other."""
    judged = (everyday.learned(), meshes.learned())
    rows = [
        (CAPTIONS[one], *(str(world[one, changed]) for world in judged for changed in (False, True)))
        for one in OBJECTIVES
    ]
    head = [f"{world}, {pictures}" for world in ("everyday", "meshes") for pictures in ("canonical", "changed")]
    return table(("objective", *head), rows)


class Tuned:
    """The same encoders finetuned, and read out linearly, from the same pictures."""

    def __init__(self, linear: Kinds, tuned: Kinds) -> None:
        self.linear, self.tuned = linear, tuned
        self.learned = [one for one in tuned.made if one.objective != "none"]

    def table(self) -> str:
        rows = []
        for one in sorted(self.tuned.made, key=lambda one: (one.backbone, one.objective, one.objects or 0)):
            objects = "" if one.objective == "none" else f"{30 * (one.objects or 0):,}"
            gaps = [points(self.tuned.gap(one, factor)) for factor in FACTORS]
            held = interval(self.tuned.home(one), cut=True)
            rows.append((one.name, objects, held, *gaps, points(self.tuned.mean(one)), points(self.change(one))))
        return table(("finetuned", "objects", "held out", *FACTORS, "average", "less linear"), rows)

    def change(self, one: Made) -> BySeed:
        """The average gap less that of the probe."""
        return less(self.tuned.mean(one), self.linear.mean(one))

    def claims(self) -> dict[str, Judged]:
        """Better in place, worse in gap, as the paper says; the mean over encoders that learned something."""
        place = averaged([less(self.tuned.home(one), self.linear.home(one)) for one in self.learned])
        return family(place=above(place), gap=above(averaged([self.change(one) for one in self.learned]), -1))


def _same(a: Made, b: Made, what: str) -> bool:
    return getattr(a, what) == getattr(b, what)


def _size(one: Made) -> int:
    return one.objects or 0


class Causal(Encoders):
    """Encoders that differ in what varied in pretraining alone."""

    def of(self, objective: str) -> dict[str, Made]:
        """By what varied besides the background: "" for nothing, "all" for all four."""
        found = {}
        for one in self.made:
            if one.objective == objective:
                more = [name for name in one.drawn if name != "background"]
                found["all" if len(more) > 1 else "".join(more)] = one
        return found

    def change(self, objective: str, varied: str, asked: str) -> BySeed:
        """By how much the gap is smaller than where the background alone varied."""
        every = self.of(objective)
        return less(self.gap(every[varied], asked), self.gap(every[""], asked))

    def singles(self, objective: str) -> list[str]:
        every = self.of(objective)
        return [factor for factor in FACTORS if factor in every]

    def own(self, objective: str) -> BySeed:
        return averaged([self.change(objective, one, one) for one in self.singles(objective)])

    def others(self, objective: str) -> BySeed:
        names = self.singles(objective)
        return averaged([self.change(objective, one, other) for one in names for other in names if one != other])

    def table(self, objective: str) -> str:
        rows = []
        for name in (*self.singles(objective), "all"):
            held = less(self.home(self.of(objective)[name]), self.home(self.of(objective)[""]))
            rows.append((name, points(held), *(points(self.change(objective, name, asked)) for asked in FACTORS)))
        return table(("varied in pretraining ↓, asked →", "canonical", *FACTORS), rows)

    def start(self, objective: str) -> str:
        """The gaps where the background alone varied, which changes start from."""
        one = self.of(objective)[""]
        return ", ".join(f"{factor} {points(self.gap(one, factor))}" for factor in FACTORS)

    def claims(self) -> dict[str, Judged]:
        found = {}
        for objective in ("supervised", "simclr"):
            found[f"{objective}_own"] = above(self.own(objective))
            found[f"{objective}_more"] = above(less(self.own(objective), self.others(objective)))
        return family(**found)

    def each_seed(self, values: BySeed) -> str:
        """One number for each encoder, in points: what there is to say of two."""
        return ", ".join(f"{100 * value:+.1f}".replace("-", "−") for value in values.values())


def seeds(names: Sequence[int]) -> str:
    """
    >>> seeds([0]), seeds([0, 1])
    ('one encoder of each kind', '2 encoders of each kind, made anew')
    """
    return "one encoder of each kind" if len(names) == 1 else f"{len(names)} encoders of each kind, made anew"
