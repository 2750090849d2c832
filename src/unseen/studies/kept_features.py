"""What a model makes of a world's rows, kept beside decoded pictures and used by every study that asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unseen.recordings.features import Encode, Features, Show
from unseen.studies.protocol_table import RunPlace
from unseen.training.feed import Prefetcher
from unseen.vocabulary.cores import cores
from unseen.vocabulary.world import World
from unseen.worlds.cache_folder import cache_folder

FOLDER = "features"


def features_home() -> Path:
    """The folder of all features: below the cache, so that studies share them."""
    return cache_folder() / FOLDER


def features_of(
    model: Mapping[str, Any], what: str, world: World, precision: str, names: Mapping[str, str]
) -> Features:
    """What a model makes of a world: ``model`` is all that decides its numbers, ``what`` of them is kept ("features",
    "scores")."""
    told = {"model": dict(model), "what": what, "world": world.fingerprint, "precision": precision}
    return Features(features_home(), {**told, "names": {**names, "world": world.name}})


def ahead(world: World, device: torch.device) -> Show:
    """Pictures drawn or read ahead by a thread while the model looks at those before."""

    def show(batches: Sequence[np.ndarray]) -> Iterator[Tensor]:
        coming = Prefetcher(world.images, iter(batches), device, drawn=bool(getattr(world, "drawn", False)))
        try:
            for _ in batches:
                yield next(coming)
        finally:
            coming.close()

    return show


def keep_features(features: Features, world: World, rows: np.ndarray, encode: Encode, where: RunPlace) -> int:
    """Compute what is missing of these rows, with all cores of a CPU; gives how many were."""
    what = f"{features.told['what']} of {dict(features.told['names']).get('model', 'the model')}"
    before = torch.get_num_threads()
    if where.device.type == "cpu":
        torch.set_num_threads(max(before, cores()))
    try:
        return features.add(
            rows,
            ahead(world, where.device),
            encode,
            device=where.device,
            precision=where.precision,
            progress=lambda done, total: where.progress(what, done, total),
        )
    finally:
        torch.set_num_threads(before)
