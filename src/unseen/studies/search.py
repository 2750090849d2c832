"""Learning rate and weight decay by a grid, tried on a trial's own training images.

Zaidi et al. 2020, supplement: "selected via grid search over 25 possible combinations of learning rates and weight
decay, evaluated on 10% of a held-out images of the training set". Images are held out whole, plain and transformed
together, by chance (a stream named by the trial's seed). Every pair trains the trial's own network on the rest, as the
recipe says, from the same first weights in the same order; all are packed together. What is asked of the held-out
images is what training asks, at its chosen epoch, and as a test would show them. The best by accuracy (the mean over
targets; by loss where numbers are learned, or nothing is labelled; of equals the one of lower loss) then trains on all
rows. A pair that diverged is never chosen. What the paper does not say of this is ours.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Int

from unseen.studies.trials import Trial
from unseen.training import LabelledData, Learner, train
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.recipe import Recipe
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.sections import TrainingSection
from unseen.vocabulary.seeds import stream
from unseen.worlds.transforms.transformed import FACTOR

Bring = Callable[[np.ndarray, bool], LabelledData]  # rows, whether noise is drawn anew -> pictures
Make = Callable[[Trial, LabelledData, LabelledData], Learner]  # a trial, what it trains on, what it is asked


def is_wanted(recipe: Recipe) -> bool:
    """Whether a recipe lists anything to try."""
    return bool(recipe.search.lr or recipe.search.weight_decay)


def pairs_to_try(recipe: Recipe) -> list[tuple[float, float]]:
    """Every listed learning rate with every listed weight decay; where one is not listed, that of ``[training]``."""
    rates = recipe.search.lr or (recipe.training.lr,)
    decays = recipe.search.weight_decay or (recipe.training.weight_decay,)
    return list(dict.fromkeys(itertools.product(rates, decays)))


def held_out(samples: Samples, rows: Int[np.ndarray, " n"], share: float, seed: int) -> Bool[np.ndarray, " n"]:
    """Which rows to hold out: those of a ``share`` of the images (at least one, never all). An image is an instance at
    its levels of all factors but the transformation, so that it is held out plain and transformed alike."""
    block, instance, _ = samples.locate(rows)
    own = samples.cells(rows, [name for name in samples.space.names if name != FACTOR])
    images, which = np.unique(np.column_stack([block, instance, own]), axis=0, return_inverse=True)
    if len(images) < 2:
        raise UnseenError(
            f"[search] holds out a part of the training images, and there are {len(images)}; train on more, or leave "
            "the lists of [search] out."
        )
    count = min(max(1, round(share * len(images))), len(images) - 1)
    chosen = np.zeros(len(images), dtype=bool)
    chosen[stream(seed, "search", "held out").permutation(len(images))[:count]] = True
    return chosen[which.reshape(-1)]


def search(
    trial: Trial, samples: Samples, rows: Int[np.ndarray, " n"], bring: Bring, make: Make
) -> tuple[Trial, dict[str, Any]]:
    """The trial with the best learning rate and weight decay, and the table of all that were tried."""
    started, recipe = time.perf_counter(), trial.recipe
    pairs = pairs_to_try(recipe)
    out = held_out(samples, rows, recipe.search.share, trial.seed)
    train_on, ask = bring(rows[~out], True), bring(rows[out], False)
    tries = _tried([_with(trial, *pair) for pair in pairs], lambda one: make(one, train_on, ask))
    told = all(one["accuracy"] is not None for one in tries if not one["diverged"])
    by = "accuracy" if recipe.task == "classification" and told else "loss"
    table = [{"lr": lr, "weight_decay": decay, **figures, "n": len(ask)} for (lr, decay), figures in zip(pairs, tries)]
    best = chosen(table, by)
    found = {
        "tries": table,
        "chosen": {"lr": best["lr"], "weight_decay": best["weight_decay"]},
        "by": by,
        "share": recipe.search.share,
        "trained_on": len(train_on),
        "at_edge": at_edge(best, pairs),
        "seconds": time.perf_counter() - started,
    }
    return _with(trial, best["lr"], best["weight_decay"]), found


def chosen(table: Sequence[Mapping[str, Any]], by: str) -> Mapping[str, Any]:
    """The best of those that did not diverge; of equals the one of lower loss, then the first."""
    able = [row for row in table if not row["diverged"]]
    if not able:
        rates = listed(f"{lr:g}" for lr in sorted({row["lr"] for row in table}))
        raise UnseenError(
            f"the search tried {len(table)} pairs of learning rate and weight decay and every one diverged "
            f"({table[0]['diverged']}); its learning rates were {rates}: list smaller ones in search.lr."
        )
    return min(able, key=lambda row: (-row["accuracy"] if by == "accuracy" else 0.0, row["loss"]))


def at_edge(best: Mapping[str, Any], pairs: Sequence[tuple[float, float]]) -> list[str]:
    """Which of the two were chosen at an end of what was tried, so that a better one may lie beyond."""
    found = []
    for name, values in zip(("lr", "weight_decay"), zip(*pairs)):
        ends = (min(values), max(values))
        if ends[0] < ends[1] and best[name] in ends and best[name] != 0:
            found.append(name)
    return found


def _with(trial: Trial, lr: float, decay: float) -> Trial:
    given = {**trial.recipe.training.model_dump(), "lr": lr, "weight_decay": decay}
    return replace(trial, recipe=trial.recipe.model_copy(update={"training": TrainingSection(**given)}))


def _tried(trials: Sequence[Trial], make: Callable[[Trial], Learner]) -> list[dict[str, Any]]:
    """Figures of each, trained as many side by side as the device's memory holds."""
    try:
        return _figures([make(trial) for trial in trials])
    except torch.OutOfMemoryError:
        if len(trials) == 1:
            raise
    half = len(trials) // 2  # the error is gone by now, and with it what it held of the device's memory
    return _tried(trials[:half], make) + _tried(trials[half:], make)


def _figures(learners: Sequence[Learner]) -> list[dict[str, Any]]:
    found = []
    for learner, trained in zip(learners, train(learners)):
        diverged = trained.flags.get("diverged", "")
        if trained.best_epoch < 0:
            found.append({"accuracy": None, "loss": None, "epoch": None, "diverged": diverged})
            continue
        figures = trained.curve[trained.best_epoch]
        right = [figures[f"validation accuracy {target}"] for target in learner.targets]
        found.append(
            {
                "accuracy": sum(right) / len(right) if learner.labelled else None,
                "loss": figures["validation loss total"],
                "epoch": trained.best_epoch,
                "diverged": diverged,
            }
        )
    return found
