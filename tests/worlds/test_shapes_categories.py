"""Categories made by rule: every instance stands as agreed, differs, and comes out the same whenever asked for."""

import inspect
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
import trimesh

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.collections import make_object
from unseen.worlds.rendering.mesh import face_normals
from unseen.worlds.shapes.categories import CATEGORIES

INSTANCES = range(2)


@cache
def made(name, instance):
    return make_object(name, instance)


def test_there_are_at_least_two_dozen_categories_each_with_a_text():
    assert len(CATEGORIES) >= 24
    for name, row in CATEGORIES.items():
        assert row.name == name
        assert row.text


def test_every_row_names_a_function_of_a_generator():
    for row in CATEGORIES.values():
        assert list(inspect.signature(row.make).parameters) == ["rng"], row.name


def test_the_table_is_listed_without_heavy_imports():
    code = "import sys, unseen.worlds.shapes.categories; print(*sorted({'torch', 'trimesh', 'PIL'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == []


@pytest.mark.parametrize("name", CATEGORIES)
def test_instances_are_finite_upright_and_of_moderate_size(name):
    for k in INSTANCES:
        one = made(name, k)
        for column in (one.vertices, one.normals, one.colours, one.paint, one.gloss):
            assert np.isfinite(column).all()
        assert one.extents.max() == pytest.approx(1, abs=1e-5)
        assert one.vertices[:, 2].min() == pytest.approx(0, abs=1e-6)
        middle = (one.vertices.min(0) + one.vertices.max(0))[:2] / 2
        np.testing.assert_allclose(middle, 0, atol=1e-5)
        assert 200 <= len(one.faces) <= 2800
        assert one.colours.min() >= 0
        assert one.colours.max() <= 1


@pytest.mark.parametrize("name", CATEGORIES)
def test_instances_have_several_colours_and_a_surface_that_takes_paint(name):
    for k in INSTANCES:
        one = made(name, k)
        assert len(np.unique(np.round(one.colours, 3), axis=0)) >= 2
        assert set(np.unique(one.paint)) <= {0, 1}
        share = float(one.paint[one.faces].mean(1) @ _areas(one) / _areas(one).sum())
        assert 0.02 < share < 1, f"{name} {k}: {share:.2f} of the surface takes paint"


@pytest.mark.parametrize("name", CATEGORIES)
def test_normals_are_unit_and_lie_on_the_outer_side_of_their_faces(name):
    for k in INSTANCES:
        one = made(name, k)
        np.testing.assert_allclose(np.linalg.norm(one.normals, axis=1), 1, atol=1e-4)
        flat = face_normals(one.vertices, one.faces)
        agree = np.einsum("fj,fkj->fk", flat, one.normals[one.faces]).min(1)
        assert (agree * _areas(one)).sum() > 0.9 * _areas(one).sum()
        assert _areas(one)[agree < 0].sum() < 0.005 * _areas(one).sum()


@pytest.mark.parametrize("name", CATEGORIES)
def test_the_parts_are_closed_turned_outward_and_hang_together(name):
    for k in INSTANCES:
        one = made(name, k)
        whole = trimesh.Trimesh(one.vertices, one.faces, process=False)
        whole.merge_vertices(merge_norm=True, merge_tex=True, digits_vertex=6)
        assert whole.volume > 0
        parts = whole.split(only_watertight=False)
        assert _unbalanced(one) < (0.02 if name == "car" else 1e-9), f"{name} {k} has holes"
        assert all(part.volume > -1e-6 for part in parts if part.is_watertight), f"{name} {k}: a part is inside out"
        boxes = np.stack([part.bounds for part in parts])
        assert _hang_together(boxes, 0.004), f"{name} {k}: a part floats"


@pytest.mark.parametrize("name", CATEGORIES)
def test_the_same_arguments_give_the_same_object_and_others_another(name):
    again = make_object(name, 1)
    for column in ("vertices", "faces", "normals", "colours", "paint", "gloss"):
        assert np.array_equal(getattr(made(name, 1), column), getattr(again, column))
    for other in (made(name, 0), make_object(name, 1, seed=1)):
        alike = other.vertices.shape == again.vertices.shape and np.abs(other.vertices - again.vertices).max() < 0.005
        assert not alike


def test_a_misspelt_category_is_answered_with_the_likely_one():
    with pytest.raises(UnseenError, match=r"no category 'tea pot'.*Did you mean 'teapot'\?"):
        make_object("tea pot", 0)


@pytest.mark.parametrize("instance", [-1, 1.5, True])
def test_an_instance_is_a_whole_number_from_zero_on(instance):
    with pytest.raises(UnseenError, match="whole number from 0"):
        inspect.unwrap(make_object)("mug", instance)


def _areas(one):
    a, b, c = (one.vertices[one.faces[:, k]].astype(float) for k in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2


def _unbalanced(one):
    """The share of edges that faces do not run along as often forth as back; parts may touch, holes may not be."""
    _, place = np.unique(one.vertices.round(6), axis=0, return_inverse=True)
    faces = place.reshape(-1)[one.faces]
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    _, which = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    return np.abs(np.bincount(which.reshape(-1), weights=np.sign(edges[:, 1] - edges[:, 0]))).sum() / len(edges)


def _hang_together(boxes, slack):
    """Whether boxes [n, 2, 3], each enlarged by ``slack``, form one chain of overlaps."""
    low, high = boxes[:, 0] - slack, boxes[:, 1] + slack
    touch = ((low[:, None] <= high[None]) & (low[None] <= high[:, None])).all(-1)
    reached = np.zeros(len(boxes), bool)
    reached[0] = True
    for _ in range(len(boxes)):
        reached = touch[reached].any(0)
    return bool(reached.all())
