"""How long a study would take: from its finished trials, or from a few steps of each kind of network."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from unseen.engines.local import PACK, find_device
from unseen.studies.strengths import possible_strengths
from unseen.studies.study import Study
from unseen.vocabulary.cores import cores

STEPS = 2
FORWARD = 3  # a step forward and back costs about three looks


@dataclass(frozen=True)
class Estimate:
    seconds: float
    images: int
    networks: int
    device: str
    how: str


def estimate(study: Study, device: str) -> Estimate:
    """Seconds for what is missing. Each distinct network trains on a few small batches; nothing is kept."""
    import torch

    place = find_device(device)
    todo = study.missing(place.type)
    rates: dict[str, float] = {}
    seconds, images = 0.0, 0
    for trial in todo:
        key = trial.recipe.network.model_dump_json()
        if key not in rates:
            rates[key] = _images_per_second(study, trial, place)
        split, samples = study.split(trial), study.world(trial).samples
        n = _images(trial, split.count(samples, "train"))
        looked = split.count(samples, "validation") * trial.recipe.training.epochs if "validation" in split.sets else 0
        looked += sum(split.count(samples, name) for name in {*study.asked(trial), "probe"})
        images += n
        seconds += (n + looked / FORWARD) / rates[key]
    before, more = _calibrations(study, place, rates)
    images += more
    side = max(1, cores() // study.recipe.training.threads) if place.type == "cpu" else PACK / 2
    how = f"timed on {STEPS} small steps of each network" if rates else "nothing is left to run"
    seconds = before + seconds / min(side, max(1, len(todo)))
    return Estimate(seconds, images, len(todo), torch.device(place).type, how)


def _calibrations(study: Study, device: Any, rates: dict[str, float]) -> tuple[float, int]:
    """Seconds and images of training of the calibrations to do, one after the other, should every step be needed."""
    seconds, images = 0.0, 0
    for name, needed in study.calibrations.items():
        if study.store.calibration(name) is not None:
            continue
        trial, section = needed.trial, needed.section
        key = trial.recipe.network.model_dump_json()
        if key not in rates:
            rates[key] = _images_per_second(study, trial, device)
        split, samples = study.split(trial), study.world(trial).samples
        n = _images(trial, split.count(samples, "train"))
        looked = split.count(samples, "validation") * trial.recipe.training.epochs if "validation" in split.sets else 0
        tried = sum(len(possible_strengths(level, step, section.most)) for level, step in section.steps.items())
        looked += min(section.images, split.count(samples, "plain")) * (1 + tried)
        images += n
        seconds += (n + looked / FORWARD) / rates[key]
    return seconds, images


def _images(trial: Any, rows: int) -> int:
    """Images that training sees: of each epoch, and of each pair that a search tries on all but the share it asks."""
    from unseen.studies.search import is_wanted, pairs_to_try

    recipe = trial.recipe
    tries = len(pairs_to_try(recipe)) * (1 - recipe.search.share) if is_wanted(recipe) else 0
    return round(rows * recipe.training.epochs * (1 + tries))


def _images_per_second(study: Study, trial: Any, device: Any) -> float:
    import torch

    from unseen.studies.learners import network_of
    from unseen.training import avoid_narrow_strides

    threads = torch.get_num_threads()
    if device.type == "cpu":
        torch.set_num_threads(trial.recipe.training.threads)
    try:
        world = study.world(trial)
        network = network_of(study, trial).to(device)
        if device.type == "cpu":
            avoid_narrow_strides(network)
        batch = min(32 if device.type == "cpu" else 256, trial.recipe.training.batch)
        images = torch.randint(0, 256, (batch, world.channels, *world.size), dtype=torch.uint8, device=device)
        spans = []
        for _ in range(STEPS + 1):
            started = time.perf_counter()
            torch.stack([output.sum() for output in network(images).values()]).sum().backward()
            if device.type == "cuda":
                torch.cuda.synchronize()
            spans.append(time.perf_counter() - started)
        return batch / float(np.median(spans[1:]))
    finally:
        torch.set_num_threads(threads)
