"""Two cues that part in training: shape bias, findings and the page, from trials written by hand."""

import re

import numpy as np
import pytest
from trials_by_hand import write_by_hand

from pages import page_of
from unseen.kinds.checks import check
from unseen.kinds.collect import collect, finished_trials
from unseen.kinds.cues.contents import findings_of, summary_of
from unseen.kinds.cues.numbers import BIAS, FOLLOWED, OF_CATEGORY, bias_numbers
from unseen.kinds.cues.read import read
from unseen.kinds.results import gather
from unseen.reports import write_report
from unseen.studies.study import Study
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import recipe_from

SHARES = [0.0, 0.5, 1.0]
MODELS = ["resnet18-w8", "bagnet-9"]


def tables(**changes):
    made = {
        "title": "Cues by hand", "question": "Shape or texture?", "seeds": [0],
        "world": {"name": "objects", "categories": 4, "instances": 20, "pose": 2, "textures": "categories", "side": 32},
        "design": {"name": "decorrelate"}, "network": {"backbone": "resnet18-w8"},
        "recordings": {"sets": ["agreeing", "conflicting"], "layers": "none"}, "targets": ["category"],
        "grid": {"design.decorrelated": SHARES, "design.seed": [0, 1, 2], "network.backbone": MODELS},
    }  # fmt: skip
    return made | changes


def known(share, draw, backbone):
    """Parts of the conflicting images named by shape and by texture; the rest is something else."""
    shape = 0.1 + 0.65 * share + 0.02 * (draw - 1) * (1 + share)
    if backbone == "bagnet-9":
        shape = 0.05 + 0.3 * share - 0.01 * (draw - 1) * (1 + share)
    return shape, 0.9 - shape


def by_hand(study, answered=known):
    for trial in study.trials:
        samples, condition = study.world(trial).samples, trial.condition
        share = study.split(trial).facts["decorrelated"]
        by_shape, by_texture = answered(share, condition["design.seed"], condition["network.backbone"])

        def answer(asked, rows, truth, samples=samples, by_shape=by_shape, by_texture=by_texture):
            if asked == "agreeing":
                return truth
            cue = samples.levels("texture", rows)
            place = np.argsort(np.argsort(rows * 7919 % 104729)) / len(rows)
            other = np.array([next(k for k in range(4) if k not in pair) for pair in zip(truth, cue)])
            return np.where(place < by_shape, truth, np.where(place < by_shape + by_texture, cue, other))

        write_by_hand(study, trial, "objects", answer)
    return study


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return by_hand(Study(recipe_from(tables()), tmp_path_factory.mktemp("cues")))


def test_shape_bias_of_a_trial_counts_decisions_for_either_cue(finished):
    for record in finished_trials(finished):
        about = record.split_facts["decorrelated"], record.facts["condition"]["design.seed"]
        shape, texture = known(*about, record.facts["condition"]["network.backbone"])
        rows = list(bias_numbers(record))
        whole = {row["measure"]: row for row in rows if "level" not in row}
        assert whole[BIAS]["value"] == pytest.approx(shape / (shape + texture), abs=0.02)
        assert whole[FOLLOWED]["value"] == pytest.approx(0.9, abs=0.02)
        assert whole[FOLLOWED]["n"] == 4 * 3 * 4
        own = [row for row in rows if row["measure"] == OF_CATEGORY]
        assert len(own) == 4
        assert sum(row["n"] for row in own) == whole[BIAS]["n"]


def test_each_model_has_an_array_of_repeats_and_shares(finished):
    found = read(finished)
    assert [one.model for one in found.models] == MODELS
    assert found.over == "draws of the objects"
    for one in found.models:
        assert one.shares == (0.0, 0.5, 1.0)
        assert one.bias.shape == (3, 3)
        assert (np.diff(one.bias, axis=1) > 0).all()
        assert (one.agreeing == 1).all()


def test_findings_are_those_of_the_paper_corrected_for_their_number(finished):
    found = {(one.key.partition(":")[0], one.name.rpartition(": ")[2]): one for one in findings_of(finished)}
    assert found["resnet18-w8", "texture decides where it always agreed"].holds is True
    assert found["resnet18-w8", "shape decides where texture told nothing"].holds is True
    assert found["resnet18-w8", "shape bias rises with decorrelation"].holds is True
    assert found["bagnet-9", "shape decides where texture told nothing"].holds is False
    assert found["", "small patches go least by shape"].holds is True
    assert {one.comparisons for one in found.values()} == {7}


def test_nothing_is_claimed_of_networks_that_learned_nothing(tmp_path):
    study = by_hand(Study(recipe_from(tables()), tmp_path), lambda share, draw, backbone: (0.3 * share, 0.2))
    frame = collect(study)
    assert frame.height
    assert not [one for one in findings_of(study) if one.holds is not None and "small" in one.name]


def test_without_any_decision_for_a_cue_shape_bias_is_undefined_and_nothing_breaks(tmp_path):
    study = by_hand(Study(recipe_from(tables()), tmp_path), lambda *_: (0.0, 0.0))
    biases = collect(study).filter(measure=BIAS)
    assert biases["value"].null_count() == biases.height
    assert set(biases["n"]) == {0}
    contents = gather(study)
    assert "undefined" in contents.answer
    page_of(contents)


def test_the_page_shows_the_curve_the_numbers_and_the_categories(finished, tmp_path):
    contents = gather(finished)
    assert re.search(r"shape bias is 0\.1\d\d .* with 0 % and .* with 100 %", contents.answer)
    page = write_report(page_of(contents), tmp_path).read_text()
    for words in ("Which cue decides", "Shape bias in numbers", "Shape bias by category", "texture tells nothing"):
        assert words in page
    summary = summary_of(finished)
    assert OF_CATEGORY not in summary["measure"].to_list()
    assert summary.filter(measure=BIAS).height == 6


def test_a_study_that_does_not_ask_conflicting_images_is_refused(tmp_path):
    study = Study(recipe_from(tables(recordings={"sets": ["agreeing"], "layers": "none"})), tmp_path)
    with pytest.raises(UnseenError, match='name "conflicting" too'):
        check(study)


def test_a_study_that_does_not_ask_the_category_is_refused(tmp_path):
    study = Study(recipe_from(tables(targets=["texture"])), tmp_path)
    with pytest.raises(UnseenError, match="targets names texture alone"):
        check(study)
