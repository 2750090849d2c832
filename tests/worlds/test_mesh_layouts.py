"""Collections of meshes as people have them: categories, names, licences and axes are read from what lies there."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.meshes.layouts import sweethome
from unseen.worlds.meshes.layouts.folders import SYNSETS
from unseen.worlds.meshes.layouts.sweethome import CATALOGUE
from unseen.worlds.meshes.layouts.table import LAYOUTS, listing
from unseen.worlds.meshes.references import references
from unseen.worlds.meshes.world import meshes

trimesh = pytest.importorskip("trimesh")


def nose(up: str, front: str) -> object:
    """A box, 1 wide, 2 long and 3 high in a file with these axes, with a small nose in front."""
    axes = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
    stand = np.array(axes[up.strip("-")]) * (-1 if "-" in up else 1)
    ahead = np.array(axes[front.strip("-")]) * (-1 if "-" in front else 1)
    aside = np.cross(stand, ahead)
    edges = np.abs(3 * stand + 2 * ahead + aside)
    tip = trimesh.creation.box(extents=(0.2, 0.2, 0.2))
    tip.apply_translation(1.1 * ahead)
    return trimesh.util.concatenate([trimesh.creation.box(extents=edges), tip])


def write(path: Path, up: str, front: str, size: float = 1.0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    made = nose(up, front)
    made.apply_scale(size)  # type: ignore[attr-defined]
    made.export(str(path))  # type: ignore[attr-defined]
    return path


def upright_and_ahead(world: object) -> bool:
    """Every mesh is highest of all, and its nose is where +x is."""
    for one in world.furnished.meshes:  # type: ignore[attr-defined]
        ahead = one.vertices[one.vertices[:, 0] > one.vertices[:, 0].max() - 0.01]
        if one.extents.argmax() != 2 or np.ptp(ahead[:, 1]) > 0.1:
            return False
    return True


def test_shapenet_is_called_by_its_names_and_looks_ahead(tmp_path: Path) -> None:
    root = tmp_path / "ShapeNetCore.v2"
    for synset, models in (("02691156", 2), ("03001627", 1), ("02954355", 1), ("99999999", 1)):
        for k in range(models):
            write(root / synset / f"{k:032x}" / "models" / "model_normalized.obj", "y", "-z", 1 + k)
            (root / synset / f"{k:032x}" / "models" / "model_normalized.json").write_text("{}")
    (root / "03001627" / "empty" / "models").mkdir(parents=True)
    (root / "taxonomy.json").write_text(
        json.dumps([{"synsetId": "02691156", "name": "aeroplane,plane"}, {"synsetId": "02954355", "name": "cap,hat"}])
    )
    world = meshes(root, cache=tmp_path)
    assert world.provenance["layout"] == "shapenet"
    assert world.samples.space["category"].levels == ("99999999", "airplane", "cap", "chair")
    assert "without a name, called by their number: 99999999" in world.provenance["problems"]
    assert upright_and_ahead(world)
    assert len(SYNSETS) == 57
    (root / "taxonomy.json").write_text("not JSON")
    assert meshes(root, cache=tmp_path).samples.space["category"].levels[1:3] == ("99999999", "airplane")


def test_modelnet_has_its_header_mended_and_stands_on_z(tmp_path: Path) -> None:
    root = tmp_path / "ModelNet40"
    for category in ("chair", "night_stand"):
        for split in ("train", "test"):
            file = write(root / category / split / f"{category}_0001.off", "z", "-y")
            if split == "train":
                text = file.read_text()
                assert text.startswith("OFF\n")
                file.write_text(text.replace("OFF\n", "OFF", 1))
    (root / ".DS_Store").write_text("")
    world = meshes(root, cache=tmp_path)
    assert world.provenance["layout"] == "modelnet"
    assert world.samples.space["category"].texts == ("a chair", "a night stand")
    assert next(iter(world.samples.blocks[0].names or ())) == "chair/test/chair_0001.off"
    assert world.samples.instances == 4
    assert upright_and_ahead(world)


UIDS = [f"{k:032x}" for k in range(5)]


def write_objaverse(base: Path) -> Path:
    for k, uid in enumerate(UIDS):
        write(base / "glbs" / f"000-{k // 3:03}" / f"{uid}.glb", "y", "z", 1 + k)
    for part in (0, 1):
        about = {
            uid: {"uid": uid, "name": f"Thing {k}", "license": "by", "user": {"username": "ann"},
                  "categories": [{"name": "Furniture & Home"}] * (1 if k < 3 else 0) + [{"name": "Art"}] * (k == 2)}
            for k, uid in enumerate(UIDS) if k // 3 == part
        }  # fmt: skip
        (base / "metadata").mkdir(exist_ok=True)
        with gzip.open(base / "metadata" / f"000-{part:03}.json.gz", "wt") as file:
            json.dump(about, file)
    return base


def test_objaverse_takes_lvis_categories_or_the_makers_and_no_guess(tmp_path: Path) -> None:
    base = write_objaverse(tmp_path / "hf-objaverse-v1")
    found = listing(tmp_path, tmp_path / "cache")
    assert found.layout == "objaverse"
    assert [(one.category, one.name) for one in found.entries] == [
        ("Furniture & Home", "Thing 0"),
        ("Furniture & Home", "Thing 1"),
    ]
    assert "2 objects without a category of its maker's" in found.told[0]
    assert "1 objects with several" in found.told[1]
    with gzip.open(base / "lvis-annotations.json.gz", "wt") as file:
        json.dump({"chair": UIDS[:2], "bench": UIDS[1:3], "mug": [*UIDS[3:], "not here"]}, file)
    world = meshes(base, cache=tmp_path / "cache")
    assert world.samples.space["category"].levels == ("bench", "chair", "mug")
    assert world.samples.instances == 4
    assert "1 objects with several categories of LVIS" in world.provenance["problems"]
    assert world.provenance["licence"] == "by: 4"
    assert world.provenance["creators"] == "ann (4)"
    assert upright_and_ahead(world)
    (base / "lvis-annotations.json.gz").write_bytes(b"no gzip")
    with pytest.raises(UnseenError, match=r"lvis-annotations.json.gz cannot be read as JSON"):
        listing(base, tmp_path)
    for file in (base / "lvis-annotations.json.gz", *(base / "metadata").iterdir()):
        file.unlink()
    with pytest.raises(UnseenError, match=r"5 objects of Objaverse and no categories; put lvis-annotations.json.gz"):
        listing(base, tmp_path)


def test_google_scanned_objects_find_their_category_and_their_texture(tmp_path: Path) -> None:
    from PIL import Image

    for name, category in (("Shoe_A", "Shoe"), ("Shoe_B", "Shoe"), ("Odd", "")):
        folder = tmp_path / "gso" / name
        write(folder / "meshes" / "model.obj", "z", "-y")
        told = f'categories {{\n  first: "{category}"\n}}\n' if category else ""
        (folder / "metadata.pbtxt").write_text(
            f'name: "{name}"\nauthors {{\n  name: "Google"\n}}\nlegal {{\n  copyright: "Copyright 2020 Google LLC."\n'
            '  license: "Creative Commons Attribution 4.0 International"\n}\nannotations {\n  key: "first"\n'
            f'  value: "x"\n}}\n{told}'
        )
        (folder / "materials" / "textures").mkdir(parents=True)
        Image.new("RGB", (8, 8), (250, 0, 0)).save(folder / "materials" / "textures" / "texture.png")
        (folder / "meshes" / "model.mtl").write_text("newmtl material_0\nmap_Kd texture.png\n")
        mesh = folder / "meshes" / "model.obj"
        mesh.write_text("mtllib model.mtl\nusemtl material_0\n" + mesh.read_text())
    (tmp_path / "gso" / "Lost").mkdir()
    (tmp_path / "gso" / "Lost" / "metadata.pbtxt").write_text("")
    world = meshes(tmp_path / "gso", cache=tmp_path)
    assert world.provenance["layout"] == "scanned-objects"
    assert world.samples.space["category"].levels == ("Shoe",)
    assert world.provenance["licence"] == "Creative Commons Attribution 4.0 International: 2"
    assert "1 objects whose metadata.pbtxt names no category: Odd" in world.provenance["problems"]
    assert "1 objects without meshes/model.obj: Lost" in world.provenance["problems"]
    assert upright_and_ahead(world)
    assert all(one.path is not None for one in references(tmp_path / "gso" / "Shoe_A" / "meshes" / "model.obj"))


def write_library(file: Path, pieces: dict[str, str], **more: bytes) -> Path:
    """A library whose pieces are boxes with a nose; ``pieces``: name → rotation (the file's axes are turned back)."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = ["# a comment", "id=Test#Library", "license=CC-BY 3.0  \xa9 Ann", ""]
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, rotation) in enumerate(pieces.items(), start=1):
            own = name.lower().replace(" ", "_")
            up, front = ("z", "-y") if rotation == "1 0 0 0 0 1 0 -1 0" else ("y", "z")
            archive.writestr(f"test/{own}/{own}.obj", nose(up, front).export(file_type="obj"))  # type: ignore[attr-defined]
            archive.writestr(f"test/{own}.png", b"an icon")
            lines += [f"id#{number}=Test#{own}", f"name#{number}={name}", f"category#{number}=Living \\\n  room",
                      f"model#{number}=/test/{own}/{own}.obj", f"creator#{number}=Ren\\u00e9"]  # fmt: skip
            lines += [f"modelRotation#{number}={rotation}"] if rotation else []
        lines += ["id#9=Test#dae", "name#9=Collada", "category#9=Office", "model#9=/test/odd/odd.dae"]
        archive.writestr(CATALOGUE, "\n".join(lines).encode("latin-1"))
        for name, data in more.items():
            archive.writestr(name, data)
    return file


