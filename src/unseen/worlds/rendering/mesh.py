"""A mesh: frozen arrays on the CPU, in one convention.

Right-handed, z up; the front looks along +x; it stands on z = 0 with its footprint around the origin; the longest edge
of its bounding box is 1 (:func:`upright` brings any mesh there). Faces run counter-clockwise seen from outside.
Colours are sRGB in 0–1, as in a colour picker. A sharp edge has its vertices twice, each with its own normal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float32, Int32, UInt8

from unseen.vocabulary.errors import UnseenError


@dataclass(frozen=True, eq=False)
class Mesh:
    """``paint`` is how far a vertex takes the scene's tint (1: the paint of a car; 0: its tyres), ``gloss`` how much it
    shines (0 matt, 1 mirror-like highlight). ``texture`` multiplies the colours by ``uv`` (u right, v up, wrapping);
    without one ``uv`` means nothing."""

    vertices: Float32[np.ndarray, "v 3"]
    faces: Int32[np.ndarray, "f 3"]
    normals: Float32[np.ndarray, "v 3"]
    colours: Float32[np.ndarray, "v 3"]
    paint: Float32[np.ndarray, " v"]
    gloss: Float32[np.ndarray, " v"]
    uv: Float32[np.ndarray, "v 2"]
    texture: UInt8[np.ndarray, "h w 3"] | None = None

    @property
    def extents(self) -> np.ndarray:
        return self.vertices.max(0) - self.vertices.min(0)


def mesh(
    vertices: np.ndarray,
    faces: np.ndarray,
    *,
    normals: np.ndarray | None = None,
    colour: Sequence[float] | np.ndarray = (1.0, 1.0, 1.0),
    paint: float | np.ndarray = 0.0,
    gloss: float | np.ndarray = 0.2,
    uv: np.ndarray | None = None,
    texture: np.ndarray | None = None,
) -> Mesh:
    """A mesh from its parts; one colour for all or one per vertex; without ``normals`` every face is flat."""
    vertices = np.asarray(vertices, np.float32).reshape(-1, 3)
    faces = np.asarray(faces, np.int32).reshape(-1, 3)
    if not len(faces):
        raise UnseenError("a mesh without faces has nothing to draw.")
    if not np.isfinite(vertices).all():
        raise UnseenError(f"a mesh has {int((~np.isfinite(vertices)).any(1).sum())} vertices that are not numbers.")
    if normals is None:
        order = faces.reshape(-1)
        spread = [
            np.asarray(x)[order] if np.ndim(x) and len(np.asarray(x)) == len(vertices) else x for x in (paint, gloss)
        ]
        paint, gloss = spread
        colour = np.asarray(colour)[order] if np.ndim(colour) == 2 else colour
        uv = None if uv is None else np.asarray(uv)[order]
        vertices, faces = vertices[order], np.arange(len(order), dtype=np.int32).reshape(-1, 3)
        normals = np.repeat(face_normals(vertices, faces), 3, axis=0)
    n = len(vertices)
    return Mesh(
        vertices=np.ascontiguousarray(vertices),
        faces=np.ascontiguousarray(faces),
        normals=np.ascontiguousarray(np.asarray(normals, np.float32).reshape(n, 3)),
        colours=np.ascontiguousarray(np.broadcast_to(np.asarray(colour, np.float32), (n, 3))),
        paint=np.ascontiguousarray(np.broadcast_to(np.asarray(paint, np.float32), (n,))),
        gloss=np.ascontiguousarray(np.broadcast_to(np.asarray(gloss, np.float32), (n,))),
        uv=np.zeros((n, 2), np.float32) if uv is None else np.ascontiguousarray(np.asarray(uv, np.float32)),
        texture=texture,
    )


def face_normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Unit normals of faces; zero for a face without area."""
    a, b, c = (vertices[faces[:, k]].astype(np.float64) for k in range(3))
    across = np.cross(b - a, c - a)
    length = np.linalg.norm(across, axis=1, keepdims=True)
    return np.divide(across, length, out=np.zeros_like(across), where=length > 0).astype(np.float32)


def joined(parts: Sequence[Mesh]) -> Mesh:
    """Several meshes as one. At most one of them may have a texture."""
    textures = [part.texture for part in parts if part.texture is not None]
    if len(textures) > 1:
        raise UnseenError("only one part of a joined mesh may have a texture; put them into one atlas first.")
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    names = ("vertices", "normals", "colours", "paint", "gloss", "uv")
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    faces = np.concatenate([part.faces + start for part, start in zip(parts, starts)]).astype(np.int32)
    return Mesh(faces=faces, texture=textures[0] if textures else None, **columns)


def moved(
    one: Mesh,
    by: Sequence[float] | np.ndarray = (0, 0, 0),
    *,
    scale: float | Sequence[float] | np.ndarray = 1.0,
    rotation: np.ndarray | None = None,
) -> Mesh:
    """A mesh stretched (perhaps mirrored), then turned, then shifted; normals and windings stay true."""
    stretch = np.broadcast_to(np.asarray(scale, np.float64), (3,))
    turn = np.eye(3) if rotation is None else np.asarray(rotation, np.float64)
    vertices = (one.vertices * stretch) @ turn.T + np.asarray(by, np.float64)
    normals = (one.normals / stretch) @ turn.T
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    mirrored = np.linalg.det(turn) * np.prod(stretch) < 0
    faces = np.ascontiguousarray(one.faces[:, ::-1]) if mirrored else one.faces
    return replace(one, vertices=vertices.astype(np.float32), normals=normals.astype(np.float32), faces=faces)


def upright(one: Mesh, longest: float = 1.0) -> Mesh:
    """Standing on z = 0, its bounding box centred over the origin, the longest edge of that box ``longest``."""
    low, high = one.vertices.min(0).astype(np.float64), one.vertices.max(0).astype(np.float64)
    size = (high - low).max()
    if not size > 0:
        raise UnseenError("a mesh whose points all coincide has no size to normalise.")
    centre = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
    return replace(one, vertices=((one.vertices - centre) * (longest / size)).astype(np.float32))
