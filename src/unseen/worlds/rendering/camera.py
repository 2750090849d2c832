"""Turning angles into cameras, lights and rotations, elementwise, so that bits do not depend on the batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def towards(azimuth: Tensor, elevation: Tensor) -> Tensor:
    """Unit vectors ``[n, 3]``: azimuth 0 along +x (an object's front), 90 along +y (its left); elevation 90 is up."""
    import torch

    a, e = torch.deg2rad(azimuth.double()), torch.deg2rad(elevation.double())
    return torch.stack([a.cos() * e.cos(), a.sin() * e.cos(), e.sin()], -1).float()


def orbit(azimuth: Tensor, elevation: Tensor, distance: Tensor, target: Tensor) -> Tensor:
    """Where a camera stands that sees ``target`` from these angles: azimuth 0 sees an object's front."""
    return target + towards(azimuth, elevation) * distance[:, None]


def turned(yaw: Tensor, pitch: Tensor | None = None, roll: Tensor | None = None) -> Tensor:
    """Rotations ``[n, 3, 3]`` in degrees: roll about x, then pitch about y, then yaw about z (anti-clockwise
    from above)."""
    import torch

    zero = torch.zeros_like(yaw)
    y, p, r = (torch.deg2rad((zero if a is None else a).double()) for a in (yaw, pitch, roll))
    cy, sy, cp, sp, cr, sr = y.cos(), y.sin(), p.cos(), p.sin(), r.cos(), r.sin()
    rows = [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,
            sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,
            -sp, cp * sr, cp * cr]  # fmt: skip
    return torch.stack(rows, -1).reshape(-1, 3, 3).float()
