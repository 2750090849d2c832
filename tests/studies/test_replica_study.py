"""Replicas of a test set under control: drops, slopes, findings and the page, from trials written by hand."""

import numpy as np
import pytest
from trials_by_hand import write_by_hand

from pages import page_of
from unseen.kinds.checks import check
from unseen.kinds.replica.contents import findings_of, summary_of
from unseen.kinds.replica.findings import drops, slopes
from unseen.kinds.replica.read import read
from unseen.kinds.results import gather
from unseen.kinds.whole_table import whole_table
from unseen.measures.selection import chosen, two_halves
from unseen.reports import write_report
from unseen.studies.study import Study
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import recipe_from
from unseen.vocabulary.seeds import keyed

EPOCHS = [1, 2, 4, 8, 16]


def tables(**changes):
    made = {
        "title": "Replicas by hand", "question": "What makes a drop?", "seeds": [0], "targets": ["category"],
        "world": {"name": "objects", "categories": 4, "instances": 600, "pose": 2, "backgrounds": 4, "side": 32},
        "design": {"name": "replicate", "factor": "background", "shifted": ["home 1"]},
        "network": {"backbone": "resnet18-w8"},
        "recordings": {"sets": ["original", "replica", "shifted"], "layers": "none"},
        "grid": {"training.epochs": EPOCHS, "design.seed": [0, 1, 2]},
    }  # fmt: skip
    return made | changes


def by_hand(study, able=lambda epochs: 0.25 + 0.12 * EPOCHS.index(epochs)):
    """Images differ in how hard they are, alike for all models; a model knows those that are easy enough for it, a
    fifth by luck. On shifted images all know a half of what they do elsewhere."""
    for trial in study.trials:
        epochs = trial.condition["training.epochs"]

        def answer(asked, rows, truth, epochs=epochs):
            hard = keyed(7, "hard", rows) / 2.0**64
            luck = keyed(epochs, "luck", rows) / 2.0**64
            known = np.where(luck < 0.8, hard, luck) < able(epochs)
            known &= (asked != "shifted") | (keyed(3, "half", rows) / 2.0**64 < 0.5)
            return np.where(known, truth, (truth + 1) % 4)

        write_by_hand(study, trial, "objects", answer)
    return study


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return by_hand(Study(recipe_from(tables()), tmp_path_factory.mktemp("replicas")))


def test_every_model_is_asked_what_the_other_half_of_the_models_found_hard(finished):
    found = read(finished)
    assert found.models == tuple(f"{n} epoch{'s' * (n != 1)}" for n in EPOCHS)
    assert found.collections == ("replica", "easier", "harder", "shifted")
    assert found.images == {"original": 480, "replica": 480, "easier": 240, "harder": 240, "shifted": 480}
    halves = (found.accuracy["easier"] + found.accuracy["harder"]) / 2
    np.testing.assert_allclose(halves, found.accuracy["replica"], atol=1e-9)
    assert (found.accuracy["easier"] > found.accuracy["harder"]).all()


def test_the_whole_table_holds_the_accuracy_on_both_halves_of_every_model(finished):
    found, table = read(finished), whole_table(finished).to_pylist()
    for name in ("easier", "harder"):
        own = {(row["training.epochs"], row["design.seed"]): row["value"]
               for row in table if (row["measure"], row["set"]) == ("accuracy", name)}  # fmt: skip
        made = [[own[epochs, seed] for epochs in EPOCHS] for seed in (0, 1, 2)]
        np.testing.assert_allclose(made, found.accuracy[name], atol=1e-6)


def test_drops_and_slopes_are_one_number_for_each_draw(finished):
    found = read(finished)
    assert np.abs(drops(found, "replica")).max() < 0.08
    assert (drops(found, "harder") > 0.1).all()
    assert drops(found, "shifted") == pytest.approx(0.25, abs=0.1)
    assert slopes(found, "shifted") == pytest.approx(0.5, abs=0.2)
    assert slopes(found, "replica") == pytest.approx(1, abs=0.2)


def test_findings_tell_which_change_makes_a_drop(finished):
    found = {one.name: one for one in findings_of(finished)}
    assert found["'replica' does not change accuracy"].holds is not False
    assert found["'harder' lowers accuracy"].holds is True
    assert found["'shifted' lowers accuracy"].holds is True
    assert found["the slope on 'shifted' exceeds 1"].holds is False
    assert not found["the slope on 'replica' exceeds 1"].judged
    assert {one.comparisons for one in found.values() if one.judged} == {6}


def test_nothing_is_claimed_where_no_model_learned(tmp_path):
    study = by_hand(Study(recipe_from(tables()), tmp_path), able=lambda epochs: 0.2)
    drops_found = [one for one in findings_of(study) if "accuracy" in one.name]
    assert drops_found
    assert all(one.holds is None for one in drops_found)


def test_a_draw_of_few_models_selects_nothing(tmp_path):
    grid = {"training.epochs": EPOCHS[:3], "design.seed": [0, 1]}
    found = read(by_hand(Study(recipe_from(tables(grid=grid)), tmp_path)))
    assert found.collections == ("replica", "shifted")


def test_the_page_and_the_table_show_every_collection(tmp_path):
    small = tables()["world"] | {"instances": 20}  # the page draws examples
    study = by_hand(Study(recipe_from(tables(world=small)), tmp_path / "study"))
    contents = gather(study)
    assert "5 models know" in contents.answer
    page = write_report(page_of(contents), tmp_path).read_text()
    for words in ("New against original accuracy", "Drops and slopes", "home 1", "harder", "Accuracy of each model"):
        assert words in page
    frame = summary_of(study)
    assert frame.filter(measure="drop").height == 4
    assert frame.filter(measure="accuracy").height == 25


def test_a_study_that_does_not_ask_the_replica_is_refused(tmp_path):
    study = Study(recipe_from(tables(recordings={"sets": ["original"], "layers": "none"})), tmp_path)
    with pytest.raises(UnseenError, match="name both"):
        check(study)


def test_halves_are_alike_and_selection_needs_references():
    halves = two_halves(np.linspace(0, 1, 12))
    means = [np.linspace(0, 1, 12)[halves == half].mean() for half in (0, 1)]
    assert means[0] == pytest.approx(means[1])
    with pytest.raises(UnseenError, match="there is none"):
        chosen(np.zeros((0, 3), bool), np.zeros(3, int), harder=True)
    with pytest.raises(UnseenError, match="between 0 and 1"):
        chosen(np.zeros((1, 3), bool), np.zeros(3, int), harder=True, share=1.0)
