"""Light from a sky map: where it is brightest stands the lamp, and a white floor is well exposed."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.objects import objects
from unseen.worlds.rendering.environment import EXPOSURE, environment_in, environment_of

MAPS = sorted((Path(__file__).resolve().parents[3] / "shared/data/hdri_cc0").glob("*.hdr"))


def sky_with_sun(row: int, column: int, height: int = 64) -> np.ndarray:
    light = np.full((height, 2 * height, 3), 0.3)
    light[row - 1 : row + 2, column - 1 : column + 2] += np.array([90.0, 80.0, 60.0])
    return light


def test_the_lamp_stands_where_the_sun_is_and_has_its_colour():
    found = environment_in(sky_with_sun(16, 32))  # 45 degrees up; a quarter of the width is +y
    assert np.allclose(found.direction, [0, np.sqrt(0.5), np.sqrt(0.5)], atol=0.05)
    colour = np.array(found.colour)
    assert np.allclose(colour / colour[0], [1, 80 / 90, 60 / 90], atol=0.02)


def test_a_white_floor_is_exposed_alike_under_every_sky():
    for light in (sky_with_sun(10, 50), np.ones((64, 128, 3)), 1000 * sky_with_sun(20, 90)):
        found = environment_in(light)
        ambient = np.array(found.ambient)
        floor = ambient[0] + ambient[2] + 2 * ambient[6] + np.array(found.colour) * found.direction[2]
        assert floor.mean() == pytest.approx(EXPOSURE, rel=1e-6)


def test_an_even_sky_has_no_lamp():
    assert np.allclose(environment_in(np.ones((64, 128, 3))).colour, 0, atol=1e-9)


@pytest.mark.skipif(not MAPS, reason="needs sky maps beside the repository")
def test_objects_under_real_skies_differ_by_their_light_and_the_file_is_in_the_fingerprint():
    worlds = [objects(["mug"], 1, pose=1, environment=str(path), side=32) for path in MAPS]
    pictures = [world.images(np.array([0])) for world in worlds]
    assert len({world.fingerprint for world in worlds}) == len(MAPS)
    assert all(not torch.equal(a, b) for a, b in pairwise(pictures))
    assert all(40 < picture.float().mean() < 235 for picture in pictures)
    assert environment_of(str(MAPS[0])).content == environment_of(str(MAPS[0])).content


@pytest.mark.parametrize("content", [b"", b"not a sky", b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 4 +X 8\n\x00"])
def test_what_is_no_sky_map_is_refused_when_the_world_is_opened(tmp_path, content):
    (tmp_path / "odd.hdr").write_bytes(content)
    with pytest.raises(UnseenError, match=r"odd\.hdr"):
        objects(["mug"], 1, environment=str(tmp_path / "odd.hdr"))
    with pytest.raises(UnseenError, match=r"none\.hdr"):
        objects(["mug"], 1, environment=str(tmp_path / "none.hdr"))
