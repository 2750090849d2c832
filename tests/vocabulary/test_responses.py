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


NAMED = Samples(SPACE, (Block(2, {"category": np.array([1, 0])}, grid=("azimuth",), names=["bus/a.png", "car/b.png"]),))


def test_every_answer_names_the_image_it_is_about_where_images_have_names():
    table, _ = answers(NAMED)
    assert table["image"].to_pylist() == ["car/b.png", "bus/a.png", "car/b.png"] * 2
    assert pa.types.is_dictionary(table["image"].type)
    assert "image" not in answers()[0].column_names  # a generated world: `sample` is the key


def test_a_block_without_names_leaves_them_empty_beside_one_that_has_them():
    blocks = (Block(1, {"category": np.array([0])}, grid=("azimuth",)), *NAMED.blocks)
    table, _ = answers(Samples(SPACE, blocks), rows=np.array([8, 2, 3]))
    assert table["image"].to_pylist()[:3] == ["car/b.png", "", "bus/a.png"]


def test_a_factor_called_image_keeps_its_column():
    space = FactorSpace({"category": ("car", "bus"), "image": (0, 1)})
    stored = {"category": np.array([0, 1]), "image": np.array([1, 0])}
    samples = Samples(space, (Block(2, stored, names=["x.png", "y.png"]),))
    table, _ = answers(samples, targets_of(space, ("category",)), rows=np.array([0, 1]))
    assert table["image"].to_pylist() == ["1", "0"]
    assert table["image_name"].to_pylist() == ["x.png", "y.png"]


def test_names_of_images_are_stored_once_however_many_targets_ask(tmp_path):
    from unseen.studies.recorded import write_files

    n = 30_000
    rng = np.random.default_rng(0)
    names = [f"photos/{rng.integers(0, 10**9):09}/view_{i:06}.jpg" for i in range(n)]
    stored = {"category": np.arange(n) % 2}
    sizes = []
    for own in (None, names):
        samples = Samples(SPACE, (Block(n, stored, grid=("azimuth",), names=own),))
        table, _ = answers(samples, rows=np.arange(n) * 3)
        (folder := tmp_path / str(own is None)).mkdir()
        write_files({"responses": table}, {}, {}, folder)
        sizes.append((folder / "responses.parquet").stat().st_size)
    grown = (sizes[1] - sizes[0]) / n
    assert grown < 30, f"{grown:.1f} bytes for each image of 37 letters, 9 of them random, asked twice"
