"""What single answers tell equals what one counts by hand in the stored tables."""

import base64
import io
import json
import re
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image
from sklearn.metrics import confusion_matrix as oracle

from small_study import ran, tiny
from unseen.engines import open_study
from unseen.kinds import mistakes as surest
from unseen.kinds.answered import gather_answers
from unseen.kinds.mistakes import FoundMistake, Mistakes, Surest
from unseen.kinds.results import gather
from unseen.kinds.trial_answers import read_trial_answers
from unseen.reports.answer_pictures import Mistake
from unseen.reports.cells import cell_body, mean_words
from unseen.studies.commands import FILE, commands, made, note_command
from unseen.studies.store import Store
from unseen.studies.stored import StoredStudy
from unseen.studies.study import load_study

pytest_plugins = ("studies_fixtures",)


def stored(study, **where):
    """All answers of the trials of a condition, as one frame."""
    chosen = [trial for trial in study.trials if all(trial.condition[key] == value for key, value in where.items())]
    frames = [pl.read_parquet(study.store.trials / study.find(trial) / "responses.parquet") for trial in chosen]
    return pl.concat([frame.cast({pl.Categorical: pl.String}) for frame in frames])


GOLDEN = Path(__file__).resolve().parents[1] / "golden"


@pytest.fixture(scope="module")
def study(finished_once):
    return load_study(finished_once)


@pytest.fixture(scope="module")
def found(study):
    return gather_answers(study)


def test_right_answers_are_counted_in_each_cell(study, found):
    table = stored(study, **{"design.seen_per_level": 8}).filter(pl.col("target") == "category")
    (picture,) = [p for p in found.cells if p.target == "category" and p.condition == "72 seen combinations"]
    assert (picture.row_factor, picture.column_factor, picture.networks) == ("category", "position", 2)
    assert picture.asked.sum() == table.height
    for row, level in enumerate(picture.row_levels):
        for column, other in enumerate(picture.column_levels):
            here = table.filter(pl.col("category") == level, pl.col("position") == other)
            right = (here["truth"] == here["response"]).sum()
            assert (picture.asked[row, column], picture.right[row, column]) == (here.height, right)


def test_cells_are_seen_where_training_showed_them(study, found):
    for per_level in (1, 8):
        trial = next(t for t in study.trials if t.condition["design.seen_per_level"] == per_level)
        seen = study.split(trial).mask(study.world(trial).samples, "train")
        (picture,) = [
            p for p in found.cells if p.target == "position" and p.condition == f"{9 * per_level} seen combinations"
        ]
        asked = picture.asked > 0
        assert (picture.seen[asked] == seen[asked]).all()
        assert (asked & ~seen).sum() == 9


def test_cells_that_some_draws_show_and_others_hold_out_are_counted_apart(tmp_path):
    grid = {"design.seed": [0, 1, 2]}
    study = open_study(
        tiny(grid=grid, design__seen_per_level=4, seeds=[0], recordings={"layers": "none"}), out=tmp_path / "study"
    )
    ran(study)
    found = gather_answers(study)
    saw, never = [picture for picture in found.cells if picture.target == "category"]
    assert [saw.whose, never.whose] == ["networks that saw the cell", "networks that never saw the cell"]
    right, asked = np.zeros((2, *saw.asked.shape), int), np.zeros((2, *saw.asked.shape), int)
    for trial in study.trials:
        seen = study.split(trial).mask(study.world(trial).samples, "train")
        table = pl.read_parquet(study.store.trials / study.find(trial) / "responses.parquet")
        table = table.cast({pl.Categorical: pl.String}).filter(pl.col("target") == "category")
        for row in table.iter_rows(named=True):
            cell = saw.row_levels.index(row["category"]), saw.column_levels.index(row["position"])
            asked[0 if seen[cell] else 1][cell] += 1
            right[0 if seen[cell] else 1][cell] += row["truth"] == row["response"]
    assert ((asked > 0).all(axis=0)).any()  # else the draws hold out the same
    for place, picture in enumerate((saw, never)):
        assert (picture.asked == asked[place]).all()
        assert (picture.right == right[place]).all()
        share = right[place].sum() / asked[place].sum()
        words = f"{('seen', 'never seen')[place]} {share:.3f} ({(asked[place] > 0).sum()} cells)"
        assert mean_words(picture) == words
        assert words in cell_body(found)
        assert len(set(picture.images[picture.asked > 0].tolist())) == 1  # whichever networks a cell is asked of
    assert "These two groups have a map each, and their answers are never pooled" in cell_body(found)
    csv = base64.b64decode(re.search(r'href="data:text/csv[^,]*,([^"]+)"', cell_body(found))[1]).decode()
    table = pl.read_csv(io.StringIO(csv)).filter(pl.col("target") == "category")
    for place, told in enumerate(("yes", "no")):
        assert table.filter(pl.col("seen") == told)["answers"].sum() == asked[place].sum()


