"""The page of a study whose networks see a transformation for some categories only."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from report_example import EMPTY, contents
from test_report_page import Reader

from pages import page_of
from unseen.kinds.exposure.figures import FIGURES, GROUPS, MEDIAN, MOST_PANELS, TAKEN, figures
from unseen.kinds.exposure.panels import density, family_colours
from unseen.kinds.exposure.shown import (
    CalibrationCurve,
    Exposure,
    ExposureContents,
    InvarianceCorrelation,
    LayerThreshold,
    Trend,
    Violin,
)
from unseen.kinds.exposure.tables import layer_thresholds, trends
from unseen.reports import write_report

SERIES = {
    "hue": ("", "hue", "colour"),
    "rotation-90": ("", "rotation-90", "geometric"),
    "salt-and-pepper": ("", "salt-and-pepper", "noise"),
    "white-noise": ("", "white-noise", "noise"),
}
XS = (0.0, 2.0, 5.0, 10.0)
LAYERS = ("layer1", "layer2")
ORDER = (
    "Accuracy within and across categories",
    "Findings",
    "By transformation",
    "What was seen and what was asked",
    "Accuracy by transformation",
    "Invariance of single units",
    "Invariance against accuracy",
    "Invariance across layers",
    "Which activity matters",
    "Calibration",
    "Where the mistakes go",
    "Loss curves",
    "Flags",
    "Left out",
    "Numbers",
    "How it was made",
    "Recipe",
    "Citation",
)


def summary(series=SERIES, n=3):
    rows = []

    def add(name, x, measure, asked, value, target="category", layer=""):
        ends = {"low": value - 0.05, "high": value + 0.05} if n > 1 else {"low": np.nan, "high": np.nan}
        head = {"x": x, "series": name, "set": asked, "target": target, "layer": layer, "unit_type": ""}
        chance = 0.1 if measure == "accuracy" else None
        rows.append({**head, "measure": measure, "value": value, **ends, "n": n, "chance": chance})

    for place, name in enumerate(series):
        for x in XS:
            if x:
                add(name, x, "accuracy", "within", 0.99 - 0.01 * x)
            if x < 10:
                add(name, x, "accuracy", "across", 0.1 + 0.05 * x + 0.05 * place)
                for depth, layer in enumerate(LAYERS):
                    add(name, x, MEDIAN, GROUPS[1], 0.2 + 0.05 * x + 0.1 * depth, target="", layer=layer)
            add(name, x, "accuracy", "plain", 0.95)
            if 0 < x < 10:
                for asked, share in (("within", 0.9), ("across", 0.6)):
                    add(name, x, TAKEN[0], asked, share)
                    add(name, x, TAKEN[1], asked, 1 - share)
    return pl.DataFrame(rows, schema_overrides={"chance": pl.Float64})


def about(series=SERIES, **changes):
    rng = np.random.default_rng(0)
    points = [
        {"trial": f"{name}{x}{seed}", "seed": seed, "repeat": seed, "series": name, "x": x, "plain": 0.9}
        | {"within": None if not x else 0.9, "across": None if x == 10 else 0.05 * x + 0.1}
        | {"invariance": None if x == 10 else 0.04 * x + 0.2}
        for name in series for x in XS for seed in range(3)
    ]  # fmt: skip
    curves = [
        {"series": name, "x": x, "threshold": t, "kept": 0.9 - t / 2, "removed": 0.1 + t / 2, "full": 0.9}
        | {"chosen": 3 * (t == 0.1), "n": 3}
        for name in series for x in XS for t in (0.0, 0.1, 0.5, 1.0)
    ]  # fmt: skip
    violins = [
        Violin(name, x, group, 3, rng.beta(3, 3, 60), 2)
        for name in series for x in XS for group in GROUPS
        if not (x == 0 and group == GROUPS[0]) and not (x == 10 and group == GROUPS[1])
    ]  # fmt: skip
    blur = ("hue", (1.0, 2.0, 3.0), (0.8, 0.4, float("nan")), 200)
    whole = {
        "series": series, "category": "category", "categories": 10, "layer": "layer2",
        "points": pl.DataFrame(points),
        "correlations": {"across": InvarianceCorrelation(0.9, 36), "within": InvarianceCorrelation(float("nan"), 36)},
        "violins": tuple(violins), "thresholds": pl.DataFrame(curves),
        "calibrations": (CalibrationCurve(blur[0], *blur, None, "it never fell far enough", 0.95, 0.1, 0.185),),
        "trends": tuple(Trend(name, 0.1, 0.6, 1.0, 1.0, 1.0, 3, "linear") for name in series),
        "odd_thresholds": (2, 48),
    }  # fmt: skip
    return Exposure(**(whole | changes))


def curves():
    rows = [
        {"trial": f"{family}{x}", "seed": 0, "series": family, "x": x, "epoch": epoch, "phase": phase}
        | {"target": "total", "loss": 1 / epoch, "accuracy": None}
        for family in ("plain images only", "colour", "geometric", "noise")
        for x in XS
        for epoch in (1, 2)
        for phase in ("train", "validation")
    ]
    return pl.DataFrame(rows)


def exposed(**changes):
    whole = {
        "x_title": "number of seen-transformed categories (of 10)",
        "series_title": "transformation",
        "summary": summary(),
        "curves": curves(),
        "published": None,
        "layers": LAYERS,
        "exposure": about(),
    }
    return contents(ExposureContents, **(whole | changes))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("exposure")


@pytest.fixture(scope="module")
def reader(folder):
    earlier = write_report(page_of(contents()), folder)  # of another kind of study
    assert (earlier.parent / "figures" / "specialization.svg").is_file()
    return Reader(write_report(page_of(exposed()), folder).read_text())


def rows_of(figure, place=0):
    """The data of one panel, as the page gets it."""
    specification = json.loads(json.dumps(figure.specification(figure.panels[place]), allow_nan=False))
    parts = [specification, *specification["layer"]]  # data that all layers share stands above them
    return [row for part in parts for row in part.get("data", {}).get("values", [])]


def test_the_sections_come_in_the_order_a_colleague_reads_them(reader):
    assert tuple(reader.headings) == ORDER


def test_the_page_speaks_of_no_cell_of_units_and_of_no_nan(reader):
    assert "Activation grids" not in reader.words
    assert "nan" not in reader.words.lower().split()


def test_doubts_are_counted_in_the_captions(reader):
    assert "2 of 48 τ are in doubt" in reader.words
    assert "Units without a score (dead, silent, not finite) are left out: at most 3 %" in reader.words
    assert "hue: it never fell far enough" in reader.words
    assert "no correlation" in json.dumps(rows_of(FIGURES["invariance"](exposed()), 1))


def test_every_figure_is_also_a_file_and_those_of_another_kind_of_study_go(folder, reader):
    assert {file.stem for file in (folder / "figures").glob("*.svg")} == {"splits", "losses", *FIGURES}
    assert {file.stem for file in (folder / "figures").glob("*.png")} == {"splits", "losses", *FIGURES}


def test_lines_of_one_family_share_a_colour_and_differ_in_dashes():
    keys = {key.label: key for key in FIGURES["families"](exposed()).keys}
    assert list(keys) == list(SERIES)
    assert keys["salt-and-pepper"].colour == keys["white-noise"].colour != keys["rotation-90"].colour
    assert keys["salt-and-pepper"].dash != keys["white-noise"].dash
    shapes = {key.label: key.shape for key in FIGURES["invariance"](exposed()).keys}
    assert shapes["salt-and-pepper"] != shapes["white-noise"]


def test_a_panel_for_each_transformation_in_the_order_of_families():
    for name in ("accuracy", "violins", "layers", "thresholds", "quadrants"):
        assert [panel.title for panel in FIGURES[name](exposed()).panels] == list(SERIES)


def test_violins_have_two_halves_and_a_grey_one_where_nothing_was_seen_transformed():
    rows = rows_of(FIGURES["violins"](exposed()))
    ticks = {(row["kind"], row["x"]): row for row in rows if "median" in row}
    assert set(ticks) == {
        ("plainly trained", 0.0), (GROUPS[0], 2.0), (GROUPS[1], 2.0), (GROUPS[0], 5.0), (GROUPS[1], 5.0),
        (GROUPS[0], 10.0),
    }  # fmt: skip
    assert (ticks[GROUPS[0], 2.0]["left"], ticks[GROUPS[0], 2.0]["right"]) == (0.56, 1)
    assert (ticks[GROUPS[1], 2.0]["left"], ticks[GROUPS[1], 2.0]["right"]) == (1, 1.44)


def test_an_outline_is_the_density_of_scipy_away_from_the_ends_and_stays_within_the_axis():
    from scipy.stats import gaussian_kde

    values = np.random.default_rng(1).normal(0.5, 0.08, 4000)
    places, height = density(values, (0.0, 1.0), steps=101)
    expected = gaussian_kde(values, bw_method="scott")(places)
    np.testing.assert_allclose(height, expected / expected.max(), atol=0.03)
    _, constant = density(np.full(10, 1.0), (0.0, 1.0))
    assert np.isfinite(constant).all()
    assert constant.argmax() == len(constant) - 1


def test_a_tau_that_was_given_is_drawn_by_number_seen_and_not_called_chosen():
    only = about().thresholds.filter(pl.col("threshold") == 0.1)
    figure = FIGURES["thresholds"](exposed(exposure=about(thresholds=only, odd_thresholds=(0, 48))))
    assert [panel.title for panel in figure.panels] == list(SERIES)
    assert "at the given τ = 0.1" in figure.caption
    assert "chosen" not in figure.caption
    parts = ("inactive units ablated", "active units ablated", "whole network")
    drawn = {(row["part"], row["x"]): row["value"] for row in rows_of(figure)}
    assert drawn == pytest.approx({(part, x): v for part, v in zip(parts, (0.85, 0.15, 0.9)) for x in XS})
    assert [key.label for key in figure.keys if key.dash] == list(parts), "every entry of the key is drawn"
    searched = FIGURES["thresholds"](exposed())
    assert "Points are the τ chosen by a network" in searched.caption
    assert {row["threshold"] for row in rows_of(searched)} == {0.0, 0.1, 0.5, 1.0}


def test_one_seed_has_points_and_no_bands():
    figure = FIGURES["accuracy"](exposed(summary=summary(n=1)))
    assert {row["interval"] for row in rows_of(figure) if "interval" in row} == {"n = 1, no interval"}
    assert "no interval" in figure.caption


def test_models_are_told_apart_and_many_panels_do_not_make_an_endless_page():
    many = {f"m{place}: hue": (f"m{place}", "hue", "colour") for place in range(30)}
    made = exposed(summary=summary(many), exposure=about(many))
    assert len(FIGURES["accuracy"](made).panels) == MOST_PANELS
    assert "6 more panels are left out" in FIGURES["accuracy"](made).caption


def test_what_was_not_recorded_is_left_out_with_a_reason(folder):
    nothing = about(violins=(), thresholds=EMPTY, calibrations=(), points=about().points.head(0), trends=())
    only = summary().filter(pl.col("measure") == "accuracy")
    made = figures(exposed(summary=only, exposure=nothing))
    assert {name for name, figure in made.items() if isinstance(figure, str)} == {
        "violins", "invariance", "layers", "thresholds", "calibration", "quadrants",
    }  # fmt: skip
    bare = replace(exposed(), summary=EMPTY, curves=EMPTY, exposure=nothing)
    assert all(isinstance(figure, str) for figure in figures(bare).values())


def test_repeats_are_called_what_they_are():
    draws, seeds = (exposed(exposure=about(same_categories=same)) for same in (False, True))
    assert "Units of all draws of categories together" in FIGURES["violins"](draws).caption
    assert "Units of all seeds together" in FIGURES["violins"](seeds).caption
    for made in FIGURES.values():
        assert "seed" not in made(draws).caption
    told = json.dumps(FIGURES["invariance"](draws).panels[0].chart.to_dict())
    assert '"title": "draw"' in told


def test_with_one_number_seen_the_table_by_transformation_has_accuracy_and_no_trend():
    flat = tuple(Trend(name, 0.1, 0.1, np.nan, np.nan, np.nan, 0, "undecided: too few") for name in SERIES)
    words = trends(exposed(exposure=about(trends=flat), summary=summary().filter(pl.col("x") < 5)))
    assert "undecided" not in words
    assert "undefined" not in words
    assert words.count("<tr>") == 1 + len(SERIES)  # not the plainly trained networks
    assert "[0.150, 0.250]" in words
    assert "growth" in trends(exposed())


def test_thresholds_are_told_by_layer_with_their_range_and_what_is_left():
    known = {"low": 0.1, "high": 0.3, "least": 0.1, "most": 0.4, "networks": 12, "without": 1, "transformations": 6}
    known |= {"repeats": 1, "kept": 0.89, "removed": 0.12, "full": 0.9, "chance": 0.1}
    known |= {"left": 0.025, "left_low": 0.01, "left_high": 0.04}
    none = known | dict.fromkeys(("low", "high", "least", "most", "kept", "removed", "full", "left"), np.nan)
    layers = (
        LayerThreshold("", "layer1", 0.2, **known, near=True),
        LayerThreshold("", "layer2", np.nan, **(none | {"networks": 0}), near=None),
    )
    words = layer_thresholds(about(by_layer=layers))
    for cell in ("0.2", "0.1 to 0.4", "12", "0.890", "0.120", "2.5 % [1.0 %, 4.0 %]", "none"):
        assert f">{cell}</td>" in words
    assert "nan" not in words
    assert "model" not in words


def test_a_family_nobody_knows_gets_a_colour_of_its_own():
    colours = family_colours(["noise", "weather", "colour"])
    assert list(colours) == ["colour", "noise", "weather"]
    assert len(set(colours.values())) == 3
