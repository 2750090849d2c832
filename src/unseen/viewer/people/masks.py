"""Pink-noise masks: what follows an image so that it is not seen any longer (Geirhos et al. 2018)."""

from __future__ import annotations

import numpy as np
from jaxtyping import UInt8

from unseen.vocabulary.seeds import stream

CONTRAST = 0.3  # standard deviation of the mask's brightness, of 1 (ours)


def pink_noise(side: int, number: int) -> UInt8[np.ndarray, "1 side side"]:
    """Noise whose amplitude falls with one over frequency, with random phases; another for every ``number``.

    >>> pink_noise(32, 0).shape, bool((pink_noise(32, 0) == pink_noise(32, 0)).all())
    ((1, 32, 32), True)
    """
    white = np.fft.rfft2(stream(0, "mask", side, number).standard_normal((side, side)))
    rows, columns = np.fft.fftfreq(side)[:, None], np.fft.rfftfreq(side)[None]
    frequency = np.hypot(rows, columns)
    frequency[0, 0] = np.inf  # no mean of its own
    drawn = np.fft.irfft2(white / frequency, s=(side, side))
    grey = 0.5 + CONTRAST * drawn / drawn.std()
    return (255 * np.clip(grey, 0, 1)).round().astype(np.uint8)[None]
