r"""Linear probes on features computed once: hundreds of logistic regressions fitted together as one batched problem.

Problem :math:`p` with penalty :math:`\lambda` minimises, as scikit-learn's ``LogisticRegression`` with
:math:`C = 1/(\lambda \sum_i v_{pi})`,

.. math:: \frac{1}{\sum_i v_{pi}} \sum_i v_{pi}\, \mathrm{CE}(W^\top x_i + b, y_i) + \frac{\lambda}{2} \lVert W \rVert^2

with weights of rows :math:`v_p` (zero: not in this problem) and a bias that is not penalised. A class of which a
problem has no row is never its answer.

All problems take the steps of L-BFGS together (Liu & Nocedal 1989), each with its own step length. Two things make few
steps enough, and change no solution: the penalty does not see a rotation, so that features are turned once to their
principal axes; there each coordinate is scaled by about the curvature along it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor

from unseen.training.descent import Task, descend
from unseen.vocabulary.errors import UnseenError

L2 = tuple(10.0**power for power in range(-6, 1))  # for features of unit mean square length
NEGLIGIBLE = 1e-8  # an axis whose variance is this share of the least penalty moves no score by more than that


@dataclass(frozen=True, eq=False)
class Probes:
    """Fitted probes, one per problem and penalty."""

    weight: Float[Tensor, "problems penalties features classes"]
    bias: Float[Tensor, "problems penalties classes"]
    l2: Float[Tensor, "problems penalties"]
    steps: Int[Tensor, "problems penalties"]
    converged: Tensor  # bool, as steps
    tried: tuple[Tensor, Tensor] | None = None  # penalties, and the share of validation rows named right with each

    def scores(self, features: Float[Tensor, "n features"], problem: int) -> Float[Tensor, "penalties n classes"]:
        """Logits of one problem's probes. −∞ for a class of which it had no row."""
        return features.to(self.weight) @ self.weight[problem] + self.bias[problem][:, None]


def fit_probes(
    features: Float[Tensor, "n features"],
    labels: Int[Tensor, " n"],
    weights: Shaped[Tensor, "problems n"],
    l2: Sequence[float] | Float[Tensor, "problems penalties"] = L2,
    *,
    classes: int | None = None,
    tolerance: float = 2e-5,
    most_steps: int = 500,
    memory: float | None = None,
) -> Probes:
    """Fit every problem with every penalty.

    ``weights`` are those of the rows in each problem, or a mask. ``l2`` are the penalties, the same for all problems or
    a row of them for each. A probe has converged where the norm of its gradient, in the scaled coordinates, is at most
    ``tolerance``. ``memory``, in bytes, bounds what is worked on at a time. Computed where the features are, in float64
    where they are, else in float32.

    >>> x = torch.tensor([[-1.0], [-2.0], [1.0], [2.0]])
    >>> fitted = fit_probes(x, torch.tensor([0, 0, 1, 1]), torch.ones(1, 4), [0.1])
    >>> fitted.scores(x, 0).argmax(-1).tolist()
    [[0, 0, 1, 1]]
    """
    x, weights, penalties, classes = _checked(features, labels, weights, l2, classes)
    labels = labels.to(x.device).long()
    share = weights / weights.sum(1, keepdim=True)
    axes = _axes(x, share, float(penalties.min()))
    parts = [
        _fit_part(axes, labels, share[part], penalties[part], classes, tolerance, most_steps)
        for part in _parts(share, penalties.shape[1], axes.turned.shape[1], classes, memory)
    ]
    weight, bias, steps, converged = (torch.cat([part[i] for part in parts]) for i in range(4))
    return Probes(weight, bias, penalties, steps, converged)


def fit_validated_probes(
    features: Float[Tensor, "n features"],
    labels: Int[Tensor, " n"],
    train: Shaped[Tensor, "problems n"],
    validation: Shaped[Tensor, "problems n"],
    l2: Sequence[float] | Float[Tensor, "problems penalties"] = L2,
    *,
    classes: int | None = None,
    memory: float | None = None,
    refit: bool = True,
) -> Probes:
    """One probe per problem: the penalty that names most of the validation rows right (of equals, that with the least
    cross-entropy there) when fitted to the training rows. Then fitted to both, or, without ``refit``, left as it was:
    where validation rows are no rows to learn from."""
    if not (validation > 0).any(1).all():
        raise UnseenError("every problem needs validation rows to choose its penalty by; one has none.")
    tried = fit_probes(features, labels, train, l2, classes=classes, memory=memory)
    wanted, weights = labels.to(tried.bias.device).long(), validation.to(tried.bias)
    rights, losses = [], []
    for problem, own in enumerate(weights):
        rows = own.nonzero()[:, 0]
        logs = tried.scores(features[rows], problem).log_softmax(-1)  # [penalties, n, classes]
        rights.append(((logs.argmax(-1) == wanted[rows]) * own[rows]).sum(1))
        loss = -logs.gather(2, wanted[rows].expand(len(logs), -1)[..., None])[..., 0]
        # A class without a training row is named by no penalty: its rows decide nothing, and their loss is infinite.
        losses.append((torch.where(loss.isfinite(), loss, 0.0) * own[rows]).sum(1))
    right, loss = torch.stack(rights), torch.stack(losses)
    equals = torch.where(right == right.amax(1, keepdim=True), loss, torch.inf)
    best = equals.argmin(1)
    at = torch.arange(len(best), device=best.device)
    found = tried.l2, right / weights.sum(1, keepdim=True)
    if refit:
        chosen = tried.l2[at, best][:, None]
        return replace(
            fit_probes(features, labels, train + validation, chosen, classes=classes, memory=memory), tried=found
        )
    kept = (getattr(tried, name)[at, best][:, None] for name in ("weight", "bias", "l2", "steps", "converged"))
    return Probes(*kept, tried=found)


