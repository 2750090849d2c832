"""A packed study, read: its recipe, trials and calibrations, and whether they belong to the study that takes them."""

from __future__ import annotations

import json
import lzma
import tarfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unseen.vocabulary.errors import UnseenError

MARK = "unseen-study"
Archive = tuple[str | None, dict[str, dict[str, bytes]], dict[str, dict[str, Any]]]


def read_archive(path: Path) -> Archive:
    """The recipe, the trials' files and the calibrations of a packed study. Names that lead elsewhere are refused."""
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
        raise UnseenError(f"'{path}' is not a packed study, or is damaged: {error}.") from None
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
