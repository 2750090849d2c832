"""What was recorded of a trial's maps, read again: no network, no torch's weights, only its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unseen.studies.records import Record
from unseen.studies.sound import damaged

EXPLANATIONS, SIMILARITY, ARRAYS = "explanations.parquet", "map_similarity.parquet", "maps.safetensors"
MEASURES = ("spearman", "spearman_absolute", "ssim", "hog")


def has_maps(record: Record) -> bool:
    """Whether maps of a trial were recorded."""
    return isinstance(record.facts.get("explanations"), dict) and (record.folder / ARRAYS).is_file()


def columns_of(folder: Path, file: str) -> dict[str, np.ndarray]:
    """A table's columns by name; empty where nothing of the kind was recorded."""
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    if not (folder / file).is_file():
        return {}
    try:
        table = pq.read_table(folder / file)
    except (OSError, ArrowException, ValueError) as error:
        raise damaged(folder, error) from None
    return {name: np.array(table[name].to_pylist()) for name in table.column_names}


def arrays_of(folder: Path) -> dict[str, np.ndarray]:
    """Pictures and maps as they were kept."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return load_file(folder / ARRAYS)
    except (OSError, SafetensorError, ValueError) as error:
        raise damaged(folder, error) from None


@dataclass(frozen=True, eq=False)
class Similar:
    """How alike maps of a method are before and after each of ``steps``: ``{measure: [steps, images]}``."""

    method: str
    order: str
    steps: tuple[str, ...]
    alike: Mapping[str, np.ndarray]


def similarities(folder: Path) -> list[Similar]:
    """By method and order, in the order in which they were recorded."""
    table = columns_of(folder, SIMILARITY)
    found = []
    if not table:
        return found
    for order in dict.fromkeys(table["order"].tolist()):
        for method in dict.fromkeys(table["method"].tolist()):
            here = np.flatnonzero((table["method"] == method) & (table["order"] == order))
            count = len(set(table["step"][here].tolist()))
            if not count:
                continue
            names = table["layer"][here].reshape(count, -1)[:, 0].tolist()
            alike = {name: table[name][here].astype(np.float64).reshape(count, -1) for name in MEASURES}
            found.append(Similar(method, order, tuple(names), alike))
    return found


def shown_facts(record: Record) -> list[dict[str, Any]]:
    """What is to be said of each image that was kept for the report."""
    told = record.facts["explanations"].get("shown", [])
    return [one for one in told if isinstance(one, dict)]
