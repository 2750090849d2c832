"""What a given model is fed: pictures of a world become what it was trained on, in batches, on the device.

The steps are those of the transforms that published weights come with (resize, crop in the middle, scale, normalise),
taken from a batch of uint8 pictures. A model that is fed wrongly is the commonest mistake, so that what is done is
frozen data, shown in one sentence (``words``) and set by keys.

Pictures are resized along rows, then along columns, and rounded to whole numbers after each, as Pillow does: on photos
the result is then within two levels of 255 of what a DataLoader would have given, and .005 on average.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import torch
from torch import Tensor

from unseen.vocabulary.errors import UnseenError, unknown

IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
LUMA = (0.299, 0.587, 0.114)  # ITU-R 601, Pillow's way from colours to grey

RESIZE = ("shorter", "exact", "longer", "none")
INTERPOLATION = ("nearest", "bilinear", "bicubic")
CHANNELS = ("RGB", "BGR", "grey", "any")
LAYOUTS = ("NCHW", "NHWC")
DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16, "uint8": torch.uint8}


@dataclass(frozen=True)
class Preprocessing:
    """How pictures become a model's input.

    ``size``: height and width it takes. ``resize`` brings the shorter side to that divided by ``crop`` (``resize_to``
    says the side itself), or the picture to exactly that ("exact"), or its longer side to the size with the rest
    filled ("longer"), or leaves it ("none", where pictures must have the size already, if there is one). The middle of
    ``size`` is then cut out. Values are brought to 0 … ``range``; ``mean`` and ``std`` are on that scale.

    >>> Preprocessing().words
    'shorter side to 256 (bicubic, antialiased), middle 224×224, RGB 0–1, mean .485 .456 .406, std .229 .224 .225'
    """

    size: tuple[int, int] | None = (224, 224)
    resize: Literal["shorter", "exact", "longer", "none"] = "shorter"
    resize_to: int | None = None
    crop: float = 0.875
    interpolation: Literal["nearest", "bilinear", "bicubic"] = "bicubic"
    antialias: bool = True
    mean: tuple[float, ...] = IMAGENET_MEAN
    std: tuple[float, ...] = IMAGENET_STD
    range: float = 1.0
    channels: Literal["RGB", "BGR", "grey", "any"] = "RGB"
    layout: Literal["NCHW", "NHWC"] = "NCHW"
    dtype: Literal["float32", "float16", "bfloat16", "uint8"] = "float32"
    fill: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        for key, possible in (
            ("resize", RESIZE), ("interpolation", INTERPOLATION), ("channels", CHANNELS), ("layout", LAYOUTS),
            ("dtype", DTYPES),
        ):  # fmt: skip
            if getattr(self, key) not in possible:
                raise unknown(f"preprocessing {key}", getattr(self, key), possible)
        if self.size is None and self.resize != "none":
            raise UnseenError(f"preprocessing resize = '{self.resize}' needs a size, e.g. size = 224.")
        if not 0 < self.crop <= 1:
            raise UnseenError(f"preprocessing crop = {self.crop} is no share of the picture; possible: above 0, to 1.")
        many = {"grey": 1, "RGB": 3, "BGR": 3}.get(self.channels)
        for key in ("mean", "std"):
            if many and len(getattr(self, key)) not in (1, many):
                raise UnseenError(
                    f"preprocessing {key} has {len(getattr(self, key))} numbers for {many} channels ({self.channels}); "
                    f"give {many}, or one for all."
                )
        if min(self.std) <= 0 or self.range <= 0:
            raise UnseenError("preprocessing std and range are above 0: they divide and scale.")
        if max(map(abs, self.mean)) > self.range:
            raise UnseenError(
                f"preprocessing mean = {_numbers(self.mean)} lies outside of the range 0–{self.range:g}; mean and std "
                "are on that scale. For numbers on the 0–255 scale set range = 255."
            )

    @property
    def side(self) -> int | None:
        """To what the shorter side is brought before the middle is cut out."""
        if self.size is None or self.resize != "shorter":
            return None
        return self.resize_to or math.floor(min(self.size) / self.crop)

    @property
    def words(self) -> str:
        """All that is done, in one line."""
        size = "" if self.size is None else "×".join(map(str, self.size))
        how = self.interpolation + (", antialiased" if self.antialias and self.interpolation != "nearest" else "")
        said = {
            "none": f"taken as they are ({size})" if size else "taken as they are",
            "exact": f"stretched to {size} ({how})",
            "longer": f"longer side to {max(self.size or (0,))} ({how}), filled to {size}",
            "shorter": f"shorter side to {self.side} ({how}), middle {size}",
        }[self.resize]
        plain = self.dtype == "uint8"
        scale = (
            f"{self.channels if self.channels != 'any' else 'channels as they come'} 0–{255 if plain else self.range:g}"
        )
        parts = [said, scale]
        if not plain and (set(self.mean) != {0.0} or set(self.std) != {1.0}):
            parts += [f"mean {_numbers(self.mean)}", f"std {_numbers(self.std)}"]
        parts += [self.layout] * (self.layout != "NCHW") + [self.dtype] * (self.dtype != "float32")
        return ", ".join(parts)

    def facts(self) -> dict[str, Any]:
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    def __call__(self, images: Tensor) -> Tensor:
        """A batch of uint8 pictures [n, c, h, w] as the model takes them, on their device."""
        return scaled(shaped(images, self), self)


def with_settings(preprocessing: Preprocessing, settings: Mapping[str, Any] | None, where: str) -> Preprocessing:
    """``preprocessing`` with some of its keys set anew, as a recipe or a command line writes them.

    >>> with_settings(Preprocessing(resize_to=232), {"size": 96, "crop": 1}, "here").words[:47]
    'shorter side to 96 (bicubic, antialiased), midd'
    """
    changed: dict[str, Any] = {}
    known = {field.name for field in fields(Preprocessing)}
    for key, value in (settings or {}).items():
        if key not in known:
            raise unknown("preprocessing key", key, sorted(known), where=where)
        changed[key] = _read(key, value, where)
    if not changed:
        return preprocessing
    if changed.get("channels") == "grey" and "mean" not in changed and len(preprocessing.mean) == 3:
        changed |= {key: (sum(getattr(preprocessing, key)) / 3,) for key in ("mean", "std") if key not in changed}
    plain = set(preprocessing.mean) == {0.0} and set(preprocessing.std) == {1.0}
    if "range" in changed and not plain:  # the same normalisation on another scale, unless it is said too
        times = changed["range"] / preprocessing.range
        for key in ("mean", "std"):
            changed.setdefault(key, tuple(value * times for value in getattr(preprocessing, key)))
    if {"crop", "size"} & set(changed):  # the shorter side follows from both, unless it is said too
        changed.setdefault("resize_to", None)
    return replace(preprocessing, **changed)


def _read(key: str, value: Any, where: str) -> Any:
    def wrong(possible: str) -> UnseenError:
        return UnseenError(f"{where}: preprocessing {key} = {value!r}; possible: {possible}.")

    def whole(one: Any) -> bool:
        return isinstance(one, int) and not isinstance(one, bool) and one > 0

    if key == "size":
        if value is None or value == "any":
            return None
        pair = (value, value) if whole(value) else tuple(value) if isinstance(value, list | tuple) else ()
        if len(pair) != 2 or not all(map(whole, pair)):
            raise wrong('a side in pixels (224), height and width ([240, 320]), or "any"')
        return pair
    if key in ("mean", "std"):
        many = [value] if isinstance(value, int | float) else value
        if not isinstance(many, list | tuple) or not many or not all(_is_number(one) for one in many):
            raise wrong("a number, or one for each channel ([0.485, 0.456, 0.406])")
        return tuple(float(one) for one in many)
    if key in ("crop", "range"):
        if not _is_number(value):
            raise wrong("a share such as 0.875" if key == "crop" else "1 or 255")
        return float(value)
    if key == "resize_to":
        if value is not None and not whole(value):
            raise wrong("a side in pixels, such as 256")
        return value
    if key == "fill":
        many = value if isinstance(value, list | tuple) else [value]
        if not many or not all(isinstance(one, int) and 0 <= one <= 255 for one in many):
            raise wrong("0 to 255, or one number for each channel")
        return tuple(many)
    if key == "antialias":
        if not isinstance(value, bool):
            raise wrong("true or false")
        return value
    return value


def shaped(images: Tensor, how: Preprocessing) -> Tensor:
    """Pictures in the size and with the channels that a model takes, still uint8."""
    if images.dtype != torch.uint8 or images.ndim != 4:
        raise UnseenError(
            f"a given model takes pictures as uint8 [n, channels, height, width]; {images.dtype} of shape "
            f"{list(images.shape)} was given. It scales and normalises them by itself."
        )
    images = _in_channels(images, how)
    if how.size is None or (images.shape[2:] == how.size and how.side in (None, how.size[0])):
        return images
    if how.resize == "none":
        raise UnseenError(
            f"pictures of {_size(images)} were given to a model that takes {'×'.join(map(str, how.size))} and resizes "
            'nothing: set preprocessing resize = "exact" or "shorter", or make the world at that size.'
        )
    if how.resize == "exact":
        return _resized(images, how.size, how)
    height, width = images.shape[2:]
    if how.resize == "longer":
        times = min(how.size[0] / height, how.size[1] / width)
        side = (max(round(height * times), 1), max(round(width * times), 1))
        return _in_the_middle(_resized(images, side, how), how.size, how.fill)
    short = how.side or min(how.size)
    side = (short, int(short * width / height)) if height <= width else (int(short * height / width), short)
    return _in_the_middle(_resized(images, side, how), how.size, how.fill)


def scaled(images: Tensor, how: Preprocessing) -> Tensor:
    """Pictures with values, layout and type as a model takes them. Also for floats from 0 to 255, for whoever asks for
    gradients."""
    if how.channels == "BGR":
        images = images.flip(1)
    if how.dtype != "uint8":
        shape = (1, -1, 1, 1)
        mean = torch.tensor(how.mean, device=images.device).reshape(shape)
        std = torch.tensor(how.std, device=images.device).reshape(shape)
        images = ((images.float() / 255 * how.range) - mean) / std
    images = images.permute(0, 2, 3, 1).contiguous() if how.layout == "NHWC" else images
    return images.to(DTYPES[how.dtype])


def _in_channels(images: Tensor, how: Preprocessing) -> Tensor:
    have = images.shape[1]
    if how.channels == "any":
        return images
    if how.channels == "grey":
        if have == 1:
            return images
        if have == 3:
            weights = torch.tensor(LUMA, device=images.device).reshape(1, 3, 1, 1)
            return (images.float() * weights).sum(1, keepdim=True).round().to(torch.uint8)
    elif have in (1, 3):
        return images.expand(-1, 3, -1, -1)
    raise UnseenError(
        f"pictures with {have} channels were given to a model that takes {how.channels}; possible: 1 or 3."
    )


def _resized(images: Tensor, size: tuple[int, int], how: Preprocessing) -> Tensor:
    if tuple(images.shape[2:]) == size or not len(images):
        return images if len(images) else images.new_zeros((0, images.shape[1], *size))
    interpolate = torch.nn.functional.interpolate
    if how.interpolation == "nearest":
        return interpolate(images, size=size, mode="nearest-exact")
    made = images
    for side in ((images.shape[2], size[1]), size):  # rows, then columns, each rounded: Pillow's way
        if tuple(made.shape[2:]) != side:
            if made.device.type == "cpu":  # which has a kernel for whole numbers
                made = interpolate(made, size=side, mode=how.interpolation, antialias=how.antialias)
                continue
            wide = interpolate(made.float(), size=side, mode=how.interpolation, antialias=how.antialias)
            made = wide.round_().clamp_(0, 255).to(torch.uint8)
    return made


def _in_the_middle(images: Tensor, size: tuple[int, int], fill: tuple[int, ...]) -> Tensor:
    """The middle of pictures, by torchvision's rounding; smaller ones are filled around."""
    missing = [max(want - have, 0) for want, have in zip(size, images.shape[2:])]
    if any(missing):
        n, channels, height, width = images.shape
        above, left = (one // 2 for one in missing)
        colour = torch.tensor(fill, dtype=images.dtype, device=images.device).reshape(1, -1, 1, 1)
        around = colour.expand(n, channels, height + missing[0], width + missing[1]).clone()
        around[:, :, above : above + height, left : left + width] = images
        images = around
    top, left = (round((have - want) / 2) for want, have in zip(size, images.shape[2:]))
    return images[:, :, top : top + size[0], left : left + size[1]]


def _size(images: Tensor) -> str:
    return "×".join(map(str, images.shape[2:]))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _numbers(values: tuple[float, ...]) -> str:
    return " ".join(f"{value:.3g}".removeprefix("0") if 0 < value < 1 else f"{value:.3g}" for value in values)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
