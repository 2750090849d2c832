"""Two leaks of objects, through the command line: lists that share every object, and pools that tear objects apart."""

import io
import re

import numpy as np
import pytest
from PIL import Image

pytest_plugins = ("studies_fixtures",)

VIEWS = (0, 90, 180, 270)
KINDS = ("cup", "jug", "pot")


def picture(kind, thing, view):
    """A pattern of its own for every object and view."""
    rng = np.random.default_rng([KINDS.index(kind), thing, view])
    coarse = rng.integers(0, 256, (6, 6, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize((32, 32), Image.Resampling.BICUBIC)


@pytest.fixture
def shelf(tmp_path):
    """``kind/object/azimuth.png``: ten objects of three kinds, from four sides."""
    for kind in KINDS:
        for thing in range(10):
            folder = tmp_path / "shelf" / kind / f"{kind}{thing}"
            folder.mkdir(parents=True)
            for view in VIEWS:
                picture(kind, thing, view).save(folder / f"{view}.png")
    return tmp_path


@pytest.fixture
def told(say):
    """What a command prints, within 80 columns, as one line."""

    def run(*words):
        said = say(*words)
        assert said.code == 0, said.err
        assert max(map(len, said.out.splitlines())) <= 80
        return " ".join(said.out.split())

    return run


RECIPE = """
title = "lists"
seeds = [0]

[world]
name = "folder"
root = "shelf"
template = "{category}/{object}/{azimuth}.png"
kinds = { azimuth = "circular" }

[design]
name = "from_lists"
columns = "azimuth"
lists = { train = "train.txt", validation = "validation.txt", unseen = "unseen.txt" }

[recordings]
sets = ["unseen"]
"""


def test_lists_in_which_every_object_is_in_every_set_are_no_all_clear(shelf, told):
    for name, views in (("train", (0, 90)), ("validation", (180,)), ("unseen", (270,))):
        lines = [f"{kind}/{kind}{thing}/{view}.png" for kind in KINDS for thing in range(10) for view in views]
        (shelf / f"{name}.txt").write_text("\n".join(lines))
    (shelf / "lists.toml").write_text(RECIPE)
    found = told("audit", "lists.toml")
    assert "30 of the 30 levels of object in 'unseen' are in 'train' too: cup0, cup1, cup2 …" in found
    assert "30 of the 30 levels of object in 'validation' are in 'train' too" in found
    assert "an instance is one object" in found
    assert "sets are as listed: nothing but the lists keeps them apart" in found
    assert "no leakage" not in found
    checked = told("check", "lists.toml")
    assert "levels of object in 'unseen' are in 'train' too" in checked


def test_init_keeps_objects_apart_and_says_so(shelf, told):
    found = told("init", "shelf", "--template", "{category}/{object}/{azimuth}.png", "--yes")
    assert "objects are taken as instances: no object is in two pools. An object is one level of object" in found
    assert 'set disjoint_by = "image" in [design]' in found
    audited = told("audit", "shelf.toml")
    assert "pools are disjoint by object: no object is in two of them" in audited
    assert "are in 'train' too" not in audited
    torn = told("audit", "shelf.toml", "--set", "design.disjoint_by=image")
    assert "levels of object in 'unseen' are in 'train' too" in torn
    assert "(disjoint by image)" in torn


def test_init_says_that_objects_are_not_kept_apart_where_they_are_too_few(tmp_path, told):
    for kind in KINDS:
        for thing in range(2):  # they cannot fill three pools; eight photos of each side can
            folder = tmp_path / "shelf" / kind / f"{kind}{thing}"
            folder.mkdir(parents=True)
            for view in VIEWS:
                for photo in range(8):
                    picture(kind, 10 * photo + thing, view).save(folder / f"{view}_{photo}.png")
    found = told("init", "shelf", "--template", "{category}/{object}/{azimuth}_*.png", "--yes")
    assert "objects are NOT kept apart: too few levels of object fill training, validation and test" in found
    assert "no object is in two pools" not in found
    assert 'disjoint_by = "image"' in (tmp_path / "shelf.toml").read_text()
    assert "levels of object in 'unseen' are in 'train' too" in told("audit", "shelf.toml")


def test_a_re_encoded_copy_is_found_by_name_and_may_be_left_out(shelf, told):
    file = io.BytesIO()
    picture("cup", 0, 0).resize((64, 64), Image.Resampling.BICUBIC).save(file, "JPEG", quality=80)
    (shelf / "shelf" / "cup" / "cup9" / "270.png").write_bytes(file.getvalue())
    for name, things, views in (("train", range(6), VIEWS), ("validation", (6, 7), VIEWS), ("unseen", (8, 9), VIEWS)):
        lines = [f"{kind}/{kind}{thing}/{view}.png" for kind in KINDS for thing in things for view in views]
        (shelf / f"{name}.txt").write_text("\n".join(lines))
    (shelf / "lists.toml").write_text(RECIPE)
    found = told("audit", "lists.toml")
    assert "1 of 24 image of 'unseen' has a near-copy in 'train', 1 of them as good as the same (from 0.999)" in found
    assert "no leakage" not in found
    assert "cup/cup9/270.png ~ cup/cup0/0.png" in found
    assert "levels of object in 'unseen'" not in found
    without = told("audit", "lists.toml", "--no-near-copies")
    assert "~" not in without
    assert "near-copies: not looked for, as asked" in without


def test_what_was_not_compared_is_told_and_validation_has_a_baseline_of_its_own_size(shelf, told, monkeypatch):
    from unseen.studies import resembling

    sizes = {"train": range(6), "validation": (6,), "unseen": (8, 9)}
    for name, things in sizes.items():
        lines = [f"{kind}/{kind}{thing}/{view}.png" for kind in KINDS for thing in things for view in VIEWS]
        (shelf / f"{name}.txt").write_text("\n".join(lines))
    (shelf / "lists.toml").write_text(RECIPE)
    assert "were compared" not in told("audit", "lists.toml")
    among = []
    most_alike = resembling.most_alike
    monkeypatch.setattr(resembling, "MOST", 24)
    monkeypatch.setattr(resembling, "most_alike", lambda *given: [among.append(len(given[1])), most_alike(*given)][1])
    found = told("audit", "lists.toml")
    assert "24 of the 72 images of 'train' were compared: copies of the others are not found" in found
    assert "images of 'unseen' were compared" not in found
    assert among[0] == 24
    assert among[1] <= 16, "twelve images of validation: whole objects of training, about as many"


def test_drawn_worlds_are_not_compared_unless_asked(told):
    found = told("audit", "demo", "--set", 'grid."design.seen_per_level"=[3]', "--set", "seeds=[0]")
    assert "since this world draws its pictures" in found


def test_rendered_objects_stay_objects_when_their_export_is_studied(told):
    scene = ("categories=3", "instances=12", "pose=4", "side=16")
    told("render", "objects", "--out", "things", *(word for one in scene for word in ("--set", f"world.{one}")))
    found = told("init", "things/manifest.parquet", "--yes")
    assert "no object is in two pools. An object is one level of instance" in found
    assert "of instance in" not in told("check", "manifest.toml")
    audited = told("audit", "manifest.toml")
    assert "an instance is one instance: its 36 levels are of kind instance" in audited
    assert "pools are disjoint by instance: no instance is in two of them" in audited
    shared = [line.split()[2:4] for line in re.findall(r"(?:train|validation), \w+(?: \d+){4}", audited)]
    assert shared
    assert {tuple(one) for one in shared} == {("0", "0")}
    torn = told("audit", "manifest.toml", "--set", "design.disjoint_by=image")
    assert "levels of instance in 'unseen' are in 'train' too" in torn
