"""3D Shapes and an MPI3D-like world drawn anew: official order of rows, and scenes that do what their factors say."""

import colorsys
import pickle

import numpy as np
import pytest
import torch

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.world import World
from unseen.worlds.rendering.renderer import layers
from unseen.worlds.toys.mpi3d import mpi3d
from unseen.worlds.toys.shapes3d import shapes3d

SHAPES, ARM = shapes3d(), mpi3d()
# As the releases' READMEs list them.
OFFICIAL = {
    "shapes3d": {"floor_hue": 10, "wall_hue": 10, "object_hue": 10, "scale": 8, "shape": 4, "orientation": 15},
    "mpi3d-like": {"object_color": 6, "object_shape": 6, "object_size": 2, "camera_height": 3, "background_color": 3,
                   "horizontal_axis": 40, "vertical_axis": 40},
}  # fmt: skip
MIDDLE = {
    "shapes3d": {"floor_hue": 1, "wall_hue": 5, "object_hue": 0, "scale": 4, "shape": 2, "orientation": 7},
    "mpi3d-like": {"object_color": 2, "object_shape": 5, "object_size": 1, "camera_height": 1, "background_color": 1,
                   "horizontal_axis": 8, "vertical_axis": 15},
}  # fmt: skip
both = pytest.mark.parametrize("world", [SHAPES, ARM], ids=lambda world: world.name)


def rows(world: World, **levels: int | list[int]) -> np.ndarray:
    """Rows around the middle of the grid, with some factors set, perhaps to several levels at once."""
    wanted = {**MIDDLE[world.name], **levels}
    grid = np.broadcast_arrays(*(np.atleast_1d(wanted[name]) for name in OFFICIAL[world.name]))
    return np.ravel_multi_index(tuple(grid), tuple(OFFICIAL[world.name].values()))


def masks(world, numbers: np.ndarray) -> np.ndarray:
    return layers(world.scenes(numbers), world.furnished, world.side).mask.numpy()


def middle(mask: np.ndarray) -> tuple[float, float]:
    y, x = np.nonzero(mask)
    return float(x.mean()), float(y.mean())


@both
def test_it_is_a_world_named_as_a_re_render(world):
    assert isinstance(world, World)
    assert "re-render" in world.provenance["source"]
    assert (world.size, world.channels, world.dtype) == ((64, 64), 3, "uint8")
    images = world.images(np.array([0, len(world.samples) - 1]))
    assert images.shape == (2, 3, 64, 64)
    assert images.dtype == torch.uint8


@both
def test_rows_are_in_the_official_order(world):
    space, official = world.samples.space, OFFICIAL[world.name]
    assert dict(zip(space.names, space.shape)) == official
    numbers = np.random.default_rng(0).integers(0, space.size, 300)
    assert np.array_equal(
        world.samples.cells(numbers), np.stack(np.unravel_index(numbers, tuple(official.values())), 1)
    )


def test_the_grids_have_their_published_sizes_and_levels():
    assert len(SHAPES.samples) == 480_000
    assert len(ARM.samples) == 1_036_800
    assert np.allclose(SHAPES.samples.space["scale"].places()[:, 0], np.linspace(0.75, 1.25, 8))
    assert np.allclose(SHAPES.samples.space["orientation"].places()[:, 0], np.linspace(-30, 30, 15))
    assert ARM.samples.space["object_color"].levels == ("white", "green", "red", "blue", "brown", "olive")
    assert ARM.samples.space["background_color"].levels == ("purple", "sea green", "salmon")


@both
def test_every_level_of_every_factor_shows_another_picture(world):
    for name, count in OFFICIAL[world.name].items():
        images = world.images(rows(world, **{name: list(range(count))}))
        assert len({image.numpy().tobytes() for image in images}) == count, name


@both
def test_a_picture_is_the_same_to_the_bit_in_any_batch(world):
    numbers = np.random.default_rng(1).integers(0, len(world.samples), 12)
    together = world.images(numbers)
    assert torch.equal(together, torch.cat([world.images(numbers[k : k + 1]) for k in range(12)]))
    assert torch.equal(together.flip(0), world.images(numbers[::-1].copy()))
    assert torch.equal(together, pickle.loads(pickle.dumps(world)).images(numbers, draw=5))


@both
def test_the_object_is_always_wholly_in_the_frame(world):
    """At the ends of every factor's range, where it comes nearest to the edge."""
    size = tuple(OFFICIAL[world.name].values())
    ends = {name: [0, count - 1] for name, count in OFFICIAL[world.name].items() if not name.endswith(("hue", "color"))}
    ends |= {"shape": [0, 1, 2, 3]} if world is SHAPES else {"camera_height": [0, 1, 2], "object_size": [1]}
    corners = np.stack(np.meshgrid(*(ends.get(name, [0]) for name in OFFICIAL[world.name])), -1).reshape(-1, len(size))
    found = masks(world, np.ravel_multi_index(tuple(corners.T), size))
    assert found.any((1, 2)).all()
    assert not found[:, [0, -1]].any()
    assert not found[:, :, [0, -1]].any()


