"""A trial's learner: its network with first weights, and its rows on the device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch

from unseen.models import Preprocessed
from unseen.studies.kept_weights import Unusable
from unseen.studies.protocol_table import LearnerData, protocol_of
from unseen.studies.protocols.labelled import encoder_words
from unseen.studies.search import is_wanted, search
from unseen.studies.study import Study
from unseen.studies.trials import Trial, without_encoder
from unseen.training import LabelledData, Learner, Trained, labelled_data, laid_out
from unseen.training.feed import fits, resident
from unseen.vocabulary.errors import UnseenError


def network_of(study: Study, trial: Trial) -> Preprocessed:
    """A trial's whole network with its first weights."""
    return protocol_of(trial.recipe).network(study, trial)


def with_weights(study: Study, trial: Trial, state: Mapping[str, torch.Tensor], device: torch.device) -> Preprocessed:
    """A trial's network with weights that it learned before, as it stood when it had learned them."""
    network = laid_out(network_of(study, without_encoder(trial)), device)
    if needed := study.encoder(trial):  # told as it was when it learned; nothing of it is looked at
        network.description["weights"] = encoder_words(trial, needed.identity)
    try:
        network.network.load_state_dict(dict(state))
    except RuntimeError as error:
        raise Unusable(f"they do not fit its network ({str(error)[:200]})") from None
    return network.eval()


def learner_of(
    study: Study, trial: Trial, precision: str, device: torch.device, held: dict[Any, LabelledData]
) -> Learner:
    """A trial's learner; ``held`` are the pictures that others brought to the device already."""
    protocol = protocol_of(trial.recipe)
    protocol.check(trial)
    hold = False if protocol.once(study, trial) else None  # pictures that are looked at once need not stay
    world, split, targets = study.world(trial), study.split(trial), study.targets(trial)
    chance: Any = world  # a transformed world: which rows chance decides, and how they look when drawn again

    def rows_of(name: str) -> np.ndarray:
        rows = split.rows(world.samples, name)
        if not len(rows):
            raise UnseenError(f"row set '{name}' is empty: nothing to train on.")
        return rows

    def bring(rows: np.ndarray, fresh: bool, held: dict[Any, LabelledData]) -> LabelledData:
        """Trials that train on the same rows share their pictures, and the noise of each epoch if it is ``fresh``."""
        new = chance.fresh(rows) if fresh and hasattr(world, "fresh") else np.zeros(len(rows), dtype=bool)
        key = rows.tobytes() + f"{world.fingerprint} {targets} {new.any()} {hold}".encode()
        if key not in held:
            labels = np.stack([target.truth(world.samples, rows) for target in targets], axis=1)
            drawn = getattr(world, "drawn", False)

            def fetch(rows: np.ndarray, device: str, draw: int = 0) -> torch.Tensor:
                return chance.again(rows, device, draw) if draw else world.images(rows, device)

            held[key] = _keeping(world, labelled_data(rows, labels, fetch, device, hold, drawn, new), device)
        return held[key]

    def learner(trial: Trial, train_on: LabelledData, ask: LabelledData, held: dict[Any, LabelledData]) -> Learner:
        return protocol.learner(study, trial, LearnerData(train_on, ask, device, precision, held))

    rows, found = rows_of("train"), None
    asked = rows_of("validation") if "validation" in split.sets else rows
    if is_wanted(trial.recipe):
        tried: dict[Any, LabelledData] = {}  # of the search alone
        trial, found = search(
            trial, world.samples, rows, lambda some, fresh: bring(some, fresh, tried), partial(learner, held=tried)
        )
        tried.clear()
    made = learner(trial, bring(rows, True, held), bring(asked, False, held), held)
    made.search = found
    return made


def finished(study: Study, trial: Trial, learner: Learner, trained: Trained) -> Trained:
    """A trial's whole network, once its learner is trained."""
    return protocol_of(trial.recipe).finish(study, trial, learner, trained)


def _keeping(world: Any, brought: LabelledData, device: torch.device) -> LabelledData:
    """Where pictures are drawn anew in every epoch, what lies below their noise stays on the device too, if it fits: a
    rendered world would otherwise be rendered again in every epoch."""
    if brought.fresh is None or brought.held is None or hasattr(world.inner, "fresh"):
        return brought
    inner = np.unique(brought.rows[brought.fresh.turns >= 0] // len(world.levels))
    first = world.inner.images(inner[:1], "cpu")
    if not fits(len(inner), first.numel() * first.element_size(), device):
        return brought
    kept = resident(world.inner.images, inner, device)

    def show(asked: np.ndarray, device: str, draw: int) -> torch.Tensor:
        return kept[torch.from_numpy(np.searchsorted(inner, asked)).to(kept.device)]

    def fetch(rows: np.ndarray, device: str, draw: int = 0) -> torch.Tensor:
        return world.again(rows, device, draw, show) if draw else world.images(rows, device)

    return replace(brought, fetch=fetch)
