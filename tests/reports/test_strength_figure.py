"""Accuracy against level: a panel for each distortion asked at several strengths, observers beside networks."""

import numpy as np

from unseen.kinds.conditions.shown import Matrix
from unseen.kinds.conditions.strengths import by_strength, lines
from unseen.kinds.published_observers import Observed

COLUMNS = ("grey", "contrast@0.3", "contrast@0.1", "noise@0.2")


def picture():
    mean = np.array([[0.9, 0.6, 0.3, 0.5], [0.8, np.nan, 0.2, 0.4]])
    rows = (("colour", "one"), ("grey", "one"))
    spread = np.where(np.isnan(mean), np.nan, 0.05)
    n = np.where(np.isnan(mean), 0, 3)
    return Matrix(
        "", "transformation", rows, COLUMNS, np.zeros((2, 4), bool), mean, mean - spread, mean + spread, n, 0.1
    )


def test_only_distortions_asked_at_two_strengths_or_more_have_a_panel():
    assert by_strength(COLUMNS) == {"contrast": [("0.3", 1), ("0.1", 2)]}
    assert by_strength(("plain", "blur")) == {}


def test_every_line_holds_the_numbers_of_the_matrix_in_the_order_asked_and_observers_their_range():
    seen = {2: Observed(0.595, 0.525, 0.681, 4, 640)}
    drawn = lines(picture(), by_strength(COLUMNS)["contrast"], {"colour": "#111", "grey": "#222"}, seen).to_dict()
    networks = [row for layer in drawn["layer"] for row in layer["data"]["values"] if "series" in row]
    assert {(row["series"], row["strength"], row["value"]) for row in networks} == {
        ("colour", "0.3", 0.6), ("colour", "0.1", 0.3), ("grey", "0.1", 0.2),
    }  # fmt: skip
    people = [row for layer in drawn["layer"] for row in layer["data"]["values"] if "trials" in row]
    assert {(row["strength"], row["value"], row["low"], row["high"], row["trials"]) for row in people} == {
        ("0.1", 0.595, 0.525, 0.681, 640)
    }
    assert drawn["layer"][1]["encoding"]["x"]["sort"] == ["0.3", "0.1"]
