"""Tables of released trials (docs/results/geirhos2019) once more, from the CSV files by csv and numpy alone.

    uv run pytest -m slow tests/test_released_trials.py

Only the rules are shared with `bench.people`: which conditions count, and how κ is averaged (modelvshuman/plotting).
"""

import csv
import importlib
import re
import sys
import tarfile
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import polars as pl
import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # bench is no part of the package
OUTSIDE = importlib.import_module("bench.people").OUTSIDE
DATA = ROOT.parent / "shared" / "data"
TABLES = ROOT / "docs" / "results" / "geirhos2019"
THEIRS = "style-transfer-512-nomask-experiment"
OWN_NAMES = {"cue-conflict", "edge", "silhouette", "sketch", "stylized"}  # sets whose last part alone names an image
ARCHIVES = {
    "mvh": "human_model_vs_human/raw-data_humans+9models_17datasets.tar.xz",
    "tvs": "texture_vs_shape/raw-data.tar.xz",
}
SOURCES = {
    "texture-vs-shape": f"tvs/raw-data/{THEIRS}",
    "texture-vs-shape, trained": f"tvs/raw-data/{THEIRS}-trained-CNNs",
    "model-vs-human": "mvh/raw-data/cue-conflict",
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not all((DATA / one).is_file() for one in ARCHIVES.values()), reason="the trials are not here"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("released")
    for name, file in ARCHIVES.items():
        with tarfile.open(DATA / file) as packed:
            packed.extractall(place / name, filter="data")
    return place


def trials(folder):
    for file in sorted(folder.glob("*.csv")):
        with file.open() as lines:
            yield from csv.DictReader(lines)


def cue(part):
    return re.sub(r"\d+$", "", part)


@pytest.mark.parametrize("source", SOURCES)
def test_every_count_behind_a_shape_bias_is_that_of_the_files(folder, source):
    counts = defaultdict(Counter)
    for row in trials(folder / SOURCES[source]):
        shape, texture = map(cue, Path(row["imagename"]).stem.rpartition("_")[2].split("-"))
        said, who = row["object_response"], "people" if row["subj"].startswith("subject") else row["subj"]
        kind = {shape: "shape", texture: "texture"}.get(said, "neither") if shape != texture else "agreeing"
        for category in ("", shape):
            counts[who, category][kind] += 1
    table = pl.read_parquet(TABLES / "biases.parquet").filter(pl.col("source") == source)
    assert {(row["subject"], row["category"]) for row in table.to_dicts()} == set(counts)
    for row in table.to_dicts():
        own = counts[row["subject"], row["category"]]
        assert {kind: row[kind] for kind in ("shape", "texture", "neither", "agreeing")} == {
            kind: own[kind] for kind in ("shape", "texture", "neither", "agreeing")
        }
        assert row["bias"] == pytest.approx(own["shape"] / max(1, own["shape"] + own["texture"]), abs=1e-12)


def kappa(one, other):
    same, first, second = (one == other).mean(), one.mean(), other.mean()
    chance = first * second + (1 - first) * (1 - second)
    return (same - chance) / (1 - chance) if chance < 1 else 0.0


@pytest.mark.parametrize("name", sorted(pl.read_parquet(TABLES / "datasets.parquet")["data set"].unique()))
def test_accuracy_and_error_consistency_are_those_of_the_files(folder, name):
    found, conditions = defaultdict(dict), {}
    for row in trials(folder / "mvh" / "raw-data" / name):
        parts = row["imagename"].split("_")
        image = parts[-1] if name in OWN_NAMES else "_".join(parts[-2:])
        key = row["condition"] if name in OUTSIDE else "", row["category"], image
        found[row["subj"]][key], conditions[key] = row["object_response"] == row["category"], key[0]
    images = sorted(conditions)
    right = {who: np.array([own.get(image, False) for image in images]) for who, own in found.items()}
    at = np.array([conditions[image] for image in images])
    counted = [at == one for one in sorted(set(at)) if one not in OUTSIDE.get(name, ())]
    inside, people = np.any(counted, axis=0), [who for who in right if who.startswith("subject")]
    table = pl.read_parquet(TABLES / "datasets.parquet").filter(pl.col("data set") == name)
    assert set(table["images"]) == {
        len(images)
    }  # those asked here, too: a name that is joined wrongly makes two of one
    table = table.filter(pl.col("kind") != "here")
    assert set(table["subject"]) == {"people", *right} - set(people)
    for row in table.to_dicts():
        who = people if row["subject"] == "people" else [row["subject"]]
        assert row["accuracy"] == pytest.approx(np.mean([right[one].mean() for one in who]), abs=1e-12)
        assert row["benchmark accuracy"] == pytest.approx(
            np.mean([right[one][inside].mean() for one in who]), abs=1e-12
        )
        pairs = [
            np.mean([kappa(right[one][here], right[person][here]) for one in who if one != person for here in counted])
            for person in people
        ]
        assert row["kappa"] == pytest.approx(np.mean(pairs), abs=1e-12)
