"""Studies of natural variation (Ibrahim et al. 2022) from their tables: gaps by fold, and what the paper claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from docs.results.contrasts import Judged, above, above_all, family, less
from docs.results.numbers import interval, mean_of, number, spearman, table
from unseen.kinds.published_variation import tables
from unseen.kinds.variability.contents import bare, similarity_of

FACTORS = ("pose", "background", "size", "position", "light")
WORST, REST = FACTORS[:3], FACTORS[3:]
RANDOM = "random weights"
GAP, ACCURACY, OF_A_CLASS = "gap", "accuracy", "gap of a class"
ByFold = Mapping[int, float]


class Variation:
    """One study's table. Values are by fold: every object is asked once, in the fold that holds it out."""

    def __init__(self, path: Path, folds: Sequence[int] = ()) -> None:
        rows = pl.read_parquet(path).filter(pl.col("measure").is_in([GAP, ACCURACY, OF_A_CLASS]))
        if folds:
            rows = rows.filter(pl.col("design.fold").is_in(list(folds)))
        known = set(rows.columns)
        for name in ("network.model", "design.regime", "design.vary", "level"):
            if name not in known:
                rows = rows.with_columns(pl.lit(None, pl.String).alias(name))
        if "design.share" not in known:
            rows = rows.with_columns(pl.lit(None, pl.Float64).alias("design.share"))
        self.rows = rows

    @property
    def models(self) -> tuple[str, ...]:
        found = self.rows["network.model"].unique().to_list()
        return tuple(sorted(one for one in found if one)) + ((RANDOM,) if None in found else ())

    @property
    def folds(self) -> int:
        return self.rows["design.fold"].n_unique()

    def by_fold(
        self,
        what: str,
        measure: str = GAP,
        *,
        model: str = "",
        regime: str = "canonical",
        vary: str = "",
        share: float = 0,
    ) -> dict[int, float]:
        """One number of one network by fold; ``what`` is a set."""
        own = self.rows.filter(pl.col("measure") == measure, pl.col("set") == what, pl.col("design.regime") == regime)
        own = own.filter(pl.col("level").is_null() | (pl.col("level") == ""))
        if model:
            own = own.filter(pl.col("network.model").is_null() if model == RANDOM else pl.col("network.model") == model)
        if vary:
            own = own.filter(pl.col("design.vary") == vary)
        if share:
            own = own.filter((pl.col("design.share") - share).abs() < 1e-6)
        found = dict(zip(own["design.fold"].to_list(), own["value"].to_list()))
        assert len(found) == len(own) > 0, (
            f"{len(own)} numbers of {len(found)} folds for {what}, {model}, {regime}, {vary}"
        )
        return {int(fold): float(value) for fold, value in found.items()}

    def gap(self, factor: str, **asked) -> dict[int, float]:
        return self.by_fold(f"varying-{factor}", **asked)

    def pretrained(self, factor: str) -> dict[int, float]:
        """The gap, averaged over networks with ImageNet's weights."""
        return averaged([self.gap(factor, model=model) for model in self.models if model != RANDOM])

    def claims(self) -> dict[str, Judged]:
        """What the paper's first half says of networks that are shown canonical pictures only."""
        own = {factor: self.pretrained(factor) for factor in FACTORS}
        each = {name: above_all([less(own[other], own[name]) for other in REST]) for name in WORST}
        random = [less(self.gap(factor, model=RANDOM), self.pretrained(factor)) for factor in FACTORS]
        return family(**each, random=above(averaged(random), -1))

    def shown(self) -> dict[str, Judged]:
        """What the paper's second half says of variation in training; the study of one network."""
        none = {factor: self.gap(factor) for factor in FACTORS}

        def change(regime: str, factor: str, asked: str = "", end: str = "", **how: float) -> dict[int, float]:
            name = asked or factor
            return less(self.by_fold(f"varying-{name}{end}", regime=regime, vary=factor, **how), none[name])

        closes = {f"closes_{one}": above(change("samples", one, share=1.0)) for one in FACTORS}
        few = averaged([change("instances", one, share=0.25) for one in FACTORS])
        others = averaged(
            [change("instances", one, asked, share=1.0) for one in FACTORS for asked in FACTORS if asked != one]
        )
        together = averaged(
            [less(self.gap(one, regime="samples", vary="all", share=0.5), none[one]) for one in FACTORS]
        )
        halves = {one: less(self.others(one, one), self.control(one)) for one in FACTORS}
        rest = {f"half_{one}": above(found, -1) for one, found in halves.items()}
        half = averaged(list(halves.values()))
        return family(
            **closes, few=above(few, -1), others=above(others), together=above(together), **rest, half=above(half, -1)
        )

    def others(self, factor: str, varied: str) -> dict[int, float]:
        """The gap of a factor in classes that were not seen varying, where others were, in ``varied``."""
        return self.by_fold(f"varying-{factor}-others", regime="classes", vary=varied)

    def control(self, factor: str) -> dict[int, float]:
        """The same gap of the same classes where the others varied in something else: classes differ, and these are
        the same ones."""
        return averaged([self.others(factor, varied) for varied in FACTORS if varied != factor])

    def table_1(self) -> str:
        rows = []
        for model in self.models:
            known = [
                interval(self.by_fold(name, ACCURACY, model=model), cut=True)
                for name in ("trained-canonical", "canonical")
            ]
            gaps = [self.gap(factor, model=model) for factor in FACTORS]
            rows.append((model, *known, *map(points, gaps), points(averaged(gaps))))
        return table(HEAD, rows)

    def shares(self, together: bool = True) -> str:
        """Fig. 4 and A14: the gap of each factor over what varies in training, and all factors at once if asked."""
        rows = []
        for factor in FACTORS:
            cells = [points(self.gap(factor))]
            for regime in ("samples", "instances"):
                cells += [points(self.gap(factor, regime=regime, vary=factor, share=share)) for share in (0.25, 1.0)]
            if together:
                cells.append(points(self.gap(factor, regime="samples", vary="all", share=0.5)))
            rows.append((factor, *cells))
        head = (
            "factor",
            "none",
            "¼ of samples",
            "all samples",
            "¼ of objects",
            "all objects",
            "all factors, ½ of samples",
        )
        return table(head if together else head[:-1], rows)

    def share_claims(self) -> dict[str, Judged]:
        """Of :meth:`shown`, what a study without other regimes can say."""
        none = {factor: self.gap(factor) for factor in FACTORS}

        def change(share: float) -> list[dict[int, float]]:
            return [less(self.gap(one, regime="instances", vary=one, share=share), none[one]) for one in FACTORS]

        closes = {f"closes_{one}": above(found) for one, found in zip(FACTORS, change(1.0))}
        return family(**closes, few=above(averaged(change(0.25)), -1))

    def halves(self) -> str:
        """Table 3."""
        rows = []
        for factor in FACTORS:
            seen = self.by_fold(f"varying-{factor}-exposed", regime="classes", vary=factor)
            own, same = self.others(factor, factor), self.control(factor)
            rows.append((factor, *map(points, (self.gap(factor), seen, own, same, less(own, seen)))))
        head = ("factor", "no class varies", "classes seen varying", "the others", "the others, another factor varying")
        return table((*head, "others less seen"), rows)

    def of_classes(self, group: str) -> pl.DataFrame:
        """Mean over factors of each class's gap, by fold: where its own half varied in the factor that is asked, and
        where it varied in something else."""
        own = self.rows.filter(pl.col("measure") == OF_A_CLASS, pl.col("design.regime") == "classes")
        own = own.with_columns(pl.col("set").str.extract(r"^varying-(\w+)-" + group + "$").alias("asked"))
        own = own.filter(pl.col("asked").is_in(FACTORS))
        same = own.filter(pl.col("asked") == pl.col("design.vary"))
        rest = own.filter(pl.col("asked") != pl.col("design.vary"))
        keys = ["level", "design.fold"]
        each, other = (one.group_by(keys).agg(pl.col("value").cast(pl.Float64).mean()) for one in (same, rest))
        return each.join(other, on=keys, suffix=" otherwise").sort(keys)

    def by_similarity(self) -> str:
        """Fig. 7: classes never seen varying, by WordNet's similarity to the nearest class that was."""
        others, seen = self.of_classes("others"), self.of_classes("exposed")["level"].unique().to_list()
        classes = others["level"].unique(maintain_order=True).to_list()
        alike = similarity_of([bare(name) for name in (*classes, *seen)], "wordnet")[: len(classes), len(classes) :]
        near = np.where(np.isfinite(alike), alike, -np.inf).max(axis=1)
        near = np.where(np.isfinite(near), near, np.nan)
        rows: list[tuple[str, ...]] = []
        ranks: dict[str, dict[int, float]] = {"value": {}, "less": {}}
        others = others.with_columns((pl.col("value") - pl.col("value otherwise")).alias("less"))
        for what, found in ranks.items():
            for (fold,), own in others.group_by(["design.fold"], maintain_order=True):
                gaps = dict(zip(own["level"], own[what]))
                kept = [at for at, name in enumerate(classes) if np.isfinite(near[at]) and name in gaps]
                found[fold] = spearman(near[kept], [gaps[classes[at]] for at in kept])
        for at in np.argsort(-np.nan_to_num(near, nan=-1), kind="stable"):
            own = others.filter(pl.col("level") == classes[at])
            each = (points(dict(zip(own["design.fold"], own[what]))) for what in ("value", "less"))
            rows.append((bare(classes[at]).replace("_", " "), number(float(near[at]), 2), *each))
        told = ("Spearman's correlation with similarity", "", *(interval(ranks[what]) for what in ("value", "less")))
        return table(("class", "similarity", "gap", "less where the others varied in something else"), [*rows, told])

    def cross(self) -> str:
        """Fig. 5: the change of each gap where all objects vary in one factor."""
        rows = []
        for varied in FACTORS:
            cells = [
                points(less(self.gap(asked, regime="instances", vary=varied, share=1.0), self.gap(asked)))
                for asked in FACTORS
            ]
            rows.append((varied, *cells))
        return table(("varied ↓, asked →", *FACTORS), rows)


