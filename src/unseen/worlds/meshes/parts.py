"""What a mesh file holds, as trimesh reads it: parts of one material each, in the file's own axes.

The graph of a scene is flattened: every part stands where the scene puts it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unseen.vocabulary.extras import needs_extra
from unseen.worlds.decode import FORMATS, MOST_PIXELS, quiet
from unseen.worlds.meshes.declared import check_size
from unseen.worlds.meshes.references import Reference, Unreadable, references

TEXTURES = ("MPO", "TGA", "DDS", "PCX", "SGI", "PSD", "QOI")  # besides what photos are; never EPS, which runs a program
COUNTED = (".off", ".ply", ".stl")  # whose files say how many faces they have
LARGEST = 4096  # pixels along a texture's edge that are kept: no mesh here is drawn that large
GLASS = np.array([0.42, 0.47, 0.50])  # ours: what shows through a pane, since nothing here is transparent


@dataclass(frozen=True, eq=False)
class Part:
    """``v`` vertices of one material. ``colours`` are sRGB; ``image`` [h, w, 3] multiplies them by ``uv`` (v up).
    ``normals`` are the file's own, or None. ``one_sided``: the file itself says that backs are not drawn."""

    vertices: np.ndarray  # [v, 3] float64
    faces: np.ndarray  # [f, 3] int64
    colours: np.ndarray  # [v, 3] float32
    gloss: float
    normals: np.ndarray | None = None
    uv: np.ndarray | None = None
    image: np.ndarray | None = None
    one_sided: bool = False


def parts(path: Path) -> tuple[list[Part], list[str]]:
    """The parts of a file that have faces, and notes on what it refers to and does not have."""
    said = check_size(path)
    named = references(path)
    notes = [f"missing {one.name}, drawn plain" for one in named if one.path is None]
    scene = _loaded(path, [one.name for one in named if one.path is None])
    textures = {one.material: one for one in named if one.material and one.path is not None}
    found: list[Part] = []
    for transform, geometry in _placed(scene):
        if not hasattr(geometry, "faces") or not len(geometry.faces):  # a point cloud or a path
            continue
        part, note = _part(geometry, transform, textures, path.suffix.lower())
        found.append(part)
        notes += [note] if note else []
    if not found:
        raise Unreadable("it has no faces")
    there = sum(len(part.faces) for part in found)
    if path.suffix.lower() in COUNTED and said is not None and there < said:
        raise Unreadable(f"it is cut short: {there:,} of {said:,} faces are there")
    return found, list(dict.fromkeys(notes))


def _placed(scene: Any) -> list[tuple[np.ndarray, Any]]:
    """What stands where, in the order of the file. trimesh gives nodes without a name of their own a random one, so the
    order of names is another one in every process."""
    order = {name: place for place, name in enumerate(scene.geometry)}
    found = [
        (np.asarray(transform, np.float64), name)
        for transform, name in map(scene.graph.get, scene.graph.nodes_geometry)
    ]
    found.sort(key=lambda one: (order[one[1]], one[0].tolist()))
    return [(transform, scene.geometry[name]) for transform, name in found]


def _loaded(path: Path, missing: list[str]) -> Any:
    try:
        import trimesh
    except ImportError:
        raise needs_extra(f"reading the mesh {path}", "trimesh", "meshes") from None
    with quiet("trimesh"):
        try:
            return trimesh.load(str(path), force="scene", process=False)
        except MemoryError:
            raise
        except Exception as fault:
            lost = f"; it refers to {missing[0]}, which is not there" if missing else ""
            said = " ".join(str(fault).split())[:160] or type(fault).__name__
            raise Unreadable(f"not readable as {path.suffix[1:].upper()} ({said}){lost}") from None


def _part(geometry: Any, transform: np.ndarray, textures: dict[str, Reference], suffix: str) -> tuple[Part, str]:
    vertices = np.asarray(geometry.vertices, np.float64)
    wrong = int((~np.isfinite(vertices)).any(1).sum())
    if wrong:
        raise Unreadable(f"{wrong:,} of {len(vertices):,} vertices are not numbers")
    faces = np.asarray(geometry.faces, np.int64)
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise Unreadable(f"faces name vertices up to {faces.max()}, it has {len(vertices)}")
    own = "vertex_normals" in geometry._cache.cache  # asking the property itself would compute them
    normals = np.asarray(geometry.vertex_normals, np.float64) if own else None
    matrix = transform[:3, :3]
    vertices = vertices @ matrix.T + transform[:3, 3]
    if normals is not None:
        normals = normals @ np.linalg.pinv(matrix)  # the inverse transpose, applied to rows
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = normals / length if np.isfinite(normals).all() and (length > 1e-6).all() else None
    if np.linalg.det(matrix) < 0:
        faces = faces[:, ::-1]
    visual, note = geometry.visual, ""
    material = getattr(visual, "material", None)
    colours, gloss, image = _plain(visual, len(vertices)), 0.2, None
    if material is not None:
        colour, gloss, image, note = _material(material, textures, linear=suffix in (".gltf", ".glb"))
        colours = np.tile(colour.astype(np.float32), (len(vertices), 1))
        painted = getattr(visual, "vertex_attributes", {}).get("color")
        if painted is not None and len(painted) == len(vertices):
            colours = colours * _shown(_unit(painted)[:, :3])
    uv = getattr(visual, "uv", None)
    uv = None if image is None or uv is None or len(uv) != len(vertices) else np.asarray(uv, np.float64)
    if uv is None or not np.isfinite(uv).all():
        uv = image = None
    one_sided = suffix in (".gltf", ".glb") and material is not None and not getattr(material, "doubleSided", False)
    return Part(vertices, faces, colours, gloss, normals, uv, image, one_sided), note


