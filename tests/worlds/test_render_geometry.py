"""Depth, masks and normals against what geometry says."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from simple_scenes import bank, box, distances, quad, sphere, torus

from unseen.worlds.rendering.mesh import mesh
from unseen.worlds.rendering.renderer import layers, out_of_frame, render
from unseen.worlds.rendering.staging import staged

SIDE = 96


def met(scenes, centre, radius):
    """Distance along the viewing axis to a sphere, infinite where a ray misses it (float64)."""
    ray = distances(scenes, SIDE)
    off = scenes.eye.double()[:, None, None] - torch.tensor(centre).double()
    a, b, c = (ray * ray).sum(-1), (ray * off).sum(-1), (off * off).sum(-1) - radius**2
    root = b * b - a * c
    return torch.where(root >= 0, (-b - root.clamp(min=0).sqrt()) / a, math.inf)


@pytest.mark.parametrize("elevation", [5.0, 30.0, 75.0])
def test_a_fine_sphere_has_the_depth_mask_and_normals_of_a_sphere(elevation):
    scenes = staged(torch.tensor([0]), azimuth=20.0, elevation=elevation, floor=-2)
    found = layers(scenes, bank(sphere(0.5, 5)), SIDE)
    depth = met(scenes, (0.0, 0.0, 0.5), 0.5)
    true = torch.isfinite(depth)
    assert (found.mask != true).float().mean() < 2e-3  # the silhouette of an icosphere lies a little inside
    both = found.mask & true
    assert (found.depth - depth)[both].abs().median() < 3e-4
    assert (found.depth - depth)[both].abs().quantile(0.99) < 4e-3
    point = scenes.eye.double()[:, None, None] + distances(scenes, SIDE) * depth[..., None]
    normal = (point - torch.tensor([0.0, 0, 0.5])) / 0.5
    cosine = (found.normal.permute(0, 2, 3, 1) * normal).sum(-1)
    assert cosine[both].min() > 0.99


def test_the_floor_and_a_level_rectangle_have_the_depth_of_a_plane():
    scenes = staged(torch.tensor([0]), elevation=25.0, fov=70.0)
    found = layers(scenes, bank(quad((-1, -1), (1, 1), z=0.3)), SIDE)
    ray = distances(scenes, SIDE)
    for height, where in ((0.3, found.label == 0), (0.0, found.label == -2)):
        depth = (height - scenes.eye[:, 2, None, None].double()) / ray[..., 2]
        assert where.sum() > 100
        torch.testing.assert_close(found.depth[where].double(), depth[where], rtol=1e-5, atol=1e-5)
        assert torch.equal(
            found.normal.permute(0, 2, 3, 1)[where], torch.tensor([0.0, 0, 1]).expand(int(where.sum()), 3)
        )
    point = scenes.eye.double()[:, None, None] + ray * ((0.3 - scenes.eye[:, 2]) / ray[..., 2])[..., None]
    inside = (point[..., :2].abs().amax(-1) <= 1) & (ray[..., 2] < 0)
    assert torch.equal(found.mask, inside)  # both triangles of it: no crack and nothing beyond
    sky = found.label == -1
    assert torch.equal(sky, ray[..., 2] >= 0)
    assert torch.isinf(found.depth[sky]).all()
    assert not found.normal.permute(0, 2, 3, 1)[sky].any()


def test_a_box_has_the_silhouette_of_its_corners():
    from scipy.spatial import ConvexHull

    scenes = staged(torch.tensor([0]), azimuth=33.0, elevation=28.0)
    found = layers(scenes, bank(box(0.8, 0.5, 0.6)), SIDE)
    corners = np.array([(x, y, z) for x in (-0.4, 0.4) for y in (-0.25, 0.25) for z in (0, 0.6)])
    eye, forward = scenes.eye[0].double().numpy(), (scenes.target - scenes.eye)[0].double().numpy()
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, (0, 0, 1))
    right /= np.linalg.norm(right)
    x, y, z = ((corners - eye) @ axis for axis in (right, np.cross(right, forward), forward))
    focal = 1 / math.tan(math.radians(15))
    seen = np.stack([(x * focal / z * 0.5 + 0.5) * SIDE, (0.5 - y * focal / z * 0.5) * SIDE], 1)
    sides = ConvexHull(seen).equations
    centres = np.stack(np.meshgrid(np.arange(SIDE) + 0.5, np.arange(SIDE) + 0.5), -1)
    outside = (centres @ sides[:, :2].T + sides[:, 2]).max(-1)
    sure = np.abs(outside) > 1e-3
    assert np.array_equal(found.mask[0].numpy()[sure], (outside < 0)[sure])


def test_a_closed_mesh_shows_no_crack():
    """Close to a sphere it fills the frame, and every one of its many small faces meets its neighbours."""
    k = torch.arange(12)
    scenes = staged(k * 0, azimuth=k * 31.0, elevation=k * 7.0 - 30, distance=1.0, target=(0.0, 0.0, 0.5), fov=20.0)
    found = layers(replace(scenes, floor=scenes.floor * 0 - 2), bank(sphere(0.5, 4)), 128)
    assert found.mask.all()
    assert found.depth.max() < 0.6  # nor is the far side seen through one


def test_a_triangle_through_the_plane_of_the_camera_is_drawn_in_front_of_it_only():
    """A strip along the viewing direction that passes under the camera and behind it."""
    strip = quad((-50, -0.5), (50, 0.5), z=0.0)
    scenes = staged(torch.tensor([0]), azimuth=0.0, elevation=10.0, distance=3.0, target=(0.0, 0.0, 0.5), floor=-2)
    found = layers(scenes, bank(strip), SIDE)
    ray = distances(scenes, SIDE)
    depth = -scenes.eye[:, 2, None, None].double() / ray[..., 2]
    point = scenes.eye.double()[:, None, None] + ray * depth[..., None]
    true = (ray[..., 2] < 0) & (point[..., 1].abs() <= 0.5) & (point[..., 0].abs() <= 50)
    assert true.sum() > 500
    assert (found.mask != true).sum() <= 2
    both = found.mask & true
    torch.testing.assert_close(found.depth[both].double(), depth[both], rtol=2e-4, atol=1e-4)


def test_triangles_that_surround_the_camera_hide_what_lies_behind_them():
    wide = np.array([(-30, -40, -20), (-30, 40, -20), (-30, 0, 60)], np.float32)  # behind the thing, beyond the frame
    thin = mesh(wide, np.array([(0, 1, 2)]), normals=np.tile([[1.0, 0, 0]], (3, 1)))
    scenes = staged(torch.tensor([0]), azimuth=0.0, elevation=0.0, floor=-2)
    assert layers(scenes, bank(thin), 32).mask.all()


def test_degenerate_triangles_draw_nothing():
    points = np.array(
        [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 0, 0.5), (0, 0, 0.5), (0, 0, 0.5), (0.3, 0.2, 0.9)], np.float32
    )
    faces = np.array([(0, 1, 2), (3, 4, 5), (0, 0, 6), (2, 2, 2)])
    broken = mesh(points, faces, normals=np.zeros((7, 3)))
    scenes = staged(torch.tensor([0]), floor=-2)
    assert not layers(scenes, bank(broken), 64).mask.any()
    assert out_of_frame(scenes, bank(broken), 64).tolist() == [True]
    assert render(scenes, bank(broken), 32).shape == (1, 3, 32, 32)


def test_back_faces_are_not_drawn():
    below = staged(torch.tensor([0]), elevation=-30.0, floor=-2)
    assert not layers(below, bank(quad((-1, -1), (1, 1), z=0.5)), 32).mask.any()


def test_the_nearer_thing_hides_the_farther_and_the_floor_hides_what_lies_below_it():
    meshes = bank(box(), torus())
    scenes = staged(torch.tensor([0]), azimuth=0.0, elevation=15.0)
    sunk = replace(scenes, things=replace(scenes.things, position=torch.tensor([[0.0, 0.0, -0.6]])))
    whole, part = layers(scenes, meshes, SIDE), layers(sunk, meshes, SIDE)
    assert 0 < part.mask.sum() < 0.6 * whole.mask.sum()
    ray = distances(scenes, SIDE)
    point = scenes.eye.double()[:, None, None] + ray * part.depth[..., None].double()
    assert point[part.mask][:, 2].min() > -1e-3


def test_looking_straight_down_works():
    scenes = staged(torch.tensor([0]), azimuth=0.0, elevation=90.0, target=(0.0, 0.0, 0.0), distance=4.0)
    found = layers(scenes, bank(box(1.0, 0.5, 0.2)), 64)
    rows, columns = found.mask[0].nonzero().T
    tall, wide = rows.max() - rows.min() + 1, columns.max() - columns.min() + 1
    assert abs(tall / wide - 2) < 0.1  # x runs down the picture, y to the right: as seen from azimuth 0
    assert torch.allclose(found.depth[0, 32, 32], torch.tensor(3.8), atol=1e-4)


def test_a_thing_outside_the_frame_is_counted():
    scenes = staged(torch.tensor([0, 0]), position=torch.tensor([[0.0, 0, 0], [0.0, 9, 0]]))
    assert out_of_frame(scenes, bank(box()), 32).tolist() == [False, True]
