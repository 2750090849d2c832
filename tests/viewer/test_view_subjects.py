"""Subjects whose answers were made elsewhere stand beside the trials in `unseen view`."""

import shutil

import polars as pl
import pytest

import unseen

pytest_plugins = ("viewed",)
STUDY = "heard"


@pytest.fixture(scope="module")
def heard(studies):
    """A study with the answers of three people: one always right, two who always say the same."""
    place = studies / STUDY
    shutil.copytree(studies / "here" / "combinations", place)
    opened = unseen.open_study(place)
    asked = opened.trial(2).responses(keys=True).with_columns(pl.selectors.categorical().cast(pl.String))
    asked = asked.filter(target="category").unique("key", maintain_order=True)
    people = [
        asked.select("key", response="truth").with_columns(participant=pl.lit("anna")),
        *(
            asked.select("key").with_columns(response=pl.lit("the digit 1"), participant=pl.lit(name))
            for name in ("ben", "cleo")
        ),
    ]
    opened.add_answers(pl.concat(people, how="diagonal"), "people", kind="people", target="category")
    yield opened
    shutil.rmtree(place)


def test_people_are_listed_after_the_trials_and_their_answers_filtered_as_any(ask, heard):
    everybody = ask("choices", study=STUDY)["answerers"]
    assert [one["kind"] for one in everybody].count("trial") == 12
    assert (everybody[-1]["label"], everybody[-1]["kind"]) == ("people", "people")
    name = everybody[-1]["name"]
    found = ask("answers", study=STUDY, trial=name, set="unseen", right="no", by="mistake")
    theirs = heard.responses().filter(pl.col("label") == "people")
    theirs = theirs.with_columns(pl.col("truth", "response", "set").cast(pl.String)).filter(set="unseen")
    assert found["n"] == len(theirs.filter(pl.col("truth") != pl.col("response"))) > 0
    assert {group["group"].split(" taken for ")[1] for group in found["groups"]} == {"the digit 1"}


def test_of_several_people_the_answer_that_most_gave_counts_in_a_pair(ask, heard):
    name = ask("choices", study=STUDY)["answerers"][-1]["name"]
    found = ask("pair", study=STUDY, first="2", second=name, set="unseen", target="category")
    assert {row["second"] for row in found["rows"]} == {"the digit 1"}  # two of three said so
    ones = [row for row in found["rows"] if row["truth"] == "the digit 1"]
    assert found["counts"]["both"] + found["counts"]["second"] == len(ones)


def test_an_image_tells_what_each_person_said(ask, heard):
    row = ask("pair", study=STUDY, first="2", second=ask("choices", study=STUDY)["answerers"][-1]["name"])["rows"][0]
    told = [
        one for one in ask("image", study=STUDY, row=row["sample"], answers=1)["answers"] if one["kind"] == "people"
    ]
    assert sorted(one["participant"] for one in told) == ["anna", "ben", "cleo"]
    assert sum(bool(one["right"]) for one in told) >= 1


def test_all_answers_of_people_and_networks_download_together(client, heard):
    asked = {"study": STUDY, "what": "answers", "target": "category", "set": "unseen"}
    told = client.get("/api/download", params=asked)
    assert told.status_code == 200, told.text
    frame = pl.read_csv(told.content)
    assert len(frame) == len(heard.responses().filter((pl.col("set") == "unseen") & (pl.col("target") == "category")))
    parquet = pl.read_parquet(client.get("/api/download", params={**asked, "form": "parquet"}).content)
    assert len(parquet) == len(frame)


def test_numbers_of_a_study_with_people_are_shown(ask, heard):
    assert ask("numbers", study=STUDY)["n"] == len(heard.results())
