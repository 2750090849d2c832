"""Rows listed twice lie on the device once; noise is new at every visit, the same held or streamed, alone or packed."""

import numpy as np
import pytest
import torch
from small_learners import CPU, TARGETS, Noisy, fetching, normalised, of, same, toy

from unseen.training import LabelledData, Learner, labelled_data, train
from unseen.training.visits import placed, turns_of
from unseen.vocabulary.sections import TrainingSection
from unseen.worlds import make
from unseen.worlds.transforms.transformed import transformed

DIGITS = make("digits", viewpoint="none")
TWICE = np.sort(np.concatenate([np.arange(20), np.arange(0, 20, 2), np.arange(0, 20, 4)]))


ODD_TWICE = np.array([0, 1, 1, 2, 2, 3, 3, 3, 4, 5, 6, 7, 8, 9, 9, 10, 11])


def learner(data, asked=None, seed=0, device=CPU, **settings):
    section = TrainingSection(**{"epochs": 3, "batch": 4, "lr": 0.01, **settings})
    ask = of(*toy(23, seed=1), device=device) if asked is None else asked
    return Learner(normalised(seed), TARGETS, data, ask, section, seed=seed, device=device, precision="float32")


def test_slots_come_in_the_order_of_first_visits_and_fresh_rows_have_one_for_every_visit():
    opens, slots = placed(np.array([5, 5, 2, 9, 2, 5]))
    assert (opens.tolist(), slots.tolist()) == ([0, 2, 3], [0, 0, 1, 2, 1, 0])
    opens, slots = placed(np.array([5, 5, 2, 9, 2, 5]), np.array([1, 1, 0, 0, 0, 1], dtype=bool))
    assert (opens.tolist(), slots.tolist()) == ([0, 1, 2, 3, 5], [0, 1, 2, 3, 2, 4])
    assert turns_of(np.array([5, 5, 2, 9, 2, 5])).tolist() == [0, 1, 0, 0, 1, 2]
    assert [each.tolist() for each in placed(np.zeros(0, dtype=np.int64))] == [[], []]


def test_a_row_that_is_listed_several_times_is_held_once_and_fetched_once():
    images, labels = toy(20)
    asked = []

    def fetch(rows, device):
        asked.extend(rows.tolist())
        return fetching(images)(rows, device)

    data = labelled_data(TWICE, labels[TWICE], fetch, CPU, hold=True)
    assert torch.equal(data.held, images)
    assert sorted(asked[2:]) == list(range(20)), "after a look at the first on the CPU and on the device"
    assert torch.equal(data.gathered(torch.arange(len(TWICE))), images[torch.from_numpy(TWICE)])
    assert torch.equal(data.tested(np.arange(3, 9), "cpu"), images[torch.from_numpy(TWICE[3:9])])
    assert data.labels.tolist() == labels[TWICE].tolist()
    assert of(images, labels).slots is None, "nothing is looked up where nothing repeats"


def test_repeated_rows_count_once_for_the_memory_and_fresh_ones_every_time(monkeypatch):
    images, labels = toy(20)
    each = images[0].numel()
    monkeypatch.setattr("unseen.training.feed.free_memory", lambda device: 2 * 20 * each)
    assert labelled_data(TWICE, labels[TWICE], fetching(images), CPU).held is not None
    monkeypatch.setattr("unseen.training.feed.free_memory", lambda device: 2 * len(ODD_TWICE) * each * 4 - 1)
    world = Noisy()
    assert world.pictures(ODD_TWICE, hold=None).held is not None, "row 2 is held once"
    assert world.pictures(np.full(17, 3), hold=None).held is None


@pytest.mark.parametrize("augment", [{}, {"shift": 2.0, "flip": 0.5}])
def test_training_on_repeated_rows_is_what_it_was_when_each_visit_was_held_and_what_it_is_streamed(augment):
    images, labels = toy(20)
    every = torch.as_tensor(labels[TWICE])
    each = LabelledData(TWICE, every, fetching(images), images[torch.from_numpy(TWICE)])
    once, streamed = (labelled_data(TWICE, labels[TWICE], fetching(images), CPU, hold=hold) for hold in (True, False))
    ask = labelled_data(TWICE[:9], labels[TWICE[:9]], fetching(images), CPU, hold=True)
    runs = [train([learner(data, ask, augment=augment)])[0] for data in (each, once, streamed)]
    assert same(runs[0].network, runs[1].network)
    assert same(runs[0].network, runs[2].network)
    assert runs[0].curve == runs[1].curve == runs[2].curve


def test_no_draw_of_a_row_comes_twice_and_none_is_that_of_the_test():
    world = Noisy()
    one = learner(world.pictures(ODD_TWICE, hold=False), epochs=4, batch=17)
    world.asked.clear()
    train([one])
    odd = [(row, draw) for row, draw in world.asked if row % 2]
    assert len(odd) == len(set(odd)) == 4 * sum(row % 2 for row in ODD_TWICE)
    assert all(draw > 0 for _, draw in odd)
    assert {draw for row, draw in world.asked if row % 2 == 0} == {0}


