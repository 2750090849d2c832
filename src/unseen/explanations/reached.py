"""Pictures that differ from known ones inside a box: a network answers them by computing what the box reaches alone.

A patch that covers 16 of 224 pixels reaches 11 of 112 places of a ResNet's first layer, and all of its last: what lies
outside is that of the picture as it is, and is taken from there (as Nakandala et al. 2019, Incremental and approximate
inference for faster occlusion-based deep CNN explanations, do for named architectures). A :class:`Reached` stands for
the pictures and goes through the network's own code: convolutions, pooling, normalisation, activations and sums work on
boxes, and whatever else is met gets the whole maps. So every network can be asked, and one whose first step looks
everywhere gains nothing. What the known pictures give is found once for all boxes; a normalisation behind a convolution
becomes part of its weights. Answers are those of whole pictures up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils._pytree import tree_map

from unseen.explanations.boxes import Boxes, Pair, Step, behind, cut, paste

MOST = 0.87  # of a map: a box that reaches more is no longer worth cutting out (ours: 13 of 14 rows and columns are)


Found = dict[Any, tuple[Any, Any]]


def _once(found: Found, name: Any, of: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    """What was made of the same; what it was made of is held, so that nothing else takes its id."""
    key = (name, *map(id, of))
    try:
        return found[key][1]
    except KeyError:
        found[key] = of, make()
        return found[key][1]
    except TypeError:  # a setting that is no key
        return make()


@dataclass(frozen=True, eq=False)
class Known:
    """What the known pictures give, each step once; and weights that normalisation became part of, for all pictures."""

    weights: Found = field(default_factory=dict)
    found: Found = field(default_factory=dict)

    def once(self, name: Any, of: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        return _once(self.found, name, of, make)

    def folded(self, convolution: Convolution, *of: Any) -> Convolution:
        key = ("folded", convolution.step, convolution.groups, of[-1])
        held = (convolution.weight, convolution.bias, *of[:-1])
        return _once(self.weights, key, held, lambda: convolution.normalised(*of))


@dataclass(frozen=True, eq=False)
class Maps:
    """Maps ``[n, c, h, w]`` of which each is one of ``plain`` (``which``) but for a ``crop`` at its box; without boxes
    the crop is the whole maps."""

    known: Known
    which: Tensor
    plain: Tensor
    crop: Tensor
    boxes: Boxes | None

    @property
    def shape(self) -> tuple[int, ...]:
        return len(self.which), *(self.crop if self.boxes is None else self.plain).shape[1:]

    @property
    def numbers(self) -> Tensor:
        """A tensor of the same type and place."""
        return self.crop

    def run(self) -> Maps:
        return self

    def whole(self) -> Tensor:
        return self.crop if self.boxes is None else paste(self.plain[self.which], self.crop, *self.boxes.places)

    def alone(self) -> Maps:
        """Whole maps that may be changed where they are: nobody else holds them."""
        return Maps(self.known, self.which, self.plain, self.crop.clone() if self.boxes is None else self.whole(), None)

    def made(self, plain: Tensor, crop: Tensor, boxes: Boxes | None) -> Maps:
        """The next maps; whole ones where the boxes are nearly as large."""
        found = Maps(self.known, self.which, plain, crop, boxes)
        if boxes is None or boxes.height * boxes.width <= MOST * plain.shape[2] * plain.shape[3]:
            return found
        return Maps(self.known, self.which, plain, found.whole(), None)

    def mapped(self, name: Any, func: Callable[[Tensor], Tensor], of: tuple[Any, ...] = ()) -> Maps:
        """What is done to every number alike."""
        if self.boxes is None:
            return Maps(self.known, self.which, self.plain, func(self.crop), None)
        plain = self.known.once(name, (self.plain, *of), lambda: func(self.plain))
        return Maps(self.known, self.which, plain, func(self.crop), self.boxes)

    def at(self, boxes: Boxes) -> Tensor:
        """What lies in larger boxes."""
        assert self.boxes is not None
        if boxes is self.boxes:
            return self.crop
        return paste(cut(self.plain, self.which, boxes), self.crop, *self.boxes.within(boxes))

    def read(self, boxes: Boxes, border: Pair, more: Pair, value: float) -> Tensor:
        """What a layer with a kernel must see, without the ``more`` that was read to hold the box."""
        assert self.boxes is not None
        down, across = border[0] + more[0], border[1] + more[1]
        padded = self.plain
        if down or across:
            make = partial(F.pad, self.plain, (across, across, down, down), value=value)
            padded = self.known.once(("padded", down, across, value), (self.plain,), make)
        found = paste(cut(padded, self.which, boxes), self.crop, *self.boxes.within(boxes, (down, across)))
        return found[:, :, more[0] : found.shape[2] - more[0], more[1] : found.shape[3] - more[1]]

    def slid(self, name: Any, func: Callable[..., Tensor], step: Step, of: tuple[Any, ...] = (),
             value: float = 0.0) -> Maps:  # fmt: skip
        """Behind a layer with a kernel. ``func(maps, border)`` runs it."""
        kernel, stride, border, _ = step
        if self.boxes is None:
            return Maps(self.known, self.which, self.plain, func(self.crop, border), None)
        plain = self.known.once((name, step), (self.plain, *of), lambda: func(self.plain, border))
        if kernel == stride == (1, 1) and border == (0, 0):
            return self.made(plain, func(self.crop, border), self.boxes)
        boxes, reads = self.boxes.through((self.plain.shape[2], self.plain.shape[3]), step)
        more = (stride[0] - 1, stride[1] - 1)
        return self.made(plain, func(self.read(reads, border, more, value), (0, 0)), boxes)


@dataclass(frozen=True, eq=False)
class Convolution:
    """A convolution, still to be run."""

    weight: Tensor
    bias: Tensor | None
    step: Step
    groups: int

    def __call__(self, maps: Tensor, border: Pair) -> Tensor:
        _, stride, _, dilation = self.step
        return torch.conv2d(maps, self.weight, self.bias, stride, border, dilation, self.groups)

    def normalised(self, mean: Tensor, variance: Tensor, weight: Any, bias: Any, eps: float) -> Convolution:
        """With the normalisation behind it as part of its weights."""
        wide = torch.promote_types(self.weight.dtype, torch.float32)
        scale = (variance.to(wide) + eps).rsqrt()
        scale = scale if weight is None else scale * weight.to(wide)
        shift = -mean.to(wide) if self.bias is None else self.bias.to(wide) - mean.to(wide)
        shift = shift * scale if bias is None else shift * scale + bias.to(wide)
        folded = (self.weight.to(wide) * scale[:, None, None, None]).to(self.weight)
        return Convolution(folded, shift.to(self.weight), self.step, self.groups)


@dataclass(frozen=True, eq=False)
class Convolved:
    """Maps behind a convolution that runs when they are needed: a normalisation may come first."""

    source: Maps
    convolution: Convolution
    found: list[Maps] = field(default_factory=list)

    @property
    def shape(self) -> tuple[int, ...]:
        n, _, *sides = self.source.shape
        return n, len(self.convolution.weight), *behind((sides[0], sides[1]), self.convolution.step)

    @property
    def numbers(self) -> Tensor:
        return self.source.numbers

    def run(self) -> Maps:
        if not self.found:
            made = self.convolution
            self.found.append(self.source.slid("convolution", made, made.step, (made.weight, made.bias)))
        return self.found[0]


class Reached(Tensor):
    """:class:`Maps` as the network's own code holds them."""

    maps: Maps | Convolved

    @staticmethod
    def __new__(cls, maps: Maps | Convolved) -> Reached:
        like = maps.numbers
        return Tensor._make_wrapper_subclass(cls, maps.shape, dtype=like.dtype, device=like.device)  # pyright: ignore

    def __init__(self, maps: Maps | Convolved) -> None:
        self.maps = maps

    def whole(self) -> Tensor:
        return self.maps.run().whole()

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        if func in ASKED or getattr(func, "__name__", "") == "__get__":
            return super().__torch_function__(func, types, args, kwargs)
        row = ROWS.get(func)
        found = NotImplemented if row is None else row(func, *args, **kwargs)
        if isinstance(found, Maps | Convolved):
            return Reached(found)
        if found is not NotImplemented:
            return found
        if args and isinstance(args[0], Reached) and _changes(func):
            args[0].maps = args[0].maps.run().alone()
        return func(*_whole(args), **_whole(kwargs))

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        return func(*_whole(args), **_whole(dict(kwargs or {})))


