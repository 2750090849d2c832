"""Our transformations compute what torchvision's and kornia's do, so that the bench compares the same work."""

import importlib
from pathlib import Path

import pytest
import torch

from unseen.worlds.transforms import SETS, TRANSFORMATIONS

PLAIN = [name for name in SETS["zaidi2020"] if not TRANSFORMATIONS[name].chance]
ROUNDED = 0.001  # of 255: what float32 leaves
GREY = 0.0256  # kornia weighs red by .299, we by .2989 as TensorFlow does: .0001 of 255
TURNED = 0.02  # kornia turns by interpolating at computed places


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    return importlib.import_module("bench.transforms")


def pictures(side=64):
    generator = torch.Generator().manual_seed(3)
    return torch.randint(0, 256, (2, 3, side, side), dtype=torch.uint8, generator=generator)


@pytest.mark.parametrize("name", PLAIN)
def test_ours_are_torchvisions(bench, name):
    found = bench.differences(name, pictures(), {"torchvision": bench.torchvision()})
    assert found["torchvision"] < ROUNDED


@pytest.mark.parametrize("name", PLAIN)
def test_ours_are_kornias(bench, name):
    pytest.importorskip("kornia", exc_type=ImportError)
    most = {"grey-scale": GREY, "rotation-90": TURNED, "rotation-180": TURNED}.get(name, ROUNDED)
    found = bench.differences(name, pictures(), {"kornia": bench.kornia()})
    assert found["kornia"] < most


def test_a_rival_that_computes_something_else_shows(bench):
    rivals = {"torchvision": {"inversion": lambda images: images.float()}}
    assert bench.differences("inversion", pictures(), rivals)["torchvision"] == 255


def test_noise_is_not_compared_nor_a_picture_that_is_all_edge(bench):
    rivals = {"torchvision": bench.torchvision()}
    assert bench.differences("white-noise", pictures(), rivals) == {}
    assert bench.differences("blur", pictures(16), rivals) == {}
