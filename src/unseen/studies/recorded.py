"""What becomes of a trial: its files in the store, or the reason why there are none."""

from __future__ import annotations

import contextlib
import json
import platform
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from unseen.studies.store import unwritten
from unseen.studies.study import Study
from unseen.studies.trials import Trial, describe
from unseen.version import __version__
from unseen.vocabulary.errors import UnseenError

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Event:
    """Something a watcher may want to show: "started", "epoch", "finished" (``asked``: from weights that were kept),
    "failed", "note"."""

    kind: str
    trial: str
    identity: str = ""
    figures: dict[str, Any] = field(default_factory=dict)


Watch = Callable[[Event], None]


def facts_before(study: Study, trial: Trial, precision: str) -> dict[str, Any]:
    """What is known of a trial before it is trained."""
    world, split = study.world(trial), study.split(trial)
    return {
        "label": trial.label,
        "protocol": trial.recipe.protocol_name,
        "condition": dict(trial.condition),
        "seed": trial.seed,
        "description": describe(trial, world, precision),
        "facts": dict(split.facts),
        "factors": list(split.factors),
        "task": trial.recipe.task,
        "targets": {target.name: list(target.classes) for target in study.targets(trial)},
        "sets": {asked: split.count(world.samples, asked) for asked in split.sets},
    }


def write_files(
    tables: Mapping[str, pa.Table],
    arrays: Mapping[str, Mapping[str, np.ndarray]],
    facts: Mapping[str, Any],
    folder: Path,
) -> None:
    """The files of a finished trial; what is empty has none."""
    import pyarrow.parquet as pq
    from pyarrow import ArrowException
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    try:
        for name, table in tables.items():
            pq.write_table(table, folder / f"{name}.parquet", compression="zstd", **_encodings(table))
        for name, found in arrays.items():
            if found:
                kept = {key: np.ascontiguousarray(one) for key, one in found.items()}
                save_file(kept, folder / f"{name}.safetensors")
    except (SafetensorError, ArrowException) as error:
        raise unwritten(error) from error
    (folder / "trial.json").write_text(json.dumps(facts, default=str), encoding="utf-8")


def _encodings(table: pa.Table) -> dict[str, Any]:
    """Numbers of samples go up and come again for every target: their steps take a quarter of a dictionary's room."""
    if "sample" not in table.column_names:
        return {}
    return {
        "use_dictionary": [name for name in table.column_names if name != "sample"],
        "column_encoding": {"sample": "DELTA_BINARY_PACKED"},
        "dictionary_pagesize_limit": 2
        ** 26,  # names of images: beyond 1 MiB each would be written again for every target
    }


def machine(device: torch.device) -> dict[str, str]:
    """What ran it, for the report."""
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else platform.processor() or platform.machine()
    return {
        "device": f"{device.type}: {name}",
        "system": platform.platform(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "unseen": __version__,
    }


@contextlib.contextmanager
def faults_in_words(label: str, key: str, batch: int) -> Iterator[None]:
    """Whatever breaks in the training of something that trials need is told in words; ``key``: where its ``batch`` is
    said."""
    try:
        yield
    except UnseenError:
        raise
    except torch.OutOfMemoryError as error:
        raise UnseenError(f"{label} does not fit in memory: lower {key} ({batch}). {str(error)[:200]}") from error
    except Exception as error:
        raise UnseenError(f"{label} failed: {type(error).__name__}: {error}") from error


def fail(study: Study, trial: Trial, name: str, error: Exception | SystemExit, watch: Watch) -> None:
    """Keep why a trial failed: the sentence for people, the traceback for us."""
    message = str(error) if isinstance(error, UnseenError) else f"{type(error).__name__}: {error}"
    if isinstance(error, SystemExit):
        message = f"its network asks the program to end (SystemExit: {error}), which no network may: leave out exit()"
    record = {
        "identity": name,
        "label": trial.label,
        "condition": dict(trial.condition),
        "seed": trial.seed,
        "error": message,
        "traceback": "".join(traceback.format_exception(error)),
        "when": time.strftime("%Y-%m-%dT%H:%M:%S"),
    }
    study.store.fail(name, record)
    watch(Event("failed", trial.label, name, {"error": message}))
