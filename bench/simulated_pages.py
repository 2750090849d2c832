"""Pages of made-up numbers for the kinds of study that came after the first ones: cues, replicas, maps, concepts, given
models, encoders made anew. ``bench.verdicts`` counts what they say where nothing is there.

A page is of one study: ``n`` repeats, a kind of noise, and whether there is an effect of the size that papers report.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from unseen.kinds.concepts.contents import findings as concept_findings
from unseen.kinds.concepts.numbers import ALL, ALL_RIGHT, BLAMED, TOLD
from unseen.kinds.concepts.read import ACCURACY, ALONE, APART, BESIDE, FROM, StudyOfConcepts
from unseen.kinds.cues.findings import findings as cue_findings
from unseen.kinds.cues.read import Cues, StudyOfCues
from unseen.kinds.in_domain.findings import regression_findings
from unseen.kinds.in_domain.numbers import MEAN, R2, Transfer
from unseen.kinds.judged import corrected
from unseen.kinds.looking.contents import ENERGY, SETS, StudyOfLooking
from unseen.kinds.looking.contents import findings as looking_findings
from unseen.kinds.looking.numbers import SEEN, UNSEEN
from unseen.kinds.replica.findings import findings as replica_findings
from unseen.kinds.replica.read import EASIER, HARDER, Replicas
from unseen.kinds.sanity.contents import findings as sanity_findings
from unseen.kinds.sanity.numbers import CASCADE
from unseen.kinds.sanity.read import WITHOUT_SIGN, Alike, StudyOfSanity
from unseen.kinds.variability.pretrained import pretrained_findings
from unseen.kinds.variability.read import ANEW, Gaps, Point
from unseen.kinds.variability.traits import NetworkTraits
from unseen.kinds.weaknesses.examined import ExaminedModel
from unseen.kinds.weaknesses.findings import findings_of_all
from unseen.measures.selection import chosen, two_halves
from unseen.measures.similarity import ALIKE
from unseen.reports.finding import Finding
from unseen.studies.records import Record
from unseen.vocabulary.design_facts import Replicated
from unseen.vocabulary.varied_sets import ALL as ALL_VARIED
from unseen.vocabulary.varied_sets import CANONICAL

Rng = np.random.Generator
Page = Callable[[Rng, int, str, bool], list[Finding]]


def noise(rng: Rng, kind: str, size: int | tuple[int, ...] = (), scale: float = 0.04) -> np.ndarray:
    """Numbers around zero: normal; strongly skewed, as accuracies near 0 or 1 are; or of few different values."""
    if kind == "skewed":
        return scale * (rng.beta(0.9, 8.1, size) - 0.1) / 0.095  # standard deviation as the others
    values = rng.normal(0, scale, size)
    return np.round(values / 0.02) * 0.02 if kind == "ties" else values


def rules(found: tuple[Finding, ...]) -> list[Finding]:
    """Named by their rule: without the network or the method that the name begins with."""
    return [replace(one, name=one.name.partition(": ")[2] or one.name) for one in found]


def cues(rng: Rng, n: int, kind: str, effect: bool) -> list[Finding]:
    """Three networks at three shares: each cue decides half of the images whatever training showed, and the network of
    small patches goes by shape as the others do. Objects of one repeat are shared."""
    shares, models = (0.0, 0.5, 1.0), []
    draw = rng.normal(0, 0.03, (n, 1))
    for name in ("resnet18", "vit-tiny", "bagnet17"):
        level = 0.5 + effect * (np.array([-0.3, 0.0, 0.3]) - 0.15 * (name == "bagnet17"))
        bias = level + draw + noise(rng, kind, (n, 3))
        known, said = np.full((n, 3), 0.9) + noise(rng, kind, (n, 3), 0.01), np.full((n, 3), 0.8)
        models.append(Cues(name, shares, bias, said, known, known))
    study = StudyOfCues((), pl.DataFrame(), tuple(models), {}, "category", "texture", 0.1, "draws of the objects")
    return rules(cue_findings(study))


def replicas(rng: Rng, n: int, kind: str, effect: bool) -> list[Finding]:
    """Six networks of different skill, asked 400 images of an original, a replica and a shifted set, of which none is
    harder than another: which are harder "to others" is chance. With an effect images differ."""
    skill = np.linspace(0.4, 0.9, 6)
    names = ("original", "replica", "shifted", EASIER, HARDER)
    found = {name: np.zeros((n, 6)) for name in names}
    for repeat in range(n):
        own = skill + noise(rng, kind, 6, 0.02)
        for name in names[:3]:
            hard = (
                effect * rng.normal(0, 0.2, 400)
                - effect * 0.1 * (name == "shifted") * np.linspace(1.5, 0.5, 6)[:, None]
            )
            known = rng.random((6, 400)) < np.clip(own[:, None] + hard, 0.02, 0.98)
            found[name][repeat] = known.mean(axis=1)
            if name == "replica":
                halves = two_halves(found["original"][repeat])
                for half in (0, 1):
                    for side in (HARDER, EASIER):
                        kept = chosen(known[halves != half], np.zeros(400, np.int64), harder=side == HARDER)
                        found[side][repeat, halves == half] = known[halves == half][:, kept].mean(axis=1)
    shift = Replicated(factor="pose", shifted=("back",))
    models = tuple(f"m{one}" for one in range(6))
    return list(replica_findings(Replicas((), {}, models, found, {}, shift, 0.1, "draws of the objects")))


def looking(rng: Rng, n: int, kind: str, effect: bool) -> list[Finding]:
    """Three methods: as much evidence lies on the object whether its combination was seen or not."""
    values = {}
    for method in ("gradient", "grad-cam", "occlusion"):
        shared = rng.normal(0, 0.05, n)
        for side in SETS:
            lower = effect * (0.15 * side.startswith(UNSEEN) + 0.1 * side.endswith("wrong"))
            values[method, side, ENERGY] = 0.5 + shared - lower + noise(rng, kind, n)
    accuracy = {SEEN: np.full(n, 0.9), UNSEEN: np.full(n, 0.5)}
    return rules(looking_findings(StudyOfLooking((), ("gradient", "grad-cam", "occlusion"), values, accuracy)))


def concepts(rng: Rng, n: int, kind: str, effect: bool) -> list[Finding]:
    """Four ways to read the class, equally good on unseen combinations; concepts fail as often where the class does."""
    kinds, values, draw = (ALONE, BESIDE, FROM, APART), {}, rng.normal(0, 0.05, n)
    for how in kinds:
        better = effect * 0.15 * (how in (FROM, APART))
        level = 0.5 + draw + better + noise(rng, kind, n)
        whole = 0.6 + draw
        values[how, UNSEEN, ACCURACY, "digit"] = level
        values[how, UNSEEN, ALL_RIGHT, "digit"] = whole + noise(rng, kind, n)
        values[how, UNSEEN, TOLD, ALL] = level + effect * 0.2 + noise(rng, kind, n)
        values[how, UNSEEN, BLAMED, "digit"] = 1 - whole + effect * 0.2 + noise(rng, kind, n)
    study = StudyOfConcepts((), "digit", ("top", "bottom"), kinds, n, values)
    return [replace(one, name=_rule_of_concepts(one.name)) for one in concept_findings(study)]


def _rule_of_concepts(name: str) -> str:
    claim = name.partition(": ")[2]
    return "read from concepts, the class holds better" if claim.startswith("holds on unseen") else claim


def sanity(rng: Rng, n: int, kind: str, effect: bool) -> list[Finding]:
    """Maps of four methods after their network's upper layers were drawn anew: as alike as the line that is drawn."""
    methods, numbers = ("gradient", "grad-cam", "guided-backprop", "guided-grad-cam"), []
    for method in methods:
        level = ALIKE + effect * (0.3 if method.startswith("guided") else -0.3)
        for repeat, value in enumerate(level + noise(rng, kind, n, 0.08)):
            numbers.append(Alike(method, CASCADE, WITHOUT_SIGN, f"seed {repeat}", float(value), 50))
    made = sanity_findings(StudyOfSanity((), tuple(numbers), methods))
    words = {True: "maps change with the weights", False: "maps stay alike whatever the weights"}
    return [replace(one, name=words["change" in one.name]) for one in made]


