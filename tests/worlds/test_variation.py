"""How far circumstances range, by name: the first variation as it was, the natural one as hard as photos."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.natural_variation import natural_variation
from unseen.worlds.objects import objects
from unseen.worlds.rendering.renderer import layers
from unseen.worlds.rendering.scene import NO_FLOOR, SHADOWS
from unseen.worlds.tumbling import about, lowest
from unseen.worlds.variation import DISTANCE, FOV, FRAME, VARIATIONS

NATURAL = {"variation": "natural", "side": 48}


def boxes(world, rows) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest row and column of the object in each picture, as shares of the frame."""
    masks = layers(world.scenes(rows), world.furnished, world.side).mask.numpy()
    found = [(np.argwhere(mask).min(0), np.argwhere(mask).max(0) + 1) for mask in masks]
    return tuple(np.stack(part) / world.side for part in zip(*found))  # type: ignore[return-value]


def test_the_frame_is_as_high_as_the_camera_sees_at_the_object():
    assert pytest.approx(2 * DISTANCE * np.tan(np.deg2rad(FOV / 2)), rel=1e-6) == FRAME


@settings(max_examples=40, deadline=None)
@given(z=st.floats(-1, 1), way=st.floats(0, 360), angle=st.floats(-180, 180))
def test_a_turn_about_an_axis_is_a_rotation_that_keeps_the_axis(z: float, way: float, angle: float):
    turn = about(torch.tensor([z]), torch.tensor([way]), torch.tensor([angle]))[0].double()
    assert torch.allclose(turn @ turn.T, torch.eye(3, dtype=torch.float64), atol=1e-5)
    assert torch.linalg.det(turn).item() == pytest.approx(1, abs=1e-5)
    level = np.sqrt(1 - z * z)
    axis = torch.tensor([level * np.cos(np.deg2rad(way)), level * np.sin(np.deg2rad(way)), z], dtype=torch.float64)
    assert torch.allclose(turn @ axis, axis, atol=1e-5)
    assert ((turn.trace() - 1) / 2).item() == pytest.approx(np.cos(np.deg2rad(angle)), abs=1e-5)


def test_objects_tumble_about_axes_of_their_own_and_the_canonical_pose_is_the_usual_one():
    world = objects(["chair"], 6, pose=8, **NATURAL)
    turns = world.scenes(np.arange(48)).things.rotation.reshape(6, 8, 3, 3)
    canonical = objects(["chair"], 6, pose=8, side=48).scenes(np.arange(48)).things.rotation.reshape(6, 8, 3, 3)
    assert torch.allclose(turns[:, 4], canonical[:, 4], atol=1e-6)  # level 4 of 8 is 0 degrees
    quarter = turns[:, 6]
    assert len({tuple(np.round(one.flatten().numpy(), 3)) for one in quarter}) == 6
    assert (turns[..., 2, 2] < 0).any(), "some pose is upside down"
    upright = objects(["chair"], 6, pose=8, variation="natural-upright", side=48)
    assert torch.allclose(upright.scenes(np.arange(48)).things.rotation[..., 2, 2], torch.ones(48))


def test_on_a_ground_every_pose_touches_it_and_none_sinks_in():
    world = objects(["chair", "mug"], 3, pose=8, **NATURAL)
    scenes = world.scenes(np.arange(48))
    low = lowest(world.furnished.on("cpu"), scenes.things.mesh, scenes.things.rotation) * scenes.things.size
    assert torch.allclose(low + scenes.things.position[:, 2], torch.zeros(48), atol=1e-6)


def test_an_object_is_in_the_middle_of_the_frame_at_every_size_and_in_every_pose():
    for factor in ("pose", "size"):
        world = objects(["teapot", "chair"], 2, **{"pose": 1, factor: 7}, **NATURAL)
        low, high = boxes(world, np.arange(28))
        assert np.abs((low + high) / 2 - 0.5).max() < 0.2, factor


