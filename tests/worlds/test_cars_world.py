"""The world of cars: rows, azimuths, streets."""

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest
import torch

from unseen.designs.combinations import hold_out_combinations
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.world import World
from unseen.worlds.cars.bodies import BODIES
from unseen.worlds.cars.fleet import CAR, OCCLUDER
from unseen.worlds.cars.panels import LAMP, MATERIALS
from unseen.worlds.cars.world import _check, cars
from unseen.worlds.rendering.renderer import layers
from unseen.worlds.rendering.scene import Things


@pytest.fixture(scope="module")
def small():
    return cars(models=["saloon", "van", "pickup"], instances=40, variants=2, side=48)


def alone(scenes):
    """The cars without their street."""
    own = scenes.things.label == CAR
    things = Things(**{f.name: getattr(scenes.things, f.name)[own] for f in fields(Things)})
    return replace(scenes, things=things)


def bearings(scenes) -> np.ndarray:
    """From where each car is seen, in degrees from its own front, by the geometry of its scene."""
    things = alone(scenes).things
    front = things.rotation[:, :, 0].double().numpy()
    away = (scenes.eye - things.position).double().numpy()
    angle = np.arctan2(away[:, 1], away[:, 0]) - np.arctan2(front[:, 1], front[:, 0])
    return np.degrees(angle) % 360


def test_the_default_is_five_models_by_five_azimuth_bins_of_18_degrees_as_in_the_paper():
    world = cars()
    assert isinstance(world, World)
    assert world.samples.space.names == ("model", "azimuth")
    assert world.samples.space["model"].levels == tuple(BODIES)[:5]
    assert world.samples.space["azimuth"].levels == ("0–18", "18–36", "36–54", "54–72", "72–90")
    assert world.samples.space["azimuth"].kind == "ordinal"
    assert world.samples.instances == 5 * 1200
    assert world.size == (128, 128)


def test_a_row_has_the_same_bits_in_any_batch(small):
    rows = np.array([3, 250, 7, 599, 111])
    together = small.images(rows)
    assert together.dtype == torch.uint8
    assert together.shape == (5, 3, 48, 48)
    single = torch.cat([small.images(rows[k : k + 1]) for k in range(5)])
    assert torch.equal(together, single)
    assert torch.equal(together.flip(0), small.images(rows[::-1].copy()))
    assert len({picture.numpy().tobytes() for picture in together}) == 5


def test_scenes_have_the_same_bits_in_any_batch(small):
    rows = np.arange(600)
    whole, part = small.scenes(rows), small.scenes(rows[100:137])
    for name in ("eye", "target", "fov", "light", "light_colour", "ambient", "floor", "floor_scale", "behind_picture"):
        assert torch.equal(getattr(whole, name)[100:137], getattr(part, name)), name
    cut = whole.part(100, 137).things
    for field in fields(Things):
        assert torch.equal(getattr(cut, field.name), getattr(part.things, field.name)), field.name
    assert torch.equal(whole.things.image, whole.things.image.sort().values)


def test_another_seed_shows_other_streets_and_another_draw_too_while_the_car_and_its_azimuth_stay(small):
    rows = np.arange(0, 600, 37)
    first, fresh = small.scenes(rows), small.scenes(rows, draw=1)
    assert not torch.equal(first.eye, fresh.eye)
    assert torch.equal(alone(first).things.mesh, alone(fresh).things.mesh)
    assert torch.equal(alone(first).things.tint, alone(fresh).things.tint)
    other = cars(models=["saloon", "van", "pickup"], instances=40, variants=2, side=48, seed=1)
    assert not torch.equal(first.eye, other.scenes(rows).eye)
    assert np.abs((bearings(first) - bearings(fresh) + 180) % 360 - 180).max() < 1e-3


def test_every_car_is_seen_from_the_azimuth_that_its_row_says_within_its_bin(small):
    rows = np.arange(600)
    azimuth = small.compose.azimuth(rows)
    level = small.samples.levels("azimuth", rows)
    assert ((azimuth >= 18 * level) & (azimuth < 18 * level + 18)).all()
    assert np.abs((bearings(small.scenes(rows)) - azimuth + 180) % 360 - 180).max() < 1e-3
    assert np.unique(azimuth).size > 590  # not the middles of the bins
    within = azimuth - 18 * level
    assert abs(within.mean() - 9) < 0.8


