"""What things are made of: colours and textures that are drawn without asking what the thing is.

A finish colours parts of a mesh and says which tile of the object's texture covers them. An object has one texture, an
atlas of four tiles taken from a small library (:mod:`~unseen.worlds.everyday.tiles`), which multiplies its colours: a
chair, a mug and a bus draw from the same colours and the same tiles, so that neither tells the class.
"""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unseen.worlds.everyday.tiles import FUR, GOODS, atlas, spot
from unseen.worlds.rendering.mesh import Mesh, joined, upright
from unseen.worlds.shapes.surfaces import Point

Colour = tuple[float, float, float]
NATURAL: tuple[Colour, ...] = (  # wood, leather, clay, stone, hair: browns and greys of all depths
    (0.86, 0.72, 0.52), (0.76, 0.56, 0.36), (0.62, 0.42, 0.26), (0.45, 0.29, 0.18), (0.30, 0.20, 0.13),
    (0.70, 0.38, 0.22), (0.90, 0.86, 0.78), (0.66, 0.62, 0.56), (0.48, 0.46, 0.43), (0.17, 0.15, 0.14),
)  # fmt: skip
NEUTRAL: tuple[Colour, ...] = (
    (0.95, 0.95, 0.94),
    (0.80, 0.81, 0.82),
    (0.55, 0.56, 0.58),
    (0.28, 0.29, 0.31),
    (0.10, 0.10, 0.10),
)
STEEL, BRASS, IRON = (0.74, 0.75, 0.77), (0.80, 0.63, 0.32), (0.20, 0.20, 0.22)
RUBBER, GLASS, GOLD = (0.08, 0.08, 0.085), (0.13, 0.17, 0.21), (0.83, 0.66, 0.28)
SIDES = (1, -1)
PART = 1000.0  # a tile's number times this is added to u until the object is finished


@dataclass(frozen=True)
class Finish:
    """Colour, gloss, and the tile of the atlas (0: plain). ``round``: wrapped around z, not laid on flat."""

    colour: Colour
    gloss: float = 0.2
    tile: int = 0
    paint: float = 0.0
    round: bool = False

    def __call__(self, *parts: Mesh) -> Mesh:
        """Parts in this finish, as one mesh."""
        return joined([self._on(part) for part in parts])

    def _on(self, part: Mesh) -> Mesh:
        n = len(part.vertices)
        painted = replace(
            part,
            colours=np.broadcast_to(np.asarray(self.colour, np.float32), (n, 3)).copy(),
            gloss=np.full(n, self.gloss, np.float32),
            paint=np.full(n, self.paint, np.float32),
        )
        return _wrapped(painted, self.tile) if self.round else _laid(painted, self.tile)

    def darker(self, share: float = 0.75) -> Finish:
        return replace(self, colour=shade(self.colour, share))


PAPER, DARK = Finish((0.93, 0.91, 0.85), 0.03), Finish(RUBBER, 0.3)


def shade(colour: Point, share: float) -> Colour:
    """A colour times ``share``; above 1 it is lighter."""
    r, g, b = (float(np.clip(c * share, 0, 1)) for c in colour)
    return r, g, b


def mixed(one: Point, other: Point, share: float) -> Colour:
    r, g, b = (float(a * (1 - share) + b * share) for a, b in zip(one, other))
    return r, g, b


def any_colour(rng: np.random.Generator) -> Colour:
    """A colour that goods come in: natural tones, neutrals, and dyes of all hues."""
    kind = rng.random()
    if kind < 0.7:
        table = NATURAL if kind < 0.4 else NEUTRAL
        tone = np.asarray(table[int(rng.integers(len(table)))]) * rng.uniform(0.85, 1.1) + rng.normal(0, 0.02, 3)
        return shade(np.clip(tone, 0.04, 0.97), 1.0)
    r, g, b = colorsys.hsv_to_rgb(rng.random(), rng.uniform(0.3, 0.9), rng.uniform(0.3, 0.92))
    return r, g, b


@dataclass(frozen=True)
class Finishes:
    """The finishes of one object: of its body, two other colours, wood, cloth, metal, print, rubber, glass."""

    body: Finish
    second: Finish
    third: Finish
    wood: Finish
    cloth: Finish
    metal: Finish
    print: Finish
    rubber: Finish
    glass: Finish
    atlas: tuple[str, int]


