"""Meshes of a folder as the things of any rendered world: which are taken, and what is told of the others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unseen.studies.tables import placeless
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.pools import Pools, membership
from unseen.worlds import make
from unseen.worlds.meshes.forms import alike, form
from unseen.worlds.meshes.world import meshes

trimesh = pytest.importorskip("trimesh")


def write_box(path: Path, edges: tuple[float, float, float], colour: int = 200, scale: float = 1.0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    made = trimesh.creation.box(extents=edges)
    made.apply_scale(scale)
    made.apply_translation((scale, 2, 3))
    made.visual.face_colors = (colour, 100, 30, 255)
    made.export(str(path))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five crates, of which two are one in other colours and units; three planks; one brick."""
    base = tmp_path_factory.mktemp("things")
    for k in range(4):
        write_box(base / "crate" / f"crate{k}.ply", (1, 1 + 0.1 * k, 2))
    write_box(base / "crate" / "recoloured.ply", (1, 1.2, 2), colour=20, scale=100)
    for k in range(3):
        write_box(base / "plank" / f"plank{k}.ply", (1, 0.6, 4 + k))
    write_box(base / "brick" / "brick.ply", (1, 2, 0.8))
    return base


def test_up_to_so_many_are_taken_by_chance_and_always_the_same(root: Path, tmp_path: Path) -> None:
    world = meshes(root, instances=3, cache=tmp_path)
    assert np.bincount(world.samples.blocks[0].stored["category"]).tolist() == [1, 3, 3]
    assert world.samples.space["category"].levels == ("brick", "crate", "plank")
    names = list(world.samples.blocks[0].names or ())
    assert names == list(meshes(root, instances=3, cache=tmp_path).samples.blocks[0].names or ())
    drawn = {tuple(meshes(root, instances=3, seed=s, cache=tmp_path).samples.blocks[0].names or ()) for s in range(9)}
    assert len(drawn) > 1, "another seed draws others"
    assert meshes(root, categories=2, cache=tmp_path).samples.space["category"].levels == ("brick", "crate")


def test_another_mesh_is_taken_in_place_of_one_that_cannot_be_read(root: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(root / "plank", tmp_path / "models" / "plank")
    (tmp_path / "models" / "plank" / "broken.ply").write_text("ply?")
    for seed in range(4):
        world = meshes(tmp_path / "models", instances=3, seed=seed, cache=tmp_path / "cache")
        assert world.samples.instances == 3


def test_categories_with_few_objects_are_left_out_and_listed(root: Path, tmp_path: Path) -> None:
    world = meshes(root, minimum=3, cache=tmp_path)
    assert world.samples.space["category"].levels == ("crate", "plank")
    assert "categories with fewer than 3 objects: brick (1)" in world.provenance["problems"]
    with pytest.raises(UnseenError, match=r"no category has 12 objects.*brick \(1\), crate \(5\), plank \(3\)"):
        meshes(root, minimum=12, cache=tmp_path)


def test_one_model_per_class_is_refused_where_a_minimum_asks_for_more(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_box(tmp_path / "models" / name / "one.stl", (1, 2, 3))
    assert meshes(tmp_path / "models", cache=tmp_path).samples.instances == 2
    with pytest.raises(UnseenError, match=r"no category has 2 objects or more.*a \(1\), b \(1\)"):
        meshes(tmp_path / "models", minimum=2, cache=tmp_path)


def test_copies_in_other_colours_and_units_are_told_dropped_or_kept_in_one_pool(root: Path, tmp_path: Path) -> None:
    kept = meshes(root, cache=tmp_path)
    assert "crate/recoloured.ply = crate/crate2.ply" in kept.provenance["problems"]
    assert kept.samples.instances == 9
    dropped = meshes(root, duplicates="drop", cache=tmp_path)
    assert dropped.samples.instances == 8
    assert "crate/recoloured.ply" not in (dropped.samples.blocks[0].names or ())
    assert meshes(root, duplicates="drop", instances=4, cache=tmp_path).samples.instances == 8, "others fill up"
    together = meshes(root, duplicates="together", cache=tmp_path)
    assert together.samples.space["form"].kind == "instance"
    names = list(together.samples.blocks[0].names or ())
    pair = [names.index("crate/crate2.ply"), names.index("crate/recoloured.ply")]
    for seed in range(20):
        pools = membership(together.samples, Pools((0.4, 0.2, 0.4), by="form", within="category", seed=seed))
        assert pools[pair[0]] == pools[pair[1]]
    assert len({kept.fingerprint, dropped.fingerprint, together.fingerprint}) == 3


def test_a_form_does_not_depend_on_how_it_is_cut_coloured_placed_or_scaled() -> None:
    ball = trimesh.creation.icosphere(subdivisions=2)
    own = form(ball.triangles)
    finer = ball.subdivide()
    moved = form(np.asarray(finer.triangles)[::-1] * 7 + (1, 2, 3))
    assert np.abs(np.subtract(own, moved)).max() < 1e-4
    other = form(trimesh.creation.icosphere(subdivisions=2).triangles * (1, 1, 1.01))
    assert alike([own, other, moved]).tolist() == [0, 1, 0]


@pytest.mark.parametrize("name", ["objects", "natural-variation"])
def test_other_worlds_show_the_meshes_of_a_folder(root: Path, tmp_path: Path, name: str) -> None:
    sizes = {"pose": 2} if name == "objects" else {"levels": 3, "backgrounds": 2, "blocks": ["single"]}
    given = {"root": str(root), "cache": str(tmp_path), "minimum": 3}
    world = make(name, meshes=given, instances=4, side=32, **sizes)
    assert world.samples.space["category"].levels == ("crate", "plank")
    assert world.samples.instances == 7
    assert "not stated: 7" in world.provenance["licence"]
    rows = np.arange(0, len(world.samples), 3)
    assert not world.out_of_frame(rows).any()
    pictures = world.images(rows)
    again = make(name, meshes=given, instances=4, side=32, **sizes)
    assert again.fingerprint == world.fingerprint
    assert np.array_equal(again.images(rows[:3]), pictures[:3])
    plain = make(name, instances=4, side=32, **sizes)
    assert plain.fingerprint != world.fingerprint


def test_a_table_of_meshes_that_says_too_little_or_too_much_is_refused(root: Path) -> None:
    for given, reason in (
        ({}, "--set world.meshes.root"),
        ({"root": str(root), "instances": 3}, "write it beside `meshes`"),
        ({"root": str(root), "minimun": 3}, "Did you mean 'minimum'"),
        ({"root": str(root), "minimum": 0}, "`minimum` is a whole number"),
        ({"root": str(root), "duplicates": "hide"}, "possible: keep, drop, together"),
        ({"root": str(root), "minimum": 60}, "at most 50"),
    ):
        with pytest.raises(UnseenError, match=reason):
            make("objects", meshes=given)


def test_where_meshes_lie_is_no_part_of_what_they_are() -> None:
    assert placeless({"meshes": "here", "side": 32}) == {"meshes": {}, "side": 32}
    assert placeless({"meshes": {"root": "there", "minimum": 3, "workers": 2}}) == {"meshes": {"minimum": 3}}
