"""Light from a sky map: its brightest spot as the lamp that throws shadows, all else as light from every side."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from unseen.vocabulary.errors import UnseenError

if TYPE_CHECKING:
    from torch import Tensor

    from unseen.worlds.rendering.scene import Scenes

HEIGHT = 64  # of the map that light is taken from: a row is 2.8 degrees
SPOT = 12.0  # degrees around the brightest point that count as the lamp (ours)
LOWEST = 10.0  # degrees above the horizon that a lamp needs to throw a shadow on the ground (ours)
EXPOSURE = 0.85  # what a white floor in full light shows, linear (ours)


@dataclass(frozen=True)
class Environment:
    """``ambient`` [9][3] as ``Scenes.ambient`` takes it, ``direction`` [3] and ``colour`` [3] of the lamp, and the hash
    of the file."""

    ambient: tuple[tuple[float, ...], ...]
    direction: tuple[float, ...]
    colour: tuple[float, ...]
    content: str


@lru_cache(maxsize=8)
def environment_of(path: str) -> Environment:
    """The light of a Radiance .hdr file, exposed so that a white floor is bright and not burnt out."""
    from unseen.worlds.rendering.skies import read_sky, smaller

    light = smaller(read_sky(path), HEIGHT).astype(np.float64)
    if not np.isfinite(light).all() or light.sum() <= 0:
        raise UnseenError(f"the sky map '{path}' holds no light; give a whole Radiance .hdr picture.")
    content = hashlib.blake2b(Path(path).expanduser().read_bytes(), digest_size=16).hexdigest()
    return environment_in(light, content)


def environment_in(light: np.ndarray, content: str = "") -> Environment:
    """``light`` [h, 2 h, 3] linear, the middle of the map +x, its left half +y."""
    import torch

    from unseen.worlds.rendering.lighting import sky_irradiance

    height, width = light.shape[:2]
    elevation = (0.5 - (np.arange(height) + 0.5) / height) * math.pi
    azimuth = (0.5 - (np.arange(width) + 0.5) / width) * 2 * math.pi
    level = np.cos(elevation)[:, None]
    ways = np.stack(
        np.broadcast_arrays(level * np.cos(azimuth), level * np.sin(azimuth), np.sin(elevation)[:, None]), -1
    )
    solid = level * (math.pi / height) * (2 * math.pi / width)
    high = elevation[:, None] >= math.radians(LOWEST)
    brightness = np.where(high, light.mean(-1), 0)
    peak = ways[np.unravel_index(brightness.argmax(), brightness.shape)]
    spot = (ways @ peak >= math.cos(math.radians(SPOT))) & high
    around = np.median(light[high[:, 0]].reshape(-1, 3), axis=0)  # what the sky has without the lamp
    above = np.clip(light - around, 0, None) * spot[..., None]
    colour = (above * solid[..., None]).sum((0, 1)) / math.pi  # irradiance over π, as ambient light is
    centre = (ways * (above.sum(-1) * solid)[..., None]).sum((0, 1))
    way = centre / np.linalg.norm(centre) if above.any() else np.array([0.0, 0.0, 1.0])
    ambient = sky_irradiance(torch.from_numpy(light - above)).double().numpy()
    floor = ambient[0] + ambient[2] + 2 * ambient[6] + colour * way[2]
    scale = EXPOSURE / max(float(floor.mean()), 1e-12)
    rows = tuple(tuple(float(v) for v in row * scale) for row in ambient)
    return Environment(rows, tuple(map(float, way)), tuple(float(v) * scale for v in colour), content)


def said_of_light(environment: Environment | None) -> dict[str, str]:
    """What a fingerprint holds of it: what the file holds, not where it lies."""
    return {} if environment is None else {"environment": environment.content}


def lit_by(scenes: Scenes, environment: Environment, tint: Tensor) -> Scenes:
    """The same scenes in another light, multiplied by ``tint`` [b, 3]."""
    import torch

    def of(values: object) -> Tensor:
        return torch.tensor(values, dtype=torch.float32, device=tint.device)

    return replace(
        scenes,
        light=of(environment.direction).expand(len(scenes), 1, 3).contiguous(),
        light_colour=(of(environment.colour) * tint)[:, None],
        ambient=of(environment.ambient) * tint[:, None],
    )
