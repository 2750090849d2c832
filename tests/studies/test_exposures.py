"""What a study of transformations says equals what one computes by hand from a store of known answers; no training."""

import json
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from exposure_example import LAYERS, LEVELS, by_hand, calibration, plausible, tables, write_trial
from scipy import stats

from unseen.engines import open_study
from unseen.kinds.checks import check
from unseen.kinds.collect import collect
from unseen.kinds.exposure import figures as exposure_figures
from unseen.kinds.exposure.findings import (
    explains,
    exposure_answer,
    exposure_findings,
    geometric_lowest,
    grows,
    rises,
)
from unseen.kinds.exposure.numbers import ACROSS, FIRING, GROUPS, MEAN, MEDIAN, TAKEN, TAU, UNITS_ACTIVE, WITHIN
from unseen.kinds.exposure.repeats import DRAW, growth_of, together, trends, whole_repeats
from unseen.kinds.exposure.shown import Exposure
from unseen.kinds.results import gather, summary_of
from unseen.vocabulary.errors import UnseenError


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return by_hand(open_study(tables(), out=tmp_path_factory.mktemp("exposures")))


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """The same numbers from three draws of the categories seen transformed."""
    return gather(by_hand(open_study(tables(draws=(0, 1, 2)), out=tmp_path_factory.mktemp("draws"))))


@pytest.fixture(scope="module")
def tidy(study):
    return collect(study)


@pytest.fixture(scope="module")
def contents(study):
    return gather(study)


def found(contents, words):
    return next(finding for finding in contents.findings if words in finding.name)


def files(study, level, seen, seed=0):
    trial = next(t for t in study.trials if (t.seed, t.condition["design.seen"]) == (seed, seen)
                 and t.condition["design.level"] == level)  # fmt: skip
    return study.find(trial), study.store.trials / study.find(trial)


def one(frame, **where):
    rows = frame.filter(*(pl.col(key) == value for key, value in where.items())).to_dicts()
    assert len(rows) == 1, rows
    return rows[0]


def test_accuracies_within_and_across_are_counted_from_the_answers(study, tidy):
    name, folder = files(study, "blur", 5, 1)
    answers = pl.from_arrow(pq.read_table(folder / "responses.parquet"))
    for asked in (WITHIN, ACROSS, "plain"):
        own = answers.filter(pl.col("set") == asked)
        row = one(tidy, trial=name, measure="accuracy", set=asked)
        assert row["value"] == pytest.approx((own["truth"] == own["response"]).mean())
        assert (row["n"], row["level"], row["seen"]) == (own.height, "blur", 5)


def test_quadrants_say_which_set_of_categories_an_image_is_taken_for(study, tidy):
    name, folder = files(study, "rotation-90", 2)
    facts = json.loads((folder / "trial.json").read_text())
    shown = [f"the digit {level}" for level in facts["facts"]["exposed"]]
    answers = pl.from_arrow(pq.read_table(folder / "responses.parquet")).filter(pl.col("set") == ACROSS)
    expected = answers["response"].is_in(shown).mean()
    rows = [one(tidy, trial=name, measure=measure, set=ACROSS) for measure in TAKEN]
    assert [row["value"] for row in rows] == pytest.approx([expected, 1 - expected])
    assert rows[0]["n"] == answers.height
    assert not tidy.filter(pl.col("measure").is_in(TAKEN), pl.col("seen") == 0).height