def _plain(visual: Any, n: int) -> np.ndarray:
    """Vertex colours, or face colours spread, or light grey."""
    if getattr(visual, "kind", None) in ("vertex", "face"):
        found = _unit(visual.vertex_colors)
        if found.shape[0] == n:
            return found[:, :3].astype(np.float32)
    return np.full((n, 3), 0.7, np.float32)


def _material(
    material: Any, textures: dict[str, Reference], linear: bool
) -> tuple[np.ndarray, float, np.ndarray | None, str]:
    """Colour (sRGB), gloss, texture and a note. MTL colours are taken as they are shown; glTF's are linear, by its
    specification, and multiply the texture. Of an MTL with a texture only the texture counts, as in Blender's reader:
    many exporters write black beside it."""
    if hasattr(material, "baseColorFactor"):
        colour = np.ones(4) if material.baseColorFactor is None else _unit(material.baseColorFactor).reshape(4)
        shown = _shown(colour[:3]) if linear else colour[:3]
        roughness = 1.0 if material.roughnessFactor is None else float(material.roughnessFactor)
        image, note = _pixels(material.baseColorTexture, str(material.name))
        seen = float(colour[3]) if material.alphaMode == "BLEND" else 1.0
        return _glazed(shown, seen), float(np.clip(1 - roughness, 0, 1) ** 2), image, note
    extra = getattr(material, "kwargs", {}) or {}
    shown = _unit(material.diffuse)[:3]
    strength = float(np.clip(_unit(material.specular)[:3].mean(), 0, 1))
    gloss = strength * float(np.clip(np.sqrt(max(float(material.glossiness or 0), 0)) / 30, 0, 1))
    picture, name = getattr(material, "image", None), str(material.name)
    reference = textures.get(name)
    if picture is None and reference is not None:  # trimesh reads "map_Kd -s 1 1 1 wood.png" as one name
        picture = reference.path
    image, note = _pixels(picture, reference.name if reference else name)
    if image is not None:
        shown = np.ones(3)
    opacity = _number(extra.get("d"), 1.0) if "d" in extra else 1 - _number(extra.get("tr"), 0.0)
    return _glazed(shown, opacity if image is None else 1.0), gloss, image, note


def _glazed(colour: np.ndarray, opacity: float) -> np.ndarray:
    return colour * np.clip(opacity, 0, 1) + GLASS * (1 - np.clip(opacity, 0, 1))


def _number(given: Any, otherwise: float) -> float:
    try:
        return float(given[0] if isinstance(given, list | tuple) else given)
    except (TypeError, ValueError, IndexError):
        return otherwise


def _unit(values: Any) -> np.ndarray:
    """Colours as 0–1, from bytes, 16-bit numbers or fractions."""
    array = np.asarray(values)
    if array.dtype.kind in "ui":
        return array.astype(np.float64) / np.iinfo(array.dtype).max if array.dtype.itemsize < 4 else array / 255.0
    return np.clip(array.astype(np.float64), 0, 1)


def _shown(linear: np.ndarray) -> np.ndarray:
    """Linear light as sRGB (IEC 61966-2-1)."""
    x = np.clip(linear, 0, 1)
    return np.where(x <= 0.0031308, 12.92 * x, 1.055 * np.power(np.maximum(x, 1e-9), 1 / 2.4) - 0.055)


def _pixels(picture: Any, name: str) -> tuple[np.ndarray | None, str]:
    """A texture as uint8 RGB. Where it is transparent, the mean of what is not: no alpha is drawn, and black borders
    around leaves would show."""
    from PIL import Image

    if picture is None:
        return None, ""
    try:
        with quiet("trimesh"):
            opened = Image.open(picture) if isinstance(picture, Path) else picture  # reads the header, no more
            if getattr(opened, "format", None) not in (None, *FORMATS, *TEXTURES):
                raise ValueError(f"{opened.format} is no format of textures")
            if opened.width * opened.height > MOST_PIXELS:
                raise ValueError(f"{opened.width}×{opened.height} is more than {MOST_PIXELS:,} pixels")
            clear = "A" in opened.mode or "a" in opened.mode or "transparency" in opened.info
            shrunk = opened.convert("RGBA" if clear else "RGB")
            shrunk = shrunk.reduce(-(-max(shrunk.size) // LARGEST)) if max(shrunk.size) > LARGEST else shrunk
            array = np.asarray(shrunk)
    except Exception as fault:  # Pillow raises many kinds
        return None, f"unreadable texture {name}, drawn plain ({' '.join(str(fault).split())[:80]})"
    if not clear:
        return array, ""
    colour, alpha = array[..., :3].astype(np.float32), array[..., 3:].astype(np.float32) / 255
    if alpha.min() < 1 and alpha.max() > 0:
        mean = (colour * alpha).sum((0, 1)) / alpha.sum()
        colour = colour * alpha + mean * (1 - alpha)
    return np.rint(colour).astype(np.uint8), ""