def _examined(rng: Rng, n: int, images: int, level: dict[str, float], spread: float) -> ExaminedModel:
    """One model's answers about ``n`` objects, ``images`` of each in each set, at these accuracies; objects differ by a
    standard deviation of ``spread``."""
    own = rng.normal(0, spread, (n, 1))
    right = np.concatenate([(rng.random((n, images)) < np.clip(p + own, 0, 1)).ravel() for p in level.values()])
    size = n * images
    asked, objects = np.repeat(np.arange(len(level)), size), np.tile(np.repeat(np.arange(n), images), len(level))
    varied = tuple(name for name in level if name not in (CANONICAL, ALL_VARIED))
    record, rows = Record({}, Path("nowhere")), np.arange(len(right))
    return ExaminedModel(
        "model", record, ("a", "b"), "category", tuple(level), asked, rows, objects, np.zeros(len(right), np.int64),
        (~right).astype(np.int64), None, {}, {}, {}, varied, (), True,
    )  # fmt: skip


ASKED = {"normal": (4, 0.7, 0.1), "skewed": (4, 0.97, 0.02), "ties": (1, 0.7, 0.1)}  # images, accuracy, spread


def weaknesses(rng: Rng, n: int, kind: str, effect: bool) -> list[Finding]:
    """One model asked about ``n`` objects: a changed image is known as well as a canonical one. Accuracies are .7, near
    1, or of one image of each object and set."""
    images, level, spread = ASKED[kind]
    costs = {CANONICAL: 0.0, "pose": 0.3, "size": 0.12, "light": 0.12, "position": 0.12, ALL_VARIED: 0.4}
    model = _examined(rng, n, images, {name: level - effect * cost for name, cost in costs.items()}, spread)
    made = [one for one in findings_of_all([model]) if "most" not in one.name]
    return [replace(one, name=f"a change costs accuracy{' (all)' * ('together' in one.name)}") for one in made]


