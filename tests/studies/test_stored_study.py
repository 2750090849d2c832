"""A study whose images are gone tells its state and its numbers from what is stored."""

import json

import exposure_example
import matrix_example
import pytest
import test_regression_study as regressions

from pages import page_of
from small_study import study as tiny_study
from unseen.engines import open_study
from unseen.kinds.checks import check
from unseen.kinds.collect import collect
from unseen.kinds.results import gather, summary_of
from unseen.reports import write_report
from unseen.studies.stored import StoredStudy, at_hand
from unseen.studies.study import Study
from unseen.studies.trials import describe
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import recipe_from
from unseen.vocabulary.whole_files import put_whole

pytest_plugins = ("studies_fixtures",)
GONE = "there is no folder ../mnist; mnist needs in it four files. Put them there."


def exposed(path):
    levels = ("blur", "rotation-90")
    recipe = exposure_example.tables(
        levels, seen=(2, 5, 8), seeds=[0, 1], calibration={"steps": {"blur": 0.5}, "target": "relative"}
    )
    study = open_study(recipe, out=path)
    exposure_example.calibration(study)
    return exposure_example.by_hand(study, units=6)


def crossed(path):
    return matrix_example.by_hand(open_study(matrix_example.tables(seeds=[0]), out=path))


def regressed(path):
    return regressions.by_hand(open_study(regressions.tables(seeds=[0]), out=path), regressions.stops_at_the_edge)


def as_stored(study):
    """Give trials that were written by hand the description that real ones have."""
    for trial in study.trials:
        path = study.store.trials / study.find(trial) / "trial.json"
        facts = json.loads(path.read_text())
        facts["description"] = describe(trial, study.world(trial), "float32")
        put_whole(path, json.dumps(facts, default=str))
    return study


@pytest.fixture
def gone(monkeypatch):
    """Call it, and no world can be opened any more."""

    def refuse(section):
        raise UnseenError(GONE)

    return lambda: monkeypatch.setattr("unseen.studies.study.open_world", refuse)


@pytest.mark.parametrize(
    "made", [crossed, *(pytest.param(one, marks=pytest.mark.slow) for one in (exposed, regressed))]
)
def test_numbers_and_findings_are_the_same_without_the_images(made, tmp_path, gone):
    study = as_stored(made(tmp_path / "study"))
    whole = gather(study)
    gone()
    stored = at_hand(Study(study.recipe, study.path))
    assert isinstance(stored, StoredStudy)
    assert collect(stored).equals(collect(study))
    assert summary_of(stored).equals(whole.summary)
    contents = gather(stored)
    assert contents.answer == whole.answer
    assert [finding.statement for finding in contents.findings] == [finding.statement for finding in whole.findings]
    assert (len(contents.splits), len(whole.splits) > 0) == (0, True)
    page = write_report(page_of(contents), tmp_path / "report").read_text()
    assert "Splits: the images are not at hand (there is no folder ../mnist), so they are not drawn." in page
    assert contents.facts["World"]["fingerprint"] == study.world(study.trials[0]).fingerprint


def test_strengths_that_were_calibrated_are_found_by_the_trials_they_led_to(tmp_path, gone):
    study = as_stored(exposed(tmp_path))
    before = dict(study.calibrations)
    other = json.loads(study.store.calibration_path(next(iter(before))).read_text())
    other["levels"]["blur"]["chosen"] = 1.0  # of other settings: no trial has this strength
    study.store.keep_calibration("0" * 16, other | {"identity": "0" * 16})
    gone()
    stored = at_hand(Study(study.recipe, study.path))
    assert list(stored.calibrations) == list(before)
    assert all(not trial.recipe.calibration.steps for trial in stored.trials)
    assert stored.missing() == []


def test_strengths_of_another_calibration_section_are_not_taken_for_this_ones(tmp_path, gone):
    study = as_stored(exposed(tmp_path))
    (name,) = study.calibrations
    record = json.loads(study.store.calibration_path(name).read_text())
    study.store.keep_calibration(name, record | {"asked": study.recipe.calibration.model_dump(mode="json")})
    other = study.recipe.model_copy(update={"calibration": study.recipe.calibration.model_copy(update={"target": 0.3})})
    gone()
    assert at_hand(Study(study.recipe, study.path)).missing() == []
    untold = StoredStudy(other, study.path, "gone")
    assert len(untold.missing()) == len(untold.trials) > 0


def test_a_grid_of_cells_is_told_from_its_store(finished_once, gone):
    study = tiny_study(finished_once, seeds=[0, 1])
    whole = gather(study)
    gone()
    stored = at_hand(Study(study.recipe, study.path))
    contents = gather(stored)
    assert contents.x_title == whole.x_title
    assert contents.answer == whole.answer
    assert contents.summary.equals(whole.summary)
    assert list(contents.facts["Rows"]) == list(whole.facts["Rows"])
    with pytest.raises(UnseenError, match=r"not at hand .* and this needs them"):
        check(stored)


def test_trials_of_other_settings_are_not_taken_for_this_studys(finished_once, gone):
    other = tiny_study(finished_once, seeds=[0, 7])
    gone()
    stored = at_hand(Study(other.recipe, other.path))
    assert {trial.seed for trial in stored.missing()} == {7}
    strange = tiny_study(finished_once, training__lr=0.5)
    with pytest.raises(UnseenError, match="there is no folder"):
        at_hand(Study(strange.recipe, strange.path))


def test_of_trials_that_differ_in_their_images_alone_the_newest_counts(tmp_path, gone):
    study = as_stored(crossed(tmp_path))
    first = study.trials[0]
    old = study.find(first)
    facts = study.store.read(old)
    facts["description"]["world"]["fingerprint"] = "edited"
    facts["identity"] = "f" * 16
    study.store.save("f" * 16, lambda folder: put_whole(folder / "trial.json", json.dumps(facts)))
    gone()
    stored = at_hand(Study(study.recipe, study.path))
    assert stored.find(first) == "f" * 16
    assert stored.missing() == stored.trials[1:]  # of the old images, so that they would have to be run again


def test_failures_are_told_by_the_names_of_what_is_not_finished(tmp_path, gone):
    study = as_stored(crossed(tmp_path))
    recipe = recipe_from(matrix_example.tables(seeds=[0, 1]))
    whole = Study(recipe, study.path)
    missing = whole.missing()[0]
    done = study.trials[0]
    for name, trial in (("a" * 16, missing), ("b" * 16, done)):
        study.store.fail(name, {"label": trial.label, "seed": trial.seed, "error": "the cables are crossed"})
    gone()
    assert list(at_hand(Study(recipe, study.path)).failures()) == ["a" * 16]


def test_a_study_whose_images_are_there_is_itself_and_one_without_results_has_its_error(tmp_path, gone):
    study = crossed(tmp_path / "there")
    assert at_hand(study) is study
    gone()
    with pytest.raises(UnseenError, match="there is no folder"):
        at_hand(Study(study.recipe, tmp_path / "empty"))
