"""Whether maps mean anything: how they change when layers are drawn anew, and whether the answer follows them.

Kept by what decides them, method by method, so that a page that is asked for again computes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from unseen.explanations import METHODS, Unit, curves, under_randomisation
from unseen.explanations.anatomy import Anatomy
from unseen.measures import area_under, judge_dependence, map_similarity
from unseen.measures.similarity import Dependence
from unseen.studies.explained.drawn import described
from unseen.studies.explained.kept_maps import picture_key
from unseen.studies.explained.looked import Looked
from unseen.studies.explained.usual import cost
from unseen.studies.store import disk_error
from unseen.studies.tables import digest
from unseen.vocabulary.whole_files import put_whole

VERSION = 1
FOLDER = "checks"
MEASURES = ("spearman", "spearman_absolute", "ssim", "hog")
MOST = 6  # groups of layers
STEPS = 12  # of a deletion or insertion curve
SWEPT = 1 + MOST  # maps of each image: as it was, and after each step


@dataclass(frozen=True, eq=False)
class Check:
    """Of one method: ``alike`` ``{measure: [steps, images]}`` between maps before and after each of ``steps``;
    ``deletion`` and ``insertion`` ``[images]`` (areas), None where a score has no probability."""

    method: str
    order: str
    steps: tuple[str, ...]
    alike: Mapping[str, np.ndarray]
    deletion: np.ndarray | None
    insertion: np.ndarray | None

    @property
    def verdict(self) -> Dependence:
        return judge_dependence(self.alike["spearman_absolute"])


def checkable(looked: Looked, method: str) -> str:
    """Why a method cannot be checked by drawing layers anew, or nothing."""
    if Anatomy(looked.model).network is None:
        return "its weights are not at hand, so they cannot be drawn anew"
    if METHODS[method].needs == "nothing":
        return "it does not use the network"
    return ""


def check(
    looked: Looked,
    pictures: Tensor,
    asked: Any,
    settings: Mapping[str, Mapping[str, Any]],
    home: Path | None,
    *,
    order: str = "cascading",
    faithful: bool = True,
    seed: int = 0,
    tell: Callable[[int, int, str], None] = lambda done, total, what: None,
) -> dict[str, Check]:
    """Checks of methods (the keys of ``settings``), each on the same pictures."""
    size = (int(pictures.shape[2]), int(pictures.shape[3]))
    each = {
        method: len(pictures) * (SWEPT * cost(method, own, size) + 2 * (STEPS + 1)) for method, own in settings.items()
    }
    done, total = 0, sum(each.values())
    found: dict[str, Check] = {}
    keys = [picture_key(one) for one in pictures.cpu().numpy()]
    for method, own in settings.items():
        tell(done, total, method)
        told = {
            **described(looked, method, own, asked), "pictures": keys, "order": order, "seed": seed, "most": MOST,
            "faithful": faithful, "check": VERSION,
        }  # fmt: skip
        file = None if home is None else home / FOLDER / f"{digest(json.dumps(told, sort_keys=True, default=str))}.json"
        one = _read(file, method)
        if one is None:
            one = _checked(looked, pictures, asked, method, own, order, seed, faithful)
            _write(file, one, told)
        found[method] = one
        done += each[method]
        tell(done, total, method)
    return found


def _checked(
    looked: Looked, pictures: Tensor, asked: Any, method: str, settings: Mapping[str, Any], order: str, seed: int,
    faithful: bool,
) -> Check:  # fmt: skip
    swept = under_randomisation(
        looked.model, pictures, [method], asked, order=order, most=MOST, seed=seed, settings={method: dict(settings)}
    )
    before = swept.before[method]
    similar = [map_similarity(before, after[method]) for after in swept.after]
    alike = {name: np.stack([getattr(one, name) for one in similar]) for name in MEASURES}
    deletion = insertion = None
    if faithful and not isinstance(asked, Unit):
        drawn = curves(looked.model, pictures, before, asked, steps=STEPS, missing=True)
        deletion, insertion = (area_under(drawn[name]) for name in ("deletion", "insertion"))
    return Check(method, order, swept.steps, alike, deletion, insertion)


def _write(file: Path | None, one: Check, told: Mapping[str, Any]) -> None:
    if file is None:
        return
    plain = {
        "description": told, "steps": list(one.steps), "order": one.order,
        "alike": {name: _plain(array) for name, array in one.alike.items()},
        **{name: None if (area := getattr(one, name)) is None else _plain(area) for name in ("deletion", "insertion")},
    }  # fmt: skip
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        put_whole(file, json.dumps(plain, default=str))
    except OSError as error:
        raise disk_error(error, file.parent) from error


def _plain(array: np.ndarray) -> Any:
    """Lists; no number is null, as JSON has it."""
    return json.loads(json.dumps(np.asarray(array, dtype=np.float64).tolist()).replace("NaN", "null"))


def _array(given: Any) -> np.ndarray:
    return np.array(given, dtype=np.float64)  # null is NaN


def _read(file: Path | None, method: str) -> Check | None:
    try:
        plain = json.loads(file.read_text(encoding="utf-8")) if file is not None else None
        if plain is None:
            return None
        areas = [None if plain[name] is None else _array(plain[name]) for name in ("deletion", "insertion")]
        alike = {name: _array(plain["alike"][name]) for name in MEASURES}
        return Check(method, plain["order"], tuple(plain["steps"]), alike, *areas)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def evenly(count: int, most: int) -> Sequence[int]:
    """So many places of a row, from its first to its last."""
    return sorted({round(float(at)) for at in np.linspace(0, count - 1, min(count, most))})
