"""An encoder learns without labels, by an objective; then a readout of its frozen latents learns by them.

The readout sees latents only, computed once. What is recorded is the whole: pictures in, factors out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.studies.protocol_table import LearnerData, Protocol
from unseen.studies.protocols.labelled import tolerances
from unseen.studies.protocols.readout_checks import check
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.grids import inline
from unseen.vocabulary.plain_numbers import is_whole
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import seed_of

if TYPE_CHECKING:
    import torch

    from unseen.models import Network, Preprocessed
    from unseen.training import LabelledData, Learner, Trained
    from unseen.training.pairs import PairGrid

CHUNK = 4096  # pictures encoded at a time


def whole_network(study: Study, trial: Trial) -> Preprocessed:
    """Encoder and readout with their first weights, as one network from pictures to targets."""
    encoder = _encoder(study, trial)
    return _whole(trial, encoder, _readout(study, trial, encoder))


def tried(study: Study, trial: Trial, alone: bool) -> Preprocessed:
    """Encoders have no normalisation, so that one image at a time is enough."""
    from unseen.models import without_numbers

    check_pairs(trial, study.world(trial).samples)
    return without_numbers(lambda: whole_network(study, trial), trial.recipe.network.backbone)


def encoding_learner(study: Study, trial: Trial, brought: LearnerData) -> Learner:
    from unseen.models import Preprocessed
    from unseen.training.encoding import EncodingLearner
    from unseen.training.objectives import OBJECTIVES

    recipe, samples = trial.recipe, study.world(trial).samples
    encoder = _encoder(study, trial)
    whole = Preprocessed(encoder, normalise="none", channels=recipe.network.channels).to(brought.device)
    check_pairs(trial, samples)
    pairs = OBJECTIVES[recipe.training.objective].pairs
    grid = _grid(samples, brought.train.rows, brought.device) if pairs else None
    return EncodingLearner(
        encoder, recipe.training.objective, whole.prepare, brought.train, brought.validation, recipe.training,
        grid=grid, options=recipe.training.objective_arguments, seed=trial.seed, device=brought.device,
        precision=brought.precision,
    )  # fmt: skip


def read_out(study: Study, trial: Trial, learner: Any, trained: Trained) -> Trained:
    """Train the readout on the latents of a trained encoder and put the two together."""
    from unseen.training import Learner, Trained, train
    from unseen.training.features import encoded

    encoder: Any = trained.network
    device = learner.device

    def latents(source: LabelledData) -> LabelledData:
        return encoded(source, lambda images: encoder(learner.prepare(images)), device, chunk=CHUNK)

    reading = Learner(
        _readout(study, trial, encoder), tuple(target.name for target in study.targets(trial)),
        latents(learner.train), latents(learner.validation), trial.recipe.readout,
        seed=seed_of(trial.seed, "readout"), device=device, precision="float32", tolerances=tolerances(study, trial),
    )  # fmt: skip
    read = train([reading])[0]
    network: Any = read.network
    flags = {**{f"encoder {name}": why for name, why in trained.flags.items()}, **read.flags}
    return Trained(
        _whole(trial, encoder, network).to(device), read.curve, read.best_epoch, flags,
        trained.seconds + read.seconds, trained.search,
    )  # fmt: skip


def words(study: Study, trial: Trial) -> str:
    return f"learns without labels ({trial.recipe.training.objective}), then its latents are read out by labels"


def check_pairs(trial: Trial, samples: Samples) -> None:
    """Pairs need a world that is one whole grid, so that a row's number says its levels."""
    from unseen.training.objectives import OBJECTIVES

    block, name = samples.blocks[0], trial.recipe.training.objective
    if OBJECTIVES[name].pairs and (len(samples.blocks) != 1 or block.instances != 1 or block.cells is not None):
        raise UnseenError(
            f"training.objective = '{name}' learns from pairs of images, which are drawn in worlds that are one whole "
            f"grid (dsprites, shapes3d, mpi3d), and '{trial.recipe.world.name}' is not."
        )


def _encoder(study: Study, trial: Trial) -> torch.nn.Module:
    from unseen.models import build_encoder
    from unseen.models.encoders import LATENTS

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


def _readout(study: Study, trial: Trial, encoder: Any) -> Network:
    from unseen.models import build_readout

    outputs = {target.name: target.outputs for target in study.targets(trial)}
    return build_readout(outputs, latents=int(encoder.latents), seed=_seed(trial))


def _whole(trial: Trial, encoder: torch.nn.Module, readout: Network) -> Preprocessed:
    from unseen.models import Preprocessed, with_encoder

    return Preprocessed(with_encoder(encoder, readout), normalise="none", channels=trial.recipe.network.channels)


def _seed(trial: Trial) -> int:
    return seed_of(trial.seed, "training", "weights")


def _grid(samples: Samples, rows: np.ndarray, device: torch.device) -> PairGrid:
    from unseen.training.pairs import pair_grid

    block = samples.blocks[0]
    factors = [samples.space[name] for name in block.grid]
    kinds = [place for place, factor in enumerate(factors) if factor.kind in ("category", "nominal", "instance")]
    return pair_grid([len(factor) for factor in factors], rows, device=device, categories=kinds)


PROTOCOL = Protocol(
    "readout", "an encoder learns without labels (training.objective), then its latents are read out ([readout])",
    check=check, network=whole_network, learner=encoding_learner, finish=read_out, words=words, tried=tried,
    sections=("training", "readout"), latents=True,
)  # fmt: skip
