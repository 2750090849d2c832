"""The page of a study whose networks answer with numbers."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from report_example import EMPTY, LAST_SECTIONS, contents
from test_report_page import Reader

from pages import page_of
from unseen.kinds.in_domain.disentanglement_figure import LOWEST, disentanglement
from unseen.kinds.in_domain.figures import FIGURES, MOST_SMALL, answers, factors, figures, kinds, modularity, r2
from unseen.kinds.in_domain.shown import AnswerPicture, InDomainContents, KindRow, LatentPoint, RatioPicture, Regression
from unseen.reports import SplitPicture, figure_files, write_report
from unseen.reports.selection import colours_of

MODES = ("random", "composition", "interpolation", "extrapolation")
FAR = MODES[-1]
MODELS = ("mlp", "cnn")
FACTORS = ("floor_hue", "scale", "position_x")
MEAN = "mean over factors"
ORDER = (
    "R² by split",
    "Findings",
    "What was seen and what was asked",
    "R² by kind of factor",
    "R² of each factor",
    "One factor out of range",
    "Predicted against true",
    "Towards the mean",
    "Disentanglement and generalisation",
    *LAST_SECTIONS,
)


def summary(models=MODELS):
    rows = []

    def add(model, x, measure, asked, target, value, n=3):
        bounds = {"low": value - 0.1, "high": value + 0.1} if n > 1 else {"low": np.nan, "high": np.nan}
        blank = {"layer": "", "unit_type": "", "chance": None}
        rows.append({"x": x, "series": model, "set": asked, "target": target, **blank, "measure": measure})
        rows[-1] |= {"value": value, **bounds, "n": n}

    for i, model in enumerate(models):
        for k, x in enumerate(MODES):
            for target in (MEAN, *FACTORS):
                add(model, x, "R²", "test", target, 0.95 - 0.5 * k + 0.05 * i, n=1 if i else 3)
        for name in FACTORS:
            add(model, FAR, "R² of the factor out of range", f"one-out-{name}", name, -1.2)
            add(model, FAR, "R² of the other factors", f"one-out-{name}", name, 0.9)
        add(model, FAR, "R² of the factor out of range", "one-out-*", MEAN, -1.2)
        add(model, FAR, "R² of the other factors", "one-out-*", MEAN, 0.9)
        add(model, FAR, "share towards the mean", "one-out-*", MEAN, 0.9)
    return pl.DataFrame(rows)


def curves():
    rows = [
        {"trial": f"{model} {x}", "seed": 0, "series": model, "x": x, "epoch": epoch, "phase": phase}
        | {"target": "total", "loss": 1 / epoch, "accuracy": None}
        for model in MODELS
        for x in MODES
        for epoch in (1, 2)
        for phase in ("train", "validation")
    ]
    return pl.DataFrame(rows)


def about(**changes):
    true = np.repeat(np.linspace(0, 1, 8), 5)
    picture = AnswerPicture("cnn", "position_x", 8, (6, 7), 0.35, np.minimum(true, 5 / 7), true)
    whole = {
        "splits": MODES,
        "series": {model: ("", model) for model in MODELS},
        "kinds": {"floor_hue": "colour", "scale": "size", "position_x": "position"},
        "asked": "test",
        "answers": (picture,),
        "answers_of": FAR,
        "ratios": (RatioPicture("cnn", 3, (0.0, 0.5, 1.0, 1.5), (4, 5, 1), 2, 1),),
        "by_kind": tuple(
            KindRow("", kind, mode, 0.9 - 0.2 * k, 0.8 - 0.2 * k, 1 - 0.2 * k, 6)
            for kind in ("colour", "size", "position")
            for k, mode in enumerate(MODES)
        ),
        "latents": tuple(
            LatentPoint("", "slow-vae", mode, seed, 0.4 - 0.5 * k, 0.1 + 0.2 * seed, 0.1 * seed)
            for k, mode in enumerate(MODES)
            for seed in range(3)
        ),
    }
    return Regression(**(whole | changes))


def published():
    return pl.DataFrame(
        {"figure": "all models", "series": ["CNN", "PCL"], "x": FAR, "set": "test", "value": [0.5, 0.667]}
    )


def regression(**changes):
    flags = pl.DataFrame({"trial": ["a"], "series": ["cnn"], "x": [FAR], "seed": [0], "flag": ["unconverged"]})
    whole = {
        "title": "Levels beyond <what> was seen",
        "x_title": "split",
        "series_title": "model",
        "summary": summary(),
        "curves": curves(),
        "flags": flags.with_columns(detail=pl.lit("still falling")),
        "published": published(),
        "regression": about(),
    }
    return contents(InDomainContents, **(whole | changes))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("regression")


@pytest.fixture(scope="module")
def reader(folder):
    return Reader(write_report(page_of(regression()), folder).read_text())


def values_of(figure):
    """All data of a figure's panels."""
    return [row for panel in figure.panels for row in rows_in(figure.specification(panel))]


