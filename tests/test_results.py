"""Pages of results are what their templates and tables give, and no measured number on them was typed."""

import importlib
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from unseen.measures import correlation_shares, judge, mean_interval
from unseen.measures import holm as library_holm

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # docs/results is no part of the package
pages = importlib.import_module("docs.results.pages")
templates = importlib.import_module("docs.results.templates")
numbers = importlib.import_module("docs.results.numbers")
stems = importlib.import_module("docs.results.stems")
contrasts = importlib.import_module("docs.results.contrasts")
figures = importlib.import_module("docs.results.figures")
flags = importlib.import_module("docs.results.flags")
BY_HAND = {"speed", "controls"}  # benchmarks of this library, no studies; bench.controls writes the second


def same_as_committed(page):
    committed = (ROOT / "docs/results" / f"{page}.md").read_text(encoding="utf-8")
    assert pages.page_text(page) == committed, f"docs/results/{page}.md is not what its tables give: `make pages`"


def test_the_smallest_page_is_what_its_tables_give():
    same_as_committed("rendered-cars")


@pytest.mark.slow
@pytest.mark.parametrize("page", pages.PAGES)
def test_every_page_is_what_its_tables_give(page):
    same_as_committed(page)


@pytest.mark.parametrize("page", pages.PAGES)
def test_no_decimal_on_a_template_is_typed(page):
    templates.check(pages.template_of(page).read_text(encoding="utf-8"))


def test_a_mean_without_one_class_counts_all_others_the_same():
    table = pages.worlds()["y"]
    values = dict(table.ordered("realism, everyday", "plain floor", "top-1"))
    van = values.pop("van")
    without = table.without("realism, everyday", "plain floor", "top-1", "van")
    whole = table.value("realism, everyday", "plain floor", "top-1")
    assert without == pytest.approx(np.mean(list(values.values())))
    assert (without * len(values) + van) / (len(values) + 1) == pytest.approx(whole)
    with pytest.raises(AssertionError, match="no class"):
        table.without("realism, everyday", "plain floor", "top-1", "caravan")


def test_every_page_of_results_has_a_template_but_those_by_hand():
    found = {path.stem for path in (ROOT / "docs/results").glob("*.md")}
    assert found == set(pages.PAGES) | BY_HAND


@pytest.mark.parametrize(
    "template",
    ["accuracy is .85 here", "it rose by 0.3 in all", "−1.5", "{{ 'accuracy .85' }}", "{{ number(1) + '.5' }} and 0.5"],
)
def test_a_typed_decimal_is_refused_with_the_words_around_it(template):
    with pytest.raises(templates.Typed, match="said"):
        templates.check(template)


def test_a_quoted_number_names_its_source_and_a_computed_one_is_formatted():
    names = {"number": numbers.number}
    assert templates.rendered("{{ said('.449', 'released tables') }}, {{ number(0.4567) }}", names) == ".449, .457"
    with pytest.raises(templates.Typed, match="source"):
        templates.rendered("{{ said('.449', ' ') }}", {})
    with pytest.raises(templates.Typed, match="format it"):
        templates.rendered("{{ 0.5 * 2 }}", {})


