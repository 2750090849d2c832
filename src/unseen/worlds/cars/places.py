"""What may stand around a car, how often, and where: slots, draws and places, for many images at once. All ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unseen.worlds.cars.fleet import BUILDING, CAR, FURNITURE, OCCLUDER, PAVEMENT, PERSON, TREE
from unseen.worlds.rendering import camera, chance

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Slot:
    """A place in the scene that a thing may take: what kind, how often, and whether clutter=False leaves it out."""

    name: str
    kind: int
    often: float
    clutter: bool = True


SLOTS = (
    Slot("car", CAR, 1.0, False), Slot("pavement", PAVEMENT, 1.0, False),
    Slot("left", BUILDING, 0.85, False), Slot("middle", BUILDING, 0.85, False), Slot("right", BUILDING, 0.85, False),
    Slot("near tree", TREE, 0.55), Slot("far tree", TREE, 0.55), Slot("first", FURNITURE, 0.55),
    Slot("second", FURNITURE, 0.45), Slot("passer-by", PERSON, 0.55), Slot("in front", PERSON, 0.55),
    Slot("beside", FURNITURE, 0.5),
)  # fmt: skip
# One column of draws each; append only, so that old images stay what they are.
DRAWS = (
    "zenith", "fov", "scale", "right", "up", "askew", "x", "y", "kerb", "sun", "sun height", "sun colour",
    "sun strength", "ambient", "sky light", "shadow", "floor", "floor tone", "floor scale", "sky", "sky tone", "side",
    *(f"{slot.name} {what}" for slot in SLOTS for what in ("there", "which", "x", "y", "turn", "hue")),
)  # fmt: skip
ROOM = 3.45  # metres around a car that stay free: half of the longest one, however it is turned
WIDTH = 128  # draws per row; fixed, whatever DRAWS has
assert len(DRAWS) <= WIDTH


@dataclass(frozen=True, eq=False)
class Chances:
    """Uniform numbers in [0, 1) of each row, by name: they depend on the seed, the row and the draw alone."""

    table: Tensor  # [b, WIDTH]

    @staticmethod
    def of(ids: Tensor, seed: int, draw: int) -> Chances:
        import torch

        each = ids[:, None] * WIDTH + torch.arange(WIDTH, device=ids.device)
        return Chances(chance.uniform(each, seed, "cars", "scene", draw))

    def __call__(self, name: str, low: float = 0.0, high: float = 1.0) -> Tensor:
        return self.table[:, DRAWS.index(name)] * (high - low) + low

    def pick(self, name: str, n: int) -> Tensor:
        return (self(name) * n).long().clamp_max(n - 1)


def waves(degrees: Tensor) -> tuple[Tensor, Tensor]:
    """Sine and cosine, by way of float64: in float32 they may differ between a vector's middle and its end."""
    import torch

    angle = torch.deg2rad(degrees.double())
    return angle.sin().float(), angle.cos().float()


def label_of(slot: Slot) -> int:
    return OCCLUDER if slot.name in ("in front", "beside") else slot.kind


@dataclass(frozen=True, eq=False)
class Places:
    """Where things stand around one car each: behind it along the street, or between it and the camera. They keep the
    same room whatever the car and however it is turned: else the kerb would tell its azimuth."""

    u: Chances
    centre: Tensor  # [b, 3] where the cars stand
    view: Tensor  # [b] where the cameras stand, seen from there, in degrees

    def of(self, slot: Slot, size: Tensor) -> tuple[Tensor, Tensor]:
        import torch

        x, y, turn = (self.u(f"{slot.name} {what}") for what in ("x", "y", "turn"))
        if label_of(slot) == OCCLUDER:
            return self._before(slot, x, y, turn, size)
        kerb = ROOM + self.u("kerb", 0.0, 2.0)
        zero = torch.zeros_like(x)
        if slot.kind == PAVEMENT:
            return self._at(zero, kerb, zero), zero - 90
        sine, cosine = waves(self.view + 90)
        slope = sine / cosine
        if slot.kind == BUILDING:
            number = ("left", "middle", "right").index(slot.name) - 1
            away = kerb + 5.0 + 6.0 * y + size[:, 0]
            return self._at(-away * slope + number * 14.5 + 3 * x - 1.5, away, zero), zero - 90
        raised = zero + 0.14  # on the pavement
        away = kerb + (1.2 + 1.6 * y if slot.kind == TREE else 0.5 + 1.2 * y)
        side = {"near tree": -3.5, "far tree": 4.5, "first": -2.8, "second": 2.8, "passer-by": 0.0}[slot.name]
        along = -away * slope + side + (x - 0.5) * 6
        angle = turn * 360 if slot.kind in (TREE, PERSON) else turn * 30 - 105
        return self._at(along, away, raised), angle

    def _before(self, slot: Slot, x: Tensor, y: Tensor, turn: Tensor, size: Tensor) -> tuple[Tensor, Tensor]:
        """Between car and camera, towards one side of the car: a person left, furniture right, or the reverse."""
        import torch

        side = torch.where(self.u("side") < 0.5, 1.0, -1.0)
        side = side if slot.kind == PERSON else -side
        out = ROOM + size.amax(1) + 0.5 * y
        across = side * (0.15 + 1.5 * x)
        flat = torch.zeros_like(out)
        towards = camera.towards(self.view, flat)
        sideways = camera.towards(self.view + 90, flat)
        return self.centre + towards * out[:, None] + sideways * across[:, None], turn * 360

    def _at(self, x: Tensor, y: Tensor, z: Tensor) -> Tensor:
        import torch

        return self.centre + torch.stack([x, y, z], -1)
