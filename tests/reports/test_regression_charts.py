"""Panels of in-domain generalisation: drawn by vl-convert, with nothing cut off in silence."""

import json

import numpy as np
import pytest
import vl_convert
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.kinds.in_domain import panels as regression
from unseen.reports.charts import CONFIG
from unseen.reports.figures import Figure, Panel
from unseen.reports.palette import role, themed

NAN = float("nan")
ARROW = 'd="M-4.108,0L4.108'  # a triangle to the left of 90 square points
SPLITS = ["random", "composition", "interpolation", "extrapolation"]


def rows_of_bars():
    """Made up: an easy split, harder ones, one far below zero, one without a value, one repeat without an interval."""
    made = [
        {"model": model, "split": split, "value": 0.98 - 0.2 * hard, "low": 0.9 - 0.2 * hard, "high": 1.06, "n": 3}
        for model in ("CNN", "PCL")
        for hard, split in enumerate(SPLITS)
    ]
    made[3] |= {"value": -3.21, "low": -4.0, "high": -2.4}
    made[5] |= {"value": NAN, "low": NAN, "high": NAN, "n": 0}
    made[6] |= {"low": NAN, "high": NAN, "n": 1}
    return made


def drawn(chart):
    """The panel as a file would have it; a specification with a NaN, or one Vega rejects, fails here."""
    figure = Figure("panel", "Panel", "", (Panel("panel", chart),), ())
    page = figure.specification(figure.panels[0])
    json.dumps(page, allow_nan=False)
    assert page["width"] == "container"
    assert isinstance(page["height"], int)
    return vl_convert.vegalite_to_svg(figure.whole().to_dict())


def values(chart, layer):
    return chart.to_dict()["layer"][layer]["data"]["values"]


def test_bars_say_what_lies_beyond_the_axis_and_what_is_undefined():
    published = [{"model": "PCL", "split": "extrapolation", "value": 0.667, "source": "Schott et al. 2022"}]
    svg = drawn(regression.r2_bars(rows_of_bars(), published=published))
    assert "−3.21" in svg
    assert "undefined" in svg
    assert all(word in svg for word in (*SPLITS, "CNN", "PCL", "R²", "Schott et al. 2022"))


def test_bars_keep_the_order_of_splits_and_stop_at_the_ends_of_the_axis():
    chart = regression.r2_bars(rows_of_bars(), splits=SPLITS[::-1])
    layers = chart.to_dict()["layer"]
    assert {tuple(part["encoding"]["yOffset"]["scale"]["domain"]) for part in layers[1:]} == {tuple(SPLITS[::-1])}
    bars = values(chart, 1)
    assert [bar["end"] for bar in bars if bar["beyond"].startswith("−")] == [regression.LOWEST]
    assert all(bar["high"] is None or regression.LOWEST <= bar["low"] <= bar["high"] <= 1 for bar in bars)
    assert next(bar for bar in bars if bar["split"] == "random")["interval"] == "[0.900, 1.060]"  # said as it is


@pytest.mark.parametrize(("ours", "value", "place"), [(0.8, -0.4, None), (0.8, -0.9, -0.5), (-0.3, -2.1, 0)])
def test_a_published_number_below_the_axis_has_an_arrow_tip_and_its_number_where_no_bar_is(ours, value, place):
    row = {"model": "CNN", "split": "random", "value": ours, "low": ours, "high": ours, "n": 3}
    known = [{"model": "CNN", "split": "random", "value": value, "source": "elsewhere"}]
    layers = regression.r2_bars([row], published=known).to_dict()["layer"]
    own = [layer for layer in layers if layer["data"]["values"][0].get("source") == "elsewhere"]
    kinds = [layer["mark"]["type"] for layer in own]
    if place is None:
        assert kinds == ["tick"]
    else:
        assert kinds == ["point", "text"]
        assert own[0]["data"]["values"][0]["place"] == regression.LOWEST
        assert own[1]["data"]["values"][0]["words"] == place
        assert f"published {value:.3f}".replace("-", "−") in drawn(regression.r2_bars([row], published=known))


@pytest.mark.parametrize(("value", "arrows"), [(-0.4, 0), (-0.6, 1), (-3.0, 1), (NAN, 0)])
def test_a_value_below_the_axis_ends_in_an_arrow_tip_and_has_no_whisker_through_its_number(value, arrows):
    row = {"value": value, "low": value - 1, "high": value + 1, "n": 3}
    bars = regression.r2_bars([{"model": "CNN", "split": "random", **row}])
    dots = regression.modularity_dots([{"name": "scale", "part": "out", **row}])
    for chart in (bars, dots):
        marks = [layer["mark"] for layer in chart.to_dict()["layer"]]
        assert sum(mark.get("shape") == "triangle-left" for mark in marks) == 1
        assert all(mark.get("fontSize", 10) >= 10 for mark in marks)
        assert drawn(chart).count(ARROW) == arrows


@pytest.mark.parametrize(("low", "high", "ends"), [(-0.4, 0.9, []), (-0.6, 0.9, ["low"]), (-0.4, 1.2, ["high"])])
def test_an_interval_that_goes_on_beyond_the_axis_ends_in_an_open_tip(low, high, ends):
    row = {"value": 0.1, "low": low, "high": high, "n": 3}
    bars = regression.r2_bars([{"model": "CNN", "split": "random", **row}])
    dots = regression.modularity_dots([{"name": "scale", "part": "out", **row}])
    for chart in (bars, dots):
        tips = {tip: end for end, (_, tip) in regression.CUTS.items()}
        made = [layer for layer in chart.to_dict()["layer"] if layer["mark"].get("shape") in tips]
        assert [tips[layer["mark"]["shape"]] for layer in made] == ends
        assert [layer["encoding"]["x"]["field"] for layer in made] == ends
        assert drawn(chart).startswith("<svg")
    inked = [layer["mark"] for layer in bars.to_dict()["layer"] if layer["mark"].get("shape") in tips]
    assert all(mark["color"] == role("ink") and not mark["filled"] for mark in inked)


