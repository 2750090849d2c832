"""The nine conditions of Geirhos et al. 2018 (NeurIPS), at the levels of the lecture's table.

Their released code works on grey pictures in [0, 1]; a number there is our number divided by 255. Computing is done on
our scale with constants multiplied by 255, which differs by rounding only. All but ``colour`` make the picture grey
first (scikit-image's weights), clip at the end, and show the result in all channels, as the code does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from unseen.worlds.rendering import chance
from unseen.worlds.transforms.colour import SCIKIT_IMAGE, luminance
from unseen.worlds.transforms.filters import smoothed, stepped
from unseen.worlds.transforms.fourier import refiltered, settled
from unseen.worlds.transforms.geometry import turned
from unseen.worlds.transforms.noise import LEVELS, pixel_bits, sixteen

if TYPE_CHECKING:
    import torch
    from torch import Tensor

BACKGROUND = 0.4423 * 255  # the mean of their pictures: outside of filtered ones, and where the high-pass is centred
NOISE_CONTRAST = 0.3  # both noises are added to pictures of this contrast


def colour(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """The picture as it is."""
    return images.float()


def grey(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    return _shown(_grey(images), images)


def contrast(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """(1 − c)/2 + c·x."""
    return _shown(_at_contrast(images, strength), images)


def low_pass(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """A Gaussian of ``strength`` pixels, cut at four standard deviations, with the mean grey outside."""
    return _shown(smoothed(_grey(images), strength, BACKGROUND).clamp_(0, 255).float(), images)


def high_pass(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """The picture less its low-pass, moved so that its mean is the mean grey, clipped.

    The mean is of whole steps in float64 and so exact, in whatever order they are summed.
    """
    plain = _grey(images)
    left = stepped(plain) - smoothed(plain, strength, BACKGROUND)
    return _shown((left + (BACKGROUND - left.mean((-2, -1), keepdim=True))).clamp_(0, 255).float(), images)


def rotation(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """90, 180 or 270° anti-clockwise; the table has 90."""
    return _shown(turned(_grey(images), round(strength) // 90, BACKGROUND), images)


def salt_and_pepper(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """At 30 % contrast a pixel becomes black or white with probability ``strength``, half of it each."""
    import torch

    share = chance.between(pixel_bits(images, keys))
    pale = _at_contrast(images, NOISE_CONTRAST)
    salted = torch.where(share >= 1 - strength / 2, 255.0, pale)
    return _shown(torch.where(share < strength / 2, 0.0, salted), images)


def uniform_noise(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """At 30 % contrast, plus noise in [−``strength``, ``strength``) of the whole range, clipped."""
    drawn = chance.between(pixel_bits(images, keys), -1.0, 1.0)
    return _shown((_at_contrast(images, NOISE_CONTRAST) + drawn * (strength * 255)).clamp_(0, 255), images)


def phase_noise(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """Every frequency's phase moves by its own angle in [−``strength``, ``strength``] degrees, and that of the opposite
    frequency by the opposite angle, so that the picture stays real and no amplitude changes. Clipped.

    This follows the paper's words and the released code's comment, not what that code does: see
    :func:`phase_noise_released`, beside which this one is harsher. The mean and, as there, the row and column of the
    highest frequency of an even size keep their phases.
    """
    return _scrambled(images, strength, keys, _turns)


def phase_noise_released(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """What the released code of Geirhos et al. 2018 shows (github.com/rgeirhos/generalisation-humans-DNNs,
    code/image_manipulation.py, ``scramble_phases``), and so what observers and networks of its numbers saw.

    There the centred spectrum without its first row and column is flattened, its first half moves by angles s, and its
    second half by −s *in the same order*, where only the reversed order would meet the opposite frequencies. A
    frequency k at place i of h thus moves by sᵢ, the opposite one by −sⱼ with j = h − 1 − i, and the imaginary part
    that results is dropped. What is left of k is F(k) · (e^{i sᵢ} + e^{i sⱼ}) / 2: the mean of two phases drawn by
    themselves, of length cos((sᵢ − sⱼ) / 2). So amplitudes shrink by chance, and those that shrink are those whose
    phases moved apart. Before clipping the expected correlation with the plain picture at 90° is
    (2/π) / √((1 + 4/π²) / 2) = .76, against 2/π = .64 for :func:`phase_noise`.

    The code fails for odd sizes; they are treated alike here (ours): what lies opposite each other is shifted.
    """
    return _scrambled(images, strength, keys, _turns_released)


def _scrambled(images: Tensor, degrees: float, keys: Tensor, turning: Callable[..., Tensor]) -> Tensor:
    """The grey picture with every frequency multiplied by what ``turning(keys, height, width, degrees)`` gives."""

    from unseen.worlds.transforms import kernels

    plain = _grey(images)[:, 0].double()
    if kernels.asked(images):
        from unseen.worlds.transforms import fused_corruptions

        circle = _circle(degrees, images.device)
        turns = fused_corruptions.turns(keys, plain.shape[1], plain.shape[2], circle, turning is _turns_released)
    else:
        turns = turning(keys, plain.shape[1], plain.shape[2], degrees)
    return settled(refiltered(plain, lambda spectrum, turn: spectrum * turn, turns), images)


def _turns(keys: Tensor, height: int, width: int, degrees: float) -> Tensor:
    """Complex numbers of length one ``[n, h, w//2 + 1]``, one per frequency of a real picture's half spectrum."""
    import torch

    down = torch.arange(height, device=keys.device)[:, None]
    across = torch.arange(width // 2 + 1, device=keys.device)[None]
    own, opposite = down * width + across, (-down) % height * width + (-across) % width
    still = (own == opposite) | (2 * down == height) | (2 * across == width)
    bits = chance.bits(keys.view(-1, 1, 1) + torch.minimum(own, opposite), 0, "phases")
    place = sixteen(bits, 0)
    place = torch.where(own > opposite, LEVELS - 1 - place, place)  # the table is antisymmetric
    return torch.where(still, 1.0 + 0.0j, _circle(degrees, keys.device)[place])


def _turns_released(keys: Tensor, height: int, width: int, degrees: float) -> Tensor:
    """Complex numbers ``[n, h, w//2 + 1]`` of length at most one, see :func:`phase_noise_released`."""
    import torch

    down = torch.arange(height, device=keys.device)[:, None]
    across = torch.arange(width // 2 + 1, device=keys.device)[None]
    still = (2 * down == height) | (2 * across == width)
    up, left = (height - 1) // 2, (width - 1) // 2  # of the centre, in what is flattened
    signed = torch.where(2 * down > height, down - height, down)
    middle = up * (2 * left + 1) + left  # the centre's place, and how many angles are drawn
    place = (signed + up) * (2 * left + 1) + across + left
    first = torch.minimum(place, 2 * middle - place)  # of a frequency and its opposite, the one in the first half
    still |= place == middle
    own, other = (
        sixteen(chance.bits(keys.view(-1, 1, 1) + number, 0, "phases"), 0) for number in (first, middle - 1 - first)
    )
    own, other = (torch.where(place > middle, LEVELS - 1 - drawn, drawn) for drawn in (own, other))
    circle = _circle(degrees, keys.device)
    return torch.where(still, 1.0 + 0.0j, (circle[own] + circle[other]) / 2)


@lru_cache(maxsize=64)
def _circle(degrees: float, device: torch.device) -> Tensor:
    """e^{iφ} for 65,536 angles φ from −``degrees`` to ``degrees``, made once: cosines differ between processors."""
    import torch

    angles = np.deg2rad(degrees) * ((2 * np.arange(LEVELS) + 1) / LEVELS - 1)
    return torch.from_numpy(np.exp(1j * angles)).to(device)


def _grey(images: Tensor) -> Tensor:
    return luminance(images, SCIKIT_IMAGE)


def _at_contrast(images: Tensor, level: float) -> Tensor:
    return _grey(images) * level + (1 - level) / 2 * 255


def _shown(found: Tensor, images: Tensor) -> Tensor:
    """In all channels."""
    return found.expand_as(images).contiguous()
