"""What varies around an object: the arguments that several worlds share, and what is told of files left out."""

import pickle

import numpy as np
import pytest
import torch
from PIL import Image

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.circumstances import check_seed
from unseen.worlds.natural_variation import natural_variation, random_cells
from unseen.worlds.objects import objects

TINY = {"categories": ["mug"], "instances": 1, "side": 16}


@pytest.fixture
def photos(tmp_path):
    for name, colour in (("a", (255, 0, 0)), ("b", (0, 0, 255))):
        Image.new("RGB", (40, 30), colour).save(tmp_path / f"{name}.png")
    (tmp_path / "c.png").write_text("no picture")
    return tmp_path


def test_photos_that_cannot_be_read_are_counted_and_named(photos):
    for world in (objects(**TINY, backgrounds=str(photos)), natural_variation(1, 1, backgrounds=str(photos))):
        assert world.samples.space["background"].levels == ("a.png", "b.png")
        assert world.problems.lines() == ("backgrounds left out: 1 files: c.png (not an image)",)
        assert "licence not stated" in world.provenance["licence"]
    assert not objects(**TINY).problems


def test_photos_of_mixed_size_and_kind_are_all_shown_square(tmp_path):
    Image.new("RGB", (300, 20), (250, 0, 0)).save(tmp_path / "a-wide.png")
    Image.new("L", (3, 5), 200).save(tmp_path / "b-tiny-grey.png")
    Image.new("RGBA", (64, 64), (0, 250, 0, 255)).save(tmp_path / "c-alpha.png")
    Image.new("P", (1, 1), 0).save(tmp_path / "d-one-pixel.png")
    world = objects(**TINY, pose=1, backgrounds=str(tmp_path), variation="natural")
    assert [name[0] for name in world.samples.space["background"].levels] == list("abcd")
    assert not world.problems
    corners = world.images(np.arange(4))[:, :, 0, 0].tolist()
    assert corners == [[250, 0, 0], [200, 200, 200], [0, 250, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    "make", [lambda at: objects(**TINY, backgrounds=at), lambda at: natural_variation(1, 1, backgrounds=at)]
)
def test_a_folder_without_a_photo_is_refused_when_the_world_is_opened(tmp_path, make):
    with pytest.raises(UnseenError, match="no picture"):
        make(str(tmp_path))
    (tmp_path / "notes.txt").write_text("no photo")
    with pytest.raises(UnseenError, match="no picture"):
        make(str(tmp_path))
    with pytest.raises(UnseenError, match="does not exist"):
        make(str(tmp_path / "nowhere"))


def test_a_fingerprint_follows_what_photos_hold_and_not_where_they_lie(photos, tmp_path_factory):
    there = tmp_path_factory.mktemp("elsewhere")
    for name in ("a.png", "b.png"):
        (there / name).write_bytes((photos / name).read_bytes())
    for make in (
        lambda root: objects(**TINY, backgrounds=root),
        lambda root: natural_variation(1, 1, backgrounds=root),
    ):
        first = make(str(photos)).fingerprint
        assert make(str(there)).fingerprint == first
        Image.new("RGB", (40, 30), (0, 255, 0)).save(there / "b.png")
        assert make(str(there)).fingerprint != first
        (there / "b.png").write_bytes((photos / "b.png").read_bytes())


def test_natural_variation_before_photos_shows_them(photos):
    world = natural_variation(1, 1, levels=1, backgrounds=str(photos), blocks=["single"], side=16)
    usual = dict.fromkeys(("pose", "position", "size", "light"), 0)
    rows = world.samples.rows_at(np.array([0, 0]), {**usual, "background": np.array([0, 1])})
    assert world.images(rows)[:, :, 0, 0].tolist() == [[255, 0, 0], [0, 0, 255]]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"drawn": "light"}, r"`drawn` takes a list of circumstances, such as \['light'\]; 'light' was given"),
        ({"drawn": ["texture"]}, "`drawn` names 'texture', but there is none to draw from; give `textures` a number"),
        ({"drawn": ["background"]}, "`drawn` names 'background', but there is none.*`backgrounds`"),
    ],
)
def test_wrong_arguments_are_explained(wrong, says):
    with pytest.raises(UnseenError, match=says):
        objects(**{**TINY, **wrong})


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"classes": 0}, "`classes` is a number from 1 to"),
        ({"classes": "dog"}, "`classes` takes a number or a list of names; 'dog' was given"),
        ({"blocks": "single"}, "`blocks` takes a list of single, pairs, all; 'single' was given"),
        ({"backgrounds": 0}, "`backgrounds` is a number from 1, or a folder of photos; 0 was given"),
    ],
)
def test_wrong_arguments_of_natural_variation_are_explained(wrong, says):
    with pytest.raises(UnseenError, match=says):
        natural_variation(**wrong)


@pytest.mark.parametrize("seed", ["x", 0.5, True, None])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(UnseenError, match=f"`seed` is a whole number; {seed!r} was given"):
        check_seed(seed)


def test_every_argument_of_natural_variation_is_in_its_fingerprint():
    usual = {"classes": 2, "instances": 2, "levels": 5, "backgrounds": 4, "pair_levels": 3, "pair_backgrounds": 2,
             "combinations": 6, "blocks": ["single", "all"], "side": 16, "seed": 0}  # fmt: skip
    other = {"classes": 3, "instances": 3, "levels": 7, "backgrounds": 3, "pair_levels": 4, "pair_backgrounds": 3,
             "combinations": 7, "blocks": ["single"], "side": 24, "seed": 1}  # fmt: skip
    found = {natural_variation(**{**usual, name: value}).fingerprint for name, value in other.items()}
    assert len(found | {natural_variation(**usual).fingerprint}) == len(other) + 1


def test_every_argument_of_objects_is_in_its_fingerprint():
    other = {"categories": ["chair"], "instances": 2, "pose": 4, "position": 2, "size": 2, "light": 2,
             "elevation": 2, "backgrounds": 2, "textures": 1, "drawn": ["size"], "side": 24, "seed": 1}  # fmt: skip
    found = {objects(**{**TINY, name: value}).fingerprint for name, value in other.items()}
    assert len(found | {objects(**TINY).fingerprint}) == len(other) + 1


def test_worlds_that_take_turns_make_their_objects_once_and_equal_ones_share_them(monkeypatch):
    from unseen.worlds import objects as module

    made = []
    make = module.objects_at_hand
    monkeypatch.setattr(module, "objects_at_hand", lambda *asked, **how: made.append(asked) or make(*asked, **how))
    first, second, again = objects(**TINY, seed=71), objects(**TINY, seed=72), objects(**TINY, seed=71)
    for world in (first, second, first, second, again):
        world.images(np.array([0]))
    assert len(made) == 2
    assert first.furnished is again.furnished
    assert torch.equal(pickle.loads(pickle.dumps(first)).images(np.array([0])), first.images(np.array([0])))
    assert len(pickle.dumps(first)) < 10_000, "meshes do not travel"


def test_random_cells_of_a_grid_of_billions_differ_and_cost_no_memory():
    fine = [np.arange(101)] * 4 + [np.arange(25)]
    cells = random_cells(fine, 1000, seed=0)
    assert len(np.unique(cells, axis=0)) == 1000
    assert (cells.max(0) < [101, 101, 101, 101, 25]).all()
