"""Pictures of splits that show an image several times: the part of its visits a cell takes, and what is asked."""

import numpy as np
import pytest

from unseen.designs import audit, matrix
from unseen.kinds.checks import check
from unseen.kinds.pictures import splits
from unseen.kinds.stretched import fitted, visible
from unseen.kinds.visit_pictures import visit_picture
from unseen.reports import grid_text
from unseen.reports.pictures import cell_words, count_words, split_sheet
from unseen.studies.study import Study
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.recipe import recipe_from
from unseen.vocabulary.samples import Block, Samples

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
    trial, found = check(made)[place]
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
    assert drawn.labels[0, 0] == "½"  # of the visits; a number beside it would be read as one


def test_pictures_with_signs_are_shown_about_mid_grey():
    ramp = np.linspace(-100, 100, 64, dtype=np.float32).reshape(1, 1, 8, 8)
    shown = visible(np.concatenate([ramp, ramp + 100]))
    assert abs(float(shown[0].mean()) - 127.5) < 1
    assert shown[1].min() == 0
    assert shown[1].max() == 200


def test_pictures_brighter_than_white_are_stretched_one_by_one():
    bright = np.linspace(0, 1600, 64, dtype=np.float32).reshape(1, 1, 8, 8)
    pictures = np.concatenate([bright, bright - 400, bright / 8])
    shown = visible(pictures)
    assert shown.dtype == np.uint8
    assert [len(np.unique(one)) for one in shown] == [64, 64, 64], "no level is lost to white"
    assert shown[2].max() == 200
    assert all(np.array_equal(one, fitted(picture)) for one, picture in zip(shown, pictures))
    assert visible(pictures[:0]).shape == (0, 1, 8, 8)


def photos(counts):
    """Photos of categories (rows) in styles (columns), each in one style."""
    counts = np.asarray(counts)
    category, style = (np.repeat(level.ravel(), counts.ravel()) for level in np.indices(counts.shape))
    space = FactorSpace({"category": range(counts.shape[0]), "style": ("art", "photo", "sketch", "toy")})
    return Samples(space, (Block(len(category), {"category": category, "style": style}),))


@pytest.mark.parametrize("balance", ["categories", "images"])
def test_photos_that_have_one_style_each_are_counted_and_take_no_part_of_visits(balance):
    samples = photos(np.full((2, 4), 20))
    split = matrix(samples, factor="style", train_all_but="sketch", balance=balance, seed=0)
    drawn = visit_picture(split, samples, audit(split, samples), None)
    assert drawn.title == "trained on all but sketch"  # and not ", 1 visits"
    assert count_words(drawn) == "6 of 8 cells seen, 14 images each (84 in all); 2 asked"
    assert "⅓" not in split_sheet([drawn]).svg()
    assert ">14<" in split_sheet([drawn]).svg()
    assert cell_words(drawn, 0, 0) == "category 0, style art: seen, 14 training images"
    assert "in a part of the visits" not in grid_text(drawn)


def test_photos_that_are_listed_again_are_counted_by_visits():
    samples = photos([[20, 20, 20, 20], [10, 20, 20, 20]])
    split = matrix(samples, factor="style", train_all_but="sketch", seed=0)
    drawn = visit_picture(split, samples, audit(split, samples), None)
    assert "14 visits each" in count_words(drawn)
    assert not drawn.part.any()


def test_one_visit_is_one_visit(tmp_path):
    grids = [{"design.train": [["none", "blur"]], "design.visits_per_image": [1, 4]}]
    made = study(tmp_path, {"name": "matrix", "factor": "transformation"}, grids, ["test-*"])
    titles = [picture(made, place)[0].title for place in (0, 1)]
    assert titles == [f"trained on all but horizontal, {n} per image" for n in ("1 visit", "4 visits")]


def test_one_image_is_one_image():
    samples = photos(np.full((2, 4), 5))
    split = matrix(samples, factor="style", train=["art"], images_per_category=1, shares=(0.6, 0.2, 0.2), seed=0)
    drawn = visit_picture(split, samples, audit(split, samples), None)
    assert count_words(drawn) == "2 of 8 cells seen, 1 image each (2 in all); 6 asked"
    assert cell_words(drawn, 0, 0) == "category 0, style art: seen, 1 training image"
