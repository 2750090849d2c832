"""What a study finds equals what one computes by hand from a store of known answers and activity; no training here."""

import itertools
import json
import re
import shutil
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats

from small_study import tiny
from unseen.engines import open_study
from unseen.kinds.collect import collect
from unseen.kinds.combinations.answer import headline
from unseen.kinds.combinations.findings import findings
from unseen.kinds.judged import corrected, direction, judged, told
from unseen.kinds.published import published_numbers
from unseen.kinds.results import gather, summary_of
from unseen.measures import judge
from unseen.vocabulary.errors import UnseenError

ASKED = 20
ROWS, COLUMNS = 9, 9
LEFT, RIGHT = "category", "position"


def category_unit(strength=1.0):
    """Fires for one row, at every column: perfectly selective and invariant."""
    grid = np.zeros((ROWS, COLUMNS))
    grid[2] = strength
    return grid


def position_unit():
    return category_unit().T


def vague_category_unit():
    """Prefers row 2 (mean .5 against 0), and is not invariant: half of its columns are silent."""
    grid = np.zeros((ROWS, COLUMNS))
    grid[2] = np.linspace(0, 1, COLUMNS)
    return grid


def dead_unit():
    return np.zeros((ROWS, COLUMNS))


def store_by_hand(study, right, units, flags=None, sets=("seen", "unseen"), targets=(LEFT, RIGHT)):
    """Write finished trials: ``right(trial, set, target)`` answers of twenty are right; ``units(trial)`` by layer.
    Where cells are drawn anew, these see the seed of the draw as that of the trial."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from safetensors.numpy import save_file

    for trial in study.trials:
        rows, drawn = [], replace(trial, seed=trial.condition.get("design.seed", trial.seed))
        for asked, target in itertools.product(sets, targets):
            correct = right(drawn, asked, target)
            if correct is not None:
                rows += [(asked, target, "yes", "yes" if n < correct else "no") for n in range(ASKED)]
        table = pa.table(dict(zip(("set", "target", "truth", "response"), map(list, zip(*rows)))))
        layers = units(drawn)
        name = study.identity(trial, "float32")
        cells = 9 * trial.recipe.design.arguments["seen_per_level"]
        point = {f"{phase} {what}": 0.5 for phase in ("train", "validation") for what in _figures(targets)}
        facts = {
            "identity": name, "label": "as it was called then", "condition": {}, "seed": trial.seed,
            "description": {
                "network": {"sharing": trial.recipe.network.sharing, "backbone": "by hand"},
                "training": {"precision": "float32"},
            },
            "facts": {"combinations": cells}, "factors": [LEFT, RIGHT],
            "sets": {"train": trial.condition.get("design.images", 90), "unseen": 72},
            "targets": {target: [str(n) for n in range(9)] for target in targets},
            "tasks": {layer: [t for t in targets if not layer.startswith("cat") or t == LEFT] if "." not in layer
                      else [layer.partition(".")[0]] for layer in layers},
            "network": {"backbone": "by hand", "sharing": trial.recipe.network.sharing, "parameters": 1, "stem": "no"},
            "curve": [{"epoch": 0, **point}, {"epoch": 1, **point}], "best_epoch": 1, "seconds": 2.0, "packed": 1,
            "flags": (flags or {}) if trial is study.trials[0] else {}, "seconds_together": 2.0,
            "machine": {"device": "cpu", "system": "s", "python": "3", "torch": "2", "unseen": "0"},
        }  # fmt: skip

        def write(folder, table=table, layers=layers, facts=facts):
            pq.write_table(table, folder / "responses.parquet")
            if layers:
                save_file(
                    {k: np.stack(v).astype(np.float32) for k, v in layers.items()}, folder / "activity.safetensors"
                )
            (folder / "trial.json").write_text(json.dumps(facts))

        study.store.save(name, write)
    return study


def _figures(targets):
    return [f"loss {name}" for name in ("total", *targets)] + [f"accuracy {name}" for name in targets]


def opened(tmp_path, seeds=(0, 1, 2), sharing=("shared", "separate"), seen=(1, 8), choices=(), **changes):
    grid = {"design.seen_per_level": list(seen), "network.sharing": list(sharing)}
    if choices:
        grid["design.seed"], seeds = list(choices), [0]
    return open_study(tiny(seeds=list(seeds), grid=grid, **changes), out=tmp_path / "study")


def rights(trial, asked, target):
    """Different for every condition, rising with seen cells and seed, higher for separate networks on unseen cells."""
    many = trial.recipe.design.arguments["seen_per_level"] == 8
    apart = trial.recipe.network.sharing == "separate"
    base = 16 - 2 * many if asked == "seen" else 4 + (6 + trial.seed % 2) * many + (1 + trial.seed % 2) * apart
    return base + trial.seed * (1 if target == LEFT else 0)


def layers(trial):
    units = [category_unit(), category_unit(0.5), vague_category_unit(), position_unit(), dead_unit()]
    if trial.recipe.network.sharing == "shared":
        return {"layer4": units}
    return {
        f"{LEFT}.layer4": units,
        f"{RIGHT}.layer4": [position_unit(), position_unit(), category_unit(), dead_unit()],
    }


@pytest.fixture
def study(tmp_path):
    return store_by_hand(opened(tmp_path), rights, layers)


@pytest.fixture
def choices(tmp_path):
    """The same, with the seeds' numbers from three choices of held-out cells."""
    return store_by_hand(opened(tmp_path, choices=(0, 1, 2)), rights, layers)


