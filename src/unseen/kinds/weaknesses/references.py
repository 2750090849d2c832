"""Models that were asked the same images before: on this machine, and the few that ship."""

from __future__ import annotations

import contextlib
import json
import tomllib
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from unseen.kinds.weaknesses.examined import ExaminedModel
from unseen.kinds.weaknesses.scores import canonical, gap
from unseen.studies.study import Study
from unseen.studies.subjects import asked_digest
from unseen.studies.tables import digest
from unseen.vocabulary.whole_files import put_whole
from unseen.worlds.cache_folder import cache_folder

FOLDER = "examined"  # in the cache of this machine
MOST = 40  # models that are told


@dataclass(frozen=True)
class Number:
    """A value with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Reference:
    """A model that was asked the same images: what it knows of canonical ones, what each change costs it, over how many
    objects and images, where and when this was measured."""

    model: str
    canonical: Number
    gaps: dict[str, Number]
    objects: int
    images: int
    machine: str
    when: str


def question_digest(study: Study) -> str:
    """By what two studies ask the same images: world and design. Without the world at hand nothing is the same."""
    if study.absent:
        return ""
    return digest(f"{study.world(study.points[0]).fingerprint} {asked_digest(study)}")


def reference_of(one: ExaminedModel, machine: str, when: str) -> Reference:
    """What is kept of a model."""
    named = (*one.alone, *([one.together] if one.together else []))
    gaps = {name: _number(gap(one, name).interval) for name in named}
    own = canonical(one)
    return Reference(one.name, _number(own.interval), gaps, own.interval.n, len(one.rows), machine, when)


def _number(interval: Any) -> Number:
    return Number(*(round(float(part), 4) for part in (interval.value, interval.low, interval.high)))


def keep_reference(question: str, found: Reference) -> None:
    """Keep a model's numbers on this machine, for pages about other models; of one name the newest. A cache that cannot
    be written costs nobody the page."""
    if not question:
        return
    with contextlib.suppress(OSError):
        folder = cache_folder() / FOLDER / question
        folder.mkdir(parents=True, exist_ok=True)
        put_whole(folder / f"{digest(found.model)}.json", json.dumps(asdict(found), ensure_ascii=False))


def references(question: str, *, leave_out: frozenset[str] = frozenset()) -> tuple[Reference, ...]:
    """Models that were asked these images: those of this machine, newest first, then those that ship."""
    if not question:
        return ()
    found: list[Reference] = []
    with contextlib.suppress(OSError):
        for path in sorted((cache_folder() / FOLDER / question).glob("*.json")):
            with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
                found.append(_read(json.loads(path.read_text(encoding="utf-8"))))
    found.sort(key=lambda one: one.when, reverse=True)
    names = {one.model for one in found}
    found += [one for one in _shipped(question) if one.model not in names]
    return tuple(one for one in found if one.model not in leave_out)[:MOST]


def _shipped(question: str) -> list[Reference]:
    tables = tomllib.loads(files("unseen.kinds.weaknesses").joinpath("references.toml").read_text("utf-8"))
    return [_read(row) for row in tables.get(question, [])]


def _read(row: dict[str, Any]) -> Reference:
    gaps = {str(name): Number(**one) for name, one in row["gaps"].items()}
    own = Number(**row["canonical"])
    return Reference(
        str(row["model"]), own, gaps, int(row["objects"]), int(row["images"]), str(row["machine"]), str(row["when"])
    )


def kept_at(question: str) -> Path:
    """Where the numbers of this machine lie."""
    return cache_folder() / FOLDER / question
