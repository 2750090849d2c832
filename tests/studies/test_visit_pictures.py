"""Pictures of splits that show an image several times: the part of its visits a cell takes, and what is asked."""

import numpy as np
import pytest

from unseen.reports import grid_text
from unseen.reports.pictures import cell_words, count_words, split_sheet
from unseen.studies.pictures import splits, visible
from unseen.studies.study import Study
from unseen.studies.visit_pictures import visit_picture
from unseen.vocabulary.recipe import recipe_from

LEVELS = ["blur", "horizontal"]


def study(tmp_path, design, grid, sets):
    return Study(
        recipe_from({
            "title": "t", "targets": ["category"], "design": design, "grid": grid,
            "world": {"name": "transformed", "levels": LEVELS, "of": {"name": "digits", "viewpoint": "none"}},
            "recordings": {"sets": sets, "layers": "none"},
        }),
        tmp_path,
    )  # fmt: skip


@pytest.fixture
def exposed(tmp_path):
    grids = [{"design.level": LEVELS, "design.seen": [2, 10]}, {"design.level": [LEVELS], "design.seen": [0]}]
    return study(tmp_path, {"name": "expose"}, grids, ["within*", "across*", "plain"])


def picture(made, place):
    trial, found = made.check()[place]
    return visit_picture(made.split(trial), made.world(trial).samples, found, None), made.split(trial)


def test_a_cell_says_its_part_of_the_visits_and_what_is_asked_of_it(exposed):
    drawn, split = picture(exposed, 0)
    assert drawn.column_levels == ("plain", "blur")
    for category in range(10):
        seen = category in split.facts["exposed_numbers"]
        assert drawn.labels[category].tolist() == (["½ plain", "½ within"] if seen else ["plain", "across"])
        assert drawn.seen[category].tolist() == [True, seen]
        assert drawn.asked[category].tolist() == [False, not seen]
        assert drawn.part[category].tolist() == [seen, seen]
    text = grid_text(drawn)
    assert "◧ in a part of the visits" in text
    assert text.count("◧") == 2 * 2 + 1
    assert "Each image is visited twice per epoch" in text
    assert "visits each" in count_words(drawn)
    first = split.facts["exposed_numbers"][0]
    assert "50% of those to its images" in cell_words(drawn, first, 1)


def test_sets_without_an_image_are_not_said_to_be_asked(exposed):
    across, within = "across, transformed and never seen so", "within, transformed and seen so"
    for drawn in splits(exposed):
        seen = int(drawn.title.split()[0])
        assert "plain, untransformed" in drawn.note
        assert (across in drawn.note) == (seen < 10)
        assert (within in drawn.note) == (seen > 0)


def test_one_picture_serves_all_transformations_and_the_baseline_shows_them_all(exposed):
    drawn = splits(exposed)
    assert [found.title for found in drawn] == [
        "0 of 10 levels of category seen transformed",
        "2 of 10 levels of category seen transformed",
        "10 of 10 levels of category seen transformed",
    ]
    assert drawn[0].column_levels == ("plain", "blur", "horizontal")
    assert drawn[0].examples is not None
    assert not drawn[0].missing.any()
    assert drawn[0].note.endswith("stretched to fit it here.")
    assert drawn[0].labels[0].tolist() == ["plain", "across", "across"]
    assert not drawn[2].asked.any()
    assert "½ within" in split_sheet(drawn[1:]).svg()


def test_a_matrix_rings_what_it_never_trains_on(tmp_path):
    grids = [{"design.train": [["none"], ["blur"], ["none", "blur"]]}]
    made = study(tmp_path, {"name": "matrix", "factor": "transformation"}, grids, ["test-*"])
    assert [found.title for found in splits(made)] == ["trained on plain", "trained on all but horizontal"]
    drawn, _ = picture(made, 2)
    assert drawn.asked.any(axis=0).tolist() == [False, False, True]
    assert drawn.labels[0, 2] == "asked"
    assert drawn.labels[0, 0].startswith("½ ")


def test_pictures_with_signs_are_shown_about_mid_grey():
    ramp = np.linspace(-100, 100, 64, dtype=np.float32).reshape(1, 1, 8, 8)
    shown = visible(np.concatenate([ramp, ramp + 100]))
    assert abs(float(shown[0].mean()) - 127.5) < 1
    assert shown[1].min() == 0
    assert shown[1].max() == 200


def test_pictures_brighter_than_white_are_stretched_as_in_exposure_studies():
    from unseen.studies.exposure_pictures import fitted

    bright = np.linspace(0, 1600, 64, dtype=np.float32).reshape(1, 1, 8, 8)
    pictures = np.concatenate([bright, bright - 400, bright / 8])
    shown = visible(pictures)
    assert shown.dtype == np.uint8
    assert [len(np.unique(one)) for one in shown] == [64, 64, 64], "no level is lost to white"
    assert shown[2].max() == 200
    assert all(np.array_equal(one, fitted(picture)) for one, picture in zip(shown, pictures))
    assert visible(pictures[:0]).shape == (0, 1, 8, 8)
