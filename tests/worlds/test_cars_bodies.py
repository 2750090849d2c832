"""Car models: closed, on their wheels, facing +x, in metres, and no two alike."""

import itertools

import numpy as np
import pytest
import torch
import trimesh

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.cars import street, surroundings
from unseen.worlds.cars.bodies import BODIES, body, car, varied
from unseen.worlds.cars.individuals import individual
from unseen.worlds.cars.panels import LAMP, MATERIALS, PAINT, TAIL
from unseen.worlds.cars.shell import shell, skin
from unseen.worlds.rendering.bank import Bank
from unseen.worlds.rendering.mesh import upright
from unseen.worlds.rendering.renderer import layers
from unseen.worlds.rendering.staging import staged


def rng(k: int = 0) -> np.random.Generator:
    return np.random.default_rng(k)


@pytest.fixture(scope="module")
def every() -> dict:
    return {name: body(name, rng(3)) for name in BODIES}


def of(mesh, material: int) -> np.ndarray:
    return np.abs(mesh.colours - np.array(MATERIALS[material][0], np.float32)).max(1) < 1e-5


def test_there_are_at_least_ten_models_each_within_its_budget_of_faces(every):
    assert len(every) >= 10
    assert all(800 <= len(one.faces) <= 2500 for one in every.values()), {n: len(m.faces) for n, m in every.items()}


@pytest.mark.parametrize("name", BODIES)
def test_the_shell_of_a_model_is_one_closed_surface_that_looks_outward(name):
    for k in range(3):
        panels = skin(shell(varied(BODIES[name], rng(k)))).welded()
        solid = trimesh.Trimesh(panels.points, panels.faces, process=False)
        assert solid.is_watertight
        assert solid.is_winding_consistent
        assert solid.volume > 1


def test_models_are_finite_stand_on_the_ground_and_have_the_size_of_cars(every):
    for name, one in every.items():
        assert np.isfinite(one.vertices).all()
        assert np.isfinite(one.normals).all()
        assert np.allclose(np.linalg.norm(one.normals, axis=1), 1, atol=1e-3)
        assert abs(one.vertices[:, 2].min()) < 1e-5
        long, wide, high = one.extents
        assert 2.5 < long < 7, name
        assert 1.5 < wide < 2.5, name
        assert 1 < high < 2.3, name
        assert abs(one.vertices[:, 1].min() + one.vertices[:, 1].max()) < 1e-3
    assert every["van"].extents[2] > 1.3 * every["saloon"].extents[2]
    assert every["limousine"].extents[0] > 2 * every["city-car"].extents[0]


def test_head_lamps_look_ahead_and_tail_lamps_back(every):
    for name, one in every.items():
        lamps, tails = of(one, LAMP), of(one, TAIL)
        assert lamps.any(), name
        assert one.vertices[lamps, 0].min() > 0.7, name
        assert one.normals[lamps, 0].max() > 0.7, name
        assert not tails.any() or one.vertices[tails, 0].max() < -0.7, name


def test_the_paint_is_on_the_body_and_not_on_glass_or_tyres(every):
    for one in every.values():
        assert (one.paint[of(one, PAINT)] == 1).all()
        assert set(np.unique(one.paint)) == {0.0, 1.0}
        assert 0.1 < one.paint.mean() < 0.9


def test_no_two_models_have_the_same_outline_from_any_azimuth_of_the_study(every):
    bank = Bank(tuple(every.values()))
    count, azimuths = len(every), (9.0, 45.0, 81.0)
    for azimuth in azimuths:
        seen = staged(torch.arange(count), azimuth=azimuth, elevation=12.0, distance=15.0, target=(0.0, 0.0, 0.8))
        masks = layers(seen, bank, 96).mask.flatten(1).numpy()
        for (a, one), (b, two) in itertools.combinations(zip(every, masks), 2):
            alike = (one & two).sum() / (one | two).sum()
            assert alike < 0.95, f"{a} and {b} at {azimuth}°"


def test_a_generator_gives_the_same_instance_and_another_one_a_different_car_of_the_same_model():
    one, again, other = body("saloon", rng(1)), body("saloon", rng(1)), body("saloon", rng(2))
    assert np.array_equal(one.vertices, again.vertices)
    assert one.vertices.shape != other.vertices.shape or not np.allclose(one.vertices, other.vertices)
    assert np.abs(one.extents / other.extents - 1).max() < 0.1


def test_a_car_for_the_table_of_objects_is_upright_and_of_unit_length():
    for k in range(4):
        one = car(rng(k))
        assert abs(one.extents.max() - 1) < 1e-5
        assert abs(one.vertices[:, 2].min()) < 1e-6
        assert np.array_equal(one.vertices, upright(one).vertices)


def test_an_unknown_model_is_named_with_what_is_possible():
    with pytest.raises(UnseenError, match=r"no car model 'salon'.*Did you mean 'saloon'"):
        body("salon", rng())


def test_individuals_are_sound_meshes_and_each_differs_from_all_others():
    several = [individual(rng(k)) for k in range(12)]
    assert all(np.isfinite(one.vertices).all() and 800 <= len(one.faces) <= 2800 for one in several)
    measures = np.array([[*one.extents, len(one.faces), one.colours.mean()] for one in several])
    apart = np.abs(measures[:, None] - measures[None]).max(-1) + np.eye(len(several))
    assert apart.min() > 1e-3


@pytest.mark.parametrize("maker", [*street.FURNITURE.values(), street.pedestrian, surroundings.tree, surroundings.hedge,
                                   surroundings.building, surroundings.pavement], ids=lambda m: m.__name__)  # fmt: skip
def test_things_of_the_street_stand_on_the_ground_and_cost_few_faces(maker):
    for k in range(3):
        one = maker(rng(k))
        assert abs(one.vertices[:, 2].min()) < 1e-4
        assert np.isfinite(one.vertices).all()
        assert np.allclose(np.linalg.norm(one.normals, axis=1), 1, atol=1e-3)
        assert len(one.faces) <= 500


def test_pedestrians_have_the_height_of_people():
    assert all(1.5 < street.pedestrian(rng(k)).extents[2] < 2.0 for k in range(8))


def test_roads_and_skies_are_pictures_that_differ():
    roads = [surroundings.road(kind, rng()) for kind in surroundings.ROADS]
    assert all(one.shape == (256, 256, 3) and one.dtype == np.uint8 for one in roads)
    assert all((a != b).any() for a, b in itertools.combinations(roads, 2))
    sky = surroundings.sky(rng())
    assert sky.shape == (256, 512, 3)
    assert np.abs(sky[:, 0].astype(int) - sky[:, -1]).mean() < 6  # it closes around the turn