def test_fresh_pictures_are_drawn_again_in_place_once_an_epoch_and_the_others_never():
    world = Noisy()
    data = world.pictures(ODD_TWICE)
    one, address = learner(data), data.held.data_ptr()
    plain = data.slots[torch.from_numpy(np.flatnonzero(ODD_TWICE % 2 == 0))]
    before, shown = data.held.clone(), []
    for epoch in range(3):
        world.asked.clear()
        one.begin_epoch(epoch)
        assert sorted(row for row, _ in world.asked) == sorted(row for row in ODD_TWICE if row % 2)
        shown.append(data.held.clone())
        assert torch.equal(data.held[plain], before[plain])
    assert data.held.data_ptr() == address
    assert len(before) == len(ODD_TWICE) - 1, "row 2 shares a slot"
    odd = torch.from_numpy(np.flatnonzero(ODD_TWICE % 2))
    seen = torch.cat([every[data.slots[odd]] for every in (before[:, None], *(s[:, None] for s in shown))])
    assert len(seen.flatten(1).unique(dim=0)) == len(odd) * 3 + len({row for row in ODD_TWICE if row % 2})


@pytest.mark.parametrize("augment", [{}, {"shift": 2.0, "brightness": 0.2}])
def test_training_under_noise_is_the_same_held_and_streamed_and_another_than_under_fixed_noise(augment):
    a, b, fixed = (
        train([learner(Noisy().pictures(ODD_TWICE, hold=hold, fresh=fresh), augment=augment)])[0]
        for hold, fresh in ((True, True), (False, True), (True, False))
    )
    assert same(a.network, b.network)
    assert a.curve == b.curve
    assert a.curve != fixed.curve


@pytest.mark.parametrize("hold", [True, False])
def test_learners_that_share_fresh_pictures_are_each_what_it_is_alone(hold):
    alone = [
        train([learner(Noisy().pictures(ODD_TWICE, hold=hold), seed=k, epochs=2 + k, batch=3 + k)])[0] for k in range(3)
    ]
    world = Noisy()
    shared = world.pictures(ODD_TWICE, hold=hold)
    world.asked.clear()
    packed = train([learner(shared, seed=k, epochs=2 + k, batch=3 + k) for k in range(3)])
    for a, b in zip(alone, packed):
        assert same(a.network, b.network)
        assert a.curve == b.curve
    if hold:
        assert len(world.asked) == 4 * sum(row % 2 for row in ODD_TWICE), "once an epoch for all of them"
    after = [train([learner(shared, seed=0, epochs=2, batch=3)])[0] for _ in range(2)]
    assert same(after[0].network, alone[0].network), "pictures that another pack left in a later epoch"
    assert same(after[1].network, alone[0].network)


def test_a_fetch_that_fails_while_drawing_again_leaves_nothing_that_counts_as_drawn():
    world = Noisy()
    data = world.pictures(ODD_TWICE)
    one = learner(data)
    one.begin_epoch(0)
    images, world.images = world.images, None
    with pytest.raises(TypeError):
        one.begin_epoch(1)
    world.images = images
    one.begin_epoch(0)
    expected = world.pictures(ODD_TWICE)
    expected.redraw(0)
    assert torch.equal(data.held, expected.held)


def test_validation_and_latents_see_what_a_test_sees():
    world = Noisy()
    ask = world.pictures(ODD_TWICE, fresh=False)
    world.asked.clear()
    data = world.pictures(ODD_TWICE)
    train([learner(data, ask)])
    assert torch.equal(ask.held, world.pictures(ODD_TWICE, fresh=False).held)
    tested = data.tested(np.arange(1, 6), "cpu")
    assert torch.equal(tested, world(ODD_TWICE[1:6], "cpu"))


def test_a_world_without_chance_is_held_and_trained_as_ever():
    images, labels = toy(20)
    none = np.zeros(20, dtype=bool)
    given, plain = (
        labelled_data(np.arange(20), labels, fetching(images), CPU, hold=True, fresh=f) for f in (none, None)
    )
    assert given.fresh is plain.fresh is None
    assert given.slots is plain.slots is None
    assert same(train([learner(given)])[0].network, train([learner(plain)])[0].network)


class OtherScene:
    """Digits, which another draw shows brighter, as a rendered world would show another scene."""

    def __getattr__(self, name):
        return getattr(DIGITS, name)

    def images(self, rows, device="cpu", draw=0):
        return DIGITS.images(rows, device) // 2 + draw


def test_a_transformed_world_says_what_chance_decides_and_shows_the_same_picture_under_other_noise():
    world = transformed(OtherScene(), ["white-noise", "blur", "salt-and-pepper"])
    rows = np.arange(40)
    assert world.fresh(rows).tolist() == [False, True, False, True] * 10
    assert torch.equal(world.again(rows, "cpu", 0), world.images(rows))
    new, other = world.again(rows, "cpu", 95), world.again(rows, "cpu", 96)
    by_chance = torch.from_numpy(world.fresh(rows))
    assert torch.equal(new[~by_chance], world.images(rows)[~by_chance]), "not another scene"
    assert all(not torch.equal(a, b) for a, b in zip(new[by_chance], other[by_chance]))
    kept = OtherScene().images(np.arange(10))
    assert torch.equal(world.again(rows, "cpu", 95, lambda inner, *_: kept[torch.from_numpy(inner)]), new)
    noise = new[1::4] - world.images(rows)[0::4]
    assert abs(float(noise.mean())) < 10, "the same scene below the noise"
    assert float(noise.std()) == pytest.approx(100, rel=0.1)
