"""How far a study is, from its folder alone: no image is opened and nothing is computed, so a list of many is quick.

Trials are found as :mod:`unseen.studies.stored` finds them, by all that describes them but their images.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from unseen.studies.store import Store
from unseen.studies.stored import StoredStudy
from unseen.studies.study import load_study
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import Recipe

DEEPEST = 3  # runs/madan2022/mnist-position, and one more


@dataclass(frozen=True)
class Overview:
    """Facts of a study. ``others``: finished trials of other settings than its recipe has now; ``running``: the
    process that runs it now; ``changed``: when its results last changed; ``trouble``: why it cannot be read."""

    path: Path
    title: str = ""
    trials: int = 0
    finished: int = 0
    failed: int = 0
    others: int = 0
    running: str | None = None
    changed: datetime | None = None
    bytes: int = 0
    trouble: str = ""
    subjects: int = 0  # whose answers from elsewhere there are

    @property
    def missing(self) -> int:
        """Trials to be done, those that failed among them."""
        return self.trials - self.finished


def overview(path: Path, recipe: Recipe | None = None) -> Overview:
    """The facts of the study in a folder; of its last run's recipe, if no other is given."""
    store = Store(path)
    try:
        study = StoredStudy(recipe or load_study(path).recipe, path, "its images were not looked for")
        finished = sum(study.find(trial) is not None for trial in study.trials)
        return Overview(
            path, study.recipe.title, len(study.trials), finished, len(study.failures()),
            len(store.finished()) - finished, store.busy(), _changed(path), _bytes(path),
            subjects=len(store.subjects()),
        )  # fmt: skip
    except (UnseenError, OSError, KeyError, TypeError) as error:
        return Overview(path, changed=_changed(path), bytes=_bytes(path), trouble=str(error) or type(error).__name__)


def studies_below(folders: Iterable[Path]) -> list[Path]:
    """The studies in these folders and below them, each once."""
    found = {path.resolve(): path for folder in folders for path in folders_below(folder, _is_study, DEEPEST)}
    return sorted(found.values())


def _is_study(folder: Path) -> bool:
    return (folder / "recipe.toml").is_file() and any(
        (folder / name).exists() for name in ("trials", "subjects", "failed", ".lock")
    )


def folders_below(folder: Path, ends: Callable[[Path], bool], deep: int) -> Iterator[Path]:
    """Folders at which the way down ``ends``, this one or those below it; hidden ones are passed by."""
    if ends(folder):
        yield folder
        return
    if not deep:
        return
    try:
        inner = sorted(Path(one.path) for one in os.scandir(folder) if one.is_dir() and not one.name.startswith("."))
    except OSError:
        return
    for one in inner:
        yield from folders_below(one, ends, deep - 1)


def _changed(path: Path) -> datetime | None:
    times = []
    for name in ("recipe.toml", "trials", "subjects", "failed", "calibrations", "encoders", "report"):
        try:
            times.append((path / name).stat().st_mtime)
        except OSError:
            continue
    return datetime.fromtimestamp(max(times)).replace(microsecond=0) if times else None


def _bytes(path: Path) -> int:
    total = 0
    for folder, _, files in os.walk(path):
        for name in files:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size
            except OSError:
                continue
    return total
