"""Control D.1: accuracy in held-out cells beside their distance to the nearest seen viewpoint."""

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

from small_study import ran, study
from unseen.kinds.checks import check
from unseen.kinds.distances import cells_by_distance, distance_grid, distances


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    made = study(tmp_path_factory.mktemp("distance") / "study", recordings__layers="none")
    assert ran(made).finished == 2
    return made


def test_only_held_out_cells_have_a_distance_and_it_shrinks_with_diversity(finished):
    few, many = (distance_grid(finished, trial) for trial in finished.trials)
    for grid in (few, many):
        assert np.isfinite(grid).sum() == 9
    assert np.nansum(many) < np.nansum(few)
    assert np.nanmin(many) == np.nanmax(many) == 1  # with eight of nine positions seen, a neighbour always is


def test_every_held_out_cell_of_every_trial_has_its_accuracy_and_distance(finished):
    cells = cells_by_distance(finished)
    assert cells.height == 2 * 9 * 2  # trials × cells × targets
    for trial in finished.trials:
        name = finished.find(trial)
        table = pl.from_arrow(pq.read_table(finished.store.trials / name / "responses.parquet"))
        table = table.filter(pl.col("set").cast(str) == "unseen").cast(pl.String, strict=False)
        right = (table["truth"] == table["response"]).mean()
        mine = cells.filter(cells["trial"] == name)
        assert np.average(mine["accuracy"], weights=mine["n"]) == pytest.approx(right)


def test_splits_that_differ_in_their_seed_keep_their_own_distance(tmp_path):
    made = study(tmp_path, grid={"design.seed": [0, 1, 2]}, design__seen_per_level=2)
    rows = distances(made)
    assert [row["trial"] for row in rows] == [trial for trial, _ in check(made)]
    assert len({round(row["mean"], 6) for row in rows}) > 1


def test_lists_of_growing_diversity_make_one_curve(tmp_path):
    """Released lists are a grid over files; what they change is the number of combinations, so that is the x axis."""
    from unseen.kinds.combinations.axis import axis

    source = study(tmp_path / "source")
    values = []
    for number, trial in enumerate(source.trials):
        split, samples = source.split(trial), source.world(trial).samples
        paths = {}
        for name in ("train", "validation", "unseen"):
            path = tmp_path / f"{name}{number}.txt"
            path.write_text("\n".join(map(str, split.rows(samples, name))))
            paths[name] = str(path)
        values.append(paths)
    design = {"name": "from_lists", "columns": "position", "probe_per_cell": 1}
    made = study(tmp_path / "made", design=design, grid={"design.lists": values}, recordings__sets=["unseen"])
    column, _, curves = axis(made)
    assert (column, curves) == ("combinations", [])
