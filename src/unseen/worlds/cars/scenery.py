"""The street around a car: which things stand where, for many images at once.

World axes are the street's: it runs along x, the camera looks across it towards +y (up to 40° askew), so that pavement,
trees and buildings lie behind the car whatever its azimuth: the surroundings say nothing about the azimuth. All ranges
are ours; the kinds of variation are those of Biased-Cars (Madan et al. 2022).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from unseen.worlds.cars.fleet import CAR, COUNTS, MIDDLE, SKIES, Fleet
from unseen.worlds.cars.places import SLOTS, Chances, Places, label_of, waves
from unseen.worlds.cars.surroundings import ROADS
from unseen.worlds.on_devices import OnDevices
from unseen.worlds.rendering import camera
from unseen.worlds.rendering.lighting import hemisphere
from unseen.worlds.rendering.scene import SKY, Scenes, Things

if TYPE_CHECKING:
    import torch
    from torch import Tensor

# sRGB paints that cars have, the common ones first
PAINTS = np.array([
    (0.90, 0.90, 0.89), (0.66, 0.68, 0.70), (0.34, 0.35, 0.37), (0.10, 0.10, 0.11), (0.68, 0.07, 0.08),
    (0.09, 0.18, 0.45), (0.20, 0.42, 0.72), (0.08, 0.27, 0.17), (0.90, 0.72, 0.10), (0.85, 0.38, 0.08),
    (0.36, 0.20, 0.13), (0.76, 0.69, 0.55), (0.45, 0.08, 0.20), (0.42, 0.60, 0.40), (0.30, 0.62, 0.68),
    (0.40, 0.24, 0.52),
], np.float32)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Scenery:
    """Composes scenes of a fleet's cars; ``zenith`` and ``scale`` are the ranges that the world was asked for."""

    fleet: Fleet
    zenith: tuple[float, float]
    scale: tuple[float, float]
    clutter: bool
    seed: int
    _held: OnDevices[tuple[Tensor, ...]] = field(default_factory=OnDevices, repr=False)

    def tables(self, device: torch.device) -> tuple[Tensor, ...]:
        import torch

        def put() -> tuple[Tensor, ...]:
            of = self.fleet.measures
            arrays = (of.half, of.radius, of.height, np.array(list(ROADS.values())))
            return tuple(torch.from_numpy(a.astype(np.float32)).to(device) for a in arrays)

        return self._held.get(device, put)

    def scenes(self, ids: Tensor, mesh: Tensor, azimuth: Tensor, tint: Tensor, draw: int) -> Scenes:
        """One scene per id: that mesh, seen from that azimuth (degrees), in that paint."""
        import torch

        device, b = ids.device, len(ids)
        half, radius, height, tiles = self.tables(device)
        u = Chances.of(ids, self.seed, draw)
        askew = u("askew", -40, 40)
        view = askew - 90  # where the camera stands, seen from the car, in the street's axes
        centre = torch.stack([u("x", -4, 4), u("y", -4, 4), torch.zeros_like(askew)], -1)
        eye, target, fov = self._camera(u, view, centre, radius[mesh], height[mesh])
        away = (eye - centre).double()  # a car beside the middle of the frame must show its azimuth, too
        yaw = torch.rad2deg(torch.atan2(away[:, 1], away[:, 0])).float() - azimuth
        things = self._things(u, mesh, centre, yaw, view, half, tint)
        sun, colour, ambient = self._lights(u)
        tone, floor = u("floor tone", 0.8, 1.15), u.pick("floor", len(ROADS))
        bright = u("sky tone", 0.8, 1.05)[:, None, None].expand(b, 2, 3).contiguous()
        return Scenes(
            things=things, eye=eye, target=target, fov=fov, light=sun, light_colour=colour, ambient=ambient,
            shadow=u("shadow", 0.6, 1.0), floor=floor, floor_colour=torch.stack([tone, tone, tone * 0.98], -1),
            floor_scale=u("floor scale", 6, 9) * tiles[floor], behind=torch.full((b,), SKY, device=device),
            behind_colour=bright, behind_picture=u.pick("sky", SKIES),
        )  # fmt: skip

    def _camera(self, u: Chances, view: Tensor, centre: Tensor, radius: Tensor, height: Tensor) -> tuple[Tensor, ...]:
        """The sphere around the car fills a share of the frame and stays inside it wherever it is shifted to."""
        import torch

        elevation = u("zenith", *self.zenith)
        fov, share = u("fov", 24, 36), u("scale", *self.scale)
        usual = radius * 0.5 + 2.5 * 0.5  # a small car looks smaller, though not by all of its size
        usual = torch.maximum(usual, radius)
        sine, cosine = waves(fov / 2)
        distance = usual / (share * sine)
        slack = (1 - share * radius / usual).clamp_min(0) * 0.9 * distance * (sine / cosine)
        middle = centre + torch.stack([torch.zeros_like(height), torch.zeros_like(height), height * MIDDLE], -1)
        right, up = u("right", -1, 1) * slack, u("up", -1, 1) * slack * 0.8
        zero = torch.zeros_like(view)
        sideways = camera.towards(view + 90, zero)
        upwards = camera.towards(view, elevation + 90)
        target = middle + sideways * right[:, None] + upwards * up[:, None]
        eye = camera.orbit(view, elevation, distance, target)
        low = (0.35 - eye[:, 2]).clamp_min(0)  # never under the road
        lift = torch.stack([zero, zero, low], -1)
        return eye + lift, target + lift * 0.5, fov

    def _lights(self, u: Chances) -> tuple[Tensor, Tensor, Tensor]:
        import torch

        sun = camera.towards(u("sun", 0, 360), u("sun height", 22, 72))[:, None]
        warm, strength = u("sun colour", -1, 1), u("sun strength", 0.65, 1.3)
        colour = torch.stack([1 + 0.12 * warm, torch.ones_like(warm), 1 - 0.16 * warm], -1) * strength[:, None]
        cool, level = u("sky light", 0, 1), u("ambient", 0.36, 0.66)
        above = torch.stack([1 - 0.1 * cool, torch.ones_like(cool), 1 + 0.12 * cool], -1) * level[:, None]
        return sun, colour[:, None], hemisphere(above, above * 0.4)

    def _things(
        self, u: Chances, mesh: Tensor, centre: Tensor, yaw: Tensor, view: Tensor, half: Tensor, tint: Tensor
    ) -> Things:
        """All slots as ``[b, slots]``, then only those that are taken, in the order of images."""
        import torch

        b, device = len(mesh), mesh.device
        places = Places(u, centre, view)
        columns, there = [], []
        for slot in SLOTS:
            if slot.kind == CAR:
                columns.append((mesh, centre, yaw, tint))
            else:
                chosen = self.fleet.first(slot.kind) + u.pick(f"{slot.name} which", COUNTS[slot.kind])
                spot, angle = places.of(slot, half[chosen])
                columns.append((chosen, spot, angle, _coat(u(f"{slot.name} hue"))))
            there.append((u(f"{slot.name} there") < slot.often) & (self.clutter or not slot.clutter))
        kept = torch.stack(there, 1).reshape(-1).nonzero().squeeze(1)
        slots = len(SLOTS)

        def column(k: int) -> Tensor:
            stacked = torch.stack([one[k] for one in columns], 1)
            return stacked.reshape(b * slots, *stacked.shape[2:])[kept]

        labels = torch.tensor([label_of(slot) for slot in SLOTS], device=device)
        return Things(
            image=kept // slots, mesh=column(0), rotation=camera.turned(column(2)), position=column(1),
            size=torch.ones(len(kept), device=device), tint=column(3),
            texture=torch.full((len(kept),), -1, device=device), label=labels[kept % slots],
        )  # fmt: skip


def _coat(hue: Tensor) -> Tensor:
    """A colour for what takes paint in the street: a hue at changing strength."""
    import torch

    turns = torch.stack([hue * 7.0, hue * 7.0 + 1 / 3, hue * 7.0 + 2 / 3], -1)
    wheel = (torch.abs(turns - torch.floor(turns) - 0.5) * 2).clamp(0, 1)
    strength = (0.25 + 0.75 * (hue * 13.0 - torch.floor(hue * 13.0)))[:, None]
    return 0.15 + 0.75 * strength * wheel