def changed(known: Known, plain: Tensor, others: Tensor, inside: Tensor, boxes: Boxes, which: Tensor) -> Reached:
    """Images with the pixels of ``others`` where they are ``inside`` (``[n, 1, height, width]`` of the boxes)."""
    crop = torch.where(inside, cut(others, which, boxes), cut(plain, which, boxes))
    return Reached(Maps(known, which, plain, crop, boxes))


def can_resume(model: Any) -> bool:
    """Whether a network's code sees what is handed to it: what is compiled or scripted does not."""
    if not isinstance(model, nn.Module):
        return False
    return not any(isinstance(one, torch.jit.ScriptModule) or hasattr(one, "_orig_mod") for one in model.modules())


def _changes(func: Any) -> bool:
    """Whether it changes what it is given."""
    name = getattr(func, "__name__", "")
    return name == "__setitem__" or name.startswith("__i") or (name.endswith("_") and not name.endswith("__"))


def _whole(given: Any) -> Any:
    return tree_map(lambda one: one.whole() if isinstance(one, Reached) else one, given)


def _each(func: Any, given: Any, *args: Any, **kwargs: Any) -> Any:
    """What is done to every number alike."""
    if not isinstance(given, Reached) or any(isinstance(one, Tensor) for one in (*args, *kwargs.values())):
        return NotImplemented
    name = (func, args, tuple(kwargs.items()))
    return given.maps.run().mapped(name, lambda maps: func(maps, *args, **kwargs))