def test_a_furniture_library_is_unpacked_once_and_its_pieces_are_turned(tmp_path: Path) -> None:
    file = write_library(tmp_path / "lib" / "Small.sh3f", {"Chair": "", "Desk": "1 0 0 0 0 1 0 -1 0"})
    world = meshes(file, cache=tmp_path / "cache")
    assert world.provenance["layout"] == "sweethome3d"
    assert world.samples.space["category"].levels == ("Living room",)
    assert world.provenance["licence"] == "CC-BY 3.0  © Ann: 2"
    assert world.provenance["creators"] == "René (2)"
    assert "1 models of Small.sh3f that are no .obj" in world.provenance["problems"]
    assert upright_and_ahead(world)
    unpacked = sorted(one.name for one in (tmp_path / "cache" / "meshes" / "libraries").rglob("*.*"))
    assert unpacked == ["chair.obj", "desk.obj"], "no icons, no catalogue"
    names = meshes(tmp_path / "lib", layout="sweethome3d-names", cache=tmp_path / "cache")
    assert names.samples.space["category"].levels == ("Chair", "Desk")
    (tmp_path / "lib" / "Broken.sh3f").write_bytes(file.read_bytes()[:500])
    both = meshes(tmp_path / "lib", cache=tmp_path / "cache")
    assert both.samples.instances == 2
    assert "left out: Broken.sh3f (it cannot be read as a zip archive" in both.provenance["problems"]


