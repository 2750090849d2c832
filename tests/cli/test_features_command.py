"""`unseen features` tells what features say untrained, writes them, and computes none of them twice."""

import numpy as np
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import load_file

from given_stubs import patches
from unseen.studies.given_models import hold

pytest_plugins = ("studies_fixtures",)
WORLD = ("--world", "digits", "--set", "world.viewpoint=position")


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))
    return patches()


def test_features_are_told_and_written_as_a_table_and_as_tensors(model, tmp_path, say):
    out, tensors = tmp_path / "features.parquet", tmp_path / "features.safetensors"
    told = say("features", hold(model), *WORLD, "--sample", 200, "--out", out, "--device", "cpu")
    assert told.code == 0, told.flat
    assert "200 images (200 computed now), 9 features each" in told.flat
    assert "right (n = 200; cosine, weights of DINO)" in told.flat
    assert "mean cosine of two images: of one instance" in told.flat
    again = say("features", hold(model), *WORLD, "--sample", 200, "--out", tensors, "--device", "cpu")
    assert "(0 computed now)" in again.flat
    assert model.body.seen == 200
    table, arrays = pq.read_table(out), load_file(tensors)
    assert table.column_names == ["key", "row", "category", "position", "features"]
    np.testing.assert_array_equal(np.array(table["features"].to_pylist(), np.float32), arrays["features"])
    np.testing.assert_array_equal(table["row"].to_numpy(), arrays["rows"])
    assert arrays["levels.position"].tolist() == [int(level) for level in table["position"].to_pylist()]


def test_another_ending_is_refused_before_anything_is_computed(model, tmp_path, say):
    told = say("features", hold(model), *WORLD, "--out", tmp_path / "features.npy")
    assert told.code == 2
    assert "features are written as .parquet, .safetensors" in told.flat
    assert model.body.seen == 0