def only(frame, **where):
    for key, value in where.items():
        frame = frame.filter(pl.col(key) == value)
    assert frame.height == 1, frame
    return frame.row(0, named=True)


def values(sharing, seen, asked, target):
    """Accuracies of the three seeds, by hand."""
    from types import SimpleNamespace as S

    found = []
    for seed in range(3):
        trial = S(seed=seed, recipe=S(design=S(arguments={"seen_per_level": seen}), network=S(sharing=sharing)))
        accuracies = [rights(trial, asked, t) / ASKED for t in (LEFT, RIGHT)]
        found.append(np.sqrt(np.prod(accuracies)) if target == "geometric mean" else accuracies[target == RIGHT])
    return np.array(found)


@pytest.mark.parametrize("target", [LEFT, RIGHT, "geometric mean"])
@pytest.mark.parametrize(("sharing", "seen", "asked"), [("shared", 1, "unseen"), ("separate", 8, "seen")])
def test_accuracy_is_the_mean_over_seeds_with_students_interval(study, sharing, seen, asked, target):
    row = only(summary_of(study), measure="accuracy", series=sharing, x=9.0 * seen, set=asked, target=target)
    by_hand = values(sharing, seen, asked, target)
    low, high = stats.t.interval(0.95, 2, by_hand.mean(), stats.sem(by_hand))
    assert (row["value"], row["low"], row["high"]) == pytest.approx((by_hand.mean(), max(low, 0), min(high, 1)))
    assert row["n"] == 3
    assert row["chance"] == pytest.approx(1 / 9)


def test_the_tidy_table_has_a_row_for_each_trial_and_number_with_its_n(study):
    tidy = collect(study)
    assert tidy["trial"].n_unique() == 12
    accuracy = tidy.filter(pl.col("measure") == "accuracy")
    assert accuracy.height == 12 * 2 * 3
    assert set(accuracy["n"]) == {ASKED}
    row = only(accuracy, seed=2, sharing="separate", set="unseen", target=LEFT, **{"design.seen_per_level": 8})
    assert row["value"] == pytest.approx((4 + 6 + 1 + 2) / ASKED)
    assert row["combinations"] == 72


def test_conditions_are_those_of_the_grid_at_hand_not_of_the_run_that_stored_the_trial(study):
    tidy = collect(study)
    assert set(tidy["network.sharing"]) == {"shared", "separate"}
    assert set(tidy["design.seen_per_level"]) == {1, 8}


def test_shares_and_medians_of_units_equal_those_by_hand(study):
    summary = summary_of(study)
    here = {"series": "shared", "x": 72.0, "layer": "layer4"}
    share = only(summary, measure="share of units", unit_type=LEFT, **here)
    assert (share["value"], share["n"]) == (pytest.approx(3 / 5), 3)
    assert only(summary, measure="share of units", unit_type=RIGHT, **here)["value"] == pytest.approx(1 / 5)
    # two perfect units and a vague one with S = 1 and I = 0: specializations 1, 1 and 0
    assert only(summary, measure="median specialization", unit_type=LEFT, **here)["value"] == pytest.approx(1)
    assert only(summary, measure="median invariance", unit_type=LEFT, **here)["value"] == pytest.approx(1)
    assert only(summary, measure="degenerate units", **here)["value"] == 1  # the dead one


