"""Verdicts of published pages that did not follow from their numbers, judged anew from the tables beside the pages."""

from pathlib import Path

import polars as pl
import pytest

from unseen.kinds.combinations.findings import CHOICE, ONE_CHOICE, SEED, findings
from unseen.kinds.exposure.contents import networks
from unseen.kinds.exposure.findings import exposure_findings
from unseen.kinds.exposure.numbers import ACROSS, MEDIAN, WITHIN
from unseen.kinds.exposure.repeats import together
from unseen.kinds.exposure.shown import Exposure
from unseen.worlds.transforms import TRANSFORMATIONS

RESULTS = Path(__file__).parents[2] / "docs" / "results"


def points_of(name):
    table = pl.read_parquet(RESULTS / name)
    columns = {"series": pl.col("sharing"), "x": pl.col("combinations").cast(float), "repeat": pl.col("seed")}
    accuracy = table.filter(pl.col("measure") == "accuracy").with_columns(**columns)
    return accuracy.select("trial", "repeat", "seed", "series", "x", "set", "target", "value")


def wider(points, **about):
    made = findings(points, pl.DataFrame(), pl.DataFrame(), "number of seen combinations", "category", **about)
    return next(f for f in made if f.name == "shared-wide against shared" and "on held-out" in f.statement)


def test_shared_wide_is_open_since_seeds_of_one_choice_of_cells_decide_nothing():
    found = wider(points_of("madan2022/mnist-position-architectures.parquet"), unit=SEED, one_choice=True)
    assert (found.n, found.over, found.holds, found.why) == (3, "seeds", None, ONE_CHOICE)
    assert found.low > 0, "the interval over seeds that the page judged by"


def test_shared_wide_would_be_open_too_were_its_seeds_choices_since_a_page_makes_many_comparisons():
    found = wider(points_of("madan2022/mnist-position-architectures.parquet"), unit=CHOICE)
    assert found.p == pytest.approx(0.03, abs=0.005)
    assert found.corrected > 0.05
    assert found.holds is None
    assert f"corrected for {found.comparisons} comparisons" in found.why


def exposed(name):
    """The findings of a stored table of exposures; transformations are its series."""
    table = pl.read_parquet(RESULTS / name)
    alone = {
        trial: levels[0] if len(levels) == 1 else ""
        for trial, levels in table.group_by("trial").agg(pl.col("level").drop_nulls().unique()).iter_rows()
    }
    level = pl.col("level").fill_null(pl.col("trial").replace_strict(alone))
    columns = {"x": pl.col("seen").cast(float), "repeat": pl.col("design.seed")}
    table = table.with_columns(level=level, **columns).with_columns(series=pl.col("level"))
    layer = table.filter(pl.col("measure") == MEDIAN)["layer"].unique(maintain_order=True)[-1]
    (category,) = set(table.filter(pl.col("measure") == "accuracy")["target"]) - {"geometric mean"}
    series = {one: ("", one, TRANSFORMATIONS[one].family) for one in table["level"].unique(maintain_order=True) if one}
    points = networks(table, category, layer)
    both = {asked: together(points, asked) for asked in (WITHIN, ACROSS)}
    return exposure_findings(table, Exposure(series, category, 300, layer, points, both))


@pytest.fixture(scope="module")
def cars():
    return {finding.name: finding for finding in exposed("zaidi2020/cars-standard-stem.parquet")}


def test_geometric_is_lowest_is_open_since_a_rival_found_in_the_data_needs_correction(cars):
    found = cars["geometric transformations are lowest"]
    assert found.value > 0, "colour is lower"
    assert (found.n, found.holds, found.why) == (3, None, "the interval includes zero")
    assert found.low < 0 < found.high


def test_invariance_goes_with_across_category_accuracy_no_more_where_the_number_seen_is_held_fixed(cars):
    found = cars["invariance goes with across-category accuracy"]
    assert found.holds is None
    assert found.value < 0.3
    assert "Within a transformation over all numbers seen ρ is 0.81" in found.statement