def rows_in(specification):
    """Altair lifts data that all layers share out of them."""
    whole = json.loads(json.dumps(specification))
    return [row for part in (whole, *whole.get("layer", [])) for row in part.get("data", {}).get("values", [])]


def test_the_sections_come_in_the_order_a_colleague_reads_them(reader):
    assert tuple(reader.headings) == ORDER


def test_the_page_speaks_of_no_unit_and_of_no_nan(reader):
    assert "Activation grids" not in reader.words
    assert "Accuracy" not in reader.headings
    assert "nan" not in reader.words.lower().split()


def test_published_numbers_stand_beside_ours_under_either_spelling(reader):
    row = reader.words.rpartition("Published numbers beside ours")[2].partition("Loss curves")[0]
    assert "CNN" in row
    assert "−0.500" in row
    assert "PCL" in row
    assert "not run" in row


@pytest.mark.slow
def test_every_figure_is_also_a_file_and_those_of_another_kind_of_study_go(folder, reader):
    figure_files(page_of(contents()), folder)
    assert (folder / "figures" / "accuracy.svg").exists()
    made = figure_files(page_of(regression()), folder)
    assert set(made) == {"splits", "losses", *FIGURES}
    assert not (folder / "figures" / "accuracy.svg").exists()
    figure_files(page_of(contents()), folder)
    assert not (folder / "figures" / "r2.svg").exists()
    assert (folder / "figures" / "accuracy.svg").exists()


def test_bars_are_by_model_and_split_with_ticks_where_the_paper_has_a_number():
    figure = r2(regression())
    assert [key.label for key in figure.keys] == [*MODES, "published", "below the axis: its value beside it"]
    rows = values_of(figure)
    ticks = [row for row in rows if "source" in row]
    assert {(row["model"], row["value"]) for row in ticks} == {("cnn", 0.5), ("PCL", 0.667)}
    bars = {(row["model"], row["split"]): row for row in rows if "interval" in row}
    assert len(bars) == 8
    assert bars["mlp", FAR]["shown"] == "−0.550"
    assert bars["mlp", FAR]["end"] == -0.5
    assert bars["cnn", "random"]["interval"] == "n = 1, no interval"


def test_a_panel_for_each_world_where_there_are_several():
    series = {"mlp": ("dsprites", "mlp"), "cnn": ("shapes3d", "cnn")}
    assert [panel.title for panel in r2(regression(regression=about(series=series))).panels] == ["dsprites", "shapes3d"]


def test_factors_are_told_with_their_kind_where_the_name_does_not_say_it():
    figure = factors(regression())
    assert {row["model"] for row in values_of(figure) if "interval" in row} == {
        "floor_hue (colour)",
        "scale (size)",
        "position_x",
    }


def test_kinds_of_factor_are_told_over_all_models_with_the_factors_meant():
    figure = kinds(regression())
    assert [panel.title for panel in figure.panels] == ["all 2 models"]
    assert {row["model"] for row in values_of(figure) if "interval" in row} == {"colour", "size", "position"}
    assert "colour: floor_hue; size: scale; position: position_x" in figure.caption
    assert "(n = 6)" in figure.caption


def test_encoders_are_points_by_score_and_split_and_none_is_lost_below_the_axis():
    lost = LatentPoint("", "beta-vae", FAR, 0, 0.0, None, None, collapsed=True)
    far = LatentPoint("", "beta-vae", FAR, 1, -7.0, 0.5, None)
    figure = disentanglement(regression(regression=about(latents=(*about().latents, lost, far))))
    assert [panel.title for panel in figure.panels] == [*MODES, *MODES]
    rows = [row for row in values_of(figure) if "score" in row]
    assert len(rows) == 2 * 12 + 1, "a score that is missing takes its own point only"
    edge = next(row for row in rows if row["r2"] == -7)
    assert (edge["end"], edge["shown"]) == (LOWEST, "−7.000")
    assert "4 with R² below −1.000" in figure.caption
    assert "1 of 14 encoders have no active latent (collapsed)" in figure.caption
    assert [key.label for key in figure.keys] == ["slow-vae", "beta-vae"]


