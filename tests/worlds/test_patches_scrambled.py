"""Patches in another order: every patch is still there, none is changed, and each picture has its own order."""

import numpy as np
import pytest
import torch

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.transforms import TRANSFORMATIONS

SCRAMBLED = TRANSFORMATIONS["patches-scrambled"]


def pictures(n=6, height=24, width=24):
    drawn = torch.Generator().manual_seed(0)
    return torch.randint(0, 256, (n, 3, height, width), generator=drawn, dtype=torch.uint8)


def keys(n=6):
    return torch.arange(n) * 7919 + 11


def patches(picture, side):
    """Every patch as its bytes, by a loop."""
    rows, columns = picture.shape[1] // side, picture.shape[2] // side
    cut = picture.to(torch.uint8).numpy()
    return [cut[:, side * r : side * r + side, side * c : side * c + side].tobytes()
            for r in range(rows) for c in range(columns)]  # fmt: skip


@pytest.mark.parametrize("side", [1, 4, 6, 8, 12])
def test_the_same_patches_are_there_in_another_order(side):
    before = pictures()
    after = SCRAMBLED(before, side, keys())
    assert after.dtype == torch.float32
    for one, other in zip(before, after):
        assert sorted(patches(one, side)) == sorted(patches(other, side))
    assert any(patches(one, side) != patches(other, side) for one, other in zip(before, after))


def test_what_is_left_over_at_the_edges_stays_where_it_is():
    before = pictures(height=26, width=29)
    after = SCRAMBLED(before, 8, keys())
    assert torch.equal(after[:, :, 24:], before[:, :, 24:].float())
    assert torch.equal(after[:, :, :, 24:], before[:, :, :, 24:].float())


def test_a_picture_has_one_order_whatever_its_batch_and_orders_are_all_different():
    before = pictures(1).expand(40, -1, -1, -1).clone()
    after = SCRAMBLED(before, 6, keys(40))
    alone = torch.cat([SCRAMBLED(before[n : n + 1], 6, keys(40)[n : n + 1]) for n in range(40)])
    assert torch.equal(after, alone)
    assert len({one.numpy().tobytes() for one in after}) == 40


def test_every_patch_goes_everywhere_equally_often():
    many = 4000
    place = torch.arange(4).view(1, 1, 2, 2).expand(many, 1, 2, 2).float()
    first = SCRAMBLED(place, 1, keys(many))[:, 0, 0, 0].numpy()
    counts = np.bincount(first.astype(int), minlength=4)
    assert abs(counts / many - 0.25).max() < 0.03


def test_a_patch_larger_than_the_picture_changes_nothing_and_half_a_pixel_is_refused():
    before = pictures()
    assert torch.equal(SCRAMBLED(before, 24, keys()), before.float())
    with pytest.raises(UnseenError, match="side of a patch in pixels"):
        SCRAMBLED(before, 2.5, keys())
