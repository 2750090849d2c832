"""Every page of results, its template and what its expressions may use. `python -m docs.results` writes them all."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy

from docs.results import exposures, numbers, regressions
from docs.results.bagnets import Bagnets
from docs.results.combinations import NAMES, Combinations
from docs.results.concepts import ALONE, APART, BESIDE, FROM, TOLD, Concepts
from docs.results.contrasts import above, above_all, agree, averaged, family, less, order, rank_order
from docs.results.corrupted import Corrupted
from docs.results.cue_studies import CueStudy
from docs.results.encoders import Causal, Kinds, Tuned, learned_table, seeds
from docs.results.exposures import Exposed, near_the_edge
from docs.results.failure_rules import FailureTable
from docs.results.flags import told_of_flags
from docs.results.looking import Looking
from docs.results.matrices import Conditions
from docs.results.people import Biases, DataSets, Lines
from docs.results.priors import Priors, Toy
from docs.results.regressions import Toys
from docs.results.replicas import ReplicaStudy
from docs.results.sanity import Sanity
from docs.results.scales import ANSWERS, Scale
from docs.results.stems import NOISES, Stems, compared
from docs.results.templates import rendered
from docs.results.variations import Finetuned, Variation, points, published
from docs.results.variations import findings as variation_findings
from docs.results.yardsticks import Priced, Rates, Yardsticks, verdict, within

HERE = Path(__file__).parent
SHARED = {"NAMES": NAMES, "agree": agree, "less": less, "rank_order": rank_order}
PLAIN = {
    name: getattr(numbers, name)
    for name in ("interval", "magnitude", "mean_of", "number", "percent", "plus_minus", "table")
}


def madan2022() -> dict[str, Any]:
    at = HERE / "madan2022"
    files = {name: at / f"mnist-{name}.parquet" for name in ("position", "scale")}
    made = {
        name: Combinations(path, at / f"mnist-{name}-choices.parquet", category="category", view=name, cells=81)
        for name, path in files.items()
    }
    one = {"category": "category", "view": "position", "cells": 81}
    made["architectures"] = Combinations(at / "mnist-position-architectures.parquet", **one)
    made["densenet"] = Combinations(at / "mnist-position-backbones.parquet", **one, last="denseblock4")
    rotation = at / "mnist-rotation.parquet"
    made["rotation"] = Combinations(rotation, category="category", view="rotation", cells=100)
    new = made["new_levels"] = Combinations(at / "control-new-levels.parquet", **one | {"cells": 64})
    whole = at / "mnist-position.parquet", at / "mnist-position-choices.parquet"
    fixed = Combinations(at / "control-images.parquet", *whole, **one).only(seed=0)
    images = made["images"] = fixed.at(45).by_images()
    full = made["full"] = Combinations(*whole, **one).only(seed=0)
    made["fewer"] = Combinations(at / "control-images.parquet", **one)
    weights = made["weights"] = Combinations(at / "control-loss-weight.parquet", **one)
    again = {name: sorted(at.glob(f"mnist-{name}-cells*.parquet")) for name in files}  # slices of trials run again
    made["position_again"] = Combinations(*again["position"], **one)
    made["scale_again"] = Combinations(*again["scale"], **one | {"view": "scale"})
    made["position_cells"] = Combinations(*again["position"], at / "control-loss-weight.parquet", **one).equal_weights()
    at_45 = full.at(45)
    return {**made, **_controls(new, images, full, weights, at_45), "at_45": at_45, **SHARED}


WEIGHTS = (0.1, 0.3, 1.0, 3.0, 10.0)


def _controls(
    new: Combinations, images: Combinations, full: Combinations, weights: Combinations, at_45: Combinations
) -> dict[str, Any]:
    """Controls D.5, D.4 and of the losses: each is one family of claims."""
    kinds = ("separate", "shared")
    known = {f"{asked[4:]}_{s}": above(new.rise(s, t, asked)) for s in kinds
             for asked, t in (("new-columns", "category"), ("new-rows", "position"))}  # fmt: skip
    more = {s: less(full.rise(s), images.rise(s)) for s in kinds}
    combined = {s: less(full.values(s, 72), full.values(s, 36)) for s in kinds}
    drawn = {s: less(images.values(s, 37800), images.values(s, 18900)) for s in kinds}
    twice = {s: less(combined[s], drawn[s]) for s in kinds}
    d4 = {f"images_{s}": above(images.rise(s)) for s in kinds} | {f"eight_{s}": above(more[s]) for s in kinds}
    d4 |= {f"twice_{s}": above(twice[s]) for s in kinds}
    each = {w: weights.only(weight=w) for w in WEIGHTS}
    gaps = {t: [less(at_45.values("separate", 45, t), one.values("shared", 45, t)) for one in each.values()]
            for t in ("geometric mean", "category")}  # fmt: skip
    shares = [one.share("shared", 45, "category") for one in each.values()]
    losses = family(
        both=above_all(gaps["geometric mean"]), category=above_all(gaps["category"]), units=order(shares, -1)
    )
    told: dict[str, Any] = {"combined": combined, "drawn": drawn, "WEIGHTS": WEIGHTS}
    told |= {"gaps": gaps, "shares": shares, "by_weight": each}
    return {"d5": family(**known), "d4": family(**d4), "losses": losses, **told}


BACKBONES = {"resnext50_32x4d": "ResNeXt-50 (32×4d)", "wide_resnet50_2": "WideResNet-50-2"}


def rendered_cars() -> dict[str, Any]:
    at = HERE / "rendered-cars"
    files = at / "rendered-cars.parquet", at / "rendered-cars-choices.parquet"
    about = {"category": "model", "view": "azimuth", "cells": 25}
    inception = Combinations(at / "inception.csv", **about, last="block4")
    six = Combinations(*files, at / "architectures.parquet", **about).only(seed=0).at(10, 20)
    each = {name: averaged(six, name) for name in NAMES}
    line = [each[name] for name in NAMES if name != "shared-wide"]
    archs = Combinations(at / "architectures.parquet", **about)
    claims = {name.replace("-", "_"): above(six.gaps(name, "shared"), int(name != "shared-wide"))
              for name in NAMES if name != "shared"}  # fmt: skip
    steps = [less(one, two) for one, two in pairwise(line)]
    dip = family(**claims, steps=above_all(steps))
    others = Combinations(at / "backbones.parquet", **about)
    backbones = {name: others.only(backbone=name) for name in BACKBONES}
    beats = family(**{name: above(one.gaps("separate", "shared")) for name, one in backbones.items()})
    made = {"cars": Combinations(*files, **about), "others": others, "backbones": backbones, "beats": beats}
    made["again"] = Combinations(*sorted(at.glob("rendered-cars-cells*.parquet")), **about)
    made |= {"BACKBONES": BACKBONES, "inception": inception, "six": six, "archs": archs}
    return {**made, "dip": dip, "steps": steps, "line": line, **SHARED}


def geirhos2018() -> dict[str, Any]:
    at, noise = HERE / "geirhos2018", "uniform-noise"
    names = ("colour", "grey", "contrast", "low-pass", "high-pass", "phase-noise", "rotation", "salt-and-pepper", noise)
    released = tuple("phase-noise-released" if name == "phase-noise" else name for name in names)
    objects = Conditions(at / "objects-everyday.parquet", released, "geirhos-", "geirhos2018/table")
    few = ("colour", "contrast", "rotation", "salt-and-pepper", noise)
    seven = released[:-2]  # neither noise
    made: dict[str, Any] = {"objects": objects, "names": released, "seven": seven}
    made["first"] = Conditions(at / "objects.parquet", names, "geirhos-", "geirhos2018/table")
    made["stems"] = Stems(HERE / "stems" / "geirhos.parquet", ("standard", "medium"))
    made["small"] = Conditions(at / "small.parquet", few, "geirhos-", "geirhos2018/table")
    made["own"] = objects.mean(lambda one, two: one == two)
    made["first_own"] = made["first"].mean(lambda one, two: one == two)
    made["by_asked"] = {
        what: objects.mean(lambda one, two, what=what: one in released and one != two == what) for what in released
    }
    each = list(made["by_asked"].values())
    made["others"] = {seed: sum(one[seed] for one in each) / len(each) for seed in each[0]}
    ceiling = [one.value for one in objects.found if one.name.startswith("trained conditions")]
    made["objects_ceiling"], made["least_own"] = (min(ceiling), max(ceiling)), min(made["own"].values())
    made["plus"] = [f"{one} + {noise}" for one in seven]
    made["two"] = [*(f"{one} + {noise}" for one in released[:-1]), f"{noise}, twice"]
    return {**made, **_experiments(at / "objects-experiments.parquet")}


def _experiments(path: Path) -> dict[str, Any]:
    """Fourteen conditions: made again from whatever trials a new table holds."""
    study = Conditions(path, head="geirhos-", published="geirhos2021/observers")
    return {"every": study, "every_own": study.mean(lambda one, two: one == two)}


def schott2022() -> dict[str, Any]:
    at = HERE / "schott2022"
    protected = {"dsprites": ("shape",), "shapes3d": ("shape",), "mpi3d": ("object_shape", "object_size")}
    made: dict[str, Any] = {"small": Toys(at / "small.parquet")}
    for world, kept in protected.items():
        for kind in ("", "-transfer", "-large"):
            again = [] if kind else sorted(at.glob(f"{world}-*-[0-9].parquet"))  # slices of trials that were run again
            made[f"{world}{kind.replace('-', '_')}"] = Toys(at / f"{world}{kind}.parquet", kept, again)
    made["cnn_long"] = Toys(at / "dsprites-cnn-long.parquet")
    made["again_words"] = regressions.told_again([made[world] for world in protected])
    long = at / "dsprites-long.parquet"
    others = [Toys(long)] if long.is_file() else []
    made["longer_words"] = regressions.told_longer(made["dsprites"], [made["cnn_long"], *others]) if others else ""
    names = ("R2", "KEPT", "OUT", "OTHERS", "OPPOSITE", "FAR", "SPLITS", "ENCODERS", "ALONE")
    return {**made, **{name: getattr(regressions, name) for name in names}}


def zaidi2020() -> dict[str, Any]:
    at = HERE / "zaidi2020"
    names = ("none", *exposures.LEVELS)
    zero_sum = tuple("high-pass-zero-sum" if name == "high-pass" else name for name in names)
    matrix, matrix_before = (
        Conditions(at / "matrix.parquet", zero_sum),
        Conditions(at / "matrix-standard-stem.parquet", names),
    )
    cars, any_paint = (Exposed(at / f"{name}.parquet", 300) for name in ("cars", "cars-any-paint"))
    before = Exposed(at / "cars-standard-stem.parquet", 300)
    own = ("WITHIN", "ACROSS", "PLAIN", "UNSEEN", "SEEN", "LEVELS", "KEPT", "REMOVED", "FULL", "ACTIVE", "TAU")
    return {
        "everyday": Exposed(at / "objects-everyday.parquet", 54),
        "objects": Exposed(at / "objects.parquet", 38),
        "mnist": Exposed(at / "mnist.parquet", 10),
        "standard": Exposed(at / "mnist-standard-stem.parquet", 10),
        "cars": cars,
        "any_paint": any_paint,
        "cars_standard": before,
        "cars_before": before.at(0, *cars.seen),
        "paint_standard": Exposed(at / "cars-any-paint-standard-stem.parquet", 300),
        "edges": sorted(one.corrected for study in (cars, any_paint) for one in study.found if near_the_edge(one)),
        "alexnet": Exposed(at / "cars-alexnet.parquet", 300, "fc7"),
        "adam": Exposed(at / "cars-alexnet-adam.parquet", 300, "fc7"),
        "threshold": Exposed(at / "objects-threshold.parquet", 38),
        "small": Exposed(at / "small.parquet", 20),
        "matrix": matrix,
        "matrix_before": matrix_before,
        "NOW": dict(zip(exposures.LEVELS, zero_sum[1:])),
        **{name: getattr(exposures, name) for name in own},
        "np": numpy,
    }


def stems() -> dict[str, Any]:
    at, two = HERE / "stems", ("standard", "medium")
    made = {"objects": Stems(at / "objects.parquet", (*two, "small")), "cars": Stems(at / "cars.parquet", two)}
    made["geirhos"] = Stems(at / "geirhos.parquet", two)

    def across(study: Stems, stem: str, what: str) -> float:
        return numbers.mean_of(study.values(stem, what, "across")).value

    again = Exposed(HERE / "zaidi2020" / "cars.parquet", 300)
    return {**made, "compared": compared(**made), "at": across, "NOISES": NOISES, "again": again}


def explanations() -> dict[str, Any]:
    at = HERE / "explanations"
    segments = ("top", "upper-left", "upper-right", "middle", "lower-left", "lower-right", "bottom")
    read = Concepts(at / "concepts.parquet", segments)
    own = {
        "koh": read,
        "claims": read.claims(),
        "agree": agree,
        "words": str,
        "ALONE": ALONE,
        "BESIDE": BESIDE,
        "FROM": FROM,
    }
    return {
        **own,
        "APART": APART,
        "TOLD": TOLD,
        "sanity": Sanity(at / "sanity.parquet", at / "sanity.csv"),
        "where": Looking(at / "where.parquet"),
    }


def brendel2019() -> dict[str, Any]:
    at = HERE / "brendel2019"
    return {
        "small": Bagnets(at / "small.parquet", at / "scores.csv", at / "floor.csv", side=48),
        "large": Bagnets(at / "objects.parquet", side=160, steps=True),
    }


def failures() -> dict[str, Any]:
    at = HERE / "failures"
    return {name: FailureTable(at / f"{name}.csv") for name in ("efficientnet", "combinations", "matrix")}


def worlds() -> dict[str, Any]:
    at = HERE / "worlds"
    made: dict[str, Any] = {"y": Yardsticks(at / "yardsticks.parquet")}
    made["p"] = priced = Priced(at / "turns.csv", at / "features.csv")
    made["g"] = Rates(at / "h200-rendering.csv")
    names = {"HARD": "difficulty, everyday", "FIRST": "difficulty, first", "MESHED": "difficulty, meshes"}
    names |= {"REAL": "realism, everyday", "REAL_FIRST": "realism, first", "REAL_MESHES": "realism, meshes"}
    measured_again = list(names.values())
    names |= {"FEW": "difficulty, everyday on 12 objects", "REAL_1": "realism, everyday of version 1"}
    meshes = "bench.meshes on 237 models, two cores beside about 30 busy processes, 2026-11-18"
    made |= {"MESHES": meshes, "READ": (237, round(1000 * 37.7 / 237), round(500 * 37.7 / 237))}
    sources = {"A": "aims, decided before the everyday collection was measured"}
    runs = {"RUNS": measured_again, "WHATS": priced.turns["what"].unique(maintain_order=True).to_list()}
    return {**made, **names, **sources, **runs, "verdict": verdict, "within": within}


def ibrahim2022() -> dict[str, Any]:
    at = HERE / "ibrahim2022"
    one, shown = (Variation(at / f"{name}.parquet") for name in ("everyday", "everyday-variation"))
    meshes, also = (Variation(at / f"{name}.parquet") for name in ("meshes", "meshes-variation"))
    made = {"everyday": one, "everyday_variation": shown, "claims": one.claims(), "shown": shown.shown()}
    made |= {"meshes": meshes, "mesh_claims": meshes.claims(), "mesh_variation": also, "mesh_shown": also.shown()}
    made["tuned"] = tuned = Finetuned(at / "finetune.parquet")
    made["tuned_claims"] = tuned.claims()
    made["large"] = large = Variation(at / "everyday-54-variation.parquet", range(6))
    made["large_shown"] = large.share_claims()
    made["kinds"], made["causal"] = kinds, causal = Kinds(at, "pretraining"), Causal(at, "causal")
    made |= {"kind_claims": kinds.claims(), "causal_claims": causal.claims(), "seeds": seeds}
    made["mesh_kinds"] = on_meshes = Kinds(at, "pretraining-meshes")
    made["tuned_kinds"] = by_all = Kinds(at, "finetuned")
    made["tuned_own"] = own = Tuned(Kinds(at, "pretraining", by_all.asked_folds), by_all)
    made |= {"learned": kinds.learned(), "mesh_learned": on_meshes.learned(), "learned_table": learned_table}
    made |= {"mesh_kind_claims": on_meshes.claims(), "tuned_own_claims": own.claims()}
    return {**made, "points": points, "published": published, "findings": variation_findings, **SHARED}


def geirhos2019() -> dict[str, Any]:
    at = HERE / "geirhos2019"
    made: dict[str, Any] = {"biases": Biases(at / "biases.parquet"), "sets": DataSets(at / "datasets.parquet")}
    made["cues"], made["small"] = CueStudy(at / "decorrelation.parquet"), CueStudy(at / "small.parquet")
    made["stylised"] = Conditions(at / "stylised.parquet", ("none", "stylised"), repeat="design.seed")
    return made


def recht2019() -> dict[str, Any]:
    at = HERE / "recht2019"
    made: dict[str, Any] = {"lines": Lines(at / "lines.parquet"), "V2": "imagenetv2-matched-frequency-format-val"}
    everyday = made["everyday"] = ReplicaStudy(at / "objects-everyday.parquet")
    strong = everyday.strong(0.55)
    made |= {"strong": strong, "weak": [one for one in everyday.models if one not in strong]}
    return {**made, "cnns": [one for one in everyday.models if not one.startswith("vit")]}


def hendrycks2019() -> dict[str, Any]:
    noise, blur = (f"none + hendrycks-{name}@3" for name in ("gaussian-noise", "defocus-blur"))
    made = {"everyday": Corrupted(HERE / "hendrycks2019" / "objects-everyday.parquet")}
    return {**made, "NOISE": noise, "BLUR": blur}


def ulyanov2018() -> dict[str, Any]:
    return {"small": Priors(HERE / "ulyanov2018" / "small")}


def goodfellow2014() -> dict[str, Any]:
    at = HERE / "goodfellow2014"
    return {"toy": Toy(at / "toy.parquet"), "small": Conditions(at / "small.parquet", ("real", "generated"))}


def isola2017() -> dict[str, Any]:
    at, names = HERE / "isola2017", ("real", "generated", "given")
    return {
        key: Conditions(at / f"{file}.parquet", names)
        for key, file in (("small", "small"), ("short", "small-1000-steps"))
    }


def scale() -> dict[str, Any]:
    kills = "tests/engines/test_random_kills.py with KILL_SEED=957754, two busy cores, 1,576 s"
    return {"scale": Scale(HERE / "scale"), "KILLS": kills, "scale_answers": ANSWERS}


PAGES: dict[str, Callable[[], dict[str, Any]]] = {"madan2022": madan2022, "rendered-cars": rendered_cars}
PAGES |= {
    "geirhos2018": geirhos2018,
    "geirhos2019": geirhos2019,
    "recht2019": recht2019,
    "hendrycks2019": hendrycks2019,
    "schott2022": schott2022,
    "zaidi2020": zaidi2020,
    "ibrahim2022": ibrahim2022,
    "stems": stems,
    "explanations": explanations,
    "brendel2019": brendel2019,
    "failures": failures,
    "worlds": worlds,
    "ulyanov2018": ulyanov2018,
    "goodfellow2014": goodfellow2014,
    "isola2017": isola2017,
    "scale": scale,
}


def template_of(page: str) -> Path:
    return HERE / page / "page.template"


@cache
def page_text(page: str) -> str:
    """A page as its template and tables give it, with what its tables tell of flags at the end."""
    own = rendered(template_of(page).read_text(encoding="utf-8"), {**PLAIN, **PAGES[page]()})
    return own + told_of_flags(HERE / page)
