"""Old and new test sets, from tables and from studies."""

import numpy as np
import polars as pl
import pytest
from scipy import stats
from typer.testing import CliRunner

from unseen.cli.app import app
from unseen.engines import open_study
from unseen.kinds.retest.models import of_study, of_table, tidy
from unseen.kinds.retest.page import answer, page
from unseen.studies.given_answers import SubjectDetails
from unseen.studies.subjects import add_answers, asked_rows
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.sample_keys import sample_keys

RNG = np.random.default_rng(0)
X = np.sort(RNG.uniform(0.55, 0.9, 30))
Y = 1.2 * X - 0.25 + RNG.normal(0, 0.01, 30)


def table(path, scale=100.0, **more):
    pl.DataFrame({"model": [f"m{k}" for k in range(30)], "old": scale * X, "new": scale * Y, **more}).write_csv(path)
    return path


def test_percent_are_read_as_such_and_the_line_is_scipys(tmp_path):
    found = of_table(table(tmp_path / "t.csv"), "old", "new", images=(10_000, 2_000))
    assert found.lines["linear"].slope.value == pytest.approx(stats.linregress(X, Y)[0])
    assert found.drop.value == pytest.approx((X - Y).mean())
    one = found.models[0]
    exact = stats.binomtest(round(X[0] * 10_000), 10_000).proportion_ci(method="exact")
    assert (one.original.low, one.original.high) == pytest.approx((exact.low, exact.high))
    assert one.new.n == 2_000
    assert "above 1" in answer(found)


def test_models_without_one_of_the_two_are_counted(tmp_path):
    frame = pl.DataFrame({"model": ["a", "b", "c", "d"], "old": [0.5, 0.6, 0.7, 0.8], "new": [0.4, None, 0.6, 0.7]})
    frame.write_csv(tmp_path / "t.csv")
    found = of_table(tmp_path / "t.csv", "old", "new")
    assert len(found.models) == 3
    assert "1 models lack" in found.notes[0]


@pytest.mark.parametrize(("old", "says"), [("olde", "no column 'olde'"), ("model", "holds words")])
def test_a_column_that_is_none_is_named(tmp_path, old, says):
    with pytest.raises(UnseenError, match=says):
        of_table(table(tmp_path / "t.csv"), old, "new")


def test_accuracies_beyond_their_range_are_refused(tmp_path):
    with pytest.raises(UnseenError, match="between 0 and 1"):
        of_table(table(tmp_path / "t.csv", scale=1000.0), "old", "new")


def test_a_studys_subjects_are_retested_between_levels_of_a_factor(tmp_path):
    world = {"name": "digits", "viewpoint": "position", "categories": [0, 1, 2]}
    study = open_study(
        {"title": "t", "seeds": [0], "world": world, "design": {"name": "ask", "images_per_cell": 8}},
        out=tmp_path / "s",
    )
    samples, rows = study.world(study.points[0]).samples, asked_rows(study)
    levels, places = samples.levels("category", rows), samples.levels("position", rows)
    first = str(samples.space["position"].levels[0])
    for k in range(4):
        wrong = RNG.random(len(rows)) < 0.1 * (k + 1) + 0.2 * (places == 1)
        said = [str((one + bad) % 3) for one, bad in zip(levels.tolist(), wrong.tolist())]
        pl.DataFrame({"key": sample_keys(samples, rows), "response": said}).write_csv(tmp_path / f"{k}.csv")
        add_answers(study, [tmp_path / f"{k}.csv"], SubjectDetails(f"m{k}"))
    second = str(samples.space["position"].levels[1])
    found = of_study(study, f"position={first}", f"position={second}")
    assert len(found.models) == 4
    assert {one.original.n for one in found.models} == {24}
    assert found.drop.value > 0
    with pytest.raises(UnseenError, match="asked nothing of 'position=nowhere'"):
        of_study(study, f"position={first}", "position=nowhere")


def test_the_command_writes_a_page_and_numbers(tmp_path):
    file = str(table(tmp_path / "t.csv"))
    words = ["retest", file, "--original", "old", "--new", "new"]
    said = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "page")])
    assert said.exit_code == 0, said.output
    assert "probit" in said.output
    assert (tmp_path / "page" / "report.html").is_file()
    assert "slope" in CliRunner().invoke(app, [*words, "--format", "csv"]).output
    assert CliRunner().invoke(app, ["retest", file, "--original", "old", "--new", "old"]).exit_code == 1
    found = of_table(table(tmp_path / "t.csv"), "old", "new")
    assert {"retest", "models"} <= set(page(found, command="", written="").names)
    assert tidy(found).height == 1 + 3 * 4 + 60
