"""How long a study would take: from its finished trials where they are alike, or from a few steps of each kind of
network."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from unseen.engines.local import PACK, find_device
from unseen.studies.encoders import Encoder
from unseen.studies.missing_trials import kept_of
from unseen.studies.needed import encoders_to_make
from unseen.studies.protocol_table import RunPlace, protocol_of
from unseen.studies.strengths import possible_strengths
from unseen.studies.study import Study
from unseen.studies.together import goes_together
from unseen.studies.trials import precisions, without_encoder
from unseen.vocabulary.cores import cores
from unseen.vocabulary.errors import UnseenError

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
    """Seconds for what is missing. A network that finished trials of this store had on this kind of device takes what
    it took there; each other one trains on a few small batches, of which nothing is kept."""
    import torch

    place = find_device(device)
    todo = study.missing(place.type)
    side = max(1, cores() // study.recipe.training.threads) if place.type == "cpu" else PACK / 2
    side = min(side, max(1, len(todo)))
    timed, rates = finished_rates(study, place.type), dict[str, float]()
    shared = side if place.type == "cpu" else 1  # what a pack took is shared out among its trials already
    seconds, images = 0.0, 0
    kept = {id(trial) for trial in todo if kept_of(study, trial, place.type) is not None}
    jointly = [trial for trial in todo if goes_together(trial)]
    for trial in todo:
        if goes_together(trial):
            continue
        key, (n, looked) = _key(study, trial), (0, 0) if id(trial) in kept else _looks(study, trial)
        images += n
        looked += _asked(study, trial)
        if key not in timed and key not in rates:
            rates[key] = _images_per_second(study, trial, place)
        by_steps = key not in timed
        seconds += (n + looked / FORWARD) / (rates[key] * side if by_steps else timed[key] * shared)
    seconds += _together(study, jointly, place, rates)
    known = len({_key(study, trial) for trial in todo} & set(timed))
    before, more = _calibrations(study, place, rates)
    learned, seen = _encoders(study, place)
    before, more = before + learned, more + seen
    return Estimate(before + seconds, images + more, len(todo), torch.device(place).type, _how(known, len(rates)))


def _together(study: Study, trials: list[Any], device: Any, rates: dict[str, float]) -> float:
    """Seconds for what models make of pictures, each once for all trials that ask for it. Fitting probes is not
    counted: it takes little beside."""
    rows: dict[str, int] = {}
    for trial in trials:
        key = _key(study, trial)
        looked = _asked(study, trial) + (sum(_looks(study, trial)) if protocol_of(trial.recipe).trains else 0)
        rows[key] = max(rows.get(key, 0), looked)
        if key not in rates:
            rates[key] = _encoded_per_second(study, trial, device)
    return sum(count / rates[key] for key, count in rows.items())


def _how(known: int, stepped: int) -> str:
    steps = f"timed on {STEPS} small steps of each network"
    if known and stepped:
        return f"by the finished trials here; other networks {steps}"
    return "by the finished trials here" if known else steps if stepped else "nothing is left to run"


def finished_rates(study: Study, device: str) -> dict[str, float]:
    """Images a second of each network, by the trials of this store that were trained on this kind of device; looks
    count as in :func:`estimate`. Of a pack each has its share of the time. Records that cannot be read tell nothing."""
    found: dict[str, list[float]] = {}
    for trial in study.trials:
        name = None if goes_together(trial) else study.find(trial, device)
        if name is None:
            continue
        try:
            facts = study.store.read(name)
            if not str(facts["machine"]["device"]).startswith(f"{device}:"):
                continue
            each = facts["sets"]["train"] + facts["sets"].get("validation", 0) / FORWARD
            seen = (1 if protocol_of(trial.recipe).once(study, trial) else len(facts["curve"])) * each
            spent = float(facts["seconds_together"]) / int(facts["packed"])
        except (UnseenError, AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError):
            continue
        if seen > 0 and spent > 0:
            found.setdefault(_key(study, trial), []).append(seen / spent)
    return {key: float(np.median(rates)) for key, rates in found.items()}


def _key(study: Study, trial: Any) -> str:
    """What a rate belongs to: a network, what it learns by, and the size of its pictures."""
    recipe = trial.recipe
    learns = f"{recipe.protocol_name} {recipe.training.objective}"
    return f"{recipe.network.model_dump_json()} {learns} {study.world(trial).size}"


def _looks(study: Study, trial: Any) -> tuple[int, int]:
    """Images that training sees, and that validation asks."""
    split, samples = study.split(trial), study.world(trial).samples
    once = protocol_of(trial.recipe).once(study, trial)
    epochs = 1 if once else trial.recipe.training.epochs
    asked = split.count(samples, "validation") * epochs if "validation" in split.sets else 0
    return _images(trial, split.count(samples, "train"), once), asked


def _asked(study: Study, trial: Any) -> int:
    """Images that a trained network is asked or recorded on; a design of one's own need not have a probe."""
    split, samples = study.split(trial), study.world(trial).samples
    return sum(split.count(samples, name) for name in {*study.asked(trial), "probe"} & set(split.sets))


