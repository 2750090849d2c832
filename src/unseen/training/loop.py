"""The one training loop. Learners packed together take turns, step by step, each on its own stream."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from unseen.training.learner import Learner, drops_out

Watch = Callable[[int, dict[str, float]], None]  # learner's place, figures of the epoch

STILL_FALLING = 0.05
BLOWN_UP = 10.0  # times the loss of a guess
NOTHING_LEARNED = 0.99  # of the loss of the best constant answer, the same for every image


@dataclass(frozen=True, eq=False)
class Trained:
    """A network with its chosen weights and how it came to them. ``flags``: what a reader of its results must know."""

    network: nn.Module
    curve: tuple[dict[str, float], ...]
    best_epoch: int
    flags: dict[str, str]
    seconds: float
    search: Mapping[str, Any] | None = None  # how its settings were found, where they were


def train(learners: Sequence[Learner], watch: Watch | None = None) -> list[Trained]:
    """Train all learners side by side and give their networks with the chosen weights.

    A learner whose loss leaves the finite numbers stops there, keeps the best weights it had and is flagged. One that
    has been patient for long enough stops too; the others go on.
    """
    started = time.perf_counter()
    active = list(range(len(learners)))
    ended = [0.0] * len(learners)
    if not learners:
        return []
    with reproducible(learners[0].settings.threads), leaving(learners):
        for epoch in range(max(learner.settings.epochs for learner in learners)):
            if not active:
                break
            here = [place for place in active if epoch < learners[place].settings.epochs]
            for place in here:
                learners[place].begin_epoch(epoch)
            for step in range(max((learners[place].steps_per_epoch for place in here), default=0)):
                for place in here:
                    if step < learners[place].steps_per_epoch:
                        learners[place].step()
            for place in here:
                learners[place].ask()
            for place in here:
                figures = learners[place].end_epoch(epoch)
                ended[place] = time.perf_counter() - started
                if watch is not None:
                    watch(place, figures)
                if learners[place].diverged or learners[place].settled:
                    active.remove(place)
    return [_trained(learner, seconds) for learner, seconds in zip(learners, ended)]


def _trained(learner: Learner, seconds: float) -> Trained:
    network = learner.finish()
    flags = flags_of(learner)
    if learner.device.type != "cpu" and drops_out(network):
        flags["unseeded"] = f"its dropout draws are not reproducible on {learner.device.type.upper()}"
    return Trained(network, tuple(learner.curve), learner.best_epoch, flags, seconds + learner.spent, learner.search)


def flags_of(learner: Learner) -> dict[str, str]:
    """Diverged: a loss that is no number, or (ours) a training loss that ended above ten times that of a guess.
    Untrained (ours): in no epoch a loss of some target under 99 % of that of the best constant answer. Unconverged
    (ours): the last epoch was the best and its validation loss was still falling by more than 5 % over the last tenth
    of training."""
    curve = learner.curve
    if learner.diverged:
        kept = f"weights of epoch {learner.best_epoch + 1}" if learner.best_epoch >= 0 else "its first weights"
        return {"diverged": f"loss was no number in epoch {len(curve)}; it keeps {kept}"}
    ended, guess = curve[-1]["train loss total"], guessing(learner)
    if ended > BLOWN_UP * guess:
        return {
            "diverged": f"training loss ended at {ended:.3g}, a guess has {guess:.3g}; it keeps weights of epoch "
            f"{learner.best_epoch + 1}"
        }
    flags = untrained(learner)
    earlier = max(1, len(curve) // 10)
    if learner.settings.select == "best" and len(curve) > earlier and learner.best_epoch == len(curve) - 1:
        before, last = (curve[place]["validation loss total"] for place in (-1 - earlier, -1))
        if before > 0 and (before - last) / before > STILL_FALLING:
            span = "epoch" if earlier == 1 else f"{earlier} epochs"
            fell = f"validation loss fell from {before:.3g} to {last:.3g} in the last {span}"
            flags["unconverged"] = fell
    return flags


def untrained(learner: Learner) -> dict[str, str]:
    """A flag that names the targets of which nothing was learned, whatever the weights that were kept."""
    found = []
    for target, weight, blind in zip(learner.targets, learner.weights.tolist(), blind_losses(learner)):
        names = [f"{phase} loss {target}" for phase in ("train", "validation")]
        least = min((figures[name] for figures in learner.curve for name in names if name in figures), default=0.0)
        if weight > 0 and least > NOTHING_LEARNED * blind > 0:
            found.append(f"loss of {target} never fell below {least:.3g}; the best constant answer has {blind:.3g}")
    return {"untrained": "; ".join(found)} if found else {}


def blind_losses(learner: Learner) -> list[float]:
    """The loss of each target for the best answer that is the same for all pictures: how often each class is, in
    classification; the mean, of numbers."""
    labels = learner.train.labels
    if not learner.labelled or not len(labels):
        return []
    if learner.tolerances is not None:
        return labels.var(0, correction=0).tolist()
    shares = [torch.bincount(column).double() / len(labels) for column in labels.T]
    return [float(torch.special.entr(share).sum()) for share in shares]


def guessing(learner: Learner) -> float:
    """The loss of an even guess among the classes of each target, weighted as the learner's; of numbers, that of their
    mean. Without labels nothing can be guessed."""
    if not learner.labelled:
        return float("inf")
    if learner.tolerances is not None:
        return float((learner.weights * learner.train.labels.var(0, correction=0)).sum())
    classes = (learner.train.labels.amax(0) + 1).clamp(min=2)
    return float((learner.weights * classes.log()).sum())


@contextlib.contextmanager
def reproducible(threads: int) -> Iterator[None]:
    """Fixed threads on the CPU, deterministic convolutions on CUDA; the caller's settings come back afterwards.

    A captured step keeps the kernels that were chosen while it was captured, so learners are built inside this too.
    """
    cudnn = torch.backends.cudnn
    before = (torch.get_num_threads(), cudnn.deterministic, cudnn.benchmark)
    torch.set_num_threads(threads)
    cudnn.deterministic, cudnn.benchmark = True, False
    try:
        yield
    finally:
        torch.set_num_threads(before[0])
        cudnn.deterministic, cudnn.benchmark = before[1:]


@contextlib.contextmanager
def leaving(learners: Sequence[Learner]) -> Iterator[None]:
    """Whatever ends the training, no thread goes on fetching pictures."""
    try:
        yield
    finally:
        for learner in learners:
            learner.leave()
