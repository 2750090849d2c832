"""Room on the disk for what a study will keep, asked for before anything is trained."""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unseen.studies.asked import layers_to_record
from unseen.studies.store import DiskTrouble
from unseen.studies.study import Study
from unseen.studies.trials import Trial, without_encoder
from unseen.studies.weight_budget import keeps_weights
from unseen.vocabulary.sizes import size_text

ANSWER = 4  # bytes that an answer takes on disk: its number, class and confidence, packed
FACTS = 20_000  # bytes of a trial's description and curves
WIDTHS = ("out_channels", "num_features", "out_features")


def check_room(study: Study, todo: Sequence[Trial], device: str = "cpu") -> None:
    """Refuse what would be trained and could not be kept. By the trials of this recipe that are finished here, where
    they have the same network and recordings, or by what is asked."""
    if not todo:
        return
    try:
        disk = shutil.disk_usage(study.path)
    except OSError:
        return
    if not disk.total:  # some file systems do not tell
        return
    free, took = disk.free, _taken(study, device)
    weights = _weights(study, todo, device) if keeps_weights(study) else 0
    known = [took[_key(trial)] for trial in todo if _key(trial) in took]
    others = [trial for trial in todo if _key(trial) not in took]
    need = round(sum(known)) + sum(expected(study, others)) + weights
    if free >= need:
        return
    left = "the one trial left needs" if len(todo) == 1 else f"the {len(todo)} trials left need"
    how = "as those that are finished here took" if not others else "by what they are asked and keep"
    how = "by those that are finished here and what the others are asked and keep" if known and others else how
    less = f", or do without weights ({size_text(weights)}) by --set recordings.weights=false" if weights else ""
    raise DiskTrouble(
        f"the disk of '{study.path}' has {size_text(free)} free, and {left} about {size_text(need)} ({how}). Nothing "
        f"was trained. Make room and run the same command again, give --out a folder on a larger disk{less}."
    )


def _taken(study: Study, device: str) -> dict[str, float]:
    """Bytes that a finished trial of this recipe took, the mean for each network and what is recorded of it. The store
    may hold trials of other settings, of any size."""
    found: dict[str, list[int]] = {}
    for trial in study.trials:
        name = study.find(trial, device)
        size = _size(study.store.trials / name) if name else 0
        if size:
            found.setdefault(_key(trial), []).append(size)
    return {key: sum(sizes) / len(sizes) for key, sizes in found.items()}


def _key(trial: Trial) -> str:
    return trial.recipe.network.model_dump_json() + trial.recipe.recordings.model_dump_json()


def expected(study: Study, trials: Sequence[Trial]) -> list[int]:
    """Bytes that each trial will keep beside its weights, at least: answers, activity per cell."""
    built: dict[str, int] = {}
    found = []
    for trial in trials:
        recordings, split, samples = trial.recipe.recordings, study.split(trial), study.world(trial).samples
        targets = study.targets(trial)
        size = FACTS
        for asked in study.asked(trial):
            asks = split[asked].asks
            wanted = [target for target in targets if asks is None or target.factor in asks]
            size += ANSWER * split.count(samples, asked) * len(wanted)
        if recordings.cells and recordings.layers != "none":
            key = _key(trial)
            if key not in built:
                built[key] = _units(study, trial)
            size += 4 * built[key] * math.prod(samples.space.select(split.factors).shape)
        found.append(size)
    return found


def _weights(study: Study, todo: Sequence[Trial], device: str) -> int:
    """Bytes of the weights that are to be learned and kept; those that are kept already take no more."""
    from unseen.studies.missing_trials import kept_of
    from unseen.studies.weight_budget import weight_budget

    return weight_budget(study, [trial for trial in todo if kept_of(study, trial, device) is None]).bytes


def _units(study: Study, trial: Trial) -> int:
    """Units of the layers that are recorded; none of a network that cannot be built, which its own trial tells."""
    from unseen.studies.learners import network_of

    try:
        network: Any = network_of(study, without_encoder(trial))
    except (Exception, SystemExit):
        return 0
    units = 0
    for name in layers_to_record(trial.recipe.recordings.layers, network.layers):
        widths = [getattr(one, word, None) for one in network.layer(name).modules() for word in WIDTHS]
        units += next((width for width in reversed(widths) if isinstance(width, int)), 0)
    return units


def _size(folder: Path) -> int:
    """Without weights, which older trials hold themselves; nothing where it cannot be told."""
    try:
        return sum(file.stat().st_size for file in folder.iterdir() if file.name != "weights.safetensors")
    except OSError:
        return 0
