"""Restoring pictures by an untrained network (Ulyanov, Vedaldi & Lempitsky 2018): it is fitted to one damaged picture,
from noise, and stopped before it has learned the damage. Nothing is learned from data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unseen.engines.damage import Damage
from unseen.models.hourglass import prior_network

if TYPE_CHECKING:
    from torch import Tensor

LEARNING_RATE, JITTER, AVERAGE, INPUTS = 0.01, 1 / 30, 0.99, 32  # Adam; of the input noise; of the mean of outputs
EVERY, WINDOW = 10, 10  # steps between records; records whose variance says when to stop


@dataclass(frozen=True)
class Fit:
    """How a network is fitted. The paper: skip network of 5 scales × 128, 3,000 steps, input jittered by 1/30."""

    network: str = "skip"
    steps: int = 3000
    scales: int = 5
    width: int = 128
    jitter: float = JITTER
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Restored:
    """What came of it, ``[n, c, h, w]`` in 0…1: at the last step, and at the step chosen without the truth; records of
    every tenth step, ``[records, n]``: error on the damaged picture, variance of the last outputs, and PSNR where the
    truth is known."""

    last: np.ndarray
    chosen: np.ndarray
    chosen_step: np.ndarray
    steps: np.ndarray
    loss: np.ndarray
    variance: np.ndarray
    psnr: np.ndarray | None


def psnr(found: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Peak signal-to-noise ratio in dB of pictures ``[n, c, h, w]`` in 0…1, one number each.

    >>> psnr(np.full((1, 1, 2, 2), 0.6), np.full((1, 1, 2, 2), 0.5)).round(6)
    array([20.])
    """
    error = ((np.asarray(found, float) - truth) ** 2).mean((1, 2, 3))
    return -10 * np.log10(np.maximum(error, 1e-12))


def restore(
    damaged: np.ndarray, damage: Damage, fit: Fit, *, truth: np.ndarray | None = None, device: str = "cpu",
    watch: Callable[[int], None] | None = None,
) -> Restored:  # fmt: skip
    """Fit one network to each picture ``[n, c, h, w]``, all at once, and keep the mean of the latest outputs.

    A network is to show what, damaged as ``damage`` says, is the given picture. Where to stop is not known without the
    truth; we take the record at which the last ``WINDOW`` outputs varied least (after Wang et al. 2021, "Early stopping
    for deep image prior"; window and spacing are ours).
    """
    import torch

    n, channels, (height, width) = len(damaged), damaged.shape[1], damage.size(damaged.shape[-2:])
    unit = 2**fit.scales if fit.network != "resnet" else 1
    tall, wide = (-(-side // unit) * unit for side in (height, width))
    net = prior_network(fit.network, pictures=n, channels=channels, scales=fit.scales, width=fit.width, inputs=INPUTS,
                        seed=fit.seed).to(device)  # fmt: skip
    drawn = torch.Generator().manual_seed(fit.seed)
    noise = torch.rand(1, INPUTS, tall, wide, generator=drawn) * 0.1
    goal = torch.from_numpy(np.ascontiguousarray(damaged, dtype=np.float32)).to(device)
    measured = damage.operator(torch.device(device))
    optimiser = torch.optim.Adam(net.parameters(), lr=LEARNING_RATE)
    keeper = _Records(n, truth)
    mean: Tensor | None = None
    for step in range(1, fit.steps + 1):
        shaken = noise + torch.randn(noise.shape, generator=drawn) * fit.jitter if fit.jitter else noise
        shown = net(shaken.to(device).repeat(1, n, 1, 1)).view(n, channels, tall, wide)[..., :height, :width]
        losses = measured(shown, goal)
        optimiser.zero_grad(set_to_none=True)
        losses.sum().backward()
        optimiser.step()
        latest = shown.detach()
        averaged = latest if mean is None else mean * AVERAGE + latest * (1 - AVERAGE)
        mean = averaged
        if step % EVERY == 0 or step == fit.steps:
            keeper.add(step, averaged.cpu().numpy(), losses.detach().cpu().numpy())
        if watch is not None:
            watch(step)
    return keeper.restored()


class _Records:
    """Outputs of the last records, and the one at which they varied least."""

    def __init__(self, n: int, truth: np.ndarray | None) -> None:
        self.truth, self.window = truth, []
        self.steps, self.loss, self.variance, self.psnr = [], [], [], []
        self.least, self.step, self.best = np.full(n, np.inf), np.zeros(n, int), None

    def add(self, step: int, shown: np.ndarray, loss: np.ndarray) -> None:
        self.window = [*self.window, shown][-WINDOW:]
        varied = np.var(np.stack(self.window), axis=0).mean((1, 2, 3))
        if len(self.window) < WINDOW:
            varied = np.full(len(shown), np.inf)
        if self.best is None:
            self.best = shown.copy()
        better = (varied <= self.least) | ~np.isfinite(self.least)
        self.best[better], self.step[better] = shown[better], step
        self.least = np.minimum(self.least, varied)
        self.steps.append(step)
        self.loss.append(loss)
        self.variance.append(varied)
        if self.truth is not None:
            self.psnr.append(psnr(shown, self.truth))

    def restored(self) -> Restored:
        assert self.best is not None
        known = np.array(self.psnr) if self.truth is not None else None
        steps, loss, variance = np.array(self.steps), np.array(self.loss), np.array(self.variance)
        return Restored(self.window[-1], self.best, self.step, steps, loss, variance, known)
