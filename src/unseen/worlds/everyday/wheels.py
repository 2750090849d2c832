"""Wheels of road vehicles."""

from __future__ import annotations

from unseen.worlds.everyday.finishes import SIDES, Finish, Finishes
from unseen.worlds.rendering.mesh import Mesh, moved
from unseen.worlds.shapes.coachwork import wheel
from unseen.worlds.shapes.primitives import cylinder, turn

DARK, LAMP, RED = Finish((0.07, 0.07, 0.08), 0.3), Finish((0.95, 0.93, 0.85), 0.9), Finish((0.6, 0.05, 0.05), 0.6)


def wheels(f: Finishes, places: tuple[float, ...], y: float, r: float, wide: float, segments: int = 18) -> list[Mesh]:
    """Pairs of wheels with dark rims or steel ones."""
    hub = Finish(f.metal.colour, 0.6)
    parts = []
    for x in places:
        for s in SIDES:
            one = wheel(r, wide, (x, s * y, r), segments=segments)
            parts.append(Finish((0.07, 0.07, 0.075), 0.15)(one))
            for finish, share, thick, segments_of in ((hub, 0.55, 0.9, 14), (DARK, 0.22, 1.04, 10)):
                disc = cylinder(share * r, thick * wide, base=(0, 0, -thick / 2 * wide), segments=segments_of)
                parts.append(finish(moved(disc, (x, s * y, r), rotation=turn("x", 90))))
    return parts
