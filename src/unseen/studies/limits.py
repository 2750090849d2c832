"""Settings that are possible one by one and yet cannot be meant: said twice, against each other, or beyond any machine.

The bounds are ours and generous. What a recipe once could say is refused only where it is about to run: results that
exist are still read.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from unseen.studies.protocol_table import protocol_of
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.protocol_names import PROBE, READOUT

if TYPE_CHECKING:
    from unseen.studies.trials import Trial
    from unseen.vocabulary.recipe import Recipe
    from unseen.vocabulary.sections import TrainingSection
    from unseen.vocabulary.target import Target

THREADS = 1024
STEPS = 50_000_000  # of one training: years on any machine
RATE = 1e6  # of learning, and of weight decay
SIDE = 8192  # pixels of an image
BATCH = 100 * 2**30  # bytes that one batch takes as it enters the network
TRIED = 10_000  # strengths of one transformation


def check_named(recipe: Recipe) -> None:
    """Seeds from 0, and nothing said twice: the second would be the first again, and count for nothing."""
    own = (recipe.design.seed, recipe.calibration.seed, recipe.pretraining.seed)
    negative = [seed for seed in (*recipe.seeds, *own) if seed < 0]
    if negative:
        keys = "seeds, design.seed, calibration.seed and pretraining.seed"
        raise UnseenError(f"{keys} go from 0; {listed(negative)} was given.")
    lists = {"seeds": recipe.seeds, "targets": recipe.targets, "recordings.sets": recipe.recordings.sets}
    if not isinstance(recipe.recordings.layers, str):
        lists["recordings.layers"] = recipe.recordings.layers
    for key, values in lists.items():
        twice = [value for value, count in Counter(values).items() if count > 1]
        if twice:
            raise UnseenError(f"{key} names {listed(twice)} more than once; name each once.")
    if recipe.calibration.most > TRIED:
        raise UnseenError(
            f"calibration.most = {recipe.calibration.most:,} strengths to try; possible: at most {TRIED:,}."
        )


def check_training(trial: Trial, targets: Sequence[Target], images: int) -> None:
    """The sections by which a trial trains, on so many images: ``[training]``, and ``[readout]`` where it has one."""
    sections = {name: getattr(trial.recipe, name) for name in protocol_of(trial.recipe).sections}
    for where, section in sections.items():
        _check_weights(where, section, [target.name for target in targets])
        check_steps_and_rates(where, section, images)
        if section.layer_decay != 1 and trial.recipe.protocol_name in (PROBE, READOUT):
            raise UnseenError(
                f"{where}.layer_decay = {section.layer_decay:g} does nothing where protocol = "
                f"'{trial.recipe.protocol_name}': it goes by the layers of a network whose weights all learn. Leave it "
                'out, or set protocol = "finetune".'
            )


def check_steps_and_rates(where: str, section: TrainingSection, images: int) -> None:
    """How long, how fast and on how many threads a section of a recipe trains, on so many images."""
    _check_length(where, section, images)
    for key, rate in (("lr", section.lr), ("weight_decay", section.weight_decay)):
        if rate > RATE:
            raise UnseenError(f"{where}.{key} = {rate:g} is too large for any network to learn; {RATE:g} at most.")
    if section.threads > THREADS:
        raise UnseenError(
            f"{where}.threads = {section.threads:,}; possible: 1 to {THREADS:,}. A trial is quickest with as many "
            "as the machine has cores, or fewer."
        )


def _check_weights(where: str, section: TrainingSection, targets: Sequence[str]) -> None:
    """Weights of losses are for targets, not below 0, and not all 0: nothing would be learned."""
    for name, weight in section.loss_weights.items():
        if name not in targets:
            raise unknown("target", name, targets, where=f"{where}.loss_weights")
        if weight < 0:
            raise UnseenError(
                f"{where}.loss_weights.{name} = {weight:g}: a weight below 0 would teach wrong answers; 0 leaves the "
                "target out of the loss."
            )
    if not any(section.loss_weights.get(name, 1.0) for name in targets):
        raise UnseenError(f"{where}.loss_weights are 0 for all targets ({listed(targets)}): nothing would be learned.")


def _check_length(where: str, section: TrainingSection, images: int) -> None:
    steps = section.epochs * (images // min(section.batch, images))
    if steps > STEPS:
        raise UnseenError(
            f"{where}.epochs = {section.epochs:,} makes {steps:,} steps of {min(section.batch, images):,} images; "
            f"{STEPS:,} at most. Train for fewer epochs, or in larger batches."
        )
    if section.warmup > section.epochs:
        raise UnseenError(
            f"{where}.warmup = {section.warmup:g} epochs is longer than the {section.epochs} epochs of training, which "
            "would end before the learning rate is reached; warm up for fewer."
        )


def check_images(trial: Trial, size: tuple[int, int], images: int) -> None:
    """One batch of so many training images must fit into some machine's memory."""
    height, width = size
    batch = min(trial.recipe.training.batch, images)
    if max(size) > SIDE:
        raise UnseenError(
            f"images of {height:,}×{width:,} are too large; {SIDE:,} pixels a side at most. Make them smaller in "
            "[world]."
        )
    needed = 4 * batch * trial.recipe.network.channels * math.prod(size)
    if needed > BATCH:
        raise UnseenError(
            f"a batch of {batch:,} images of {height:,}×{width:,} takes {needed / 2**30:,.0f} GiB before the network "
            "has seen it. Lower training.batch, or make the images smaller in [world]."
        )
