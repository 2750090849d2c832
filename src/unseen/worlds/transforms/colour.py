"""Colour: what needs three channels, and the inversion of contrast.

Every function here and in the sister modules takes ``images`` ``[n, channels, height, width]``, uint8 or float32 on the
0–255 scale, a ``strength`` and one 63-bit number per image in ``keys``, and gives float32 of the same shape. Bytes
become floats as late as possible, since a quarter of the memory is then moved. What a function does not need it does
not look at. Operations are elementwise and each is rounded by itself (no fused multiply-add), so that an image has the
same bits in any batch, and on a GPU those of a CPU but for a last bit here and there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

TENSORFLOW = (0.2989, 0.5870, 0.1140)  # of tf.image.rgb_to_grayscale; they sum to .9999
SCIKIT_IMAGE = (0.2125, 0.7154, 0.0721)  # of skimage.color.rgb2gray


def luminance(images: Tensor, weights: tuple[float, float, float]) -> Tensor:
    """One channel, float32: the weighted sum of three, or the only one there is."""
    if images.shape[1] == 1:
        return images.float()
    red, green, blue = images.split(1, 1)
    found = red * weights[0]  # uint8 times a Python number is float32
    found += green * weights[1]
    found += blue * weights[2]
    return found


def grey_scale(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """Zaidi et al.: "performed using built-in TensorFlow functions", so with TensorFlow's weights, in all channels and
    not rounded (the pictures are floating point when they are transformed)."""
    import torch

    found = images.to(torch.float32, copy=True)
    planes = found.split(1, 1)
    for plane, weight in zip(planes, TENSORFLOW):
        plane *= weight
    red, green, blue = planes
    red += green
    red += blue
    green.copy_(red)
    blue.copy_(red)
    return found


def hue(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """Hue rotated by 180° in HSV; saturation and value stay.

    Half a turn has a closed form: the largest and the smallest channel of a pixel change places, and the middle one is
    mirrored between them, c → max + min − c. It is exact for whole numbers.
    """
    import torch

    red, green, blue = images.split(1, 1)
    ends = torch.maximum(torch.maximum(red, green), blue).float()
    ends += torch.minimum(torch.minimum(red, green), blue)
    return ends - images


def inversion(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """Contrast inversion, 255 − x, which turns every bit of a byte."""
    import torch

    return (~images).float() if images.dtype == torch.uint8 else 255.0 - images
