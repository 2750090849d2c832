"""Where finished trials live: a directory each, written aside and renamed into place, so that a kill loses nothing.

study/
  recipe.toml          the resolved recipe of the last run
  trials/<identity>/   trial.json, responses.parquet, activity.safetensors
  subjects/<identity>/ subject.json, responses.parquet: answers that were made elsewhere
  weights/<learned>/   weights.safetensors, learned.json (if kept; older trials may hold their weights themselves)
  encoders/<identity>/ weights.safetensors, encoder.json: pretrained networks that trials need
  calibrations/<identity>.json   strengths that were found, with their curves
  failed/<identity>.json
  damaged/<identity>-…/   what could not be read and was in the way of what is whole
  glances.json         of a large store, what is said of its trials without opening them (`studies/glances.py`)
  workers/, leases/    who is at it, and who has taken which trial (`studies/heartbeats.py`, `studies/leases.py`)

Several processes, on several machines that share the disk, may write into one study: a name is taken by one rename,
whoever comes second is thrown away, and nothing that is there under its name is ever removed to make room. What looks
incomplete may be whole on the server and stale in this machine's cache, so it is moved to ``damaged`` and looked at
again.
"""

from __future__ import annotations

import contextlib
import errno
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from unseen.studies.archives import (
    ENCODER,
    ENCODERS,
    FILES,
    IDENTITY,
    MARK,
    SUBJECT,
    calibration_record,
    plain_json,
    same_strengths,
    with_seeds,
    writing,
)
from unseen.studies.glances import NAME as GLANCES
from unseen.studies.glances import listed_folders, remembered
from unseen.studies.heartbeats import Heartbeat, living, stale_seconds
from unseen.studies.sound import Damaged, check_trial, read_facts
from unseen.studies.unpacking import Note, Unpacked, Unwritten, unpack_aside
from unseen.studies.whole_trials import set_aside, write_folder
from unseen.vocabulary.errors import StoreBusy, UnseenError
from unseen.vocabulary.locks import Held, NoLocks, held_alone, holder
from unseen.vocabulary.visible import visible
from unseen.vocabulary.whole_files import disk_full, folder_aside, put_whole, remove_leftovers, written_aside

PATIENCE = 5  # tries to take the lock: `unseen status` holds it for an instant


class DiskTrouble(UnseenError):
    """The store cannot be written: nothing that follows could be kept either."""