def test_of_separate_networks_only_units_of_the_own_task_count(study):
    summary = summary_of(study).filter(pl.col("series") == "separate", pl.col("x") == 72)
    left = only(summary, measure="share of units", layer="layer4", unit_type=LEFT)
    right = only(summary, measure="share of units", layer="layer4", unit_type=RIGHT)
    assert left["value"] == pytest.approx(3 / 5)  # of the category network's five units
    assert right["value"] == pytest.approx(2 / 4)  # of the position network's four
    assert only(summary, measure="degenerate units", layer="layer4")["value"] == 2  # one in each network
    assert set(summary["layer"]) == {"", "layer4"}


def test_layers_with_dots_in_their_names_keep_them(tmp_path):
    def dotted(trial):
        apart = trial.recipe.network.sharing == "separate"
        names = [f"{t}.blocks.{n}" for t in (LEFT, RIGHT) for n in (0, 1)] if apart else ["blocks.0", "blocks.1"]
        return {name: [category_unit(), position_unit()] for name in names}

    made = opened(tmp_path, seeds=[0], seen=[8])
    store_by_hand(made, rights, dotted)
    for trial in made.trials:  # shared layers serve both tasks
        path = made.store.trials / made.find(trial) / "trial.json"
        facts = json.loads(path.read_text())
        facts["tasks"] = {k: [LEFT, RIGHT] if k.startswith("blocks") else [k.partition(".")[0]] for k in facts["tasks"]}
        path.write_text(json.dumps(facts))
    contents = gather(made)
    assert contents.layers == ("blocks.0", "blocks.1")
    assert set(contents.summary["layer"]) == {"", "blocks.0", "blocks.1"}
    assert set(contents.scatter["layer"]) == {"blocks.1"}
    assert contents.scatter.height == 4


def test_separate_against_shared_is_the_paired_t_test_of_scipy_over_choices_of_cells(choices):
    found = {
        finding.statement: finding for finding in gather(choices).findings if finding.name.startswith("separate ag")
    }
    (finding,) = [f for statement, f in found.items() if "on held-out" in statement and "alone" not in statement]
    one = np.mean([values("separate", seen, "unseen", "geometric mean") for seen in (1, 8)], axis=0)  # one per seed
    two = np.mean([values("shared", seen, "unseen", "geometric mean") for seen in (1, 8)], axis=0)
    test = stats.ttest_rel(one, two)
    interval = test.confidence_interval(0.95)
    assert (finding.value, finding.p, finding.n) == (pytest.approx((one - two).mean()), pytest.approx(test.pvalue), 3)
    assert (finding.low, finding.high) == pytest.approx((interval.low, interval.high))
    assert finding.holds is None, "p is above .05"
    assert finding.over == "choices of held-out cells"
    assert f"{(one - two).mean():.3f} above shared" in finding.statement


def test_a_rise_and_a_fall_with_diversity_are_found_with_their_intervals(choices):
    found = {(f.name, f.statement.partition(":")[0]): f for f in gather(choices).findings}
    rise = found["diversity helps OOD", "shared"]
    change = values("shared", 8, "unseen", "geometric mean") - values("shared", 1, "unseen", "geometric mean")
    low, high = stats.t.interval(0.95, 2, change.mean(), stats.sem(change))
    assert (rise.value, rise.low, rise.high, rise.n) == (
        pytest.approx(change.mean()),
        *map(pytest.approx, (low, high)),
        3,
    )
    assert (rise.holds, rise.over) == (True, "choices of held-out cells")
    assert rise.p < rise.corrected < 0.05
    tested = [f for f in found.values() if f.judged and f.p is not None]
    assert rise.comparisons >= len(tested) > 4
    fall = found["diversity costs in-distribution", "separate"]  # 16 falls to 14 of 20, by nearly as much in all
    assert fall.high < 0


