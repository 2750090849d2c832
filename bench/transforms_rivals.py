"""What a user would write instead of our transformations: torchvision, plain torch where it has none, and kornia.

Every function takes uint8 ``[n, 3, h, w]`` and gives float32 on the 0–255 scale, as ours do; the caller makes the
result contiguous. Random numbers differ from ours, and so do some edges (:func:`margin`); else all compute the same.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import conv2d

Rival = Callable[[Tensor], Tensor]
PLAIN = ("high-pass", "horizontal", "vertical", "salt-and-pepper")  # torchvision has none: these are plain torch
HIGH_PASS, DIFFERENCE, ONES = [-1.0, 2.0, 4.0, 2.0, -1.0], [-1.0, 0.0, 1.0], [1.0, 1.0, 1.0]


def reach(sigma: float) -> int:
    return int(4 * sigma + 0.5)


def margin(side: str, name: str, sigma: float | None) -> int:
    """Pixels along the edges where a rival pads otherwise: torchvision's blur mirrors, and we put zeros outside."""
    return reach(2.0 if sigma is None else sigma) if side == "torchvision" and name.startswith("blur") else 0


def depthwise(down: list[float], across: list[float]) -> Rival:
    """One convolution with the product of a column and a row: on a CPU faster than two of one axis each."""

    def rival(images: Tensor) -> Tensor:
        column, row = (torch.tensor(one, device=images.device) for one in (down, across))
        kernel = torch.outer(column, row).expand(3, 1, -1, -1)
        return conv2d(images.float(), kernel, padding=(len(down) // 2, len(across) // 2), groups=3)

    return rival


def salted(images: Tensor) -> Tensor:
    drawn = torch.rand(len(images), 1, *images.shape[2:], device=images.device)
    return torch.where(drawn < 0.25, 0.0, torch.where(drawn > 0.75, 255.0, images.float()))


def torchvision() -> dict[str, Rival]:
    import torchvision.transforms.v2.functional as tv

    def thinned(images: Tensor) -> Tensor:
        height, width = images.shape[-2:]
        thin = tv.resize(images.float(), [height, width // 2], antialias=False)
        return tv.pad(thin, [width // 4, 0, width - width // 2 - width // 4, 0])

    def blurred(sigma: float) -> Rival:
        size = 2 * reach(sigma) + 1
        return lambda images: tv.gaussian_blur(images.float(), [size, size], [sigma, sigma])

    return {
        "grey-scale": lambda images: tv.rgb_to_grayscale(images.float(), 3),
        "hue": lambda images: tv.adjust_hue(images.float() / 255, 0.5) * 255,
        "thinning": thinned,
        "rotation-90": lambda images: tv.rotate(images, 90).float(),
        "rotation-180": lambda images: tv.rotate(images, 180).float(),
        "blur": blurred(2.0),
        "blur σ=8": blurred(8.0),
        "blur σ=20": blurred(20.0),
        "high-pass": depthwise(HIGH_PASS, HIGH_PASS),
        "horizontal": depthwise(ONES, DIFFERENCE),
        "vertical": depthwise(DIFFERENCE, ONES),
        "inversion": lambda images: tv.invert(images).float(),
        "white-noise": lambda images: tv.gaussian_noise(images.float() / 255, 0.0, 100 / 255, clip=False) * 255,
        "salt-and-pepper": salted,
    }


def kornia(device: str = "cpu") -> dict[str, Rival]:
    """Empty where kornia is not installed. It draws white noise where it is told, salt and pepper always on the CPU."""
    if importlib.util.find_spec("kornia") is None:
        return {}
    import kornia as k  # pyright: ignore[reportMissingImports]

    def separable(down: list[float], across: list[float]) -> Rival:
        def rival(images: Tensor) -> Tensor:
            row, column = (torch.tensor([one], device=images.device) for one in (across, down))
            return k.filters.filter2d_separable(images.float(), row, column, border_type="constant")

        return rival

    def blurred(sigma: float) -> Rival:
        size = 2 * reach(sigma) + 1
        return lambda images: k.filters.gaussian_blur2d(images.float(), (size, size), (sigma, sigma), "constant")

    def turned(degrees: float) -> Rival:
        def rival(images: Tensor) -> Tensor:
            angle = torch.full((len(images),), degrees, device=images.device)
            return k.geometry.transform.rotate(images.float(), angle)

        return rival

    def thinned(images: Tensor) -> Tensor:
        height, width = images.shape[-2:]
        thin = k.geometry.transform.resize(images.float(), (height, width // 2))
        return torch.nn.functional.pad(thin, (width // 4, width - width // 2 - width // 4))

    noise = k.augmentation.RandomGaussianNoise(0.0, 100.0, p=1.0)
    salt = k.augmentation.RandomSaltAndPepperNoise((0.5, 0.5), (0.5, 0.5), p=1.0)
    noise.set_rng_device_and_dtype(torch.device(device), torch.float32)
    return {
        "grey-scale": lambda images: k.color.rgb_to_grayscale(images.float()).expand_as(images),
        "hue": lambda images: k.enhance.adjust_hue(images.float() / 255, math.pi) * 255,
        "thinning": thinned,
        "rotation-90": turned(90.0),
        "rotation-180": turned(180.0),
        "blur": blurred(2.0),
        "blur σ=8": blurred(8.0),
        "blur σ=20": blurred(20.0),
        "high-pass": separable(HIGH_PASS, HIGH_PASS),
        "horizontal": separable(ONES, DIFFERENCE),
        "vertical": separable(DIFFERENCE, ONES),
        "inversion": lambda images: k.enhance.invert(images.float(), torch.tensor(255.0, device=images.device)),
        "white-noise": lambda images: noise(images.float()),
        "salt-and-pepper": lambda images: salt(images.float() / 255) * 255,
    }
