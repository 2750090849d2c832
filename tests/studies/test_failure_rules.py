"""Rules about failures of whole studies: packed networks, answers from elsewhere, bare tables, and their page."""

import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from test_weaknesses import TINY, answered, own_cache  # noqa: F401

import unseen
from unseen.kinds.failures.subject_rules import rules_of
from unseen.kinds.results import gather, page_of
from unseen.studies.store import Store
from unseen.vocabulary.errors import UnseenError

pytest_plugins = ("studies_fixtures",)

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


def asking(folder, instances=12):
    """A study that asks 36 objects, with what is changed of each."""
    tables = {**TINY, "world": {**TINY["world"], "instances": instances}, "design": {**TINY["design"], "images": 1200}}
    return unseen.open_study(tables, out=folder / "runs")


@pytest.fixture(scope="module")
def combinations(tmp_path_factory):
    """A packed study of networks that saw one or six combinations of each digit."""
    folder = tmp_path_factory.mktemp("packed") / "study"
    Store(folder).unpack(GOLDEN / "combinations.unseen", note=lambda text: None)
    return unseen.open_study(folder)


def test_networks_of_a_packed_study_fail_on_combinations_they_never_saw(combinations):
    """The same as by counting: what was never seen is wrong far more often, on objects that the rule was not found
    on."""
    ruled = {(one.name, one.target): one for one in rules_of(combinations.inner, compare=False)}
    one = ruled["54 seen combinations, shared", "category"]
    assert one.tells
    assert one.over == "objects"
    assert str(one.found.rules[0].rule) == "combination = never seen"
    every = combinations.responses().filter(
        pl.col("target").cast(str).eq("category") & pl.col("label").str.contains("seen_per_level 6 · shared")
    )
    wrong = pl.col("truth").cast(str) != pl.col("response").cast(str)
    counted = dict(every.group_by(pl.col("set").cast(str)).agg(wrong.mean()).iter_rows())
    found = one.found.rules[0].wrong
    assert found.low < counted["unseen"] < found.high
    assert one.found.otherwise.wrong.low < counted["seen"] < one.found.otherwise.wrong.high


def test_a_network_without_failures_has_no_rule_and_says_why(combinations):
    rows = combinations.rules().filter(pl.col("target") == "position")
    none = rows.filter(pl.col("rule") == "none")
    assert none.height
    assert "answers are right" in none["why"][0] or "fewest" in none["why"][0]
    assert not none["tells"].any()


def test_the_terminal_tells_rules_within_its_columns_and_writes_tables(combinations, say):
    told = say("results", combinations.path, "--rules")
    assert told.code == 0, told.err
    assert "IF combination = never seen THEN wrong" in told.out
    assert max(map(len, told.out.splitlines())) <= 80
    refused = say("results", combinations.path, "--rules", "--format", "parquet")
    assert refused.code
    assert "table, csv, json, markdown" in refused.err.replace("\n", " ")


def test_a_model_that_fails_on_small_and_on_turned_things_is_told_by_both(tmp_path):
    def right(row):
        return not (float(row["size"]) < 1 or float(row["pose"]) > 0)

    study = answered(asking(tmp_path), right, "clumsy")
    (one,) = rules_of(study.inner)
    assert one.tells
    assert sum(one.found.objects) == 36
    told = " ".join(str(rule.rule) for rule in one.found.rules)
    assert "pose ≥" in told or "pose from" in told
    assert "size ≤" in told
    page = page_of(study.inner, gather(study.inner))
    section = next(part for part in page.whole if part.name == "rules")
    table = next(block for block in section.blocks if hasattr(block, "rows"))
    assert table.rows[0][0].startswith("if ")
    assert table.rows[-1][0] == "otherwise"
    assert table.rows[-1][1].startswith("0")


def test_changed_images_of_too_few_objects_are_not_judged(tmp_path):
    study = answered(asking(tmp_path, instances=4), lambda row: float(row["size"]) >= 1)
    (one,) = rules_of(study.inner, compare=False)
    assert "12 objects, and 20 are the fewest" in one.found.why


def test_people_whose_mistakes_follow_nothing_have_no_rule(tmp_path):
    rng = np.random.default_rng(0)
    study = answered(asking(tmp_path), lambda row: rng.random() < 0.6, "anybody")
    (one,) = rules_of(study.inner, compare=False)
    assert not one.tells
    assert study.rules()["rule"].to_list() == ["none"] or not study.rules()["tells"].any()


def test_a_table_of_anything_is_taken_with_words_numbers_and_missing_answers(tmp_path):
    rng = np.random.default_rng(0)
    n = 1200
    light = rng.random(n)
    fails = rng.random(n) < np.where(light < 0.2, 0.9, 0.05)
    said = [None if bad and rng.random() < 0.5 else "cat" if bad else "dog" for bad in fails]
    frame = pl.DataFrame({"image": np.arange(n) // 3, "truth": ["dog"] * n, "response": said, "light": light,
                          "place": rng.choice(["street", "field"], n), "always": "here"})  # fmt: skip
    found = unseen.failure_rules(frame, objects="image")
    assert found["rule"][0].startswith("light ≤ 0.")
    assert found["wrong"][0] == pytest.approx(0.9, abs=0.08)
    assert found["tells"].all()
    frame.write_csv(tmp_path / "answers.csv")
    assert unseen.failure_rules(tmp_path / "answers.csv", objects="image").equals(found)
    named = unseen.failure_rules(frame.with_columns(bad=pl.Series(fails)), ["light"], objects="image", wrong="bad")
    assert named["rule"][0] == found["rule"][0]


def test_tables_that_cannot_be_read_as_answers_say_what_is_missing(tmp_path):
    frame = pl.DataFrame({"truth": ["a", "b"] * 50, "response": ["a"] * 100, "size": [1.0, 2.0] * 50})
    frame = frame.with_columns(who=pl.lit("x"))
    for words, how in (
        ("no column 'response'", {"table": frame.drop("response")}),
        ("Did you mean 'size'", {"factors": ["sise"]}),
        ("no column of the table is a factor", {"factors": ["who"]}),
        ("true or false", {"wrong": "size"}),
        ("lacks 50 of 100", {"table": frame.with_columns(size=pl.Series([1.0, float("nan")] * 50))}),
        ("'nowhere'", {"objects": "nowhere"}),
        ("is no file", {"table": tmp_path / "gone.csv"}),
        ("is no table", {"table": 7}),
    ):
        with pytest.raises(UnseenError, match=words):
            unseen.failure_rules(how.pop("table", frame), **how)


def test_a_study_that_answers_with_numbers_has_no_wrong_answers(tmp_path):
    Store(tmp_path / "study").unpack(GOLDEN / "regression.unseen", note=lambda text: None)
    with pytest.raises(UnseenError, match="answer with numbers"):
        unseen.open_study(tmp_path / "study").rules()
    shutil.rmtree(tmp_path / "study")