def test_invariance_is_the_median_and_mean_of_scored_units_and_the_others_are_counted(study, tidy):
    name, folder = files(study, "white-noise", 8)
    units = pl.from_arrow(pq.read_table(folder / "invariance.parquet"))
    own = units.filter(pl.col("layer") == LAYERS[-1], pl.col("group") == "unseen")
    scores = own.filter(pl.col("state") == "scored")["coefficient"].to_numpy()
    at = {"trial": name, "layer": LAYERS[-1], "set": GROUPS["unseen"]}
    assert one(tidy, measure=MEDIAN, **at)["value"] == pytest.approx(float(np.median(scores)))
    assert one(tidy, measure=MEAN, **at)["value"] == pytest.approx(float(scores.mean()))
    counts = {state: one(tidy, measure=f"units {state}", **at) for state in ("scored", "dead", "silent", "not finite")}
    assert {state: row["value"] for state, row in counts.items()} == {
        "scored": 21, "dead": 1, "silent": 1, "not finite": 1,
    }  # fmt: skip
    assert {row["n"] for row in counts.values()} == {24}
    firing = units.filter(pl.col("layer") == LAYERS[-1])["firing"].drop_nulls().sort(descending=True)
    every = {**at, "set": GROUPS["all"]}
    assert one(tidy, measure=FIRING, **every)["value"] == pytest.approx(firing[:5].mean())
    assert one(tidy, measure=UNITS_ACTIVE, **every)["value"] == pytest.approx(0.17)
    assert one(tidy, trial=name, measure=TAU, layer=LAYERS[-1])["value"] == pytest.approx(0.1)


def test_the_summary_is_by_transformation_and_number_seen_with_students_interval_over_seeds(study, tidy):
    summary = summary_of(study)
    row = one(summary, measure="accuracy", series="blur", x=5.0, set=ACROSS)
    values = [one(tidy, trial=files(study, "blur", 5, s)[0], measure="accuracy", set=ACROSS)["value"]
              for s in range(3)]  # fmt: skip
    low, high = stats.t.interval(0.95, 2, np.mean(values), stats.sem(values))
    assert (row["value"], row["low"], row["high"], row["n"]) == pytest.approx((np.mean(values), low, high, 3))
    assert row["chance"] == pytest.approx(1 / 9)
    assert summary["measure"][0] == "accuracy"
    assert set(summary["series"]) == set(LEVELS)


def test_a_plainly_trained_network_that_is_asked_several_transformations_serves_each(tmp_path):
    grids = [{"design.level": list(LEVELS), "design.seen": [3]}, {"design.level": [list(LEVELS)], "design.seen": [0]}]
    study = by_hand(open_study(tables(grid=grids), out=tmp_path))
    tidy = collect(study)
    plainly = tidy.filter(pl.col("seen") == 0, pl.col("measure") == "accuracy")
    assert plainly["trial"].n_unique() == 3
    assert set(plainly.filter(pl.col("set") == ACROSS)["level"]) == set(LEVELS)
    assert set(plainly.filter(pl.col("set") == "plain")["level"]) == set(LEVELS)
    contents = gather(study)
    assert set(contents.exposure.series) == set(LEVELS)
    points = contents.exposure.points.filter(pl.col("x") == 0)
    assert points.height == 9
    assert points["within"].null_count() == 9
    assert points["invariance"].null_count() == 0
    baseline = [violin for violin in contents.exposure.violins if violin.x == 0]
    assert {violin.series for violin in baseline} == set(LEVELS)
    assert "plain images only" in set(contents.curves["series"])


def test_the_papers_findings_hold_for_networks_made_to_show_them(drawn):
    assert list(drawn.facts["Repeats"]) == ["draws of categories"]
    rising = found(drawn, "across rises")
    assert (rising.holds, rising.n, rising.over) == (True, 3, "draws of categories")
    assert rising.value == pytest.approx(1, abs=0.05)
    assert rising.p < rising.corrected < 0.05
    lowest = found(drawn, "geometric")
    assert lowest.holds is True
    assert "below noise" in lowest.statement
    assert "surely below each of the others" in lowest.statement
    assert found(drawn, "within falls").value < 0
    assert "rises from" in drawn.answer
    goes = found(drawn, "invariance goes with across")
    assert "Within a transformation over all numbers seen ρ is" in goes.statement
    assert "which the number seen alone can produce" in goes.statement
    assert found(drawn, "linear or logarithmic").holds is None


def test_seeds_that_share_one_choice_of_categories_decide_nothing(contents):
    assert list(contents.facts["Repeats"]) == ["seeds"]
    rising = found(contents, "across rises")
    assert (rising.holds, rising.p, rising.n, rising.over) == (None, None, 3, "seeds")
    assert "all repeats share one choice of categories" in rising.why
    assert {finding.holds for finding in contents.findings} == {None}
    assert "whether it rises is left open (all repeats share one choice of categories" in contents.answer


