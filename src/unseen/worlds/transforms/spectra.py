"""Power equalisation (Geirhos et al. 2018): all pictures have the same power spectrum, and keep their phases."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from unseen.worlds.transforms.colour import SCIKIT_IMAGE, luminance
from unseen.worlds.transforms.fourier import refiltered, settled

if TYPE_CHECKING:
    import torch
    from torch import Tensor

MEAN = 0.4423 * 255  # the mean of the paper's pictures
CONTRAST = 0.2 * 255  # root mean square about the mean (ours)
NOTHING = 1e-3  # a frequency of smaller amplitude has no phase to speak of (ours); one pixel by one grey value is 1


def power_equalisation(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """Grey, with the amplitudes of a natural picture, 1/f to the power ``strength``, and the picture's own phases;
    clipped.

    The paper takes the mean amplitudes of all its pictures. A picture must not depend on its company here, so they are
    a fixed model of them (ours): isotropic, falling as f⁻¹·² by default (the mean over natural scenes of Tolhurst,
    Tadmor & Chao 1992, Ophthal. Physiol. Opt. 12), with the mean of the paper's pictures and a contrast of .2. For the
    paper's own way see :func:`mean_amplitudes` and :func:`with_amplitudes`.
    """
    height, width = images.shape[-2:]
    wanted = natural_amplitudes(height, width, strength, images.device)
    return settled(with_amplitudes(luminance(images, SCIKIT_IMAGE)[:, 0].double(), wanted), images)


def with_amplitudes(pictures: Tensor, amplitudes: Tensor) -> Tensor:
    """Grey pictures ``[n, h, w]`` with the given amplitudes ``[h, w//2 + 1]`` and their own phases, float64, not
    clipped.

    Frequencies that a picture does not have stay absent: they have no phase.
    """
    import torch

    def changed(spectrum: Tensor) -> Tensor:
        size = spectrum.abs()
        return spectrum * torch.where(size > NOTHING, amplitudes / size.clamp(min=NOTHING), 0.0)

    return refiltered(pictures.double(), changed)


def mean_amplitudes(pictures: Tensor) -> Tensor:
    """Mean amplitudes ``[h, w//2 + 1]`` of grey pictures ``[n, h, w]``, as the paper equalises to."""
    import torch

    return torch.fft.rfft2(pictures.double()).abs().mean(0)


@lru_cache(maxsize=64)
def natural_amplitudes(height: int, width: int, falling: float, device: torch.device) -> Tensor:
    """Amplitudes ``[h, w//2 + 1]`` that fall as 1/f to the power ``falling``; mean ``MEAN``, contrast ``CONTRAST``."""
    import torch

    down, across = np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None]
    frequency = np.hypot(down, across)
    frequency[0, 0] = 1.0
    found = frequency**-falling
    found[0, 0] = 0.0
    twice = np.where((across == 0) | (2 * across == 1.0), 1.0, 2.0)  # a half spectrum stands for its mirror, too
    power = float((twice * found**2).sum())
    if power:  # Parseval: the variance is the sum of the other powers over n²
        found *= CONTRAST * height * width / np.sqrt(power)
    found[0, 0] = MEAN * height * width
    return torch.from_numpy(found).to(device)