def test_confusions_are_those_of_scikit_learn(study, found):
    table = stored(study, **{"design.seen_per_level": 8}).filter(pl.col("set") == "unseen")
    for target in ("category", "position"):
        here = table.filter(pl.col("target") == target)
        (picture,) = [
            p for p in found.confusions
            if (p.target, p.asked, p.condition) == (target, "unseen", "72 seen combinations")
        ]  # fmt: skip
        by_hand = oracle(here["truth"].to_list(), here["response"].to_list(), labels=list(picture.classes))
        assert (picture.counts == by_hand).all()
        assert picture.main
    assert {p.asked for p in found.confusions} == {"seen", "unseen"}


def test_the_surest_mistakes_are_wrong_and_on_cells_never_seen(study, found):
    table = stored(study, **{"design.seen_per_level": 8}).filter(
        pl.col("set") == "unseen", pl.col("target") == "category"
    )
    bad = table.filter(pl.col("truth") != pl.col("response"))
    gallery = next(one for one in found.galleries if one.target == "category")
    assert (gallery.wrong, gallery.asked) == (bad.height, table.height)
    sure = [mistake.confidence for mistake in gallery.mistakes]
    assert sure == sorted(sure, reverse=True)
    assert sure[0] == pytest.approx(bad["confidence"].max())
    for mistake in gallery.mistakes:
        row = int(mistake.image.removeprefix("row "))
        mine = table.filter(pl.col("sample") == row)
        assert (mistake.networks, mistake.wrong) == (mine.height, (mine["truth"] != mine["response"]).sum())
        answer = mine.filter(pl.col("confidence") == pl.lit(mistake.confidence, pl.Float32))
        assert (mistake.truth, mistake.response) in answer.select("truth", "response").rows()
        assert mistake.picture is not None
        assert mistake.picture.dtype == np.uint8
    pairs = [(mistake.truth, mistake.response) for mistake in gallery.mistakes]
    assert max(map(pairs.count, pairs)) <= 2
    assert len({mistake.image for mistake in gallery.mistakes}) == len(pairs)


def test_without_the_images_everything_but_pictures_is_told(study, found):
    absent = StoredStudy(study.recipe, study.path, "the images are not at hand (moved)")
    told = gather_answers(absent)
    assert told.pictureless == "the images are not at hand (moved)"
    assert all(mistake.picture is None for gallery in told.galleries for mistake in gallery.mistakes)
    for one, other in zip(told.cells, found.cells):
        assert (one.asked.sum(), one.right.sum()) == (other.asked.sum(), other.right.sum())
        assert (one.seen & (one.asked > 0)).sum() == (other.seen & (other.asked > 0)).sum()


def test_answers_from_elsewhere_without_levels_or_confidence_are_left_out_with_the_reason(finished):
    study = load_study(finished)
    for trial in study.trials:
        path = study.store.trials / study.find(trial) / "responses.parquet"
        pl.read_parquet(path).select("set", "target", "truth", "response").write_parquet(path)
    told = gather(study).answered
    assert told.cells == told.galleries == ()
    assert [one.partition(":")[0] for one in told.left] == ["Accuracy in each cell", "The most confident mistakes"]
    assert len(told.confusions) == 8


def test_a_damaged_table_spoils_nothing_else(finished):
    study = load_study(finished)
    (study.store.trials / study.find(study.trials[0]) / "responses.parquet").write_bytes(b"spoilt")
    assert {picture.networks for picture in gather_answers(study).cells} == {1, 2}


def photos(root, views=("front", "left", "back"), each=10):
    rng = np.random.default_rng(0)
    for category in ("bus", "car", "van"):
        for view in views:
            (root / category / view).mkdir(parents=True)
            for number in range(each):
                pixels = rng.integers(0, 255, (12, 12, 3), dtype=np.uint8)
                Image.fromarray(pixels).save(root / category / view / f"{number:03}.png")
    return root


def folder_study(tmp_path):
    world = {"name": "folder", "root": str(photos(tmp_path / "photos")), "template": "{category}/{view}/*"}
    design = {"name": "hold_out_combinations", "columns": "view", "seen_per_level": 2, "shares": [0.4, 0.2, 0.4]}
    return open_study(
        tiny(world=world, design=design, network={"backbone": "mlp"}, grid={}, targets=["category"],
             recordings={"layers": "last"}),
        out=tmp_path / "study",
    )  # fmt: skip


