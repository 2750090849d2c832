"""One object per image, with each of its circumstances a factor: pose, position, size, light, background, texture.

A stage turns levels into numbers (degrees, shares of the frame, hues) and those into scenes. Which circumstances are
factors is the world's choice; the others keep their canonical value, or are drawn from the row's own id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.factors import Factor
from unseen.vocabulary.samples import Samples

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from unseen.worlds.rendering.scene import Scenes

# What varies, from which value to which; the canonical value is in the middle. All ours: seed 003 gives no ranges.
RANGES: Mapping[str, tuple[float, float]] = {
    "pose": (-180.0, 180.0),  # degrees about the vertical; 0 is the canonical three-quarter view
    "position": (-0.45, 0.45),  # shift to the right, in widths of the frame's half
    "size": (0.5, 1.5),  # times the canonical size
    "light": (-0.5, 0.5),  # hue of the lamp, in turns from the canonical warm one
    "elevation": (0.0, 50.0),  # degrees of the camera above the floor
}
FRONT = 30.0  # degrees by which the canonical pose shows the left of an object
WARM = 0.11  # hue of the canonical lamp
ELEVATION = 20.0
FOV, DISTANCE = 30.0, 2.8


def scalar_factor(name: str, levels: int) -> Factor:
    """A circumstance at ``levels`` equally spaced values of its range, or of its circle; the middle one is canonical.

    >>> scalar_factor("size", 3).levels
    (0.5, 1.0, 1.5)
    """
    if name not in RANGES:
        raise unknown("circumstance", name, RANGES)
    if isinstance(levels, bool) or not isinstance(levels, int) or levels < 1:
        raise UnseenError(f"`{name}` is a number of levels, 1 or more; {levels!r} was given.")
    low, high = RANGES[name]
    period = {"pose": 360.0, "light": 1.0}.get(name)
    kind = "ordinal" if period is None else "circular"
    if period is not None:  # all around, no level twice
        values = (np.arange(levels) - levels // 2) * period / levels
    else:
        values = np.linspace(low, high, levels) if levels > 1 else np.array([(low + high) / 2])
    return Factor(name, tuple(round(float(v), 4) for v in values), kind=kind, canonical=levels // 2, period=period)


@dataclass(frozen=True, eq=False)
class Stage:
    """Rows → scenes. An instance's number is its mesh's. ``pictures`` gives the bank's picture of each level of
    ``background`` (none: a floor under a plain sky), ``textures`` the bank's texture of each level of ``texture`` (−1:
    the object's own colours). ``drawn`` names circumstances that are no factor and vary from row to row over their
    range."""

    samples: Samples
    centre: Tensor  # [meshes, 3] the middle of each mesh's box, on the device
    pictures: Sequence[int] = ()
    textures: Sequence[int] = ()
    drawn: tuple[str, ...] = ()
    elevation: float = ELEVATION
    seed: int = 0

    def __call__(self, rows: np.ndarray, device: torch.device, draw: int = 0) -> Scenes:
        import torch

        from unseen.worlds.rendering.scene import PICTURE
        from unseen.worlds.rendering.staging import staged

        ids = torch.from_numpy(rows).to(device)
        _, instance, _ = self.samples.locate(rows)
        mesh = torch.from_numpy(instance).to(device)
        centre = self.centre[mesh]
        pose, position, size, light, elevation = (self._value(name, rows, ids, draw) for name in RANGES)
        yaw = pose - FRONT
        coloured = "light" in self.samples.space or "light" in self.drawn
        lamp, sky, ground = _lamp(light, 0.5 if coloured else 0.06)
        background = self._numbers("background", self.pictures, rows, ids, draw)
        standing = background is None
        place = _place(centre, yaw, size, position, standing)
        scenes = staged(
            mesh, device, azimuth=0.0, elevation=elevation, distance=DISTANCE, fov=FOV,
            target=(0.0, 0.0, 0.42 if standing else 0.0), yaw=yaw, size=size, position=place,
            light_azimuth=55.0, light_elevation=50.0, light_colour=lamp, sky=sky, ground=ground,
        )  # fmt: skip
        texture = self._numbers("texture", self.textures, rows, ids, draw)
        if texture is not None:
            scenes = replace(scenes, things=replace(scenes.things, texture=texture))
        if background is None:
            return scenes
        return replace(
            scenes,
            floor=torch.full_like(background, -2),
            behind=torch.full_like(background, PICTURE),
            behind_colour=torch.ones_like(scenes.behind_colour),
            behind_picture=background,
        )

    def _value(self, name: str, rows: np.ndarray, ids: Tensor, draw: int) -> Tensor:
        """A circumstance at each row: by its factor, drawn, or canonical."""
        import torch

        from unseen.worlds.rendering.chance import uniform

        low, high = RANGES[name]
        if name in self.samples.space:
            values = np.asarray(self.samples.space[name].levels, np.float32)[self.samples.levels(name, rows)]
            return torch.from_numpy(values).to(ids.device)
        if name in self.drawn:
            return uniform(ids, self.seed, "stage", name, draw, low=low, high=high)
        usual = self.elevation if name == "elevation" else (low + high) / 2
        return torch.full(ids.shape, usual, dtype=torch.float32, device=ids.device)

    def _numbers(self, name: str, numbers: Sequence[int], rows: np.ndarray, ids: Tensor, draw: int) -> Tensor | None:
        """The bank's number of a level at each row; none where this circumstance has no levels at all."""
        import torch

        from unseen.worlds.rendering.chance import choice

        if not numbers:
            return None
        table = torch.as_tensor(list(numbers), dtype=torch.int64, device=ids.device)
        if name in self.samples.space:
            return table[torch.from_numpy(self.samples.levels(name, rows)).to(ids.device)]
        if name in self.drawn:
            return table[choice(ids, len(numbers), self.seed, "stage", name, draw)]
        return table[torch.zeros_like(ids)]


def _lamp(hue: Tensor, saturation: float) -> tuple[Tensor, Tensor, Tensor]:
    """Colour of the lamp, and of the light from above and below, for a hue relative to the warm one."""
    import torch

    turns = torch.stack([hue + WARM, hue + WARM + 2 / 3, hue + WARM + 1 / 3], -1)
    pure = ((turns - turns.floor()) * 6 - 3).abs().sub(1).clamp(0, 1)  # the HSV wheel, written out
    colour = pure * saturation + (1 - saturation)
    return colour * 1.05, colour * 0.3 + 0.18, colour * 0.1 + 0.1


def _place(centre: Tensor, yaw: Tensor, size: Tensor, position: Tensor, standing: bool) -> Tensor:
    """Where a mesh goes so that its middle is where it should appear: on the floor, or in the middle of the frame."""
    import torch

    angle = torch.deg2rad(yaw.double())
    c, s = angle.cos().float(), angle.sin().float()
    x = -size * (c * centre[:, 0] - s * centre[:, 1])
    # the camera looks along −x, so +y is to its right … and a shift of 1 is half the frame at the object's distance
    y = -size * (s * centre[:, 0] + c * centre[:, 1]) + position * DISTANCE * np.tan(np.deg2rad(FOV / 2))
    z = torch.zeros_like(x) if standing else -size * centre[:, 2]
    return torch.stack([x, y, z], -1)


def with_levels(factors: Mapping[str, int]) -> list[Factor]:
    """Scalar circumstances of more than one level, as factors."""
    return [scalar_factor(name, levels) for name, levels in factors.items() if levels != 1]