def test_sizes_are_shares_of_the_frame():
    world = objects(["bicycle"], 1, pose=1, size=12, **NATURAL)
    assert world.samples.space["size"].levels[0] == 0.25
    low, high = boxes(world, np.arange(6))
    spans = (high - low).max(1)
    assert (np.diff(spans) > 0).all()
    assert 0.12 < spans[0] < 0.3


@pytest.mark.parametrize("variation", ["natural", "natural-upright"])
def test_no_canonical_picture_cuts_its_object_and_each_takes_three_quarters_of_the_frame(variation: str):
    for collection, names in (
        ("first", ["bicycle", "fish"]),
        ("everyday", ["bus", "wine glass", "bed", "pan", "truck"]),
    ):
        world = objects(names, 4, pose=1, variation=variation, collection=collection, side=64)
        low, high = boxes(world, np.arange(4 * len(names)))
        assert low.min() > 0
        assert high.max() < 1
        reach = np.maximum(high - 0.5, 0.5 - low).max(1)
        assert reach == pytest.approx(0.375, abs=1.5 / 64)


def test_position_shifts_each_object_its_own_way_through_the_middle():
    world = objects(["teapot"], 8, pose=1, position=3, **NATURAL)
    low, high = boxes(world, np.arange(24))
    centre = ((low + high) / 2).reshape(8, 3, 2)
    moves = centre[:, 2] - centre[:, 1]
    assert np.ptp(np.arctan2(moves[:, 0], moves[:, 1])) > 2
    assert np.abs(centre[:, 0] + centre[:, 2] - 2 * centre[:, 1]).max() < 0.25


def test_shadows_fall_on_pictures_with_a_ground_and_on_no_other():
    world = objects(["chair"], 1, pose=1, backgrounds=5, **NATURAL)
    names = [str(level).split()[0] for level in world.samples.space["background"].levels]
    scenes = world.scenes(np.arange(5))
    assert dict(zip(names, scenes.floor.tolist())) == {
        "sky": NO_FLOOR, "water": NO_FLOOR, "city": SHADOWS, "home": SHADOWS, "grass": SHADOWS,
    }  # fmt: skip
    from dataclasses import replace

    from unseen.worlds.rendering.renderer import render

    bare = render(replace(scenes, floor=torch.full_like(scenes.floor, NO_FLOOR)), world.furnished, 48).int()
    darker = (render(scenes, world.furnished, 48).int() - bare).clamp(max=0).flatten(1).amin(1)
    assert [bool(d < -10) for d in darker] == [False, False, True, True, True]
    brighter = (render(scenes, world.furnished, 48).int() - bare).flatten(1).amax(1)
    assert (brighter <= 0).all()


def test_a_row_alone_has_the_bits_it_has_in_a_batch():
    world = objects(["chair", "dog"], 2, pose=4, backgrounds=3, drawn=["size", "position", "light"], **NATURAL)
    rows = np.arange(len(world.samples))
    together = world.images(rows)
    assert all(torch.equal(world.images(rows[n : n + 1])[0], together[n]) for n in (0, 7, 31))


def test_worlds_of_the_first_variation_keep_their_fingerprints_and_others_have_their_own():
    assert objects(["mug"], 2, side=16).fingerprint == "09192f57cb4e96565701bc778dc67313"
    prints = {make(v) for v in VARIATIONS for make in (_of_objects, _of_natural)}
    assert len(prints) == 2 * len(VARIATIONS)


def _of_objects(variation: str) -> str:
    return objects(["mug"], 2, variation=variation, side=16).fingerprint


def _of_natural(variation: str) -> str:
    return natural_variation(1, 1, variation=variation, side=16).fingerprint


def test_an_unknown_variation_is_refused_with_those_there_are():
    with pytest.raises(UnseenError, match=r"no variation 'natural-uprigt' in `variation`.*natural-upright"):
        objects(["mug"], variation="natural-uprigt")
