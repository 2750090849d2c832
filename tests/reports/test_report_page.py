"""What a reader finds in the page and beside it."""

from __future__ import annotations

import errno
import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest
from PIL import Image
from report_example import EMPTY, LAST_SECTIONS, NASTY, SERIES, contents

from pages import page_of
from unseen.kinds.combinations.figures import FIGURES, accuracy, figures, scatter, unit_types
from unseen.reports import SplitPicture, figure_files, write_report
from unseen.reports.figures import losses
from unseen.reports.palette import OTHERS, ROLES, series_colours
from unseen.reports.palette import SERIES as COLOURS
from unseen.reports.sections import splits as splits_section
from unseen.reports.selection import degenerate_words, layer_order, thinned
from unseen.reports.tables import flags
from unseen.vocabulary.errors import UnseenError

PICTURES_ONLY = contents(summary=EMPTY, scatter=EMPTY, curves=EMPTY, published=None)
ORDER = (
    "Accuracy",
    "Findings",
    "What was seen and what was asked",
    "Unit types",
    "Specialization",
    "Selectivity and invariance",
    "Build-up across layers",
    "Specialization against OOD accuracy",
    "The most specialized units",
    *LAST_SECTIONS,
)


class Reader(HTMLParser):
    """The words outside scripts and styles, the headings, and every address the page names."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words, self.headings, self.addresses, self.stack, self.titles = "", [], [], [], 0
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "br", "img"):
            self.stack.append(tag)
        if tag == "h2":
            self.headings.append("")
        self.addresses += [value for name, value in attributes if name in ("src", "href") and value]

    def handle_endtag(self, tag):
        while self.stack and self.stack.pop() != tag:
            pass

    def handle_data(self, data):
        if {"script", "style", "noscript"} & set(self.stack):
            return
        self.words += data
        if self.stack and self.stack[-1] == "h2":
            self.headings[-1] += data


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return write_report(page_of(contents()), tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def reader(report):
    return Reader(report.read_text())


def test_the_sections_come_in_the_order_a_colleague_reads_them(reader):
    assert tuple(reader.headings) == ORDER


def test_the_page_is_one_file_that_names_nothing_outside_itself(report, reader):
    assert report.name == "report.html"
    assert report.stat().st_size < 3e6
    assert all(address.startswith(("#", "data:")) for address in reader.addresses)


def test_odd_characters_are_shown_as_they_are_and_break_nothing(report, reader):
    assert NASTY in reader.words
    assert "falls <slowly> & surely." in reader.words
    assert "<script>document.title='broken'" not in report.read_text()


def test_no_reader_ever_meets_a_nan(reader):
    assert not re.search(r"\bnan\b", reader.words, re.IGNORECASE)
    assert "n = 1, no interval" in reader.words
    assert "undefined" in reader.words  # the point that has no value is in the table, and says so


def test_findings_say_plainly_whether_they_hold(reader):
    for words in ("✓ holds", "✗ does not hold", "○ open", "0.142 [0.080, 0.204], n = 12, p = 0.002", "p < 0.001"):
        assert words in reader.words


@pytest.mark.parametrize(("columns", "place"), [(4, "beside"), (9, "beside"), (13, "below")])
def test_a_wide_grid_has_nothing_beside_it_that_would_cut_it_off(columns, place):
    seen = np.zeros((12, columns), dtype=bool)
    names = tuple(f"transformation {number}" for number in range(columns))
    one = SplitPicture("category", "kind", tuple(map(str, range(12))), names, "trained on one", seen, ~seen, 3 * seen)
    section = splits_section(contents(splits=(one, replace(one, title="trained on two"))))
    assert section.blocks[0].body.startswith(f'<div class="{place}">')


def settled():
    """Curves whose last epoch is a little worse than the one before."""
    curves = contents().curves
    last, loss = pl.col("epoch") == pl.col("epoch").max().over("trial"), pl.col("loss")
    return curves.with_columns(pl.when(last).then(loss + 1).otherwise(loss).alias("loss"))


def test_flags_are_listed_and_their_absence_is_said_too(reader):
    assert "validation loss still falling" in reader.words
    assert "None: every trial that was run finished, converged" in flags(contents(flags=EMPTY, curves=settled()))


def test_trials_that_have_not_finished_are_said_before_any_flag():
    some = flags(contents(flags=EMPTY, curves=settled(), unrun=(3, 24)))
    assert some.startswith("<p>3 of 24 trials have not finished; everything here is without them.</p>")
    assert "Of the others none: every trial that was run finished, converged" in some


def test_convergence_that_was_not_judged_is_not_claimed():
    first = contents().curves.filter(pl.col("epoch") == 1)
    one = pl.concat([first, contents().curves.filter(pl.col("seed") > 0, pl.col("epoch") > 1)])
    for curves in (first, one):
        words = flags(contents(flags=EMPTY, curves=curves))
        assert "every trial that was run finished and stayed finite; with one epoch convergence cannot" in words
    few = flags(contents(flags=EMPTY, curves=settled().filter(pl.col("epoch") <= 2)))
    assert "with 2 epochs convergence cannot be judged" in few
    assert "without curves convergence cannot be judged" in flags(contents(flags=EMPTY, curves=EMPTY))
    best_last = settled().with_columns(loss=100.0 - pl.col("epoch"))
    trials = best_last["trial"].n_unique()
    falling = flags(contents(flags=EMPTY, curves=best_last))
    assert f"{trials} of {trials} trials were best in the last epoch" in falling
    assert "converged" not in few + falling
    last = flags(contents(flags=EMPTY, recipe='[training]\nselect = "last"'))
    assert "converged" not in last
    assert "only where the best epoch is selected" in last
    either = flags(contents(flags=EMPTY, recipe='[[grid]]\n"training.select" = ["best", "last"]'))
    assert "only where the best epoch is selected" in either
    readout = flags(
        contents(flags=EMPTY, curves=settled(), recipe='[training]\nselect = "best"\n[readout]\nselect = "last"')
    )
    assert "finished, converged" in readout


def test_many_flags_are_counted_and_folded_away():
    row = {"trial": "a", "series": "cnn", "x": 1.0, "seed": 0, "flag": "unconverged", "detail": "still falling"}
    few, many = pl.DataFrame([row] * 3), pl.DataFrame([row] * 30 + [row | {"flag": "diverged"}])
    assert "<details>" not in flags(contents(flags=few))
    assert "<summary>31 flags: 30 unconverged, 1 diverged</summary>" in flags(contents(flags=many))


def test_published_numbers_stand_beside_ours_and_what_was_not_run_says_so(reader):
    assert "Madan et al. 2022, released tables" in reader.words
    assert "not run" in reader.words


def test_each_figure_is_also_a_file_and_none_is_left_from_an_earlier_report(report, tmp_path):
    names = {path.name for path in (report.parent / "figures").glob("[!.]*")}
    assert names == {f"{name}.{kind}" for name in ("splits", "units", "losses", *FIGURES) for kind in ("svg", "png")}
    with Image.open(report.parent / "figures" / "accuracy.png") as image:
        assert image.width > 1000
    figure_files(page_of(PICTURES_ONLY), tmp_path)
    (tmp_path / "figures" / "mine.svg").write_text("a reader's own")
    figure_files(page_of(replace(PICTURES_ONLY, units=())), tmp_path)
    kept = {path.name for path in (tmp_path / "figures").glob("[!.]*")}
    assert kept == {"splits.svg", "splits.png", "mine.svg"}


def test_a_study_with_nothing_finished_still_gives_a_page_that_says_what_is_missing(tmp_path):
    bare = contents(
        summary=EMPTY,
        scatter=EMPTY,
        curves=EMPTY,
        flags=EMPTY,
        splits=(),
        units=(),
        findings=(),
        published=None,
        facts={},
    )
    reader = Reader(write_report(page_of(bare), tmp_path).read_text())
    assert reader.headings == ["Flags", "Left out", "Recipe", "Citation"]
    for words in ("no trial has finished", "no activity of units was recorded", "Published numbers: none are known"):
        assert words in reader.words


def test_one_x_and_one_repeat_are_drawn_as_points_without_bands():
    summary = contents().summary.filter(
        pl.col("x") == 9.0, pl.col("series") == "shared", pl.col("measure") == "accuracy"
    )
    figure = accuracy(contents(summary=summary, published=None))
    assert not isinstance(figure, str)
    marks = [layer["mark"]["type"] for layer in figure.specification(figure.panels[0])["layer"]]
    assert not {"area", "rule"} & set(marks[2:])  # the first two are the chance line and its word
    assert "point" in marks
    assert "one repeat gives no interval" in figure.caption


def test_in_distribution_is_dashed_and_a_series_keeps_its_colour_in_every_figure():
    made = [figure for figure in figures(contents()).values() if not isinstance(figure, str)]
    assert {key.label: key.dash for key in made[0].keys if key.dash} == {
        "in-distribution (seen)": (5, 3),
        "OOD (unseen)": (1, 0),
    }
    for figure in made:
        assert {key.label: key.colour for key in figure.keys if key.colour} == {
            name: COLOURS[name][0] for name in SERIES
        }


def test_every_point_tells_its_value_interval_and_n():
    figure = accuracy(contents())
    assert not isinstance(figure, str)
    points = [layer for layer in figure.specification(figure.panels[0])["layer"] if "tooltip" in layer["encoding"]]
    assert {"mean", "95 % interval", "n"} <= {tip["title"] for tip in points[0]["encoding"]["tooltip"]}


def test_published_points_lie_on_the_figure_only_where_we_ran_the_same():
    figure = accuracy(contents())
    assert not isinstance(figure, str)
    drawn = str(figure.specification(figure.panels[0]))
    assert "Fig. 3a" in drawn
    assert "45" not in re.findall(r"'x': (\d+)", drawn)


def test_colours_can_be_told_apart_by_the_page():
    light = [pair[0] for pair in (*ROLES.values(), *COLOURS.values(), *OTHERS)]
    assert len(set(light)) == len(light)
    many = series_colours([f"series {index}" for index in range(9)])
    assert len(set(many.values())) == 9


def test_figures_of_units_show_the_deepest_layer_whatever_the_order_of_the_rows():
    shuffled = (
        contents()
        .summary.sample(fraction=1.0, shuffle=True, seed=1)
        .with_columns(pl.col("layer").replace("block-1", "stem"))
    )
    for given in (("stem", "block-2", "block-3", "block-4"), ("block-4", "stem", "block-3", "block-2")):
        figure = unit_types(contents(summary=shuffled, layers=given))
        assert not isinstance(figure, str)
        assert f"after {given[-1]}." in figure.caption


def test_a_stem_comes_first_where_nobody_says_the_order_of_layers():
    summary = contents().summary.with_columns(pl.col("layer").replace("block-4", "stem"))
    assert layer_order(contents(summary=summary, scatter=EMPTY)) == ["stem", "block-1", "block-2", "block-3"]


def test_points_without_a_value_are_counted_below_the_scatter():
    odd = contents().scatter.with_columns(
        specialization=pl.when(pl.int_range(pl.len()) < 5).then(float("nan")).otherwise(pl.col("specialization"))
    )
    figure = scatter(contents(scatter=odd))
    assert not isinstance(figure, str)
    assert "5 of 48 points have no value" in figure.caption


def test_units_that_are_left_out_are_those_without_a_type_or_a_score():
    assert degenerate_words(contents()).startswith(" Units without a type or without a score are left out: at most ")


def test_long_trainings_are_thinned_but_keep_their_ends():
    rows = [
        {"trial": f"t{trial}", "phase": "train", "epoch": epoch, "loss": 1.0}
        for trial in range(200)
        for epoch in range(1, 101)
    ]
    kept = thinned(rows)
    assert len(kept) < len(rows) / 2
    assert {row["epoch"] for row in kept if row["trial"] == "t7"} >= {1, 100}


def test_a_diverged_loss_is_left_out_of_the_curves_not_of_the_page():
    curves = contents().curves.with_columns(
        loss=pl.when(pl.col("epoch") > 5).then(float("inf")).otherwise(pl.col("loss"))
    )
    figure = losses(contents(curves=curves))
    assert not isinstance(figure, str)
    drawn = json.dumps(figure.specification(figure.panels[0]), allow_nan=False)
    assert '"epoch": 5' in drawn
    assert '"epoch": 6' not in drawn


def test_one_epoch_is_drawn_as_points_since_it_makes_no_line():
    first = contents().curves.filter(pl.col("epoch") == 1)
    figure = losses(contents(curves=first))
    assert not isinstance(figure, str)
    assert [key.shape for key in figure.keys[-2:]] == ["diamond", "circle"]
    assert not any(key.dash for key in figure.keys)
    for panel in figure.panels:
        chart = panel.chart.to_dict()
        assert [layer["mark"]["type"] for layer in chart["layer"]] == ["point"]
        assert len(chart["data"]["values"]) == 2 * 3 * 2  # series, seeds, phases


def test_a_trial_of_one_epoch_is_a_point_beside_the_lines_of_the_others():
    figure = losses(contents(curves=contents().curves.filter((pl.col("epoch") == 1) | (pl.col("seed") > 0))))
    assert not isinstance(figure, str)
    points, lines = figure.panels[0].chart.to_dict()["layer"]
    assert (points["mark"]["type"], lines["mark"]["type"]) == ("point", "line")
    assert len(points["data"]["values"]) == 2 * 2
    assert len(lines["data"]["values"]) == 2 * 2 * 20 * 2
    assert "A single epoch is a point, not a line." in figure.caption


def test_a_full_disk_is_a_clear_error_and_the_old_report_stays(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("the old report")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UnseenError, match="no space left"):
        write_report(page_of(PICTURES_ONLY), tmp_path)
    assert path.read_text() == "the old report"
    assert not [name for name in os.listdir(tmp_path / "figures") if name.startswith(".")]


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path):
    (tmp_path / "report").write_text("a file, not a folder")
    with pytest.raises(UnseenError, match="cannot write"):
        figure_files(page_of(PICTURES_ONLY), tmp_path / "report")
