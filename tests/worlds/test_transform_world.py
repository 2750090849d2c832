"""A transformed world: one factor more, every image its own, whatever the company it is asked in."""

import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest
import torch

from unseen.exports import contact_sheet
from unseen.exports.plan import plan_export
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.world import World
from unseen.worlds import make, signature
from unseen.worlds.transforms import SETS, TRANSFORMATIONS
from unseen.worlds.transforms.transformed import transformed

DIGITS = {"name": "digits", "viewpoint": "none"}
APPLY = [name for name in SETS["zaidi2020"] if not TRANSFORMATIONS[name].needs_colour]


class Painted:
    """A small colour world with a list of cells, pools, names and contents; its pictures hold their row and draw."""

    name, channels, size, dtype, fingerprint, drawn = "painted", 3, (6, 5), "uint8", "abc", True

    def __init__(self):
        self.provenance = {"source": "here"}
        space = FactorSpace(
            [Factor("category", ("a", "b"), kind="category"), Factor("size", (1, 2, 3)), Factor("x", (0, 1))]
        )
        stored = {"category": np.array([0, 1])}
        listed = Block(2, stored, ("size", "x"), cells=np.array([[2, 0], [0, 1]]), names=["one", "two"])
        full = Block(2, stored, ("size", "x"), pool=np.array(["train", "test"]), content=np.arange(2, dtype=np.uint64))
        self.samples, self.asked = Samples(space, (listed, full)), []

    def images(self, rows, device="cpu", draw=0):
        self.asked.append(np.asarray(rows).tolist())
        base = torch.arange(90).view(1, 3, 6, 5)
        return ((base + torch.from_numpy(np.asarray(rows)).view(-1, 1, 1, 1) * 7 + draw) % 256).byte()

    def out_of_frame(self, rows, device="cpu"):
        return np.asarray(rows) == 3


def test_it_is_a_world_with_a_factor_more():
    inner = Painted()
    world = transformed(inner, ["hue", "white-noise"])
    assert isinstance(world, World)
    assert world.samples.space.names == ("category", "size", "x", "transformation")
    assert world.factor.levels == ("none", "hue", "white-noise")
    assert world.factor.canonical == 0
    assert world.factor.texts == ("as it is", "hue rotated by 180°", "white noise (σ = 100)")
    assert (world.channels, world.size, world.dtype, world.drawn) == (3, (6, 5), "float32", True)
    assert "hue rotated" in world.provenance["transformations"]
    assert world.provenance["source"] == "here"
    assert not transformed(DIGITS, ["blur"]).drawn


