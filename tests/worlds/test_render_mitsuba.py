"""Depth and normals against Mitsuba 3 (scalar_rgb) on the same meshes and cameras."""

import numpy as np
import pytest
import torch
from simple_scenes import bank, box, sphere, torus

from unseen.worlds.rendering.renderer import layers
from unseen.worlds.rendering.staging import staged

SIDE = 36


def traced(scenes, one, n, mi):
    """Depth along the viewing axis and the shading normal at the middle of pixels, by ray tracing."""
    things = scenes.things
    points = one.vertices @ (things.rotation[n].numpy().T * float(things.size[n])) + things.position[n].numpy()
    shape = mi.Mesh("thing", len(points), len(one.faces), has_vertex_normals=True)
    values = mi.traverse(shape)
    values["vertex_positions"] = points.astype(np.float32).ravel()
    values["vertex_normals"] = (one.normals @ things.rotation[n].numpy().T).astype(np.float32).ravel()
    values["faces"] = one.faces.astype(np.uint32).ravel()
    values.update()
    eye, target = scenes.eye[n].tolist(), scenes.target[n].tolist()
    camera = mi.load_dict(
        {
            "type": "perspective",
            "fov": float(scenes.fov[n]),
            "fov_axis": "y",
            "near_clip": 0.01,
            "to_world": mi.ScalarTransform4f().look_at(origin=eye, target=target, up=[0, 0, 1]),
            "film": {"type": "hdrfilm", "width": SIDE, "height": SIDE, "rfilter": {"type": "box"}},
        }
    )
    scene = mi.load_dict({"type": "scene", "thing": shape, "camera": camera})
    forward = np.array(target) - eye
    forward /= np.linalg.norm(forward)
    depth, normal = np.full((SIDE, SIDE), np.inf), np.zeros((SIDE, SIDE, 3))
    for row in range(SIDE):
        for column in range(SIDE):
            ray, _ = camera.sample_ray(0.0, 0.5, [(column + 0.5) / SIDE, (row + 0.5) / SIDE], [0.5, 0.5])
            met = scene.ray_intersect(ray)
            if met.is_valid():
                depth[row, column] = (np.array(met.p) - eye) @ forward
                normal[row, column] = np.array(met.sh_frame.n)
    return depth, normal


def test_depth_mask_and_normals_are_those_of_mitsuba():
    mi = pytest.importorskip("mitsuba")
    before = mi.variant()
    mi.set_variant("scalar_rgb")
    meshes = (torus(), sphere(0.4, 3), box(0.9, 0.5, 0.6))
    k = torch.arange(3)
    scenes = staged(
        k, azimuth=k * 70.0 + 20, elevation=k * 20.0 + 10, yaw=k * 33.0, pitch=k * 9.0, size=0.8 + 0.2 * k, floor=-2,
        position=torch.tensor([[0.1, 0.2, 0.1]]).repeat(3, 1), fov=35.0,
    )  # fmt: skip
    try:
        found = layers(scenes, bank(*meshes), SIDE)
        for n, one in enumerate(meshes):
            depth, normal = traced(scenes, one, n, mi)
            true, ours = np.isfinite(depth), found.mask[n].numpy()
            assert true.sum() > 80
            assert (true != ours).sum() <= 1  # a ray that grazes an edge may fall on either side
            both = true & ours
            assert np.abs(depth[both] - found.depth[n].numpy()[both]).max() < 1e-3
            cosine = (normal * found.normal[n].permute(1, 2, 0).numpy()).sum(-1)[both]
            assert np.quantile(cosine, 0.01) > 0.999
    finally:
        if before:
            mi.set_variant(before)