def test_networks_made_otherwise_show_none_of_them(tmp_path):
    def otherwise(level, seen, total, seed):
        fine, odd = level == "rotation-90", (seen, seed) == (5, 0)
        across = 0.9 - 0.05 * seen + 0.01 * seed - 0.2 * (not fine) - 0.2 * odd
        return {WITHIN: 0.5 + 0.05 * seen + 0.2 * odd, ACROSS: across, "plain": 0.9, "invariance": 0.95 - 0.9 * across}

    contents = gather(by_hand(open_study(tables(draws=(0, 1, 2)), out=tmp_path), otherwise))
    assert found(contents, "across rises").holds is not True
    assert found(contents, "across rises").value < -0.5
    assert "rises for 0 of 3" in found(contents, "across rises").statement
    assert found(contents, "geometric").holds is False
    assert found(contents, "within falls").holds is not True
    assert found(contents, "invariance goes with across").value < 0


def test_invariance_that_follows_the_number_seen_alone_does_not_go_with_accuracy():
    rng, rows = np.random.default_rng(0), []
    for place, repeat, step in np.ndindex(6, 5, 4):
        level, noise = 0.1 * place + 0.1 * step, 0.01 * rng.normal(size=3)
        row = {"series": f"t{place}", "x": step + 1.0, "repeat": repeat, "invariance": level + noise[0]}
        rows.append(row | {ACROSS: level + noise[1], WITHIN: 1 - level + noise[2]})
    points = pl.DataFrame(rows)
    pooled = {asked: together(points, asked) for asked in (WITHIN, ACROSS)}
    across, more = explains(Exposure({}, "category", 9, "layer3", points, pooled))
    assert pooled[ACROSS].value > 0.9
    assert "Within a transformation over all numbers seen ρ is 0.9" in across.statement
    assert (across.holds, more.holds) == (None, None)
    assert abs(across.value) < 0.3
    assert (across.n, across.low < 0 < across.high) == (5, True)


def test_with_enough_draws_invariance_is_said_to_go_with_across_and_not_with_within(tmp_path):
    def uneven(level, seen, total, seed):  # a draw of categories makes both, and within goes its own way
        made = plausible(level, seen, total, 1)
        shift = 0.04 * (seed - 2) + 0.01 * (len(level) % 3)
        return made | {ACROSS: made[ACROSS] + shift, WITHIN: 0.7 + 0.1 * ((3 * seed + seen) % 5)} | {
            "invariance": made["invariance"] + 3 * shift}  # fmt: skip

    levels = ("thinning", "rotation-90", "blur", "inversion", "white-noise")
    study = open_study(tables(levels, seen=(2, 7), baseline=False, draws=range(6)), out=tmp_path)
    contents = gather(by_hand(study, uneven, units=200))
    across = found(contents, "invariance goes with across")
    assert (across.n, across.over) == (6, "draws of categories")
    assert across.value > 0.5
    assert "over 10 such conditions" in across.statement
    assert "over all 60 pairs of network and transformation it is" in across.statement
    assert found(contents, "invariance goes more").value > 0


def test_one_seed_has_numbers_and_no_invented_interval(tmp_path):
    contents = gather(by_hand(open_study(tables(seeds=[0]), out=tmp_path), units=12))
    for words in ("across rises", "geometric", "within falls", "becomes a cue"):
        finding = found(contents, words)
        assert np.isnan(finding.low)
        assert finding.holds is None
        assert "one seed, so no interval" in finding.statement
    assert {trend.growth for trend in contents.exposure.trends} == {"undecided: fewer than 3 repeats decide nothing"}
    assert contents.answer.endswith("; a plainly trained network has 0.145.")
    assert "nan" not in contents.answer


