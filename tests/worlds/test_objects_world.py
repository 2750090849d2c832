"""Procedural objects on a stage: levels become scenes, and a picture depends on its row alone."""

import os
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
import torch

from unseen.vocabulary.errors import UnseenError
from unseen.worlds import make
from unseen.worlds.objects import objects
from unseen.worlds.stage import scalar_factor
from unseen.worlds.variation import FIRST

SMALL = {"side": 32, "instances": 2}


def masks(world, rows):
    from unseen.worlds.rendering.renderer import layers

    return layers(world.scenes(rows), world.furnished, world.side).mask.numpy()


def middle(mask):
    """Column and row of the middle of a mask, in shares of the picture."""
    y, x = np.nonzero(mask)
    return x.mean() / mask.shape[1], y.mean() / mask.shape[0]


def test_a_picture_is_the_same_in_any_company_and_in_another_process():
    world = objects(["mug", "chair"], pose=3, backgrounds=2, **SMALL)
    rows = np.arange(len(world.samples))
    whole = world.images(rows)
    assert whole.shape == (24, 3, 32, 32)
    assert whole.dtype == torch.uint8
    again = pickle.loads(pickle.dumps(world)).images(rows[::-5].copy())
    assert torch.equal(whole[rows[::-5].copy()], again)
    assert len(torch.unique(whole.flatten(1), dim=0)) == len(rows)


def test_every_factor_does_what_its_name_says():
    world = objects(["mug"], 1, side=48, position=3, size=3, light=3, pose=1)
    space = world.samples.space

    def rows(**levels):
        usual = {f.name: f.canonical for f in space.factors if f.name != "category"}
        cells = [world.samples.rows_at(np.array([0]), {**usual, k: v})[0] for k, vs in levels.items() for v in vs]
        return np.array(cells)

    left, _, right = (middle(mask)[0] for mask in masks(world, rows(position=(0, 1, 2))))
    assert left < 0.4 < 0.6 < right
    areas = masks(world, rows(size=(0, 1, 2))).sum((1, 2))
    assert areas[0] * 2.5 < areas[1] < areas[2] / 1.5
    light = world.images(rows(light=(0, 1, 2))).float().mean((2, 3))
    assert len(torch.unique(light.argmax(1))) > 1  # another channel leads under another lamp
    assert not world.out_of_frame(rows(position=(0, 2), size=(0, 2))).any()


def test_cues_agree_and_conflict_by_name():
    world = objects(["mug", "chair", "tree"], pose=1, textures="categories", **SMALL)
    assert world.samples.space["texture"].levels == world.samples.space["category"].levels
    assert world.samples.space.shape == (3, 3)
    mug_as_mug, mug_as_chair = world.images(np.array([0, 1]))
    assert not torch.equal(mug_as_mug, mug_as_chair)
    assert (masks(world, np.array([0]))[0] == masks(world, np.array([1]))[0]).all()


def test_what_is_drawn_varies_by_row_and_is_no_factor():
    world = objects(["teapot"], 6, pose=1, backgrounds=5, drawn=["pose", "background", "size"], side=32)
    assert world.samples.space.names == ("category",)
    scenes = world.scenes(np.arange(6))
    assert len(torch.unique(scenes.things.size)) == 6
    assert len(torch.unique(scenes.behind_picture)) > 1
    again = world.scenes(np.array([4]))
    assert torch.equal(again.things.size, scenes.things.size[4:5])
    low, high = FIRST.ranges["size"]
    assert ((scenes.things.size >= low) & (scenes.things.size < high)).all()
    assert not torch.equal(world.scenes(np.arange(6), draw=1).things.size, scenes.things.size)