def test_rows_keep_their_levels_and_instances_their_pool_name_and_content():
    inner = Painted()
    world = transformed(inner, ["hue", "inversion"])
    rows = np.arange(len(world.samples))
    assert len(rows) == 3 * len(inner.samples)
    assert np.array_equal(world.samples.levels("transformation", rows), rows % 3)
    assert np.array_equal(world.samples.cells(rows)[:, :3], inner.samples.cells(rows // 3))
    assert world.samples.pools.tolist() == inner.samples.pools.tolist()
    assert world.samples.name(1) == "one (size=3, x=0, transformation=hue)"
    assert world.samples.blocks[1].content is inner.samples.blocks[1].content
    assert world.samples.rows_at(np.array([1]), {"size": 0, "x": 1, "transformation": 2}).tolist() == [11]


def test_images_are_the_inner_ones_transformed_level_by_level():
    inner = Painted()
    world = transformed(inner, ["inversion", "salt-and-pepper", "rotation-90"])
    rows = np.random.default_rng(0).permutation(len(world.samples))
    found = world.images(rows)
    assert found.dtype == torch.float32
    assert inner.asked == [list(range(len(inner.samples)))]
    plain = inner.images(rows // 4).float()
    assert torch.equal(found[rows % 4 == 0], plain[rows % 4 == 0])
    assert torch.equal(found[rows % 4 == 1], 255 - plain[rows % 4 == 1])
    for row, image in zip(rows, found):
        assert torch.equal(world.images(np.array([row]))[0], image)
    assert world.images(np.array([], dtype=np.int64)).shape == (0, 3, 6, 5)


def test_noise_is_fixed_by_seed_row_and_draw_and_nothing_else():
    rows = np.array([1, 3, 5])
    world = transformed(Painted(), ["white-noise"])
    noise = world.images(rows) - Painted().images(rows // 2)
    assert torch.equal(world.images(rows), world.images(rows))
    assert not torch.equal(noise[0], noise[1])
    again = world.images(rows, draw=1) - Painted().images(rows // 2, draw=1)
    assert not torch.equal(noise, again)
    assert not torch.equal(world.images(rows), transformed(Painted(), ["white-noise"], seed=1).images(rows))
    more = transformed(Painted(), ["blur", "white-noise", "hue"])  # other levels do not shift it
    assert torch.equal(more.images(rows // 2 * 4 + 2), world.images(rows))


def test_the_fingerprint_says_all_that_decides_the_images():
    def made(inner="abc", levels=("blur", "hue"), **more):
        world = Painted()
        world.fingerprint = inner
        return inspect.unwrap(transformed)(world, list(levels), **more).fingerprint  # types are checked in tests alone

    worlds = [made(), made(inner="abd"), made(levels=["hue", "blur"]), made(levels=["blur"]), made(seed=1),
              made(strengths={"blur": 3.0}), made(plain=False)]  # fmt: skip
    assert len(set(worlds)) == len(worlds)
    assert made() == made(strengths={"blur": 2}) == made(strengths={"blur": np.float32(2)}, seed=np.int64(0))


def test_the_ten_that_apply_work_on_a_grey_world_by_name_and_come_through_a_pickle():
    world = make("transformed", of=DIGITS, levels=APPLY)
    assert len(APPLY) == 10
    assert len(world.factor) == 11
    rows = np.arange(22)
    found = pickle.loads(pickle.dumps(world)).images(rows)
    assert found.shape == (22, 1, 8, 8)
    assert torch.isfinite(found).all()
    assert torch.equal(found, world.images(rows))
    assert len({image.numpy().tobytes() for image in found[:11]}) == 11


def test_a_set_is_named_in_short_and_the_plain_level_may_be_left_out():
    world = transformed(Painted(), "geirhos2018", plain=False)
    assert world.factor.levels == SETS["geirhos2018"]
    assert world.factor.canonical == 0
    assert world.factor.texts[2:4] == ("contrast (0.05)", "low-pass (std = 7)")
    assert torch.equal(world.images(np.array([0])), Painted().images(np.array([0])).float())
    assert transformed(Painted(), ["none", "blur"]).factor.levels == ("none", "blur")


def test_pictures_that_the_inner_world_holds_are_never_given_away():
    inner = Painted()
    held = torch.rand(len(inner.samples), 3, 6, 5) * 255
    inner.images = lambda rows, device="cpu", draw=0: held  # as a world may that is asked for all it has
    before = held.clone()
    world = transformed(inner, ["geirhos-colour", "inversion"])
    for level in range(3):
        world.images(np.arange(len(inner.samples)) * 3 + level).zero_()
        assert torch.equal(held, before)


def test_rows_of_one_level_in_any_order_and_twice_have_their_own_pictures():
    inner = Painted()
    world = transformed(inner, ["hue", "white-noise"])
    last = len(inner.samples) - 1
    for rows in ([last, 0, 3], [2, 3, 4], [1, 1, 0], [last]):
        for level in range(3):
            found = world.images(np.array(rows) * 3 + level)
            each = [world.images(np.array([row * 3 + level]))[0] for row in rows]
            assert torch.equal(found, torch.stack(each))


def test_chunks_do_not_show(monkeypatch):
    world = transformed(Painted(), "zaidi2020")
    rows = np.arange(len(world.samples))
    whole = world.images(rows)
    monkeypatch.setitem(sys.modules["unseen.worlds.transforms.transformed"].CHUNK, "cpu", 300)
    assert torch.equal(world.images(rows), whole)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"levels": ["blurr"]}, "no transformation 'blurr'.*Did you mean 'blur'"),
        ({"levels": []}, "at least one transformation besides 'none'"),
        ({"levels": ["none"]}, "at least one"),
        ({"levels": "blur"}, r"no set of transformations 'blur'.*write a list, \['blur'\]"),
        ({"levels": ["blur", "blur"]}, "blur more than once"),
        ({"levels": ["hue", "grey-scale", "blur"]}, r"is grey, and hue, grey-scale would do nothing.*\[\"blur\"\]"),
        ({"levels": ["geirhos-colour", "blur"]}, "would do nothing"),
        ({"levels": ["blur"], "strengths": {"blur": 1000}}, "0 to 100"),
        ({"levels": ["blur"], "strengths": {"white-noise": 25}}, "not among `levels`"),
        ({"levels": ["blur"], "strengths": {"blurr": 1}}, "no transformation 'blurr'"),
        ({"levels": ["blur"], "of": {"viewpoint": "none"}}, "needs the `name`"),
        ({"levels": ["blur"], "of": {"name": "digts"}}, "no world 'digts'"),
        ({"levels": ["blur"], "of": {"name": "digits", "viewpont": 1}}, "Did you mean 'viewpoint'"),
        ({"levels": ["blur"], "level": 1}, "no argument 'level'"),
        ({"levels": ["blur"], "of": {"name": "transformed", "of": DIGITS, "levels": ["blur"]}}, "already"),
    ],
)
def test_what_is_wrong_is_explained(arguments, says):
    with pytest.raises(UnseenError, match=says):
        make("transformed", **{"of": DIGITS, **arguments})


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"levels": 3}, "takes a list"),
        ({"levels": [3]}, "no transformation '3'"),
        ({"strengths": 3}, "takes a table"),
        ({"seed": 0.5}, "whole number"),
        ({"plain": 1}, "true or false"),
        ({"of": "digits"}, "`of` is a world, or a table"),
    ],
)
def test_what_is_of_a_wrong_kind_is_explained(arguments, says):
    unchecked = inspect.unwrap(transformed)  # in tests beartype would be faster
    with pytest.raises(UnseenError, match=says):
        unchecked(**{"of": DIGITS, "levels": ["blur"], **arguments})