def test_the_answer_compares_the_transformations_that_were_asked_at_both_ends(tidy, contents):
    own = tidy.with_columns(series=pl.col("level"), x=pl.col("seen").cast(pl.Float64), repeat=pl.col("seed"))
    less = own.filter((pl.col("level") != "blur") | (pl.col("seen") < 8))  # at 0, and not at the most
    few = exposure_answer(less, contents.exposure, contents.findings)
    assert exposure_answer(own, contents.exposure, contents.findings) == contents.answer
    assert f"mean of {len(LEVELS)} transformations" in contents.answer
    assert f"mean of {len(LEVELS) - 1} transformations" in few
    assert few == exposure_answer(own.filter(pl.col("level") != "blur"), contents.exposure, contents.findings)


def test_invariance_at_different_thresholds_is_compared_with_nothing(tidy, contents):
    about = replace(contents.exposure, same_categories=False)
    value, odd = pl.col("value"), (pl.col("measure") == MEDIAN) & (pl.col("seen") == 5) & (pl.col("seed") == 0)
    equal = tidy.with_columns(
        value=pl.when(odd).then(0.0).otherwise(value),  # repeats that coincide would be left open
        series=pl.col("level"), x=pl.col("seen").cast(pl.Float64), repeat=pl.col("seed"),
    )  # fmt: skip
    late = (pl.col("measure") == TAU) & (pl.col("seen") == 8)
    unequal = equal.with_columns(value=pl.when(late).then(0.35).otherwise(value))
    made = {finding.name: finding for finding in exposure_findings(unequal, about)}
    names = [name for name in made if name.startswith("invariance")]
    assert len(names) == 3
    for name in names:
        assert (made[name].holds, made[name].p) == (None, None)
        assert made[name].why == "networks were scored at different τ"
        assert "scored at τ from 0.1 to 0.35" in made[name].statement
    assert made["across rises with the number of categories seen transformed"].holds is True
    (rising,) = (one for one in exposure_findings(equal, about) if one.name.startswith("invariance rises"))
    assert rising.p is not None
    assert "scored at" not in rising.statement


def test_a_transformation_that_nothing_helps_counts_and_a_repeat_that_lacks_a_trial_does_not():
    values = {
        (name, x, r): 0.1 * x if name == "up" else 0.0 for name in ("up", "flat") for x in (1, 2, 3) for r in (0, 1)
    }
    finding = rises(values, "accuracy", 1, "it rises")
    assert "rises for 1 of 2 transformations" in finding.statement
    assert "; 2 of 4 curves never change and count as ρ = 0 (ours); over" in finding.statement
    assert (finding.value, finding.n) == (0.5, 2)
    some = rises({key: value for key, value in values.items() if key[0] == "up"}, "accuracy", 1, "it rises")
    assert "never change" not in some.statement
    del values["up", 3, 1]
    assert {repeat for _, _, repeat in whole_repeats(values)} == {0}
    del values["flat", 3, 0]
    assert {key[:2] for key in whole_repeats(values)} == {(name, x) for name in ("up", "flat") for x in (1, 2)}
    assert whole_repeats({}) == {}


def test_a_plainly_trained_network_is_told_apart_and_judged_by_nothing(contents):
    values = {("a", x, r): y + 0.01 * r for x, y in ((0, 0.9), (1, 0.2), (2, 0.3), (3, 0.4)) for r in (0, 1)}
    values["a", 2, 1] = 0.5
    finding = rises(values, "accuracy", 1, "it rises")
    assert (finding.value, finding.n) == (pytest.approx(0.75), 2)
    assert (
        "goes from 0.205 at the fewest to 0.405 at the most; a plainly trained network has 0.905;" in finding.statement
    )
    assert rises({key: v for key, v in values.items() if key[1]}, "accuracy", 1, "it rises").value == finding.value
    rows = [
        {"series": s, "x": float(x), "repeat": r, "value": v, "measure": "accuracy", "set": ACROSS}
        | {"target": "category", "level": s, "layer": ""} for (s, x, r), v in values.items()
    ]  # fmt: skip
    (trend,) = trends(pl.DataFrame(rows), "category", ["a"])
    assert (trend.first, trend.last, trend.correlation) == pytest.approx((0.205, 0.405, 0.75))
    told = exposure_answer(pl.DataFrame(rows), contents.exposure, ())
    assert "is 0.205 with 1 and 0.405" in told
    assert "whether it rises is left open" in told, "two repeats decide nothing"
    assert told.endswith("; a plainly trained network has 0.905.")


