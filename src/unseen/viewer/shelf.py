"""The studies that are served: those of one folder, each opened when it is asked for and read anew when it changed."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from unseen.studies.overview import Overview, overview, studies_below
from unseen.studies.stored import StoredStudy, at_hand
from unseen.studies.study import Study, load_study
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError, listed, unknown

WATCHED = ("recipe.toml", "trials", "failed", "subjects", "calibrations", "encoders", "weights")
ITSELF = "."  # the name of a study that is the served folder


class NotServed(UnseenError):
    """Something was asked for that is not among what is served."""


class Shelf:
    """The studies in a folder and below it. Only these are ever read: whatever else is asked for is refused."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            what = "is a file" if folder.exists() else "is not there"
            raise UnseenError(
                f"'{folder}' {what}; `unseen view` takes a folder with studies (runs), or one study's (runs/demo). "
                f"`unseen demo` makes a study in a few minutes."
            )
        self.folder = folder
        self._lock = threading.Lock()
        self._opened: dict[str, OnShelf] = {}
        self._told: dict[str, tuple[object, Overview]] = {}

    def places(self) -> dict[str, Path]:
        """Where each study is, by its name: its path below the folder. A link that leads out is left out."""
        inside = self.folder.resolve()
        found = {}
        for path in studies_below([self.folder]):
            if path.resolve().is_relative_to(inside):
                found[path.relative_to(self.folder).as_posix()] = path
        return found

    def names(self) -> list[str]:
        return list(self.places())

    def __getitem__(self, name: str) -> OnShelf:
        places = self.places()
        if name not in places:
            if ".." in Path(name).parts or Path(name).is_absolute():
                raise NotServed(f"'{name}' is not below '{self.folder}', the folder that is served.")
            raise NotServed(str(unknown("study", name, places, where=f"'{self.folder}'")))
        with self._lock:
            kept = self._opened.get(name)
            if kept is None:
                kept = self._opened[name] = OnShelf(name, places[name])
            return kept

    def overviews(self) -> Iterator[tuple[str, Overview]]:
        """How far each study is. One whose files did not change is not read again, apart from who runs it."""
        from dataclasses import replace

        from unseen.studies.store import Store

        for name, path in self.places().items():
            now = changed(path)
            kept = self._told.get(name)
            if kept is None or kept[0] != now:
                kept = self._told[name] = now, overview(path)
            yield name, replace(kept[1], running=_busy(Store(path)) or _worked_on(path))


def _busy(store: Any) -> str | None:
    try:
        return store.busy()
    except OSError:
        return None


def _worked_on(path: Path) -> str | None:
    from unseen.studies.heartbeats import living

    return ", ".join(one.words for one in living(path)) or None


def changed(path: Path) -> tuple[int, ...]:
    """A stamp of a study's folder: another one as soon as a trial, a failure, an answer or the recipe is new."""
    found = []
    for name in WATCHED:
        try:
            found.append((path / name).stat().st_mtime_ns)
        except OSError:
            found.append(0)
    return tuple(found)


class OnShelf:
    """One study. ``lock`` is held by whoever opens worlds, draws images or computes numbers: those are made for one
    thread. Its trials and answers are read from files that never change, and need none."""

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.path = name, path
        self.lock = threading.RLock()
        self._looking = threading.Lock()  # another: who filters answers does not wait for who draws images
        self._now: tuple[object, Reading] | None = None

    @contextmanager
    def held(self) -> Iterator[Reading]:
        """The study as it is now, for whoever opens its worlds."""
        with self.lock:
            yield self.reading()

    def reading(self) -> Reading:
        """The study as its files are now; the same object as long as they did not change."""
        with self._looking:
            now = changed(self.path)
            if self._now is None or self._now[0] != now:
                self._now = now, Reading(self.path, before=None if self._now is None else self._now[1])
            return self._now[1]


class Reading:
    """A study at one moment. What is costly is made when it is asked for; pictures outlive the moment, since a new
    trial changes none of them."""

    def __init__(self, path: Path, before: Reading | None = None) -> None:
        self.path = path
        recipe = load_study(path).recipe
        same = before is not None and before.stored.recipe == recipe
        self.stored = StoredStudy(recipe, path, "its images were not looked for")
        if same and before is not None:
            self.stored.__dict__["numbers"] = before.stored.numbers  # of trials that were there; those never change
        self._study = before.__dict__.get("study") if same and before is not None else None

    @cached_property
    def trials(self) -> list[Trial]:
        """All trials of the recipe, as far as the store tells them: no image is looked for."""
        return self.stored.trials

    @cached_property
    def identities(self) -> list[str | None]:
        """Under which name each trial is finished."""
        return [self.stored.find(trial) for trial in self.trials]

    @cached_property
    def facts(self) -> Mapping[str, Mapping[str, Any]]:
        """What was noted of every finished trial that can be read."""
        return self.stored.store.readable()

    @cached_property
    def failures(self) -> Mapping[str, Mapping[str, Any]]:
        """What was noted of every trial that failed."""
        return self.stored.failures() if self.stored.store.failures() else {}

    @cached_property
    def study(self) -> Study:
        """The study with its images, or what is stored of it where they are not at hand. Opening may take long."""
        if self._study is not None:
            self._study.refresh()
            return self._study
        return at_hand(Study(self.stored.recipe, self.path))

    def trial(self, name: str) -> int:
        """The place of a trial, by the name of its folder or its number."""
        if name.isdecimal() and int(name) < len(self.trials) and len(name) < 12:
            return int(name)
        if name and name in self.identities:
            return self.identities.index(name)
        raise NotServed(
            f"no trial '{name[:40]}' in this study; it has {len(self.trials)}: 0 to {len(self.trials) - 1}."
        )

    def labels(self) -> list[str]:
        return [trial.label for trial in self.trials]

    def names(self) -> str:
        return listed(self.labels(), 6)
