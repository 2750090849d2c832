"""What it costs to close a model's gaps: a new last layer on its features, shown images that vary in part."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from unseen.vocabulary.whole_files import put_whole

FILE = "closing.json"
FOLDER = "closing"  # of the study that asks it, in the folder of the examination
HALF = 0.5  # of a gap, which a share of varying images must close to be named (ours)


@dataclass(frozen=True)
class Closed:
    """The gap of one factor where a ``share`` of the images that were learned from varies in it, over ``n`` folds."""

    factor: str
    share: float
    gap: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class Closing:
    """What a new last layer of a model keeps. ``known``: of canonical images of held-out objects, shown canonical ones
    only. It learns ``images_each`` images of each of ``objects`` objects, the canonical one as often as none varies."""

    model: str
    known: float
    rows: tuple[Closed, ...]
    classes: int
    objects: int
    images_each: int

    def along(self, factor: str) -> tuple[Closed, ...]:
        """By share, from none on."""
        return tuple(sorted((one for one in self.rows if one.factor == factor), key=lambda one: one.share))

    @property
    def factors(self) -> tuple[str, ...]:
        """The largest gap without variation first."""
        first = {one.factor: one.gap for one in self.rows if one.share == 0}
        return tuple(sorted(first, key=lambda name: first[name]))

    def half(self, factor: str) -> Closed | None:
        """The smallest share that closes half of the gap or more; None where no share does, or there is no gap."""
        own = self.along(factor)
        if not own or own[0].share or own[0].gap >= 0:
            return None
        return next((one for one in own[1:] if one.gap >= (1 - HALF) * own[0].gap), None)

    @property
    def words(self) -> str:
        """What it costs, of the factor that costs most."""
        worst = next(iter(self.factors), None)
        if worst is None:
            return ""
        own = self.along(worst)
        alone = (
            f"A new last layer on the features of {self.model}, learned from canonical images of "
            f"{self.objects} objects of {self.classes} classes, knows {100 * self.known:.0f}\u00a0% of "
            "canonical images of other objects"
        )
        if own[0].gap >= 0:
            return f"{alone}, and loses nothing by any change."
        told = f"{alone} and loses {_points(own[0].gap)} where {worst} is changed"
        enough = self.half(worst)
        if enough is not None:
            many = f"{round(enough.share * self.images_each)} of every {self.images_each} images that it learns vary"
            return f"{told}; {_points(enough.gap)} once {many} in {worst}."
        best = max(own[1:], key=lambda one: one.gap, default=None)
        if best is None:
            return f"{told}."
        return f"{told}; no share of images varying in {worst} closes half of that ({_points(best.gap)} at best)."


def _points(value: float) -> str:
    """
    >>> _points(-0.251), _points(-0.01)
    ('25 points', '1 point')
    """
    whole = round(-100 * value)
    return f"{whole} point{'s' * (abs(whole) != 1)}"


def note_closing(path: Path, made: Sequence[Closing]) -> None:
    """Keep what was found beside a study; of one model the newest."""
    path.mkdir(parents=True, exist_ok=True)
    names = {one.model for one in made}
    kept = [one for one in closings(path) if one.model not in names]
    put_whole(path / FILE, json.dumps([asdict(one) for one in [*kept, *made]], indent=1, ensure_ascii=False))


def closings(path: Path) -> tuple[Closing, ...]:
    """What was found of the models of a study; nothing where it was not asked, or cannot be read."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        return tuple(_read(one) for one in json.loads((path / FILE).read_text(encoding="utf-8")))
    return ()


def _read(one: Mapping[str, Any]) -> Closing:
    rows = tuple(Closed(**row) for row in one["rows"])
    return Closing(**{**one, "rows": rows})