def test_an_interval_without_width_is_not_printed_and_judges_nothing():
    values = {("a", x, r): y for x, y in ((1, 0.1), (2, 0.3), (3, 0.25), (4, 0.4)) for r in (0, 1, 2)}
    finding = rises(values, "accuracy", 1, "it rises")
    assert (finding.value, finding.n, finding.holds) == (pytest.approx(0.8), 3, None)
    assert np.isnan([finding.low, finding.high]).all()
    assert finding.why == "all repeats coincide"
    curve = {(x, r): 0.1 * x + 0.001 * (x == 2) for x in (1.0, 2.0, 4.0, 8.0) for r in (0, 1, 2)}
    assert (growth_of(curve).verdict, growth_of(curve).lean.why) == ("undecided", "all repeats coincide")
    grown = grows({("a", *key): value for key, value in curve.items()}, ["a"], "")
    assert np.isnan(grown.low)


def test_correlations_of_all_networks_together_are_those_of_scipy():
    rng = np.random.default_rng(0)
    names = np.repeat([f"t{i}" for i in range(8)], 6)
    x = rng.normal(size=48) + np.repeat(np.arange(8), 6)
    frame = pl.DataFrame({"series": names, "invariance": x, "across": x + rng.normal(size=48), "within": [0.5] * 48})
    result = together(frame, "across")
    assert result.value == pytest.approx(stats.spearmanr(x, frame["across"].to_numpy()).statistic)
    assert result.n == 48
    assert np.isnan(together(frame, "within").value)  # constant
    assert np.isnan(together(frame.head(2), "across").value)


def test_what_was_not_recorded_is_left_out_with_its_reason(tmp_path):
    contents = gather(by_hand(open_study(tables(), out=tmp_path), invariance=False))
    assert contents.exposure.violins == ()
    made = exposure_figures.FIGURES
    reasons = {name: maker(contents) for name, maker in made.items() if isinstance(maker(contents), str)}
    assert set(reasons) == {"violins", "invariance", "layers", "thresholds", "calibration"}
    assert "recordings.invariance" in reasons["violins"]


@pytest.mark.parametrize(
    ("seen", "level", "words"),
    [
        (2, "blur", "With 2 of 9 categories seen transformed"),
        (0, list(LEVELS), "With 0 of 9 categories seen transformed"),
        (9, "blur", "No answers about categories never seen transformed yet."),
    ],
)
def test_a_study_that_has_hardly_begun_has_its_figures_or_reasons(tmp_path, seen, level, words):
    grids = [
        {"design.level": list(LEVELS), "design.seen": [2, 9]},
        {"design.level": [list(LEVELS)], "design.seen": [0]},
    ]
    study = open_study(tables(grid=grids, seeds=[0]), out=tmp_path)
    wanted = {"design.level": level, "design.seen": seen}
    (trial,) = (trial for trial in study.trials if dict(trial.condition) == wanted)
    write_trial(study, trial, plausible, 1, True, True)  # and its only unit is dead
    contents = gather(study)
    assert contents.answer.startswith(words)
    made = {name: maker(contents) for name, maker in exposure_figures.FIGURES.items()}
    assert made["violins"] == "Invariance of units: no unit of any network has a score."
    assert not isinstance(made["accuracy"], str)