def test_the_pages_statistics_agree_with_the_library_and_share_no_code_with_it():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 40))
    mine, theirs = numbers.mean_of(x), mean_interval(x)
    assert (mine.value, mine.low, mine.high) == pytest.approx((theirs.value, theirs.low, theirs.high))
    strata, repeats = [i % 8 for i in range(40)], [i // 8 for i in range(40)]
    assert numbers.within_strata(x, y, strata) == pytest.approx(correlation_shares(x, y, strata, repeats).value)
    ps = rng.uniform(0, 0.2, 9).tolist()
    assert numbers.holm(ps) == pytest.approx(library_holm(ps))
    for path in (ROOT / "docs/results").glob("*.py"):
        assert "unseen.measures" not in path.read_text(encoding="utf-8").replace("`unseen.measures`", "")


@pytest.mark.parametrize(
    ("value", "told"), [(0.1944, ".194"), (-0.004, "−.004"), (1.0, "1"), (-0.0001, ".000"), (-12.46, "−12.5")]
)
def test_numbers_are_written_as_pages_write_them(value, told):
    assert numbers.number(value) == told


def test_stems_are_compared_draw_by_draw_and_corrected_for_all_that_a_page_shows():
    with pytest.raises(AssertionError, match="pairs"):
        stems.paired({0: 0.5, 1: 0.6}, {0: 0.5, 2: 0.6})
    # draws differ more than stems do: only pairs tell
    up = stems.paired({0: 0.3, 1: 0.61, 2: 0.9}, {0: 0.2, 1: 0.5, 2: 0.8})
    both = stems.Compared({("up",): up, ("mixed",): {0: 0.1, 1: -0.2, 2: 0.3}})
    assert both.p["up",] == pytest.approx(2 * numbers.mean_of(up).p)
    assert both.only(("up",)) == ""
    assert both.told("up").startswith("**+.103")
    with pytest.raises(AssertionError, match="after correction"):
        both.only()
    with pytest.raises(AssertionError, match="mixed"):
        both.same_sign(("up",), ("mixed",))


def test_the_rows_of_a_calibration_are_no_trial():
    shown = importlib.import_module("docs.results.exposures").Exposed(ROOT / "docs/results/zaidi2020/mnist.parquet", 10)
    assert shown.trials == 153
    assert shown.strength("white-noise") == 200


@pytest.fixture(scope="module")
def cars():
    return pages.rendered_cars()


def test_figures_drawn_from_tables_show_the_means_over_choices_that_the_page_tells(cars):
    shown = figures.contents(cars["cars"])
    drawn = {
        (row["series"], row["x"]): (row["value"], row["n"])
        for row in shown.summary.to_dicts()
        if (row["measure"], row["set"], row["target"]) == ("accuracy", "unseen", "geometric mean")
    }
    assert len(drawn) == 12
    for (series, x), (value, n) in drawn.items():
        told = numbers.mean_of(cars["cars"].values(series, int(x)))
        assert (value, n) == (pytest.approx(told.value), 5)
    assert set(shown.scatter["layer"]) == {"layer4"}  # Split-2's branches are deeper than its trunk
    for target in ("model", "azimuth"):
        theirs = shown.scatter.filter(shown.scatter["target"] == target).sort("trial")
        mine = cars["cars"].pairs(target).sort("trial")
        assert theirs["specialization"].to_list() == mine["specialization"].to_list()
        assert theirs["accuracy"].to_list() == mine["accuracy"].to_list()


def test_trials_run_again_came_out_the_same_and_a_changed_number_is_noticed(cars):
    again, before = cars["again"], cars["cars"]
    assert again.differs(before) < 1e-6
    changed = again.only()
    changed.rows = changed.rows.with_columns(value=changed.rows["value"] + 0.01)
    assert changed.differs(before) == pytest.approx(0.01, abs=1e-6)
    with pytest.raises(AssertionError, match="one of two tables"):
        again.differs(before.only(choice=0))


def test_the_distance_of_held_out_cells_has_no_interval_from_fewer_than_three_choices(cars):
    again = cars["again"].at(5, 10)
    assert "[" in again.near("model")
    assert "n = 3 choices" in again.near("model")
    assert again.only(choice=1).near("model") == "ρ = −.89 in choice 1 (no interval)"
    assert cars["cars"].near("model") == "not in the tables"


def test_a_page_tells_of_which_trials_its_tables_have_flags():
    folder = ROOT / "docs/results/rendered-cars"
    found = {one.file: one for one in flags.tables_of_trials(folder)}
    assert set(found) == {path.name for path in folder.glob("*.parquet")} | {"inception.csv"}
    old, again = found["rendered-cars.parquet"], found["rendered-cars-cells.parquet"]
    assert (len(old.told), len(again.told), len(again.trials)) == (0, 28, 28)
    told = flags.told_of_flags(folder).splitlines()
    row = next(line for line in told if line.startswith("| [rendered-cars](")).split(" | ")
    assert row[1:4] == ["36", "none", ""]
    assert row[4].endswith(f": none of {len(old.trials & again.told)}")
    assert flags.told_of_flags(folder.parent / "worlds") == "", "no trials, no section"
    assert flags.EVERY in flags.told_of_flags(folder.parent / "stems")


def test_regressions_run_again_stand_in_the_place_of_the_first_and_are_compared(tmp_path):
    regressions = importlib.import_module("docs.results.regressions")
    path = ROOT / "docs/results/schott2022/dsprites-cnn-long.parquet"
    rows = pl.read_parquet(path)
    one = rows["trial"][0]
    again = rows.filter(pl.col("trial") == one).with_columns(value=pl.col("value") + 0.25)
    again.write_parquet(tmp_path / "dsprites-cnn-1.parquet")
    both = regressions.Toys(path, again=[tmp_path / "dsprites-cnn-1.parquet"])
    assert (both.trials, both.again) == (6, 1)
    assert both.apart == pytest.approx(0.25, abs=1e-3)
    first = regressions.Toys(path)
    assert (first.again, first.apart) == (0, 0)
    told = regressions.told_longer(first, [first]).splitlines()[-1]
    assert told.startswith("| cnn |")
    assert told.endswith("| +.000 |"), "no interval of what does not differ"
    assert regressions.told_again([first]) == ""
    assert "1 of 6 trials, of which flagged none of 1" in regressions.told_again([both])
    again.with_columns(trial=pl.lit("another")).write_parquet(tmp_path / "dsprites-cnn-2.parquet")
    with pytest.raises(AssertionError, match="none of these"):
        regressions.Toys(path, again=[tmp_path / "dsprites-cnn-2.parquet"])


CLEAR, UNSURE, AGAINST = ({i: by + d for i, d in enumerate((-0.01, 0.0, 0.005, 0.01))} for by in (0.1, 0.004, -0.1))


def test_a_claim_about_every_group_holds_only_if_each_difference_is_sure():
    assert contrasts.above_all([CLEAR, CLEAR]).holds is True
    assert contrasts.above_all([CLEAR, UNSURE]).holds is None
    assert contrasts.above_all([CLEAR, AGAINST]).holds is False
    assert contrasts.above_all([CLEAR, UNSURE]).p == pytest.approx(numbers.mean_of(UNSURE).p)


def test_contrasts_are_judged_as_the_library_judges_them_and_corrected_together():
    for values in (CLEAR, UNSURE, AGAINST):
        for expected in (1, -1, 0):
            theirs = judge(np.array(list(values.values())), expected)
            mine = contrasts.above(values, expected)
            assert (mine.holds, mine.p) == (theirs.holds, pytest.approx(theirs.p))
    few, same = contrasts.above({0: 0.1, 1: 0.2}), contrasts.above(dict.fromkeys(range(4), 0.1))
    assert few.holds is None
    assert same.holds is None
    found = contrasts.family(a=contrasts.above(CLEAR), b=contrasts.above(UNSURE), c=few)
    assert [found[name].p for name in "ab"] == pytest.approx(
        library_holm([contrasts.above(v).p for v in (CLEAR, UNSURE)])
    )
    assert found["a"].comparisons == 2


def test_an_order_that_is_the_same_in_all_choices_is_judged_by_its_ends():
    rows = [{i: step * 0.1 + i * 0.001 * step for i in range(4)} for step in range(3)]
    assert contrasts.order(rows, 1).mean.value == pytest.approx(0.203)
    assert contrasts.order(rows, 1).holds is True
    assert contrasts.order(rows, -1).holds is False
    with pytest.raises(AssertionError, match="the page says"):
        contrasts.agree(None, contrasts.order(rows, 1))
