"""Restoring pictures by an untrained network (Ulyanov, Vedaldi & Lempitsky 2018): it is fitted to one damaged picture,
from noise, and stopped before it has learned the damage. Nothing is learned from data."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unseen.engines.damage import Damage
from unseen.models.hourglass import prior_network
from unseen.vocabulary.errors import UnseenError

if TYPE_CHECKING:
    import torch
    from torch import Tensor

LEARNING_RATE, JITTER, AVERAGE, INPUTS = 0.01, 1 / 30, 0.99, 32  # Adam; of the input noise; of the mean of outputs
WARM_UP, STREAMS = 3, 8  # steps before a step is captured on CUDA; networks that are fitted side by side there
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
    watch: Callable[[int], None] | None = None, capture: bool | None = None, streams: int = STREAMS,
) -> Restored:  # fmt: skip
    """Fit one network to each picture ``[n, c, h, w]``, all at once, and keep the mean of the latest outputs.

    A network is to show what, damaged as ``damage`` says, is the given picture. Where to stop is not known without the
    truth; we take the record at which the last ``WINDOW`` outputs varied least (after Wang et al. 2021, "Early stopping
    for deep image prior"; window and spacing are ours).

    All start from the same weights and see the same input, so a picture's result does not depend on its company. On
    CUDA the whole step is captured as one graph unless ``capture`` is false, and ``streams`` networks run side by side:
    their coarse scales are too small to fill a device. (Convolutions in groups were no faster than one network after
    the other on a CPU, measured.)
    """
    import torch

    if damaged.ndim != 4 or not len(damaged):
        raise UnseenError(f"pictures have shape [n, c, h, w], at least one; {damaged.shape} was given.")
    fitting = _Fitting(damaged, damage, fit, torch.device(device), streams)
    keeper = _Records(fitting.mean, truth)
    step_once = fitting.step
    for step in range(1, fit.steps + 1):
        if step == WARM_UP + 1 and (fitting.device.type == "cuda" if capture is None else capture):
            step_once = fitting.captured()
        step_once()
        if step == 1:
            fitting.mean.copy_(fitting.shown)
        if step % EVERY == 0 or step == fit.steps:
            keeper.add(step, fitting.losses)
        if watch is not None:
            watch(step)
    return keeper.restored()


class _Fitting:
    """Networks, what they are to show and what they show now: tensors that a captured step may read again and again."""

    def __init__(self, damaged: np.ndarray, damage: Damage, fit: Fit, device: torch.device, streams: int) -> None:
        import torch

        n, channels, (height, width) = len(damaged), damaged.shape[1], damage.size(damaged.shape[-2:])
        unit = 2**fit.scales if fit.network != "resnet" else 1
        tall, wide = (-(-side // unit) * unit for side in (height, width))
        alone = prior_network(
            fit.network, channels=channels, scales=fit.scales, width=fit.width, inputs=INPUTS, seed=fit.seed
        )
        self.device, self.jitter, self.size = device, fit.jitter, (height, width)
        self.networks = [copy.deepcopy(alone).to(device) for _ in range(n)]
        drawn = torch.Generator().manual_seed(fit.seed)
        self.noise = (torch.rand(1, INPUTS, tall, wide, generator=drawn) * 0.1).to(device)
        cuda = device.type == "cuda"
        self.drawn = torch.Generator(device).manual_seed(fit.seed) if cuda else drawn
        self.goal = torch.from_numpy(np.ascontiguousarray(damaged, dtype=np.float32)).to(device)
        self.measured = damage.operator(device)
        parameters = [one for network in self.networks for one in network.parameters()]
        self.optimiser = torch.optim.Adam(parameters, lr=LEARNING_RATE, capturable=cuda, fused=cuda or None)
        self.shown = torch.zeros(n, channels, height, width, device=device)
        self.mean = torch.zeros_like(self.shown)
        self.losses = torch.zeros(n, device=device)
        self.streams = [torch.cuda.Stream(device) for _ in range(min(streams, n))] if cuda else []

    def step(self) -> None:
        """One step of every network, and the mean of their outputs."""
        import torch

        self.optimiser.zero_grad(set_to_none=True)
        shaken = self.noise
        if self.jitter:
            drawn = torch.randn(self.noise.shape, generator=self.drawn, device=self.device)
            shaken = torch.add(self.noise, drawn, alpha=self.jitter)
        if self.streams:
            now = torch.cuda.current_stream(self.device)
            for stream in self.streams:
                stream.wait_stream(now)
            for place in range(len(self.networks)):
                with torch.cuda.stream(self.streams[place % len(self.streams)]):
                    self._one(place, shaken)
            for stream in self.streams:
                now.wait_stream(stream)
        else:
            for place in range(len(self.networks)):
                self._one(place, shaken)
        self.optimiser.step()
        self.mean.mul_(AVERAGE).add_(self.shown, alpha=1 - AVERAGE)

    def _one(self, place: int, shaken: Tensor) -> None:
        here, (height, width) = slice(place, place + 1), self.size
        shown = self.networks[place](shaken)[..., :height, :width]
        loss = self.measured(shown, self.goal[here])
        loss.sum().backward()
        self.shown[here] = shown.detach()
        self.losses[here] = loss.detach()

    def captured(self) -> Callable[[], None]:
        """The same step as one CUDA graph. Steps before it were taken one by one, and count."""
        import torch

        graph = torch.cuda.CUDAGraph()
        graph.register_generator_state(self.drawn)
        torch.cuda.synchronize(self.device)
        with torch.cuda.graph(graph):
            self.step()
        return graph.replay


class _Records:
    """Outputs of the last records, and the one at which they varied least. Nothing waits for the device."""

    def __init__(self, shown: Tensor, truth: np.ndarray | None) -> None:
        import torch

        n = len(shown)
        self.shown, self.window = shown, shown.new_zeros((WINDOW, *shown.shape))
        known = None if truth is None else torch.from_numpy(np.ascontiguousarray(truth, dtype=np.float32))
        self.truth = None if known is None else known.to(shown.device)
        self.steps: list[int] = []
        self.loss, self.variance, self.error = [], [], []
        self.least = shown.new_full((n,), np.inf)
        self.step = torch.zeros(n, dtype=torch.long, device=shown.device)
        self.best = torch.zeros_like(shown)

    def add(self, step: int, loss: Tensor) -> None:
        import torch

        self.window[len(self.steps) % WINDOW] = self.shown
        self.steps.append(step)
        full = len(self.steps) >= WINDOW
        varied = self.window.var(0, correction=0).mean((1, 2, 3)) if full else torch.full_like(self.least, np.inf)
        better = (varied <= self.least) | ~torch.isfinite(self.least)
        self.best = torch.where(better[:, None, None, None], self.shown, self.best)
        self.step.masked_fill_(better, step)
        self.least = torch.minimum(self.least, varied)
        self.loss.append(loss.clone())
        self.variance.append(varied)
        if self.truth is not None:
            self.error.append(((self.shown - self.truth) ** 2).mean((1, 2, 3)))

    def restored(self) -> Restored:
        import torch

        known = None
        if self.truth is not None:
            known = -10 * np.log10(np.maximum(torch.stack(self.error).double().cpu().numpy(), 1e-12))
        loss, variance = (torch.stack(rows).cpu().numpy() for rows in (self.loss, self.variance))
        last, best, step = (one.cpu().numpy().copy() for one in (self.shown, self.best, self.step))
        return Restored(last, best, step, np.array(self.steps), loss, variance, known)