def _calibrations(study: Study, device: Any, rates: dict[str, float]) -> tuple[float, int]:
    """Seconds and images of training of the calibrations to do, one after the other, should every step be needed."""
    seconds, images = 0.0, 0
    for name, needed in study.calibrations.items():
        if study.store.calibration(name) is not None:
            continue
        trial, section = needed.trial, needed.section
        key = _key(study, trial)
        if key not in rates:
            rates[key] = _images_per_second(study, trial, device)
        split, samples = study.split(trial), study.world(trial).samples
        n, looked = _looks(study, trial)
        tried = sum(len(possible_strengths(level, step, section.most)) for level, step in section.steps.items())
        looked += min(section.images, split.count(samples, "plain")) * (1 + tried)
        images += n
        seconds += (n + looked / FORWARD) / rates[key]
    return seconds, images


def _encoders(study: Study, device: Any) -> tuple[float, int]:
    """Seconds and images of the encoders to make, one after the other, by two small steps of each kind."""
    from unseen.studies.pretraining import rows_for

    rates: dict[str, float] = {}
    seconds, images = 0.0, 0
    for needed in encoders_to_make(study, device.type):
        section, network = needed.trial.recipe.pretraining, needed.trial.recipe.network
        world = study.learned_world(needed.trial)
        key = f"{section.objective} {section.objective_arguments} {network.model_dump_json()} {world.size}"
        if key not in rates:
            rates[key] = _pretraining_rate(study, needed, device)
        n = len(rows_for(world.samples, needed.trial).train) * section.epochs
        images, seconds = images + n, seconds + n / rates[key]
    return seconds, images


def _pretraining_rate(study: Study, needed: Encoder, device: Any) -> float:
    """Images a second of an encoder in training."""
    import torch

    from unseen.studies.pretraining import build_pretext
    from unseen.studies.protocols.labelled import first_network
    from unseen.training import laid_out
    from unseen.training.pretexts import PretextBatch

    threads, section = torch.get_num_threads(), needed.trial.recipe.pretraining
    if device.type == "cpu":
        torch.set_num_threads(section.threads)
    try:
        world = study.learned_world(needed.trial)
        network = first_network(needed.trial, world.size)
        pretext = laid_out(build_pretext(needed.trial, network, world), device)
        batch = min(32 if device.type == "cpu" else 256, max(2, section.batch))
        channels = needed.trial.recipe.network.channels
        images = torch.randint(0, 256, (batch, channels, *world.size), dtype=torch.uint8, device=device)
        rows, zero = torch.arange(batch, device=device), torch.zeros((), dtype=torch.long, device=device)
        levels = torch.zeros(batch, len(world.samples.space.factors), dtype=torch.long, device=device)

        def step() -> None:
            asked = PretextBatch(images, rows, levels, zero, zero.float(), 0, lambda seen: seen.float() / 255, True)
            pretext.loss(asked).loss.mean().backward()

        return batch / _seconds(step, device)
    finally:
        torch.set_num_threads(threads)


def _seconds(step: Callable[[], None], device: Any) -> float:
    """How long one step takes: the median of a few, after one that is not counted."""
    import torch

    spans = []
    for _ in range(STEPS + 1):
        started = time.perf_counter()
        step()
        if device.type == "cuda":
            torch.cuda.synchronize()
        spans.append(time.perf_counter() - started)
    return float(np.median(spans[1:]))


def _images(trial: Any, rows: int, once: bool) -> int:
    """Images that training sees: of each epoch, and of each pair that a search tries on all but the share it asks.
    Where they are looked at ``once``, all epochs see the same, and so do all pairs, with the share."""
    from unseen.studies.search import is_wanted, pairs_to_try

    recipe = trial.recipe
    if once:
        return rows * (1 + is_wanted(recipe))
    tries = len(pairs_to_try(recipe)) * (1 - recipe.search.share) if is_wanted(recipe) else 0
    return round(rows * recipe.training.epochs * (1 + tries))


def _encoded_per_second(study: Study, trial: Any, device: Any) -> float:
    """Pictures a second that a model makes features or outputs of."""
    import torch

    together, world = protocol_of(trial.recipe).together, study.world(trial)
    assert together is not None
    encode = together.encode(study, without_encoder(trial), RunPlace(device, precisions(trial.recipe, device.type)[0]))
    size = (32 if device.type == "cpu" else 256, world.channels, *world.size)
    images = torch.randint(0, 256, size, dtype=torch.uint8, device=device)

    @torch.inference_mode()
    def step() -> None:
        encode(images).float().cpu()

    return len(images) / max(1e-6, _seconds(step, device))


def _images_per_second(study: Study, trial: Any, device: Any) -> float:
    import torch

    from unseen.studies.learners import network_of
    from unseen.training import laid_out

    threads = torch.get_num_threads()
    if device.type == "cpu":
        torch.set_num_threads(trial.recipe.training.threads)
    try:
        world = study.world(trial)
        network = laid_out(network_of(study, without_encoder(trial)), device)
        batch = min(32 if device.type == "cpu" else 256, trial.recipe.training.batch)
        images = torch.randint(0, 256, (batch, world.channels, *world.size), dtype=torch.uint8, device=device)

        def step() -> None:
            torch.stack([output.sum() for output in network(images).values()]).sum().backward()

        return batch / _seconds(step, device)
    finally:
        torch.set_num_threads(threads)
