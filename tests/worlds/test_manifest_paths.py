"""A table names files wherever they lie: beside it, above it, anywhere; what they are called there is their name."""

import os
import shutil

import numpy as np
import pytest
from PIL import Image

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.folder import folder
from unseen.worlds.manifest import read_manifest

FILES = [f"{category}/{view}.png" for category in ("bus", "car") for view in (0, 90)]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def place(tmp_path):
    """A project with ``photos`` and, beside them, ``tables``."""
    for shade, file in enumerate(FILES):
        path = tmp_path / "project" / "photos" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (6, 5), (shade, 7, 9)).save(path)
    (tmp_path / "project" / "tables").mkdir()
    return tmp_path / "project"


def table(place, name="tables/m.csv", start="", ending="\n"):
    rows = [f"{start}{file},{file.split('/')[0]},{file.split('/')[1][:-4]}" for file in FILES]
    (place / name).write_bytes(ending.join(["path,category,view", *rows, ""]).encode())
    return place / name


def test_a_table_elsewhere_absolute_paths_and_paths_upwards_are_one_set(place):
    known = folder(place / "photos", template="{category}/{view}.png")
    ways = {
        "relative to the root": folder(place / "photos", manifest=table(place)),
        "absolute below the root": folder(place / "photos", manifest=table(place, start=f"{place}/photos/")),
        "absolute, no root": folder(manifest=table(place, start=f"{place}/photos/")),
        "upwards, no root": folder(manifest=table(place, start="../photos/")),
        "upwards and back to the root": folder(place / "photos", manifest=table(place, start="../photos/")),
        "backslashes": folder(manifest=table(place, start="..\\photos\\")),
        "beside the table": folder(manifest=table(place, name="photos/m.csv")),
    }
    for way, world in ways.items():
        assert world.fingerprint == known.fingerprint, way
        assert world.name == "photos"
        assert (world.images(np.arange(4)) == known.images(np.arange(4))).all()


def test_a_table_in_the_working_directory_needs_no_root(place, monkeypatch):
    table(place, start="photos/", name="m.csv")
    monkeypatch.chdir(place)
    assert list(folder(manifest="m.csv").paths) == [f"photos/{file}" for file in FILES]


def test_a_moved_project_is_the_same_set(place, tmp_path):
    before = folder(manifest=table(place, start=f"{place}/photos/")).fingerprint
    shutil.copytree(place, tmp_path / "deep" / "er" / "project")
    moved = tmp_path / "deep" / "er" / "project"
    assert folder(manifest=table(moved, start=f"{moved}/photos/")).fingerprint == before
    assert folder(manifest=table(moved, start="../photos/")).fingerprint == before


def test_files_reached_through_a_link_are_those_below_the_root(place, tmp_path):
    os.symlink(place / "photos", tmp_path / "link")
    world = folder(place / "photos", manifest=table(place, start=f"{tmp_path}/link/"))
    assert list(world.paths) == FILES


def test_files_in_two_places_get_the_folder_that_holds_both(place, tmp_path):
    other = tmp_path / "elsewhere" / "van"
    other.mkdir(parents=True)
    Image.new("RGB", (6, 5), (99, 7, 9)).save(other / "0.png")
    file = table(place, start="../photos/")
    file.write_text(file.read_text() + f"{other}/0.png,van,0\n")
    found = read_manifest(file)
    assert found.root == tmp_path
    assert found.paths[-1] == "elsewhere/van/0.png"
    assert len(folder(manifest=file).samples) == 5


def test_a_root_that_does_not_hold_the_files_says_to_leave_it_out(place):
    with pytest.raises(UnseenError, match=r"outside the folder .*tables: .*bus/0.png.*or leave `root` out"):
        folder(place / "tables", manifest=table(place, start=f"{place}/photos/"))


def test_one_file_spelled_in_two_ways_is_listed_twice(place):
    file = table(place, start="../photos/")
    file.write_text(file.read_text() + f"{place}/photos/bus/0.png,car,0\n")
    with pytest.raises(UnseenError, match=r"lists 1 files more than once: bus/0.png"):
        folder(manifest=file)


def test_neither_a_root_nor_a_table_is_explained(place, monkeypatch):
    monkeypatch.chdir(place / "tables")
    table(place)
    with pytest.raises(UnseenError, match=r"folder world needs a template .* and has neither"):
        folder()
    with pytest.raises(UnseenError, match="folder world needs root, the folder below which"):
        folder(template="{category}/{view}.png")
    with pytest.raises(UnseenError, match=r"no manifest 'n.csv' in .*; tables found there: m.csv"):
        folder(manifest="n.csv")


def test_spreadsheets_encodings_are_read_and_damage_is_named(place):
    file = table(place, start="../photos/", ending="\r\n")
    known = folder(manifest=file).fingerprint
    text = file.read_text(encoding="utf-8")
    for encoding in ("utf-16", "utf-8-sig"):
        file.write_bytes(text.encode(encoding))
        assert folder(manifest=file).fingerprint == known
    file.write_bytes(text.encode().replace(b"car,0", b"c\0r,0"))
    with pytest.raises(UnseenError, match="NUL byte in line 4"):
        folder(manifest=file)
    file.write_bytes(text.replace("car", "caf\xe9").encode("latin-1"))
    with pytest.raises(UnseenError, match=r"invalid utf-8 .* Save it as UTF-8"):
        folder(manifest=file)
    with pytest.raises(UnseenError, match="has a NUL character"):
        folder(manifest="a\0.csv")
