"""Small meshes and scenes for the tests of the renderer."""

from dataclasses import fields

import numpy as np
import torch

from unseen.worlds.rendering.bank import Bank
from unseen.worlds.rendering.mesh import mesh
from unseen.worlds.rendering.scene import Scenes, Things


def sphere(radius=0.5, subdivisions=4, **looks):
    """An icosphere around (0, 0, radius), with the normals of the sphere."""
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions, radius=radius)
    points = np.asarray(ball.vertices)
    return mesh(points + (0, 0, radius), ball.faces, normals=points / radius, **looks)


def torus(**looks):
    import trimesh

    ring = trimesh.creation.torus(0.35, 0.15, major_sections=40, minor_sections=24)
    return mesh(np.asarray(ring.vertices) + (0, 0, 0.15), ring.faces, normals=ring.vertex_normals, **looks)


def box(x=1.0, y=1.0, z=1.0, **looks):
    """A box standing on the floor."""
    import trimesh

    block = trimesh.creation.box((x, y, z))
    return mesh(np.asarray(block.vertices) + (0, 0, z / 2), block.faces, **looks)


def quad(low, high, z=0.0, **looks):
    """A level rectangle that looks up, u along x and v along y."""
    (x0, y0), (x1, y1) = low, high
    corners = [(x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z)]
    up = np.tile([[0.0, 0.0, 1.0]], (4, 1))
    uv = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    return mesh(np.array(corners), np.array([(0, 1, 2), (0, 2, 3)]), normals=up, uv=uv, **looks)


def bank(*meshes, **more):
    return Bank(tuple(meshes), **more)


def joined_scenes(scenes):
    """Several scenes with one image each, in a row."""
    things = {f.name: torch.cat([getattr(s.things, f.name) for s in scenes]) for f in fields(Things)}
    things["image"] = torch.cat([s.things.image + n for n, s in enumerate(scenes)])
    own = {f.name: torch.cat([getattr(s, f.name) for s in scenes]) for f in fields(Scenes) if f.name != "things"}
    return Scenes(things=Things(**things), **own)


def distances(scenes, side):
    """Directions through the middle of each pixel [b, side, side, 3] whose length along the viewing axis is 1, written
    here without the renderer, in float64."""
    eye, target = scenes.eye.double(), scenes.target.double()
    forward = torch.nn.functional.normalize(target - eye, dim=-1)
    right = torch.nn.functional.normalize(torch.linalg.cross(forward, torch.tensor([[0.0, 0, 1]]).double()), dim=-1)
    up = torch.linalg.cross(right, forward)
    half = torch.tan(torch.deg2rad(scenes.fov.double()) / 2)[:, None, None, None]
    at = (torch.arange(side).double() + 0.5) / side * 2 - 1
    x, y = at[None, None, :, None] * half, -at[None, :, None, None] * half
    return forward[:, None, None] + x * right[:, None, None] + y * up[:, None, None]
