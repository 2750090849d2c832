"""The whole table of a study holds what a reader needs to recompute its page, and needs no polars to be written."""

import json
import subprocess
import sys

import exposure_example
import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from domain_example import by_hand, even, folder_of, study_of

from small_study import CALIBRATED, ran, surroundings
from unseen.engines import open_study
from unseen.kinds.collect import collect
from unseen.kinds.combinations.extra_rows import CELL
from unseen.kinds.distances import cells_by_distance
from unseen.kinds.domains.contents import read
from unseen.kinds.domains.numbers import domain_numbers
from unseen.kinds.results import gather
from unseen.kinds.whole_table import FLAG, TRIAL, whole_table, write_whole_table
from unseen.studies.recipe_files import recipe_toml
from unseen.studies.study import Study, load_study
from unseen.vocabulary.recipe import recipe_from

pytest_plugins = ("studies_fixtures",)


def frame_of(study):
    return pl.from_arrow(whole_table(study))


def test_tidy_numbers_are_all_there_with_what_tells_trials_apart(finished):
    opened = load_study(finished)
    tidy, whole = collect(opened), frame_of(opened)
    mine = whole.head(tidy.height)
    assert mine["measure"].to_list() == tidy["measure"].to_list()
    np.testing.assert_allclose(mine["value"].fill_null(-9), tidy["value"].fill_null(-9), rtol=1e-6)
    assert set(whole["design.seed"].drop_nulls()) == {0}
    assert set(whole["stem"].drop_nulls()) == {"small"}
    assert set(whole["precision"].drop_nulls()) == {"float32"}
    assert set(whole["epochs"].drop_nulls()) == {1}


def test_held_out_cells_have_the_distance_that_the_control_is_judged_by(finished):
    opened = load_study(finished)
    cells, whole = cells_by_distance(opened), frame_of(opened).filter(pl.col("measure") == CELL)
    assert whole.height == cells.height > 0
    assert whole["trial"].to_list() == cells["trial"].to_list()
    for theirs, mine in (("accuracy", "value"), ("distance", "distance"), ("n", "n")):
        assert whole[mine].to_list() == pytest.approx(cells[theirs].to_list(), rel=1e-6)
    each = whole.filter(pl.col("trial") == whole["trial"][0], pl.col("target") == "category")
    assert each.select("row", "column").n_unique() == each.height == 9


def test_flags_are_those_of_the_report_and_every_trial_says_how_many_it_has(finished):
    opened = load_study(finished)
    name = opened.store.finished()[0]
    path = opened.store.trials / name / "trial.json"
    facts = json.loads(path.read_text())
    path.write_text(json.dumps({**facts, "flags": {"unconverged": "its loss still fell"}}))
    opened = load_study(finished)
    whole = frame_of(opened)
    told = {(row["trial"], row["flag"], row["detail"]) for row in gather(opened).flags.to_dicts()}
    flags = whole.filter(pl.col("measure").str.starts_with(FLAG))
    assert {(r["trial"], r["measure"].removeprefix(FLAG), r["detail"]) for r in flags.to_dicts()} == told
    assert (name, "unconverged", "its loss still fell") in told
    counted = dict(whole.filter(pl.col("measure") == TRIAL).select("trial", "value").iter_rows())
    assert counted[name] == 1
    assert len(counted) == 4
    about = json.loads(whole.filter(pl.col("measure") == TRIAL, pl.col("trial") == name)["detail"][0])
    assert about["description"] == facts["description"]


