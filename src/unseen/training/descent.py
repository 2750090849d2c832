"""Many logistic regressions, walked down together: L-BFGS with a step length for each.

Probes are in groups; those of a group share their rows, so that a step is one product of matrices per group. In each
round all probes are tried at once: one whose loss falls enough takes the step, another tries a shorter one in the next
round while the others go on. Those that have arrived are taken out.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

MEMORY = 10  # steps that L-BFGS remembers
ENOUGH = 1e-4  # of the expected fall of the loss (Armijo)
SORTED_OUT = 8  # rounds after which those that have arrived are taken out


@dataclass(frozen=True, eq=False)
class Task:
    """The losses of probes in scaled coordinates: points are ``[groups, axes, probes, classes]``."""

    x: Tensor  # [groups, rows, axes]
    y: Tensor  # [groups, rows]
    share: Tensor  # [groups, rows, probes] of each row in the loss
    penalty: Tensor  # [groups, axes, probes]
    scale: Tensor  # [groups, axes, probes] a weight is its point's coordinate times this
    absent: Tensor  # [groups, probes, classes] −∞ for a class without a row

    def start(self) -> Tensor:
        groups, axes, probes = self.scale.shape
        return self.x.new_zeros(groups, axes, probes, self.absent.shape[2])

    def loss(self, points: Tensor) -> tuple[Tensor, Tensor]:
        """Losses ``[groups, probes]``, in float64, and their gradients."""
        weight = points * self.scale[..., None]
        scores = (self.x @ weight.flatten(2)).unflatten(2, self.absent.shape[1:]) + self.absent[:, None]
        logs = scores.log_softmax(3)
        true = self.y[:, :, None, None].expand(-1, -1, scores.shape[2], 1)
        fit = torch.where(self.share > 0, -logs.gather(3, true)[..., 0] * self.share, 0).double().sum(1)
        wrong = logs.exp_().scatter_add_(3, true, scores.new_full((), -1).expand(true.shape))
        wrong.mul_(self.share[..., None])
        slope = (self.x.mT @ wrong.flatten(2)).unflatten(2, self.absent.shape[1:])
        pull = weight * self.penalty[..., None]
        return fit + 0.5 * _dot(weight, pull), (slope + pull) * self.scale[..., None]

    def part(self, groups: Tensor, probes: Tensor) -> Task:
        def of(what: Tensor, dim: int) -> Tensor:
            return what[groups].index_select(dim, probes)

        kept = of(self.share, 2), of(self.penalty, 2), of(self.scale, 2), of(self.absent, 1)
        return Task(self.x[groups], self.y[groups], *kept)


@torch.no_grad()
def descend(task: Task, *, tolerance: float, most_steps: int) -> tuple[Tensor, Tensor, Tensor]:
    """From zero to the least loss: points, rounds taken, and whether the gradient's norm fell to ``tolerance``."""
    points = task.start()
    loss, slope = task.loss(points)
    answer, rounds = points.clone(), torch.zeros(loss.shape, dtype=torch.int64, device=loss.device)
    arrived, converged = (torch.zeros_like(loss, dtype=torch.bool) for _ in range(2))
    groups, probes = (torch.arange(size, device=loss.device) for size in loss.shape)
    length, width = torch.ones_like(loss), torch.ones_like(loss)
    past: list[tuple[Tensor, Tensor, Tensor]] = []
    noise = 20 * torch.finfo(points.dtype).eps
    for number in range(1, most_steps + 1):
        way = _direction(slope, past, width)
        fall = _dot(slope, way)
        tried = points + (length[:, None, :, None] * way).to(points)
        new_loss, new_slope = task.loss(tried)
        moving = ~arrived[groups[:, None], probes[None]]
        falls = new_loss <= loss + ENOUGH * length * fall + noise * loss.abs()
        better = falls & moving
        step, turn = ((a - b) * better[:, None, :, None] for a, b in ((tried, points), (new_slope, slope)))
        along = _dot(step, turn)
        past = [*past[-MEMORY + 1 :], (step, turn, torch.where(along > 0, 1 / along, 0.0))]
        width = torch.where(along > 0, along / _dot(turn, turn), width)
        shorter = (-0.5 * length * fall / ((new_loss - loss) / length - fall)).nan_to_num(0.0)  # of a parabola
        length = torch.where(falls, 1.0, torch.clamp(shorter, 0.1 * length, 0.5 * length))
        here = better[:, None, :, None]
        points, slope = torch.where(here, tried, points), torch.where(here, new_slope, slope)
        loss = torch.where(better, new_loss, loss)
        flat, stuck = _dot(slope, slope).sqrt() <= tolerance, ~falls & (length < 1e-8)  # stuck: as far as digits go
        rounds[groups[:, None], probes[None]] += moving
        converged[groups[:, None], probes[None]] |= moving & flat
        arrived[groups[:, None], probes[None]] |= moving & (flat | stuck)
        if number % SORTED_OUT == 0 or number == most_steps:
            done = arrived[groups[:, None], probes[None]]
            answer[groups[:, None], :, probes[None]] = points.movedim(1, 2)
            if done.all():
                break
            on, go = (~done).any(1).nonzero()[:, 0], (~done).any(0).nonzero()[:, 0]
            if len(on) * len(go) < 0.9 * done.numel():
                task, groups, probes = task.part(on, go), groups[on], probes[go]
                points, slope = (one[on].index_select(2, go) for one in (points, slope))
                loss, length, width = (one[on].index_select(1, go) for one in (loss, length, width))
                past = [(s[on].index_select(2, go), t[on].index_select(2, go), r[on].index_select(1, go))
                        for s, t, r in past]  # fmt: skip
    return answer, rounds, converged


def _dot(a: Tensor, b: Tensor) -> Tensor:
    """Inner products of points, per probe, in float64."""
    return (a * b).sum(3).double().sum(1)


def _direction(slope: Tensor, past: list[tuple[Tensor, Tensor, Tensor]], width: Tensor) -> Tensor:
    """Downhill, by the steps remembered: the two loops of L-BFGS. A step that was not taken is all zeros and does
    nothing."""
    way, shares = -slope, []
    for step, turn, inverse in reversed(past):
        share = inverse * _dot(step, way)
        way = way - share[:, None, :, None].to(way) * turn
        shares.append(share)
    way = way * width[:, None, :, None].to(way)
    for (step, turn, inverse), share in zip(past, reversed(shares)):
        way = way + (share - inverse * _dot(turn, way))[:, None, :, None].to(way) * step
    return way
