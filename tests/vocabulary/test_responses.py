"""The table of answers: one row per asked image and target."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.responses import COLUMNS, responses_table
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.target import Target, targets_of

SPACE = FactorSpace(
    [Factor("category", ("car", "bus")), Factor("azimuth", (0, 90, 180), texts=("front", "side", "back"))]
)
SAMPLES = Samples(SPACE, (Block(2, {"category": np.array([1, 0])}, grid=("azimuth",)),))
TARGETS = targets_of(SPACE, ("category", "azimuth"))
ROWS = np.array([5, 0, 4])


def answers(samples=SAMPLES, targets=TARGETS, rows=ROWS, seed=0):
    rng = np.random.default_rng(seed)
    given = {
        target.name: (rng.integers(0, len(target.classes), len(rows)), rng.random(len(rows)).astype(np.float32))
        for target in targets
    }
    table = responses_table(samples, targets, subject="net", trial="t1", asked="unseen", rows=rows, answers=given)
    return table, given


def test_every_image_has_one_row_for_each_target_with_its_levels_beside():
    table, given = answers()
    assert table.column_names == [*COLUMNS, "category", "azimuth"]
    assert table.num_rows == 6
    assert table["sample"].to_pylist() == [5, 0, 4, 5, 0, 4]
    assert table["target"].to_pylist() == ["category"] * 3 + ["azimuth"] * 3
    assert table["truth"].to_pylist() == ["car", "bus", "car", "back", "front", "side"]
    words = [TARGETS[0].classes[n] for n in given["category"][0]] + [TARGETS[1].classes[n] for n in given["azimuth"][0]]
    assert table["response"].to_pylist() == words
    assert table["category"].to_pylist() == ["car", "bus", "car"] * 2
    assert table["azimuth"].to_pylist() == ["180", "0", "90"] * 2
    assert set(table["subject"].to_pylist() + table["set"].to_pylist()) == {"net", "unseen"}
    expected = np.concatenate([given["category"][1], given["azimuth"][1]])
    assert table["confidence"].to_numpy() == pytest.approx(expected, abs=5.1e-5)


def test_the_table_survives_parquet(tmp_path):
    table, _ = answers()
    pq.write_table(table, tmp_path / "responses.parquet")
    assert pq.read_table(tmp_path / "responses.parquet").to_pylist() == table.to_pylist()


def test_tables_of_several_sets_join():
    both = pa.concat_tables([answers()[0], answers(targets=TARGETS[:1])[0]], promote_options="permissive")
    assert both.num_rows == 9


def test_ten_thousand_answers_are_a_few_bytes_each(tmp_path):
    space = FactorSpace({"category": range(10), "position": range(9)})
    samples = Samples(space, (Block(2000, {"category": np.arange(2000) % 10}, grid=("position",)),))
    targets = targets_of(space, ("category", "position"))
    table, _ = answers(samples, targets, np.arange(0, 18000, 2))
    pq.write_table(table, tmp_path / "responses.parquet", compression="zstd")
    assert table.num_rows == 18_000
    assert (tmp_path / "responses.parquet").stat().st_size < 8 * table.num_rows


def test_no_rows_make_an_empty_table():
    assert answers(rows=np.zeros(0, dtype=np.int64))[0].num_rows == 0


def test_a_factor_named_like_a_column_keeps_its_levels():
    space = FactorSpace({"set": ("a", "b"), "category": ("x", "y")})
    samples = Samples(space, (Block(2, {"set": np.array([1, 0]), "category": np.array([0, 1])}),))
    table, _ = answers(samples, targets_of(space, ("category", "set")), np.array([0, 1]))
    assert table["set"].to_pylist() == ["unseen"] * 4
    assert table["factor_set"].to_pylist() == ["b", "a"] * 2


def test_classes_may_join_levels():
    wheels = Target("long?", "category", ("short", "long"), class_map=(0, 1))
    table, _ = answers(targets=(wheels,))
    assert table["truth"].to_pylist() == ["short", "long", "short"]
    assert table["target"].to_pylist() == ["long?"] * 3
