"""A convolution that oneDNN gets wrong on a CPU, and the way round it.

The weights' gradient of a 1×1 convolution with a stride, of fewer channels (by group) than a vector register has
floats, is written behind the end of its workspace where pictures are in channels-last order: a crash at a random place
later, or other numbers than those computed (oneDNN issue 6035; docs/upstream.md has what we measured). ResNets of width
8 have one in their second stage.

A 1×1 convolution with a stride reads every n-th pixel and nothing else, so it is the same convolution without a stride
on every n-th pixel. That path has no such workspace, and channels last stays, which is faster on a CPU than the plain
order (``bench.convolutions``). Only convolutions that the fault can meet go this way: all others compute as before, bit
by bit. Those that do gave the same bits where they could be compared (sides of 8 to 32), and may differ by rounding
elsewhere; old and new are results of one recipe, so identities stay (ours).

A network may also call such a convolution without a module for it. One look shows that (:func:`meets_fault`); its
training then leaves oneDNN aside, which is slow and right.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

VECTOR = 16  # floats in an AVX-512 register; 8 in one of AVX2, where the same fault is


def avoid_narrow_strides(network: nn.Module) -> int:
    """Let every convolution of the network that the fault can meet go round it; give their number. Weights, their names
    and what is computed stay."""
    met = [one for one in network.modules() if type(one) is nn.Conv2d and _is_narrow_stride(one)]
    for one in met:  # a subclass computes in its own way: the look at the whole network finds it
        one.__class__ = Thinned
    return len(met)


class Thinned(nn.Conv2d):
    """A convolution of single pixels with a stride, computed without one on every n-th pixel. Its ``stride`` stays what
    it is, for whoever reads it."""

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        down, across = self.stride
        return nn.functional.conv2d(input[..., ::down, ::across], weight, bias, groups=self.groups)


def meets_fault(network: nn.Module, images: Tensor) -> bool:
    """Whether a look at these images calls a convolution that the fault can meet."""
    training, looking = network.training, _Looking()
    try:
        with torch.no_grad(), looking:
            network.eval()(images)
    finally:
        network.train(training)
    return looking.met


@contextlib.contextmanager
def without_onednn() -> Iterator[None]:
    """torch's own convolutions on the CPU."""
    before = torch.backends.mkldnn.enabled
    torch.backends.mkldnn.enabled = False
    try:
        yield
    finally:
        torch.backends.mkldnn.enabled = before


def _is_narrow_stride(module: nn.Conv2d) -> bool:
    padding = 0 if module.padding == "valid" else module.padding
    return _is_met(module.kernel_size, module.stride, padding, module.in_channels // module.groups)


def _is_met(kernel: Sequence[int], stride: Sequence[int], padding: Any, channels: int) -> bool:
    plain = padding == 0 or (not isinstance(padding, str) and not any(padding))
    return set(kernel) == {1} and max(stride) > 1 and plain and channels < VECTOR


class _Looking(TorchDispatchMode):
    """Sees every convolution, whoever calls it."""

    met = False

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        if func is torch.ops.aten.convolution.default:
            _, weight, _, stride, padding, _, transposed = args[:7]
            narrow = weight.ndim == 4 and _is_met(weight.shape[2:], stride, padding, weight.shape[1])
            self.met |= narrow and not transposed
        return func(*args, **(kwargs or {}))