def test_damaged_tables_are_told_with_their_folder(tmp_path):
    study = by_hand(open_study(tables(seeds=[0]), out=tmp_path), units=4)
    _, folder = files(study, "blur", 2)
    every = collect(study)["trial"].n_unique()

    def left_out():
        assert collect(study)["trial"].n_unique() == every - 1
        (error,) = study.left_out.values()
        assert f"'{folder}'" in str(error)
        return str(error)

    (folder / "invariance.parquet").write_bytes(b"not a table")
    assert "has invariance.parquet, which cannot be opened" in left_out()
    table = pq.read_table(files(study, "blur", 5)[1] / "invariance.parquet").drop_columns(["state"])
    pq.write_table(table, folder / "invariance.parquet")
    assert "has invariance.parquet without the column 'state'" in left_out()
    for name in ("invariance", "thresholds"):
        kept = (files(study, "blur", 5)[1] / f"{name}.parquet").read_bytes()
        (folder / f"{name}.parquet").unlink()
        assert f"it lacks its {name}.parquet. Nothing else is lost. Move that folder out" in left_out()
        (folder / f"{name}.parquet").write_bytes(kept)
    assert collect(study)["trial"].n_unique() == every


def test_calibrations_of_this_recipe_are_shown_with_what_they_chose(tmp_path):
    study = open_study(tables(seeds=[0], calibration={"steps": {"blur": 0.5, "white-noise": 25}}), out=tmp_path)
    calibration(study)
    curves = gather(by_hand(study, units=4)).exposure.calibrations
    assert [(curve.title, curve.chosen) for curve in curves] == [("blur", 3.5), ("white-noise", 200.0)]
    assert curves[0].plain == pytest.approx(0.95)


def test_models_that_the_grid_varies_stay_apart(tmp_path):
    grid = {"design.level": ["blur", "rotation-90"], "design.seen": [2, 5, 8], "network.stem": ["small", "standard"]}
    contents = gather(by_hand(open_study(tables(grid=grid, seeds=[0, 1]), out=tmp_path), units=4))
    assert list(contents.exposure.series) == [
        f"{stem}: {level}" for stem in ("small", "standard") for level in ("rotation-90", "blur")
    ]
    assert {finding.name.partition(":")[0] for finding in contents.findings} == {"small", "standard"}
    assert len({finding.statement for finding in contents.findings}) > 2


def test_the_picture_of_the_splits_has_all_transformations_and_the_order_of_categories(contents, study):
    first, *rest = contents.splits
    assert first.column_levels == ("plain", *LEVELS)
    assert len(contents.splits) == 4  # 0, 2, 5 and 8 seen
    assert (first.seen | first.asked).all()
    assert first.examples.shape[:2] == first.seen.shape
    assert not first.missing.any()
    for picture in (first, *rest):
        transformed = picture.seen[:, 1]
        assert (np.diff(transformed.astype(int)) <= 0).all(), "those seen first come first"


def test_results_fit_a_terminal_and_name_within_and_across_by_transformation_and_number(study, contents):
    import io

    from unseen.cli.listing import show_results
    from unseen.cli.terminal import Terminal
    from unseen.kinds.exposure.terminal import show_grid

    def printed(show):
        console = Terminal(file=io.StringIO(), width=80)
        show(console)
        lines = console.file.getvalue().splitlines()
        assert max(map(len, lines)) <= 80
        return lines

    table = printed(lambda console: show_results(study, console, "table", True))
    row = next(line for line in table if line.split()[:2] == ["blur", "5"])
    value = one(contents.summary, measure="accuracy", series="blur", x=5.0, set=ACROSS)["value"]
    assert f"{value:.3f} [" in row
    assert row.split()[-1] == "3"
    grid = printed(lambda console: show_grid(console, contents))
    assert grid[2].split() == ["0", "2", "5", "8"]
    mine = next(line for line in grid if line.startswith("blur")).split()
    assert mine[1].startswith("–/.")
    assert mine[3].endswith(f"/{value:.2f}".replace("/0", "/"))
    tidy = printed(lambda console: show_results(study, console, "table", False))
    assert "more rows" in tidy[-1]


def test_reports_know_the_measures_by_the_names_studies_give_them():
    assert exposure_figures.MEDIAN == MEDIAN
    assert exposure_figures.TAKEN == TAKEN
    assert tuple(GROUPS.values()) == exposure_figures.GROUPS
    assert plausible("blur", 5, 10, 1)["across"] > plausible("rotation-90", 5, 10, 1)["across"]


