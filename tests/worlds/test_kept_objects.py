"""Objects that are kept on disk are those that would be made, and nothing that happens to them loses or changes one."""

import os
import threading

import numpy as np
import pytest

from unseen.vocabulary.errors import UnseenError
from unseen.worlds import kept_objects, make
from unseen.worlds.cache_folder import cache_folder
from unseen.worlds.collections import make_object
from unseen.worlds.kept_objects import FIELDS, objects_at_hand

WANTED = [("mug", 1), ("chair", 0), ("mug", 64), ("mug", 1)]


@pytest.fixture
def made(monkeypatch):
    """What is made, each time that anything is."""
    asked = []
    before = kept_objects.make_objects
    monkeypatch.setattr(kept_objects, "make_objects", lambda some, *a, **k: asked.append(some) or before(some, *a, **k))
    return asked


def files():
    return sorted((cache_folder() / "objects").glob("*/*/*.objects"))


def same(a, b):
    return all(
        np.array_equal(x, y) for x, y in ((getattr(a, name), getattr(b, name)) for name in FIELDS) if y is not None
    )


@pytest.mark.parametrize("collection", ["first", "everyday"])
def test_objects_read_are_those_made_to_the_bit(collection, made):
    for _ in range(2):
        found = objects_at_hand(WANTED, 3, collection)
        assert len(found) == 4
        for mesh, (category, instance) in zip(found, WANTED):
            own = make_object(category, instance, 3, collection)
            assert same(mesh, own)
            assert (mesh.texture is None) == (own.texture is None)
            assert all(getattr(mesh, name).dtype == getattr(own, name).dtype for name in FIELDS[:-1])
    assert made == [[("mug", 1), ("chair", 0), ("mug", 64)]]
    assert len(files()) == 3


def test_whoever_asks_for_more_makes_only_what_is_missing(made):
    objects_at_hand([("mug", 0)], 0, "first")
    objects_at_hand([("mug", i) for i in range(3)], 0, "first")
    objects_at_hand([("mug", i) for i in (2, 0)], 0, "first")
    assert made == [[("mug", 0)], [("mug", 1), ("mug", 2)]]
    objects_at_hand([("mug", 0)], 1, "first")
    assert len(made) == 3, "another seed, another mug"


@pytest.mark.parametrize("harm", [b"", b"not an object", None])
def test_a_damaged_file_is_made_anew(harm, made):
    objects_at_hand([("mug", 0)], 0, "first")
    (file,) = files()
    file.write_bytes(file.read_bytes()[:-9] if harm is None else harm)
    assert same(objects_at_hand([("mug", 0)], 0, "first")[0], make_object("mug", 0))
    assert len(made) == 2
    objects_at_hand([("mug", 0)], 0, "first")
    assert len(made) == 2


def test_other_code_keeps_other_objects(made, monkeypatch):
    objects_at_hand([("mug", 0)], 0, "first")
    monkeypatch.setattr(kept_objects, "made_by", lambda: "changed")
    objects_at_hand([("mug", 0)], 0, "first")
    assert len(made) == 2


def test_a_cache_that_cannot_be_written_costs_time_only(made, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "file"))
    for _ in range(2):
        assert same(objects_at_hand([("mug", 0)], 0, "first")[0], make_object("mug", 0))
    assert len(made) == 2


def test_what_was_used_least_recently_goes_first(monkeypatch):
    for time, category in enumerate(("mug", "chair", "table"), 1):
        objects_at_hand([(category, 0)], 0, "first")
        for file in files():
            if category in file.name:
                os.utime(file, (time, time))
    objects_at_hand([("mug", 0)], 0, "first")
    sizes = {file.name: file.stat().st_size for file in files()}
    monkeypatch.setenv("UNSEEN_OBJECTS", str((sum(sizes.values()) - 1) / 1e9))
    kept_objects.make_room(cache_folder() / "objects")
    assert {file.name for file in files()} == set(sizes) - {"chair-0.objects"}


def test_none_are_kept_where_none_may_be(made, monkeypatch):
    monkeypatch.setenv("UNSEEN_OBJECTS", "0")
    objects_at_hand([("mug", 0)], 0, "first")
    assert not files()
    monkeypatch.setenv("UNSEEN_OBJECTS", "much")
    with pytest.raises(UnseenError, match="UNSEEN_OBJECTS = 'much' is no number of GB that objects may take"):
        objects_at_hand([("mug", 0)], 0, "first")


def test_of_several_that_lack_the_same_one_makes_it(made):
    together = [threading.Thread(target=objects_at_hand, args=(WANTED, 0, "first")) for _ in range(4)]
    for one in together:
        one.start()
    for one in together:
        one.join()
    assert len(made) == 1


def test_pictures_of_objects_that_were_read_are_those_of_objects_that_were_made(made):
    def pictures(seed):
        return make("objects", categories=["mug", "tree"], instances=2, pose=2, side=24, seed=seed).images(np.arange(8))

    first = pictures(91)
    pictures(92)  # another bank in between, so that the first is read
    assert (pictures(91) == first).all()
    assert len(made) == 2