def test_a_row_that_does_not_exist_is_refused():
    with pytest.raises(UnseenError, match="row 99999 asked"):
        transformed(DIGITS, ["blur"]).images(np.array([99999]))


def test_a_sheet_is_drawn_and_png_is_refused_with_what_is_possible(tmp_path):
    world = transformed(DIGITS, ["horizontal", "white-noise"])
    assert contact_sheet(world, levels=3).width > 300
    with pytest.raises(UnseenError, match=r"float32 numbers.*webdataset"):
        plan_export(world, tmp_path)
    assert plan_export(world, tmp_path, format="webdataset").suffix == "npy"


def test_rows_out_of_the_frame_are_told_where_the_inner_world_tells():
    world = transformed(Painted(), ["blur"])
    assert world.out_of_frame is not None
    assert world.out_of_frame(np.arange(10), "cpu").nonzero()[0].tolist() == [6, 7]
    assert transformed(DIGITS, ["blur"]).out_of_frame is None


def test_torch_is_not_loaded_to_refuse_a_level():
    code = """
import sys
import unseen.worlds
from unseen.vocabulary.errors import UnseenError
try:
    unseen.worlds.make("transformed", of={"name": "digits"}, levels=["blurr"])
except UnseenError:
    sys.exit("torch was loaded" if "torch" in sys.modules else 0)
sys.exit("it was taken")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
    assert done.returncode == 0
    assert list(signature("transformed").parameters) == ["of", "levels", "strengths", "seed", "plain"]