def test_a_baseline_beside_a_grid_of_repeats_is_a_repeat_by_its_own_split(tmp_path):
    made = tables(seeds=[0])
    made["grid"][0]["design.seed"] = [0, 1]  # and the baseline has one
    contents = gather(by_hand(open_study(made, out=tmp_path), units=4))
    assert found(contents, "across rises").n == 2  # though the split of seed 1 has no baseline
    assert found(contents, "geometric").n == 2
    assert set(contents.exposure.points["repeat"]) == {0, 1}
    for words in ("across rises", "geometric", "within falls", "becomes a cue"):
        assert "over 2 draws of categories" in found(contents, words).statement
    assert not [one.statement for one in contents.findings if "seeds" in one.statement]
    assert found(contents, "invariance goes with").over == "draws of categories"
    assert {one.holds for one in contents.findings} == {None}, "two repeats decide nothing"
    assert "the same first weights" in contents.facts["Repeats"][DRAW[1]]


def test_a_trial_that_would_be_asked_nothing_is_refused_before_training(tmp_path):
    from small_study import study as small

    world = {"name": "transformed", "levels": ["blur"], "of": {"name": "digits", "viewpoint": "none"}}
    design = {"name": "expose", "level": "blur", "images_per_category": 20}
    wanted = {"world": world, "design": design, "targets": ["category"], "grid": {"design.seen": [5, 10]}}
    nothing = small(tmp_path, **wanted, recordings={"sets": ["across"], "layers": "none"})
    with pytest.raises(UnseenError, match=r"'seen 10 · seed 0' is asked \(across\) are empty.*within, plain"):
        check(nothing)
    check(small(tmp_path, **wanted, recordings={"sets": ["across", "plain"], "layers": "none"}))


@pytest.mark.parametrize("recordings", [{}, {"invariance": True, "threshold": 0.1}])
def test_a_recipe_that_never_asks_for_the_category_is_refused_before_training(tmp_path, recordings):
    from small_study import study as small

    world = {"name": "transformed", "levels": ["blur"], "of": {"name": "digits", "viewpoint": "none"}}
    wanted = {
        "world": world,
        "design": {"name": "expose", "level": "blur", "images_per_category": 20},
        "recordings": {"sets": ["plain", "across"], **recordings},
        "grid": {"design.seen": [0, 5]},
    }
    with pytest.raises(
        UnseenError, match=r'\'category\'.* names transformation alone.*\["category", "transformation"\]'
    ):
        check(small(tmp_path, **wanted, targets=["transformation"]))
    check(small(tmp_path, **wanted, targets=["transformation", "category"]))
    check(small(tmp_path, **wanted))  # the factors of the design are asked unless targets says otherwise


def test_the_same_order_in_every_repeat_is_judged_by_the_change_from_the_fewest_to_the_most():
    values = {("blur", x, r): 0.2 + 0.1 * x + 0.01 * r * x for x in (1, 2, 4) for r in range(3)}
    found = rises(values, "accuracy", 1, "it rises")
    assert found.holds is True
    assert "ρ is the same in all, and the change from the fewest to the most decides: 0.33" in found.statement
    falling = rises({key: -value for key, value in values.items()}, "accuracy", 1, "it rises")
    assert falling.holds is False
    alike = {(name, x, r): 0.1 * x for name, x, r in values}
    assert rises(alike, "accuracy", 1, "it rises").holds is None


def test_the_answer_of_one_seed_leaves_open_whether_it_rises(tmp_path):
    told = gather(by_hand(open_study(tables(seeds=[0]), out=tmp_path), units=4)).answer
    assert not re.search(r"\b(rises|falls) from", told)
    assert "left open (all repeats share one choice of categories" in told


