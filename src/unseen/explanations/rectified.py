"""Guided backpropagation and deconvolution: gradients whose way back through each ReLU is another one.

ReLU answers 1 where its input is positive. Going back, the gradient passes where the input was positive; deconvolution
(Zeiler & Fergus 2014) lets it pass where it is itself positive, guided backpropagation (Springenberg et al. 2015)
where both are. Every ReLU is met as a function (``F.relu``, ``torch.relu``, ``x.relu_()``, and so ``nn.ReLU``, in place
or not), not as a module with hooks: one that is used twice, or is no module, counts like any other. ReLU6 (of
EfficientNet-Lite) passes inputs between 0 and 6 (ours).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from unseen.explanations.asked import Question
from unseen.explanations.gradients import BATCH, gradient, slope
from unseen.vocabulary.errors import UnseenError

_AWAY = {F.relu, torch.relu, Tensor.relu}
_IN_PLACE = {torch.relu_, Tensor.relu_, F.relu_}
_SIX = {F.relu6}
_BOUNDED = {F.hardtanh, F.hardtanh_}


class _Rectified(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, inputs: Tensor, high: float, gate: str, in_place: bool) -> Tensor:
        ctx.gate = gate
        if gate == "guided":
            ctx.save_for_backward((inputs > 0) & (inputs < high))
        if in_place:
            ctx.mark_dirty(inputs)
            return inputs.clamp_(0, high)
        return inputs.clamp(0, high)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None]:
        if ctx.gate == "open":
            return gradients[0], None, None, None
        passed = gradients[0].clamp(min=0)
        return (passed * ctx.saved_tensors[0] if ctx.gate == "guided" else passed), None, None, None


class _Rectifying(TorchFunctionMode):
    """``gate``: "guided", "deconvolution", or "open", which lets every gradient pass."""

    def __init__(self, gate: str) -> None:
        super().__init__()
        self.gate, self.met = gate, 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        bounds = self._bounds(func, args, kwargs)
        if bounds is None:
            return func(*args, **kwargs)
        self.met += 1
        high, in_place = bounds
        return _Rectified.apply(args[0] if args else kwargs["input"], high, self.gate, in_place)

    @staticmethod
    def _bounds(func: Any, args: Any, kwargs: Any) -> tuple[float, bool] | None:
        """The upper bound of a rectifier and whether it works in place; nothing for any other function."""
        if func in _AWAY:
            return torch.inf, bool(kwargs.get("inplace", args[1] if len(args) > 1 else False))
        if func in _IN_PLACE:
            return torch.inf, True
        if func in _SIX:
            return 6.0, bool(kwargs.get("inplace", args[1] if len(args) > 1 else False))
        if func in _BOUNDED:
            low = kwargs.get("min_val", args[1] if len(args) > 1 else -1.0)
            high = kwargs.get("max_val", args[2] if len(args) > 2 else 1.0)
            in_place = kwargs.get("inplace", args[3] if len(args) > 3 else func is F.hardtanh_)
            return (float(high), bool(in_place)) if low == 0 and high > 0 else None
        return None


@contextmanager
def _rectifying(gate: str) -> Iterator[None]:
    with _Rectifying(gate) as mode:
        yield
    if not mode.met:
        raise UnseenError(
            "this network has no ReLU on the way to the score, and guided backpropagation and deconvolution are about "
            "ReLUs alone (on others they would be the plain gradient); possible: gradient, integrated-gradients, "
            "smoothgrad, grad-cam."
        )


def guided_backprop(question: Question, images: Tensor, *, batch: int = BATCH) -> Tensor:
    """The gradient that passes a ReLU where its input and the gradient are positive, ``[n, c, h, w]``."""
    with _rectifying("guided"):
        return gradient(question, images, batch=batch)


def deconvolution(question: Question, images: Tensor, *, batch: int = BATCH) -> Tensor:
    """The gradient that passes a ReLU where it is positive itself, ``[n, c, h, w]``."""
    with _rectifying("deconvolution"):
        return gradient(question, images, batch=batch)


def reach(question: Question, pictures: Tensor) -> Tensor:
    """Which pixels a number can depend on, as far as its ReLUs let everything pass, ``Bool[n, h, w]``."""
    which = torch.arange(len(pictures), device=pictures.device)
    with _Rectifying("open"):
        return slope(question, pictures, which).abs().amax(1) > 0