def test_head_lamps_face_the_camera_from_the_front_and_never_from_behind():
    around = cars(models=["saloon"], azimuths=12, span=360, instances=12, variants=1)
    assert around.samples.space["azimuth"].kind == "circular"
    car = around.furnished.meshes[0]
    lamps = np.abs(car.colours - np.array(MATERIALS[LAMP][0], np.float32)).max(1) < 1e-5
    lamps &= car.normals[:, 0] > 0.5  # they reach around the corner, too
    for level, faces_us in ((0, True), (11, True), (5, False), (6, False)):
        rows = around.samples.rows_at(np.arange(12), {"azimuth": level})
        scenes = around.scenes(rows)
        things = alone(scenes).things
        points = torch.einsum("bij,vj->bvi", things.rotation, torch.from_numpy(car.vertices[lamps]))
        normals = torch.einsum("bij,vj->bvi", things.rotation, torch.from_numpy(car.normals[lamps]))
        seen = ((scenes.eye[:, None] - points - things.position[:, None]) * normals).sum(-1) > 0
        assert (seen.float().mean(1) > 0.5).all() if faces_us else (seen.float().mean(1) < 0.2).all(), level


def test_the_street_is_the_same_whatever_the_azimuth_and_the_model_of_the_car_in_it(small):
    ids, b = torch.arange(200), 200
    tint, first, other = torch.ones(b, 3), torch.zeros(b, dtype=torch.int64), torch.full((b,), 2)
    scenery = small.compose.scenery
    front = scenery.scenes(ids, first, torch.zeros(b), tint, 0)
    side = scenery.scenes(ids, first, torch.full((b,), 90.0), tint, 0)
    van = scenery.scenes(ids, other, torch.zeros(b), tint, 0)
    for name in ("eye", "target", "fov", "light", "ambient", "floor", "floor_scale", "behind_picture"):
        assert torch.equal(getattr(front, name), getattr(side, name)), name
    around = front.things.label != CAR
    for another in (side, van):
        for field in fields(Things):
            mine, theirs = getattr(front.things, field.name), getattr(another.things, field.name)
            assert torch.equal(mine[around], theirs[around]), field.name
    assert not torch.equal(front.things.rotation[~around], side.things.rotation[~around])


def test_cars_stay_inside_the_frame_and_mostly_visible():
    world = cars(models=["saloon", "city-car", "limousine"], instances=40, variants=1, side=64)
    rows = np.arange(0, 600, 6)
    scenes = world.scenes(rows)
    whole, bare = layers(scenes, world.furnished, 64), layers(alone(scenes), world.furnished, 64)
    area = bare.mask.flatten(1).sum(1)
    assert area.min() > 0.02 * 64 * 64
    visible = whole.mask.flatten(1).sum(1) / area
    assert visible.min() > 0.4
    assert (visible >= 0.5).float().mean() > 0.98
    assert (visible < 0.97).float().mean() > 0.1  # there is occlusion
    edges = [bare.mask[:, 0], bare.mask[:, -1], bare.mask[:, :, 0], bare.mask[:, :, -1]]
    assert not torch.stack(edges).any()  # the sphere around a car fits the frame
    assert not world.out_of_frame(rows[:20]).any()


def test_without_clutter_nothing_stands_before_or_beside_the_car():
    plain = cars(models=["saloon"], instances=30, variants=1, clutter=False)
    busy = cars(models=["saloon"], instances=30, variants=1)
    labels = plain.scenes(np.arange(150)).things.label
    assert OCCLUDER not in labels
    assert (busy.scenes(np.arange(150)).things.label == OCCLUDER).any()
    assert len(labels) < len(busy.scenes(np.arange(150)).things.label)
    assert plain.fingerprint != busy.fingerprint


def test_zenith_is_where_it_is_asked_to_be():
    level = cars(models=["saloon"], instances=20, variants=1, zenith=[30, 30]).scenes(np.arange(100))
    along = (level.eye - level.target).double()
    rise = torch.rad2deg(torch.asin(along[:, 2] / along.norm(dim=1)))
    assert (rise - 30).abs().max() < 0.1


def test_an_instance_is_one_car_in_one_paint_at_every_azimuth(small):
    things = alone(small.scenes(small.samples.rows_at(np.full(5, 60), {"azimuth": np.arange(5)}))).things
    assert len(things.mesh.unique()) == 1
    assert len(things.tint.unique(dim=0)) == 1
    many = alone(small.scenes(small.samples.rows_at(np.arange(40), {"azimuth": 0}))).things
    assert len(many.mesh.unique()) == 2
    assert len(many.tint.unique(dim=0)) == 40


