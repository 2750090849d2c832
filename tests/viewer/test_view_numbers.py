"""The tidy table in `unseen view` is the study's own, and its means are the library's."""

import csv
import io

import numpy as np
import polars as pl
import pytest

import unseen
from unseen.measures.statistics import mean_interval

pytest_plugins = ("viewed",)


@pytest.fixture(scope="module")
def tidy(studies):
    return unseen.open_study(studies / "here" / "combinations").results()


def test_rows_are_those_of_the_tidy_table(ask, tidy):
    found = ask("numbers", study="here/combinations", most=2000)
    assert found["n"] == len(tidy)
    assert [row["value"] for row in found["rows"]] == pytest.approx(tidy["value"].to_list(), nan_ok=True)
    some = ask("numbers", study="here/combinations", **{"c.measure": "accuracy", "c.set": "unseen"})
    assert some["n"] == len(tidy.filter(measure="accuracy", set="unseen")) > 0


def test_means_have_students_interval_over_repeats_and_keep_measures_apart(ask, tidy):
    keys = {"measure": "accuracy", "set": "unseen", "target": "category"}
    found = ask("numbers", study="here/combinations", by="network.sharing", **{f"c.{k}": v for k, v in keys.items()})
    assert found["groups"] == 2
    for row in found["rows"]:
        values = tidy.filter(**keys).filter(pl.col("network.sharing") == row["network.sharing"])["value"].to_numpy()
        mean = mean_interval(values)
        assert (row["mean"], row["low"], row["high"]) == pytest.approx((mean.value, mean.low, mean.high))
        assert row["repeats"] == len(values)
    whole = ask("numbers", study="here/combinations", by="network.sharing", most=2000)
    assert {"measure", "set", "target", "layer"} <= set(whole["rows"][0])


def test_a_column_that_is_not_there_is_named_with_what_is(ask):
    assert "Did you mean 'network.sharing'?" in ask(
        "numbers", refused=400, study="here/combinations", by="network.shared"
    )
    assert "no column" in ask("numbers", refused=400, study="here/combinations", **{"c.colour": "red"})


def test_downloads_hold_all_that_was_chosen(client, tidy, studies):
    asked = {"study": "here/combinations", "c.measure": "accuracy"}
    told = client.get("/api/download", params={**asked, "form": "csv"})
    assert 'filename="combinations-numbers.csv"' in told.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(told.text)))
    assert len(rows) == len(tidy.filter(measure="accuracy"))
    told = client.get("/api/download", params={**asked, "form": "parquet"})
    assert pl.read_parquet(io.BytesIO(told.content)).equals(tidy.filter(measure="accuracy"), null_equal=True)


def test_all_answers_can_be_downloaded_however_many_a_page_shows(client, studies):
    files = sorted((studies / "here" / "combinations" / "trials").glob("*/responses.parquet"))
    wrong = 0
    for file in files:
        answers = pl.read_parquet(file).with_columns(pl.col("truth", "response").cast(pl.String))
        wrong += len(answers.filter(pl.col("truth") != pl.col("response")))
    for form in ("csv", "parquet"):
        asked = {"study": "here/combinations", "what": "answers", "right": "no", "form": form}
        told = client.get("/api/download", params=asked)
        read = pl.read_csv if form == "csv" else pl.read_parquet
        frame = read(io.BytesIO(told.content))
        assert len(frame) == wrong
        assert (frame["truth"].cast(pl.String) != frame["response"].cast(pl.String)).all()
        assert frame["trial"].n_unique() <= len(files)


def test_the_form_of_a_download_must_be_one_of_two(ask):
    assert "possible: csv, parquet" in ask("download", refused=400, study="here/combinations", form="xlsx")


def test_numbers_of_regression_are_shown_too(ask):
    found = ask("numbers", study="here/regression", by="design.mode")
    assert np.isfinite([row["mean"] for row in found["rows"]]).any()