def test_photos_of_a_folder_are_backgrounds_and_their_content_is_in_the_fingerprint(tmp_path):
    from PIL import Image

    for name, colour in (("a", (255, 0, 0)), ("b", (0, 0, 255))):
        Image.new("RGB", (40, 30), colour).save(tmp_path / f"{name}.png")
    world = objects(["mug"], 1, pose=1, backgrounds=str(tmp_path), side=32)
    assert len(world.samples.space["background"]) == 2
    corners = world.images(np.arange(2))[:, :, 0, 0].tolist()
    assert corners == [[255, 0, 0], [0, 0, 255]]
    Image.new("RGB", (40, 30), (0, 255, 0)).save(tmp_path / "b.png")
    assert objects(["mug"], 1, pose=1, backgrounds=str(tmp_path), side=32).fingerprint != world.fingerprint


def test_fingerprints_tell_worlds_apart():
    kinds = [{}, {"pose": 4}, {"seed": 1}, {"side": 16}, {"instances": 3}, {"textures": 2}, {"drawn": ["size"]}]
    assert len({objects(["mug"], **{**SMALL, **kind}).fingerprint for kind in kinds}) == len(kinds)


def test_the_middle_level_is_canonical_and_means_no_change():
    assert scalar_factor("pose", 101).levels[50] == 0
    assert scalar_factor("size", 11).levels[5] == 1
    assert scalar_factor("position", 1).levels == (0,)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"categories": ["mugg"]}, "no category 'mugg' in the table of objects.*Did you mean 'mug'"),
        ({"categories": 1000}, "`categories` is a number from 1 to"),
        ({"categories": "mug"}, "takes a number or a list of names; 'mug' was given"),
        ({"instances": 0}, "`instances` is a whole number from 1; 0 was given"),
        ({"pose": 0}, "`pose` is a number of levels, 1 or more; 0 was given"),
        ({"textures": "mug"}, "a number of patterns or \"categories\"; 'mug' was given"),
        ({"drawn": ["colour"]}, "no circumstance 'colour' in `drawn`; possible: pose"),
        ({"backgrounds": "/nowhere"}, "/nowhere"),
        ({"side": 0}, "`side` is a whole number from 8"),
    ],
)
def test_errors_teach(arguments, sentence):
    with pytest.raises(UnseenError, match=sentence):
        make("objects", **arguments)


def test_objects_made_by_several_processes_are_those_made_by_one():
    from unseen.worlds.making import make_objects

    wanted = [("mug", 0), ("table", 3), ("mug", 1), ("bottle", 2), ("tree", 0)]
    alone, together = make_objects(wanted, 5, 1), make_objects(wanted, 5, 2)
    assert len(alone) == len(together) == 5
    for a, b in zip(alone, together):
        assert (a.vertices == b.vertices).all()
        assert (a.colours == b.colours).all()


def test_processes_that_make_objects_run_nothing_that_lies_in_the_working_directory(tmp_path, monkeypatch):
    from unseen.worlds.making import make_objects

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])  # as a console script has it
    for name in ("numpy", "pickle"):
        (tmp_path / f"{name}.py").write_text("open('it-ran', 'w')")
    assert len(make_objects([("mug", 0), ("mug", 1)], 5, 2)) == 2
    assert not (tmp_path / "it-ran").exists()


def test_processes_that_make_objects_end_and_clear_up_when_whoever_asked_is_killed(tmp_path):
    code = "from unseen.worlds.making import make_objects; make_objects([('chair', i) for i in range(4000)], 0, 2)"
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    asking = subprocess.Popen([sys.executable, "-c", code], env=env)
    assert soon(lambda: len(list(tmp_path.glob("*/*.asked"))) == 2)
    asking.kill()
    asking.wait()
    assert soon(lambda: not list(tmp_path.iterdir()))


def soon(true, seconds=60):
    """Whether something becomes true in time; a busy machine takes its time."""
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    return true()


@pytest.mark.parametrize("threads", [1, 2])
def test_pictures_are_drawn_by_any_number_of_threads_also_where_nothing_is_to_be_learned(threads):
    world, before = objects(["mug"], **SMALL), torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with torch.inference_mode():
            found = world.images(np.arange(4))
        assert torch.equal(found, world.images(np.arange(4)))
    finally:
        torch.set_num_threads(before)
