"""The stages of `bench.natural_variation`: every one names a recipe that ships, or a bench, with keys that exist."""

import importlib
import sys
import tarfile
import types
from pathlib import Path

import pytest

import unseen

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # bench is no part of the package
runs = importlib.import_module("bench.natural_variation")
STAGES = {stage.name: stage for stage in runs.stages("")}


def trials(stage, settings, tmp_path):
    return unseen.open_study(stage.recipe, out=tmp_path / "study", settings=list(settings)).inner.trials


@pytest.mark.parametrize("name", [name for name, stage in STAGES.items() if stage.recipe and name[-1] not in "12"])
def test_a_stage_is_a_study_of_three_repeats_or_more_and_its_toy_a_smaller_one(name, tmp_path):
    stage = STAGES[name]
    whole = trials(stage, stage.settings, tmp_path)
    tiny = trials(stage, (*stage.settings, *stage.toy), tmp_path / "toy")
    assert 0 < len(tiny) < len(whole)
    folds = {one.recipe.design.arguments["fold"] for one in whole}
    seeds = {one.recipe.pretraining.seed for one in whole}
    assert seeds == {0}
    assert len(folds) * (3 if name.endswith("-0") else 1) >= 3  # the other seeds are stages of their own


@pytest.mark.parametrize("name", [name for name, stage in STAGES.items() if stage.module])
def test_a_bench_is_there(name):
    assert (ROOT / f"{STAGES[name].module.replace('.', '/')}.py").is_file()


def test_a_stage_that_is_done_is_not_begun_again_and_one_that_fails_is_told(tmp_path, capsys, monkeypatch):
    words = ["--out", str(tmp_path / "out"), "--studies", str(tmp_path / "studies"), "--only", "probes", "features"]
    monkeypatch.setattr(
        runs,
        "command",
        lambda stage, args: [
            sys.executable,
            "-c",
            f"print('{stage.name}'); raise SystemExit({int(stage.name == 'features')})",
        ],
    )
    assert runs.main(words) == 3
    assert "left: features" in capsys.readouterr().out
    assert (tmp_path / "out" / "benches.jsonl").read_text().count("probes") >= 1
    assert runs.main(words) == 3
    assert "probes" not in capsys.readouterr().out


def test_nothing_begins_beside_a_bench_that_measures_nor_before_what_it_builds_on(tmp_path):
    args, log = types.SimpleNamespace(together=5), tmp_path / "log"
    log.write_text("")
    bench, first, tuned = STAGES["probes"], STAGES["pretraining-0"], STAGES["finetuned-0"]
    measuring = runs.Running(bench, None, log)
    assert runs.next_of([first], [measuring], args) is None
    log.write_text("  ours, together 3 s")  # from here on it waits for scikit-learn, and others may begin
    assert runs.next_of([tuned, first], [measuring], args) is first
    at_work = runs.Running(first, None, log)
    assert runs.next_of([bench], [at_work], args) is None
    assert runs.next_of([tuned], [at_work], args) is None
    assert runs.next_of([tuned], [], args) is tuned
    later = [STAGES["pretraining-1"], STAGES["classes"]]
    assert runs.next_of(later, [at_work], args) is None  # 3 of 5 processes are taken, and it comes first


def test_tables_of_all_stages_come_back_in_one_file(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.parquet").write_bytes(b"1")
    runs.together(sorted(tmp_path.glob("*.parquet")), tmp_path / "tables.tar")
    with tarfile.open(tmp_path / "tables.tar") as made:
        assert made.getnames() == ["a.parquet", "b.parquet"]
