"""Pictures that differ from known ones inside a box: a network answers them by computing what the box reaches alone.

A patch that covers 16 of 224 pixels reaches 11 of 112 places of a ResNet's first layer, and all of its last: what lies
outside is that of the picture as it is, and is taken from there (as Nakandala et al. 2019, Incremental and approximate
inference for faster occlusion-based deep CNN explanations, do for named architectures). A :class:`Reached` stands for
the pictures and goes through the network's own code: convolutions, pooling, normalisation, activations and sums work on
boxes, and whatever else is met gets the whole maps. So every network can be asked, and one whose first step looks
everywhere gains nothing. Answers are those of whole pictures up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils._pytree import tree_map

MOST = 0.7  # of a map: a box that reaches more is no longer worth cutting out (ours, measured on a ResNet-50)


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes of one size, by their first row and column; they lie inside the map."""

    top: np.ndarray
    left: np.ndarray
    height: int
    width: int
    device: torch.device
    found: dict[Any, Any] = field(default_factory=dict)

    @property
    def places(self) -> tuple[Tensor, Tensor]:
        return self.once("places", lambda: (self.sent(self.top), self.sent(self.left)))

    def once(self, name: Any, make: Callable[[], Any]) -> Any:
        """Boxes go through the same layers again for every image: what follows from them is found once."""
        if name not in self.found:
            self.found[name] = make()
        return self.found[name]

    def sent(self, numbers: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(numbers)).to(self.device, non_blocking=True)

    def beside(self, top: np.ndarray, left: np.ndarray, height: int, width: int) -> Boxes:
        return Boxes(top, left, height, width, self.device)

    def within(self, outer: Boxes) -> tuple[Tensor, Tensor]:
        """Where these boxes begin, counted from where others begin."""
        return self.once(
            (outer, "within"), lambda: (self.sent(self.top - outer.top), self.sent(self.left - outer.left))
        )

    def with_(self, other: Boxes, size: tuple[int, int]) -> Boxes:
        """The boxes that hold both."""
        return self.once((other, "with"), lambda: self._with(other, size))

    def _with(self, other: Boxes, size: tuple[int, int]) -> Boxes:
        top, height = _span(self.top, self.height, other.top, other.height, size[0])
        left, width = _span(self.left, self.width, other.left, other.width, size[1])
        return self.beside(top, left, height, width)

    def through(self, size: tuple[int, int], step: Step) -> tuple[Boxes, Boxes]:
        """Through a layer with a kernel: what is reached behind it, and what must be read for that, counted on the map
        with its border and ``stride - 1`` more on each side (a stride can pass over what a box holds)."""
        return self.once((size, step), lambda: self._through(size, step))

    def _through(self, size: tuple[int, int], step: Step) -> tuple[Boxes, Boxes]:
        rows = _reached(self.top, self.height, size[0], *(one[0] for one in step))
        columns = _reached(self.left, self.width, size[1], *(one[1] for one in step))
        (top, height, down, high), (left, width, across, wide) = rows, columns
        return self.beside(top, left, height, width), self.beside(down, across, high, wide)


Pair = tuple[int, int]
Step = tuple[Pair, Pair, Pair, Pair]  # kernel, stride, border, dilation


def _span(first: np.ndarray, one: int, second: np.ndarray, two: int, side: int) -> tuple[np.ndarray, int]:
    start, end = np.minimum(first, second), np.maximum(first + one, second + two)
    extent = int((end - start).max())
    return np.minimum(start, side - extent), extent