def test_a_library_that_is_a_bomb_is_refused_before_a_byte_is_written(tmp_path: Path) -> None:
    bomb = write_library(tmp_path / "Bomb.sh3f", {"Chair": ""}, **{"test/chair/zeros.bin": bytes(50_000_000)})
    assert bomb.stat().st_size < 100_000
    with pytest.raises(UnseenError, match=r"Bomb.sh3f \(it unpacks from .* which no library of furniture does"):
        meshes(bomb, cache=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()
    climber = write_library(tmp_path / "Climber.sh3f", {"Chair": ""}, **{"../outside.obj": b"v 0 0 0"})
    with pytest.raises(UnseenError, match="names a file outside itself"):
        meshes(climber, cache=tmp_path / "cache")
    with zipfile.ZipFile(tmp_path / "Bare.sh3f", "w") as archive:
        archive.writestr("chair.obj", b"")
    with pytest.raises(UnseenError, match=f"it has no {CATALOGUE}"):
        meshes(tmp_path / "Bare.sh3f", cache=tmp_path / "cache")
    (tmp_path / "Text.sh3f").write_text("no zip")
    with pytest.raises(UnseenError, match="cannot be read as a zip archive"):
        meshes(tmp_path / "Text.sh3f", cache=tmp_path / "cache")


def test_many_files_in_a_library_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_library(tmp_path / "Many.sh3f", {"Chair": ""})
    monkeypatch.setattr(sweethome, "MOST_MEMBERS", 2)
    with pytest.raises(UnseenError, match="3 files are more than 2"):
        listing(file, tmp_path)


def test_a_rotation_that_is_none_leaves_one_piece_out(tmp_path: Path) -> None:
    file = write_library(tmp_path / "Odd.sh3f", {"Chair": "", "Desk": "1 2 3", "Sofa": "2 0 0 0 1 0 0 0 1"})
    world = meshes(file, cache=tmp_path / "cache")
    assert world.samples.instances == 1
    assert world.provenance["problems"].count("nine numbers that turn and nothing else") == 2


def test_a_layout_can_be_named_and_axes_that_are_asked_for_go_before_its_own(tmp_path: Path) -> None:
    root = tmp_path / "models"
    write(root / "02691156" / "abc" / "models" / "model_normalized.obj", "y", "-z")
    assert listing(root, tmp_path).entries[0].category == "airplane"
    plain = listing(root, tmp_path, layout="folders")
    assert (plain.entries[0].category, plain.up, plain.front) == ("02691156", "", "")
    turned = meshes(root, up="z", cache=tmp_path)
    assert turned.furnished.meshes[0].extents.argmax() != 2, "lying, as was asked for"
    assert meshes(root, front="x", cache=tmp_path).fingerprint != meshes(root, cache=tmp_path).fingerprint
    for arguments, reason in (
        ({"layout": "shapnet"}, "Did you mean 'shapenet'"),
        ({"layout": "modelnet"}, r"as ModelNet.*\(layout 'modelnet'\).*Other layouts"),
        ({"layout": "shapenet", "index": "index.csv"}, "leave one of them out"),
    ):
        with pytest.raises(UnseenError, match=reason):
            listing(root, tmp_path, **arguments)
    assert list(LAYOUTS)[-1] == "folders", "it fits every folder, so it is asked last"
