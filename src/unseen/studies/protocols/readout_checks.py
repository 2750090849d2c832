"""What a recipe may say of an encoder that learns without labels, and of its readout."""

from __future__ import annotations

import json

from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.grids import inline
from unseen.vocabulary.protocol_names import SUPERVISED
from unseen.vocabulary.recipe import Recipe
from unseen.vocabulary.sections import NetworkSection, TrainingSection
from unseen.vocabulary.stems import STANDARD

UNUSED = ("sharing", "stem", "as_released", "checkpoint", "pretrained", "frozen")  # of [network]: not looked at here


def check(trial: Trial) -> None:
    """An objective must exist, go with its encoder and be told nothing it cannot follow."""
    from unseen.training.objectives import OBJECTIVES, check_settings

    recipe = trial.recipe
    name, backbone = recipe.training.objective, recipe.network.backbone
    if name == SUPERVISED:
        raise UnseenError(
            f"protocol = 'readout' is for an encoder that learned without labels, and training.objective = "
            f"'{SUPERVISED}' (the default) learns by them; set training.objective ({listed(OBJECTIVES)}) and its "
            "encoder as network.backbone (`unseen models` lists them), or leave protocol out."
        )
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
