"""Image n is the same to the bit whatever is drawn beside it."""

from dataclasses import fields, replace

import numpy as np
import pytest
import torch
from simple_scenes import bank, box, joined_scenes, sphere, torus

from unseen.worlds.rendering.renderer import layers, out_of_frame, render
from unseen.worlds.rendering.scene import Things
from unseen.worlds.rendering.staging import staged
from unseen.worlds.rendering.threads import side_by_side

CHECKS = (np.indices((32, 32)).sum(0)[..., None] // 4 % 2 * np.array([200, 120, 80])).astype(np.uint8)
BANK = bank(
    torus(paint=1.0), sphere(0.5, 3, gloss=0.8), box(colour=(0.9, 0.7, 0.2)), box(0.5, 1.0, 0.4, texture=CHECKS),
    textures=(CHECKS,), pictures=(CHECKS,), skies=(np.tile(CHECKS, (1, 2, 1)),), texture_size=32, picture_size=32,
)  # fmt: skip


def variety(n):
    """Scenes with every kind of floor, backdrop, texture and view."""
    k = torch.arange(n)
    scenes = staged(
        k % 4,
        azimuth=k * 37.0,
        elevation=(k * 13.0) % 80 + 2,
        distance=2.0 + (k % 5) * 0.4,
        fov=25.0 + (k % 3) * 15,
        yaw=k * 11.0,
        tint=torch.stack([(k % 3) / 2, (k % 4) / 3, (k % 5) / 4], 1),
        texture=torch.where(k % 5 == 3, 0, -1),
        floor=k % 3 - 2,
        behind=k % 3,
        light_azimuth=k * 50.0,
    )
    again = Things(**{f.name: getattr(scenes.things, f.name) for f in fields(Things)})
    beside = replace(again, position=again.position + torch.tensor([0.6, 0.5, 0.0]), label=again.label + 1)
    order = torch.arange(2 * n).view(2, n).t().reshape(-1)
    both = {f.name: torch.cat([getattr(again, f.name), getattr(beside, f.name)])[order] for f in fields(Things)}
    return replace(scenes, things=Things(**both))


SCENES = variety(12)
WHOLE = render(SCENES, BANK, 40)


def test_an_image_drawn_alone_is_the_same_as_in_a_batch():
    for n in range(len(SCENES)):
        assert torch.equal(render(SCENES.part(n, n + 1), BANK, 40)[0], WHOLE[n]), n


@pytest.mark.parametrize("memory", [1, 8 << 20, 64 << 20])
def test_the_memory_given_changes_no_bit(memory):
    assert torch.equal(render(SCENES, BANK, 40, memory=memory), WHOLE)


def test_the_order_of_images_changes_no_bit():
    backwards = joined_scenes([SCENES.part(n, n + 1) for n in reversed(range(len(SCENES)))])
    assert torch.equal(render(backwards, BANK, 40), WHOLE.flip(0))


def test_the_number_of_threads_changes_no_bit_and_is_left_as_it_was():
    before = torch.get_num_threads()
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            assert torch.equal(render(SCENES, BANK, 40), WHOLE)
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)


def test_layers_do_not_depend_on_the_batch_either():
    whole, alone = layers(SCENES, BANK, 24), layers(SCENES.part(7, 8), BANK, 24)
    for name in ("depth", "mask", "normal", "label"):
        assert torch.equal(getattr(whole, name)[7:8], getattr(alone, name)), name


@pytest.mark.parametrize("supersampling", [1, 2, 3, 4])
def test_more_samples_per_pixel_change_edges_only(supersampling):
    fine = render(SCENES, BANK, 40, supersampling=4).float()
    picture = render(SCENES, BANK, 40, supersampling=supersampling).float()
    assert (fine - picture).abs().mean() < 4


@pytest.mark.parametrize("behind", [0, 1, 2])
def test_a_batch_without_any_floor_is_drawn_like_its_images_alone(behind):
    scenes = staged(torch.arange(3), floor=-2, behind=behind, azimuth=torch.tensor([0.0, 40.0, 200.0]))
    together = render(scenes, BANK, 24)
    alone = torch.cat([render(scenes.part(k, k + 1), BANK, 24) for k in range(3)])
    assert torch.equal(together, alone)


def test_a_single_chunk_too_is_drawn_on_one_thread_and_the_callers_number_comes_back():
    before, found = torch.get_num_threads(), []
    torch.set_num_threads(2)
    try:
        for ranges in ([(0, 1)], [(0, 1), (1, 2), (2, 3)]):
            side_by_side(lambda start, stop: found.append((start, torch.get_num_threads())), ranges, 2)
            assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert sorted(found) == [(0, 1), (0, 1), (1, 1), (2, 1)]


def test_of_no_images_none_is_out_of_the_frame():
    assert out_of_frame(SCENES.part(0, 0), BANK, 16).tolist() == []
