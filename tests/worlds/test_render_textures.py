"""Textures, pictures and skies against other people's filters."""

import math

import numpy as np
import pytest
import torch
from simple_scenes import bank, box, distances, quad
from torch.nn.functional import grid_sample

from unseen.worlds.rendering.backdrop import arctangent
from unseen.worlds.rendering.renderer import layers, render
from unseen.worlds.rendering.scene import PICTURE, SKY
from unseen.worlds.rendering.staging import staged
from unseen.worlds.rendering.textures import CLAMP, atlas, octave, pyramid, sampled, sizes

NOISE = np.random.default_rng(0).integers(0, 256, (2, 32, 32, 3), dtype=np.uint8)
SMOOTH = np.asarray(np.stack(np.meshgrid(np.linspace(40, 220, 64), np.linspace(200, 30, 64)), -1), np.uint8)
SMOOTH = np.concatenate([SMOOTH, np.full((64, 64, 1), 90, np.uint8)], -1)


def test_the_finest_level_is_sampled_as_grid_sample_does():
    pictures = torch.from_numpy(NOISE)
    book = atlas(pyramid(pictures), 32, 32, CLAMP)
    u, v = torch.rand(2, 500, generator=torch.Generator().manual_seed(0))
    number = torch.arange(500) % 2
    found = torch.stack(sampled(book, number, u, v, torch.full((500,), 0.5)))
    light = (pictures.permute(0, 3, 1, 2) / 255) ** 2
    for one in (0, 1):
        grid = torch.stack([u, v], -1)[None, None] * 2 - 1
        true = grid_sample(light[one : one + 1], grid, padding_mode="border", align_corners=False)[0, :, 0]
        torch.testing.assert_close(found[:, number == one], true[:, number == one], atol=1e-5, rtol=0)


def test_levels_are_means_in_linear_light():
    from PIL import Image

    packed = pyramid(torch.from_numpy(NOISE))[0]
    first = 32 * 32
    level = packed[first : first + 16 * 16].view(16, 16)
    channels = torch.stack([level & 255, level >> 8 & 255, level >> 16], -1).numpy()
    light = (NOISE[0] / 255.0) ** 2
    for k in range(3):
        half = Image.fromarray(light[..., k].astype(np.float32)).resize((16, 16), Image.Resampling.BOX)
        assert np.abs(np.sqrt(np.asarray(half)) * 255 - channels[..., k]).max() <= 0.51
    assert sizes(32, 64)[-1] == (1, 2)


def test_far_away_a_texture_is_its_mean():
    book = atlas(pyramid(torch.from_numpy(NOISE)), 32, 32)
    far = torch.stack(sampled(book, torch.tensor([0]), torch.tensor([0.3]), torch.tensor([0.9]), torch.tensor([1e4])))
    assert np.allclose(far[:, 0], ((NOISE[0] / 255.0) ** 2).mean((0, 1)), atol=0.01)


def test_a_texture_is_seen_in_perspective():
    """A textured rectangle from a low angle: its colour at each pixel is that of the point that the ray meets."""
    ground = quad((-1, -1), (1, 1), z=0.1, texture=SMOOTH, gloss=0.0)
    scenes = staged(torch.tensor([0]), elevation=20.0, azimuth=-90.0, distance=3.0, fov=45.0, floor=-2, sky=(1.0,) * 3,
                    ground=(1.0,) * 3, light_colour=(0.0,) * 3, target=(0.0, 0.0, 0.1))  # fmt: skip
    meshes = bank(ground, texture_size=64)
    picture, found = render(scenes, meshes, 64, supersampling=1), layers(scenes, meshes, 64)
    point = scenes.eye.double()[:, None, None] + distances(scenes, 64) * found.depth[..., None].double()
    inside = found.mask & (point[..., :2].abs().amax(-1) < 0.8)  # nearer to its edges the coarse levels wrap
    uv = (point[inside][:, :2] + 1) / 2
    true = torch.stack([40 + 180 * uv[:, 0], 30 + 170 * uv[:, 1], torch.full_like(uv[:, 0], 90)], -1)  # v runs upwards
    assert inside.sum() > 300
    assert (picture.permute(0, 2, 3, 1)[inside] - true).abs().max() < 4