def _reached(
    start: np.ndarray, extent: int, side: int, kernel: int, stride: int, border: int, dilation: int
) -> tuple[np.ndarray, int, np.ndarray, int]:
    """Along one axis: where the places lie that see a box, how many they are, and what they read."""
    reach = dilation * (kernel - 1)
    count = (side + 2 * border - reach - 1) // stride + 1
    first = np.clip(-(-(start + border - reach) // stride), 0, count - 1)
    last = np.clip((start + extent - 1 + border) // stride, first, count - 1)
    size = int((last - first).max()) + 1
    first = np.minimum(first, count - size)
    return first, size, first * stride, (size - 1) * stride + reach + 1 + 2 * (stride - 1)


def _cut(maps: Tensor, which: Tensor, boxes: Boxes) -> Tensor:
    down, across = boxes.places
    return maps.unfold(2, boxes.height, 1).unfold(3, boxes.width, 1)[which, :, down, across]


def _paste(into: Tensor, crop: Tensor, down: Tensor, across: Tensor) -> Tensor:
    each = torch.arange(len(crop), device=crop.device)
    into.unfold(2, crop.shape[2], 1).unfold(3, crop.shape[3], 1)[each, :, down, across] = crop
    return into


class Reached(Tensor):
    """Maps ``[n, c, h, w]`` of which each is one of ``known`` (``which``) but for a ``crop`` at its box."""

    known: Tensor
    crop: Tensor
    boxes: Boxes
    which: Tensor

    @staticmethod
    def __new__(cls, known: Tensor, crop: Tensor, boxes: Boxes, which: Tensor) -> Reached:
        shape = (len(which), *known.shape[1:])
        return Tensor._make_wrapper_subclass(cls, shape, dtype=known.dtype, device=known.device)  # pyright: ignore

    def __init__(self, known: Tensor, crop: Tensor, boxes: Boxes, which: Tensor) -> None:
        self.known, self.crop, self.boxes, self.which = known, crop, boxes, which

    @property
    def side_lengths(self) -> Pair:
        return self.known.shape[2], self.known.shape[3]

    def whole(self) -> Tensor:
        return _paste(self.known[self.which], self.crop, *self.boxes.places)

    def made(self, known: Tensor, crop: Tensor, boxes: Boxes | None = None) -> Tensor:
        """The next maps; whole ones where the boxes are nearly as large."""
        boxes = self.boxes if boxes is None else boxes
        found = Reached(known, crop, boxes, self.which)
        return found if boxes.height * boxes.width <= MOST * known.shape[2] * known.shape[3] else found.whole()

    def at(self, boxes: Boxes) -> Tensor:
        """What lies in larger boxes."""
        if boxes is self.boxes:
            return self.crop
        return _paste(_cut(self.known, self.which, boxes), self.crop, *self.boxes.within(boxes))

    def read(self, boxes: Boxes, border: Pair, more: Pair, value: float) -> Tensor:
        """What a layer with a kernel must see, without the ``more`` that was read to hold the box."""
        sides = [border[axis] + more[axis] for axis in (0, 1)]
        padded = F.pad(self.known, (sides[1], sides[1], sides[0], sides[0]), value=value)
        down, across = boxes.once(
            (self.boxes, "of"),
            lambda: (
                boxes.sent(self.boxes.top + sides[0] - boxes.top),
                boxes.sent(self.boxes.left + sides[1] - boxes.left),
            ),
        )
        found = _paste(_cut(padded, self.which, boxes), self.crop, down, across)
        return found[:, :, more[0] : found.shape[2] - more[0], more[1] : found.shape[3] - more[1]]

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        if func in ASKED or getattr(func, "__name__", "") == "__get__":
            return super().__torch_function__(func, types, args, kwargs)
        row = ROWS.get(func)
        found = NotImplemented if row is None else row(func, *args, **kwargs)
        return func(*_whole(args), **_whole(kwargs)) if found is NotImplemented else found

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        return func(*_whole(args), **_whole(dict(kwargs or {})))


def changed(known: Tensor, others: Tensor, inside: Tensor, boxes: Boxes, which: Tensor) -> Reached:
    """Images with the pixels of ``others`` where they are ``inside`` (``[n, 1, h, w]``), which boxes hold."""
    masks = _cut(inside, torch.arange(len(which), device=known.device), boxes)
    return Reached(known, torch.where(masks, _cut(others, which, boxes), _cut(known, which, boxes)), boxes, which)


def can_resume(model: Any) -> bool:
    """Whether a network's code sees what is handed to it: what is compiled or scripted does not."""
    if not isinstance(model, nn.Module):
        return False
    return not any(isinstance(one, torch.jit.ScriptModule) or hasattr(one, "_orig_mod") for one in model.modules())


def _whole(given: Any) -> Any:
    return tree_map(lambda one: one.whole() if isinstance(one, Reached) else one, given)


def _each(func: Any, maps: Any, *args: Any, **kwargs: Any) -> Any:
    """What is done to every number alike."""
    if not isinstance(maps, Reached) or any(isinstance(one, Tensor) for one in (*args, *kwargs.values())):
        return NotImplemented
    return maps.made(func(maps.known, *args, **kwargs), func(maps.crop, *args, **kwargs))


def _each_in_place(func: Any, maps: Any, *args: Any, **kwargs: Any) -> Any:
    if not kwargs.pop("inplace", False):
        return _each(func, maps, *args, **kwargs)
    found = _each(func, maps, *args, **kwargs)
    return _changed(maps, found)


def _changed(maps: Reached, found: Any) -> Any:
    """Whoever holds the maps sees them changed."""
    if isinstance(found, Reached):
        maps.known, maps.crop, maps.boxes = found.known, found.crop, found.boxes
        return maps
    return found


def _normalised(func: Any, maps: Any, mean: Any, variance: Any, weight: Any = None, bias: Any = None,
                training: bool = False, *args: Any, **kwargs: Any) -> Any:  # fmt: skip
    if training or mean is None or not isinstance(maps, Reached):
        return NotImplemented
    of = partial(func, running_mean=mean, running_var=variance, weight=weight, bias=bias, training=False)
    more = dict(zip(("momentum", "eps"), args)) | kwargs
    return maps.made(of(maps.known, **more), of(maps.crop, **more))


def _pair(given: Any) -> Pair | None:
    """Two whole numbers, or nothing where words were given."""
    found = given if isinstance(given, tuple | list) else (given, given)
    found = found * 2 if len(found) == 1 else found
    return (int(found[0]), int(found[1])) if all(isinstance(one, int) for one in found) else None


def _windows(maps: Any, func: Callable[..., Tensor], kernel: Any, stride: Any, border: Any, dilation: Any,
             value: float = 0.0) -> Any:  # fmt: skip
    """A layer with a kernel. ``func(maps, border)`` runs it."""
    step = tuple(_pair(one) for one in (kernel, stride, border, dilation))
    if not isinstance(maps, Reached) or any(one is None for one in step):
        return NotImplemented
    kernel, stride, border, dilation = step
    known = func(maps.known, border)
    boxes, reads = maps.boxes.through(maps.side_lengths, step)  # pyright: ignore
    if kernel == stride == (1, 1) and border == (0, 0):
        return maps.made(known, func(maps.crop, border))
    more = (stride[0] - 1, stride[1] - 1)
    return maps.made(known, func(maps.read(reads, border, more, value), (0, 0)), boxes)


def _convolved(func: Any, input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
               dilation: Any = 1, groups: int = 1) -> Any:  # fmt: skip
    if isinstance(weight, Reached) or input.ndim != 4:
        return NotImplemented
    return _windows(input, lambda maps, border: func(maps, weight, bias, stride, border, dilation, groups),
                    tuple(weight.shape[2:]), stride, padding, dilation)  # fmt: skip


def _largest(func: Any, input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
             ceil_mode: bool = False, return_indices: bool = False) -> Any:  # fmt: skip
    if ceil_mode or return_indices:
        return NotImplemented
    stride = stride or kernel_size
    return _windows(input, lambda maps, border: func(maps, kernel_size, stride, border, dilation),
                    kernel_size, stride, padding, dilation, -torch.inf)  # fmt: skip


def _averaged(func: Any, input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
              count_include_pad: bool = True, divisor_override: Any = None) -> Any:  # fmt: skip
    if ceil_mode or divisor_override or not (count_include_pad or _pair(padding) == (0, 0)):
        return NotImplemented
    stride = stride or kernel_size
    return _windows(
        input, lambda maps, border: func(maps, kernel_size, stride, border), kernel_size, stride, padding, 1
    )


def _reckoned(func: Any, first: Any, second: Any, *args: Any, **kwargs: Any) -> Any:
    """Sums and products of two maps, or of maps and a number for all or for each channel."""
    if isinstance(first, Reached) and isinstance(second, Reached):
        if first.shape != second.shape or first.which is not second.which:
            return NotImplemented
        boxes = first.boxes if first.boxes is second.boxes else first.boxes.with_(second.boxes, first.side_lengths)
        crop = func(first.at(boxes), second.at(boxes), *args, **kwargs)
        return first.made(func(first.known, second.known, *args, **kwargs), crop, boxes)
    maps, other = (first, second) if isinstance(first, Reached) else (second, first)
    if isinstance(other, Tensor) and not (
        other.numel() == 1
        or (other.ndim in (3, 4) and other.shape[-2:] == (1, 1) and (other.ndim == 3 or len(other) == 1))
    ):
        return NotImplemented
    known, crop = ((one, second) if maps is first else (first, one) for one in (maps.known, maps.crop))
    return maps.made(func(*known, *args, **kwargs), func(*crop, *args, **kwargs))


def _reckoned_in_place(plain: Any, func: Any, first: Any, second: Any, *args: Any, **kwargs: Any) -> Any:
    found = _reckoned(plain, first, second, *args, **kwargs)
    return _changed(first, found) if isinstance(first, Reached) else found


def _joined(func: Any, tensors: Any, dim: int = 0, **kwargs: Any) -> Any:
    if dim not in (1, -3) or kwargs or not all(isinstance(one, Reached) for one in tensors):
        return NotImplemented
    first, boxes = tensors[0], tensors[0].boxes
    if any(one.which is not first.which or one.shape[2:] != first.shape[2:] for one in tensors):
        return NotImplemented
    for one in tensors[1:]:
        boxes = boxes if one.boxes is boxes else boxes.with_(one.boxes, first.side_lengths)
    return first.made(func([one.known for one in tensors], 1), func([one.at(boxes) for one in tensors], 1), boxes)


ASKED = {Tensor.dim, Tensor.size, Tensor.numel, Tensor.is_floating_point, Tensor.stride, Tensor.is_contiguous}
_ACTIVATIONS = (F.relu, F.relu6, F.hardtanh, F.silu, F.leaky_relu, F.elu, F.selu, F.celu, F.hardswish, F.hardsigmoid,
                F.mish)  # fmt: skip
_ALIKE = (F.gelu, F.softplus, torch.relu, torch.sigmoid, torch.tanh, torch.clamp, Tensor.relu, Tensor.sigmoid,
          Tensor.tanh, Tensor.clamp, Tensor.clone, Tensor.detach, Tensor.contiguous, Tensor.float, F.sigmoid,
          F.tanh)  # fmt: skip
_SUMS = ("add", "sub", "mul", "div")
_SIGNS = ("__add__", "__radd__", "__sub__", "__mul__", "__rmul__", "__truediv__")
_IN_PLACE = {"__iadd__": torch.add, "__imul__": torch.mul, "__isub__": torch.sub, "__itruediv__": torch.div}
ROWS: dict[Any, Callable[..., Any]] = {
    **dict.fromkeys(_ACTIVATIONS, _each_in_place),
    **dict.fromkeys(_ALIKE, _each),
    **{getattr(where, name): _reckoned for name in _SUMS for where in (torch, Tensor)},
    **{getattr(Tensor, name): _reckoned for name in _SIGNS},
    **{getattr(Tensor, name): partial(_reckoned_in_place, plain) for name, plain in _IN_PLACE.items()},
    **{getattr(Tensor, f"{name}_"): partial(_reckoned_in_place, getattr(torch, name)) for name in _SUMS},
    Tensor.relu_: lambda _func, maps: _changed(maps, _each(torch.relu, maps)),
    torch.relu_: lambda _func, maps: _changed(maps, _each(torch.relu, maps)),
    F.batch_norm: _normalised,
    torch.conv2d: _convolved,
    torch.max_pool2d: _largest,
    F.max_pool2d: _largest,
    F.avg_pool2d: _averaged,
    torch.cat: _joined,
}