def test_seeds_of_one_choice_of_held_out_cells_decide_nothing(study):
    found = gather(study).findings
    assert {f.holds for f in found} == {None}
    rise = next(f for f in found if f.name == "diversity helps OOD")
    assert (rise.n, rise.p, rise.over) == (3, None, "seeds")
    assert rise.low > 0, "seeds alone would say so"
    assert 'give grid."design.seed" several values' in rise.why
    assert not re.search(r"\b(rises|falls) from", gather(study).answer)


def test_specialization_and_accuracy_correlate_within_conditions_and_plainly_as_scipy_says(tmp_path):
    made = opened(tmp_path, sharing=["shared"], choices=range(4))
    rng = np.random.default_rng(0)
    strengths = {(seen, choice): rng.uniform(0.2, 1) for seen in (1, 8) for choice in range(4)}

    def strength(trial):
        return strengths[trial.recipe.design.arguments["seen_per_level"], trial.seed]

    def units(trial):
        grid = np.full((ROWS, COLUMNS), 1 - strength(trial))
        grid[2] = 1
        grid[5, 5] = 0  # the scale reaches zero
        return {"layer4": [grid, grid.T]}

    def right(trial, asked, target):
        return round(10 * strength(trial)) + (trial.seed == 0) * 3

    contents = gather(store_by_hand(made, right, units))
    scatter = contents.scatter.filter(pl.col("target") == LEFT)
    assert scatter.height == 8
    finding = next(f for f in contents.findings if f.name.startswith(f"specialization and OOD {LEFT}"))
    plain = stats.spearmanr(scatter["specialization"], scatter["accuracy"]).statistic
    assert f"Over all 8 trials ρ is {plain:.2f}".replace("-", "−") in finding.statement
    ranks = [
        [stats.rankdata(own[name]) - 2.5 for name in ("specialization", "accuracy")]
        for _, own in scatter.group_by("x", maintain_order=True)
    ]
    a, b = (np.concatenate([pair[side] for pair in ranks]) for side in (0, 1))
    assert (finding.value, finding.n) == (pytest.approx(a @ b / np.sqrt((a @ a) * (b @ b))), 4)
    assert f"ρ = {finding.value:.2f} within 2 conditions of one diversity and one architecture" in finding.statement


def test_flags_and_failures_are_listed_with_their_trials(tmp_path):
    made = store_by_hand(opened(tmp_path), rights, layers, flags={"unconverged": "still falling"})
    failed = made.identity(made.trials[1], "bf16")
    shutil.rmtree(made.store.trials / made.find(made.trials[1]))
    made.store.fail(failed, {"label": "seen_per_level 1 · shared · seed 1", "seed": 1, "error": "no memory"})
    made.store.fail(made.identity(made.trials[2], "bf16"), {"error": "on a GPU; a CPU has finished it since"})
    made.store.fail("of-other-settings", {"label": "x", "seed": 0, "error": "old"})
    flags = gather(made).flags
    assert flags.select("flag", "detail", "series", "x", "seed").rows() == [
        ("unconverged", "still falling", "shared", 9.0, 0),
        ("failed", "no memory", "seen_per_level 1 · shared · seed 1", None, 1),
    ]


def test_the_answer_leads_with_the_category_beside_chance_and_what_was_seen(choices):
    answer = gather(choices).answer
    first, last = (values("shared", seen, "unseen", LEFT).mean() for seen in (1, 8))
    assert answer.startswith("On combinations never seen in training, accuracy of category rises from")
    assert re.search(rf"from {first:.2f} to {last:.2f} \[0\.\d\d, [01]\.\d\d\] \(shared, n = 3\)", answer)
    assert "as the number of seen combinations (of 81) goes from 9 to 72. Chance is 0.11; on new images of" in answer
    assert f"{values('shared', 8, 'seen', LEFT).mean():.2f} (shared)" in answer
    both = values("separate", 8, "unseen", "geometric mean").mean()
    assert f"The geometric mean of both accuracies on unseen combinations is then {both:.2f} [" in answer


def test_the_answer_says_rises_only_where_the_finding_about_it_holds(tmp_path):
    def unsure(trial, asked, target):
        """Up by 9 of 20 with one seed, down by 1 with another."""
        many = trial.recipe.design.arguments["seen_per_level"] == 8
        return 5 + many * (9, 1, -1)[trial.seed]

    made = opened(tmp_path, sharing=["shared"], choices=(0, 1, 2))
    contents = gather(store_by_hand(made, unsure, lambda trial: {}))
    (found,) = [f for f in contents.findings if f.name == "diversity helps OOD: category"]
    assert found.holds is None
    assert "rises from" not in contents.answer
    assert "accuracy of category is 0.25 [0.25, 0.25] at 9 and 0.40 [" in contents.answer
    assert "; whether it rises is left open (change 0.15 [−" in contents.answer