def test_a_texture_laid_over_a_box_shows_the_same_picture_on_each_side():
    stripes = np.zeros((64, 64, 3), np.uint8)
    stripes[:, :32] = (255, 0, 0)
    stripes[:, 32:] = (0, 0, 255)
    meshes = bank(box(1.0, 1.0, 1.0, colour=(0.1, 0.1, 0.1), gloss=0.0), textures=(stripes,), texture_size=64)
    front = staged(
        torch.tensor([0, 0]), azimuth=torch.tensor([0.0, 90.0]), elevation=1.0, texture=0, target=(0.0, 0.0, 0.5)
    )
    red, green, blue = render(front, meshes, 64).int()[:, :, 32].transpose(0, 1)
    assert green.lt(40)[:, 24:40].all()
    assert (red > blue)[0, 20:30].all() and (red < blue)[0, 34:44].all()  # noqa: PT018 - seen from +x, +y is to the right
    assert (red < blue)[1, 20:30].all() and (red > blue)[1, 34:44].all()  # noqa: PT018 - seen from +y, +x is to the left


def test_a_picture_fills_the_frame_as_it_is():
    meshes = bank(box(), pictures=(SMOOTH,), picture_size=64)
    scenes = staged(torch.tensor([0]), position=(0.0, 50.0, 0.0), floor=-2, behind=PICTURE, bottom=(1.0,) * 3)
    picture = render(scenes, meshes, 64)[0].permute(1, 2, 0).int()
    assert (picture - torch.from_numpy(SMOOTH).int()).abs().max() <= 1


@pytest.mark.parametrize(("azimuth", "elevation"), [(0.0, 0.0), (120.0, -20.0), (300.0, 30.0)])
def test_a_sky_is_seen_in_its_directions(azimuth, elevation):
    """A map whose colours are its directions."""
    h, w = 128, 256
    up = (0.5 - (np.arange(h) + 0.5) / h) * math.pi
    round_ = (0.5 - (np.arange(w) + 0.5) / w) * 2 * math.pi
    x, y = np.cos(up)[:, None] * np.cos(round_), np.cos(up)[:, None] * np.sin(round_)
    directions = np.stack([x, y, np.broadcast_to(np.sin(up)[:, None], (h, w))], -1)
    meshes = bank(box(), skies=((directions * 100 + 128).round().astype(np.uint8),), picture_size=h)
    scenes = staged(torch.tensor([0]), azimuth=azimuth, elevation=elevation, position=(0.0, 0.0, -99.0), floor=-2,
                    behind=SKY, bottom=(1.0,) * 3, fov=60.0)  # fmt: skip
    ray = torch.nn.functional.normalize(distances(scenes, 48), dim=-1)
    picture = render(scenes, meshes, 48).permute(0, 2, 3, 1)
    assert (picture - (ray * 100 + 128)).abs().max() < 4


def test_a_textured_floor_repeats_with_its_scale_and_fades_to_its_mean():
    checks = (np.indices((64, 64)) // 32).sum(0) % 2 * 255
    meshes = bank(box(), textures=(np.repeat(checks[..., None], 3, -1).astype(np.uint8),), texture_size=64)
    scenes = staged(torch.tensor([0]), position=(0.0, 99.0, 0.0), floor=0, floor_scale=0.5, elevation=12.0, fov=70.0,
                    light_colour=(0.0,) * 3, sky=(1.0,) * 3, ground=(1.0,) * 3, floor_colour=(1.0,) * 3)  # fmt: skip
    picture, found = render(scenes, meshes, 96)[0, 0].double(), layers(scenes, meshes, 96)
    point = scenes.eye.double()[:, None, None] + distances(scenes, 96) * found.depth[..., None].double()
    cell = (point[0, ..., :2] / 0.25).floor()
    true = (cell.sum(-1) % 2 == 1).double() * 255
    true = 255 - true if ((true[90:] - picture[90:]).abs().mean() > 128) else true
    assert (true[80:] - picture[80:]).abs().mean() < 70
    horizon = int((found.label[0, :, 0] == -2).nonzero()[0])
    assert (picture[horizon + 1 : horizon + 3] / 255).square().mean() == pytest.approx(0.5, abs=0.03)


def test_the_small_functions_stay_close_to_those_of_the_library():
    angle = torch.linspace(-3.14, 3.14, 999)
    assert (arctangent(angle.sin() * 3, angle.cos() * 3) - angle).abs().max() < 2e-5
    ratio = torch.tensor([1.0, 2.0, 3.0, 1000.0])
    assert (octave(ratio) - ratio.log2()).abs().max() < 0.09
    assert octave(torch.tensor([1.0, 2.0, 64.0])).tolist() == [0, 1, 6]