class Finetuned:
    """Table 1b: one network finetuned, and its probe, on canonical pictures of the same objects, by fold."""

    def __init__(self, path: Path) -> None:
        rows = pl.read_parquet(path)
        self.unconverged = rows.filter(pl.col("measure") == "flag: unconverged", pl.col("value") > 0)[
            "trial"
        ].n_unique()
        self.rows = rows.filter(pl.col("measure").is_in([GAP, ACCURACY]), pl.col("target") == "category")

    @property
    def folds(self) -> int:
        return self.rows["design.fold"].n_unique()

    def by_fold(self, protocol: str, what: str, measure: str = ACCURACY) -> dict[int, float]:
        own = self.rows.filter(
            pl.col("protocol") == protocol, pl.col("set") == what, pl.col("measure") == measure
        ).sort("design.fold")
        found = dict(zip(own["design.fold"].to_list(), own["value"].to_list()))
        assert len(found) == len(own) > 0, f"{len(own)} numbers of {len(found)} folds for {protocol}, {what}"
        return {int(fold): float(value) for fold, value in found.items()}

    def gap(self, protocol: str, factor: str) -> dict[int, float]:
        return less(self.by_fold(protocol, f"varying-{factor}"), self.by_fold(protocol, "canonical"))

    def change(self, factor: str) -> dict[int, float]:
        """The gap finetuned less that of the probe."""
        return less(self.gap("finetune", factor), self.gap("probe", factor))

    def claims(self) -> dict[str, Judged]:
        """Better in place, worse in gap, as the paper says of finetuning."""
        place = less(self.by_fold("finetune", "canonical"), self.by_fold("probe", "canonical"))
        return family(place=above(place), gap=above(averaged([self.change(factor) for factor in FACTORS]), -1))

    def table(self) -> str:
        rows = []
        for protocol, name in (("probe", "linear"), ("finetune", "finetuned")):
            known = [interval(self.by_fold(protocol, one), cut=True) for one in ("trained-canonical", "canonical")]
            gaps = [self.gap(protocol, factor) for factor in FACTORS]
            rows.append((name, *known, *map(points, gaps), points(averaged(gaps))))
        changes = [self.change(factor) for factor in FACTORS]
        rows.append(("finetuned less linear", "", "", *map(points, changes), points(averaged(changes))))
        return table(HEAD, rows)


