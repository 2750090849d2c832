"""What `unseen view` says of studies and trials."""

import shutil
import threading
import time

import numpy as np
import polars as pl
import pytest

from unseen.studies.beating import Beating
from unseen.studies.overview import overview
from unseen.studies.recorded import Event
from unseen.studies.store import Store
from unseen.viewer import answers
from unseen.viewer.asked import Asked
from unseen.viewer.shelf import Shelf
from unseen.vocabulary.locks import held_alone

pytest_plugins = ("viewed",)


def test_every_study_below_the_folder_is_listed_with_how_far_it_is(ask, studies):
    found = {one["name"]: one for one in ask("studies")["studies"]}
    assert set(found) == {"here/combinations", "here/regression", "here/domains", "unfinished"}
    for name, one in found.items():
        told = overview(studies / name)
        assert (one["trials"], one["finished"], one["failed"]) == (told.trials, told.finished, told.failed)
    assert (found["unfinished"]["finished"], found["unfinished"]["failed"]) == (10, 1)


def test_a_trial_that_failed_is_told_with_its_sentence_and_its_traceback(ask):
    rows = ask("study", study="unfinished")["trials"]
    states = [row["state"] for row in rows]
    assert (states.count("finished"), states.count("failed"), states.count("missing")) == (10, 1, 1)
    (failed,) = (row for row in rows if row["state"] == "failed")
    assert failed["error"] == "its network asks for 9 GB"
    assert failed["traceback"].startswith("Traceback")


def test_the_facts_of_a_trial_are_those_of_its_file(ask, studies):
    one = ask("trial", study="here/combinations", trial="0")
    facts = Store(studies / "here" / "combinations").read(one["identity"])
    losses = [
        row["value"] for row in one["curve"] if (row["phase"], row["of"], row["quantity"]) == ("train", "total", "loss")
    ]
    assert losses == [point["train loss total"] for point in facts["curve"]]
    assert one["kept"] == facts["best_epoch"] + 1
    assert one["sets"] == facts["sets"]
    assert ask("trial", study="here/combinations", trial=one["identity"])["place"] == 0
    assert "it has 12" in ask("trial", refused=404, study="here/combinations", trial="12")


def test_shares_of_right_answers_are_those_of_the_stored_answers(ask, studies):
    rows = ask("accuracies", study="here/combinations")["rows"]
    assert len(rows) == 12 * 2 * 2
    for row in rows:
        answers = pl.read_parquet(studies / "here/combinations/trials" / row["trial"] / "responses.parquet")
        answers = answers.with_columns(pl.col("truth", "response", "set", "target").cast(pl.String))
        some = answers.filter(set=row["set"], target=row["target"])
        assert row["value"] == pytest.approx((some["truth"] == some["response"]).mean())
        assert row["n"] == len(some)
        assert row["low"] <= row["value"] <= row["high"]
    assert ask("accuracies", study="here/regression")["rows"] == []  # a number is never quite right


def test_a_run_is_seen_while_it_goes_on(ask, studies, tmp_path):
    place = studies / "unfinished"
    assert ask("study", study="unfinished")["running"] == ""
    trial = next(one for one in ask("study", study="unfinished")["trials"] if one["state"] == "missing")
    curve = {"train loss total": 0.5, "validation loss total": 0.7}
    with held_alone(place / ".lock"), Beating(place, "cpu") as beating:
        beating.expect({"one": 6})
        beating(Event("started", trial["label"], "one"))
        beating(Event("epoch", trial["label"], "one", curve))
        beating.write()
        now = ask("study", study="unfinished")
        assert "process" in now["running"]
        assert "left" in now["left"]
        (worker,) = now["workers"]
        (doing,) = worker["doing"]
        assert (doing["label"], doing["epoch"], doing["epochs"]) == (trial["label"], 1, 6)
        assert [point["value"] for point in doing["curve"]] == [0.5, 0.7]
        assert now["trials"][trial["place"]]["state"] == "running"
        assert any(one["running"] for one in ask("studies")["studies"])
    assert ask("study", study="unfinished")["workers"] == []