def test_both_parts_can_be_seen_where_they_lie_on_one_value():
    rows = [
        {"name": "scale", "part": part, "value": 0.5, "low": 0.4, "high": 0.6, "n": 3} for part in ("out", "others")
    ]
    offsets = [layer["encoding"].get("yOffset") for layer in regression.modularity_dots(rows).to_dict()["layer"]]
    assert [offset["field"] for offset in offsets if offset] == ["words"] * 4


def test_the_axis_starts_at_zero_where_nothing_is_below_it():
    good = [row for row in rows_of_bars() if row["value"] > 0.5 and row["n"] == 3]
    domain = regression.r2_bars(good).to_dict()["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert domain[0] == 0
    below = regression.r2_bars(rows_of_bars()).to_dict()["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert below[0] < regression.LOWEST < 0


def test_modularity_shows_both_parts_of_every_set():
    rows = [
        {"name": name, "part": part, "value": value, "low": value - 0.1, "high": value + 0.1, "n": 3}
        for name, out in (("scale", -0.2), ("position_x", -2.5))
        for part, value in (("out", out), ("others", 0.9))
    ]
    rows.append({"name": "size", "part": "out", "value": NAN, "low": NAN, "high": NAN, "n": 0})
    svg = drawn(regression.modularity_dots(rows))
    assert "the factor out of range" in svg
    assert "the other factors" in svg
    assert "−2.500" in svg
    assert "undefined" in svg
    assert role("asked") in svg


@settings(max_examples=12)
@given(st.integers(0, 99), st.integers(1, 40), st.integers(1, 300))
def test_every_finite_prediction_is_in_one_cell_of_the_heat(seed, levels, n):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, levels, n) / max(1, levels - 1)
    predicted = true + rng.normal(size=n)
    predicted[rng.random(n) < 0.1] = NAN
    chart = regression.predicted_against_true(predicted, true, levels=levels)
    cells = values(chart, 0)
    assert sum(cell["images"] for cell in cells) == np.isfinite(predicted).sum()
    lefts = {cell["left"] for cell in cells}
    for left in lefts:
        assert sum(cell["share"] for cell in cells if cell["left"] == left) == pytest.approx(1, abs=0.01)


def test_levels_out_of_range_are_shaded_and_what_does_not_fit_is_counted():
    true = np.repeat(np.arange(10) / 9, 50)
    predicted = np.minimum(true, 0.6)
    predicted[:7], predicted[7] = 9.0, NAN
    chart = regression.predicted_against_true(predicted, true, levels=10, out=(8, 9), mean=0.4)
    assert [round(9 * (band["left"] + band["right"]) / 2) for band in values(chart, 0)] == [8, 9]
    svg = drawn(chart)
    assert "7 off the axis; 1 not finite" in svg
    assert "predicted" in svg
    plain = drawn(regression.predicted_against_true(true, true, levels=10))
    assert "off the axis" not in plain


def test_half_a_million_images_make_a_small_panel():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 32, 500_000) / 31
    chart = regression.predicted_against_true(true + 0.05 * rng.normal(size=len(true)), true, levels=32)
    assert len(json.dumps(chart.to_dict())) < 200_000


def test_the_histogram_shows_the_share_the_count_and_what_is_beyond():
    edges = tuple(i / 10 for i in range(21))
    counts = [4] * 10 + [1] * 9 + [0]
    chart = regression.towards_mean_bars(edges, counts, 11, undefined=1234)
    bars = values(chart, 1)
    assert [bar["images"] for bar in bars] == [*counts, 11]
    assert sum(bar["share"] for bar in bars) == pytest.approx(1)
    svg = drawn(chart)
    assert "66.7 % within [0, 1]" in svg
    assert "60 answers, 1,234 undefined" in svg
    assert "n = " not in svg, "they are no networks"
    assert "&gt; 2" in svg
    assert "no ratio is defined" in drawn(regression.towards_mean_bars(edges, [0] * 20, 0, undefined=3))


def test_histograms_of_one_figure_can_share_an_axis_whose_lines_stay_below_the_words():
    edges = (0.0, 0.5, 1.0, 1.5)
    shared = [regression.towards_mean_bars(edges, counts, 0, most=0.6) for counts in ([6, 2, 2], [3, 4, 3])]
    axes = [chart.to_dict()["layer"][1]["encoding"]["y"] for chart in shared]
    assert axes[0]["scale"] == axes[1]["scale"]
    assert max(axes[1]["axis"]["values"]) <= 0.6 < axes[1]["scale"]["domain"][1]
    assert regression.greatest_share([6, 2, 2], 0) == 0.6
    assert regression.greatest_share([0], 0) == 0


def test_colours_follow_the_readers_theme():
    words = json.dumps(regression.r2_bars(rows_of_bars()).properties(config=CONFIG).to_dict())
    assert "#" not in themed(words).replace('"#/', "")


@pytest.mark.parametrize("chart", [regression.r2_bars([]), regression.modularity_dots([])])
def test_nothing_to_show_is_an_empty_panel_not_a_failure(chart):
    assert drawn(chart).startswith("<svg")