def test_of_a_folder_every_answer_and_every_mistake_names_its_file(tmp_path):
    study = folder_study(tmp_path)
    ran(study)
    table = stored(study)
    samples = study.world(study.trials[0]).samples
    for sample, image, category, view in table.select("sample", "image", "category", "view").iter_rows():
        assert samples.name(sample) == image
        assert image.startswith(f"{category}/{view}/")
        assert (tmp_path / "photos" / image).is_file()
    (gallery,) = gather_answers(study).galleries
    assert gallery.mistakes
    assert all((tmp_path / "photos" / mistake.image).is_file() for mistake in gallery.mistakes)
    units = gather(study).units
    assert {picture.column_levels for picture in units} <= {("back", "front", "left")}  # though the view is no target

    path = study.store.trials / study.find(study.trials[0]) / "responses.parquet"
    pl.read_parquet(path).drop("image").write_parquet(path)  # as stored before images had names there
    again = gather_answers(study).galleries[0]
    assert [one.image for one in again.mistakes] == [one.image for one in gallery.mistakes]


def test_numbers_are_not_classes(tmp_path):
    assert gather_answers(open_study(tiny(task="regression"), out=tmp_path)) is None


def test_the_command_that_ran_a_study_is_kept_and_told(tmp_path):
    study = open_study(tiny(grid={}, design__seen_per_level=8), out=tmp_path / "study")
    ran(study, command="unseen run tiny --set seeds=[0]")
    ran(study, command="unseen run tiny")
    ran(study, command="unseen run tiny --set seeds=[0]")
    assert [one["command"] for one in commands(study.path)] == ["unseen run tiny", "unseen run tiny --set seeds=[0]"]
    told = made(study)
    assert told["command"] == "unseen run tiny --set seeds=[0]"
    assert told["run"] <= told["written"]


def test_a_study_from_before_says_nothing_of_its_command(study, tmp_path):
    assert "command" not in made(study)
    (tmp_path / FILE).write_text("{ spoilt")
    assert commands(tmp_path) == []
    note_command(tmp_path, "unseen run demo")
    assert json.loads((tmp_path / FILE).read_text())[0]["command"] == "unseen run demo"


def test_where_the_networks_that_saw_most_make_no_mistake_those_of_the_others_are_shown(study):
    mistakes = Mistakes(study)
    for one in read_trial_answers(study):
        mistakes.add(replace(one, response=one.truth) if one.main else one)
    gallery = next(one for one in mistakes.galleries() if one.target == "category")
    assert gallery.others
    assert gallery.wrong > 0
    assert all("9 seen combinations" in mistake.condition for mistake in gallery.mistakes)


@pytest.mark.parametrize("seed", range(5))
def test_mistakes_that_are_let_go_would_never_have_been_shown(study, monkeypatch, seed):
    rng, told = np.random.default_rng(seed), []
    drawn = [(int(rng.integers(300)), str(rng.integers(3)), rng.integers(99) / 99) for _ in range(3000)]
    for least in (10**9, 5):
        monkeypatch.setattr(surest, "AT_LEAST", least)
        mistakes = Mistakes(study)
        mistakes.lacking, mistakes.pictureless = "", "left out here"
        kept = mistakes.most.found["digit"] = Surest()
        for row, answer, sure in drawn:
            mistake = Mistake(f"row {row}", "", "a", answer, sure, "", 0, 0)
            kept.add(("w", row), ("a", answer), sure, partial(FoundMistake, ("w", row), study.trials[0], mistake))
        mistakes.most.asked["digit"] = mistakes.most.wrong["digit"] = Counter(("w", row) for row, _, _ in drawn)
        told.append((repr(mistakes.galleries()), len(kept.found)))
    assert told[0][0] == told[1][0]
    assert told[1][1] < told[0][1] <= 900


def test_without_their_world_cues_and_replicas_know_what_training_showed(tmp_path):
    for name, never in (("cues", {"conflicting"}), ("replica", {"shifted"})):
        Store(tmp_path / name).unpack(GOLDEN / f"{name}.unseen", note=lambda text: None)
        study = replace(load_study(tmp_path / name), absent="its world is gone")
        whole = list(read_trial_answers(load_study(tmp_path / name)))
        for one, other in zip(read_trial_answers(study), whole):
            assert np.array_equal(one.unseen, other.unseen)
            sets = np.array(one.sets.names)[one.sets.places]
            assert set(sets[one.unseen]) <= never
        assert any(one.unseen.any() for one in whole)
