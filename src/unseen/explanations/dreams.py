"""DeepDream: an image is changed until a layer of the network finds more of what it sees in it (Mordvintsev et al.
2015; "the same, but this time with hype", the lecture)."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from unseen.explanations.anatomy import Anatomy, as_images, still
from unseen.explanations.maximised import NO_NUMBER
from unseen.explanations.seen import blurred
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import stream


def dream(
    model: Any,
    images: Any,
    layer: str,
    unit: int | None = None,
    *,
    octaves: int = 4,
    ratio: float = 1.4,
    steps: int = 10,
    rate: float = 0.012,
    jitter: int = 32,
    smallest: int = 32,
    blur: float = 1.0,
    span: tuple[float, float] | None = None,
    seed: int = 0,
) -> np.ndarray:
    """Images ``[n, c, h, w]`` that excite a whole ``layer`` (half its square, as released) or one ``unit`` of it, on
    the images' own scale.

    From the smallest of ``octaves`` to the image's own size, each ``ratio`` times the last, details of the image come
    back and the dream goes on (the released code: 4 octaves, 1.4, 10 steps, jitter 32, each step 1.5 of 255 on average:
    here twice that, 0.012 of the ``span``, ours). Gradients are smoothed by a Gaussian of ``blur`` pixels (ours, for
    the dots that strided convolutions leave). Octaves under ``smallest`` pixels are left out.
    """
    if octaves < 1 or ratio <= 1 or steps < 1:
        raise UnseenError(f"a dream has octaves, a ratio above 1 and steps; given {octaves}, {ratio}, {steps}.")
    anatomy, given = Anatomy(model), as_images(images)
    low, high = span or (
        (0.0, 255.0) if hasattr(anatomy.network, "prepare") else (float(given.min()), float(given.max()))
    )
    with still(anatomy):
        pictures = anatomy.taken(given)
        if unit is not None:
            anatomy.check_unit(given[:1], layer, unit)
        sides = [tuple(round(side / ratio**power) for side in pictures.shape[2:]) for power in reversed(range(octaves))]
        sides = [pair for pair in sides if min(pair) >= smallest or pair == tuple(pictures.shape[2:])]
        detail = torch.zeros_like(_sized(pictures, sides[0]))
        dreamt = pictures
        for number, side in enumerate(sides):
            plain = _sized(pictures, side)
            dreamt = plain + _sized(detail, side)
            for step in range(steps):
                rng = stream(seed, "dream", number, step)
                shift = [int(rng.integers(-jitter, jitter + 1)) for _ in range(2)]
                dreamt = dreamt.roll(shift, (2, 3))
                slopes = _uphill(anatomy, dreamt, layer, unit)
                slopes = blurred(slopes, blur) if blur else slopes
                size = slopes.abs().mean((1, 2, 3), keepdim=True)
                dreamt = dreamt + rate * (high - low) * slopes / size.clamp(min=1e-12)
                dreamt = dreamt.clamp(low, high).roll([-one for one in shift], (2, 3))
            detail = dreamt - plain
    found = dreamt.detach().float().cpu().numpy()
    if not np.isfinite(found).all():
        raise UnseenError(NO_NUMBER)
    return found


def _uphill(anatomy: Anatomy, pictures: Tensor, layer: str, unit: int | None) -> Tensor:
    with torch.enable_grad():
        pictures = pictures.detach().requires_grad_()
        output = anatomy.outputs_of(pictures, layer)
        goal = output.square().sum() / 2 if unit is None else anatomy.units(output, layer, pictures)[:, unit].sum()
        return torch.autograd.grad(goal, pictures)[0]


def _sized(pictures: Tensor, side: tuple[int, ...]) -> Tensor:
    if tuple(pictures.shape[2:]) == tuple(side):
        return pictures
    return F.interpolate(pictures, size=side, mode="bilinear", align_corners=False, antialias=True)
