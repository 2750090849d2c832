"""Another program answers rendered images; its answers stand beside a trained network's. The guide's page runs."""

import os
import re
import shlex
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import unseen
from small_study import command, ran, surroundings, tiny
from unseen.engines import open_study
from unseen.kinds.results import findings_of

pytest_plugins = ("studies_fixtures",)

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "guide" / "answers-from-elsewhere.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
SHARED = next((one / "shared" / "data" for one in ROOT.parents if (one / "shared" / "data").is_dir()), Path("nowhere"))

PROGRAM = """
import csv, sys
import numpy as np, pyarrow.parquet as pq
from PIL import Image

rows = pq.read_table("stimuli/manifest.parquet").to_pylist()
with open("answers.csv", "w", newline="") as out:
    writer = csv.writer(out)
    writer.writerow(["sample_key", "answer", "confidence"])
    for row in rows:
        image = np.asarray(Image.open("stimuli/" + row["path"]))
        assert image.max() > 0  # it looks at the picture; what it answers is known to the test
        writer.writerow([row["key"], row["category"] if row["row"] % 4 else (row["category"] + 1) % 9, 0.5])
"""


def test_answers_of_another_program_stand_beside_a_trained_network(tmp_path, monkeypatch, say):
    monkeypatch.chdir(tmp_path)
    tables = tiny(design__seen_per_level=8, grid={}, recordings={"layers": "none"})
    study = open_study(tables, out=tmp_path / "runs")
    ran(study)
    before, verdicts = study.store.finished(), [(one.name, one.n) for one in findings_of(study)]
    said = say("render", "runs/recipe.toml", "--asked", "--out", "stimuli", "--device", "cpu")
    assert said.code == 0, said.out
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)
    said = say("answers", "add", "runs", "answers.csv", "--subject", "another program")
    assert said.code == 0, said.out
    assert "joined by key" in said.out
    opened = unseen.open_study(tmp_path / "runs")
    rows = pl.read_parquet("stimuli/manifest.parquet")["row"].to_numpy()
    summary = opened.summary().filter(series="another program")
    for asked in ("seen", "unseen"):
        mine = np.intersect1d(rows, opened.split(0).rows(asked))
        (found,) = summary.filter(set=asked).to_dicts()
        assert found["value"] == pytest.approx(np.mean(mine % 4 != 0))
        assert found["asked"] == len(mine)
    responses = opened.responses(keys=True)
    assert set(responses["subject"].cast(str)) == {"seed 0", "another program"}
    both = responses.filter(target="category").group_by("key").len()
    assert set(both["len"]) == {2}  # every image that was rendered was asked of both
    assert [(one.name, one.n) for one in findings_of(study)] == verdicts  # no repeat of the networks
    assert study.store.finished() == before
    said = say("results", "runs")
    assert "another program" in said.out
    assert "accuracy of subjects" in said.out
    said = say("status", "runs")
    assert "answers from elsewhere: another program (model)" in said.out
    page = (opened.report(), (tmp_path / "runs/report/report.html").read_text(encoding="utf-8"))[1]
    assert "Who is right how often" in page
    assert "Accuracy in each cell" in page
    assert (tmp_path / "runs/report/figures/subjects.svg").is_file()
    said = say("results", "runs", "--format", "parquet", "--to", "whole.parquet")
    assert "another program" in pl.read_parquet("whole.parquet")["subject"].to_list()


@pytest.mark.slow
def test_the_page_of_the_guide_runs_from_top_to_bottom(tmp_path, compiled):
    around = {**surroundings(compiled), "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    (recipe,), (program, notebook) = ([body for kind, body in BLOCKS if kind == one] for one in ("toml", "python"))
    (tmp_path / "ask.toml").write_text(recipe)
    (tmp_path / "answering.py").write_text(program)
    lines = [line for kind, body in BLOCKS if kind == "bash" for line in body.splitlines()]
    for line in lines:
        words = shlex.split(line)
        run = command(*words[1:]) if words[0] == "unseen" else [sys.executable, *words[1:]]
        done = subprocess.run(run, cwd=tmp_path, env=around, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        if line.startswith("unseen results"):
            assert "nearest-mean" in done.stdout
    done = subprocess.run(
        [sys.executable, "-c", notebook], cwd=tmp_path, env=around, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(
    not (SHARED / "human_model_vs_human").is_dir(), reason="the released trials are not on this machine"
)
def test_the_released_trials_of_model_vs_human_load_as_they_are(tmp_path):
    stimuli = SHARED / "texture_vs_shape" / "cue_conflict_1280_webp88.zip"
    with zipfile.ZipFile(stimuli) as archive:
        archive.extractall(tmp_path / "stimuli")
    with tarfile.open(next((SHARED / "human_model_vs_human").glob("raw-data*.tar.xz"))) as archive:
        some = [m for m in archive.getmembers() if m.name.startswith("raw-data/cue-conflict/")]
        archive.extractall(tmp_path, members=some, filter="data")
    folder = tmp_path / "raw-data" / "cue-conflict"
    recipe = {
        "title": "Cue conflict",
        "seeds": [0],
        "world": {"name": "folder", "root": str(tmp_path / "stimuli"), "template": "{category}/*.webp"},
        "design": {"name": "ask"},
    }
    study = unseen.open_study(recipe, out=tmp_path / "runs")
    study.add_answers(folder)
    raw = pl.concat([pl.read_csv(path, infer_schema=False) for path in sorted(folder.glob("*.csv"))])
    right = raw.with_columns((pl.col("object_response") == pl.col("category")).alias("right"))
    each = dict(right.group_by("subj").agg(pl.col("right").mean()).iter_rows())
    people = [value for name, value in each.items() if name.startswith("subject-")]
    told = {row["series"]: row for row in study.summary().iter_rows(named=True)}
    assert told["people"]["value"] == pytest.approx(np.mean(people))
    assert (told["people"]["n"], told["people"]["over"]) == (10, "people")
    for name, value in each.items():
        if not name.startswith("subject-"):
            assert told[name]["value"] == pytest.approx(value)
    assert study.subjects().filter(subject="people")["no_answer"].to_list() == [(raw["object_response"] == "na").sum()]
