"""A packed study, written, and whether what one holds belongs where it goes; ``unpacking`` reads it.

It is a tar in xz, compressed in blocks by several threads: any tar reads it.
"""

from __future__ import annotations

import contextlib
import json
import lzma
import math
import re
import tarfile
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO

from unseen.vocabulary.cores import cores
from unseen.vocabulary.errors import UnseenError

MARK = "unseen-study"
IDENTITY = re.compile(r"[0-9a-f]{16}")
FACTS = "trial.json"
TABLES = (
    "responses.parquet", "invariance.parquet", "thresholds.parquet", "explanations.parquet", "map_similarity.parquet",
    "concepts.parquet",
)  # fmt: skip
ARRAYS = ("activity.safetensors", "latents.safetensors", "maps.safetensors")
ENCODER = "encoder.json"  # of a pretrained network, written last
ENCODERS = ("weights.safetensors", ENCODER)
SUBJECT = "subject.json"
SUBJECTS = (TABLES[0], SUBJECT)  # of answers that were made elsewhere
PACKED = (*TABLES, *ARRAYS, "disentanglement.json", FACTS)  # of a trial; facts last: whoever has them has the trial
FILES = {"encoders": ENCODERS, "trials": PACKED, "subjects": SUBJECTS}  # of each identity in a folder of a pack
BLOCK = 16 * 2**20  # bytes compressed by one thread; xz looks back over half of it
MOST_THREADS = 8  # each takes about 100 MB


@contextlib.contextmanager
def writing(path: Path) -> Iterator[tarfile.TarFile]:
    """A tar to add files to, compressed on the way to ``path``. Of links, hard ones too, it holds what they lead to."""
    with open(path, "wb") as out, ThreadPoolExecutor(min(MOST_THREADS, cores())) as pool:
        blocks = _Blocks(out, pool)
        with tarfile.open(fileobj=blocks, mode="w|", dereference=True) as archive:  # type: ignore[arg-type]
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


def plain_json(text: bytes | str) -> Any:
    """JSON, or a ValueError, also where it is nested deeper than anything of ours."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def calibration_record(text: bytes, identity: str) -> dict[str, Any]:
    """The record of a calibration, or a ValueError where something of it is missing."""
    record = plain_json(text)
    try:
        for key in ("label", "plain", "n", "chance", "target", "flags"):
            record[key]
        for curve in record["levels"].values():
            [curve[key] for key in ("strengths", "accuracy", "n", "chosen", "reason")]
            if not _is_curve(curve):
                raise ValueError("a curve of it is of another kind")
        if not isinstance(record["flags"], dict) or not isinstance(record["label"], str):
            raise ValueError("its label or its flags are of another kind")
        if odd := [key for key in ("plain", "n", "chance", "target") if not _is_number(record[key])]:
            raise ValueError(f"{odd[0]} = {str(record[odd[0]])[:40]!r} is not a number")
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"it lacks {error}") from None
    if record.get("identity") != identity:
        raise ValueError("it is not what its name says")
    return record


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_curve(curve: Mapping[str, Any]) -> bool:
    """Strengths with an accuracy each, of which one may be chosen."""
    rows = [curve["strengths"], curve["accuracy"]]
    if not all(isinstance(row, list) and all(map(_is_number, row)) for row in rows) or len(rows[0]) != len(rows[1]):
        return False
    chosen = curve["chosen"] is None or (_is_number(curve["chosen"]) and math.isfinite(curve["chosen"]))
    return chosen and _is_number(curve["n"]) and isinstance(curve["reason"], str)


def same_strengths(archive: Path, here: Path, theirs: Mapping[str, Any], mine: Mapping[str, Any] | None) -> None:
    """Two machines may choose otherwise where a curve comes close to its target."""
    if mine is None:
        return
    chosen = [{level: curve["chosen"] for level, curve in one["levels"].items()} for one in (mine, theirs)]
    if chosen[0] != chosen[1]:
        told = [", ".join(f"{level} {strength}" for level, strength in one.items()) for one in chosen]
        raise UnseenError(
            f"'{archive}' was calibrated to other strengths ({told[1]}) than this study ({told[0]}), so that their "
            f"trials do not belong together. Unpack it into a folder of its own, or move '{here}' away to take its "
            f"strengths: the trials here are then run again."
        )


def with_seeds(mine: str, other: str) -> str:
    """My recipe with the other's seeds too, where only seeds (and places of files) tell them apart; else my own."""
    from unseen.studies.recipe_files import recipe_toml
    from unseen.studies.tables import placeless
    from unseen.vocabulary.recipe import parse, recipe_from

    ours, theirs = recipe_from(parse(mine)), recipe_from(parse(other))

    def rest(recipe: Any) -> dict[str, Any]:
        tables = recipe.model_dump(mode="json", exclude={"seeds": True, "recordings": {"weights"}})
        return {**tables, "world": placeless(tables["world"])}

    if rest(ours) != rest(theirs) or set(theirs.seeds) <= set(ours.seeds):
        return mine
    seeds = tuple(sorted({*ours.seeds, *theirs.seeds}))
    return recipe_toml(ours.model_copy(update={"seeds": seeds}))
