"""The world of users' own meshes: folders and indices, skips by name, licences, pictures."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.meshes.layouts.table import listing
from unseen.worlds.meshes.reading import Reading, read
from unseen.worlds.meshes.world import meshes

trimesh = pytest.importorskip("trimesh")
SHARED = Path(__file__).resolve().parents[3] / Path("shared/data/meshes")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three kinds of closed things in sub-folders, one of them broken."""
    base = tmp_path_factory.mktemp("things")
    makers = {
        "ball": lambda k: trimesh.creation.icosphere(subdivisions=k),
        "box": lambda k: trimesh.creation.box(extents=(1, k, 2)),
        "drum": lambda k: trimesh.creation.cylinder(radius=k, height=2, sections=16),
    }
    for name, make in makers.items():
        (base / name).mkdir()
        for k in (1, 2, 3):
            made = make(k)
            made.visual.face_colors = (40 * k, 200, 30, 255)
            made.export(str(base / name / f"{name}{k}.{'ply' if k < 3 else 'stl'}"))
    (base / "box" / "broken.glb").write_bytes(b"glTF nothing")
    (base / "box" / "nan.obj").write_text("v 0 0 0\nv nan 0 1\nv 0 1 0\nf 1 2 3\n")
    (base / "box" / "notes.txt").write_text("not a mesh")
    return base


def test_sub_folders_are_categories_and_broken_files_are_named(root: Path, tmp_path: Path) -> None:
    world = meshes(root, cache=tmp_path, side=48)
    assert world.samples.space["category"].levels == ("ball", "box", "drum")
    assert world.samples.space.shape == (3, 8)
    block = world.samples.blocks[0]
    assert block.instances == 9
    assert list(block.names or ())[3] == "box/box1.ply"
    assert len(set(block.content.tolist())) == 9
    told = world.provenance["problems"]
    assert "; ".join(world.problems.lines()) == told
    assert "left out: 2 files" in told
    assert "box/nan.obj (1 of 3 vertices are not numbers)" in told
    assert "box/broken.glb (not readable as GLB" in told
    assert world.provenance["licence"] == "not stated: 9"


def test_every_mesh_is_in_the_frame_and_pictures_do_not_depend_on_company(root: Path, tmp_path: Path) -> None:
    world = meshes(root, cache=tmp_path, side=32, pose=4, size=3, categories=["drum", "ball"], per_category=2)
    rows = np.arange(len(world.samples))
    assert world.samples.space["category"].levels == ("drum", "ball")
    assert len(rows) == 4 * 4 * 3
    assert not world.out_of_frame(rows).any()
    pictures = world.images(rows)
    assert pictures.shape == (48, 3, 32, 32)
    assert np.array_equal(pictures[7:8], world.images(rows[7:8]))
    assert len(np.unique(pictures.reshape(48, -1).numpy(), axis=0)) >= 12, "four forms in three sizes"


def test_the_same_content_is_the_same_world_wherever_it_lies(root: Path, tmp_path: Path) -> None:
    first = meshes(root, cache=tmp_path / "cache")
    shutil.copytree(root, tmp_path / "moved")
    second = meshes(tmp_path / "moved", cache=tmp_path / "cache")
    assert first.fingerprint == second.fingerprint
    (tmp_path / "moved" / "box" / "box1.ply").write_bytes((root / "box" / "box2.ply").read_bytes())
    assert meshes(tmp_path / "moved", cache=tmp_path / "cache").fingerprint != first.fingerprint
    for other in ({"pose": 4}, {"side": 64}, {"max_faces": 100}, {"per_category": 2}, {"up": "y"}, {"size": 2}):
        assert meshes(root, cache=tmp_path / "cache", **other).fingerprint != first.fingerprint, other


