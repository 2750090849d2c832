"""Files that are too large, cut short, empty, inside out or in other units: each is shown right, or listed at once."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.meshes import crew, declared, parts
from unseen.worlds.meshes.declared import check_size
from unseen.worlds.meshes.reading import read
from unseen.worlds.meshes.references import Unreadable
from unseen.worlds.meshes.world import meshes
from unseen.worlds.rendering.mesh import face_normals

trimesh = pytest.importorskip("trimesh")


def ball(**how: int) -> object:
    return trimesh.creation.icosphere(subdivisions=2, **how)


def write_heads(folder: Path, faces: int) -> list[Path]:
    """Files whose heads speak of so many faces, and which hold next to nothing."""
    tree = {
        "asset": {"version": "2.0"}, "nodes": [{"mesh": 0}, {"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [{"count": 9}, {"count": 3 * faces // 2}],
    }  # fmt: skip
    text = json.dumps(tree).encode()
    contents = {
        "head.stl": bytes(80) + struct.pack("<I", faces) + bytes(200),
        "head.ply": f"ply\nformat ascii 1.0\nelement vertex 3\nelement face {faces}\nend_header\n".encode(),
        "head.off": f"OFF3 {faces} 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n".encode(),
        "head.gltf": text,
        "head.glb": struct.pack("<4sIII4s", b"glTF", 2, 20 + len(text), len(text), b"JSON") + text,
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    return [folder / name for name in contents]


def test_ten_million_faces_too_many_are_refused_by_their_heads(tmp_path: Path) -> None:
    for path in write_heads(tmp_path / "models" / "thing", 22_000_000):
        with pytest.raises(Unreadable, match="22,000,000 faces are more than 12,000,000; simplify it first"):
            read(path)
    ball().export(str(tmp_path / "models" / "thing" / "ball.stl"))  # type: ignore[attr-defined]
    world = meshes(tmp_path / "models", cache=tmp_path / "cache")
    assert world.samples.instances == 1
    assert world.provenance["problems"].count("more than 12,000,000") == 5


def test_a_large_obj_is_counted_before_it_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ball().export(str(tmp_path / "ball.obj"))  # type: ignore[attr-defined]
    monkeypatch.setattr(declared, "LARGE", 100)
    assert check_size(tmp_path / "ball.obj") == 320
    monkeypatch.setattr(declared, "MOST_FACES", 300)
    with pytest.raises(Unreadable, match="320 faces are more than 300"):
        read(tmp_path / "ball.obj")
    monkeypatch.setattr(declared, "MOST_BYTES", 200)
    (tmp_path / "points.ply").write_bytes(b"ply\nend_header\n" + bytes(300))
    with pytest.raises(Unreadable, match="315 bytes are more than 200"):
        read(tmp_path / "points.ply")


@pytest.mark.parametrize("suffix", ["stl", "ply", "off", "glb", "obj"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_file_that_is_cut_short_is_left_out_or_at_least_drawn(tmp_path: Path, suffix: str, share: float) -> None:
    path = tmp_path / f"ball.{suffix}"
    ball().export(str(path))  # type: ignore[attr-defined]
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    if suffix == "obj" and share == 0.9:  # text without any count: what is there is a mesh
        assert 0 < read(path).faces < 320
        return
    with pytest.raises(Unreadable, match=r"cut short|empty|not readable|no faces"):
        read(path)


def test_an_inside_out_mesh_looks_outwards_and_an_open_one_has_two_sides(tmp_path: Path) -> None:
    turned = ball()
    turned.invert()  # type: ignore[attr-defined]
    turned.export(str(tmp_path / "ball.off"))  # type: ignore[attr-defined]
    one = read(tmp_path / "ball.off").mesh
    out = one.vertices[one.faces].mean(1) - (0, 0, 0.5)
    assert ((face_normals(one.vertices, one.faces) * out).sum(1) > 0).all()
    half = ball()
    half.update_faces(half.triangles_center[:, 2] > 0)  # type: ignore[attr-defined]
    half.invert()  # type: ignore[attr-defined]
    half.export(str(tmp_path / "bowl.off"))  # type: ignore[attr-defined]
    bowl = read(tmp_path / "bowl.off")
    assert len(bowl.mesh.faces) > 1.5 * bowl.faces, "inside and outside"


def test_a_mesh_without_normals_is_smooth_and_units_do_not_matter(tmp_path: Path) -> None:
    for name, scale in (("metres", 0.01), ("millimetres", 1000.0), ("parsecs", 1e15)):
        made = ball()
        made.apply_scale(scale)  # type: ignore[attr-defined]
        (tmp_path / "models" / "ball").mkdir(parents=True, exist_ok=True)
        made.export(str(tmp_path / "models" / "ball" / f"{name}.obj"), include_normals=False)  # type: ignore[attr-defined]
    world = meshes(tmp_path / "models", cache=tmp_path / "cache", pose=1, side=48)
    assert world.samples.instances == 3
    for one in world.furnished.meshes:
        assert np.isclose(one.extents.max(), 1)
        assert np.allclose(np.linalg.norm(one.normals, axis=1), 1, atol=1e-3)
        assert ((one.normals * (one.vertices - (0, 0, 0.5))).sum(1) > 0.45).all(), "smooth, and outwards"
    pictures = world.images(np.arange(3)).numpy().astype(int)
    assert np.abs(pictures - pictures[:1]).mean() < 1


def test_a_texture_of_too_many_pixels_is_drawn_plain_and_a_large_one_is_shrunk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PIL import Image

    ramp = np.zeros((64, 64, 3), np.uint8)
    ramp[::2] = 255
    Image.fromarray(ramp).save(tmp_path / "paint.png")
    (tmp_path / "one.mtl").write_text("newmtl painted\nmap_Kd paint.png\n")
    (tmp_path / "one.obj").write_text(
        "mtllib one.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nusemtl painted\nf 1/1 2/2 3/3\n"
    )
    assert read(tmp_path / "one.obj").mesh.texture is not None
    monkeypatch.setattr(parts, "LARGEST", 16)
    found = parts.parts(tmp_path / "one.obj")[0][0].image
    assert found is not None
    assert found.shape == (16, 16, 3)
    monkeypatch.setattr(parts, "MOST_PIXELS", 1000)
    note = read(tmp_path / "one.obj").notes[0]
    assert "unreadable texture paint.png, drawn plain (64×64 is more than 1,000 pixels)" in note


def test_a_file_that_takes_all_memory_ends_its_worker_and_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "HEAVY", 100)  # so that even one file has a worker of its own
    killed = "; import os; crew.one_converted = lambda job, cache: os.kill(os.getpid(), 9); crew.serve()"
    monkeypatch.setattr(crew, "_START", crew._START.replace("; crew.serve()", killed))
    (tmp_path / "models" / "ball").mkdir(parents=True)
    ball().export(str(tmp_path / "models" / "ball" / "ball.stl"))  # type: ignore[attr-defined]
    with pytest.raises(UnseenError, match=r"ball/ball.stl \(the process that read it ended \(out of memory, perhaps\)"):
        meshes(tmp_path / "models", cache=tmp_path / "cache")


def test_a_folder_of_empty_and_odd_files_says_so_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "odd"
    folder.mkdir(parents=True)
    (folder / "nothing.glb").write_bytes(b"")
    columns = "".join(f"property float {axis}\n" for axis in "xyz")
    (folder / "points.ply").write_text(f"ply\nformat ascii 1.0\nelement vertex 1\n{columns}end_header\n0 0 0\n")
    (folder / "flat.off").write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n2 0 0\n3 0 1 2\n")
    (folder / "far.off").write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n")
    with pytest.raises(UnseenError, match=r"none of 4 files.*nothing.glb \(the file is empty\)") as told:
        meshes(tmp_path / "models", cache=tmp_path / "cache")
    for reason in ("flat.off (none of its 1 faces has an area)", "points.ply (", "far.off ("):
        assert reason in str(told.value)
