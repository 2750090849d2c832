"""The same scenes through Mitsuba 3: path-traced, with soft shadows and light that bounces. For figures and small sets.

Mitsuba (Jakob et al. 2022, mitsuba-renderer.org) is an optional extra. What lies behind is drawn by our own backdrop
and laid under the traced picture by its alpha, so that both engines show the same one; light from around is an
environment map with the irradiance the scene asks for. Colours are multiplied into one texture per thing, face by face
(:mod:`unseen.worlds.rendering.baking`), since Mitsuba has no product of a texture and vertex colours.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.worlds.rendering.baking import Surface, baked, linear
from unseen.worlds.rendering.mesh import Mesh
from unseen.worlds.rendering.projection import camera_of
from unseen.worlds.rendering.scene import NO_FLOOR, SHADOWS, SKY, Scenes

if TYPE_CHECKING:
    from torch import Tensor

    from unseen.worlds.rendering.bank import Bank

SUN_RADIUS = 2.0  # degrees: the sun itself has 0.27; larger is softer (ours)
SUN_DISTANCE = 60.0  # world units
FLOOR = 500.0  # half the floor's edge, in world units
BOUNCES = 6


def photoreal(
    scenes: Scenes,
    bank: Bank,
    side: int,
    *,
    samples_per_pixel: int = 64,
    variant: str = "scalar_rgb",
    softness: float = SUN_RADIUS,
    seed: int = 0,
) -> Tensor:
    """Pictures of scenes, ``[b, 3, side, side]`` uint8 sRGB. ``softness`` is the radius of the lights in degrees."""
    import torch

    mi = engine(variant)
    scenes = scenes.to("cpu")
    behind = _behind(scenes, bank, side)
    pictures = []
    for n in range(len(scenes)):
        one = scenes.part(n, n + 1)
        scene = mi.load_dict(
            {
                "type": "scene",
                "integrator": {"type": "path", "max_depth": BOUNCES, "hide_emitters": True},
                "sensor": _sensor(mi, one, side, samples_per_pixel),
                **_things(mi, one, bank, side),
                **_floor(mi, one, bank),
                **_lights(mi, one, bank, softness),
            }
        )
        traced = np.array(mi.render(scene, seed=seed + n), np.float32)
        light, alpha = traced[..., :3], np.clip(traced[..., 3:4], 0, 1)
        pictures.append(_encoded(np.clip(light + (1 - alpha) * linear(behind[n]), 0, 1)))
    return torch.from_numpy(np.stack(pictures).transpose(0, 3, 1, 2).copy())


def depths(scenes: Scenes, bank: Bank, side: int) -> tuple[Tensor, Tensor]:
    """Depth and label ``[b, side, side]`` at the middle of each pixel, as in :class:`~.renderer.Layers`: the distance
    along the viewing axis, infinite where nothing is; -1 behind everything, -2 on the floor, else the thing's label.
    Rays are cast one by one: for checks."""
    import torch

    mi = engine()
    scenes = scenes.to("cpu")
    depth = torch.full((len(scenes), side, side), float("inf"))
    label = torch.full((len(scenes), side, side), -1)
    for n in range(len(scenes)):
        one = scenes.part(n, n + 1)
        scene = mi.load_dict({"type": "scene", **_things(mi, one, bank, side), **_floor(mi, one, bank)})
        camera = camera_of(one)
        right, up, forward = (getattr(camera, name)[0].double().numpy() for name in ("right", "up", "forward"))
        step = 2.0 / (float(camera.focal[0]) * side)
        for row in range(side):
            for column in range(side):
                x, y = (column + 0.5 - side / 2) * step, (side / 2 - row - 0.5) * step
                met = scene.ray_intersect_preliminary(
                    mi.Ray3f(one.eye[0].tolist(), (forward + x * right + y * up).tolist())
                )
                if met.is_valid():
                    name = met.shape.id()
                    depth[n, row, column] = met.t
                    label[n, row, column] = one.things.label[int(name[5:])] if name.startswith("thing") else -2
    return depth, label


def engine(variant: str = "scalar_rgb") -> Any:
    """Mitsuba, ready to use, or an error that says how to get it."""
    try:
        import mitsuba as mi
    except ImportError:
        raise UnseenError(
            "photo-real pictures need Mitsuba 3, an optional extra: uv sync --extra photoreal (in a project of your "
            "own: uv add 'unseen[photoreal]', or pip install 'unseen[photoreal]')."
        ) from None
    if variant not in mi.variants():
        raise unknown("variant of Mitsuba", variant, mi.variants())
    try:
        mi.set_variant(variant)
        mi.set_log_level(mi.LogLevel.Error)
    except Exception as fault:  # LLVM or CUDA not found, or one it does not like
        raise UnseenError(
            f"Mitsuba's variant '{variant}' does not start here ({fault}); 'scalar_rgb' needs nothing else."
        ) from None
    return mi


def _sensor(mi: Any, one: Scenes, side: int, samples: int) -> dict[str, Any]:
    return {
        "type": "perspective",
        "fov": float(one.fov[0]),
        "fov_axis": "y",
        "near_clip": 1e-3,
        "far_clip": 1e4,
        "to_world": mi.ScalarTransform4f().look_at(
            origin=one.eye[0].tolist(), target=one.target[0].tolist(), up=_upwards(one)
        ),
        "film": {
            "type": "hdrfilm", "width": side, "height": side, "pixel_format": "rgba", "component_format": "float32",
            "rfilter": {"type": "box"},
        },
        "sampler": {"type": "multijitter", "sample_count": max(int(samples), 4)},
    }  # fmt: skip


def _upwards(one: Scenes) -> list[float]:
    """Which way is up in the frame: z, or where that is the view itself, as seen from azimuth 0."""
    camera = camera_of(one)
    steep = abs(float(camera.forward[0, 2])) > 1 - 1e-9
    return camera.up[0].tolist() if steep else [0.0, 0.0, 1.0]


def _things(mi: Any, one: Scenes, bank: Bank, side: int) -> dict[str, Any]:
    things = one.things
    made = {}
    for n in range(len(things.mesh)):
        mesh = bank.meshes[int(things.mesh[n])]
        laid = int(things.texture[n])
        surface = baked(
            _front_only(mesh),
            tint=things.tint[n].numpy(),
            laid=None if laid < 0 else bank.on("cpu").textures[laid].numpy(),
            texels=side * float(things.size[n]),
        )
        rotation = things.rotation[n].double().numpy()
        vertices = (surface.vertices * float(things.size[n])) @ rotation.T + things.position[n].double().numpy()
        vertices, surface = _towards_eye(vertices, surface.normals @ rotation.T, surface, one.eye[0].double().numpy())
        made[f"thing{n}"] = _shape(mi, f"thing{n}", vertices, surface)
    return made


def _front_only(one: Mesh) -> Mesh:
    """Of two faces back to back, the first: both sides are drawn here, and a ray would hit either by chance."""
    key = np.rint(one.vertices[one.faces].astype(np.float64) * 1e5).astype(np.int64)
    places = np.unique(key.reshape(-1, 3), axis=0, return_inverse=True)[1].reshape(-1, 3)
    first = np.unique(np.sort(places, axis=1), axis=0, return_index=True)[1]
    return replace(one, faces=one.faces[np.sort(first)])


def _towards_eye(
    vertices: np.ndarray, normals: np.ndarray, surface: Surface, eye: np.ndarray
) -> tuple[np.ndarray, Surface]:
    """Corners of their own, with normals bent so that no visible face has one that looks away from the eye: packs with
    few faces smooth their flat ones, and a path tracer draws what looks away in black."""
    order = surface.faces.reshape(-1)
    corners, bent = vertices[order], normals[order]
    view = eye - corners
    view /= np.maximum(np.linalg.norm(view, axis=1, keepdims=True), 1e-12)
    a, b, c = corners.reshape(-1, 3, 3).transpose(1, 0, 2)
    facing = np.sign((np.cross(b - a, c - a) * (eye - a)).sum(1)).repeat(3)[:, None]
    short = 0.1 - facing * (bent * view).sum(1, keepdims=True)
    bent = np.where(short > 0, bent + facing * short * view, bent)
    bent /= np.maximum(np.linalg.norm(bent, axis=1, keepdims=True), 1e-12)
    columns = {name: getattr(surface, name)[order] for name in ("colours", "gloss", "uv")}
    faces = np.arange(len(order)).reshape(-1, 3)
    return corners, replace(surface, vertices=corners, normals=bent, faces=faces, **columns)


def _shape(mi: Any, name: str, vertices: np.ndarray, surface: Surface) -> Any:
    colour: dict[str, Any] = {"type": "mesh_attribute", "name": "vertex_color"}
    if surface.texture is not None:
        colour = {
            "type": "bitmap", "bitmap": mi.Bitmap(surface.texture), "raw": False, "wrap_mode": "clamp",
            "filter_type": "bilinear",
        }  # fmt: skip
    bsdf = {
        "type": "twosided",
        "bsdf": {
            "type": "principled",
            "base_color": colour,
            "roughness": {"type": "mesh_attribute", "name": "vertex_roughness"},
            "specular": 0.5,
        },
    }
    properties = mi.Properties()
    properties["mesh_bsdf"] = mi.load_dict(bsdf)
    made = mi.Mesh(
        name, vertex_count=len(vertices), face_count=len(surface.faces), has_vertex_normals=True,
        has_vertex_texcoords=True, props=properties,
    )  # fmt: skip
    made.add_attribute("vertex_color", 3, np.ascontiguousarray(linear(surface.colours), np.float32).ravel())
    made.add_attribute("vertex_roughness", 1, np.clip(1 - 0.8 * surface.gloss, 0.1, 1).astype(np.float32))
    values = mi.traverse(made)
    values["vertex_positions"] = np.ascontiguousarray(vertices, np.float32).ravel()
    values["vertex_normals"] = np.ascontiguousarray(surface.normals, np.float32).ravel()
    down = np.stack([surface.uv[:, 0], 1 - surface.uv[:, 1]], -1)  # Mitsuba's v runs down from the top row
    values["vertex_texcoords"] = np.ascontiguousarray(down, np.float32).ravel()
    values["faces"] = np.ascontiguousarray(surface.faces, np.uint32).ravel()
    values.update()
    made.set_id(name)
    return made


def _floor(mi: Any, one: Scenes, bank: Bank) -> dict[str, Any]:
    number = int(one.floor[0])
    if (
        number in (NO_FLOOR, SHADOWS) or float(one.eye[0, 2]) <= 0
    ):  # the floor has one side; shadows on a picture are not traced
        return {}
    tint = linear(one.floor_colour[0].numpy())
    colour: dict[str, Any] = {"type": "rgb", "value": tint.tolist()}
    if number >= 0:
        texture = linear(bank.on("cpu").textures[number].numpy() / 255.0) * tint
        tiles = 2 * FLOOR / float(one.floor_scale[0])
        # a tile begins at the origin; the texture's v runs up, Mitsuba's down
        move = mi.ScalarTransform3f(np.array([[tiles, 0, -tiles / 2], [0, -tiles, tiles / 2], [0, 0, 1.0]]))
        colour = {"type": "bitmap", "bitmap": mi.Bitmap(texture.astype(np.float32)), "raw": True, "to_uv": move}
    shape = {
        "type": "rectangle",
        "to_world": mi.ScalarTransform4f().scale([FLOOR, FLOOR, 1]),
        "bsdf": {"type": "twosided", "bsdf": {"type": "diffuse", "reflectance": colour}},
    }
    return {"floor": shape}


def _lights(mi: Any, one: Scenes, bank: Bank, softness: float) -> dict[str, Any]:
    """Every light a far disc, and an environment that gives the scene's ambient irradiance."""
    made: dict[str, Any] = {}
    radius = SUN_DISTANCE * np.tan(np.radians(max(softness, 0.05)))
    for n in range(one.light.shape[1]):
        strength = one.light_colour[0, n].double().numpy()
        if not (strength > 0).any():
            continue
        towards = one.light[0, n].double().numpy()
        centre = one.target[0].double().numpy() + towards * SUN_DISTANCE
        up = [0, 0, 1] if abs(towards[2]) < 0.99 else [1, 0, 0]
        place = mi.ScalarTransform4f().look_at(
            origin=centre.tolist(), target=one.target[0].tolist(), up=up
        ) @ mi.ScalarTransform4f().scale([radius, radius, 1])
        # Ours: light reflected = albedo × strength × cosine. A disc of radiance L at distance d gives L π r² / d²
        # irradiance, of which a matt surface reflects albedo / π.
        radiance = strength * (SUN_DISTANCE / radius) ** 2
        made[f"light{n}"] = {
            "type": "disk", "to_world": place,
            "emitter": {"type": "area", "radiance": {"type": "rgb", "value": radiance.tolist()}},
        }  # fmt: skip
    surrounding = _surrounding(one, bank)
    if (surrounding > 0).any():
        made["around"] = {
            "type": "envmap", "bitmap": mi.Bitmap(surrounding.astype(np.float32)), "to_world": _z_up(mi),
        }  # fmt: skip
    return made