def _each_in_place(func: Any, given: Any, *args: Any, **kwargs: Any) -> Any:
    changes = kwargs.pop("inplace", False)
    found = _each(func, given, *args, **kwargs)
    return _changed(given, found) if changes else found


def _changed(given: Reached, found: Any) -> Any:
    """Whoever holds the maps sees them changed."""
    if not isinstance(found, Maps):
        return NotImplemented
    given.maps = found
    return given


def _normalised(func: Any, given: Any, mean: Any, variance: Any, weight: Any = None, bias: Any = None,
                training: bool = False, momentum: Any = 0.1, eps: float = 1e-5) -> Any:  # fmt: skip
    if training or mean is None or not isinstance(given, Reached):
        return NotImplemented
    maps, of = given.maps, (mean, variance, weight, bias)
    if isinstance(maps, Convolved) and not maps.found:
        return Convolved(maps.source, maps.source.known.folded(maps.convolution, *of, eps))
    return maps.run().mapped(("normalised", eps), lambda one: func(one, *of, False, momentum, eps), of)


def _pair(given: Any) -> Pair | None:
    """Two whole numbers, or nothing where words were given."""
    found = given if isinstance(given, tuple | list) else (given, given)
    found = found * 2 if len(found) == 1 else found
    return (int(found[0]), int(found[1])) if all(isinstance(one, int) for one in found) else None


def _step(*given: Any) -> Any:
    found = tuple(_pair(one) for one in given)
    return None if None in found else found


def _convolved(func: Any, input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
               dilation: Any = 1, groups: int = 1) -> Any:  # fmt: skip
    if isinstance(weight, Reached) or not isinstance(input, Reached) or input.ndim != 4:
        return NotImplemented
    step = _step(tuple(weight.shape[2:]), stride, padding, dilation)
    return NotImplemented if step is None else Convolved(input.maps.run(), Convolution(weight, bias, step, groups))


def _largest(func: Any, input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
             ceil_mode: bool = False, return_indices: bool = False) -> Any:  # fmt: skip
    step = _step(kernel_size, stride or kernel_size, padding, dilation)
    if ceil_mode or return_indices or step is None:
        return NotImplemented
    kernel, apart, _, spread = step
    return input.maps.run().slid(
        func, lambda maps, border: func(maps, kernel, apart, border, spread), step, value=-torch.inf
    )


