"""Wheels of road vehicles."""

from __future__ import annotations

from dataclasses import replace

from unseen.worlds.everyday.finishes import Finish, Finishes
from unseen.worlds.rendering.mesh import Mesh, moved
from unseen.worlds.shapes.coachwork import wheel
from unseen.worlds.shapes.primitives import cylinder, turn

SIDES = (1, -1)
DARK, LAMP, RED = Finish((0.07, 0.07, 0.08), 0.3), Finish((0.95, 0.93, 0.85), 0.9), Finish((0.6, 0.05, 0.05), 0.6)


def wheels(f: Finishes, places: tuple[float, ...], y: float, r: float, wide: float, segments: int = 18) -> list[Mesh]:
    """Pairs of wheels with dark rims or steel ones."""
    hub = Finish(f.metal.colour, 0.6)
    parts = []
    for x in places:
        for s in SIDES:
            one = wheel(r, wide, (x, s * y, r), segments=segments)
            parts.append(replace(Finish((0.07, 0.07, 0.075), 0.15)(one)))
            parts.append(
                hub(
                    moved(
                        cylinder(0.55 * r, wide * 0.9, base=(0, 0, -0.45 * wide), segments=14),
                        (x, s * y, r),
                        rotation=turn("x", 90),
                    )
                )
            )
            parts.append(
                DARK(
                    moved(
                        cylinder(0.22 * r, wide * 1.04, base=(0, 0, -0.52 * wide), segments=10),
                        (x, s * y, r),
                        rotation=turn("x", 90),
                    )
                )
            )
    return parts
