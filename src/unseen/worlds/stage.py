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
from unseen.worlds.rendering.environment import Environment, lit_by
from unseen.worlds.shown import FRONT, Shown, before
from unseen.worlds.tumbling import natural_scenes
from unseen.worlds.variation import DISTANCE, FIRST, FOV, Variation

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from unseen.worlds.rendering.bank import Shelf
    from unseen.worlds.rendering.scene import Scenes

CIRCUMSTANCES = ("pose", "position", "size", "light", "elevation")  # in the order in which they are drawn
WARM = 0.11  # hue of the canonical lamp
LAMP = 1.05  # its strength


def scalar_factor(name: str, levels: int, variation: Variation = FIRST) -> Factor:
    """A circumstance at ``levels`` equally spaced values of its range, or of its circle; the middle one is canonical.

    >>> scalar_factor("size", 3).levels
    (0.5, 1.0, 1.5)
    """
    if name not in variation.ranges:
        raise unknown("circumstance", name, CIRCUMSTANCES)
    if isinstance(levels, bool) or not isinstance(levels, int) or levels < 1:
        raise UnseenError(f"`{name}` is a number of levels, 1 or more; {levels!r} was given.")
    low, high = variation.ranges[name]
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
    ``background`` (none: a floor under a plain sky) and ``grounds`` whether things can stand in it, ``textures`` the
    bank's texture of each level of ``texture`` (−1: the object's own colours). ``drawn`` names circumstances that are
    no factor and vary from row to row over their range."""

    samples: Samples
    shelf: Shelf  # on the device
    pictures: Sequence[int] = ()
    grounds: Sequence[bool] = ()
    textures: Sequence[int] = ()
    drawn: tuple[str, ...] = ()
    seed: int = 0
    variation: Variation = FIRST
    environment: Environment | None = None  # in place of the lamp and the light from above and below

    def __call__(self, rows: np.ndarray, device: torch.device, draw: int = 0) -> Scenes:
        import torch

        ids = torch.from_numpy(rows).to(device)
        shown = self._shown(rows, ids, draw)
        if self.variation.framed:
            scenes = natural_scenes(shown, self.shelf, self.variation, self.seed)
        else:
            scenes = first_scenes(shown, self.shelf)
        if self.environment is not None:
            scenes = lit_by(scenes, self.environment, shown.lamp[0] / LAMP)
        texture = self._numbers("texture", self.textures, rows, ids, draw)
        if texture is not None:
            scenes = replace(scenes, things=replace(scenes.things, texture=texture))
        return scenes

    def _shown(self, rows: np.ndarray, ids: Tensor, draw: int) -> Shown:
        import torch

        _, instance, _ = self.samples.locate(rows)
        values = {name: self._value(name, rows, ids, draw) for name in CIRCUMSTANCES}
        coloured = "light" in self.samples.space or "light" in self.drawn
        picture = self._numbers("background", self.pictures, rows, ids, draw)
        ground = torch.ones_like(ids, dtype=torch.bool)
        if picture is not None:
            level = self._numbers("background", range(len(self.pictures)), rows, ids, draw)
            assert level is not None
            ground = torch.as_tensor(list(self.grounds or [False] * len(self.pictures)), device=ids.device)[level]
        return Shown(
            mesh=torch.from_numpy(instance).to(ids.device),
            pose=values["pose"],
            position=values["position"],
            size=values["size"],
            elevation=values["elevation"],
            lamp=_lamp(values["light"], self.variation.saturation if coloured else 0.06),
            picture=picture,
            ground=ground,
        )

    def _value(self, name: str, rows: np.ndarray, ids: Tensor, draw: int) -> Tensor:
        """A circumstance at each row: by its factor, drawn, or canonical."""
        import torch

        from unseen.worlds.rendering.chance import uniform

        low, high = self.variation.ranges[name]
        if name in self.samples.space:
            values = np.asarray(self.samples.space[name].levels, np.float32)[self.samples.levels(name, rows)]
            return torch.from_numpy(values).to(ids.device)
        if name in self.drawn:
            return uniform(ids, self.seed, "stage", name, draw, low=low, high=high)
        usual = self.variation.elevation if name == "elevation" else (low + high) / 2
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


def first_scenes(shown: Shown, shelf: Shelf) -> Scenes:
    """Upright on a floor, or hanging before a picture."""
    import torch

    from unseen.worlds.rendering.staging import staged

    yaw = shown.pose - FRONT
    lamp, sky, ground = shown.lamp
    standing = shown.picture is None
    place = _place(shelf.centre[shown.mesh], yaw, shown.size, shown.position, standing)
    scenes = staged(
        shown.mesh, shown.mesh.device, azimuth=0.0, elevation=shown.elevation, distance=DISTANCE, fov=FOV,
        target=(0.0, 0.0, 0.42 if standing else 0.0), yaw=yaw, size=shown.size, position=place,
        light_azimuth=55.0, light_elevation=50.0, light_colour=lamp, sky=sky, ground=ground,
    )  # fmt: skip
    return before(scenes, shown.picture, torch.zeros_like(shown.ground))


def _lamp(hue: Tensor, saturation: float) -> tuple[Tensor, Tensor, Tensor]:
    """Colour of the lamp, and of the light from above and below, for a hue relative to the warm one."""
    import torch

    turns = torch.stack([hue + WARM, hue + WARM + 2 / 3, hue + WARM + 1 / 3], -1)
    pure = ((turns - turns.floor()) * 6 - 3).abs().sub(1).clamp(0, 1)  # the HSV wheel, written out
    colour = pure * saturation + (1 - saturation)
    return colour * LAMP, colour * 0.3 + 0.18, colour * 0.1 + 0.1


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


def with_levels(factors: Mapping[str, int], variation: Variation = FIRST) -> list[Factor]:
    """Scalar circumstances of more than one level, as factors."""
    return [scalar_factor(name, levels, variation) for name, levels in factors.items() if levels != 1]
