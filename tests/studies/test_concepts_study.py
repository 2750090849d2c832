"""A study of concept bottlenecks: refused where nothing could be read, and recorded with interventions."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import torch
from rich.console import Console

from unseen.kinds.checks import check
from unseen.kinds.results import findings_of, gather, page_of, show_summary, summary_of, tidy_of
from unseen.studies.concepts import readable
from unseen.studies.execute import execute
from unseen.studies.study import Study
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import recipe_from

TABLES: dict[str, Any] = {
    "title": "concepts",
    "kind": "concepts",
    "targets": ["category", "loop", "tall"],
    "seeds": [0],
    "world": {
        "name": "described",
        "of": {"name": "digits", "viewpoint": "position", "categories": [0, 1, 4, 6]},
        "concepts": {"loop": ["0", "6"], "tall": ["1", "6"]},
    },
    "design": {
        "name": "hold_out_combinations", "columns": "position", "seen_per_level": 6, "images": 240,
        "balance": "nearly_balanced", "validation_images": 24, "test_images": 48, "probe_per_cell": 1,
    },
    "network": {"backbone": "resnet18-w8", "stem": "small"},
    "training": {"epochs": 1, "batch": 24, "lr": 4e-3, "normalise": "half", "select": "last"},
    "recordings": {"layers": "none"},
    "grid": [{"targets": [["category"]]}, {"network.sharing": ["concepts"]}],
}  # fmt: skip


def study(tmp_path: Path, **changes: Any) -> Study:
    return Study(recipe_from({**TABLES, **changes}), tmp_path)


def test_concepts_are_asked_and_told_and_the_page_has_them(tmp_path):
    made = study(tmp_path)
    check(made)
    execute(made, made.trials, torch.device("cpu"), lambda event: None)
    frame: Any = tidy_of(made)
    told = frame.filter((pl.col("measure") == "accuracy with concepts told") & (pl.col("set") == "seen"))
    by = dict(zip(told["target"], told["value"]))
    own = frame.filter(
        (pl.col("measure") == "accuracy") & (pl.col("set") == "seen") & (pl.col("target") == "category")
        & (pl.col("sharing") == "concepts"))["value"][0]  # fmt: skip
    assert by["nothing"] == pytest.approx(own)
    assert set(by) == {"nothing", "loop", "tall", "any 1", "all"}
    assert "all concepts right" in set(frame["measure"])
    assert any("holds on unseen combinations" in one.name for one in findings_of(made))
    console = Console(width=80, record=True, file=io.StringIO())
    show_summary(made, console, summary_of(made))
    assert "class from concepts" in console.export_text()
    titles = [getattr(one, "title", "") for one in page_of(made, gather(made)).sections]
    assert "Told the truth about concepts" in titles


@pytest.mark.slow
def test_concepts_and_the_class_that_is_read_from_them_are_learned(tmp_path):
    """uv run pytest -n 0 -m slow tests/studies/test_concepts_study.py"""
    training = {**TABLES["training"], "epochs": 12}
    made = study(tmp_path, training=training, grid=[{"network.sharing": ["concepts"]}])
    execute(made, made.trials, torch.device("cpu"), lambda event: None)
    frame: Any = tidy_of(made)
    seen = frame.filter((pl.col("measure") == "accuracy") & (pl.col("set") == "seen"))
    by = dict(zip(seen["target"], seen["value"]))
    assert min(by["loop"], by["tall"], by["category"]) > 0.8
    told = frame.filter((pl.col("measure") == "accuracy with concepts told") & (pl.col("target") == "all"))
    assert (told["value"] == 1).all()  # four codes for four digits


def test_what_concepts_can_tell_is_counted(tmp_path):
    made = study(tmp_path, grid=[{"network.sharing": ["concepts"]}])
    assert readable(made, made.trials[0]) == pytest.approx((0.25, 1.0), abs=0.05)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"targets": ["category"], "grid": [{"network.sharing": ["concepts"]}]},
            "names none; name some of the world's",
        ),
        ({"targets": ["category", "wings"]}, "wings"),
        (
            {"network": {"backbone": "resnet18-w8", "stem": "small", "frozen": True}, "protocol": "probe"},
            "is learned with the whole",
        ),
        ({"grid": [{"network.sharing": ["shared"]}]}, "none does so here"),
        ({"grid": [{"targets": [["loop"]]}, {"network.sharing": ["concepts"]}]}, "compares networks by one class"),
    ],
)
def test_concepts_that_say_nothing_are_refused_before_training(tmp_path, changes, words):
    if changes.get("protocol"):
        changes = {**changes, "grid": [{"network.sharing": ["concepts"]}]}
    with pytest.raises(UnseenError, match=words):
        check(study(tmp_path, **changes))


def test_numbers_have_no_levels_that_a_class_could_be_read_from(tmp_path):
    changes = {"task": "regression", "kind": "", "grid": [{"network.sharing": ["concepts"]}]}
    with pytest.raises(UnseenError, match="answers with numbers"):
        check(study(tmp_path, **changes))


def test_concepts_that_tell_no_class_apart_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("unseen.studies.concepts.readable", lambda study, trial: (0.25, 0.25))
    with pytest.raises(UnseenError, match="'category' cannot be read from loop, tall"):
        check(study(tmp_path))