def test_a_cached_world_opens_and_draws_without_a_reader(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(root, tmp_path / "whole", ignore=shutil.ignore_patterns("broken*", "nan*"))
    first = meshes(tmp_path / "whole", cache=tmp_path / "cache", side=24)
    for name in ("trimesh", "fast_simplification", "polars"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    again = pickle.loads(pickle.dumps(meshes(tmp_path / "whole", cache=tmp_path / "cache", side=24)))
    assert again.fingerprint == first.fingerprint
    assert np.array_equal(again.images(np.arange(5)), first.images(np.arange(5)))


@pytest.mark.parametrize("name", ["trimesh", "fast_simplification"])
def test_without_a_reader_of_meshes_the_extra_is_named(root: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setitem(__import__("sys").modules, name, None)
    package = name.replace("_", "-")
    with pytest.raises(UnseenError, match=rf"package {package}, in the optional extra 'meshes'.*unseen\[meshes\]"):
        read(root / "ball" / "ball2.ply", Reading(max_faces=20))


def test_an_index_gives_licences_creators_and_fronts(root: Path, tmp_path: Path) -> None:
    (root / "list.csv").write_text(
        "category,path,name,licence,creator,yaw,front\n"
        "big,box/box3.stl,Large box,CC-BY-4.0,Ann,90,\n"
        "big,ball/ball2.ply,Large ball,CC0-1.0,Bo,,x\n"
        "small,box/box1.ply,Small box,CC-BY-4.0,Ann,,\n"
        "small,box/none.ply,Lost,CC0-1.0,Cy,,\n"
    )
    world = meshes(root, index="list.csv", cache=tmp_path)
    assert world.samples.space["category"].levels == ("big", "small")
    assert world.provenance["licence"] == "CC-BY-4.0: 2, CC0-1.0: 1"
    assert world.provenance["creators"] == "Ann (2), Bo (1)"
    assert "box/none.ply (no such file)" in world.provenance["problems"]
    turned = world.furnished.meshes[1].extents
    plain = meshes(root, categories=["box"], cache=tmp_path).furnished.meshes[2].extents
    assert np.allclose(turned[[1, 0, 2]], plain), "a yaw of 90 degrees changes length and width"
    assert meshes(root / "list.csv", cache=tmp_path).fingerprint == world.fingerprint
    (root / "list.csv").unlink()


def test_backgrounds_and_textures_are_factors_as_for_objects(root: Path, tmp_path: Path) -> None:
    world = meshes(
        root, categories=["ball"], per_category=1, pose=1, backgrounds=2, textures=3, cache=tmp_path, side=32
    )
    assert world.samples.space.names == ("category", "background", "texture")
    assert len(world.samples) == 6
    pictures = world.images(np.arange(6)).numpy().reshape(6, -1)
    assert len(np.unique(pictures, axis=0)) == 6
    bank = world.furnished
    assert (len(bank.pictures), len(bank.textures)) == (2, 3)


def test_mistakes_are_told_before_files_are_read(root: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "flat").mkdir()
    shutil.copy(root / "box" / "box1.ply", tmp_path / "flat" / "box1.ply")
    (tmp_path / "all_broken" / "box").mkdir(parents=True)
    shutil.copy(root / "box" / "broken.glb", tmp_path / "all_broken" / "box")
    for place, arguments, reason in (
        (tmp_path / "empty", {}, "no meshes below"),
        (tmp_path / "flat", {}, "sub-folder per category"),
        (tmp_path / "nowhere", {}, "no folder"),
        (tmp_path / "all_broken", {}, "none of 1 files"),
        (root, {"categories": ["bxo"]}, "Did you mean 'box'"),
        (root, {"categories": "box"}, "takes a list"),
        (root, {"per_category": 0}, "from 1"),
        (root, {"per_category": 9}, "ball has 3"),
        (root, {"pose": 0}, "`pose`"),
        (root, {"side": 2}, "`side`"),
        (root, {"drawn": ["colour"]}, "no circumstance 'colour'"),
        (root, {"up": "w"}, "no axis"),
        (root, {"index": "none.csv"}, "no index 'none.csv'"),
    ):
        with pytest.raises(UnseenError, match=reason):
            meshes(place, cache=tmp_path / "cache", **arguments)


def test_a_wrong_index_is_told_by_line(root: Path, tmp_path: Path) -> None:
    for text, reason in (
        ("", "no column 'category'"),
        ("kategory,path\na,b.ply\n", "no column 'category'.*Is 'kategory' meant"),
        ("category,path\n", "no rows"),
        ("category,path\na,b.ply\na,b.ply\n", "more than once: b.ply"),
        ("category,path\n,b.ply\n", "line 2 .* gives no category"),
        ("category,path\na,../b.ply\n", "outside"),
        ("category,path,yaw\na,b.ply,left\n", "yaw 'left'"),
        ("category,path,front\na,b.ply,q\n", "no axis"),
    ):
        (tmp_path / "index.csv").write_text(text)
        with pytest.raises(UnseenError, match=reason):
            listing(tmp_path, tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="no meshes on this machine")
def test_244_models_of_five_makers_are_all_shown(tmp_path: Path) -> None:
    world = meshes(SHARED, cache=tmp_path)
    assert world.samples.instances == 244
    assert world.samples.space.shape == (19, 8)
    assert world.provenance["licence"] == "CC0-1.0: 153, CC-BY-3.0: 77, CC-BY-3.0-US: 14"
    assert "missing cuir.jpg" in world.provenance["problems"]
    assert "left out" not in world.provenance["problems"]
    assert max(len(one.faces) for one in world.furnished.meshes) < 5500
    assert not world.out_of_frame(world.samples.rows_at(np.arange(244), {"pose": 3})).any()
