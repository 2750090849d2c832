"""Mesh files of every format become meshes in one convention. All files are written here, most by trimesh."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.meshes.atlas import sampled, textured
from unseen.worlds.meshes.converted import converted, entry
from unseen.worlds.meshes.parts import Part
from unseen.worlds.meshes.reading import Reading, read
from unseen.worlds.meshes.references import Unreadable, content_of, references
from unseen.worlds.meshes.surface import Soup, across, ids_of, smooth
from unseen.worlds.rendering.mesh import Mesh, face_normals

trimesh = pytest.importorskip("trimesh")


def box(extents: tuple[float, float, float] = (1.0, 2.0, 4.0)) -> object:
    return trimesh.creation.box(extents=extents)


def area(one: Mesh) -> float:
    a, b, c = (one.vertices[one.faces[:, k]] for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def outward(one: Mesh) -> bool:
    """All faces of a convex mesh look away from its middle."""
    middle = (one.vertices.min(0) + one.vertices.max(0)) / 2
    faces = one.vertices[one.faces].mean(1) - middle
    return bool(((face_normals(one.vertices, one.faces) * faces).sum(1) > 0).all())


def write_textured_obj(folder: Path, *, texture: bool = True, line: str = "map_Kd paint.png") -> Path:
    """A square standing in the plane z = 0 of a y-up file, half red and half blue, and a green one."""
    from PIL import Image

    pixels = np.zeros((32, 32, 3), np.uint8)
    pixels[:, :16], pixels[:, 16:] = (255, 0, 0), (0, 0, 255)
    if texture:
        Image.fromarray(pixels).save(folder / "paint.png")
    (folder / "two.mtl").write_text(
        f"newmtl painted\nKd 0 0 0\n{line}\n\nnewmtl plain\nKd 0 1 0\nKs 0.5 0.5 0.5\nNs 225\n"
    )
    (folder / "two.obj").write_text(
        "mtllib two.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 -1\nv 1 0 -1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
        "usemtl painted\nf 1/1 2/2 3/3 4/4\nusemtl plain\nf 1/1 5/1 6/1 2/1\n"
    )
    return folder / "two.obj"


@pytest.mark.parametrize("suffix", ["obj", "glb", "gltf", "stl", "ply"])
def test_every_format_gives_an_upright_box_that_looks_outwards(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"box.{suffix}"
    up = (1.0, 4.0, 2.0) if suffix in ("obj", "glb", "gltf") else (2.0, 1.0, 4.0)
    made = box(up)
    if suffix == "gltf":
        for name, data in trimesh.exchange.gltf.export_gltf(trimesh.Scene(made)).items():
            (tmp_path / ("box.gltf" if name == "model.gltf" else name)).write_bytes(data)
    else:
        made.export(str(path))  # type: ignore[attr-defined]
    one = read(path).mesh
    # our x is the file's front: +z of glTF and OBJ, -y of STL and PLY
    assert np.allclose(
        one.extents, (0.5, 0.25, 1.0) if suffix in ("obj", "glb", "gltf") else (0.25, 0.5, 1.0), atol=1e-5
    )
    assert np.allclose(one.vertices.min(0)[2], 0)
    assert np.allclose(one.vertices.min(0)[:2] + one.vertices.max(0)[:2], 0, atol=1e-6)
    assert len(one.faces) == 12
    assert outward(one)
    assert one.texture is None
    assert np.allclose((one.normals[one.faces] * face_normals(one.vertices, one.faces)[:, None]).sum(-1), 1, atol=1e-3)


def test_axes_and_yaw_turn_the_mesh(tmp_path: Path) -> None:
    box((1.0, 2.0, 4.0)).export(str(tmp_path / "box.stl"))  # type: ignore[attr-defined]
    for how, extents in (
        (Reading(), (2, 1, 4)),
        (Reading(up="z", front="x"), (1, 2, 4)),
        (Reading(up="x", front="y"), (2, 4, 1)),
        (Reading(up="-y", front="-z"), (4, 1, 2)),
        (Reading(yaw=90), (1, 2, 4)),
    ):
        one = read(tmp_path / "box.stl", how).mesh
        assert np.allclose(one.extents, np.array(extents) / 4, atol=1e-5), how
        assert outward(one), how


def test_the_front_of_a_gltf_is_its_positive_z(tmp_path: Path) -> None:
    nose = trimesh.util.concatenate(
        [
            box((1, 1, 2)),
            trimesh.creation.box(
                extents=(0.2, 0.2, 0.2), transform=trimesh.transformations.translation_matrix((0.2, 0, 1.1))
            ),
        ]
    )
    nose.export(str(tmp_path / "nose.glb"))
    one = read(tmp_path / "nose.glb").mesh
    ahead = one.vertices[one.vertices[:, 0] > one.vertices[:, 0].max() - 0.01]
    assert np.ptp(ahead[:, 1]) < 0.15, "the nose is in front"
    assert ahead[:, 1].mean() > 0, "the file's +x is our left"


def test_a_scene_is_flattened_and_a_mirrored_node_keeps_its_outside(tmp_path: Path) -> None:
    scene = trimesh.Scene()
    ball = trimesh.creation.icosphere(subdivisions=2)
    mirror = np.diag([-1.0, 1, 1, 1])
    mirror[0, 3] = -3
    scene.add_geometry(ball, node_name="right", transform=trimesh.transformations.translation_matrix((3, 0, 0)))
    scene.add_geometry(ball, node_name="left", transform=mirror)
    scene.export(str(tmp_path / "pair.glb"))
    one = read(tmp_path / "pair.glb").mesh
    assert len(one.faces) == 640
    assert np.allclose(one.extents, (0.25, 1, 0.25), atol=0.01)
    for side in (-1, 1):
        faces = one.faces[np.sign(one.vertices[one.faces[:, 0], 1]) == side]
        centre = one.vertices[faces].mean((0, 1))
        out = one.vertices[faces].mean(1) - centre
        assert ((face_normals(one.vertices, faces) * out).sum(1) > 0).all()
        assert ((one.normals[faces].mean(1) * out).sum(1) > 0).all()


def write_glb(path: Path, parts: int) -> Path:
    """One mesh of several primitives, each a triangle of its own colour: readers have to name them themselves."""
    points = np.array([[[k, 0, 0], [k + 1, 0, 0], [k, 1, 0.1 * k]] for k in range(parts)], np.float32)
    data = points.tobytes()
    tree = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": k}, "material": k} for k in range(parts)]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [k / parts, 0.5, 0, 1]}} for k in range(parts)],
        "accessors": [
            {"bufferView": 0, "byteOffset": 36 * k, "componentType": 5126, "count": 3, "type": "VEC3",
             "min": points[k].min(0).tolist(), "max": points[k].max(0).tolist()} for k in range(parts)
        ],
        "bufferViews": [{"buffer": 0, "byteLength": len(data)}], "buffers": [{"byteLength": len(data)}],
    }  # fmt: skip
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
    return path


def test_a_file_gives_the_same_mesh_whenever_it_is_read(tmp_path: Path) -> None:
    path = write_glb(tmp_path / "fan.glb", 7)
    first, second = read(path).mesh, read(path).mesh
    assert np.array_equal(first.vertices, second.vertices)
    assert np.array_equal(first.faces, second.faces)
    assert np.allclose(np.diff(first.vertices[first.faces[:7]].mean(1)[:, 1]) > 0, True), "in the order of the file"


def test_textures_and_plain_colours_share_one_atlas(tmp_path: Path) -> None:
    one = read(write_textured_obj(tmp_path)).mesh
    assert one.texture is not None
    assert one.texture.shape == (256, 256, 3)
    standing = [face for face in one.faces if one.vertices[face][:, 2].max() > 0.5]
    lying = [face for face in one.faces if one.vertices[face][:, 2].max() < 0.5]
    for face in standing:  # looking from the front (+x) the file's left is our right: y > 0 is the file's right, blue
        for weights in ((0.6, 0.2, 0.2), (0.2, 0.6, 0.2), (0.2, 0.2, 0.6)):
            y = np.dot(weights, one.vertices[face][:, 1])
            colour = sampled(one.texture, np.asarray(weights) @ one.uv[face]) * (
                np.asarray(weights) @ one.colours[face]
            )
            if abs(y) > 0.05:
                assert np.allclose(colour, (0, 0, 1) if y > 0 else (1, 0, 0), atol=0.02)
    for face in lying:
        assert np.allclose(sampled(one.texture, one.uv[face]) * one.colours[face], (0, 1, 0))
        assert np.allclose(one.gloss[face], 0.25, atol=0.01)
    assert standing
    assert lying
    assert read(tmp_path / "two.obj").notes == ()


def test_texture_options_in_a_material_library_are_understood(tmp_path: Path) -> None:
    path = write_textured_obj(tmp_path, line="map_Kd -s 1 1 1 -o 0 0 0 paint.png")
    assert read(path).mesh.texture is not None
    assert read(path).notes == ()


def test_a_missing_texture_is_drawn_plain_and_named(tmp_path: Path) -> None:
    found = read(write_textured_obj(tmp_path, texture=False))
    assert found.notes == ("missing paint.png, drawn plain",)
    assert found.mesh.texture is None
    (tmp_path / "paint.png").write_bytes(b"no picture")
    assert "unreadable texture paint.png" in read(tmp_path / "two.obj").notes[0]


def test_a_texture_that_is_postscript_starts_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import subprocess

    def never(*words: object, **options: object) -> None:
        raise AssertionError(f"started {words}")

    monkeypatch.setattr(subprocess, "check_call", never)
    path = write_textured_obj(tmp_path)
    (tmp_path / "paint.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\nshowpage\n")
    assert "EPS is no format of textures" in read(path).notes[0]


def test_vertex_colours_survive_and_gltf_colours_are_linear(tmp_path: Path) -> None:
    ball = trimesh.creation.icosphere(subdivisions=1)
    ball.visual.vertex_colors = np.tile(np.array([255, 128, 0, 255], np.uint8), (len(ball.vertices), 1))
    ball.export(str(tmp_path / "ball.ply"))
    assert np.allclose(read(tmp_path / "ball.ply").mesh.colours, (1, 128 / 255, 0), atol=0.01)
    material = trimesh.visual.material.PBRMaterial(baseColorFactor=[255, 55, 0, 255], roughnessFactor=0.5)
    ball.visual = trimesh.visual.TextureVisuals(material=material)
    ball.export(str(tmp_path / "ball.glb"))
    one = read(tmp_path / "ball.glb").mesh
    assert np.allclose(one.colours, (1, 0.5, 0), atol=0.01), "55/255 of linear light looks like one half"
    assert np.allclose(one.gloss, 0.25)


def test_a_palette_becomes_vertex_colours(tmp_path: Path) -> None:
    corners = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 0], [0, 1, 0]]], float)
    uv = np.array([[[0.2, 0.2]] * 3, [[0.7, 0.2]] * 3])
    image = np.zeros((8, 8, 3), np.uint8)
    image[:, :4], image[:, 4:] = (10, 20, 30), (200, 100, 50)
    given = Soup(
        corners,
        np.zeros((2, 3, 3)),
        uv,
        np.ones((2, 3, 3)),
        np.zeros(2),
        np.zeros(2, int),
        np.zeros(2, int),
        np.ones(2, bool),
    )
    done, texture = textured(given, [image], 64)
    assert texture is None
    assert np.allclose(done.colours[0] * 255, (10, 20, 30))
    assert np.allclose(done.colours[1] * 255, (200, 100, 50))


def test_coordinates_that_run_over_tiles_keep_their_repeats_in_an_atlas() -> None:
    rng = np.random.default_rng(0)
    images = [rng.integers(0, 255, (16, 16, 3), dtype=np.uint8).repeat(8, 0).repeat(8, 1) for _ in range(2)]
    corners = rng.random((3, 3, 3))
    uv = np.array([[[-1.5, 4], [0.4, 4], [-1.5, 5.9]], [[0.1, 0.1], [0.9, 0.1], [0.1, 0.9]], [[0, 0]] * 3], float)
    image = np.array([0, 1, -1])
    given = Soup(corners, np.zeros((3, 3, 3)), uv, np.ones((3, 3, 3)), np.zeros(3), image, image, np.ones(3, bool))
    done, texture = textured(given, images, 512)
    assert texture is not None
    assert (done.uv >= 0).all()
    assert (done.uv <= 1).all()
    for face in (0, 1):
        weights = rng.dirichlet((1, 1, 1), 500)
        gap = np.abs(sampled(texture, weights @ done.uv[face]) - sampled(images[face], weights @ uv[face])).max(1)
        assert np.median(gap) < 0.02, "the same texels, besides those at their borders"
    assert np.allclose(sampled(texture, done.uv[2]), 1)


def test_open_surfaces_have_both_sides_and_inverted_ones_are_turned(tmp_path: Path) -> None:
    sheet = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]], [[0, 1, 2], [0, 2, 3]], process=False)
    sheet.export(str(tmp_path / "sheet.ply"))
    one = read(tmp_path / "sheet.ply").mesh
    assert len(one.faces) == 4
    assert np.allclose(face_normals(one.vertices, one.faces).sum(0), 0, atol=1e-6)
    ball = trimesh.creation.icosphere(subdivisions=2)
    ball.invert()
    ball.export(str(tmp_path / "inverted.stl"))
    one = read(tmp_path / "inverted.stl").mesh
    assert len(one.faces) == 320
    assert outward(one)
    assert ((one.normals * (one.vertices - one.vertices.mean(0))).sum(1) > 0).all()


def test_what_nobody_sees_is_dropped_and_windings_do_not_matter(tmp_path: Path) -> None:
    faces = box().faces.copy()  # type: ignore[attr-defined]
    faces[::3] = faces[::3, ::-1]
    walls = trimesh.Trimesh(box().vertices, faces, process=False)  # type: ignore[attr-defined]
    inside = trimesh.creation.icosphere(subdivisions=1, radius=0.3)
    trimesh.util.concatenate([walls, inside]).export(str(tmp_path / "hidden.stl"))
    one = read(tmp_path / "hidden.stl").mesh
    assert 10 <= len(one.faces) <= 12, "neither the ball in the box nor the inner sides of its walls"
    assert outward(one)


def test_sharp_edges_stay_sharp_and_round_ones_become_smooth(tmp_path: Path) -> None:
    trimesh.creation.cylinder(radius=1, height=1, sections=32).export(str(tmp_path / "drum.stl"))
    one = read(tmp_path / "drum.stl").mesh
    level = np.abs(one.normals[:, 2]) < 0.1
    assert level.any()
    assert np.allclose(np.abs(one.normals[~level][:, 2]), 1, atol=1e-3), "caps are flat"
    out = one.vertices[level] * (1, 1, 0)
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    assert ((one.normals[level] * out).sum(1) > 0.999).all(), "the mantle is round"


def test_many_faces_around_one_point_cost_no_square() -> None:
    n = 20_000
    angle = np.linspace(0, 2 * np.pi, n + 1)
    rim = np.stack([np.cos(angle), np.sin(angle), np.zeros(n + 1)], -1)
    corners = np.stack([np.zeros((n, 3)), rim[:-1], rim[1:]], 1)
    zero = np.zeros(n, int)
    given = Soup(
        corners, np.zeros((n, 3, 3)), np.zeros((n, 3, 2)), np.ones((n, 3, 3)), np.zeros(n), zero, zero, zero > 0
    )
    assert np.allclose(smooth(given).normals, (0, 0, 1))
    assert ids_of(corners).max() == n
    assert np.allclose(np.linalg.norm(across(corners), axis=1).sum() / 2, np.pi, rtol=1e-4)


def test_many_faces_become_few_without_losing_shape_colour_or_thin_pieces(tmp_path: Path) -> None:
    ball = trimesh.creation.icosphere(subdivisions=5)  # 20,480 faces
    ball.visual.vertex_colors = np.where(ball.vertices[:, 2:] > 0, (255, 0, 0, 255), (0, 0, 255, 255)).astype(np.uint8)
    pole = trimesh.creation.cylinder(radius=0.01, height=1, sections=16)
    pole.apply_translation((0, 0, 1.5))
    pole.visual.vertex_colors = (0, 255, 0, 255)
    whole = trimesh.util.concatenate([ball, pole])
    whole.export(str(tmp_path / "ball.ply"))
    found = read(tmp_path / "ball.ply", Reading(max_faces=1000))
    one = found.mesh
    assert found.faces == len(whole.faces)
    assert 700 < len(one.faces) <= 1050
    radius = np.linalg.norm((one.vertices - (0, 0, 1 / 3)) * 3, axis=1)
    mantle = radius < 1.02
    assert np.allclose(radius[mantle], 1, atol=0.02), "still round"
    assert np.isclose(one.extents[2], 1)
    assert (one.vertices[~mantle][:, 2] > 0.9).any(), "the pole is there"
    low, high = one.vertices[:, 2] < 0.3, mantle & (np.abs(one.vertices[:, 2] - 0.48) < 0.1)
    assert np.allclose(one.colours[low], (0, 0, 1), atol=0.02)
    assert np.allclose(one.colours[high], (1, 0, 0), atol=0.02)
    assert len(read(tmp_path / "ball.ply", Reading(max_faces=0)).mesh.faces) > 15_000, "0 keeps all that is seen"


def test_a_textured_ball_keeps_its_picture_when_simplified(tmp_path: Path) -> None:
    from PIL import Image

    ramp = np.zeros((64, 64, 3), np.uint8)
    ramp[..., 0], ramp[..., 1] = np.linspace(0, 255, 64)[None, :], np.linspace(255, 0, 64)[:, None]
    ramp[::8] = 255  # not flat, so that it stays a texture
    n = 80
    u, v = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n))
    points = np.stack([u, v, 0.2 * np.sin(6 * u) * np.cos(5 * v)], -1).reshape(-1, 3)
    at = np.arange(n * n).reshape(n, n)
    a, b, c, d = at[:-1, :-1].ravel(), at[:-1, 1:].ravel(), at[1:, 1:].ravel(), at[1:, :-1].ravel()
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    visual = trimesh.visual.TextureVisuals(
        uv=points[:, :2], material=trimesh.visual.material.PBRMaterial(baseColorTexture=Image.fromarray(ramp))
    )
    trimesh.Trimesh(points, faces, visual=visual, process=False).export(str(tmp_path / "cloth.glb"))
    one = read(tmp_path / "cloth.glb", Reading(max_faces=800)).mesh
    assert one.texture is not None
    assert len(one.faces) <= 880
    expected = one.vertices[:, 1] / np.ptp(one.vertices[:, 1]) + 0.5  # the file's x is our y
    assert np.abs(one.uv[:, 0] - expected).max() < 0.06


def sphere(n: int) -> object:
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, n), np.linspace(0.02, np.pi - 0.02, n))
    points = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], -1).reshape(-1, 3)
    at = np.arange(n * n).reshape(n, n)
    a, b, c, d = at[:-1, :-1].ravel(), at[1:, :-1].ravel(), at[1:, 1:].ravel(), at[:-1, 1:].ravel()
    return trimesh.Trimesh(points, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]), process=False)


def test_large_parts_are_snapped_to_a_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    from unseen.worlds.meshes import simplify

    ball = sphere(200)
    vertices = np.asarray(ball.vertices)  # type: ignore[attr-defined]
    part = Part(vertices, np.asarray(ball.faces), (vertices * 0.5 + 0.5).astype(np.float32), 0.2)  # type: ignore[attr-defined]
    low, size = part.vertices.min(0), 2.0
    assert simplify.snapped(part, low, size) is part, "it is not that large"
    monkeypatch.setattr(simplify, "SNAP_ABOVE", 1000)
    monkeypatch.setattr(simplify, "SNAP_CELLS", 20)
    for given in (part, replace(part, uv=np.zeros((len(vertices), 2)))):
        few = simplify.snapped(given, low, size)
        assert 1000 < len(few.faces) < 20_000
        assert len(few.vertices) < 2500
        assert np.allclose(np.linalg.norm(few.vertices, axis=1), 1, atol=0.02), "still round"
        assert np.abs(few.colours - (few.vertices * 0.5 + 0.5)).max() < 0.1
    seam = replace(part, uv=np.where(vertices[:, :1] > 0, 0.9, 0.1) * np.ones((1, 2)))
    few = simplify.snapped(seam, low, size)
    assert set(np.unique(few.uv)) == {0.1, 0.9}, "what differs in texture is not mixed"


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["stl", "ply"])
def test_five_million_faces_are_read_within_bounds(tmp_path: Path, suffix: str) -> None:
    sphere(1582).export(str(tmp_path / f"many.{suffix}"))  # type: ignore[attr-defined]
    found = read(tmp_path / f"many.{suffix}")
    assert found.faces == 2 * 1581**2
    assert len(found.mesh.faces) <= 4200
    assert np.allclose(found.mesh.extents, 1, atol=0.03)
    assert abs(area(found.mesh) / np.pi - 1) < 0.1


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("nan.obj", "v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n", "1 of 3 vertices are not numbers"),
        ("points.obj", "v 0 0 0\nv 1 0 0\n", "no faces|not readable"),
        ("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "none of its 1 faces has an area"),
        ("one.obj", "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n", "none of its 1 faces has an area"),
        ("empty.obj", "", "the file is empty"),
        ("noise.glb", "this is no glTF", "not readable as GLB"),
        ("noise.stl", "\x00\x01", "not readable as STL|no faces"),
        ("noise.ply", "ply?", "not readable as PLY"),
        ("scene.fbx", "", "none of"),
    ],
)
def test_files_that_show_no_mesh_say_why(tmp_path: Path, name: str, text: str, reason: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(Unreadable, match=reason):
        read(tmp_path / name)


def test_degenerate_faces_are_dropped_and_counted(tmp_path: Path) -> None:
    made = box()
    faces = np.concatenate([made.faces, [[0, 0, 1], [2, 2, 2]]])  # type: ignore[attr-defined]
    trimesh.Trimesh(made.vertices, faces, process=False).export(str(tmp_path / "box.ply"))  # type: ignore[attr-defined]
    found = read(tmp_path / "box.ply")
    assert (found.faces, found.degenerate, len(found.mesh.faces)) == (14, 2, 12)


def test_wrong_ways_of_reading_are_refused() -> None:
    for arguments, reason in (
        ({"up": "w"}, "no axis for `up` 'w'"),
        ({"up": "z", "front": "-z"}, "one axis"),
        ({"max_faces": -1}, "max_faces"),
        ({"texture": 100}, "power of two"),
    ):
        with pytest.raises(UnseenError, match=reason):
            Reading(**arguments)  # type: ignore[arg-type]


def test_the_content_is_that_of_all_files_and_not_of_their_names(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.mkdir(), second.mkdir()
    path = write_textured_obj(first)
    assert [one.name for one in references(path)] == ["two.mtl", "paint.png"]
    write_textured_obj(second)
    assert content_of(path) == content_of((second / "two.obj").rename(second / "other.obj"))
    before = content_of(path)
    (first / "paint.png").write_bytes((first / "paint.png").read_bytes() + b" ")
    assert content_of(path) != before
    (first / "paint.png").unlink()
    assert content_of(path) != before


def test_gltf_references_are_found_in_text_and_binary(tmp_path: Path) -> None:
    tree = {
        "asset": {"version": "2.0"},
        "buffers": [{"uri": "my%20data.bin"}],
        "images": [{"uri": "data:x"}, {"uri": "A.PNG"}],
    }
    (tmp_path / "one.gltf").write_text(json.dumps(tree))
    (tmp_path / "a.png").write_bytes(b"x")
    found = references(tmp_path / "one.gltf")
    assert [(one.name, one.path is not None) for one in found] == [("my data.bin", False), ("A.PNG", True)]
    data = json.dumps(tree).encode()
    (tmp_path / "one.glb").write_bytes(b"glTF" + np.array([2, 0, len(data)], "<u4").tobytes() + b"JSON" + data)
    assert [one.name for one in references(tmp_path / "one.glb")] == ["my data.bin", "A.PNG"]


def test_a_converted_mesh_is_kept_whole_and_needs_no_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_textured_obj(tmp_path)
    content, how = content_of(path), Reading()
    first = converted(path, content, how, tmp_path / "cache")
    monkeypatch.setitem(__import__("sys").modules, "trimesh", None)
    again = converted(path, content, how, tmp_path / "cache")
    for name in ("vertices", "faces", "normals", "colours", "paint", "gloss", "uv", "texture"):
        assert np.array_equal(getattr(first.mesh, name), getattr(again.mesh, name))
    assert (first.faces, first.degenerate, first.notes) == (again.faces, again.degenerate, again.notes)
    monkeypatch.undo()
    place = entry(content, how, tmp_path / "cache")
    assert place != entry(content, Reading(yaw=10), tmp_path / "cache")
    place.write_bytes(place.read_bytes()[:100])
    assert np.array_equal(converted(path, content, how, tmp_path / "cache").mesh.vertices, first.mesh.vertices)
    assert [one.suffix for one in place.parent.iterdir()] == [".npz"], "nothing is left aside"


def test_a_cache_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = write_textured_obj(tmp_path)
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(UnseenError, match="UNSEEN_CACHE"):
        converted(path, content_of(path), Reading(), tmp_path / "cache")