def test_with_one_repeat_the_answer_leaves_open_whether_anything_rises(tmp_path):
    contents = gather(store_by_hand(opened(tmp_path, seeds=[0]), rights, layers))
    assert not re.search(r"\b(rises|falls) from", contents.answer)
    assert "whether it rises is left open (all repeats share one choice of held-out cells" in contents.answer


def test_a_point_in_between_that_is_above_both_ends_is_not_hidden_by_them(tmp_path):
    def peaked(trial, asked, target):
        return {1: 3, 4: 15, 8: 9 + trial.seed}[trial.recipe.design.arguments["seen_per_level"]]

    made = opened(tmp_path, seen=(1, 4, 8), sharing=["shared"], choices=(0, 1, 2))
    answer = gather(store_by_hand(made, peaked, lambda trial: {})).answer
    assert "from 0.15 to 0.50 [0.38, 0.62] (n = 3; highest at 36: 0.75)" in answer


def test_curves_that_move_in_different_ways_are_told_apart(tmp_path):
    def right(trial, asked, target):
        many = trial.recipe.design.arguments["seen_per_level"] == 8
        if trial.recipe.network.sharing == "shared":
            return 5 + many * (9, -3, 3)[trial.seed]
        return 4 + (9 + trial.seed) * many

    answer = gather(store_by_hand(opened(tmp_path, choices=(0, 1, 2)), right, lambda trial: {})).answer
    assert re.search(r"accuracy of category rises from 0\.20 to 0\.70 \[.*?\] \(separate, n = 3\) as the", answer)
    assert re.search(
        r"; it is 0\.25 \[.*?\] at 9 and 0\.40 .* \(shared, n = 3\); whether it rises is left open", answer
    )


def test_one_seed_has_values_and_no_intervals(tmp_path):
    contents = gather(store_by_hand(opened(tmp_path, seeds=[0]), rights, layers))
    assert set(contents.summary["n"]) == {1}
    assert contents.summary["low"].is_nan().all()
    assert contents.summary["high"].is_nan().all()
    assert "[" not in contents.answer
    trends = [f for f in contents.findings if f.name == "diversity helps OOD"]
    assert [(f.n, np.isnan(f.low), f.holds) for f in trends] == [(1, True, None)] * 2


def test_a_study_of_one_condition_has_an_answer_and_no_trends(tmp_path):
    contents = gather(store_by_hand(opened(tmp_path, seen=[8], sharing=["shared"]), rights, layers))
    by_hand = values("shared", 8, "unseen", LEFT).mean()
    assert f"accuracy of category is {by_hand:.2f} [" in contents.answer
    assert contents.findings == ()
    assert set(contents.summary["x"]) == {72.0}


def test_a_study_of_one_target_has_its_units_and_no_geometric_mean(tmp_path):
    made = opened(tmp_path, sharing=["shared"], targets=[LEFT])
    contents = gather(store_by_hand(made, rights, layers, targets=(LEFT,)))
    assert set(contents.summary["target"]) == {"", LEFT}
    assert f"accuracy of {LEFT}" in contents.answer
    share = only(contents.summary, measure="share of units", unit_type=LEFT, x=72.0)
    assert share["value"] == pytest.approx(3 / 5)
    assert only(contents.summary, measure="share of units", unit_type=RIGHT, x=72.0)["value"] == pytest.approx(1 / 5)
    assert {f.name for f in contents.findings} >= {"diversity helps OOD"}
    assert "(shared" not in contents.answer  # one curve needs no name


def test_a_set_that_asks_one_target_only_has_no_geometric_mean(tmp_path):
    def right(trial, asked, target):
        return None if asked == "new-rows" and target == LEFT else 10

    made = store_by_hand(opened(tmp_path, seeds=[0]), right, layers, sets=("seen", "unseen", "new-rows"))
    rows = collect(made).filter(pl.col("set") == "new-rows", pl.col("measure") == "accuracy")
    assert set(rows["target"]) == {RIGHT}
    assert set(rows["value"]) == {0.5}


