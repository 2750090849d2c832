"""What the page says of single answers, of how it was made, and to a newcomer."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from report_example import answered, contents
from test_report_page import ORDER, Reader

from pages import page_of
from unseen.kinds.combinations.figures import figures
from unseen.reports import figure_files, write_report
from unseen.reports.answer_pictures import ConfusionPicture
from unseen.reports.cells import cell_grid
from unseen.reports.confusion import MOST_CLASSES, confusion_body, confusion_grid, folded
from unseen.reports.legend import MARKS, WORDS
from unseen.reports.mistakes import MOST_BYTES, gallery_body
from unseen.reports.page import drawings, page_html

MADE = {
    "command": "unseen run demo --set 'seeds=[0,1]'",
    "run": "2026-11-18 01:37 to 02:10",
    "written": "2026-11-18 02:11",
}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    whole = contents(answered=answered(), made=MADE)
    return write_report(page_of(whole), tmp_path_factory.mktemp("answers")).read_text()


@pytest.fixture(scope="module")
def reader(page):
    return Reader(page)


def words_of(made):
    """What a page says; no files are written."""
    page = page_of(made)
    return Reader(page_html(page, drawings(page))).words


def test_single_answers_follow_what_was_asked(reader):
    place = 1 + ORDER.index("What was seen and what was asked")
    own = ("Accuracy in each cell", "What is taken for what", "The most confident mistakes")
    assert tuple(reader.headings) == (*ORDER[:place], *own, *ORDER[place:])


def test_the_page_says_when_and_by_which_command_it_was_made(reader):
    assert "Run 2026-11-18 01:37 to 02:10 by unseen run demo --set 'seeds=[0,1]'." in reader.words
    assert re.search(r"Written by unseen [\d.]+\S* on 2026-11-18 02:11\.", reader.words)


def test_a_study_that_did_not_note_its_command_says_nothing_of_it():
    words = words_of(contents())
    assert "unseen run" not in words
    assert "Run " not in words


def test_cells_say_their_share_their_counts_and_whether_they_were_seen():
    picture = answered().cells[0]
    svg = cell_grid(picture).svg()
    seen = "seen in training" if picture.seen[1, 1] else "never seen"
    right = int(picture.right[1, 1])
    assert f"<title>1, 1: {right} of 36 right ({right / 36:.3f}), {seen}</title>" in svg
    assert "<title>0, 0: not tested</title>" in svg
    (unseen,) = re.findall(r'<path d="([^"]*)"[^>]*stroke-dasharray', svg)
    assert unseen.count("M") == (~picture.seen & (picture.asked > 0)).sum()


def test_a_grid_of_81_cells_takes_little_room():
    assert len(cell_grid(answered().cells[0]).svg()) < 20_000


def test_every_cell_of_every_condition_is_in_a_table_with_its_n(reader, page):
    assert "6 test images a cell, asked of 6 networks" in reader.words
    assert f"The number of test images and right answers in each of {10 * 80} cells" in reader.words
    assert 'download="cells.csv"' in page


def test_a_confusion_matrix_is_normalised_by_row_and_tells_its_counts():
    counts = np.array([[3, 1], [0, 0]])
    svg = confusion_grid(ConfusionPicture("", "animal", "unseen", ("cat", "dog"), counts, 2)).svg()
    assert "cat answered as dog: 1 of 4" in svg
    assert re.search(r">75</text>", svg)
    assert "cat (4)" in svg
    assert "dog: not tested" in svg


@pytest.mark.parametrize("classes", [13, 40])
def test_matrices_of_many_classes_stay_small_and_keep_every_name(classes):
    svg = confusion_grid(answered(classes=classes).confusions[0]).svg()
    assert all(f">{n}</text>" in svg for n in range(classes))  # the word that all begin with is left out
    assert len(svg) < 80_000


def test_of_hundreds_of_classes_those_most_confused_keep_a_line():
    rng = np.random.default_rng(0)
    counts = np.diag(np.full(200, 50)) + (rng.random((200, 200)) < 0.01)
    counts[150, 7] += 40
    whole = ConfusionPicture("", "kind", "unseen", tuple(f"c{n}" for n in range(200)), counts, 1)
    small = folded(whole)
    assert len(small.classes) == MOST_CLASSES
    assert {"c150", "c7", "161 others"} <= set(small.classes)
    assert small.counts.sum() == counts.sum()
    body = confusion_body(replace(answered(), confusions=(whole,)))
    assert "Of 200 classes those in most mistakes have a line, the others share the last." in body
    assert "most often c150 → c7 (" in body


def test_mistakes_show_their_image_its_name_and_both_answers(page, reader):
    assert page.count('<img src="data:image/') == 12
    assert page.count('alt="digit three, taken for eight"') == 12
    assert "photos/a & <b>/003.jpg" in reader.words
    assert "confidence 0.99; wrong in 5 of 6 networks" in reader.words
    assert "90 of 360 answers about cells never seen are wrong (25.0 %)." in reader.words
    assert "None is wrong." in reader.words


def test_where_images_are_not_at_hand_the_gallery_says_so():
    body = gallery_body(answered(pictures=False))
    assert "<img" not in body
    assert "Without pictures: the images are not at hand (moved)." in body
    assert "003.jpg" in body


def test_the_gallery_is_bounded_in_bytes(monkeypatch):
    whole = gallery_body(answered())
    assert len(whole) < MOST_BYTES
    monkeypatch.setattr("unseen.reports.mistakes.MOST_BYTES", 30_000)
    cut = gallery_body(answered())
    assert len(cut) < 30_000 + 12_000
    assert re.search(r"\d+ pictures were left out, to keep this page small", cut)


def test_cells_and_confusions_are_files_too_and_go_with_them(tmp_path):
    page = page_of(contents(answered=answered()))
    assert set(page.sheets) - {"splits", "units"} == {"cells", "confusion"}
    figure_files(page, tmp_path)
    assert {"cells.svg", "confusion.png"} <= {path.name for path in (tmp_path / "figures").iterdir()}
    figure_files(page_of(contents()), tmp_path)
    assert not {"cells.svg", "confusion.png"} & {path.name for path in (tmp_path / "figures").iterdir()}


def test_every_entry_of_the_contents_leads_to_a_section(page):
    nav = re.search(r"<nav.*?</nav>", page, re.DOTALL)
    assert nav is not None
    links = re.findall(r'href="#([^"]+)"', nav[0])
    assert len(links) > 15
    for name in links:
        assert page.count(f'id="{name}"') == 1


def test_headings_come_in_order_and_pictures_have_words(page):
    levels = [int(found) for found in re.findall(r"<h([1-6])\b", re.sub(r"<script.*?</script>", "", page, flags=re.S))]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    body = re.sub(r"<(script|noscript)\b.*?</\1>", "", page, flags=re.S)
    assert all("alt=" in tag for tag in re.findall(r"<img\b[^>]*>", body))
    svgs = re.findall(r"<svg\b[^>]*>", body)
    assert all("aria-label" in tag or "aria-hidden" in tag for tag in svgs)


def test_words_that_a_newcomer_may_not_know_are_explained_where_they_are_used(reader):
    for word in ("asked", "world", "n", "unseen, OOD", "ours"):
        assert WORDS[word][1] in reader.words
    assert all(meaning in reader.words for meaning in MARKS.values()), "and how findings are judged"
    plain = contents(published=None, units=(), facts={})
    assert WORDS["ours"][1] not in words_of(plain)


def test_every_figure_names_its_vertical_axis():
    for figure in figures(contents()).values():
        assert not isinstance(figure, str)
        for panel in figure.panels:
            titles = [
                layer["encoding"].get("y", {}).get("axis", {}).get("title") for layer in panel.chart.to_dict()["layer"]
            ]
            assert any(titles), (figure.name, panel.title)


def test_the_accuracies_stand_in_a_table_with_their_test_images():
    summary = contents().summary
    counted = summary.with_columns(asked=pl.when(pl.col("measure") == "accuracy").then(720.0))
    words = words_of(contents(summary=counted))
    assert "test images: how many each network was asked. Chance: geometric mean 0.111" in words
    assert "720" in words
    drawn = str(figures(contents(summary=counted))["accuracy"].panels[0].chart.to_dict())  # type: ignore[union-attr]
    assert "720 of each network" in drawn
    assert "test images" in drawn