def test_where_every_encoder_collapsed_the_report_says_so():
    lost = tuple(LatentPoint("", "beta-vae", mode, 0, 0.0, None, None, collapsed=True) for mode in MODES)
    assert "none of the 4 encoders has a score" in disentanglement(regression(regression=about(latents=lost)))


def test_the_caption_says_what_an_open_tip_is_where_an_interval_is_cut():
    words = "An open arrow tip ends an interval that goes on beyond the axis."
    assert words in r2(regression()).caption, "random rows: 0.95 ± 0.1"
    within = summary().with_columns(high=pl.col("high").clip(upper_bound=1.0), low=pl.col("low").clip(lower_bound=-0.5))
    assert words not in r2(regression(summary=within)).caption
    wide = KindRow("", "colour", FAR, 0.9, 0.7, 1.1, 6)
    assert words in kinds(regression(regression=about(by_kind=(wide,)))).caption


def test_modularity_is_by_model_and_then_by_factor():
    titles = [panel.title for panel in modularity(regression()).panels]
    assert titles == [f"{FAR}, mean over factors", f"{FAR}, mlp", f"{FAR}, cnn"]


def test_many_models_do_not_make_an_endless_page():
    models = tuple(f"model {n}" for n in range(20))
    many = regression(summary=summary(models), regression=about(series={name: ("", name) for name in models}))
    assert len(factors(many).panels) == MOST_SMALL
    assert "8 more panels are left out" in factors(many).caption
    assert len(modularity(many).panels) == 1 + MOST_SMALL, "the mean over factors, then models"
    assert "8 more panels are left out" in modularity(many).caption


def test_what_was_not_asked_is_left_out_with_a_reason(folder):
    rows = summary().filter(pl.col("measure") == "R²")
    bare = regression(summary=rows, regression=about(answers=(), ratios=(), by_kind=(), latents=()), published=None)
    made = figures(bare)
    assert [name for name, figure in made.items() if isinstance(figure, str)] == [
        "kinds",
        "modularity",
        "answers",
        "towards-mean",
        "disentanglement",
    ]
    assert Reader(write_report(page_of(bare), folder / "bare").read_text()).headings.count("Left out") == 1
    assert isinstance(r2(replace(bare, summary=EMPTY)), str)


def test_one_model_is_named_in_the_caption_and_several_in_the_panels():
    assert "What cnn answers" in answers(regression()).caption
    one = about().answers[0]
    two = answers(regression(regression=about(answers=(one, replace(one, series="mlp")))))
    assert [panel.title for panel in two.panels] == ["cnn: position_x", "mlp: position_x"]


def test_each_network_starts_a_line_of_answers_where_all_have_as_many():
    one = about().answers[0]
    four = [replace(one, factor=f"factor {k}") for k in range(4)]
    both = (*four, *(replace(picture, series="mlp") for picture in four))
    assert answers(regression(regression=about(answers=both))).columns == 4
    assert answers(regression(regression=about(answers=both[:-1]))).columns == 0
    assert answers(regression(regression=about(answers=tuple(four)))).columns == 0


def test_splits_by_levels_are_a_table_of_splits_and_pairs_of_factors(folder):
    seen = np.ones((2, 3), dtype=bool)
    pictures = tuple(
        SplitPicture(rows, "x", ("0", "1"), ("0", "1", "2"), f"{split}: {rows} × x", seen, ~seen, 5 * seen, split=split)
        for split in reversed(MODES)
        for rows in ("floor_hue", "scale")
    )
    html = write_report(page_of(regression(splits=pictures)), folder / "table").read_text()
    lines = re.search(r'<table class="faces".*?</table>', html, re.DOTALL)[0].split("<tr>")[1:]
    assert [line.count("<td>") for line in lines[1:]] == [2] * len(MODES)
    assert [re.search(r'scope="row">(.*?)<', line)[1] for line in lines[1:]] == list(MODES)
    assert "floor_<wbr>hue" in lines[0]


def test_an_encoder_has_the_colour_of_its_series():
    models = ("cnn", "slow-vae")
    made = regression(summary=summary(models), curves=EMPTY)
    assert disentanglement(made).keys[0].colour == colours_of(made)["slow-vae"]
