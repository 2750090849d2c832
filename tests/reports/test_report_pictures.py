"""Splits as pictures and as text."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_example import splits, units

from unseen.reports import SplitPicture, contact_sheet, grid_text
from unseen.reports.pictures import (
    FACE,
    SMALL_CELL,
    count_words,
    cut_words,
    face,
    face_tables,
    face_words,
    large_split,
    small_split,
    split_sheet,
    unit_grid,
)


@pytest.fixture
def picture() -> SplitPicture:
    return splits(np.random.default_rng(0))[1]


def grid(rows: tuple[str, ...], columns: tuple[str, ...], **changes) -> SplitPicture:
    seen = np.zeros((len(rows), len(columns)), dtype=bool)
    seen[0] = True
    return SplitPicture("category", "azimuth", rows, columns, "a", seen, ~seen, seen * 12, **changes)


def test_the_text_has_a_mark_for_every_cell(picture):
    body = grid_text(picture).split("\n\n")[1]
    assert body.count("■") == picture.seen.sum() == 18
    assert body.count("○") == picture.asked.sum() == 9


names = st.text(st.characters(blacklist_categories=("C", "Z", "M")), min_size=1, max_size=60)


@settings(deadline=None, max_examples=60)
@given(st.lists(names, min_size=1, max_size=60), st.lists(names, min_size=1, max_size=120))
def test_the_text_fits_a_terminal_whatever_the_names(rows, columns):
    import unicodedata

    def width(line: str) -> int:
        return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)

    lines = grid_text(grid(tuple(rows), tuple(columns))).split("\n")
    assert max(map(width, lines)) <= 80


def test_cells_that_are_seen_and_asked_have_their_own_mark():
    both = grid(("a", "b"), ("c", "d"))
    assert "◉ both" in grid_text(replace(both, asked=both.seen))


def test_uneven_counts_are_said_as_a_span():
    picture = grid(("a", "b"), ("c", "d"))
    assert "5–7 images each (12 in all)" in count_words(replace(picture, counts=np.array([[5, 7], [0, 0]])))


def test_the_contact_sheet_is_a_picture_with_pictures_in_it(picture):
    sheet = contact_sheet(picture)
    assert sheet.mode == "RGB"
    assert sheet.width > 600
    dark = (np.asarray(sheet).sum(-1) == 0).mean()
    assert dark > 0.05  # the examples' black ground


def test_missing_cells_and_colour_photographs_are_drawn():
    photos = np.random.default_rng(0).integers(0, 255, (2, 3, 120, 80, 3), dtype=np.uint8)
    missing = np.array([[False, True, False], [False, False, False]])
    picture = grid(("monster truck", "bus & <car>"), ("front", "left", "right"), examples=photos, missing=missing)
    body = large_split(picture).svg()
    assert body.count("<image") == 5
    assert "image/jpeg" in body
    assert "bus &amp; &lt;car&gt;" in body


def test_very_long_factors_are_cut_and_it_is_said():
    long = grid(tuple(map(str, range(40))), tuple(map(str, range(3))))
    assert small_split(long).body.count("<g>") == 24 * 3
    assert "The first 24 of 40 levels of category are drawn." in cut_words(long)


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 40), st.integers(1, 40))
def test_grids_of_a_table_have_cells_of_one_size_and_stay_within_bounds(rows, columns):
    drawn = face(grid(tuple(map(str, range(rows))), tuple(map(str, range(columns)))))
    assert drawn.width <= FACE[0]
    assert drawn.height <= FACE[1]
    if rows <= 12 and columns <= 24:
        assert (drawn.width, drawn.height) == (columns * SMALL_CELL, rows * SMALL_CELL)


def test_pairs_of_factors_make_a_table_with_a_line_for_each_split_easy_ones_first():
    made = [
        replace(grid(("0", "1"), levels), split=split, column_factor=factor, reach="lowest 2 levels" * (split == "far"))
        for split in ("far", "near")  # hardest first, as studies give them
        for factor, levels in (("x", ("0", "1")), ("y", ("0", "1", "2")))
    ]
    (table,) = face_tables(made)
    assert {split: [picture.column_factor for picture in faces] for split, faces in table.items()} == {
        "near": ["x", "y"],
        "far": ["x", "y"],
    }
    assert list(table) == ["near", "far"]
    assert face_words(table["far"][1]) == "3 of 6 seen, 3 asked (lowest 2 levels)"
    other = replace(made[0], split="elsewhere", row_factor="z")
    assert [list(found) for found in face_tables([*made, other])] == [["elsewhere"], ["near", "far"]]
    sheet = split_sheet(made).svg()
    assert sheet.index(">near<") < sheet.index(">far<")


def test_a_unit_without_a_value_in_a_cell_is_crossed_out_there():
    broken = units(np.random.default_rng(0))[7]
    body = unit_grid(broken).svg()
    assert body.count("×") == 1
    assert "nan" not in body.lower()


def test_nothing_heavy_is_imported_before_a_report_is_written():
    heavy = ("altair", "polars", "vl_convert", "torch", "PIL")
    code = f"import sys, unseen.reports; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
