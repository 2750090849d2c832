"""A split read from lists, as released with many papers."""

from itertools import pairwise

import numpy as np
import pytest
from grids import counts, digits, photos

from unseen.designs import audit, from_lists
from unseen.vocabulary.errors import UnseenError

NAMES = tuple(f"{category}/{view}/{n}.png" for category in range(2) for view in range(3) for n in range(2))
SAMPLES = photos(np.full((2, 3), 2), names=NAMES)


def read(samples=SAMPLES, **lists):
    return from_lists(samples, lists=lists, columns="view")


def test_rows_are_found_by_name():
    split = read(train=["0/0/0.png", "1/1/1.png"], unseen=["0/1/0.png"])
    assert split.rows(SAMPLES, "train").tolist() == [0, 9]
    assert split.rows(SAMPLES, "unseen").tolist() == [2]
    assert split.facts["combinations"] == 2
    assert split.facts["grid"] == [2, 3]
    assert split["train"].reason == "2 images listed as 'train'"


@pytest.mark.parametrize(
    "entry",
    [
        "1/1/1.png",
        "./1/1/1.png",
        "/home/author/cars/1/1/1.png",
        "1/1/1.png 4",
        "1/1/1.png,4,2",
        " 1/1/1.png\t4 ",
        "a/1/1/1.png 4",
    ],
)
def test_folders_of_the_authors_machine_and_labels_are_left_out(entry):
    assert read(train=["0/0/0.png"], unseen=[entry]).rows(SAMPLES, "unseen").tolist() == [9]


def test_a_name_with_a_space_or_a_comma_is_taken_whole():
    samples = photos([[2, 1]], names=("a car.png", "a", "b,1.png"))
    split = read(samples, train=["a car.png"], unseen=["a", "b,1.png"])
    assert (split.rows(samples, "train").tolist(), split.rows(samples, "unseen").tolist()) == ([0], [1, 2])


def test_rows_may_be_numbers_and_numbers_as_text():
    samples = digits(2, 3, each=2)
    split = read(samples, train=[0, 4], unseen=["11", 5])
    assert split.rows(samples, "train").tolist() == [0, 4]
    assert split.rows(samples, "unseen").tolist() == [5, 11]


def test_an_image_named_twice_counts_once_and_the_reason_says_so():
    split = read(train=["0/0/0.png", "0/0/0.png"], unseen=["0/1/0.png"])
    assert split.count(SAMPLES, "train") == len(split.rows(SAMPLES, "train")) == 1
    assert "1 of them named again" in split["train"].reason


def test_the_probe_covers_every_cell_that_has_images_unless_it_is_listed():
    gaps = photos([[2, 0], [3, 9]])
    split = from_lists(gaps, lists={"train": [0], "unseen": [1]}, columns="view", probe_per_cell=4)
    assert counts(split, gaps, "probe").tolist() == [[1, 0], [3, 4]]
    assert read(train=["0/0/0.png"], probe=["0/0/1.png"]).count(SAMPLES, "probe") == 1


def test_the_probe_shows_no_training_image_and_the_facts_say_where_there_is_no_other():
    lists = {"train": ["0/0/0.png", "0/0/1.png", "1/1/0.png"], "unseen": ["0/1/0.png"]}
    split = read(**lists)
    assert counts(split, SAMPLES, "probe").tolist() == [[0, 2, 2], [2, 1, 2]]
    assert not set(split.rows(SAMPLES, "probe")) & set(split.rows(SAMPLES, "train"))
    assert split.facts["cells_of_training_images_only"] == 1
    assert not any("probe" in problem for problem in audit(split, SAMPLES).problems)


def test_a_listed_probe_that_holds_training_images_is_flagged_by_the_audit():
    split = read(train=["0/0/0.png", "1/1/0.png"], unseen=["0/1/0.png"], probe=["0/0/0.png", "0/2/0.png"])
    assert "1 images are in both 'train' and 'probe'" in audit(split, SAMPLES).problems


def test_overlapping_lists_are_read_and_flagged_by_the_audit():
    split = read(train=["0/0/0.png", "1/1/0.png"], unseen=["0/0/0.png", "1/2/0.png"])
    problems = audit(split, SAMPLES).problems
    assert "1 images are in both 'train' and 'unseen'" in problems
    assert "1 cells are both trained on and asked as 'unseen'" in problems


def test_the_released_lists_of_mnist_rotation():
    """OOD is the diagonal; the k-th list adds the offset (view − digit) mod 10 in the order 5, 6, 7, 8, 9, 1, …, 4."""
    samples = photos(np.full((10, 10), 3))
    digit, view = samples.cells(np.arange(len(samples))).T
    offset, copy = (view - digit) % 10, np.arange(len(samples)) % 3
    order = [5, 6, 7, 8, 9, 1, 2, 3, 4]
    masks = []
    for k in range(1, 10):
        seen = np.isin(offset, order[:k])
        lists = {
            "train": np.flatnonzero(seen & (copy == 0)).tolist(),
            "validation": np.flatnonzero(seen & (copy == 1)).tolist(),
            "seen": np.flatnonzero(seen & (copy == 2)).tolist(),
            "unseen": np.flatnonzero(offset == 0).tolist(),
        }
        split = read(samples, **lists)
        found = audit(split, samples)
        assert found.problems == ()
        assert found.per_row == {"category": (k, k), "view": (k, k)}
        assert split.facts["combinations"] == 10 * k
        assert (split.mask(samples, "unseen") == np.eye(10, dtype=bool)).all()
        masks.append(split.mask(samples, "train"))
    assert np.argwhere(masks[0]).tolist() == [[digit, (digit + 5) % 10] for digit in range(10)]
    assert all((fewer <= more).all() for fewer, more in pairwise(masks))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: read(unseen=["0/0/0.png"]), "design.lists has unseen; it needs 'train' and at least one set to ask"),
        (lambda: read(train=["0/0/0.png"]), "design.lists has train; it needs 'train' and at least one set"),
        (lambda: read(train=["0/0/0.png"], unseen=[]), "list 'unseen' is empty."),
        (
            lambda: read(train=["0/0/0.pgn"], unseen=["0/0/0.png"]),
            "list 'train' names '0/0/0.pgn', which is not in this world",
        ),
        (lambda: read(train=["0/0/0.pgn"], unseen=["0/0/0.png"]), "Did you mean '0/0/0.png'?"),
        (lambda: read(train=[0], unseen=[12]), "list 'unseen' names row 12; this world has rows 0 to 11."),
        (lambda: read(train=[0], unseen=[-1]), "list 'unseen' names row -1; this world has rows 0 to 11."),
        (lambda: from_lists(SAMPLES, lists={"train": [0], "x": [1]}, columns="veiw"), "Did you mean 'view'?"),
        (lambda: from_lists(SAMPLES, lists={"train": [0], "x": [1]}, columns="category"), "are both 'category'"),
    ],
)
def test_errors_teach(make, sentence):
    with pytest.raises(UnseenError) as told:
        make()
    assert sentence in str(told.value)
