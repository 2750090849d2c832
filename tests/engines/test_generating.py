"""A generator looked at: distances, nearest neighbours, a sheet, and the command."""

import csv

import numpy as np
import pytest
import torch
from scipy.linalg import sqrtm
from typer.testing import CliRunner

from unseen.cli.app import app
from unseen.engines.generating import judged, keep
from unseen.measures.generated import frechet_distance, nearest_learned, nearest_of
from unseen.vocabulary.errors import UnseenError
from unseen.worlds import make

DIGITS = {"name": "digits", "viewpoint": "none"}
QUICK = {"steps": 2, "batch": 8, "width": 4}


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.mark.parametrize("n", [7, 60], ids=["fewer than features", "more"])
def test_the_distance_is_that_of_the_square_root_of_matrices(n):
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(n, 12)), rng.normal(0.4, 2, size=(n + 3, 12))
    a, b = (np.cov(one.T) for one in (first, second))
    wanted = ((first.mean(0) - second.mean(0)) ** 2).sum() + np.trace(a + b - 2 * np.real(sqrtm(a @ b)))
    assert frechet_distance(first, second) == pytest.approx(wanted, rel=1e-4)
    assert frechet_distance(first, first) == pytest.approx(0, abs=1e-9)
    assert np.isnan(frechet_distance(first[:1], second))


def test_copies_of_what_was_learned_are_told_from_new_pictures():
    rng = np.random.default_rng(0)
    learned, real, new = (rng.normal(size=(200, 5)) for _ in range(3))
    copies = learned + rng.normal(0, 0.01, learned.shape)
    assert nearest_learned(copies, real, learned).share > 0.9
    assert nearest_learned(new, real, learned).share < 0.15
    assert (nearest_of(copies, learned)[0] == np.arange(200)).all()
    assert np.isnan(nearest_learned(new[:0], real, learned).share)


def test_a_generator_is_judged_beside_real_pictures_and_kept_as_files(tmp_path):
    world = make("generated", of=DIGITS, per_category=6, **QUICK)
    found = judged(world, images=50, model="", shown=4)
    assert found.row["pictures"] == 50
    assert found.row["distance"] > found.row["distance of real"]  # after two steps
    assert [*found.columns] == ["real", "generated", "nearest learned"]
    taught = world.inner.images(world.parted.learned)
    assert any(torch.equal(torch.from_numpy(found.columns["nearest learned"][0]), one) for one in taught)
    keep(found, tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {"sheet.png", "numbers.csv", "history.csv"}


def test_the_command_learns_judges_and_writes(tmp_path):
    settings = ["world.steps=2", "world.batch=8", "world.width=4", "world.of.instances=4", "world.of.side=16"]
    ask = ["generator", "isola2017/small", "--images", "10", "--features", "", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [*ask, *(part for one in settings for part in ("--set", one))])
    assert done.exit_code == 0, done.output
    assert "nearer to what was learned" in " ".join(done.output.split())
    with (tmp_path / "out" / "numbers.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert float(row["l1"]) > 0


def test_a_world_that_draws_nothing_by_itself_is_told():
    with pytest.raises(UnseenError, match="'generated' and 'translated' have generators"):
        judged(make("digits"))