class Store:
    """One study's directory."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)

    @property
    def trials(self) -> Path:
        return self.path / "trials"

    @property
    def weights(self) -> Path:
        return self.path / "weights"

    def subjects(self) -> list[str]:
        """Identities of the subjects whose answers were added, oldest first."""
        home = self.path / "subjects"
        found = [p for p in home.iterdir() if IDENTITY.fullmatch(p.name)] if home.is_dir() else []
        found = [p for p in found if (p / SUBJECT).is_file()]
        return [p.name for p in sorted(found, key=lambda p: (p.stat().st_mtime, p.name))]

    def encoders(self) -> list[str]:
        """Identities of the encoders that are here whole."""
        home = self.path / "encoders"
        found = [p for p in home.iterdir() if IDENTITY.fullmatch(p.name)] if home.is_dir() else []
        return sorted(p.name for p in found if all((p / part).is_file() for part in ENCODERS))

    def subject_folder(self, identity: str) -> Path:
        return self.path / "subjects" / identity

    def has(self, identity: str) -> bool:
        return (self.trials / identity / "trial.json").is_file()

    def finished(self) -> list[str]:
        """Identities of finished trials, oldest first."""
        there = listed_folders(self.trials)
        known = remembered(self.path, there)
        return sorted(
            (name for name in there if name in known.whole or self.has(name)), key=lambda name: (there[name][1], name)
        )

    def whole(self) -> set[str]:
        """The same in no order."""
        return set(self.finished())

    def read(self, identity: str) -> dict[str, Any]:
        """The facts of a finished trial, checked: who reads them may rely on their keys and kinds."""
        return read_facts(self.trials / identity)

    def readable(self) -> dict[str, dict[str, Any]]:
        """The facts of every finished trial that can be read, oldest first."""
        found = {}
        for name in self.finished():
            with contextlib.suppress(UnseenError):
                found[name] = self.read(name)
        return found

    def save(self, identity: str, write: Callable[[Path], None]) -> None:
        """Let ``write`` fill a folder aside, then rename it into place. A trial that is already there stays."""
        try:
            write_folder(self.trials / identity, write, "trial.json")
            self.failure_path(identity).unlink(missing_ok=True)
        except OSError as error:
            raise disk_error(error, self.path) from error

    def failure_path(self, identity: str) -> Path:
        return self.path / "failed" / f"{identity}.json"

    def fail(self, identity: str, record: Mapping[str, Any]) -> None:
        """Remember why a trial failed; the next run tries it again."""
        path = self.failure_path(identity)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            put_whole(path, json.dumps(record, indent=1))
        except OSError as error:
            raise disk_error(error, self.path) from error

    def failures(self) -> dict[str, dict[str, Any]]:
        folder = self.path / "failed"
        if not folder.is_dir():
            return {}
        return {p.stem: _failure(p) for p in sorted(folder.glob("*.json")) if not p.name.startswith(".")}

    def calibration_path(self, identity: str) -> Path:
        return self.path / "calibrations" / f"{identity}.json"

    def calibrations(self) -> list[str]:
        """Identities of the calibrations that were done."""
        return sorted(path.stem for path in (self.path / "calibrations").glob("[!.]*.json"))

    def calibration(self, identity: str) -> dict[str, Any] | None:
        """The record of a calibration, if it was done."""
        path = self.calibration_path(identity)
        if not path.is_file():
            return None
        try:
            return calibration_record(path.read_bytes(), identity)
        except (OSError, ValueError) as error:
            raise UnseenError(
                f"calibration '{path}' cannot be read ({visible(error)}). Move that file out of the study and run it "
                f"again: only the calibration is done again."
            ) from None

    def keep_calibration(self, identity: str, record: Mapping[str, Any]) -> None:
        """Keep what a calibration found."""
        path = self.calibration_path(identity)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            put_whole(path, json.dumps(record, indent=1, default=str))
        except OSError as error:
            raise disk_error(error, self.path) from error

    def sweep(self) -> int:
        """Remove what killed runs left half-written; give the number of leftovers. What a living process writes stays,
        and so does for a day what one of another machine may be writing."""
        folders = ("trials", "weights", "subjects", "encoders", "failed", "calibrations", "workers")
        swept = sum(remove_leftovers(self.path / folder) for folder in folders)
        return swept + sum(remove_leftovers(self.path, name) for name in ("recipe.toml", "commands.json", GLANCES))

    @contextmanager
    def locked(self, otherwise: str = "or give this run another folder with --out") -> Iterator[None]:
        """Only one run of a study at a time. The lock goes with its process, however that ends. ``otherwise``: what
        may be done in place of waiting. A lock may be known to one machine alone, so whoever else beats is asked for
        too (:mod:`unseen.studies.heartbeats`)."""
        with contextlib.ExitStack() as stack:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                stack.enter_context(held_alone(self.path / ".lock", tries=PATIENCE))
            except Held as held:
                raise StoreBusy(
                    f"study '{self.path}' is being run by {held.who}; wait for it, look at it with `unseen status`, "
                    f"{otherwise}."
                ) from None
            except NoLocks:
                raise DiskTrouble(
                    f"the file system of '{self.path}' has no locks, which keep two runs of a study from writing "
                    f"over each other. Nothing was changed. Take a folder on a disk of this machine; `unseen pack` "
                    f"and `unseen unpack` carry a study from one to the other."
                ) from None
            except OSError as error:
                raise disk_error(error, self.path) from error
            self.check_alone(otherwise=otherwise)
            yield

    def check_alone(self, me: str = "", otherwise: str = "or give this run another folder with --out") -> None:
        """Refuse where another process beats at this study, on whatever machine."""
        if others := [one for one in living(self.path) if one.name != me]:
            raise StoreBusy(
                f"study '{self.path}' is being run by {_listed(others)}; wait for it, look at it with `unseen status`, "
                f"{otherwise}. `unseen work {self.path}` adds a worker to others; one that was lost on another machine "
                f"counts for {stale_seconds():.0f} s after its last beat."
            )

    def lock_holder(self) -> str | None:
        """Who has the lock of this study on this machine, if anybody."""
        return holder(self.path / ".lock")

    def busy(self) -> str | None:
        """Who is running this study now, if anybody: whoever has its lock, or beats on whatever machine."""
        return self.lock_holder() or _listed(living(self.path)) or None

    def pack(self, out: Path, *, encoders: bool = True) -> int:
        """The study as one file, without the weights of its trials and, if wanted, with the encoders that more trials
        need; give the number of trials in it."""
        check_target(out)
        names = [name for name in self.finished() if IDENTITY.fullmatch(name)]  # a copy by another name is no trial
        remove_leftovers(out.parent, out.name)
        try:
            with written_aside(out) as aside, writing(aside) as archive:
                for file in [self.path / "recipe.toml"]:
                    if file.is_file():
                        archive.add(file, arcname=f"{MARK}/{file.name}")
                for file in sorted((self.path / "calibrations").glob("[!.]*.json")):
                    if IDENTITY.fullmatch(file.stem) and file.is_file():
                        archive.add(file, arcname=f"{MARK}/calibrations/{file.name}")
                inside = {"encoders": self.encoders() if encoders else [], "trials": names, "subjects": self.subjects()}
                for kind, parts in FILES.items():
                    for place in (Path(kind, name, part) for name in inside[kind] for part in parts):
                        file = self.path / place
                        if file.is_file() or kind != "trials":  # a trial need not have them all
                            archive.add(file.resolve(), arcname=f"{MARK}/{place.as_posix()}")
        except OSError as error:
            raise disk_error(error, out) from error
        return len(names)

    def unpack(
        self, archive_path: Path, *, salvage: bool = False, limit: float | None = None, note: Note = lambda text: None
    ) -> tuple[int, int]:
        """Add the trials of a packed study (with ``salvage``: those that are whole); give how many were new and how
        many were here already. ``limit``: how many GB it may unpack to; ``note`` is told what was left out.

        Nothing is added before the whole archive has been read and checked, aside. Where it differs from the recipe
        here in seeds only, that recipe takes its seeds in: this is how repeats from several machines come together.
        A trial here that cannot be read gives way to the one of the pack; it is kept, in the folder ``damaged``.
        Calibrations come too; one that chose other strengths than the one here is refused, since its trials would not
        be found.
        """
        if self.path.exists() and not self.path.is_dir():
            raise UnseenError(f"'{self.path}' is a file; name a folder to unpack into.")
        try:
            with folder_aside(self.path, "unseen-unpack") as aside:
                return self._take_in(
                    archive_path, unpack_aside(archive_path, aside, salvage=salvage, limit=limit, note=note), note
                )
        except Unwritten as error:
            raise disk_error(error.why, self.path) from error
        except OSError as error:
            raise disk_error(error, self.path) from error

    def _take_in(self, archive_path: Path, found: Unpacked, note: Note) -> tuple[int, int]:
        if not found.trials and not found.calibrations and not found.subjects and not found.encoders:
            raise UnseenError(f"'{archive_path}' holds no finished trial.")
        with self.locked("or unpack into another folder"):
            self.sweep()
            here = {name: self.calibration(name) for name in found.calibrations}
            for name, record in found.calibrations.items():
                same_strengths(archive_path, self.calibration_path(name), record, here[name])
            for name, record in found.calibrations.items():
                if here[name] is None:
                    self.keep_calibration(name, record)
            for identity, folder in found.encoders.items():
                write_folder(self.path / "encoders" / identity, partial(_move_all, folder), ENCODER)
            new = {identity: folder for identity, folder in found.trials.items() if not self.has(identity)}
            for identity in [identity for identity in found.trials if identity not in new]:
                if kept := self._set_aside_damaged(identity):
                    new[identity] = found.trials[identity]
                    note(f"trial {identity} here could not be read and is taken from the pack; it is kept in '{kept}'")
            for identity, folder in new.items():
                self.save(identity, partial(_move_all, folder))
            there = self.subjects()
            for identity, folder in found.subjects.items():
                if identity not in there:
                    write_folder(self.subject_folder(identity), partial(_move_all, folder), SUBJECT)
                    note(f"the answers of a subject, {identity}, were added; `unseen answers list` tells whose")
            mine = self.path / "recipe.toml"
            if found.recipe is not None:
                put_whole(
                    mine, with_seeds(mine.read_text(encoding="utf-8"), found.recipe) if mine.is_file() else found.recipe
                )
        return len(new), len(found.trials) - len(new)

    def _set_aside_damaged(self, identity: str) -> Path | None:
        """Move a trial that cannot be read out of the way; gives where it is now. One that can be stays."""
        try:
            check_trial(self.trials / identity)
            return None
        except Damaged:
            return set_aside(self.trials / identity)


def _listed(some: Sequence[Heartbeat]) -> str:
    """Processes in words; of many the first."""
    more = f" and {len(some) - 1} more" if len(some) > 1 else ""
    return f"{some[0].words} since {some[0].started.replace('T', ' ')}{more}" if some else ""


def _move_all(source: Path, folder: Path) -> None:
    for file in source.iterdir():
        shutil.move(file, folder / file.name)


def check_target(out: Path) -> None:
    """A packed study takes the place of another one, or of nothing."""
    if out.is_dir():
        raise UnseenError(f"'{out}' is a folder; name the file to write, e.g. '{out / 'study.unseen'}'.")
    if out.exists() and not out.is_file():
        raise UnseenError(f"'{out}' is no plain file; name another one to write, e.g. study.unseen.")
    if out.is_file() and out.stat().st_size and not _is_pack(out):
        raise UnseenError(f"'{out}' is there already and is no packed study; name another file, e.g. study.unseen.")


def _is_pack(path: Path) -> bool:
    with open(path, "rb") as handle:
        return handle.read(5) == b"\xfd7zXZ"


def _failure(path: Path) -> dict[str, Any]:
    """The record of a failure; a damaged one is still a failure."""
    try:
        record = plain_json(path.read_bytes())
        whole = {"label": path.stem, "seed": None, "error": "no reason recorded", **record}
    except (OSError, ValueError, TypeError) as error:
        return {"label": visible(path.stem), "seed": None, "error": f"its record cannot be read ({visible(error)})"}
    seed = whole["seed"] if isinstance(whole["seed"], int) else None
    return {**whole, "seed": seed, "label": visible(whole["label"]), "error": visible(whole["error"])}


def unwritten(error: Exception) -> OSError:
    """What a library raises in place of an OSError when it cannot write, with its number if the words have it."""
    found = re.search(r"\b(?:os error|errno) (\d+)", str(error), re.IGNORECASE)
    return OSError(int(found[1]) if found else errno.EIO, str(error))


def disk_error(error: OSError, path: Path) -> DiskTrouble:
    """A full or read-only disk in words; finished trials are safe where they are."""
    if disk_full(error):
        return DiskTrouble(
            f"the disk of '{path}' is full. Finished trials are safe; make room and run the same command again."
        )
    return DiskTrouble(f"cannot write to '{path}': {error.strerror or error}. Finished trials are safe.")