def test_a_study_without_activity_still_has_its_accuracies(tmp_path):
    contents = gather(store_by_hand(opened(tmp_path), rights, lambda trial: {}))
    assert contents.scatter.height == 0
    assert contents.units == ()
    assert set(contents.summary["layer"]) == {""}


def test_grid_values_that_are_lists_or_of_two_kinds_fit_in_the_tidy_table(tmp_path):
    grid = {"design.withhold_rows": [[], ["3"]], "recordings.layers": ["last", ["layer4"]]}
    made = open_study(tiny(seeds=[0], design__seen_per_level=1, grid=grid), out=tmp_path)
    tidy = collect(store_by_hand(made, lambda *asked: 10, lambda trial: {}))
    assert set(tidy["design.withhold_rows"]) == {"[]", '["3"]'}
    assert set(tidy["recordings.layers"]) == {"last", '["layer4"]'}
    assert "withhold_rows" in tidy.write_csv()


def test_a_study_without_finished_trials_says_what_to_do(tmp_path):
    with pytest.raises(UnseenError, match=r"has no finished trial yet; `unseen run` it first"):
        collect(opened(tmp_path))


def test_published_numbers_are_those_of_the_facts():
    """The facts about Madan et al. 2022: geometric means recomputed from the released files."""
    cars = {
        ("separate", "seen"): ".956 .898 .863 .825", ("separate", "unseen"): ".449 .622 .720 .742",
        ("shared", "seen"): ".960 .909 .870 .847", ("shared", "unseen"): ".441 .466 .534 .585",
    }  # fmt: skip
    ilab = {
        ("separate", "unseen"): ".356 .496 .582 .705 .810",
        ("shared", "unseen"): ".350 .415 .510 .538 .600",
    }
    for name, xs, by_hand in (("biased-cars", (5, 10, 15, 20), cars), ("ilab", (6, 12, 18, 24, 30), ilab)):
        table, source = published_numbers(f"madan2022/{name}")
        assert "drop_last" in source
        told = {(r["series"], r["set"], r["x"]): r["value"] for r in table.iter_rows(named=True)}
        assert told == {(*k, float(x)): float(v) for k, text in by_hand.items() for x, v in zip(xs, text.split())}
    assert published_numbers("") == (None, "")
    with pytest.raises(UnseenError, match=r"no published table 'madan2022/ilabs'.*Did you mean 'madan2022/ilab'"):
        published_numbers("madan2022/ilabs")


def test_repeats_that_coincide_and_two_repeats_decide_nothing(tmp_path):
    def same(trial, asked, target):
        return 4 + 9 * (trial.recipe.design.arguments["seen_per_level"] == 8)

    made = opened(tmp_path, sharing=["shared"], choices=(0, 1, 2))
    contents = gather(store_by_hand(made, same, lambda trial: {}))
    assert {f.why for f in contents.findings if f.judged} == {"all repeats coincide"}
    assert {f.holds for f in contents.findings if f.name.startswith("diversity")} == {None}
    assert "whether it rises is left open" in contents.answer


def test_curves_of_one_seed_are_no_repeats_of_each_other():
    rows = [
        {"series": f"net{n} shared", "x": float(x), "repeat": 0, "set": "unseen", "target": LEFT, "value": v + 0.01 * n}
        for n in range(4)
        for x, v in ((9, 0.1), (72, 0.6 + 0.01 * n))
    ]
    points, title = pl.DataFrame(rows), "number of seen combinations"
    (trend,) = findings(points, pl.DataFrame(), pl.DataFrame(), title, LEFT)
    assert (trend.n, trend.holds) == (1, None)
    assert not re.search(r"\brises from", headline(points, title, LEFT, {}, [trend]))


def test_the_plan_says_what_can_be_decided_before_anything_is_run(tmp_path):
    from unseen.kinds.results import planned

    one = planned(opened(tmp_path / "one"))
    assert one.words() == [
        "verdicts: none will be possible, all seeds share one choice of held-out cells: "
        'give grid."design.seed" several values'
    ]
    several = opened(tmp_path / "several", choices=range(5))
    told = planned(several)
    assert (told.n, told.over) == (5, "choices of held-out cells")
    found = gather(store_by_hand(several, rights, layers)).findings
    assert told.comparisons == sum(f.judged for f in found)
    assert "times as large as the spread between choices" in told.words()[1]
    assert "at a spread of 0.02, typical of Separate − Shared" in told.words()[1]