def test_other_models_can_be_withheld_and_asked_as_new_ones():
    world = cars(models=list(BODIES)[:6], instances=100)
    split = hold_out_combinations(world.samples, rows="model", columns="azimuth", seen_per_level=2, images=300, seed=0,
                                  withhold_rows=[list(BODIES)[5]], disjoint_by="instance")  # fmt: skip
    assert "new-rows" in {part.name if hasattr(part, "name") else part for part in split.sets}


def test_fine_grained_makes_every_car_a_category_of_its_own():
    world = cars(fine_grained=400)
    assert world.samples.space.shape == (400, 5)
    few = cars(fine_grained=6, instances=8, side=48)
    rows = few.samples.rows_at(np.arange(48), {"azimuth": 2})
    things = alone(few.scenes(rows)).things
    model = torch.from_numpy(few.samples.levels("model", rows))
    assert torch.equal(things.mesh, model)
    for k in range(6):
        assert len(things.tint[model == k].unique(dim=0)) == 1
    assert few.images(rows[:2]).shape == (2, 3, 48, 48)
    assert few.name == "cars-fine-grained"


def test_with_any_paint_only_the_form_tells_which_car_it_is():
    own, any_paint = (cars(fine_grained=6, instances=8, side=48, paint=paint) for paint in ("own", "any"))
    assert own.fingerprint == cars(fine_grained=6, instances=8, side=48).fingerprint != any_paint.fingerprint
    rows = any_paint.samples.rows_at(np.arange(48), {"azimuth": 2})
    one, other = (alone(world.scenes(rows)).things for world in (own, any_paint))
    assert torch.equal(one.mesh, other.mesh)
    assert len(other.tint.unique(dim=0)) == 48
    assert len(one.tint.unique(dim=0)) == 6


def test_the_fingerprint_follows_the_arguments_and_a_world_survives_pickling(small):
    same = cars(models=["saloon", "van", "pickup"], instances=40, variants=2, side=48)
    assert same.fingerprint == small.fingerprint
    others = [cars(), cars(seed=1), cars(side=64), cars(azimuths=4), cars(zenith=[0, 20]), cars(fine_grained=5)]
    assert len({world.fingerprint for world in [small, *others]}) == 7
    again = pickle.loads(pickle.dumps(small))
    assert torch.equal(again.images(np.array([17])), small.images(np.array([17])))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"models": ["salon"]}, "no car model 'salon'.*Did you mean 'saloon'"),
        ({"models": 0}, "`models` is a number from 1 to"),
        ({"models": 99}, "`models` is a number from 1 to"),
        ({"models": "saloon"}, "`models` is a number"),
        ({"models": []}, "names each car model once"),
        ({"models": ["van", "van"]}, "names each car model once"),
        ({"azimuths": 0}, "`azimuths` is a whole number from 1"),
        ({"instances": 0}, "`instances` is a whole number from 1"),
        ({"side": -1}, "`side` is a whole number from 1"),
        ({"fine_grained": 0}, "`fine_grained` is how many"),
        ({"fine_grained": 9, "models": 3}, "leave `models` out"),
        ({"fine_grained": 9, "paint": "red"}, '`paint` is "own" or "any"; \'red\' was given'),
        ({"paint": "any"}, "those of a model have any paint already"),
        ({"zenith": [50, 0]}, "`zenith` is a range within 0 to 89"),
        ({"scale": [0, 2]}, "`scale` is a range"),
        ({"span": 0}, "`span` is how many degrees"),
    ],
)
def test_wrong_arguments_are_explained_before_anything_is_made(wrong, says):
    with pytest.raises(UnseenError, match=says):
        cars(**wrong)


def test_wrong_types_from_a_recipe_are_explained_too():
    usual = {"given": {}, "zenith": [0, 50], "scale": [0.7, 1], "span": 90, "clutter": True, "seed": 0}
    wrong = {"given": {"side": 1.5}, "zenith": 30, "scale": ["a", 1], "span": "all", "clutter": "yes", "seed": 0.5}
    _check(**usual)
    for name, value in wrong.items():
        with pytest.raises(UnseenError, match="`side`" if name == "given" else f"`{name}`"):
            _check(**{**usual, name: value})
