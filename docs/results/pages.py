"""Every page of results, its template and what its expressions may use. `python -m docs.results` writes them all."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy

from docs.results import exposures, numbers, regressions
from docs.results.combinations import NAMES, Combinations
from docs.results.exposures import Exposed
from docs.results.matrices import Conditions
from docs.results.regressions import Toys
from docs.results.stems import NOISES, Stems, compared
from docs.results.templates import rendered

HERE = Path(__file__).parent
PLAIN = {name: getattr(numbers, name) for name in ("interval", "mean_of", "number", "percent", "plus_minus", "table")}


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
    return {**made, "NAMES": NAMES}


def rendered_cars() -> dict[str, Any]:
    at = HERE / "rendered-cars"
    files = at / "rendered-cars.parquet", at / "rendered-cars-choices.parquet"
    about = {"category": "model", "view": "azimuth", "cells": 25}
    inception = Combinations(at / "inception.csv", **about, last="block4")
    return {"cars": Combinations(*files, **about), "inception": inception}


def geirhos2018() -> dict[str, Any]:
    at, noise = HERE / "geirhos2018", "uniform-noise"
    names = ("colour", "grey", "contrast", "low-pass", "high-pass", "phase-noise", "rotation", "salt-and-pepper", noise)
    objects = Conditions(at / "objects.parquet", names, "geirhos-", "geirhos2018/table")
    few = ("colour", "contrast", "rotation", "salt-and-pepper", noise)
    seven = names[:-2]  # neither noise
    by_asked = {what: objects.mean(lambda one, two, what=what: one in names and one != two == what) for what in names}
    each = list(by_asked.values())
    return {
        "objects": objects,
        "stems": Stems(HERE / "stems" / "geirhos.parquet", ("standard", "medium")),
        "small": Conditions(at / "small.parquet", few, "geirhos-", "geirhos2018/table"),
        "own": objects.mean(lambda one, two: one == two),
        "others": {seed: sum(one[seed] for one in each) / len(each) for seed in each[0]},
        "by_asked": by_asked,
        "seven": seven,
        "plus": [f"{one} + {noise}" for one in seven],
        "two": [*(f"{one} + {noise}" for one in names[:-1]), f"{noise}, twice"],
    }


def schott2022() -> dict[str, Any]:
    at = HERE / "schott2022"
    protected = {"dsprites": ("shape",), "shapes3d": ("shape",), "mpi3d": ("object_shape", "object_size")}
    made: dict[str, Any] = {"small": Toys(at / "small.parquet")}
    for world, kept in protected.items():
        for kind in ("", "-transfer", "-large"):
            made[f"{world}{kind.replace('-', '_')}"] = Toys(at / f"{world}{kind}.parquet", kept)
    names = ("R2", "KEPT", "OUT", "OTHERS", "OPPOSITE", "FAR", "SPLITS", "ENCODERS", "ALONE")
    return {**made, **{name: getattr(regressions, name) for name in names}}


def zaidi2020() -> dict[str, Any]:
    at = HERE / "zaidi2020"
    names = ("none", *exposures.LEVELS)
    matrix = Conditions(at / "matrix.parquet", names)
    own = ("WITHIN", "ACROSS", "PLAIN", "UNSEEN", "SEEN", "LEVELS", "KEPT", "REMOVED", "FULL", "ACTIVE", "TAU")
    return {
        "objects": Exposed(at / "objects.parquet", 38),
        "mnist": Exposed(at / "mnist.parquet", 10),
        "standard": Exposed(at / "mnist-standard-stem.parquet", 10),
        "cars": Exposed(at / "cars.parquet", 300),
        "any_paint": Exposed(at / "cars-any-paint.parquet", 300),
        "alexnet": Exposed(at / "cars-alexnet.parquet", 300, "fc7"),
        "threshold": Exposed(at / "objects-threshold.parquet", 38),
        "small": Exposed(at / "small.parquet", 20),
        "matrix": matrix,
        **{name: getattr(exposures, name) for name in own},
        "np": numpy,
    }


def stems() -> dict[str, Any]:
    at, two = HERE / "stems", ("standard", "medium")
    made = {"objects": Stems(at / "objects.parquet", (*two, "small")), "cars": Stems(at / "cars.parquet", two)}
    made["geirhos"] = Stems(at / "geirhos.parquet", two)

    def across(study: Stems, stem: str, what: str) -> float:
        return numbers.mean_of(study.values(stem, what, "across")).value

    return {**made, "compared": compared(**made), "at": across, "NOISES": NOISES}


PAGES: dict[str, Callable[[], dict[str, Any]]] = {"madan2022": madan2022, "rendered-cars": rendered_cars}
PAGES |= {"geirhos2018": geirhos2018, "schott2022": schott2022, "zaidi2020": zaidi2020, "stems": stems}


def template_of(page: str) -> Path:
    return HERE / page / "page.template"


@cache
def page_text(page: str) -> str:
    """A page as its template and tables give it."""
    return rendered(template_of(page).read_text(encoding="utf-8"), {**PLAIN, **PAGES[page]()})