HEAD = ("network", "trained on", "held out", *FACTORS, "average")


def averaged(each: Sequence[ByFold]) -> dict[int, float]:
    folds = sorted(set.intersection(*(set(one) for one in each)))
    return {fold: float(np.mean([one[fold] for one in each])) for fold in folds}


def points(values: ByFold) -> str:
    """A difference in points of per cent, with its interval over folds."""
    one = mean_of(values)
    return whole(one.value) + (f" [{whole(one.low)}, {whole(one.high)}]" if np.isfinite(one.low) else "")


def whole(value: float) -> str:
    """
    >>> whole(-0.398), whole(0.004)
    ('−40', '0')
    """
    rounded = round(100 * value)
    return f"+{rounded}" if rounded > 0 else f"−{-rounded}" if rounded < 0 else "0"


def published(figure: str = "Table 1a") -> str:
    """A table of the paper as printed; sets in the order of the page."""
    found: dict[str, dict[str, float]] = {}
    for (shown, series, asked), values in tables():
        if shown == figure:
            found.setdefault(series.partition(",")[0], {})[asked] = next(iter(values.values()))
    rows = []
    for name, values in found.items():
        gaps = [values[f"varying-{factor}"] for factor in FACTORS]
        known = [number(values[asked], 3) for asked in ("trained-canonical", "canonical")]
        rows.append((name, *known, *(number(100 * gap, 1) for gap in gaps), number(100 * float(np.mean(gaps)), 1)))
    return table(HEAD, rows)


SAID = {
    "closes_": "variation of every object closes the gap of {}",
    "few": "a quarter of the objects varying is worse than none (the paper: 5 %)",
    "others": "variation of one factor helps with others (mean of the off-diagonal changes)",
    "together": "varying all together helps (mean over factors)",
    "half_": "the others are worse off where half of the classes vary in {} than in something else",
    "half": "… mean over factors",
}


def findings(shown: Mapping[str, Judged], meshes: Mapping[str, Judged] | None, head: str) -> str:
    """Rows of a table of verdicts: those of ``head``, and with "closes_" what is not told by factor."""
    names = [f"{head.removesuffix('_')}_{factor}" for factor in FACTORS]
    names += ["few", "others", "together"] if head == "closes_" else ["half"]
    rows = []
    for name in filter(shown.__contains__, names):
        key, _, factor = name.partition("_")
        words = SAID[f"{key}_" if factor else key].format(factor)
        cells = [str(shown[name]), *([] if meshes is None else [str(meshes[name])])]
        rows.append(f"| {words} | {' | '.join(cells)} |")
    return "\n".join(rows)
