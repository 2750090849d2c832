"""`unseen examine` from end to end: a factory, a function, a table of answers; killed and gone on; side by side."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import unseen
from small_study import command, surroundings
from unseen.engines.examining import ExamineOptions, examination, is_answers
from unseen.vocabulary.errors import UnseenError

pytest_plugins = ("studies_fixtures",)

FACTORY = """
import os, time
import torch
from torch import nn

LABELS = ["car", "mug", "chair"]


class Reddish(nn.Module):
    def __init__(self, slow=0.0, nan=False):
        super().__init__()
        torch.manual_seed(1)
        self.slow, self.nan, self.last = slow, nan, nn.Linear(12, 3)

    def forward(self, images):
        time.sleep(self.slow)
        made = self.last(nn.functional.adaptive_avg_pool2d(images, 2).flatten(1))
        return made * float("nan") if self.nan else made


def small(**how):
    return Reddish(**how)


def other():
    return Reddish()
"""
WORLD = ["--set", 'world.classes=["car","mug","chair"]', "--set", "world.instances=2", "--set", "world.side=16",
         "--set", "world.levels=3", "--set", "world.pair_levels=3", "--set", "world.backgrounds=3",
         "--set", "world.pair_backgrounds=2", "--set", "world.combinations=20"]  # fmt: skip
SETTINGS = {"world.classes": ["car", "mug", "chair"], "world.instances": 2, "world.side": 16, "world.levels": 3,
            "world.pair_levels": 3, "world.backgrounds": 3, "world.pair_backgrounds": 2,
            "world.combinations": 20}  # fmt: skip
IMAGES = ["--images", "120"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("examined_model", None)
    Path("examined_model.py").write_text(FACTORY)
    Path("labels.txt").write_text("car\nmug\nchair\n")


def test_a_model_by_its_factory_becomes_a_page_and_its_study_goes_on(say):
    words = ["examine", "examined_model:small", "--labels", "labels.txt", *IMAGES, *WORLD, "--device", "cpu"]
    said = say(*words)
    assert said.code == 0, said.out + said.err
    assert "canonical images" in said.out
    assert "usual preprocessing" in said.flat or "WRONG PREPROCESSING" in said.flat
    study = Path("runs/examine/examined_model-small")
    assert (study / "report" / "report.html").is_file()
    before = sorted(path.name for path in (study / "trials").iterdir())
    again = say(*words)
    assert "1 finished already" in again.out
    assert sorted(path.name for path in (study / "trials").iterdir()) == before
    assert "1 of 1 trial finished" in say("status", study).out
    numbers = say("results", study, "--format", "csv")
    assert numbers.out.startswith("x,series,set")
    table = say(*words, "--format", "md")
    assert table.code == 0
    assert table.out.startswith("| x | series | set |")  # the numbers alone: all else goes to stderr
    # the same images, asked of another program: its page has the first model beside it
    assert say("render", study / "recipe.toml", "--asked", "--out", "images", "--device", "cpu").code == 0
    asked = pl.read_parquet("images/manifest.parquet")
    pl.DataFrame({"key": asked["key"], "response": asked["category"]}).write_csv("other.csv")
    beside = say("examine", "other.csv", *IMAGES, *WORLD)
    assert beside.code == 0, beside.out + beside.err
    assert "other knows 100" in beside.out
    page = Path("runs/examine/other/report/report.html").read_text(encoding="utf-8")
    assert "Beside other models" in page
    assert "examined_model:small" in page


@pytest.mark.slow
def test_maps_that_are_asked_for_stand_on_the_page_of_a_model(say):
    words = ["examine", "examined_model:small", "--labels", "labels.txt", *IMAGES, *WORLD, "--device", "cpu"]
    maps = ["--set", 'explanations.methods=["gradient", "grad-cam", "edges"]', "--set", "explanations.images=2",
            "--set", "explanations.checked=2"]  # fmt: skip
    said = say(*words, *maps)
    assert said.code == 0, said.out + said.err
    page = Path("runs/examine/examined_model-small/report/report.html").read_text(encoding="utf-8")
    assert "What it looks at" in page
    assert "edges" in page


def test_a_function_from_python_is_examined_beside_a_table_of_answers():
    def bright(images):
        return images.float().mean((2, 3)).numpy()

    study = unseen.examine(
        bright, labels=["car", "mug", "chair"], images=120, settings=SETTINGS, device="cpu", out="runs/bright"
    )
    assert "bright knows" in study.answer()
    summary = study.summary()
    assert set(summary["measure"]) == {"accuracy", "gap"}
    responses = study.responses(keys=True)
    pl.DataFrame({"key": responses["key"], "response": responses["truth"]}).write_parquet("sure.parquet")
    study.add_answers("sure.parquet", "sure", kind="model")
    with pytest.raises(UnseenError, match="has other answers"):
        study.add_answers(pl.DataFrame({"key": responses["key"], "response": responses["response"]}), "sure")
    assert "sure knows 100" in study.answer()
    assert Path(study.report()).is_file()


@pytest.mark.slow
def test_a_killed_examination_goes_on_where_it_was(tmp_path, compiled):
    words = ["examine", "examined_model:small", "--labels", "labels.txt", *IMAGES, *WORLD, "--device", "cpu"]
    words += ["--no-feeding-check", "--argument", "slow=6.0"]
    environment = {**surroundings(compiled), "PYTHONPATH": str(tmp_path)}
    one = subprocess.Popen(command(*words), cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)  # fmt: skip
    kept = tmp_path / "cache" / "features"
    deadline = time.time() + 110
    while time.time() < deadline and one.poll() is None and not _written(kept):
        time.sleep(0.05)
    os.kill(one.pid, signal.SIGKILL)
    one.wait()
    before = _written(kept)
    assert before > 0
    done = subprocess.run(command(*words), cwd=tmp_path, env=environment, capture_output=True, text=True,
                          check=False, timeout=200)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    study = tmp_path / "runs/examine/examined_model-small"
    (trial,) = (study / "trials").iterdir()
    computed = json.loads((trial / "trial.json").read_text())["images"]["computed"]
    assert 0 <= computed < 120  # what was seen before the kill was not seen again


def _written(folder):
    """How much of the rows that are kept is on the disk: their keys come last."""
    return sum(path.stat().st_size for path in folder.rglob("rows.u64")) if folder.is_dir() else 0


def test_what_a_model_cannot_answer_is_said_before_anything_is_asked(say):
    said = say("examine", "examined_model:small", *IMAGES, *WORLD)
    assert said.code == 2
    assert "label" in said.err
    Path("strange.txt").write_text("alpha\nbeta\ngamma\n")
    said = say("examine", "examined_model:small", "--labels", "strange.txt", *IMAGES)
    assert said.code == 2
    assert "--map" in said.err
    said = say("examine", "examined_model:small", "--labels", "labels.txt", "--factors", "poze", *IMAGES, *WORLD)
    assert said.code in (1, 2)
    assert "poze" in said.err + said.out
    assert say("examine", "no-such-model").code == 2
    assert say("examine", "answers-that-are-not-here.csv").code == 2
    assert "must be KEY=VALUE" in say("examine", "x", "--preprocessing", "mean").err
    assert "possible: page" in say("examine", "x", "--format", "pdf").err


def test_a_model_that_answers_nan_is_a_failure_that_is_kept(say):
    words = ["examine", "examined_model:small", "--labels", "labels.txt", "--argument", "nan=true", *IMAGES, *WORLD]
    said = say(*words, "--no-feeding-check", "--device", "cpu")
    assert said.code == 1
    assert "NaN" in said.out + said.err
    assert "NaN" in say("status", "runs/examine/examined_model-small").out


def test_answers_with_strange_missing_or_doubled_images_are_told(say):
    recipe = examination(["x.csv"], ExamineOptions(images=120), settings=SETTINGS).study
    from unseen.studies.subjects import asked_rows

    rows = asked_rows(recipe).tolist()
    pl.DataFrame({"row": [*rows[:-5], rows[0]], "response": ["mug"] * (len(rows) - 4)}).write_csv("some.csv")
    said = say("examine", "some.csv", *IMAGES, *WORLD)
    assert said.code == 0, said.err
    assert "115 images" in " ".join(said.out.split())
    assert "5 of 120 images that are asked have no answer" in " ".join(said.out.split())
    pl.DataFrame({"key": ["nowhere"], "response": ["mug"]}).write_csv("strange.csv")
    assert "mean no image" in " ".join(say("examine", "strange.csv", *IMAGES, *WORLD).err.split())
    pl.DataFrame({"row": [rows[0]] * 2, "response": ["mug", "car"]}).write_csv("twice.csv")
    twice = ["examine", "twice.csv", *IMAGES, *WORLD]
    assert "--doubled first" in " ".join(say(*twice).err.split())
    last = say(*twice, "--doubled", "last", "--format", "csv")
    assert last.code == 0, last.err
    assert "the last is kept" in " ".join(last.err.split())
    pl.DataFrame({"row": rows[:2], "response": ["teacup", "car"]}).write_csv("words.csv")
    words = ["examine", "words.csv", *IMAGES, *WORLD, "--format", "csv"]
    assert "--map FILE.csv" in " ".join(say(*words).err.split())
    Path("meant.csv").write_text("label,category\nteacup,mug\nnobody says this,car\n")
    assert say(*words, "--map", "meant.csv").code == 0
    with pytest.raises(UnseenError, match="key of answers 'twice'"):
        unseen.examine("twice.csv", images=120, settings=SETTINGS, answers={"twice": "first"})


def test_a_folder_of_photos_is_examined_from_a_canonical_level_or_by_levels(tmp_path):
    from PIL import Image

    rng = np.random.default_rng(0)
    for kind in ("car", "mug"):
        for thing in range(4):
            for pose in (0, 90):
                place = tmp_path / "photos" / kind / f"{kind}{thing}_pose{pose}.png"
                place.parent.mkdir(parents=True, exist_ok=True)
                Image.fromarray(rng.integers(0, 255, (16, 16, 3), dtype=np.uint8)).save(place)
    found = examination(["x.csv"], ExamineOptions(folder=tmp_path / "photos", images=16))
    assert any("--canonical" in note for note in found.notes)
    split = found.study.split(found.study.points[0])
    assert list(split.sets) == ["asked"]
    pose = next(name for name in split.facts.by_level if "pose" in name or name not in ("category",))
    level = found.study.world(found.study.points[0]).samples.space[pose].levels[0]
    stands = examination(["x.csv"], ExamineOptions(folder=tmp_path / "photos", images=16, canonical={pose: level}))
    assert "canonical" in stands.study.split(stands.study.points[0]).sets


def test_several_models_are_one_study():
    found = examination(
        ["examined_model:small", "examined_model:other"],
        ExamineOptions(images=120, labels="labels.txt"),
        settings=SETTINGS,
    )
    named = [trial.recipe.network.name for trial in found.study.trials]
    assert named == ["examined_model:small", "examined_model:other"]
    assert found.study.path.name == "examined_model-small+examined_model-other"


def test_options_that_exclude_each_other_are_refused():
    for given in ({"world": "moon"}, {"folder": "a", "meshes": "b"}, {"images": 0}, {"world": "folder"}):
        with pytest.raises(UnseenError):
            ExamineOptions(**given)
    with pytest.raises(UnseenError, match="no model"):
        examination([], ExamineOptions())
    with pytest.raises(UnseenError, match="is no model"):
        examination([3], ExamineOptions())
    assert is_answers(Path("a.PARQUET"))


def test_the_old_name_of_the_audit_of_a_split_says_its_new_one(say):
    said = say("audit", "demo", "--set", 'grid."design.seen_per_level"=[3]')
    assert said.code == 0
    assert "audit-split" in said.err
    assert say("audit-split", "demo", "--set", 'grid."design.seen_per_level"=[3]').out == said.out


def test_another_program_answers_images_that_were_written_with_the_same_options(say, tmp_path):
    few = ["--images", "60", *WORLD, "--set", "world.instances=5"]
    said = say("examine", "--write", "images", *few, "--device", "cpu")
    assert said.code == 0, said.err
    assert "examine answers.csv" in " ".join(said.out.split())
    written = pl.read_parquet(tmp_path / "images" / "manifest.parquet")
    assert len(written) == 60
    written.select("key", response="category").write_csv("right.csv")
    said = say("examine", "right.csv", *few)
    assert said.code == 0, said.err
    assert "60 answers about 60 images" in " ".join(said.out.split())
    assert "right knows 100" in " ".join(said.out.split())
    other = say("examine", "right.csv", *few, "--set", "world.levels=5", "--out", "elsewhere")
    assert other.code == 2
    assert "--write images" in " ".join(other.err.split())
    assert "leave examined_model:small out" in " ".join(
        say("examine", "examined_model:small", "--write", "more").err.split()
    )


def test_fewer_images_are_of_the_same_world_as_the_shipped_recipe_draws():
    some = examination(["x.csv"], ExamineOptions(images=200), settings={"world.side": 16}).study
    every = examination(["x.csv"], ExamineOptions(), settings={"world.side": 16}).study
    assert some.world(some.points[0]).fingerprint == every.world(every.points[0]).fingerprint


@pytest.mark.slow
def test_what_closes_the_gaps_is_asked_of_its_features_and_shown_on_the_page(say, tmp_path):
    tiny = ["--set", "closing.world.instances=4", "--set", "closing.design.folds=2",
            "--set", "closing.world.levels=3", "--set", "closing.world.backgrounds=3"]  # fmt: skip
    grid = (
        'closing.grid=[{"design.fold"=[0,1],"design.regime"=["canonical"]},{"design.fold"=[0,1],'
        '"design.regime"=["samples"],"design.vary"=["pose"],"design.share"=[0.5]}]'
    )
    said = say(
        "examine", "examined_model:small", "--labels", "labels.txt", *IMAGES, *WORLD, "--no-feeding-check", "--device",
        "cpu", "--closing", *tiny, "--set", grid,
    )  # fmt: skip
    assert said.code == 0, said.err
    assert "A new last layer on the features of examined_model:small" in " ".join(said.out.split())
    page = (tmp_path / "runs/examine/examined_model-small/report/report.html").read_text(encoding="utf-8")
    assert "What it costs to close the gap" in page
    assert (tmp_path / "runs/examine/examined_model-small/closing.json").is_file()


def test_closing_needs_objects_that_can_be_shown_otherwise():
    from unseen.engines.closing import closing_study

    found = examination(
        ["examined_model:small"], ExamineOptions(images=120, world="objects", labels="labels.txt"),
        settings={"world.categories": ["car", "mug", "chair"], "world.side": 16},
    )  # fmt: skip
    with pytest.raises(UnseenError, match="leave --world"):
        closing_study(found.study, "examined_model:small")
