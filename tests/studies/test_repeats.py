"""What counts as a repeat of a study."""

import polars as pl
import pytest

from small_study import ran, study
from unseen.kinds.collect import finished_trials
from unseen.kinds.combinations.axis import labelled
from unseen.kinds.results import gather


def test_a_grid_over_the_designs_seed_repeats_the_study_with_other_held_out_cells(tmp_path):
    """Training seeds of one choice of cells share a split: they are averaged, and the choices are counted."""
    grid = {"design.seed": [0, 1, 2], "design.seen_per_level": [1, 8]}
    made = study(tmp_path, seeds=[0, 1], grid=grid, recordings__layers="none")
    assert ran(made).finished == 12
    contents = gather(made)
    right = contents.summary.filter((pl.col("measure") == "accuracy") & (pl.col("set") == "seen"))
    assert set(right["series"]) == {"shared"}
    assert set(right["n"]) == {3}
    tidy, _ = labelled(made, finished_trials(made))
    mine = tidy.filter(
        (pl.col("measure") == "accuracy") & (pl.col("set") == "seen") & (pl.col("target") == "category")
    ).filter(pl.col("x") == 72)
    by_hand = mine.group_by("design.seed").agg(pl.col("value").mean())["value"].mean()
    shown = right.filter((pl.col("target") == "category") & (pl.col("x") == 72))["value"].item()
    assert shown == pytest.approx(by_hand)
    assert {finding.n for finding in contents.findings if finding.name.startswith("diversity")} == {3}
