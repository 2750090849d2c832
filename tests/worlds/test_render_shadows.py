"""Shadows lie where the geometry of light says, and nothing shades itself."""

from dataclasses import replace

import pytest
import torch
from simple_scenes import bank, box, distances, quad, sphere

from unseen.worlds.rendering.renderer import layers, render
from unseen.worlds.rendering.staging import staged

SIDE = 96


def linear(picture):
    return (picture.double() / 255) ** 2


def inner(mask):
    """Pixels whose neighbours, too, are in the mask: no sample of them shows anything else."""
    return -torch.nn.functional.max_pool2d(-mask[None].float(), 3, 1, 1)[0] > 0


def looks(**more):
    options = {"elevation": 50.0, "distance": 5.0, "target": (0.0, 0.0, 0.3), "light_elevation": 40.0, **more}
    return staged(torch.tensor([0]), **options)


@pytest.mark.parametrize("light_azimuth", [-60.0, 90.0, 200.0])
def test_the_shadow_of_a_sphere_on_the_floor_is_the_ellipse_that_its_light_draws(light_azimuth):
    scenes = looks(light_azimuth=light_azimuth, sky=(0.0, 0.0, 0.0), ground=(0.0, 0.0, 0.0), shadow=1.0)
    scenes = replace(scenes, things=replace(scenes.things, position=torch.tensor([[0.1, -0.1, 0.4]])))
    meshes = bank(sphere(0.5, 4))
    picture, found = linear(render(scenes, meshes, SIDE)), layers(scenes, meshes, SIDE)
    floor = inner(found.label == -2)
    point = scenes.eye.double()[:, None, None] + distances(scenes, SIDE) * found.depth[..., None].double()
    # a point of the floor is dark if its way to the light passes the centre closer than the radius
    light = scenes.light[0, 0].double()
    off = torch.tensor([0.1, -0.1, 0.9]).double() - point
    along = (off * light).sum(-1)
    gap = (off - along[..., None] * light).norm(dim=-1) - 0.5
    shown = picture[:, 1] / picture[:, 1][floor].median()
    assert ((gap < -0.06) & floor).sum() > 100
    assert shown[floor & (gap < -0.06)].max() < 0.02
    assert shown[floor & (gap > 0.06)].min() > 0.97
    rim = floor & (gap.abs() < 0.01)
    assert 0.3 < shown[rim].mean() < 0.7  # soft, and its middle where the true edge is


def test_without_darkness_there_is_no_shadow():
    scenes, meshes = looks(shadow=0.0), bank(sphere())
    floor = inner(layers(scenes, meshes, SIDE).label == -2)
    colours = render(scenes, meshes, SIDE).permute(0, 2, 3, 1)[floor]
    assert (colours == colours[0]).all()


@pytest.mark.parametrize("light_elevation", [12.0, 35.0, 60.0, 85.0])
def test_no_surface_that_faces_the_light_shades_itself(light_elevation):
    meshes = bank(sphere(0.5, 4, gloss=0.0), box(0.7, 0.7, 0.7, gloss=0.0))
    for which in (0, 1):
        scenes = staged(torch.tensor([which]), light_elevation=light_elevation, light_azimuth=60.0, floor=-2)
        dark, plain = render(scenes, meshes, SIDE), render(replace(scenes, shadow=scenes.shadow * 0), meshes, SIDE)
        lost = (plain.int() - dark.int()).abs().amax(1)
        facing = (layers(scenes, meshes, SIDE).normal * scenes.light[:, 0, :, None, None]).sum(1)
        assert lost[facing > 0.15].max() <= 2


def test_a_thing_shades_another():
    from unseen.worlds.rendering.mesh import joined

    lid = quad((-0.5, -0.5), (0.5, 0.5), z=1.0, gloss=0.0)
    table = quad((-0.5, -0.5), (0.5, 0.5), z=0.2, gloss=0.0)
    scenes = staged(
        torch.tensor([0]), elevation=30.0, light_elevation=90.0, floor=-2, sky=(0.2,) * 3, ground=(0.2,) * 3
    )
    open_air, covered = (render(scenes, bank(mesh), SIDE) for mesh in (table, joined([table, lid])))
    middle = layers(scenes, bank(table), SIDE).mask & ~layers(scenes, bank(lid), SIDE).mask
    change = linear(covered).mean(1)[middle] / linear(open_air).mean(1)[middle]
    assert change.median() < 0.4


def test_the_floor_is_darker_where_a_thing_rests_than_below_one_that_floats():
    """Seen from the side that the light does not leave dark."""
    resting = looks(light_azimuth=35.0, light_elevation=60.0, elevation=30.0)
    floating = replace(resting, things=replace(resting.things, position=torch.tensor([[0.0, 0.0, 0.5]])))
    meshes = bank(sphere(0.4))
    bare = replace(resting, shadow=resting.shadow * 0)
    floor = layers(resting, meshes, SIDE).label == -2
    near = torch.nn.functional.max_pool2d((~floor)[None].float(), 5, 1, 2)[0].bool() & floor
    lost = (render(bare, meshes, SIDE).int() - render(resting, meshes, SIDE).int()).amax(1)
    assert lost[near].max() >= 5
    bare = replace(floating, shadow=floating.shadow * 0)
    lost = (render(bare, meshes, SIDE).int() - render(floating, meshes, SIDE).int()).amax(1)
    far = (layers(floating, meshes, SIDE).label == -2) & near
    assert lost[far].float().median() == 0


def test_far_clutter_does_not_coarsen_the_shadow_of_what_the_image_is_about():
    from unseen.worlds.rendering.scene import Things

    scenes = looks()
    one = scenes.things
    far = replace(one, position=torch.tensor([[200.0, 300.0, 0.0]]), label=one.label + 1)
    names = Things.__dataclass_fields__
    both = replace(scenes, things=Things(**{n: torch.cat([getattr(one, n), getattr(far, n)]) for n in names}))
    meshes = bank(sphere(0.5, 4))
    alone, beside = render(scenes, meshes, SIDE).int(), render(both, meshes, SIDE).int()
    assert ((alone - beside).abs() > 40).float().mean() < 0.02
