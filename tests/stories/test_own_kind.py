"""A kind of question that lives in a package of its own goes from check to report, and nothing here knows of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tomli_w

from small_study import tiny
from unseen.kinds.table import KINDS

SOURCE = '''
"""Halves: a network trained on half of the cells; how much does it lose on the other half?"""

import altair as alt
import numpy as np
import polars as pl

from unseen.kinds.collect import collect, finished_trials
from unseen.kinds.curves import curves, flags
from unseen.kinds.judged import corrected, judged
from unseen.kinds.pictures import splits
from unseen.kinds.planned import PlannedVerdicts
from unseen.kinds.repeats import repeats
from unseen.kinds.table import Kind
from unseen.kinds.trial_numbers import accuracies
from unseen.measures import judge, mean_interval
from unseen.reports import Contents, Section, Table, Text, sections
from unseen.reports.figures import Figure, Panel, losses
from unseen.studies.recipe_files import recipe_toml
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.pools import Pools
from unseen.vocabulary.split import RowSet, Split

VERSION = 1
LOSS = "accuracy lost on the other half"


def halves(samples, *, rows="category", columns="position", seed: int) -> Split:
    """Every second cell is trained on; its twin is asked."""
    cells = samples.cells(np.arange(len(samples)), (rows, columns)).sum(1)
    some = np.arange(seed, len(samples), 37)
    odd = cells[some] % 2 == 1
    sets = {
        "train": RowSet("train", "train", listed=some[~odd][::2]),
        "same": RowSet("same", "test", listed=some[~odd][1::2]),
        "twin": RowSet("twin", "test", listed=some[odd]),
    }
    return Split((rows, columns), sets, Pools(by="nothing", seed=seed))


def check(study, trial):
    if "category" not in [target.name for target in study.targets(trial)]:
        raise UnseenError("halves asks for the category: add it to targets.")


def plan(study):
    draws, seeds = repeats(study)
    return PlannedVerdicts(draws or seeds, "draws of the halves", 1)


def numbers(record, options):
    found = list(accuracies(record.facts, record.folder))
    yield from found
    right = {row["set"]: row for row in found if row["measure"] == "accuracy" and row["target"] == "category"}
    yield {"measure": LOSS, "value": right["same"]["value"] - right["twin"]["value"], "n": right["twin"]["n"]}


def lost(study):
    tidy = collect(study).filter(pl.col("measure") == LOSS)
    return tidy.group_by("design.seed", maintain_order=True).agg(pl.col("value").mean())["value"].to_numpy()


def summary(study):
    i = mean_interval(lost(study))
    keys = {"x": 0.0, "series": "all", "set": "twin", "target": "category", "layer": "", "unit_type": ""}
    return pl.DataFrame([{**keys, "measure": LOSS, "value": i.value, "low": i.low, "high": i.high, "n": i.n}])


def findings(study):
    return corrected([judged("halves differ", "the other half is known less well", judge(lost(study), 1))])


def contents(study):
    trials = finished_trials(study)
    names = {record.identity: "all" for record in trials}
    return Contents(
        title=study.recipe.title, question=study.recipe.question,
        answer=f"The other half costs {mean_interval(lost(study)).value:.2f}.", shows="", x_title="half",
        series_title="network", summary=summary(study), curves=curves(trials, names, lambda facts: 0.0),
        flags=flags(study, trials, names, lambda facts: 0.0), splits=splits(study), findings=findings(study),
        recipe=recipe_toml(study.recipe),
    )


def page(found):
    row = found.summary.row(0, named=True)
    chart = alt.LayerChart(layer=[alt.Chart(alt.Data(values=[row])).mark_bar().encode(alt.Y("value:Q"))], height=90)
    loss = Figure("loss", "What the other half costs", "One bar.", (Panel("all", chart),), ())
    table = Table(("measure", "value", "n"), ((LOSS, f"{row['value']:.3f}", str(row["n"])),), right=("value", "n"))
    told = Section("halves", "Halves", (Text("Every second cell was trained on."), table))
    return sections.page_of(
        found, sections.figure(loss), [told, sections.splits(found), sections.figure(losses(found))]
    )


def show(console, frame, study):
    row = frame.row(0, named=True)
    console.print(f"{LOSS}: {row['value']:.3f}, n = {row['n']}")


KIND = Kind(
    "halves", "How much is lost on the other half?", designs=("halves",), numbers=numbers, summary=summary,
    findings=findings, contents=contents, page=page, show=show, plan=plan, check=check,
)
'''
POINTS = """[unseen.designs]
halves = own_halves:halves

[unseen.kinds]
halves = own_halves:KIND
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The package, as an installer would leave it."""
    folder = tmp_path_factory.mktemp("package")
    (folder / "own_halves.py").write_text(SOURCE, encoding="utf-8")
    about = folder / "own_halves-0.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: own-halves\nVersion: 0.1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(POINTS, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def unseen(package, tmp_path_factory):
    """The command line in a folder of its own, with the package installed; gives what it prints."""
    here = tmp_path_factory.mktemp("work")
    tables = tiny(design={"name": "halves"}, grid={"design.seed": [0, 1, 2]})
    tables["recordings"] = {"sets": ["same", "twin"], "layers": "none"}
    (here / "halves.toml").write_text(tomli_w.dumps(tables), encoding="utf-8")
    source = Path(sys.modules["unseen"].__path__[0]).parent
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(package), str(source)]), "COLUMNS": "80"}

    def run(*words: str) -> str:
        code = "from unseen.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", code, *words], cwd=here, env=env, capture_output=True, text=True, timeout=900
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return " ".join(done.stdout.split())

    run.here = here
    return run


def test_no_row_of_our_table_is_needed():
    assert "halves" not in KINDS


@pytest.mark.slow
def test_it_is_checked_planned_run_told_and_reported(unseen):
    assert "3 trials, 3 splits" in unseen("check", "halves.toml")
    assert "over 3 draws of the halves" in unseen("plan", "halves.toml", "--no-time")
    assert "The other half costs" in unseen("run", "halves.toml", "--device", "cpu", "--workers", "1", "--out", "study")
    told = unseen("results", "study")
    assert "accuracy lost on the other half:" in told
    assert "halves differ" in told
    unseen("results", "study", "--format", "parquet", "--to", "numbers.parquet")
    unseen("report", "study")
    page = (unseen.here / "study" / "report" / "report.html").read_text(encoding="utf-8")
    assert '<section id="halves"' in page
    assert "Every second cell was trained on." in page
    assert (unseen.here / "study" / "report" / "figures" / "loss.png").is_file()