def test_hues_colour_floor_wall_and_object_apart():
    for name, at in (("floor_hue", (60, 60)), ("wall_hue", (24, 8)), ("object_hue", (36, 31))):
        images = SHAPES.images(rows(SHAPES, **{name: list(range(10))})).float() / 255
        for hue, image in zip(SHAPES.samples.space[name].levels, images):
            shown = colorsys.rgb_to_hsv(*image[:, at[0], at[1]].tolist())
            assert abs((shown[0] - hue + 0.5) % 1 - 0.5) < 0.02
            assert shown[2] > 0.5


def test_the_sky_is_pale_blue_whatever_the_hues():
    top = SHAPES.images(rows(SHAPES, wall_hue=list(range(10)))).float()[:, :, :6] / 255
    assert torch.equal(top, top[:1].expand_as(top))
    red, green, blue = top[0].mean((1, 2)).tolist()
    assert red < green < blue


def test_colours_are_as_bright_as_the_official_ones():
    """Published means of the official pixels: 3D Shapes, and MPI3D's simple renders."""
    generator = np.random.default_rng(2)
    for world, published in ((SHAPES, (0.503, 0.579, 0.603)), (ARM, (0.227, 0.224, 0.227))):
        images = world.images(generator.integers(0, len(world.samples), 128))
        assert (images.float().mean((0, 2, 3)) / 255).tolist() == pytest.approx(published, abs=0.08)


@pytest.mark.parametrize("shape", range(4))
def test_a_solid_grows_with_scale(shape):
    area = masks(SHAPES, rows(SHAPES, shape=shape, scale=list(range(8)))).sum((1, 2))
    assert (np.diff(area) > 0).all()
    assert area[-1] / area[0] == pytest.approx((1.25 / 0.75) ** 2, rel=0.25)


def test_orientation_turns_the_room_about_the_object():
    numbers = rows(SHAPES, orientation=list(range(15)))
    centres = np.array([middle(mask) for mask in masks(SHAPES, numbers)])
    assert np.ptp(centres, axis=0).max() < 0.2  # a sphere in the middle stays
    line = SHAPES.images(numbers)[:, 2, 17].int()  # across the walls above the object: the corner is where they change
    corner = [int(np.argmax(np.abs(np.diff(one)))) for one in line.numpy()]
    assert (np.diff(corner) > 0).all()
    assert corner[7] == pytest.approx(31.5, abs=1)


def test_the_axes_move_the_object_across_and_up():
    across = [middle(mask)[0] for mask in masks(ARM, rows(ARM, horizontal_axis=list(range(40))))]
    up = [middle(mask)[1] for mask in masks(ARM, rows(ARM, vertical_axis=list(range(40)), horizontal_axis=0))]
    assert across[0] - across[-1] > 40
    assert (np.diff(across[4:-4]) < 0).all()  # at the ends it comes towards the camera rather than across
    assert (np.diff(up) < 0).all()


def test_a_large_object_is_larger_and_the_camera_looks_down_from_the_top():
    small, large = masks(ARM, rows(ARM, object_size=[0, 1])).sum((1, 2))
    assert large > 1.5 * small
    eyes = ARM.scenes(rows(ARM, camera_height=[0, 1, 2])).eye[:, 2]
    assert eyes[0] > eyes[1] > eyes[2] > 0


@pytest.mark.parametrize("name", ["object_color", "background_color"])
def test_colours_change_only_what_they_name(name):
    numbers = rows(ARM, **{name: list(range(OFFICIAL["mpi3d-like"][name]))})
    images, mask = ARM.images(numbers).numpy(), masks(ARM, numbers)[0]
    inner = mask[1:-1, 1:-1] & mask[:-2, 1:-1] & mask[2:, 1:-1] & mask[1:-1, :-2] & mask[1:-1, 2:]
    outer = ~(mask[1:-1, 1:-1] | mask[:-2, 1:-1] | mask[2:, 1:-1] | mask[1:-1, :-2] | mask[1:-1, 2:])
    changed = (images != images[:1]).any((0, 1))[1:-1, 1:-1]  # the rim of the object is mixed of both
    assert changed[inner].all() == (name == "object_color")
    assert changed[outer].any() == (name == "background_color")


@both
def test_another_side_is_another_world(world):
    make = shapes3d if world is SHAPES else mpi3d
    assert make(side=32).images(np.array([5])).shape == (1, 3, 32, 32)
    assert make(side=32).fingerprint != world.fingerprint == make().fingerprint
    with pytest.raises(UnseenError, match="edge of the pictures"):
        make(side=2)
    with pytest.raises(UnseenError, match="leave it out"):
        make("/nowhere", side=32)
