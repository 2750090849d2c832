"""The weather of ImageNet-C (Hendrycks & Dietterich 2019): snow, frost, fog and brightness, by severity 1 to 5.

The published frost is six photographs; they are not ours to ship, so frost is drawn here (ours): its numbers are not
those of ImageNet-C. Snow and fog follow the package ``imagecorruptions``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unseen.worlds.transforms.corruption_blur import along_path, zoomed
from unseen.worlds.transforms.noise import normal, pixel_bits, sixteen
from unseen.worlds.transforms.one_by_one import assembled
from unseen.worlds.transforms.plasma import plasma

if TYPE_CHECKING:
    from torch import Tensor

FLAKES = (  # mean, deviation, zoom, threshold, radius, σ along the path, share of the picture
    (0.1, 0.3, 3, 0.5, 10, 4, 0.8),
    (0.2, 0.3, 2, 0.5, 12, 4, 0.7),
    (0.55, 0.3, 4, 0.9, 12, 8, 0.7),
    (0.55, 0.3, 4.5, 0.85, 12, 8, 0.65),
    (0.55, 0.3, 2.5, 0.85, 12, 12, 0.55),
)
FROSTS = ((1.0, 0.4), (0.8, 0.6), (0.7, 0.7), (0.65, 0.7), (0.6, 0.75))  # share of the picture, of the frost
FOGS = ((1.5, 2.0), (2.0, 2.0), (2.5, 1.7), (2.5, 1.5), (3.0, 1.4))  # how much, how smooth
LIGHTER = (0.1, 0.2, 0.3, 0.4, 0.5)
ICE = (0.84, 0.92, 1.0)  # the colour of frost (ours)
CLOUDS = (("frost 0", 1.6), ("frost 1", 1.8), ("frost 2", 2.2))  # of frost: their names and how smooth they are (ours)


def snow(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """A paler picture with flakes that fall within 45° of straight down, and the same flakes turned by 180°."""
    import torch

    from unseen.worlds.transforms import kernels

    mean, deviation, zoom, threshold, radius, sigma, kept = FLAKES[round(strength) - 1]
    height, width = images.shape[-2:]
    table = normal(images.device) * deviation + mean
    if kernels.asked(images):
        drawn = kernels.white_noise(images.new_zeros(len(images), 1, height, width), table, keys)
    else:
        drawn = table[sixteen(pixel_bits(images, keys), 0)]
    flakes = zoomed(drawn, zoom)
    flakes = torch.where(flakes < threshold, 0.0, flakes).clamp_(0, 1)
    flakes = along_path(flakes, radius, sigma, keys, -135, -45)[..., :height, :width]
    flakes = (flakes * 255).round_() / 255
    if kernels.asked(images):
        from unseen.worlds.transforms import fused_corruptions

        return fused_corruptions.snow(images, flakes, kept)
    plain = images.float() / 255
    pale = torch.maximum(plain, _luma(plain) * 1.5 + 0.5)
    whole = plain * kept + pale * (1 - kept)
    return ((whole + flakes + flakes.flip((-2, -1))) * 255).clamp_(0, 255)


def frost(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """A weighted sum of the picture and of ice crystals (ours): ridges of two plasmas, thicker by a third."""
    from unseen.worlds.transforms import kernels

    height, width = images.shape[-2:]
    if kernels.asked(images):
        from unseen.worlds.transforms import fused_corruptions

        kept, added = FROSTS[round(strength) - 1]
        return fused_corruptions.frost(images, keys, CLOUDS, kept, tuple(added * one for one in _ice(images)))
    fields = [plasma(keys, height, width, decay, name) for name, decay in CLOUDS]
    return assembled(images, lambda here: _frozen(images[here], [one[here] for one in fields], round(strength) - 1))


def _frozen(images: Tensor, fields: list[Tensor], place: int) -> Tensor:
    import torch

    kept, added = FROSTS[place]
    ridges = [1 - (2 * field - 1).abs() for field in fields[:2]]
    crystals = torch.maximum(ridges[0], ridges[1])
    crystals = crystals.mul_(crystals).square_()
    ice = (0.15 + 0.75 * crystals + 0.5 * (fields[2] - 0.5)).clamp_(0, 1).float() * 255
    colour = _ice(images)
    shown = [images[:, c] * kept + ice * (added * colour[c]) for c in range(images.shape[1])]
    return torch.stack(shown, 1).clamp_(0, 255)


def _ice(images: Tensor) -> tuple[float, ...]:
    return ICE if images.shape[1] == 3 else (sum(ICE) / 3,) * images.shape[1]


def fog(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """A plasma added to the picture, and both scaled to the picture's own brightest value."""
    much, decay = FOGS[round(strength) - 1]
    clouds = plasma(keys, images.shape[-2], images.shape[-1], decay, "fog")

    def foggy(here: slice) -> Tensor:
        cloud = clouds[here].float()[:, None].mul_(much)
        most = images[here].flatten(1).amax(1).float().view(-1, 1, 1, 1) / 255
        return (images[here].float() / 255 + cloud).mul_(most).div_(most + much).mul_(255).clamp_(0, 255)

    return assembled(images, foggy)


def brightness(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """A larger value of HSV, up to one. Hue and saturation stay, so channels are scaled alike; black becomes grey."""
    import torch

    value = images.amax(1, keepdim=True).float()
    lighter = (value + 255 * LIGHTER[round(strength) - 1]).clamp_(max=255)
    return torch.where(value > 0, images.float() * (lighter / value.clamp(min=1e-6)), lighter)


def _luma(images: Tensor) -> Tensor:
    if images.shape[1] == 1:
        return images
    red, green, blue = images.split(1, 1)
    found = red * 0.299
    found = found + green * 0.587
    return found + blue * 0.114
