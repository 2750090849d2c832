"""Ambient light as the coefficients that ``Scenes.ambient`` takes: plain polynomials of the normal, in the order
1; y, z, x; xy, yz, 3z² − 1, xz, x² − y². A white matt surface shows this light as its colour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def hemisphere(sky: Tensor, ground: Tensor) -> Tensor:
    """``[..., 4, 3]``: linear colours ``[..., 3]`` of the light from above and from below, mixed by the normal's z."""
    import torch

    zero = torch.zeros_like(sky)
    return torch.stack([(sky + ground) * 0.5, zero, (sky - ground) * 0.5, zero], -2)


# Y_lm as polynomials, and the zonal coefficients of the cosine lobe over π: 1, 2/3, 1/4.
_NORMS = (
    math.sqrt(1 / (4 * math.pi)),
    *(math.sqrt(3 / (4 * math.pi)),) * 3,
    *(math.sqrt(15 / (4 * math.pi)),) * 2,
    math.sqrt(5 / (16 * math.pi)),
    math.sqrt(15 / (4 * math.pi)),
    math.sqrt(15 / (16 * math.pi)),
)
_LOBE: Sequence[float] = (1, *(2 / 3,) * 3, *(1 / 4,) * 5)


def sky_irradiance(sky: Tensor) -> Tensor:
    """``[9, 3]`` float32 from an equirectangular map ``[h, w, 3]`` in linear light, whose middle is +x and whose left
    half is +y: irradiance over π, the colour that a white matt surface takes. Nine numbers are within a few per cent of
    the full integral (Ramamoorthi & Hanrahan, *An efficient representation for irradiance environment maps*, 2001)."""
    import torch

    height, width = sky.shape[:2]
    sky = sky.double().cpu()
    elevation = (0.5 - (torch.arange(height).double() + 0.5) / height) * math.pi
    azimuth = (0.5 - (torch.arange(width).double() + 0.5) / width) * 2 * math.pi
    z = elevation.sin()[:, None].expand(height, width)
    x, y = (elevation.cos()[:, None] * f[None, :] for f in (azimuth.cos(), azimuth.sin()))
    solid = elevation.cos()[:, None] * (math.pi / height) * (2 * math.pi / width)
    polynomials = [torch.ones_like(x), y, z, x, x * y, y * z, 3 * z * z - 1, x * z, x * x - y * y]
    rows = []
    for polynomial, norm, lobe in zip(polynomials, _NORMS, _LOBE):
        radiance = (sky * (polynomial * norm * solid)[..., None]).sum((0, 1))
        rows.append(radiance * norm * lobe)
    return torch.stack(rows).float()