def _averaged(func: Any, input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
              count_include_pad: bool = True, divisor_override: Any = None) -> Any:  # fmt: skip
    step = _step(kernel_size, stride or kernel_size, padding, 1)
    if ceil_mode or divisor_override or step is None or not (count_include_pad or step[2] == (0, 0)):
        return NotImplemented
    kernel, apart = step[:2]
    return input.maps.run().slid(func, lambda maps, border: func(maps, kernel, apart, border), step)


def _reckoned(func: Any, first: Any, second: Any, *args: Any, **kwargs: Any) -> Any:
    """Sums and products of two maps, or of maps and a number for all or for each channel."""
    if isinstance(first, Reached) and isinstance(second, Reached):
        return _of_two(func, first.maps.run(), second.maps.run(), *args, **kwargs)
    given, other = (first, second) if isinstance(first, Reached) else (second, first)
    of = (other,) if isinstance(other, Tensor) else ()
    if of and not (
        other.numel() == 1
        or (other.ndim in (3, 4) and other.shape[-2:] == (1, 1) and (other.ndim == 3 or len(other) == 1))
    ):
        return NotImplemented
    name = (func, given is first, None if of else other, args, tuple(kwargs.items()))
    one = (lambda maps: func(maps, other, *args, **kwargs)) if given is first else (
        lambda maps: func(other, maps, *args, **kwargs))  # fmt: skip
    return given.maps.run().mapped(name, one, of)


def _of_two(func: Any, first: Maps, second: Maps, *args: Any, **kwargs: Any) -> Any:
    if first.shape != second.shape or first.which is not second.which:
        return NotImplemented
    if first.boxes is None or second.boxes is None:
        return Maps(first.known, first.which, first.plain, func(first.whole(), second.whole(), *args, **kwargs), None)
    boxes = first.boxes
    if boxes is not second.boxes:
        boxes = boxes.with_(second.boxes, (first.plain.shape[2], first.plain.shape[3]))
    plain = first.known.once((func, args, tuple(kwargs.items())), (first.plain, second.plain),
                             lambda: func(first.plain, second.plain, *args, **kwargs))  # fmt: skip
    return first.made(plain, func(first.at(boxes), second.at(boxes), *args, **kwargs), boxes)


def _reckoned_in_place(plain: Any, func: Any, first: Any, second: Any, *args: Any, **kwargs: Any) -> Any:
    return _changed(first, _reckoned(plain, first, second, *args, **kwargs)) if isinstance(first, Reached) else (
        NotImplemented)  # fmt: skip


def _joined(func: Any, tensors: Any, dim: int = 0, **kwargs: Any) -> Any:
    if dim not in (1, -3) or kwargs or not all(isinstance(one, Reached) for one in tensors):
        return NotImplemented
    parts = [one.maps.run() for one in tensors]
    first, boxes = parts[0], parts[0].boxes
    if any(one.which is not first.which or one.shape[2:] != first.shape[2:] for one in parts):
        return NotImplemented
    if any(one.boxes is None for one in parts):
        return Maps(first.known, first.which, first.plain, func([one.whole() for one in parts], 1), None)
    for one in parts[1:]:
        boxes = boxes if one.boxes is boxes else boxes.with_(one.boxes, (first.shape[2], first.shape[3]))
    of = tuple(one.plain for one in parts)
    plain = first.known.once("joined", of, lambda: func(of, 1))
    return first.made(plain, func([one.at(boxes) for one in parts], 1), boxes)


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
    Tensor.relu_: lambda _func, given: _changed(given, _each(torch.relu, given)),
    torch.relu_: lambda _func, given: _changed(given, _each(torch.relu, given)),
    F.batch_norm: _normalised,
    torch.conv2d: _convolved,
    torch.max_pool2d: _largest,
    F.max_pool2d: _largest,
    F.avg_pool2d: _averaged,
    torch.cat: _joined,
}
