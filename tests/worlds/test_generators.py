"""Worlds that learn to draw: who learns from what, which picture is whose, and the game whose end is known."""

import numpy as np
import pytest
import torch

from unseen.designs import matrix
from unseen.vocabulary.errors import UnseenError
from unseen.worlds import make
from unseen.worlds.generators.adversarial import Fit, learn_from_noise, signed, unsigned
from unseen.worlds.generators.kept import generator_file
from unseen.worlds.generators.known_density import best_critic, play
from unseen.worlds.generators.learned_world import learned_first
from unseen.worlds.generators.networks import critic, from_noise, from_pictures, patch_critic

DIGITS = {"name": "digits", "viewpoint": "none"}
QUICK = {"steps": 3, "batch": 8, "width": 4}
OBJECTS = {"name": "objects", "categories": 2, "instances": 6, "pose": 3, "side": 16}


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.mark.parametrize("size", [(8, 8), (28, 28), (30, 21)], ids=str)
def test_networks_show_and_judge_pictures_of_any_size(size):
    labels = torch.tensor([0, 2])
    shown = from_noise(size, 3, 3, latents=5, width=4)(torch.randn(2, 5), labels)
    assert shown.shape == (2, 3, *size)
    assert shown.abs().max() <= 1
    assert critic(size, 3, 3, width=4)(shown, labels).shape == (2,)
    assert from_noise(size, 1, 0, latents=5, width=4)(torch.randn(2, 5)).shape == (2, 1, *size)
    translated = from_pictures(size, 1, 3, width=4)(shown[:, :1])
    assert translated.shape == (2, 3, *size)
    assert patch_critic(size, 3, width=4)(shown).shape[:2] == (2, 1)


def test_a_critic_of_256_pixels_sees_patches_of_70():
    picture = torch.zeros(1, 2, 256, 256, requires_grad=True)
    patches = torch.nn.Sequential(*(one for one in patch_critic((256, 256), 2, width=2) if not _normalises(one)))
    said = patches(picture)
    assert said.shape[-2:] == (30, 30)  # as in the released code
    said[0, 0, 15, 15].backward()
    seen = picture.grad.abs().sum((0, 1)) > 0
    assert seen.any(1).sum() == seen.any(0).sum() == 70


def _normalises(module):
    return isinstance(module, torch.nn.InstanceNorm2d)


def test_bytes_become_signed_numbers_and_come_back():
    every = torch.arange(256, dtype=torch.uint8)
    assert torch.equal(unsigned(signed(every)), every)
    assert signed(every).min() == -1
    assert signed(every).max() == 1


def test_no_real_picture_of_a_generated_world_was_learned_from_and_none_is_lost():
    world = make("generated", of=DIGITS, per_category=5, **QUICK)
    inner, parted = world.inner, world.parted
    rows = np.flatnonzero(world.samples.levels("origin", np.arange(len(world.samples))) == 0)
    shown = parted.inner_rows(np.arange(len(parted.left)))
    assert not set(shown) & set(parted.learned)
    assert sorted([*shown, *parted.learned]) == list(range(len(inner.samples)))
    assert torch.equal(world.images(rows[:40]), inner.images(shown[:40]))
    levels = world.samples.levels("category", rows)
    assert (levels == inner.samples.levels("category", shown)).all()
    for category in range(10):
        half = (inner.samples.levels("category", parted.learned) == category).sum()
        assert half == pytest.approx((levels == category).sum(), abs=1)


def test_every_view_of_an_object_is_learned_from_or_none_and_source_test_images_never():
    world = make("generated", of=OBJECTS, views=2, per_category=3, **QUICK)
    inner = world.inner.samples
    learned, shown = (inner.instance_numbers(rows) for rows in (
        world.parted.learned, world.parted.inner_rows(np.arange(len(world.parted.left)))))  # fmt: skip
    assert not set(learned) & set(shown)
    assert len(world.parted.learned) <= 2 * len(set(learned))
    assert world.samples.space.names == ("category", "origin")


def test_a_generated_picture_depends_on_its_own_row_only_and_its_generator_is_learned_once(monkeypatch):
    world = make("generated", of=DIGITS, per_category=4, **QUICK)
    rows = np.flatnonzero(world.samples.levels("origin", np.arange(len(world.samples))) == 1)
    together = world.images(rows)
    assert together.dtype == torch.uint8
    assert together.shape == (40, 1, 8, 8)
    assert generator_file(world.identity).is_file()

    def never(*_):
        raise AssertionError("learned again")

    monkeypatch.setattr("unseen.worlds.generators.generated.learn_from_noise", never)
    again = make("generated", of=DIGITS, per_category=4, **QUICK)
    mixed = again.images(np.array([rows[7], 0, rows[31]]))
    assert (mixed[[0, 2]].int() - together[[7, 31]].int()).abs().max() <= 1  # convolutions of other batches round
    more = make("generated", of=DIGITS, per_category=9, **QUICK)
    assert more.identity == world.identity
    assert more.fingerprint != world.fingerprint
    assert make("generated", of=DIGITS, per_category=4, **{**QUICK, "steps": 4}).identity != world.identity