def _z_up(mi: Any) -> Any:
    """Mitsuba's environment has y up and its middle column along +z, its left half along +x; ours z, +x and +y."""
    return mi.ScalarTransform4f(np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]]))


def _surrounding(one: Scenes, bank: Bank) -> np.ndarray:
    """An environment ``[h, 2h, 3]`` in linear light. A sky map where there is one, as bright as the scene's ambient
    light; else the light whose irradiance over π has the scene's coefficients (Ramamoorthi & Hanrahan 2001)."""
    import torch

    from unseen.worlds.rendering.lighting import sky_irradiance

    wanted = one.ambient[0].double().numpy()
    if int(one.behind[0]) == SKY:
        sky = linear(bank.on("cpu").skies[int(one.behind_picture[0])].numpy() / 255.0)
        sky = sky * linear(one.behind_colour[0, 0].numpy())
        given = sky_irradiance(torch.from_numpy(sky))[0].numpy()
        return sky * (wanted[0].mean() / max(float(given.mean()), 1e-6))
    height = 32
    elevation = (0.5 - (np.arange(height) + 0.5) / height)[:, None] * np.pi
    azimuth = (0.5 - (np.arange(2 * height) + 0.5) / (2 * height))[None, :] * 2 * np.pi
    x, y = np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth)
    z = np.broadcast_to(np.sin(elevation), x.shape)
    terms = [np.ones_like(x), y, z, x, x * y, y * z, 3 * z * z - 1, x * z, x * x - y * y][: len(wanted)]
    lobes = [1.0, *(2 / 3,) * 3, *(1 / 4,) * 5]  # of the cosine, over π
    light = sum(term[..., None] * (row / lobe) for term, row, lobe in zip(terms, wanted, lobes))
    return np.maximum(np.asarray(light), 0)


def _behind(scenes: Scenes, bank: Bank, side: int) -> np.ndarray:
    """What our renderer shows without things and floor, ``[b, side, side, 3]`` sRGB in 0–1."""
    import torch

    from unseen.worlds.rendering.backdrop import backdrop

    bare = replace(scenes, floor=torch.full_like(scenes.floor, -2))
    seen = backdrop(bare, bank.on("cpu"), camera_of(scenes), None, side)
    return seen.sqrt().permute(1, 2, 3, 0).numpy()


def _encoded(x: np.ndarray) -> np.ndarray:
    shown = np.where(x <= 0.0031308, 12.92 * x, 1.055 * np.power(np.maximum(x, 1e-9), 1 / 2.4) - 0.055)
    return np.rint(shown * 255).astype(np.uint8)