def test_a_trial_that_comes_is_seen_without_starting_again(ask, studies):
    place = studies / "growing"
    shutil.copytree(studies / "unfinished", place)
    try:
        before = ask("study", study="growing")["counts"]["finished"]
        time.sleep(0.02)  # the clock of the file system has ticks
        store, whole = Store(place), studies / "here" / "combinations" / "trials"
        name = next(one.name for one in whole.iterdir() if not store.has(one.name))
        shutil.copytree(whole / name, place / "trials" / name)
        assert ask("study", study="growing")["counts"]["finished"] == before + 1
    finally:
        shutil.rmtree(place)


def test_a_damaged_trial_and_a_damaged_study_are_told_and_hide_nothing(ask, studies):
    place = studies / "damaged"
    shutil.copytree(studies / "here" / "combinations", place)
    try:
        name = Store(place).finished()[0]
        (place / "trials" / name / "trial.json").write_text("{")
        states = [row["state"] for row in ask("study", study="damaged")["trials"]]
        assert states.count("finished") == 11
        assert {"damaged", "missing"} & set(states)
        (place / "recipe.toml").write_text("title = ")
        (told,) = (one for one in ask("studies")["studies"] if one["name"] == "damaged")
        assert told["trouble"]
        assert ask("study", refused=400, study="damaged")
    finally:
        shutil.rmtree(place)


def test_answers_are_filtered_and_counted_as_polars_would(ask, studies):
    home = studies / "here" / "combinations"
    name = ask("study", study="here/combinations")["trials"][3]["identity"]
    answers = pl.read_parquet(home / "trials" / name / "responses.parquet")
    answers = answers.with_columns(pl.selectors.categorical().cast(pl.String))
    wanted = {"set": "unseen", "target": "category", "right": "no", "f.position": "2"}
    found = ask("answers", study="here/combinations", trial=name, order="surest", **wanted)
    expected = answers.filter(
        (pl.col("set") == "unseen") & (pl.col("target") == "category") & (pl.col("truth") != pl.col("response"))
        & (pl.col("position") == "2")
    )  # fmt: skip
    assert found["n"] == len(expected) > 0
    sure = [row["confidence"] for row in found["rows"]]
    assert sure == sorted(sure, reverse=True)
    assert sorted(row["sample"] for row in found["rows"]) == sorted(expected["sample"])
    assert found["accuracy"]["value"] == 0


def test_groups_hold_all_answers_and_some_of_each_are_sent(ask):
    found = ask("answers", study="here/combinations", by="category,position", each=3)
    assert sum(group["n"] for group in found["groups"]) <= found["n"]
    assert found["every group"] == 81
    names = [row["group"] for row in found["rows"]]
    assert max(names.count(one["group"]) for one in found["groups"]) == 3
    whole = ask("answers", study="here/combinations", by="confidence")
    assert sum(group["n"] for group in whole["groups"]) == whole["n"]
    assert "no column" in ask("answers", refused=400, study="here/combinations", by="colour")


def test_choices_are_what_was_answered(ask):
    found = ask("choices", study="here/combinations")
    assert found["sets"] == ["seen", "unseen"]
    assert found["factors"]["position"] == [str(level) for level in range(9)]
    assert len(found["truth"]["category"]) == 9
    assert ask("choices", study="here/regression")["number"] is True


def test_largest_errors_of_numbers_come_first(ask):
    found = ask("answers", study="here/regression", order="largest error", target="scale")
    errors = [abs(row["truth"] - row["response"]) for row in found["rows"]]
    assert errors == sorted(errors, reverse=True)
    assert found["accuracy"] is None
    assert np.isfinite(errors).all()


def test_who_filters_answers_does_not_wait_for_who_draws_images(studies):
    shelf = Shelf(studies)
    drawing, over = threading.Event(), threading.Event()

    def draw():
        with shelf["here/combinations"].lock:
            drawing.set()
            over.wait(60)

    thread = threading.Thread(target=draw)
    thread.start()
    try:
        assert drawing.wait(10)
        found = answers.page(shelf, Asked((("study", "here/combinations"), ("right", "no"))))
        assert found["n"] > 0
        assert thread.is_alive()
    finally:
        over.set()
        thread.join()
