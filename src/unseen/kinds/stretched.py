"""Pictures as bytes, to be looked at: transformations may leave the range from black to white."""

from __future__ import annotations

import numpy as np

STRETCHED = "Pictures that leave the range from black to white are stretched to fit it here."


def fitted(image: np.ndarray) -> np.ndarray:
    """A picture as bytes; one that leaves 0 to 255 is stretched to it, about mid grey where it is signed.

    >>> fitted(np.array([0.0, 128.0, 255.0])).tolist(), fitted(np.array([-40.0, 0.0, 80.0])).tolist()
    ([0, 128, 255], [64, 128, 255])
    >>> fitted(np.array([0.0, 510.0])).tolist()
    [0, 255]
    """
    low, high = float(image.min()), float(image.max())
    if low < -1:
        image = 127.5 + 127.5 * image / max(-low, high)
    elif high > 256:
        image = 255 * image / high
    return np.clip(np.rint(image), 0, 255).astype(np.uint8)


def visible(images: np.ndarray) -> np.ndarray:
    """Pictures as bytes, each fitted alone."""
    return images if images.dtype == np.uint8 else np.array([*map(fitted, images)], np.uint8).reshape(images.shape)
