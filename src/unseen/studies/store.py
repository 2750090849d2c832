"""Where finished trials live: a directory each, written aside and renamed into place, so that a kill loses nothing.

study/
  recipe.toml          the resolved recipe of the last run
  trials/<identity>/   trial.json, responses.parquet, activity.safetensors, weights.safetensors (if kept)
  failed/<identity>.json
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import tarfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from unseen.vocabulary.errors import StoreBusy, UnseenError

MARK = "unseen-study"


class Store:
    """One study's directory."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)

    @property
    def trials(self) -> Path:
        return self.path / "trials"

    def has(self, identity: str) -> bool:
        return (self.trials / identity / "trial.json").is_file()

    def finished(self) -> list[str]:
        """Identities of finished trials, oldest first."""
        if not self.trials.is_dir():
            return []
        found = [p for p in self.trials.iterdir() if not p.name.startswith(".") and (p / "trial.json").is_file()]
        return [p.name for p in sorted(found, key=lambda p: (p.stat().st_mtime, p.name))]

    def read(self, identity: str) -> dict[str, Any]:
        path = self.trials / identity / "trial.json"
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UnseenError(
                f"trial {identity} in '{self.path}' cannot be read ({error}); delete its folder and run again."
            ) from None

    def save(self, identity: str, write: Callable[[Path], None]) -> None:
        """Let ``write`` fill a folder aside, then rename it into place. A trial that is already there stays."""
        aside = self.trials / f".{identity}-{os.getpid()}"
        try:
            shutil.rmtree(aside, ignore_errors=True)
            aside.mkdir(parents=True)
            write(aside)
            for file in aside.iterdir():
                with open(file, "rb") as handle:
                    os.fsync(handle.fileno())
            try:
                os.rename(aside, self.trials / identity)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
            self.failure_path(identity).unlink(missing_ok=True)
        except OSError as error:
            raise disk_error(error, self.path) from error
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    def failure_path(self, identity: str) -> Path:
        return self.path / "failed" / f"{identity}.json"

    def fail(self, identity: str, record: Mapping[str, Any]) -> None:
        """Remember why a trial failed; the next run tries it again."""
        path = self.failure_path(identity)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, json.dumps(record, indent=1))
        except OSError as error:
            raise disk_error(error, self.path) from error

    def failures(self) -> dict[str, dict[str, Any]]:
        folder = self.path / "failed"
        if not folder.is_dir():
            return {}
        return {p.stem: json.loads(p.read_text(encoding="utf-8")) for p in sorted(folder.glob("*.json"))}

    def sweep(self) -> int:
        """Remove what killed runs left half-written; give the number of leftovers."""
        leftovers = [p for p in self.trials.iterdir() if p.name.startswith(".")] if self.trials.is_dir() else []
        for path in leftovers:
            shutil.rmtree(path, ignore_errors=True)
        return len(leftovers)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Only one run of a study at a time. The lock goes with its process, however that ends."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            handle = open(self.path / ".lock", "a+", encoding="utf-8")  # noqa: SIM115
        except OSError as error:
            raise disk_error(error, self.path) from error
        with handle:
            if not _lock(handle):
                handle.seek(0)
                raise StoreBusy(
                    f"study '{self.path}' is being run by {handle.read().strip() or 'another process'}; wait for it, "
                    f"look at it with `unseen status`, or give this run another folder with --out."
                )
            handle.seek(0)
            handle.truncate()
            handle.write(f"process {os.getpid()} on {socket.gethostname()} since {time.strftime('%Y-%m-%d %H:%M:%S')}")
            handle.flush()
            yield

    def busy(self) -> str | None:
        """Who is running this study now, if anybody."""
        if not (self.path / ".lock").is_file():
            return None
        with open(self.path / ".lock", "a+", encoding="utf-8") as handle:
            if _lock(handle):
                return None
            handle.seek(0)
            return handle.read().strip() or "another process"

    def pack(self, out: Path) -> int:
        """The study without weights as one file; give the number of trials in it."""
        names = self.finished()
        aside = out.with_name(f".{out.name}-{os.getpid()}")
        try:
            with tarfile.open(aside, "w:xz", preset=6) as archive:
                for file in [self.path / "recipe.toml"]:
                    if file.is_file():
                        archive.add(file, arcname=f"{MARK}/{file.name}")
                for name in names:
                    for file in sorted((self.trials / name).iterdir()):
                        if file.name != "weights.safetensors":
                            archive.add(file, arcname=f"{MARK}/trials/{name}/{file.name}")
            os.replace(aside, out)
        except OSError as error:
            raise disk_error(error, out) from error
        finally:
            aside.unlink(missing_ok=True)
        return len(names)

    def unpack(self, archive_path: Path) -> tuple[int, int]:
        """Add the trials of a packed study; give how many were new and how many were here already."""
        if not archive_path.is_file():
            raise UnseenError(f"no packed study '{archive_path}'.")
        new: dict[str, list[tuple[str, bytes]]] = {}
        here: set[str] = set()
        try:
            with tarfile.open(archive_path, "r:*") as archive:
                for member in archive:
                    parts = Path(member.name).parts
                    if not member.isfile() or len(parts) < 2 or parts[0] != MARK or ".." in parts:
                        continue
                    data = archive.extractfile(member)
                    assert data is not None
                    if parts[1] == "recipe.toml" and not (self.path / "recipe.toml").is_file():
                        self.path.mkdir(parents=True, exist_ok=True)
                        (self.path / "recipe.toml").write_bytes(data.read())
                    elif parts[1] == "trials" and len(parts) == 4:
                        if self.has(parts[2]):
                            here.add(parts[2])
                        else:
                            new.setdefault(parts[2], []).append((parts[3], data.read()))
        except (tarfile.TarError, EOFError, OSError) as error:
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                raise disk_error(error, self.path) from error
            raise UnseenError(f"'{archive_path}' is not a packed study, or is damaged: {error}.") from None
        if not new and not here:
            raise UnseenError(f"'{archive_path}' holds no finished trial.")
        for identity, files in new.items():
            self.save(identity, partial(_write_all, files))
        return len(new), len(here)


def _write_all(files: list[tuple[str, bytes]], folder: Path) -> None:
    for name, data in files:
        (folder / name).write_bytes(data)


def write_text(path: Path, text: str) -> None:
    """Write a file aside and rename it into place."""
    aside = path.with_name(f".{path.name}-{os.getpid()}")
    try:
        aside.write_text(text, encoding="utf-8")
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def disk_error(error: OSError, path: Path) -> UnseenError:
    """A full or read-only disk in words; finished trials are safe where they are."""
    if error.errno == errno.ENOSPC:
        return UnseenError(
            f"the disk of '{path}' is full. Finished trials are safe; make room and run the same command again."
        )
    return UnseenError(f"cannot write to '{path}': {error.strerror or error}. Finished trials are safe.")


def _lock(handle: Any) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
            return True
        except OSError:
            return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:
        return False