def test_thresholds_unit_scores_and_what_is_odd_about_a_threshold_are_there(tmp_path):
    made = exposure_example.by_hand(Study(recipe_from(exposure_example.tables()), tmp_path))
    whole, tidy = frame_of(made), collect(made)
    quantiles = whole.filter(pl.col("measure") == "invariance (quantile over units)")
    assert set(quantiles["layer"]) == {exposure_example.LAYERS[-1]}
    assert quantiles["trial"].n_unique() == tidy["trial"].n_unique()
    steps = whole.filter(pl.col("measure") == "accuracy by τ, inactive units ablated")
    chosen = whole.filter(pl.col("measure") == "threshold τ", pl.col("layer") == exposure_example.LAYERS[-1])
    at = {(row["trial"], row["level"], round(row["at"], 5)): row["value"] for row in steps.to_dicts()}
    kept = whole.filter(pl.col("measure") == "accuracy, inactive units ablated")
    kept = {(row["trial"], row["level"], row["layer"]): row["value"] for row in kept.to_dicts()}
    assert chosen.height
    for row in chosen.to_dicts():
        told = at[row["trial"], row["level"], round(row["value"], 5)]
        assert told == kept[row["trial"], row["level"], row["layer"]]


def test_strengths_that_a_calibration_found_are_there_with_their_curve(tmp_path):
    made = open_study(CALIBRATED, out=tmp_path / "calibrated")
    ran(made)
    (record,) = [made.store.calibration(name) for name in made.calibrations]
    whole = frame_of(made).filter(pl.col("measure").str.starts_with("calibration: "))
    (chosen,) = whole.filter(pl.col("measure") == "calibration: strength").to_dicts()
    assert (chosen["level"], chosen["value"]) == ("blur", record["levels"]["blur"]["chosen"])
    curve = whole.filter(pl.col("measure") == "calibration: accuracy")
    assert curve["at"].to_list() == record["levels"]["blur"]["strengths"]
    assert curve["value"].to_list() == pytest.approx(record["levels"]["blur"]["accuracy"])


def test_domains_have_their_gap_on_the_images_that_both_networks_were_asked(tmp_path):
    made = by_hand(study_of(folder_of(tmp_path / "photos", even()), tmp_path / "study"))
    whole = frame_of(made).filter(pl.col("measure") == "domain: gap")
    found, _ = domain_numbers(read(made)[2])
    wanted = {(one.name, round(float(v), 5)) for one in found for v in one.gap if np.isfinite(v)}
    assert {(row["level"], round(row["value"], 5)) for row in whole.to_dicts()} == wanted


@pytest.mark.parametrize("kind", ["combinations", "exposure"])
def test_it_is_written_on_a_machine_without_polars(finished, compiled, tmp_path, kind):
    if kind == "exposure":
        finished = tmp_path / "exposure"
        opened = exposure_example.by_hand(open_study(exposure_example.tables(), out=finished))
        (finished / "recipe.toml").write_text(recipe_toml(opened.recipe), encoding="utf-8")
    words = (
        "import sys; sys.modules['polars'] = None\n"
        f"sys.argv = ['unseen', 'results', {str(finished)!r}, '--format', 'parquet', '--to', 'numbers.parquet']\n"
        "from unseen.cli import main; main()"
    )
    run = [sys.executable, "-c", words]
    done = subprocess.run(run, cwd=tmp_path, env=surroundings(compiled), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "rows in numbers.parquet" in done.stdout
    assert pq.read_table(tmp_path / "numbers.parquet").equals(whole_table(load_study(finished)))


def test_a_file_is_asked_for_and_another_kind_of_file_is_not_overwritten(say, finished, tmp_path):
    assert "say which, as in --to numbers.parquet" in say("results", finished, "--format", "parquet").flat
    assert "--to is for --format parquet" in say("results", finished, "--to", "numbers.csv").flat
    (tmp_path / "mine.txt").write_text("kept")
    said = say("results", finished, "--format", "parquet", "--to", "mine.txt")
    assert said.code == 2
    assert "is no Parquet file" in said.flat
    assert (tmp_path / "mine.txt").read_text() == "kept"


def test_it_is_small(finished, tmp_path):
    rows = write_whole_table(load_study(finished), tmp_path / "small.parquet")
    assert rows > 190
    assert (tmp_path / "small.parquet").stat().st_size < 40_000
