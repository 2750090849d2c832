"""A study opened from Python: by its folder, without running it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import unseen
from small_study import surroundings, tiny
from unseen.studies.overview import overview, studies_below
from unseen.studies.study import load_study
from unseen.vocabulary.errors import UnseenError

pytest_plugins = ("studies_fixtures",)


def test_run_takes_a_studys_folder_and_runs_only_what_is_missing(finished):
    before = {path: path.stat().st_mtime_ns for path in finished.glob("trials/*/trial.json")}
    table = unseen.run(finished, workers=1, device="cpu")
    assert table.filter(measure="accuracy", set="unseen", target="category").height == 4
    assert unseen.run(str(finished), workers=1, device="cpu").equals(table)
    assert {path: path.stat().st_mtime_ns for path in finished.glob("trials/*/trial.json")} == before


def test_a_study_is_opened_without_running_it(tmp_path):
    opened = unseen.open_study(tiny(), out=tmp_path / "new")
    assert repr(opened) == f"<study 'Tiny' in {tmp_path / 'new'}: 0 of 2 trials finished>"
    assert (opened.status().trials, opened.status().missing, opened.status().changed) == (2, 2, None)
    assert not (tmp_path / "new").exists()
    with pytest.raises(UnseenError, match="no finished trial yet"):
        opened.results()
    with pytest.raises(UnseenError, match="no finished trial yet"):
        opened.responses()


def test_an_opened_study_has_numbers_answers_trials_and_a_report(finished):
    opened = unseen.open_study(finished)
    assert opened.results().columns[:2] == ["trial", "seed"]
    assert opened.summary().filter(measure="accuracy")["n"].to_list() == [2] * 12
    answers = opened.responses()
    assert {"trial", "label", "seed", "set", "target", "truth", "response"} <= set(answers.columns)
    assert answers["trial"].n_unique() == 4
    assert opened.trials()["state"].to_list() == ["finished"] * 4
    now = opened.status()
    assert (now.finished, now.failed, now.running, now.bytes > 1000) == (4, 0, None, True)
    assert opened.report().name == "report.html"
    assert opened.run(workers=1, device="cpu").status().finished == 4


def test_a_failure_is_among_the_trials_of_an_opened_study(finished):
    study = load_study(finished)
    trial = study.trials[0]
    name = study.find(trial)
    (study.store.trials / name / "trial.json").unlink()
    study.store.fail(name, {"label": trial.label, "seed": trial.seed, "error": "the cables are crossed"})
    opened = unseen.open_study(finished)
    row = opened.trials().row(0, named=True)
    assert (row["state"], row["error"]) == ("failed", "the cables are crossed")
    assert (opened.status().finished, opened.status().failed) == (3, 1)
    assert "3 of 4 trials finished, 1 failed" in repr(opened)


def test_settings_change_an_opened_study_and_out_its_folder(finished, tmp_path):
    assert unseen.open_study(finished, settings=["seeds=[0]"]).status().others == 2
    moved = unseen.open_study(finished, out=tmp_path / "elsewhere")
    assert (moved.path, moved.recipe.title) == (tmp_path / "elsewhere", "Tiny")


def test_a_damaged_study_is_an_overview_with_its_trouble(finished):
    (finished / "recipe.toml").write_text("title = [")
    told = overview(finished)
    assert "recipe.toml" in told.trouble
    assert told.bytes > 1000


def test_studies_are_found_below_a_folder_and_folders_of_photos_are_not(finished, tmp_path):
    (tmp_path / "photos" / "car").mkdir(parents=True)
    (tmp_path / "photos" / "recipe.toml").write_text('title = "mine"')
    assert studies_below([tmp_path, finished]) == [finished]


def test_status_without_a_name_lists_the_studies_here(say, finished, tmp_path):
    deep = tmp_path / "runs" / "madan2022" / "mine"
    deep.parent.mkdir(parents=True)
    finished.rename(deep)
    said = say("status")
    assert said.code == 0
    assert "runs/madan2022/mine  4 of 4" in said.out
    assert "MB" in said.out
    assert max(map(len, said.out.splitlines())) <= 80
    (deep / "recipe.toml").write_text("title = [")
    assert "unreadable" in say("status").out


def test_status_without_a_name_tells_who_runs_a_study(say, finished, tmp_path):
    (tmp_path / "runs").mkdir()
    finished = finished.rename(tmp_path / "runs" / "mine")
    with load_study(finished).store.locked():
        said = say("status")
    assert "running" in said.out
    assert "runs/mine: run by process" in said.flat


def test_status_where_there_is_no_study_says_what_to_do(say):
    said = say("status")
    assert (said.code, "no study in 'runs'" in said.flat, "unseen demo" in said.flat) == (0, True, True)
    assert say("status", "--set", "seeds=[0]").code == 2


def test_reprs_are_short_whatever_an_object_holds(finished):
    inner = unseen.open_study(finished).inner
    trial = inner.trials[0]
    world, split = inner.world(trial), inner.split(trial)
    for thing in (inner, world, world.samples, *world.samples.blocks, split, split["train"]):
        assert len(repr(thing)) < 300
        assert "array" not in repr(thing)
    assert "category (9: 0, 1, 2, …)" in repr(world.samples)


def test_importing_unseen_imports_nothing_heavy(compiled):
    words = (
        "import sys, unseen; unseen.open_study; print(sorted({'torch', 'polars', 'numpy', 'rich'} & {*sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", words], env=surroundings(compiled), capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_the_guide_shows_what_an_opened_study_has(finished):
    guide = Path(__file__).resolve().parents[2] / "docs" / "guide" / "results-and-reports.md"
    section = guide.read_text(encoding="utf-8").partition("## From Python")[2].partition("\n## ")[0]
    opened = unseen.open_study(finished)
    shown = set(re.findall(r"\bstudy\.(\w+)", section))
    assert {"status", "results", "summary", "responses", "trials", "report", "run", "inner"} <= shown
    assert all(hasattr(opened, name) for name in shown)
    facts = re.findall(r"\.(\w+)", section.partition("study.status()")[2].partition("\n")[0])
    assert {"missing", "bytes"} <= set(facts)
    assert all(hasattr(opened.status(), name) for name in facts)
