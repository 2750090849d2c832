"""False alarms and power of every rule that gives a verdict, by simulation: ``python -m bench.verdicts [studies [page
...]]``.

Whole pages are made from tables of numbers in which nothing is to be found (or an effect of the size that the papers
report), by the functions that judge real studies. The table printed is that of ``docs/guide/verdicts.md``; the slow
tests assert it. A rule's false alarms are pages on which it says "holds" though nothing is there, before the page's
correction; the last column counts pages with any verdict at all, after it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from bench.simulated_pages import (
    Page,
    Rng,
    concepts,
    costliest,
    cues,
    looking,
    noise,
    pretrainings,
    replicas,
    sanity,
    transfers,
    weaknesses,
)
from unseen.kinds.combinations.findings import findings
from unseen.kinds.conditions.asked import ALL_BUT, ONE, AskedMatrix, Condition
from unseen.kinds.conditions.findings import NO_HELP, matrix_findings
from unseen.kinds.domains.findings import domain_findings
from unseen.kinds.domains.numbers import BOUND, Domain
from unseen.kinds.exposure.findings import exposure_findings
from unseen.kinds.exposure.numbers import ACROSS, GROUPS, MEDIAN, TAKEN, WITHIN
from unseen.kinds.exposure.repeats import together
from unseen.kinds.exposure.shown import Exposure
from unseen.kinds.exposure.thresholds import by_layer
from unseen.kinds.in_domain.findings import regression_findings
from unseen.kinds.in_domain.numbers import DISTANCE, MEAN, ONE_OUT, OTHERS, OUT, R2, SPREAD, TOWARDS
from unseen.kinds.in_domain.shown import LatentPoint
from unseen.kinds.judged import corrected
from unseen.kinds.variability.findings import WORST, variability_findings
from unseen.kinds.variability.read import Gaps, Point
from unseen.measures import category_growth
from unseen.measures.verdicts import ALPHA
from unseen.reports.finding import Finding

NOISES = ("normal", "skewed", "ties")


def combinations(rng: Rng, n: int, kind: str, effect: bool) -> list[Finding]:
    """Four curves over three diversities; choices of cells differ by much, which all architectures share."""
    rows, scatter = [], []
    for repeat in range(n):
        choice, special = rng.normal(0, 0.1), rng.normal(0, 0.1)
        for at, series in enumerate(("shared", "separate", "split-2", "shared-wide")):
            apart = effect * 0.15 * (series in ("separate", "split-2"))
            for x in (18.0, 36.0, 72.0):
                more = effect * 0.4 * (x - 18) / 54
                head = {"trial": f"{repeat}{series}{x}", "repeat": repeat, "seed": 0, "series": series, "x": x}
                level = {
                    ("unseen", target): 0.4 + choice + apart + more + noise(rng, kind)
                    for target in ("category", "place")
                } | {
                    ("seen", target): 0.9 - more / 8 + noise(rng, kind, scale=0.01) for target in ("category", "place")
                }
                for (asked, target), value in level.items():
                    rows.append({**head, "set": asked, "target": target, "value": float(value)})
                for asked in ("unseen", "seen"):
                    both = np.sqrt(max(level[asked, "category"], 0) * max(level[asked, "place"], 0))
                    rows.append({**head, "set": asked, "target": "geometric mean", "value": float(both)})
                own = special + at + x / 72 + noise(rng, kind, scale=0.05 * (1 + at))  # strata differ in spread
                for target in ("category", "place"):
                    accuracy = level["unseen", target]
                    own = own + effect * 2 * (accuracy - 0.4)
                    scatter.append(
                        {**head, "target": target, "specialization": float(own), "accuracy": float(accuracy)}
                    )
    made = findings(pl.DataFrame(rows), pl.DataFrame(scatter), pl.DataFrame(), "number of combinations", "category")
    return list(made)


def exposures(rng: Rng, n: int, kind: str, effect: bool) -> list[Finding]:
    """Six transformations of three families at four numbers of categories; draws of categories differ."""
    families = {"blur": "convolutional", "high-pass": "convolutional", "rotation-90": "geometric"}
    families |= {"thinning": "geometric", "white-noise": "noise", "salt-and-pepper": "noise"}
    rows, points = [], []
    for repeat, (level, family) in ((r, item) for r in range(n) for item in families.items()):
        draw = rng.normal(0, 0.05)
        for step, x in enumerate((1.0, 2.0, 4.0, 8.0)):
            lower = effect * 0.3 * (family == "geometric")
            across = 0.5 - lower + draw + effect * 0.1 * step + noise(rng, kind)
            within = 0.6 - effect * 0.05 * step + noise(rng, kind)
            taken = 0.5 + effect * 0.2 + noise(rng, kind, scale=0.1)
            # invariance follows the number seen, and not accuracy, unless there is an effect
            invariance = 0.3 + 0.1 * step * effect + effect * (across - 0.5) + noise(rng, kind)
            head = {"series": level, "x": x, "repeat": repeat, "level": level}
            measures = {("accuracy", ACROSS, "category"): across, ("accuracy", WITHIN, "category"): within,
                        (TAKEN[0], ACROSS, "category"): taken, (MEDIAN, GROUPS["unseen"], ""): invariance}  # fmt: skip
            for (measure, asked, target), value in measures.items():
                layer = "last" if measure == MEDIAN else ""
                rows.append({**head, "measure": measure, "set": asked, "target": target, "layer": layer}
                            | {"value": float(value)})  # fmt: skip
            points.append({**head, "invariance": float(invariance), ACROSS: float(across), WITHIN: float(within)})
    frame = pl.DataFrame(points)
    series = {level: ("", level, family) for level, family in families.items()}
    both = {asked: together(frame, asked) for asked in (WITHIN, ACROSS)}
    return list(exposure_findings(pl.DataFrame(rows), Exposure(series, "category", 10, "last", frame, both)))


def regressions(rng: Rng, n: int, kind: str, effect: bool) -> list[Finding]:
    """``n`` models of three seeds; all splits alike, answers at the edge of what was trained."""
    rows, names = [], [f"m{one}" for one in range(n)]
    factors, latents = ("object_colour", "scale", "place"), []
    for model in names:
        own = rng.normal(0, 0.2)
        for seed in range(3):
            for mode in ("random", "composition", "interpolation", "extrapolation"):
                far = effect * 0.5 * (mode == "extrapolation")
                head = {"trial": f"{model}{mode}{seed}", "series": model, "repeat": seed, "x": mode}
                r2 = {
                    name: 0.6 + own - far + effect * 0.3 * (name == "object_colour") + noise(rng, kind, scale=0.1)
                    for name in factors
                }
                r2[MEAN] = float(np.mean(list(r2.values())))
                rows += [{**head, "measure": R2, "set": "test", "target": f, "value": float(v)} for f, v in r2.items()]
                latents.append(
                    LatentPoint("", model, mode, seed, r2[MEAN], float(effect * own + rng.normal(0, 0.1)), 0.1)
                )
                if mode != "extrapolation":
                    continue
                inside = {name: 0.7 + own + noise(rng, kind, scale=0.1) for name in factors}
                rows += [{**head, "measure": R2, "set": "validation", "target": f, "value": float(v)}
                         for f, v in inside.items()]  # fmt: skip
                at = {**head, "set": f"{ONE_OUT}*"}
                for name in (*factors, MEAN):
                    lost = {OUT: 0.5 - effect, OTHERS: 0.5}
                    rows += [
                        {**at, "measure": measure, "target": name, "value": value + float(noise(rng, kind))}
                        for measure, value in lost.items()
                    ]
                pull = {TOWARDS: 0.95, DISTANCE: 1 - effect * 0.4 + noise(rng, kind, scale=0.08)}
                pull[SPREAD] = 0.2 + noise(rng, kind, scale=0.02)  # answers at the edge are no draws, too
                rows += [{**at, "measure": name, "target": MEAN, "value": float(value)} for name, value in pull.items()]
    worlds = {name: ("", name) for name in names}
    return list(regression_findings(pl.DataFrame(rows), worlds, {}, "test", latents))


def matrices(rng: Rng, n: int, kind: str, effect: bool) -> list[Finding]:
    """Networks trained on one of four conditions, on one and salt-and-pepper, or on all but one: every number at its
    margin."""
    names = ("grey", "low-pass", "geirhos-salt-and-pepper", "geirhos-uniform-noise")
    every = range(4)
    rows = [Condition((at,), names[at], ONE) for at in every]
    rows += [Condition(tuple(o for o in every if o != at), f"all but {names[at]}", ALL_BUT) for at in (2, 3)]
    rows += [Condition((at, 2), f"{names[at]} + {names[2]}", f"one plus {names[2]}") for at in (0, 1)]
    chance = 0.1
    known = 0.95 if effect else 0.8
    middle = 0.2 if effect else (chance + known) / 2
    asked = AskedMatrix(tuple(rows), names, names, np.empty((n, len(rows), 4)), chance)
    level = np.where(asked.trained, known, middle) + rng.normal(0, 0.02, (n, 1, 1))
    level[:, -2:, 3] += NO_HELP * (not effect)  # the other noise, against each alone
    accuracy = level + noise(rng, kind, (n, len(rows), 4), 0.06)
    made = matrix_findings(AskedMatrix(tuple(rows), names, names, accuracy, chance), "")
    return list(corrected(made))


def domains(rng: Rng, n: int, kind: str, effect: bool) -> list[Finding]:
    """Four domains, ``n`` repeats: as well known where they were left out, and no better than the most frequent."""
    made = []
    for name in "abcd":
        gap = effect * 0.25 + noise(rng, kind, n) - noise(rng, kind, n)  # of two like accuracies
        left = 0.4 + effect * 0.3 + noise(rng, kind, n) * rng.choice([-1, 1])
        counts = np.full(n, 50.0)
        made.append(Domain(name, left, left, left + gap, gap, left, counts, counts, np.full(n, 0.4), {}))
    return list(corrected(domain_findings(made, "", "domain", "category", BOUND)))


def thresholds(rng: Rng, n: int, kind: str, effect: bool) -> list[Finding]:
    """Twelve transformations, of which half leave more than a tenth of the accuracy above chance; most leave little."""
    shares = 0.1 + (noise(rng, kind, 12, 0.08) if kind != "skewed" else rng.exponential(0.1, 12) - 0.1 * np.log(2))
    shares = shares - effect * 0.08
    rows = [{"series": f"t{at}", "x": 5.0, "repeat": 0, "layer": "last", "tau": 0.1, "kept": 0.9, "full": 0.9}
            | {"removed": 0.1 + 0.8 * share} for at, share in enumerate(shares)]  # fmt: skip
    series = {f"t{at}": ("", f"t{at}", "noise") for at in range(12)}
    (layer,) = by_layer(pl.DataFrame(rows), series, ["last"], 10)
    made = Finding("near chance", "", layer.left, np.nan, np.nan, 12, layer.p, layer.near, True)
    return list(corrected([made]))


def growths(rng: Rng, n: int, kind: str, effect: bool) -> list[Finding]:
    """Curves as near to a straight line as to a logarithm, or logarithmic ones; "holds" is any shape."""
    x = np.array([1.0, 2, 4, 8, 16])
    units = [(g - g.mean()) / np.linalg.norm(g - g.mean()) for g in (x, np.log(x))]
    curve = 0.3 * units[1] if effect else 0.15 * (units[0] + units[1])
    y = 0.5 + curve + rng.normal(0, 0.05, (n, 1)) + noise(rng, kind, (n, len(x)), 0.02)
    found = category_growth(np.tile(x, n), y.ravel(), np.repeat(np.arange(n), len(x)), draws=50)
    said = {"logarithmic": True, "linear": False}.get(found.verdict)
    p = found.lean.p if np.isfinite(found.lean.p) else None
    return [Finding("linear or logarithmic", "", 0, 0, 0, n, p, said, True, corrected=p, comparisons=1)]


def variabilities(rng: Rng, n: int, kind: str, effect: bool) -> list[Finding]:
    """Two networks of each protocol, ``n`` folds of the objects, which differ by what all numbers of a fold share; with
    an effect everything is as Ibrahim et al. report."""
    factors = ("pose", "size", "background", "position", "light")
    points, near = [], {}
    for fold in range(n):
        shared = rng.normal(0, 0.05)
        near |= {(fold, f"c{one}"): float(value) for one, value in enumerate(rng.permutation(8) / 8)}
        for model in ("ViT-1k", "ViT-21k", "MAE-1k", "ResNet50-1k"):
            for protocol in ("linear", "finetune"):
                tuned = effect * (protocol == "finetune")
                far = effect * (-0.1 * (model == "MAE-1k") + 0.1 * (model == "ViT-21k"))
                level = 0.7 + 0.1 * tuned + shared + noise(rng, kind)
                head = (model, protocol)
                points.append(Point(*head, "canonical", (), 0.0, (), "", False, fold, "accuracy", float(level), 9))
                for factor in factors:
                    worst = -0.3 * effect * (factor in WORST) - 0.1 * tuned + far

                    def told(regime: str, vary: str, share: float, asked: str, value: float, group: str = "",
                             of: str = "", head: tuple[str, str] = head, repeat: int = fold,
                             also: float = shared) -> Point:  # fmt: skip
                        own = float(value + also + noise(rng, kind))
                        shown = (vary,) if vary else ()
                        return Point(*head, regime, shown, share, (asked,), group, False, repeat, "gap", own, 9, of)

                    points.append(told("canonical", "", 0.0, factor, -0.2 + worst))
                    for share in (0.05, 0.5, 0.95):
                        for other in factors:
                            closes = effect * share * (0.3 if other == factor else 0.1)
                            few = -0.3 * effect * (share == 0.05 and other == factor)
                            points.append(told("samples", factor, share, other, -0.2 + worst + closes))
                            points.append(told("instances", factor, share, other, -0.2 + worst + closes + few))
                    points.append(told("classes", factor, 0.5, factor, -0.2 + worst + 0.1 * effect, "exposed"))
                    points.append(told("classes", factor, 0.5, factor, -0.2 + worst - 0.3 * effect, "others"))
                    for one in range(8):
                        own = -0.4 + 0.3 * effect * near[fold, f"c{one}"]
                        points.append(told("classes", factor, 0.5, factor, own, "others", f"c{one}"))
    gaps = Gaps(tuple(points), tuple(range(n)), "folds of the objects", factors)
    return list(corrected(variability_findings(gaps, lambda fold, name: near[fold, name])))


PAGES: dict[str, tuple[Page, Sequence[int]]] = {
    "combinations": (combinations, (3, 5)),
    "exposures": (exposures, (3, 5)),
    "regressions": (regressions, (3, 5)),
    "matrices": (matrices, (3, 5)),
    "domains": (domains, (3, 5)),
    "variabilities": (variabilities, (3, 5)),
    "thresholds": (thresholds, (12,)),
    "growths": (growths, (3, 5)),
    "transfers": (transfers, (3, 5)),
    "pretrainings": (pretrainings, (3, 5)),
    "cues": (cues, (3, 5)),
    "replicas": (replicas, (3, 5)),
    "looking": (looking, (3, 5)),
    "concepts": (concepts, (3, 5)),
    "sanity": (sanity, (3, 5)),
    "weaknesses": (weaknesses, (12, 40)),  # objects
    "costliest": (costliest, (12, 40)),
}


BELOW = ("costs", "falls", "lowest", "hardest", "does not help", "worst", "worse", "least", "raises accuracy")
BELOW += ("finetuning has the larger gap", "always agreed", "change with the weights")
NULLS = {"ceiling": 0.8, "becomes a cue": 0.5, "does not help": 0.1, "exceeds 1": 1.0, "always agreed": 0.5}
NULLS |= {"told nothing": 0.5, "the weights": 0.5}


def rule_of(found: Finding) -> str:
    """The rule that judged a finding, whatever target, curve or domain it is of."""
    name = found.name.partition(":")[0]
    return name.replace(" place", "").replace(" category", "")


def alone(found: Finding) -> bool:
    """Whether a finding would hold were it the only one of its page."""
    if found.p is None or found.p > ALPHA:
        return False
    return bool(found.holds) or (found.holds is None and found.why.startswith("corrected"))


def simulate(page: str, n: int, kind: str, effect: bool, studies: int, seed: int = 0) -> tuple[dict[str, float], float]:
    """By rule, how often it says "holds" where it is the only comparison; and how often a page says anything (with no
    effect there) or, of every judged finding, how often it holds after correction (with one)."""
    rng, said, asked, pages = np.random.default_rng([seed, n, effect]), Counter[str](), Counter[str](), 0.0
    for _ in range(studies):
        found = [one for one in PAGES[page][0](rng, n, kind, effect) if one.judged]
        for one in found:
            asked[rule_of(one)] += 1
            # of a finding that correction left open the sign is that of what was expected in half of the cases
            said[rule_of(one)] += alone(one) if one.why[:9] != "corrected" else _expected(one)
        verdicts = [one.holds for one in found]
        pages += (sum(v is True for v in verdicts) / len(verdicts)) if effect else any(v is not None for v in verdicts)
    return {rule: said[rule] / asked[rule] for rule in asked}, pages / studies


def _expected(found: Finding) -> float:
    """Whether a finding that only the correction left open has the expected sign. It is not kept, so the sign of the
    claim is: those that expect a fall, or to be the lowest, are below zero."""
    if "shared-wide" in found.name or "does not change" in found.name:
        return 0.0
    below = any(word in found.name for word in BELOW)
    null = next((null for word, null in NULLS.items() if word in found.name), 0.0)
    return float((found.value < null) == below)


def rows(studies: int, pages: Sequence[str] = ()) -> Iterator[tuple[str, str, int, list[float], float, float, float]]:
    """Page, rule, n, false alarms by kind of noise, power alone, pages with any false verdict, power corrected."""
    for page in pages or PAGES:
        for n in PAGES[page][1]:
            null = {kind: simulate(page, n, kind, False, studies) for kind in NOISES}
            power, whole = simulate(page, n, "normal", True, max(1, studies // 4))
            for rule in power:
                false = [null[kind][0].get(rule, 0.0) for kind in NOISES]
                yield page, rule, n, false, power[rule], max(one[1] for one in null.values()), whole


def main() -> None:
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"| page | rule | n | false alarms: {', '.join(NOISES)} | power | any false verdict on the page |")
    print("|---|---|---|---|---|---|")
    for page, rule, n, false, power, whole, _ in rows(studies, sys.argv[2:]):
        told = ", ".join(f"{100 * rate:.1f} %" for rate in false)
        print(f"| {page} | {rule} | {n} | {told} | {100 * power:.0f} % | {100 * whole:.1f} % |", flush=True)


if __name__ == "__main__":
    main()