def finishes(rng: np.random.Generator) -> Finishes:
    """Drawn for one object, whatever it is."""
    colours = [any_colour(rng) for _ in range(4)]
    wooden = NATURAL[int(rng.integers(6))] if rng.random() < 0.75 else any_colour(rng)
    metal = (STEEL, STEEL, BRASS, IRON)[int(rng.integers(4))]
    gloss = float(rng.choice([0.05, 0.25, 0.6]))
    return Finishes(
        body=Finish(colours[0], gloss, int(rng.integers(0, 2)), 1.0),
        second=Finish(colours[1], gloss, int(rng.integers(0, 2)), 0.0),
        third=Finish(colours[2], 0.2),
        wood=Finish(shade(wooden, rng.uniform(0.8, 1.1)), 0.15, 1, 1.0),
        cloth=Finish(colours[3], 0.03, 2, 1.0),
        metal=Finish(metal, 0.7),
        print=Finish(mixed(any_colour(rng), (1, 1, 1), 0.6), 0.1, 3),
        rubber=Finish(RUBBER, 0.1),
        glass=Finish(GLASS, 0.9),
        atlas=("goods", int(rng.integers(GOODS))),
    )


def coat(rng: np.random.Generator) -> tuple[str, int]:
    """The texture of an animal: an atlas of skin, short and long hair, feathers or scales."""
    return "fur", int(rng.integers(FUR))


def finished(parts: Sequence[Mesh], texture: tuple[str, int]) -> Mesh:
    """One upright mesh of all parts, with its texture; u and v become places in the tiles."""
    whole = joined(parts)
    size = float(whole.extents.max())
    tile = np.round(whole.uv[:, 0] / PART).astype(int)
    flat = np.column_stack([whole.uv[:, 0] - tile * PART, whole.uv[:, 1]]) / size
    return upright(replace(whole, uv=spot(np.clip(flat, 0, 1), tile), texture=atlas(*texture)))


def _laid(part: Mesh, tile: int) -> Mesh:
    """Each face takes the tile from the side that it looks to, the grain along the part's longest edge."""
    corners = part.vertices[part.faces].astype(float)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    side = np.abs(across).argmax(1)
    order = np.argsort(-part.extents, kind="stable")  # the longest first
    key, place = np.unique(part.faces.astype(np.int64) * 3 + side[:, None], return_inverse=True)
    vertex, looks = key // 3, key % 3
    low = part.vertices.min(0)
    along = np.where(looks == order[0], order[1], order[0])
    beside = 3 - along - looks
    from_low = part.vertices[vertex] - low
    rows = np.arange(len(vertex))
    uv = np.column_stack([from_low[rows, beside] + tile * PART, from_low[rows, along]])
    columns = {name: getattr(part, name)[vertex] for name in ("vertices", "normals", "colours", "paint", "gloss")}
    return replace(part, faces=place.reshape(-1, 3).astype(np.int32), uv=uv.astype(np.float32), **columns)


def _wrapped(part: Mesh, tile: int) -> Mesh:
    """The tile around z, mirrored at the back so that it has no seam; as high as the part."""
    middle = (part.vertices.min(0) + part.vertices.max(0)) / 2
    x, y = (part.vertices[:, k] - middle[k] for k in (0, 1))
    girth = float(max(part.extents[:2].max(), 1e-9))
    u = np.abs(np.arctan2(y, x)) / np.pi * min(girth * 1.5, float(part.extents.max()))
    return replace(
        part, uv=np.column_stack([u + tile * PART, part.vertices[:, 2] - part.vertices[:, 2].min()]).astype(np.float32)
    )


def repainted(one: Mesh, f: Finishes, *, keep: float = 0.0, tile: int = 0) -> Mesh:
    """A mesh of the first set in new paint: each of its painted colours becomes one of the object's own.

    Colours that take no paint (glass, rubber, steel) stay. ``keep`` mixes the old colour in.
    """
    painted = one.paint > 0.5
    own, place = np.unique(np.round(one.colours[painted], 2), axis=0, return_inverse=True)
    new = np.array([f.body.colour, f.second.colour, f.third.colour])[np.arange(len(own)) % 3]
    if len(own) > 3:  # shades of one paint: keep their relations
        level = own.mean(1, keepdims=True) / max(float(own.mean(1).max()), 1e-6)
        new = np.asarray(f.body.colour) * (0.4 + 0.6 * level)
    colours = one.colours.copy()
    colours[painted] = (new * (1 - keep) + own * keep)[place.reshape(-1)]
    return _laid(replace(one, colours=np.clip(colours, 0, 1).astype(np.float32)), tile)
