"""A packed study, written and read: its recipe, trials and calibrations, and whether they belong where they go.

It is a tar in xz, compressed in blocks by several threads: any tar reads it.
"""

from __future__ import annotations

import contextlib
import json
import lzma
import tarfile
import zlib
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO

from unseen.vocabulary.cores import cores
from unseen.vocabulary.errors import UnseenError

MARK = "unseen-study"
BLOCK = 16 * 2**20  # bytes compressed by one thread; xz looks back over half of it
MOST_THREADS = 8  # each takes about 100 MB
Archive = tuple[str | None, dict[str, dict[str, bytes]], dict[str, dict[str, Any]]]


@contextlib.contextmanager
def writing(path: Path) -> Iterator[tarfile.TarFile]:
    """A tar to add files to, compressed on the way to ``path``."""
    with open(path, "wb") as out, ThreadPoolExecutor(min(MOST_THREADS, cores())) as pool:
        blocks = _Blocks(out, pool)
        with tarfile.open(fileobj=blocks, mode="w|") as archive:  # type: ignore[arg-type]
            yield archive
        blocks.finish()


class _Blocks:
    """What is written here goes to a file as a row of xz streams, which is an xz file."""

    def __init__(self, out: BinaryIO, pool: ThreadPoolExecutor) -> None:
        self.out, self.pool = out, pool
        self.block = bytearray()
        self.waiting: deque[Future[bytes]] = deque()

    def write(self, data: bytes) -> int:
        self.block += data
        if len(self.block) >= BLOCK:
            self._compress()
            self._put(MOST_THREADS)
        return len(data)

    def finish(self) -> None:
        self._compress()
        self._put(0)

    def _compress(self) -> None:
        self.waiting.append(self.pool.submit(lzma.compress, bytes(self.block), preset=6))
        self.block.clear()

    def _put(self, most: int) -> None:
        while len(self.waiting) > most:
            self.out.write(self.waiting.popleft().result())


def read_archive(path: Path, *, salvage: bool = False) -> Archive:
    """The recipe, the trials' files and the calibrations of a packed study. Names that lead elsewhere are refused.

    With ``salvage`` an archive that ends too early gives what is whole in it: a trial's facts are its last file.
    """
    if not path.is_file():
        raise UnseenError(f"no packed study '{path}'.")
    recipe, trials, calibrations = None, {}, {}
    try:
        with tarfile.open(path, "r:*") as archive:
            for member in archive:
                parts = Path(member.name).parts
                if ".." in parts or Path(member.name).is_absolute():
                    raise UnseenError(f"'{path}' holds the name '{member.name}', which leads out of a study: refused.")
                data = archive.extractfile(member) if member.isfile() else None
                if data is None or parts[0] != MARK:
                    continue
                if parts[1:] == ("recipe.toml",):
                    recipe = data.read().decode()
                elif len(parts) == 4 and parts[1] == "trials":
                    trials.setdefault(parts[2], {})[parts[3]] = data.read()
                elif len(parts) == 3 and parts[1] == "calibrations" and parts[2].endswith(".json"):
                    calibrations[parts[2].removesuffix(".json")] = data.read()
            while archive.fileobj is not None and archive.fileobj.read(1 << 20):  # to the end, where its sum is checked
                pass
    except (tarfile.TarError, EOFError, OSError, lzma.LZMAError, zlib.error, UnicodeDecodeError) as error:
        whole = {identity: files for identity, files in trials.items() if "trial.json" in files}
        if not salvage:
            told = f" {len(whole)} of its trials are whole: unpack with --salvage to take them." if whole else ""
            raise UnseenError(f"'{path}' is not a packed study, or is damaged: {error}.{told}") from None
        trials = whole
    for identity, files in trials.items():
        if _identity_in(files.get("trial.json", b"")) != identity:
            raise UnseenError(f"'{path}' is damaged: trial {identity} is not what its name says.")
    try:
        return recipe, trials, {identity: calibration_record(text, identity) for identity, text in calibrations.items()}
    except ValueError as error:
        raise UnseenError(f"'{path}' is damaged: a calibration cannot be read ({error}).") from None


def calibration_record(text: bytes, identity: str) -> dict[str, Any]:
    """The record of a calibration, or a ValueError where something of it is missing."""
    record = json.loads(text)
    try:
        for key in ("label", "plain", "n", "chance", "target", "flags"):
            record[key]
        for curve in record["levels"].values():
            [curve[key] for key in ("strengths", "accuracy", "n", "chosen", "reason")]
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"it lacks {error}") from None
    if record.get("identity") != identity:
        raise ValueError("it is not what its name says")
    return record


def same_strengths(archive: Path, here: Path, theirs: Mapping[str, Any], mine: Mapping[str, Any] | None) -> None:
    """Two machines may choose otherwise where a curve comes close to its target."""
    if mine is None:
        return
    chosen = [{level: curve["chosen"] for level, curve in one["levels"].items()} for one in (mine, theirs)]
    if chosen[0] != chosen[1]:
        told = [", ".join(f"{level} {strength}" for level, strength in one.items()) for one in chosen]
        raise UnseenError(
            f"'{archive}' was calibrated to other strengths ({told[1]}) than this study ({told[0]}), so that their "
            f"trials do not belong together. Unpack it into a folder of its own, or delete '{here}' first to take its "
            f"strengths: the trials here are then run again."
        )


def _identity_in(facts: bytes) -> str | None:
    try:
        return json.loads(facts)["identity"]
    except (ValueError, KeyError, TypeError):
        return None


def with_seeds(mine: str, other: str) -> str:
    """My recipe with the other's seeds too, where only seeds (and places of files) tell them apart; else my own."""
    from unseen.studies.describe import recipe_toml
    from unseen.studies.tables import placeless
    from unseen.vocabulary.recipe import parse, recipe_from

    ours, theirs = recipe_from(parse(mine)), recipe_from(parse(other))

    def rest(recipe: Any) -> dict[str, Any]:
        tables = recipe.model_dump(mode="json", exclude={"seeds"})
        return {**tables, "world": placeless(tables["world"])}

    if rest(ours) != rest(theirs) or set(theirs.seeds) <= set(ours.seeds):
        return mine
    seeds = tuple(sorted({*ours.seeds, *theirs.seeds}))
    return recipe_toml(ours.model_copy(update={"seeds": seeds}))
