"""The folder of an export between runs: whose it is, and which shards are finished.

A shard is written aside and renamed, then noted in ``shards.jsonl``. What is not noted, or is not there as noted, is
written again. Pictures in folders are not synced one by one, which would take longer than drawing them; after a power
cut their number and bytes are compared with the note.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unseen.exports.lock import LOCK
from unseen.exports.plan import CARD, Plan
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.whole_files import ASIDE, disk_full, put_whole, remove, written_aside

LEDGER = "shards.jsonl"

WORDS = {
    "export": "version of the files",
    "world": "world",
    "fingerprint": "pictures or arguments (fingerprint)",
    "format": "format",
    "rows": "rows",
    "shard": "images per shard",
    "device": "kind of device",
}


def claim(plan: Plan) -> None:
    """Make the folder this export's own, or see that it is; another export's folder is refused."""
    card = plan.out / CARD
    if card.is_file():
        before = _read_card(card)
        wanted = plan.identity()
        differ = [name for name in wanted if before.get(name) != wanted[name]]
        if differ:
            found = "; ".join(f"{WORDS[name]}: {before.get(name)} there, {wanted[name]} asked" for name in differ)
            raise UnseenError(
                f"'{plan.out}' holds another export ({found}). Give this one a folder of its own with --out, "
                f"ask for the same again to go on, or delete that folder."
            )
        return
    strange = sorted(path.name for path in plan.out.iterdir() if path.name != LOCK and not path.name.endswith(ASIDE))
    if strange:
        raise UnseenError(
            f"'{plan.out}' holds other things ({', '.join(strange[:5])}{' …' * (len(strange) > 5)}) and no {CARD}; "
            f"give --out a new or an empty folder."
        )
    write_card(plan, finished=False)


def write_card(plan: Plan, **found: Any) -> None:
    """One line per fact and per factor: a factor may have thousands of levels."""
    lines = []
    for name, value in plan.card(**found).items():
        text = json.dumps(value, ensure_ascii=False)
        if name == "factors":
            text = "[\n" + ",\n".join(f"  {json.dumps(factor, ensure_ascii=False)}" for factor in value) + "\n ]"
        lines.append(f' "{name}": {text}')
    put_whole(plan.out / CARD, "{\n" + ",\n".join(lines) + "\n}\n")


def read_ledger(plan: Plan) -> dict[int, dict[str, int]]:
    """Notes of the shards that are there and whole."""
    try:
        lines = (plan.out / LEDGER).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    notes = {}
    for line in lines:
        try:
            note = json.loads(line)
            notes[int(note["shard"])] = note
        except (ValueError, KeyError, TypeError):  # cut off by a power cut: that shard is written again
            continue
    return {number: note for number, note in sorted(notes.items()) if held(plan.place(number)) == _noted(note)}


def write_ledger(plan: Plan, notes: dict[int, dict[str, int]]) -> None:
    put_whole(plan.out / LEDGER, "".join(json.dumps(notes[number]) + "\n" for number in sorted(notes)))


def add_note(plan: Plan, note: dict[str, int]) -> None:
    with open(plan.out / LEDGER, "a", encoding="utf-8") as ledger:
        ledger.write(json.dumps(note) + "\n")
        ledger.flush()
        os.fsync(ledger.fileno())


def held(place: Path) -> tuple[int, int] | None:
    """Files and bytes of a shard, if it is there."""
    try:
        if place.is_dir():
            with os.scandir(place) as entries:
                sizes = [entry.stat().st_size for entry in entries]
            return len(sizes), sum(sizes)
        return 1, place.stat().st_size
    except FileNotFoundError:
        return None


def _noted(note: dict[str, int]) -> tuple[int, int]:
    return note.get("files", -1), note.get("bytes", -1)


def put_shard(plan: Plan, number: int, write: Callable[[Path], None]) -> tuple[int, int]:
    """Let ``write`` make a shard aside, then rename it into place; give its files and bytes."""
    place = plan.place(number)
    place.parent.mkdir(parents=True, exist_ok=True)
    with written_aside(place, sync=not plan.in_folder) as aside:
        write(aside)
        remove(place)  # damaged: it would be in a folder's way
    found = held(place)
    assert found is not None
    return found


def sweep(plan: Plan) -> None:
    """Remove what a killed run left half-written."""
    for folder in (plan.out, plan.out / "images"):
        for path in folder.glob(f".*{ASIDE}"):
            remove(path)


@contextmanager
def disk_in_words(plan: Plan, finished: Callable[[], int]) -> Iterator[None]:
    """A full or read-only disk as a sentence that says what is safe."""
    try:
        yield
    except OSError as error:
        kept = f"{finished()} of {plan.shards} shards are finished and kept"
        if disk_full(error):
            raise UnseenError(
                f"the disk of '{plan.out}' is full; {kept}. Make room and give the same command again: it goes on "
                f"from there."
            ) from error
        where = error.filename or plan.out
        raise UnseenError(f"cannot read or write '{where}': {error.strerror or error}; {kept}.") from error


def _read_card(card: Path) -> dict[str, Any]:
    try:
        found = json.loads(card.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise ValueError("no table")
        return found
    except (OSError, ValueError) as error:
        raise UnseenError(f"'{card}' cannot be read ({error}); delete that folder and export again.") from None