def test_a_translated_world_shows_each_row_real_generated_and_given():
    world = make("translated", of=OBJECTS, given="geirhos-grey", **QUICK)
    assert world.samples.space["origin"].levels == ("real", "generated", "given")
    real, made, given = world.images(np.arange(3)), world.images(np.array([1])), world.images(np.array([2]))
    assert torch.equal(real[:1], world.inner.images(world.parted.inner_rows(np.array([0]))))
    assert torch.equal(real[1:2], made)
    assert torch.equal(given[0, 0], given[0, 1])
    assert not torch.equal(given, real[:1])
    plain = {**OBJECTS, "textures": 0}
    by_world = make("translated", of={**OBJECTS, "textures": 0}, given=plain, **QUICK)
    assert torch.equal(by_world.images(np.array([2])), by_world.images(np.array([0])))


@pytest.mark.parametrize("name", ["generated", "translated"])
def test_a_generator_that_is_first_asked_for_while_answers_are_recorded_still_learns(name):
    own = {"given": "geirhos-grey", "seed": 7} if name == "translated" else {"seed": 7}
    world = make(name, of=OBJECTS, **own, **QUICK)
    assert not generator_file(world.identity).is_file()
    row = int(np.flatnonzero(world.samples.levels("origin", np.arange(len(world.samples))) == 1)[0])
    with torch.inference_mode():
        shown = world.images(np.array([row]))
    assert generator_file(world.identity).is_file()
    assert torch.equal(shown, make(name, of=OBJECTS, **own, **QUICK).images(np.array([row])))


def test_what_is_still_to_learn_is_told_also_inside_another_world_and_no_more_once_it_is_kept():
    world = make("transformed", of={"name": "generated", "of": DIGITS, "seed": 9, **QUICK}, levels=["blur"])
    (one,) = learned_first(world)
    assert one.fit.steps == 3
    one.learned()
    assert learned_first(world) == []
    assert learned_first(world.inner.inner) == []


def test_trained_on_generated_asked_on_real_is_a_split_like_others():
    world = make("generated", of=DIGITS, per_category=30, **QUICK)
    split = matrix(world.samples, factor="origin", train=["generated"], seed=0)
    assert {"test-real", "test-generated"} <= set(split.sets)
    assert "generated" in split.sets["train"].reason


def test_without_labels_a_generator_draws_whatever_there_is():
    pictures = make("digits", viewpoint="none").images(np.arange(64))
    made = learn_from_noise(pictures, None, 0, Fit(2, batch=8, width=4, latents=4), "cpu")
    assert made.history[-1]["step"] == 2
    assert not any("named" in name for name in made.weights)


def test_the_best_critic_is_the_closed_form_and_one_half_at_the_end():
    game = play(0, critic_first=500, steps=300, critic_steps=4, batch=256)
    assert game.first_error < 0.03
    assert game.last_error < 0.03
    assert game.last_from_half < 0.03
    assert game.scale == pytest.approx(0.5, abs=0.05)
    assert game.shift == pytest.approx(1.0, abs=0.05)
    assert best_critic(np.array([1.0]), 0.5, 1.0) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("generated", {"of": DIGITS, "learn_from": 1.0}, "between 0 and 1"),
        ("generated", {"of": DIGITS, "steps": 0}, "`steps` is a whole number from 1 on"),
        ("generated", {"of": DIGITS, "category": "colour"}, "no factor 'colour'"),
        ("generated", {"of": DIGITS, "lr": 3}, "learning rate"),
        ("generated", {"of": OBJECTS, "category": "pose"}, "'pose' of world 'objects' is computed"),
        ("translated", {"of": DIGITS, "given": "blurr"}, "Did you mean 'blur'"),
        ("translated", {"of": DIGITS, "given": "grey-scale"}, "is grey, and 'grey-scale' would do nothing"),
        ("translated", {"of": DIGITS, "given": OBJECTS}, "rows of 16×16 pixels"),
    ],
)
def test_what_cannot_be_generated_is_explained(name, arguments, says):
    with pytest.raises(UnseenError, match=says):
        make(name, **arguments)


def test_a_damaged_generator_is_named():
    world = make("generated", of=DIGITS, per_category=2, **{**QUICK, "steps": 2})
    file = generator_file(world.identity)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"no weights")
    with pytest.raises(UnseenError, match="cannot be read; delete it"):
        world.images(np.array([len(world.samples) - 1]))
