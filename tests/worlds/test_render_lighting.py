"""Ambient light against integrals, shading against the formula, and errors that teach."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from simple_scenes import bank, box, quad, sphere

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.rendering.lighting import hemisphere, sky_irradiance
from unseen.worlds.rendering.planning import planned
from unseen.worlds.rendering.renderer import layers, render
from unseen.worlds.rendering.scene import SKY
from unseen.worlds.rendering.shading import harmonics
from unseen.worlds.rendering.staging import staged


def directions(h, w):
    up = (0.5 - (torch.arange(h).double() + 0.5) / h) * math.pi
    round_ = (0.5 - (torch.arange(w).double() + 0.5) / w) * 2 * math.pi
    x, y = up.cos()[:, None] * round_.cos(), up.cos()[:, None] * round_.sin()
    return torch.stack([x, y, up.sin()[:, None].expand(h, w)], -1), up.cos()[:, None] * (math.pi / h) * (
        2 * math.pi / w
    )


def test_nine_coefficients_of_a_sky_are_close_to_the_integral_over_it():
    at, solid = directions(64, 128)
    warm = torch.tensor([1.0, 0.8, 0.6]).double()
    sky = (
        0.3
        + at[..., 2:].clamp(min=0) * warm
        + (at @ torch.tensor([0.6, 0.64, 0.48]).double()).clamp(min=0)[..., None] ** 2
    )
    coefficients = sky_irradiance(sky)
    normals = torch.nn.functional.normalize(
        torch.randn(50, 3, generator=torch.Generator().manual_seed(0)), dim=-1
    ).double()
    cosine = (at @ normals.T).clamp(min=0) * solid[..., None]
    true = torch.einsum("hwc,hwn->nc", sky, cosine) / math.pi
    x, y, z = normals.float().unbind(1)
    terms = torch.stack([torch.ones_like(x), *harmonics(x, y, z, 9)], 1)
    assert (terms @ coefficients - true).abs().max() < 0.02
    even = np.eye(9)[:, :1] * np.ones(3)  # one colour everywhere is the constant term alone
    assert np.abs(sky_irradiance(torch.ones(64, 128, 3)).numpy() - even).max() < 1e-3


def test_a_hemisphere_mixes_sky_and_ground_by_the_normal():
    sky, ground = torch.tensor([0.6, 0.7, 0.9]), torch.tensor([0.2, 0.1, 0.0])
    one, y, z, x = hemisphere(sky, ground)
    assert torch.allclose(one + z, sky)
    assert torch.allclose(one - z, ground)
    assert not x.any()
    assert not y.any()


@pytest.mark.parametrize("k", [1, 4, 9])
def test_a_matt_sphere_shows_lambert_and_the_light_of_the_sky(k):
    meshes = bank(sphere(0.5, 5, colour=(0.8, 0.5, 0.3), paint=1.0, gloss=0.0))
    scenes = staged(torch.tensor([0]), floor=-2, shadow=0.0, tint=(0.9, 0.6, 1.0))
    ambient = torch.rand(1, k, 3, generator=torch.Generator().manual_seed(k)) * 0.1
    ambient[:, 0] += 0.2
    scenes = replace(scenes, ambient=ambient)
    found = layers(scenes, meshes, 64)
    x, y, z = (found.normal[0, axis][found.mask[0]].double() for axis in range(3))
    terms = torch.stack([torch.ones_like(x), *harmonics(x, y, z, k)][:k], 1)
    light = terms @ ambient[0].double()
    facing = (torch.stack([x, y, z], 1) @ scenes.light[0, 0].double()).clamp(min=0)
    light = light + facing[:, None] * scenes.light_colour[0, 0].double()
    colour = torch.tensor([0.8 * 0.9, 0.5 * 0.6, 0.3]).double() ** 2
    true = (colour * light).clamp(0, 1).sqrt() * 255
    shown = render(scenes, meshes, 64, supersampling=1)[0].permute(1, 2, 0)[found.mask[0]]
    assert (shown - true).abs().max() < 1


def test_a_highlight_lies_where_the_light_is_mirrored():
    meshes = bank(sphere(0.5, 5, colour=(0.0, 0.0, 0.0), gloss=1.0))
    scenes = staged(torch.tensor([0]), floor=-2, azimuth=0.0, elevation=0.0, light_azimuth=40.0, light_elevation=30.0,
                    target=(0.0, 0.0, 0.5), bottom=(0.0,) * 3, top=(0.0,) * 3)  # fmt: skip
    picture = render(scenes, meshes, 96)[0, 1].double()
    weights = picture.square() / picture.square().sum()
    at = (torch.arange(96) + 0.5).double()
    row, column = (weights.sum(1) * at).sum(), (weights.sum(0) * at).sum()
    half = torch.nn.functional.normalize(
        scenes.light[0, 0] + torch.tensor([1.0, 0, 0]), dim=-1
    )  # the eye is far along x
    focal = 1 / math.tan(math.radians(15)) * 48 / (3.2 - 0.5 * float(half[0]))
    assert float(column) == pytest.approx(48 + focal * 0.5 * float(half[1]), abs=2.0)
    assert float(row) == pytest.approx(48 - focal * 0.5 * float(half[2]), abs=2.0)


def test_a_second_light_adds_to_the_first():
    meshes = bank(quad((-1, -1), (1, 1), z=0.2, gloss=0.0, colour=(0.5, 0.5, 0.5)))
    one = staged(
        torch.tensor([0]), floor=-2, sky=(0.0,) * 3, ground=(0.0,) * 3, light_elevation=90.0, light_colour=(0.3,) * 3
    )
    two = replace(one, light=one.light.repeat(1, 2, 1), light_colour=one.light_colour.repeat(1, 2, 1))
    first, both = ((render(s, meshes, 32)[0, :, 16, 16] / 255) ** 2 for s in (one, two))
    assert torch.allclose(both, 2 * first, atol=0.01)


def test_numbers_that_the_bank_does_not_have_are_named():
    meshes = bank(box())
    for wrong, words in (
        (staged(torch.tensor([1])), "mesh number 1, but the bank has 1"),
        (staged(torch.tensor([0]), floor=0), "texture number 0, but the bank has 0"),
        (staged(torch.tensor([0]), behind=SKY), "sky number 0"),
    ):
        with pytest.raises(UnseenError, match=words):
            render(wrong, meshes, 16)
    with pytest.raises(UnseenError, match="side is at least 1"):
        render(staged(torch.tensor([0])), meshes, 0)


def test_no_images_and_no_things_are_fine():
    meshes = bank(box())
    scenes = staged(torch.tensor([0, 0]))
    assert render(scenes.part(0, 0), meshes, 16).shape == (0, 3, 16, 16)
    empty = replace(scenes, things=replace(scenes.part(0, 0).things))
    assert (layers(empty, meshes, 16).label < 0).all()
    assert render(empty, meshes, 16).shape == (2, 3, 16, 16)


def test_a_batch_is_cut_by_the_memory_given():
    scenes, meshes = staged(torch.zeros(40, dtype=torch.int64)), bank(sphere(0.5, 3))
    shelf = meshes.on("cpu")
    whole = planned(scenes, shelf, 64, 2, 1 << 30, 1)
    small = planned(scenes, shelf, 64, 2, 32 << 20, 1)
    assert len(whole.ranges) == 1
    assert len(small.ranges) > 8
    assert small.fragments < whole.fragments
    assert [start for start, _ in small.ranges[1:]] == [stop for _, stop in small.ranges[:-1]]
    assert len(planned(scenes, shelf, 64, 2, 1 << 30, 4).ranges) == 4
