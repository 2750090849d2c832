"""The heads alone learn by labels, on features of a network that keeps its weights; a head is one Linear layer.

The backbone is in evaluation mode, its normalisation with it, so a picture has one vector of features: those of the
training and validation rows are computed once, and the heads are trained on them. What changes pictures at every visit
(``training.augment``, noise that is drawn anew) changes features too: then pictures go through the network in every
epoch. Either way the steps are the same, but for rounding.

With ``training.optimiser = "lbfgs"`` no steps are taken: :mod:`~unseen.studies.protocols.probes_together`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from unseen.studies.protocol_table import LearnerData, Protocol
from unseen.studies.protocols.frozen import digest_of, probe_network
from unseen.studies.protocols.labelled import (
    check_labels,
    checkpoint_name,
    labelled_tried,
    learner_for,
    pretraining_words,
    tolerances,
)
from unseen.studies.protocols.probes_together import TOGETHER, check_fit, takes
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError

if TYPE_CHECKING:
    from torch import Tensor

    from unseen.models import Network, Preprocessed
    from unseen.training import LabelledData, Learner


def check(trial: Trial) -> None:
    network = trial.recipe.network
    if not (network.model or takes(trial.recipe)):
        check_labels(trial)
    else:
        check_fit(trial)
    if network.model and not takes(trial.recipe):
        raise UnseenError(
            f"protocol = 'probe' on network.model = '{network.model}' fits its heads together; set "
            'training.optimiser = "lbfgs".'
        )
    if not network.model and not trial.recipe.start and not network.frozen:
        raise UnseenError(
            "protocol = 'probe' trains the heads on features of weights that are there, and none are given; set "
            'network.pretrained = true or network.checkpoint = "FILE", give it a [pretraining.world], or set '
            'protocol = "scratch" to train all weights. '
            "If features of random weights are meant, say so by network.frozen = true."
        )


def why_not_once(study: Study, trial: Trial) -> str:
    """What changes the features of a picture from visit to visit; nothing where they can be computed once."""
    if trial.recipe.training.augment:
        return "training.augment"
    world: Any = study.world(trial)
    fresh = getattr(world, "fresh", None)
    if fresh is not None and fresh(study.split(trial).rows(world.samples, "train")).any():
        return "noise"
    return ""


def once(study: Study, trial: Trial) -> bool:
    return not why_not_once(study, trial)


def words(study: Study, trial: Trial) -> str:
    recipe = trial.recipe
    if recipe.network.model:
        return "probes on its features, fitted together"
    told = {"pretrained": "pretrained features", "": "features of random weights"}
    told["pretraining"] = f"features of {pretraining_words(recipe)}"
    features = told[recipe.start] if recipe.start in told else f"features of {checkpoint_name(recipe)}"
    if takes(recipe):
        return f"probes on {features}, fitted together"
    why = why_not_once(study, trial)
    how = f"computed in every epoch, since {why} changes images at every visit" if why else "computed once"
    return f"probe on {features}, {how}"


def learner(study: Study, trial: Trial, brought: LearnerData) -> Learner:
    """The heads on features that are computed here; the whole network on pictures where features change, or do not fit
    in half of the device's free memory."""
    from unseen.models import Heads
    from unseen.training.features import HeadsLearner
    from unseen.training.learner import laid_out

    whole = probe_network(study, trial)
    network: Any = whole.network
    if trial.recipe.training.augment or brought.train.fresh is not None or not _fit(network, brought):
        return learner_for(whole, study, trial, brought)
    whole, started = laid_out(whole, brought.device).eval(), time.perf_counter()
    train, validation = (_features(whole, trial, rows, brought) for rows in (brought.train, brought.validation))
    return HeadsLearner(
        Heads(network), whole, tuple(target.name for target in study.targets(trial)), train, validation,
        trial.recipe.training, seed=trial.seed, device=brought.device, precision=brought.precision,
        tolerances=tolerances(study, trial), spent=time.perf_counter() - started,
    )  # fmt: skip


def _fit(network: Network, brought: LearnerData) -> bool:
    from unseen.training.feed import fits

    rows = len(brought.train) + len(brought.validation)
    return fits(rows, 4 * network.description["features"] * max(1, len(network.branches)), brought.device)


def _features(whole: Preprocessed, trial: Trial, rows: LabelledData, brought: LearnerData) -> LabelledData:
    """Features in place of pictures; networks of a pack that see the same, with the same weights, share them."""
    from unseen.training.features import encoded

    network: Any = whole.network
    recipe = trial.recipe
    key = (rows, recipe.network.model_dump_json(), recipe.training.normalise, brought.precision, digest_of(network))
    if key not in brought.held:

        def encode(images: Tensor) -> Tensor:
            return network.features(whole.prepare(images))

        brought.held[key] = encoded(rows, encode, brought.device, precision=brought.precision)
    return brought.held[key]


def tried(study: Study, trial: Trial, alone: bool) -> Network:
    """Batch normalisation does not learn here, so that one image at a time is enough."""
    return labelled_tried(study, trial, False)


PROTOCOL = Protocol(
    "probe", "the heads learn (a Linear layer each), on features of weights that are kept",
    check=check, network=probe_network, learner=learner, words=words, tried=tried, once=once,
    together=TOGETHER,
)  # fmt: skip