def test_repeats_that_lack_trials_are_averaged_over_the_conditions_that_all_have():
    values = {(name, x, r): 0.1 * x + 0.001 * r for name in ("geo", "blur") for x in (1, 2, 4, 8) for r in range(3)}
    for repeat, x in enumerate((1, 2, 1)):
        del values["blur", x, repeat]
    kept = whole_repeats(values)
    assert {key[:2] for key in kept} == {("geo", x) for x in (1, 2, 4, 8)} | {("blur", 4), ("blur", 8)}
    assert {key[2] for key in kept} == {0, 1, 2}
    series = {"geo": ("", "geo", "geometric"), "blur": ("", "blur", "convolutional")}
    about = Exposure(series, "category", 9, "layer3", pl.DataFrame(), {})
    lowest = geometric_lowest(values, about)
    assert (lowest.value, lowest.holds) == (pytest.approx(0), None), "the families are equal"
    assert "no repeat has all 8 conditions: over the 6 that all repeats have" in lowest.statement


def test_repeats_with_no_number_in_common_leave_a_trend_open():
    asked = {0: (1, 2, 4), 1: (2, 4, 8), 2: (1, 8)}
    values = {("blur", x, r): 0.1 * x + 0.01 * r * x for r, xs in asked.items() for x in xs}
    finding = rises(values, "accuracy", 1, "it rises")
    assert (finding.holds, finding.p, finding.n) == (None, None, 0)
    assert finding.why == "no repeat is whole"
    assert "every repeat has 0 of 4 pairs of transformation and number seen" in finding.statement.lower()


def test_two_repeats_of_the_same_order_are_not_judged_by_their_change():
    values = {("blur", x, r): 0.1 * x + 0.01 * r * x for x in (1, 2, 4) for r in range(2)}
    finding = rises(values, "accuracy", 1, "it rises")
    assert (finding.holds, finding.p, finding.n) == (None, None, 2)
    assert finding.why == "two repeats decide nothing"


def test_an_order_and_a_change_that_disagree_leave_a_trend_open():
    hump = dict(zip((1, 2, 3, 4, 5, 6), (0.1, 0.6, 0.5, 0.4, 0.3, 0.2)))
    values = {("blur", x, r): y + 0.01 * r * (x == 6) for x, y in hump.items() for r in range(3)}
    finding = rises(values, "accuracy", 1, "it rises")
    assert (finding.value < 0, finding.holds) == (True, None)
    assert finding.why == "ρ falls and the change rises"


def test_two_numbers_are_judged_by_the_change_between_them():
    values = {("blur", x, r): 0.1 * x + 0.01 * r * x for x in (2, 5) for r in range(3)}
    finding = rises(values, "accuracy", 1, "it rises", DRAW)
    assert (finding.value, finding.n, finding.holds) == (pytest.approx(0.33), 3, True)
    assert "it changes by 0.33" in finding.statement
    assert rises(values, "accuracy", -1, "it falls").holds is False
    assert rises({key: v for key, v in values.items() if key[1] == 2}, "accuracy", 1, "it rises") is None


def test_the_answer_of_two_numbers_says_what_is_clear(tmp_path):
    study = open_study(tables(seen=(2, 8), baseline=False, draws=range(5)), out=tmp_path)
    contents = gather(by_hand(study, units=4))
    rising = found(contents, "across rises")
    assert (rising.holds, rising.n) == (True, 5)
    assert rising.corrected is not None
    assert re.search(r"never seen transformed rises from", contents.answer)


def test_the_answer_of_models_that_do_opposite_things_says_that_they_differ(tidy, contents):
    own = tidy.with_columns(series=pl.col("level"), x=pl.col("seen").cast(pl.Float64), repeat=pl.col("seed"))
    rising = replace(found(contents, "across rises"), holds=True, why="", value=0.9)
    two = [
        replace(rising, name=f"small: {rising.name}"),
        replace(rising, name=f"standard: {rising.name}", value=-0.9, holds=False),
    ]
    said = exposure_answer(own, contents.exposure, two)
    assert "models differ: it rises in small and falls in standard" in said
    assert "()" not in said


def test_the_shape_of_growth_is_no_comparison_of_the_page(drawn):
    growth = found(drawn, "linear or logarithmic")
    assert (growth.judged, growth.key, growth.corrected) == (False, "", None)
    rising = found(drawn, "across rises")
    assert rising.comparisons == sum(one.judged and one.p is not None for one in drawn.findings)
