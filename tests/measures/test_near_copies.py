"""Changed copies are found, other pictures are not, and what resembles by nature is no alarm."""

import numpy as np
import pytest

from unseen.measures.near_copies import ALIKE, Resemblance, joined, most_alike, prints


def pictures(n=200, side=96, seed=0):
    """Smooth random pictures: every one is another."""
    coarse = np.random.default_rng(seed).integers(0, 256, (n, 3, 6, 6)).astype(np.float32)
    from torch import from_numpy
    from torch.nn.functional import interpolate

    return interpolate(from_numpy(coarse), size=side, mode="bicubic").clamp(0, 255).byte().numpy()


CHANGES = {
    "smaller": lambda x: x.reshape(*x.shape[:2], 48, 2, 48, 2).mean(axis=(3, 5)).astype(np.uint8),
    "brighter": lambda x: np.clip(x * 1.1 + 5, 0, 255).astype(np.uint8),
    "noisy": lambda x: np.clip(x + np.random.default_rng(0).normal(0, 4, x.shape), 0, 255).astype(np.uint8),
    "cropped": lambda x: x[:, :, 1:-1, 1:-1],
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_copy_is_most_alike_to_its_original(name):
    plain = pictures()
    alike, place = most_alike(prints(CHANGES[name](plain)), prints(plain))
    found = alike >= ALIKE
    assert found.mean() > 0.9
    assert (place[found] == np.flatnonzero(found)).all()


def test_other_pictures_are_no_copies_and_own_ones_can_be_left_out():
    own = prints(pictures())
    assert (most_alike(prints(pictures(seed=1)), own)[0] < ALIKE).all()
    number = np.arange(len(own))
    assert (most_alike(own, own)[0] > 0.999).all()
    assert (most_alike(own, own, number, number)[0] < ALIKE).all()


def test_flat_pictures_are_alike_to_none_and_an_empty_set_has_no_copies():
    flat = prints(np.full((3, 1, 28, 28), 255, np.uint8))
    assert flat.flat.all()
    assert most_alike(flat, flat)[1].tolist() == [-1, -1, -1]
    assert most_alike(flat, flat[np.zeros(0, int)])[0].tolist() == [-1, -1, -1]


def test_blocks_and_dense_products_change_nothing(monkeypatch):
    from unseen.measures import near_copies

    plain, own = pictures(40), prints(pictures(60))
    asked = joined([prints(CHANGES["noisy"](plain)), own])
    first = most_alike(asked, own)
    monkeypatch.setattr(near_copies, "BLOCK", 128)
    monkeypatch.setattr(near_copies, "DENSE", -1.0)
    second = most_alike(asked, own)
    assert (first[1] == second[1]).all()
    assert np.allclose(first[0], second[0], atol=1e-3)


def test_a_rate_as_among_training_images_is_natural_and_any_beyond_it_is_not():
    assert Resemblance(near=30, asked=100, within=600, looked_at=2000).natural
    assert not Resemblance(near=60, asked=100, within=600, looked_at=2000).natural
    assert not Resemblance(near=1, asked=100, within=0, looked_at=2000).natural
    assert Resemblance(near=0, asked=100, within=0, looked_at=0).natural