def rights_of_images(trial, asked, target):
    more, seed = trial.condition["design.images"] == 800, trial.condition["design.seed"]
    return 6 + (2 + seed % 2) * more + seed + (asked == "seen") + (trial.recipe.network.sharing == "separate")


def test_the_plan_counts_trends_over_images_as_the_page_does(tmp_path):
    from unseen.kinds.results import planned

    grid = {"design.images": [400, 800], "design.seed": [0, 1, 2], "network.sharing": ["shared", "separate"]}
    recipe = tiny(seeds=[0], grid=grid)
    recipe["design"] |= {"seen_per_level": 5}
    study = open_study(recipe, out=tmp_path / "study")
    made = gather(store_by_hand(study, rights_of_images, layers)).findings
    trends = [one for one in made if one.key.startswith("trend")]
    assert len(trends) == 8
    assert planned(study).comparisons == sum(one.judged or bool(one.key) for one in made)


def test_the_plan_says_in_plain_words_how_large_an_effect_must_be():
    from unseen.kinds.planned import PlannedVerdicts

    assert PlannedVerdicts(1, "seeds", 5).words() == ["verdicts: none will be possible, 1 seed is fewer than 3 repeats"]
    head, told = PlannedVerdicts(3, "choices of held-out cells", 13, spread=0.02).words()
    assert head == "verdicts: over 3 choices of held-out cells, corrected for about 13 comparisons"
    assert told.startswith(
        "an effect must be 11.8 times as large as the spread between choices to be found in 80 % of "
    )
    assert "(3.3 times were it the only comparison)" in told
    assert told.endswith("at a spread of 0.02, typical of Separate − Shared, that is 0.24 of accuracy")


def test_a_pair_is_compared_at_the_same_numbers_of_combinations_in_every_repeat():
    every = {18: 0.0, 36: 0.08, 72: 0.08}
    rows = [
        (name, x, repeat, 0.5 + (name == "separate") * (gap + 0.001 * repeat))
        for name in ("shared", "separate")
        for repeat in range(6)
        for x, gap in every.items()
        if x == 18 or repeat < 3
    ]
    points = pl.DataFrame(
        [
            {
                "series": s,
                "x": float(x),
                "repeat": r,
                "seed": 0,
                "set": "unseen",
                "target": "geometric mean",
                "value": v,
            }
            for s, x, r, v in rows
        ]
    )
    (found,) = [
        one
        for one in findings(points, pl.DataFrame(), pl.DataFrame(), "number of combinations")
        if "against" in one.name
    ]
    assert found.n == 3, "the repeats that have every number"
    assert found.value == pytest.approx(0.16 / 3 + 0.001)


def test_a_correction_says_so_of_a_change_that_the_answer_speaks_of():
    rising = told("images", "It rises", judge(np.array([0.1, 0.2, 0.22]), 1), key="trend")
    others = [judged(str(n), "It holds", judge(np.array([0.1, 0.2, 0.21 + n]), 1)) for n in range(6)]
    found = corrected([rising, *others])[0]
    assert direction(found) == ""
    assert "corrected for" in found.why
    assert direction(replace(found, corrected=0.0)) == "rises", "a p too small for a float is a p"


def test_curves_that_go_the_other_way_are_not_said_to_rise():
    ends = {"a": (0.9, 0.8), "b": (0.2, 0.6), "c": (0.2, 0.7), "d": (0.1, 0.6)}
    points = pl.DataFrame(
        [
            {"series": s, "x": float(x), "repeat": r, "seed": 0, "set": "unseen", "target": "category"}
            | {"value": value + 0.01 * r * (x > 9)}
            for s, both in ends.items()
            for r in range(5)
            for x, value in zip((9, 72), both)
        ]
    )
    found = findings(points, pl.DataFrame(), pl.DataFrame(), "number of seen combinations", "category")
    said = headline(points, "number of seen combinations", "category", {}, found)
    assert "rises on average over 4 curves: from 0.90 to 0.82" in said