def costliest(rng: Rng, n: int, kind: str, effect: bool) -> list[Finding]:
    """Two changes cost as much, far more than a third, which is the worst case for naming one of them."""
    images, level, spread = ASKED[kind]
    costs = {CANONICAL: 0.0, "pose": 0.25 + effect * 0.2, "size": 0.25, "light": 0.0}
    model = _examined(rng, n, images, {name: level - cost for name, cost in costs.items()}, spread)
    (most,) = (one for one in findings_of_all([model]) if one.name.endswith("costs most"))
    alone = most.value < 0 if most.why.startswith("corrected") else most.holds  # without the claims beside it
    return list(corrected([replace(most, name="one change costs most", holds=alone, why="")]))


def pretrainings(rng: Rng, n: int, kind: str, effect: bool) -> list[Finding]:
    """``n`` encoders of each of four sorts, made anew: what varied while they learned changes no gap."""
    factors, points, traits = ("pose", "size", "light"), [], {}
    sorts = [(), *((name,) for name in factors)]
    for varied in sorts:
        name = f"encoder {' '.join(varied) or 'none'}"
        traits[name] = NetworkTraits("contrastive", "resnet", "", False, name, frozenset(varied), "encoder")
        for repeat in range(n):
            shared = rng.normal(0, 0.03)
            for asked in factors:
                value = -0.3 + shared + effect * (0.15 if asked in varied else 0.03 * bool(varied)) + noise(rng, kind)
                points.append(
                    Point(name, "linear", "canonical", (), 0.0, (asked,), "", False, repeat, "gap", float(value), 9)
                )
    gaps = Gaps(tuple(points), tuple(range(n)), ANEW, factors, frozenset(), traits)
    return rules(corrected(list(pretrained_findings(gaps))))


def transfers(rng: Rng, n: int, kind: str, effect: bool) -> list[Finding]:
    """One network from scratch and from weights of other images, ``n`` seeds of each, as good beyond the range."""
    rows = []
    for series in ("scratch", "pretrained"):
        for seed in range(n):
            value = 0.3 + effect * 0.2 * (series == "pretrained") + noise(rng, kind, scale=0.05)
            head = {"trial": f"{series}{seed}", "series": series, "repeat": seed, "x": "extrapolation", "measure": R2}
            rows += [{**head, "set": "test", "target": name, "value": float(value)} for name in (MEAN, "scale")]
    worlds = {name: ("", name) for name in ("scratch", "pretrained")}
    made = regression_findings(pl.DataFrame(rows), worlds, {}, "test", [], {"pretrained": Transfer("scratch", False)})
    return [one for one in made if one.name.startswith("transfer")]
