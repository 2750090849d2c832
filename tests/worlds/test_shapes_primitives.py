"""The solids that objects are built from: closed, outward, with normals that agree, of the right size."""

import math

import numpy as np
import pytest
import trimesh

from unseen.worlds.rendering.mesh import face_normals
from unseen.worlds.shapes import primitives as solids

TURN = np.linspace(0, 2 * math.pi, 11)[:-1]
STAR = np.stack([np.cos(TURN), np.sin(TURN)], 1) * np.resize([1, 0.4], 10)[:, None]
SPIRAL = np.stack([np.cos(TURN), np.sin(TURN), TURN / 6], 1)
CUP = [(0, 0), (1, 0), (1.2, 1), (1.1, 1), (0.9, 0.1), (0, 0.1)]
RING = [(1, 0), (1.2, 0), (1.2, 1), (1, 1), (1, 0)]
SQUARE = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], float)

SOLIDS = {
    "box": lambda **look: solids.box((1, 2, 3), centre=(4, 5, 6), **look),
    "bevelled box": lambda **look: solids.box((1, 2, 3), bevel=0.2, **look),
    "rounded box": lambda **look: solids.rounded_box((1, 2, 3), 0.3, (1, 1, 1), **look),
    "sphere": lambda **look: solids.sphere(1.0, **look),
    "ellipsoid": lambda **look: solids.ellipsoid((1, 2, 0.5), (0, 0, 3), **look),
    "cylinder": lambda **look: solids.cylinder(1, 2, **look),
    "frustum": lambda **look: solids.cylinder(1, 2, base=(1, 0, 0), top_radius=0.5, segments=7, **look),
    "cone": lambda **look: solids.cone(1, 2, **look),
    "torus": lambda **look: solids.torus(1, 0.3, (5, 0, 0), "x", **look),
    "cup": lambda **look: solids.lathe(CUP, **look),
    "ring": lambda **look: solids.lathe(RING, smooth=False, **look),
    "star": lambda **look: solids.extrude(STAR, 0.5, **look),
    "star the other way round": lambda **look: solids.extrude(STAR[::-1], 0.5, axis="x", **look),
    "bevelled star": lambda **look: solids.extrude(STAR, 0.5, axis="y", bevel=0.05, **look),
    "spiral": lambda **look: solids.tube(SPIRAL, 0.15, **look),
    "spike": lambda **look: solids.tube([(0, 0, 0), (0, 0, 1)], [0.3, 0], **look),
    "capsule": lambda **look: solids.capsule((0, 0, 0), (1, 1, 1), 0.3, **look),
    "loft": lambda **look: solids.loft([SQUARE, SQUARE * 0.5 + (0, 0, 1), SQUARE * 0 + (0, 0, 2)], **look),
    "plate": lambda **look: solids.plate(SQUARE[::-1] + (0, 0, 7), 0.1, **look),
}


def as_trimesh(one):
    whole = trimesh.Trimesh(one.vertices, one.faces, process=False)
    whole.merge_vertices(merge_norm=True, merge_tex=True)
    return whole


@pytest.mark.parametrize("name", SOLIDS)
def test_every_edge_is_shared_by_two_faces_in_opposite_directions(name):
    one = SOLIDS[name]()
    _, place = np.unique(one.vertices, axis=0, return_inverse=True)
    faces = place.reshape(-1)[one.faces]
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    forth = {(int(a), int(b)) for a, b in edges}
    assert len(forth) == len(edges)
    assert forth == {(b, a) for a, b in forth}
    assert as_trimesh(one).is_watertight


@pytest.mark.parametrize("name", SOLIDS)
def test_faces_look_outward_and_normals_agree_with_them(name):
    one = SOLIDS[name]()
    assert as_trimesh(one).volume > 0
    np.testing.assert_allclose(np.linalg.norm(one.normals, axis=1), 1, atol=1e-5)
    flat = face_normals(one.vertices, one.faces)
    assert np.linalg.norm(flat, axis=1).min() > 0.99, "a face without area"
    assert np.einsum("fj,fkj->fk", flat, one.normals[one.faces]).min() > 0.6


@pytest.mark.parametrize("name", SOLIDS)
def test_every_solid_takes_colour_paint_and_gloss(name):
    one = SOLIDS[name](colour=(0.1, 0.2, 0.3), paint=1.0, gloss=0.7)
    np.testing.assert_allclose(one.colours, np.broadcast_to([0.1, 0.2, 0.3], one.colours.shape), atol=1e-6)
    assert (one.paint == 1).all()
    assert np.allclose(one.gloss, 0.7)


@pytest.mark.parametrize(
    ("one", "volume"),
    [
        (solids.box((1, 2, 3)), 6.0),
        (solids.cylinder(1, 2, segments=96), 2 * math.pi),
        (solids.cone(1, 3, segments=96), math.pi),
        (solids.sphere(2, segments=96), 32 / 3 * math.pi),
        (solids.ellipsoid((1, 2, 3), segments=96), 8 * math.pi),
        (solids.torus(2, 0.5, segments=96, sides=96), math.pi**2),
        (solids.lathe(RING, segments=96), math.pi * 0.44),
        (solids.extrude(STAR, 0.5), 10 * 0.5 * 0.4 * math.sin(math.pi / 5) * 0.5),
        (solids.capsule((0, 0, 0), (0, 3, 0), 1, segments=96), 13 / 3 * math.pi),
        (solids.tube([(0, 0, 0), (0, 0, 1), (0, 2, 1)], 0.2, segments=96), math.pi * 0.04 * 3),
        (solids.plate(SQUARE * 2, 0.1), 0.4),
    ],
)
def test_volumes_are_those_of_the_closed_forms(one, volume):
    assert as_trimesh(one).volume == pytest.approx(volume, rel=0.005)


def test_solids_of_trimesh_have_the_same_volume_and_area():
    pairs = [
        (solids.box((1, 2, 3)), trimesh.creation.box((1, 2, 3))),
        (solids.cylinder(0.5, 2, segments=32), trimesh.creation.cylinder(0.5, 2, sections=32)),
        (solids.torus(1, 0.25, segments=32, sides=32), trimesh.creation.torus(1, 0.25, 32, 32)),
    ]
    for ours, theirs in pairs:
        assert as_trimesh(ours).volume == pytest.approx(theirs.volume, rel=1e-4)
        assert as_trimesh(ours).area == pytest.approx(theirs.area, rel=1e-4)


def test_round_things_are_smooth_and_their_rims_are_sharp():
    ball = solids.sphere(1.0)
    assert np.einsum("ij,ij->i", ball.normals, ball.vertices).min() > 0.99
    drum = solids.cylinder(1, 1)
    rim = drum.vertices[:, 2] > 0.99
    assert set(np.round(drum.normals[rim][:, 2], 3)) == {0, 1}


def test_an_extrusion_lies_centred_along_its_axis():
    for axis, place in {"x": 0, "y": 1, "z": 2}.items():
        one = solids.extrude(STAR, 0.6, axis=axis)
        assert one.vertices[:, place].min() == pytest.approx(-0.3)
        assert one.vertices[:, place].max() == pytest.approx(0.3)


def test_a_turn_is_anticlockwise_seen_from_the_tip_of_its_axis():
    np.testing.assert_allclose(solids.turn("z", 90) @ [1, 0, 0], [0, 1, 0], atol=1e-12)
    np.testing.assert_allclose(solids.turn("x", 90) @ [0, 1, 0], [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(solids.turn("y", 90) @ [0, 0, 1], [1, 0, 0], atol=1e-12)
