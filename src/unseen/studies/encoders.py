"""Trials that learn without labels first: an encoder by an objective, then a readout of its frozen latents.

The readout sees latents only, computed once. What is recorded is the whole: pictures in, factors out.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unseen.models import ENCODERS, Seeing, build_encoder, build_readout, with_encoder
from unseen.models.encoders import LATENTS
from unseen.models.factories import factory_of
from unseen.recordings.latents import latents_of
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.training import Learner, Pictures, Trained, train
from unseen.training.encoding import EncodingLearner
from unseen.training.objectives import OBJECTIVES, check_settings
from unseen.training.pairs import PairGrid, pair_grid
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.grids import inline
from unseen.vocabulary.idle import SUPERVISED
from unseen.vocabulary.plain_numbers import is_whole
from unseen.vocabulary.recipe import NetworkSection, Recipe, TrainingSection
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import seed_of, stream
from unseen.vocabulary.stems import STANDARD

UNUSED = ("sharing", "stem", "as_released", "checkpoint", "pretrained", "frozen")  # of [network]: not looked at here
CHUNK = 4096  # pictures encoded at a time
MOST_LATENTS = 10_000  # rows whose latents are kept (ours)


def learns_without_labels(trial: Trial) -> bool:
    return trial.recipe.training.objective != SUPERVISED


def check_objective(trial: Trial) -> None:
    """An objective must exist, go with its encoder and be told nothing it cannot follow; labels train no encoder."""
    recipe = trial.recipe
    name, backbone = recipe.training.objective, recipe.network.backbone
    if name == SUPERVISED:
        _check_labelled(backbone)
        _check_no_arguments(recipe)
        return
    if name not in OBJECTIVES:
        raise unknown("objective", name, [SUPERVISED, *OBJECTIVES], where="training.objective")
    wanted = OBJECTIVES[name].encoder
    if backbone != wanted:
        raise UnseenError(
            f"training.objective = '{name}' trains the encoder '{wanted}', and network.backbone = '{backbone}' was "
            f"given; set network.backbone = '{wanted}'."
        )
    check_settings(name, recipe.training.objective_arguments)
    _check_unused(recipe)
    _check_readout(recipe)


def _check_labelled(name: str) -> None:
    """An encoder cannot be trained by labels."""
    if name in ENCODERS and factory_of(name) is None:  # a package may give the name to a network of its own
        *others, last = (repr(key) for key, objective in OBJECTIVES.items() if objective.encoder == name)
        possible = f"{', '.join(others)} or {last}" if others else last
        raise UnseenError(
            f"network.backbone = '{name}' is an encoder that learns without labels, and training.objective = "
            f"'{SUPERVISED}' (the default) learns by them; set training.objective = {possible}."
        )


def _check_no_arguments(recipe: Recipe) -> None:
    """Labels have no settings; those of an objective beside them were meant for an encoder."""
    if given := recipe.training.objective_arguments:
        knowing = [name for name, one in OBJECTIVES.items() if set(given) <= set(one.settings)]
        raise UnseenError(
            f"training.objective_arguments = {inline(given)} does nothing where training.objective = '{SUPERVISED}' "
            f"(the default), which has no settings; leave it out, put it into a grid of encoders alone, or set "
            f"training.objective ({listed(knowing or OBJECTIVES)})."
        )


def _check_unused(recipe: Recipe) -> None:
    """Settings of labelled networks that encoders do not look at: a trial may not be named by what it did not do."""
    network, training = recipe.network, recipe.training
    alone = "leave it out, or put it into a grid of the other networks alone"
    found = {}
    for key in UNUSED:
        default = NetworkSection.model_fields[key].default
        if (value := getattr(network, key)) != default and (key, value) != ("stem", STANDARD):  # of older recipes
            found[f"network.{key}"] = value, f"it has one form and starts from fresh weights; {alone}"
    if training.normalise != "none":
        found["training.normalise"] = training.normalise, 'it takes images in [0, 1]; set training.normalise = "none"'
    if training.loss_weights:
        found["training.loss_weights"] = training.loss_weights, "it has no targets; give readout.loss_weights instead"
    if training.compile:
        found["training.compile"] = True, f"its step is not compiled; {alone}"
    for key, (value, why) in found.items():
        raise UnseenError(
            f"{key} = {json.dumps(value)} does nothing to the encoder '{network.backbone}' of training.objective = "
            f"'{training.objective}': {why}."
        )


def _check_readout(recipe: Recipe) -> None:
    """Keys of ``[training]`` that mean nothing in ``[readout]``: it sees latents, has targets, and runs as one step of
    its trial."""
    readout, latents = recipe.readout, "a readout sees latents, not images"
    found = {}
    for key, why in (
        ("augment", f"{latents}; give training.augment, or leave it out"),
        ("normalise", f"{latents}; leave it out"),
        ("objective", "a readout learns by labels; the encoder's is training.objective"),
        ("objective_arguments", "a readout learns by labels; the encoder's are training.objective_arguments"),
        ("threads", "a trial has as many as training.threads says; set that"),
    ):
        if (value := getattr(readout, key)) != TrainingSection.model_fields[key].default:
            found[key] = value, why
    if readout.precision == "bf16":
        found["precision"] = "bf16", "a readout is trained in float32; leave it out"
    for key, (value, why) in found.items():
        raise UnseenError(f"readout.{key} = {inline(value)} does nothing: {why}.")


def whole_network(study: Study, trial: Trial, encoder: torch.nn.Module | None = None) -> Seeing:
    """Encoder and readout with their first weights, as one network from pictures to targets."""
    encoder = _encoder(study, trial) if encoder is None else encoder
    readout = build_readout(_outputs(study, trial), latents=_latents(encoder), seed=_seed(trial))
    return Seeing(with_encoder(encoder, readout), normalise="none", channels=trial.recipe.network.channels)


def encoding_learner(
    study: Study, trial: Trial, train_on: Pictures, ask: Pictures, device: torch.device, precision: str
) -> EncodingLearner:
    check_objective(trial)
    recipe = trial.recipe
    encoder = _encoder(study, trial)
    seeing = Seeing(encoder, normalise="none", channels=recipe.network.channels).to(device)
    check_pairs(trial, study.world(trial).samples)
    pairs = OBJECTIVES[recipe.training.objective].pairs
    grid = _grid(study.world(trial).samples, train_on.rows, device) if pairs else None
    return EncodingLearner(
        encoder, recipe.training.objective, seeing.prepare, train_on, ask, recipe.training,
        grid=grid, options=recipe.training.objective_arguments, seed=trial.seed, device=device, precision=precision,
    )  # fmt: skip


def read_out(study: Study, trial: Trial, learner: EncodingLearner, encoded: Trained) -> Trained:
    """Train the readout on the latents of a trained encoder and put the two together."""
    recipe, device = trial.recipe, learner.device
    encoder, targets = encoded.network, study.targets(trial)

    def latents(source: Pictures) -> Pictures:
        """The same rows and labels, with latents in place of pictures."""
        parts = []
        with torch.no_grad():
            for start in range(0, len(source), CHUNK):
                images = source.tested(start, start + CHUNK, str(device))
                parts.append(encoder(learner.prepare(images.to(device))).float())
        return replace(source, held=torch.cat(parts), slots=None, fresh=None)

    readout = build_readout(_outputs(study, trial), latents=_latents(encoder), seed=_seed(trial))
    reading = Learner(
        readout, tuple(t.name for t in targets), latents(learner.train), latents(learner.validation), recipe.readout,
        seed=seed_of(trial.seed, "readout"), device=device, precision="float32",
        tolerances=tolerances(targets) if recipe.task == "regression" else None,
    )  # fmt: skip
    read = train([reading])[0]
    network = Seeing(with_encoder(encoder, read.network), normalise="none", channels=recipe.network.channels)  # type: ignore[arg-type]
    flags = {**{f"encoder {name}": why for name, why in encoded.flags.items()}, **read.flags}
    return Trained(
        network.to(device), read.curve, read.best_epoch, flags, encoded.seconds + read.seconds, encoded.search
    )


def latents_recorded(study: Study, trial: Trial, network: Any, device: torch.device) -> dict[str, np.ndarray]:
    """Mean latents ``codes`` [n, latents] of training rows drawn by chance, and the ``levels`` [n, targets] they show;
    nothing for a network without an encoder. In the order of the draw, so that the first k are a fair draw too."""
    if not learns_without_labels(trial):
        return {}
    samples, names = study.world(trial).samples, [target.factor for target in study.targets(trial)]
    rows = study.split(trial).rows(samples, "train")
    rows = stream(trial.seed, "recordings", "latents").permutation(rows)[:MOST_LATENTS]
    encoder = network.layer("latents")

    def encode(images: Tensor) -> Tensor:
        return encoder(network.prepare(images))

    codes = latents_of(encode, study.world(trial).images, rows, device=device)
    return {"codes": codes, "levels": np.ascontiguousarray(samples.cells(rows, names), np.int32)}


def tolerances(targets: Any) -> list[float]:
    """Half the distance between neighbouring levels: nearer than that is the right level."""
    return [0.5 / max(len(target.classes) - 1, 1) for target in targets]


def _encoder(study: Study, trial: Trial) -> torch.nn.Module:
    network = trial.recipe.network
    given = network.arguments
    for key in given:
        if key != "latents":
            raise unknown("argument", key, ["latents"], where=f"network.arguments (encoder '{network.backbone}')")
    if not is_whole(wanted := given.get("latents", LATENTS)):
        raise UnseenError(f"network.arguments: latents = {inline(wanted)}; it is a whole number of at least one.")
    return build_encoder(
        network.backbone, channels=network.channels, input_size=study.world(trial).size, seed=_seed(trial), **given
    )


def _latents(encoder: torch.nn.Module) -> int:
    return int(encoder.latents)  # type: ignore[arg-type]


def _outputs(study: Study, trial: Trial) -> dict[str, int]:
    return {target.name: target.outputs for target in study.targets(trial)}


def _seed(trial: Trial) -> int:
    return seed_of(trial.seed, "training", "weights")


def check_pairs(trial: Trial, samples: Samples) -> None:
    """Pairs need a world that is one whole grid, so that a row's number says its levels."""
    block, name = samples.blocks[0], trial.recipe.training.objective
    if OBJECTIVES[name].pairs and (len(samples.blocks) != 1 or block.instances != 1 or block.cells is not None):
        raise UnseenError(
            f"training.objective = '{name}' learns from pairs of images, which are drawn in worlds that are one whole "
            f"grid (dsprites, shapes3d, mpi3d), and '{trial.recipe.world.name}' is not."
        )


def _grid(samples: Samples, rows: np.ndarray, device: torch.device) -> PairGrid:
    block = samples.blocks[0]
    factors = [samples.space[name] for name in block.grid]
    kinds = [place for place, factor in enumerate(factors) if factor.kind in ("category", "nominal", "instance")]
    return pair_grid([len(factor) for factor in factors], rows, device=device, categories=kinds)
