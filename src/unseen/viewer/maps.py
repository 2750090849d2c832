"""Maps that a study recorded of a trial: its most telling images, each beside what every method shows of it."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np

from unseen.studies.explained.stored_maps import arrays_of, has_maps
from unseen.studies.records import Record
from unseen.viewer.asked import Asked
from unseen.viewer.shelf import NotServed, Shelf

MOST, SIDE = 24, 160  # images that are shown, and pixels of a side


def maps(shelf: Shelf, asked: Asked) -> dict[str, Any]:
    """The images whose maps a trial kept, or with ``row`` that one alone; and what its checks say of each method."""
    on_shelf = shelf[asked.text("study")]
    now = on_shelf.reading()
    name = now.identities[now.trial(asked.text("trial"))]
    facts = now.facts.get(name) if name else None
    record = Record(dict(facts or {}), now.stored.store.trials / (name or "none"))
    if facts is None or not has_maps(record):
        raise NotServed("no maps of this trial were recorded; [explanations] in a recipe asks for them.")
    wanted = asked.rows("row", 1)
    rows = arrays_of(record.folder)["rows"].tolist()
    places = [at for at, row in enumerate(rows) if not wanted or row in wanted][:MOST]
    if not places:
        return {"methods": [], "rows": []}
    return _drawn(record, rows, places)


def _drawn(record: Record, rows: list[int], places: list[int]) -> dict[str, Any]:
    from unseen.explanations.drawing import over, pictures_of
    from unseen.kinds.maps_page import column
    from unseen.kinds.recorded_maps import explained_of

    found = explained_of(record)
    some = found.maps.pictures[places]
    drawn = {method: over(some, one[places]) for method, one in found.maps.maps.items()}
    heads = {method: column(found, method) for method in found.methods}
    return {
        "asked": found.asked,
        "methods": [
            {"name": method, "verdict": one.words or "not checked", "number": one.number}
            for method, one in heads.items()
        ],
        "rows": [
            {
                "row": rows[at],
                "title": found.titles[at],
                "words": found.words[at],
                "group": found.groups[at],
                "picture": _address(picture),
                "maps": [
                    {"note": found.maps.notes[method][at], "picture": _address(drawn[method][number])}
                    for method in found.methods
                ],
            }
            for number, (at, picture) in enumerate(zip(places, pictures_of(some)))
        ],
    }


def _address(picture: np.ndarray) -> str:
    """A picture ``[h, w, 3]`` as an address that holds it."""
    from PIL import Image

    made = Image.fromarray(picture)
    made.thumbnail((SIDE, SIDE))
    file = io.BytesIO()
    made.save(file, format="PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