def _checked(
    features: Tensor, labels: Tensor, weights: Tensor, l2: Sequence[float] | Tensor, classes: int | None
) -> tuple[Tensor, Tensor, Tensor, int]:
    x = features if features.dtype == torch.float64 else features.float()
    weights = weights.to(x)
    if x.ndim != 2 or labels.shape != x.shape[:1] or weights.ndim != 2 or weights.shape[1:] != x.shape[:1]:
        raise UnseenError(
            f"features [n, features], labels [n] and weights [problems, n] are needed; given {list(features.shape)}, "
            f"{list(labels.shape)}, {list(weights.shape)}."
        )
    if not x.isfinite().all():
        raise UnseenError(f"{int((~x.isfinite()).any(1).sum())} of {len(x)} rows of features hold NaN or infinity.")
    if not weights.isfinite().all() or (weights < 0).any() or (weights.sum(1) <= 0).any():
        raise UnseenError("weights of rows are finite and at least 0, and every problem needs a row above 0.")
    classes = int(labels.max()) + 1 if classes is None else classes
    if labels.min() < 0 or labels.max() >= classes:
        raise UnseenError(
            f"labels are class numbers from 0 to {classes - 1}; given {int(labels.min())} to {int(labels.max())}."
        )
    penalties = torch.as_tensor(l2, dtype=x.dtype, device=x.device)
    penalties = penalties.expand(len(weights), -1) if penalties.ndim == 1 else penalties
    if penalties.ndim != 2 or len(penalties) != len(weights) or not penalties.numel() or not (penalties > 0).all():
        raise UnseenError("penalties `l2` are numbers above 0, one list for all problems or a row for each.")
    return x, weights, penalties.contiguous(), classes


@dataclass(frozen=True, eq=False)
class _Axes:
    """Features along their principal axes, with a column of ones last, and what turns them back."""

    turned: Tensor  # [n, axes + 1]
    back: Tensor  # [features, axes]
    mean: Tensor  # [features]
    variance: Tensor  # [axes]


def _axes(x: Tensor, share: Tensor, least: float) -> _Axes:
    """Principal axes of all rows, weighted by their share over problems."""
    row = share.mean(0).double()
    mean = row @ x.double()
    centred = x.double() - mean
    variance, axes = torch.linalg.eigh(centred.T @ (centred * row[:, None]))
    kept = variance > max(NEGLIGIBLE * least, 1e-14 * float(variance.max()))
    variance, axes = variance[kept].flip(0), axes[:, kept].flip(1)
    turned = torch.cat([centred @ axes, torch.ones_like(centred[:, :1])], 1)
    return _Axes(turned.to(x), axes.to(x), mean.to(x), variance.to(x))


def _parts(share: Tensor, penalties: int, axes: int, classes: int, memory: float | None) -> list[slice]:
    """Problems to be worked on together, so many that scores, steps and gradients fit."""
    rows = int((share > 0).any(0).sum())
    each = penalties * classes * (5 * rows + 26 * axes) * share.element_size()
    if memory is None:
        memory = torch.cuda.mem_get_info(share.device)[0] / 2 if share.is_cuda else 5e8
    together = max(1, math.floor(memory / each))
    return [slice(start, start + together) for start in range(0, len(share), together)]


def _fit_part(
    axes: _Axes, labels: Tensor, share: Tensor, penalties: Tensor, classes: int, tolerance: float, most_steps: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Weights and biases in the features' own coordinates, steps taken, whether they converged."""
    problems, tried = penalties.shape
    present = torch.zeros(problems, classes, dtype=share.dtype, device=share.device)
    present.index_add_(1, labels, share)
    absent = torch.where(present > 0, 0.0, -torch.inf).to(share)
    used = (share > 0).sum(1)
    union = (share > 0).any(0).nonzero()[:, 0]
    if used.sum() * 2 >= problems * len(union):  # alike enough for one product of matrices over the rows of all
        x, y = axes.turned[union][None], labels[union][None]
        own = share[:, union].repeat_interleave(tried, 0).T[None]  # [1, rows, problems × penalties]
        penalty, without = penalties.reshape(1, -1), absent.repeat_interleave(tried, 0)[None]
    else:  # each problem with rows of its own; shorter ones are filled up with rows that weigh nothing
        rows = torch.argsort((share > 0).to(torch.int8), dim=1, descending=True, stable=True)[:, : int(used.max())]
        x, y = axes.turned[rows], labels[rows]
        own = torch.gather(share, 1, rows)[:, :, None].expand(-1, -1, tried)
        penalty, without = penalties, absent[:, None].expand(-1, tried, -1)
    one = axes.variance.new_ones(1)  # for the bias
    curvature = torch.cat([axes.variance, one])[None, :, None] / classes
    penalised = torch.cat([torch.ones_like(axes.variance), 0 * one])[None, :, None]
    scale = (curvature + penalised * penalty[:, None]).rsqrt()  # [groups, axes + 1, probes]
    task = Task(x, y, own, penalty[:, None] * penalised, scale, without)
    found, steps, converged = descend(task, tolerance=tolerance, most_steps=most_steps)
    found = (found * scale[..., None]).movedim(1, 2).reshape(problems, tried, -1, classes)
    weight = axes.back @ found[:, :, :-1]
    bias = found[:, :, -1] - axes.mean @ weight + absent[:, None]
    return weight, bias, steps.reshape(problems, tried), converged.reshape(problems, tried)
