"""What a study says about the activity that matters equals what one computes by hand from known curves."""

import json

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from exposure_example import LAYERS, by_hand, tables

from unseen.engines import open_study
from unseen.kinds.exposure.findings import exposure_findings
from unseen.kinds.exposure.shown import Exposure
from unseen.kinds.exposure.thresholds import by_layer, threshold_answer, threshold_findings
from unseen.kinds.results import gather

LEVELS = ("thinning", "rotation-90", "blur", "inversion", "white-noise", "salt-and-pepper")
CHANCE = 1 / 9


def with_curves(study, curve):
    """Put τ and the accuracies at it into every trial: ``curve(level, layer, seed)`` gives τ (None: no τ), accuracy
    without the inactive units, without the active ones, and of the whole network."""
    for name in study.store.finished():
        folder = study.store.trials / name
        facts = json.loads((folder / "trial.json").read_text())
        frame = pl.from_arrow(pq.read_table(folder / "thresholds.parquet"))
        rows = []
        for row in frame.to_dicts():
            tau, kept, removed, full = curve(row["level"], row["layer"], facts["seed"])
            chosen = abs(row["threshold"] - (tau or 0)) < 1e-6
            rows.append(row | {"kept": kept, "removed": removed, "full": full, "chosen": chosen})
            told = facts["invariance"]["layers"][row["layer"]][row["level"]]
            told |= {"threshold": tau or 0.0, "reason": "" if tau is not None else "it never falls; scored at τ = 0"}
        pq.write_table(pl.DataFrame(rows, schema=frame.schema).to_arrow(), folder / "thresholds.parquet")
        (folder / "trial.json").write_text(json.dumps(facts))
    return study


def studied(path, curve, levels=LEVELS, seen=(6,), **changes):
    recipe = tables(levels, seen=seen, baseline=False, **({"seeds": [0]} | changes))
    return gather(with_curves(by_hand(open_study(recipe, out=path), units=4), curve))


def found(contents, words):
    return next(finding for finding in contents.findings if words in finding.name)


def known(level, layer, seed):
    """The last layer has a high τ and units below it that know the category too; the others do not."""
    place = LEVELS.index(level)
    if layer == LAYERS[-1]:
        return 0.4 + 0.05 * place, 0.89, 0.8 + 0.01 * place, 0.9
    return 0.2, 0.895, 0.12 + 0.002 * place, 0.9


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    return studied(tmp_path_factory.mktemp("thresholds"), known)


def test_tau_is_the_median_over_networks_with_its_range_beside_the_published_ones(contents):
    finding = found(contents, "below which units can be left out")
    assert finding.value == pytest.approx(0.525)
    assert (finding.n, finding.holds) == (6, None)
    assert 0.4 <= finding.low < finding.value < finding.high <= 0.65
    for words in ("median of 6 networks, 0.4 to 0.65, one seed", "0.1 on faces and 0.05 on ImageNet", "layer1 0.2"):
        assert words in finding.statement


def test_the_headline_and_the_first_findings_answer_where_one_number_is_seen(contents):
    assert contents.answer.startswith("In layer3, units below τ = 0.525 of their largest activity can be left out")
    assert "median of 6 networks, 0.4 to 0.65; published: 0.1 on faces and 0.05 on ImageNet" in contents.answer
    assert "0.890 without them and 0.900 with them" in contents.answer
    assert "0.825, not near chance (0.111); in layer1 and layer2 it is 0.125, at τ = 0.2" in contents.answer
    assert "With 6 of 9 categories seen transformed" in contents.answer
    assert "can be left out" in contents.findings[0].name


def test_accuracy_without_the_inactive_units_is_told_and_not_judged(contents):
    finding = found(contents, "without the inactive units")
    assert finding.value == pytest.approx(-0.01)
    assert finding.holds is None
    assert "0.890 against 0.900" in finding.statement


def test_accuracy_without_the_active_units_is_near_chance_where_a_tenth_is_left_at_most(contents):
    finding = found(contents, "falls near chance")
    shares = [(0.8 + 0.01 * place - CHANCE) / (0.9 - CHANCE) for place in range(6)]
    assert finding.value == pytest.approx(np.median(shares))
    assert finding.low < finding.value < finding.high
    assert (finding.n, finding.holds, finding.over) == (6, False, "transformations")
    assert finding.p == pytest.approx(2 / 2**6), "all six lie on one side"
    assert "at most a tenth is left, under most transformations (ours)" in finding.statement
    assert "layer1 1.8 %" in finding.statement
    assert [layer.near for layer in contents.exposure.by_layer] == [True, True, False]


def test_few_transformations_or_equal_ones_have_no_interval_and_few_are_left_open(tmp_path):
    few = studied(tmp_path / "few", known, levels=LEVELS[:2])
    near, tau = found(few, "falls near chance"), found(few, "can be left out")
    assert (near.holds, np.isnan(near.low), np.isnan(tau.low)) == (None, True, True)
    assert near.why == "fewer than 6 decide nothing by their signs"
    assert "too few to resample, so there is no interval" in tau.statement
    assert "0.805 (chance: 0.111); in layer1 and layer2 it is 0.121, at τ = 0.2" in few.answer
    same = studied(tmp_path / "same", lambda level, layer, seed: (0.3, 0.9, 0.2, 0.9))
    assert "all 0.3" in found(same, "can be left out").statement
    assert "resampled medians coincide, so there is no interval" in found(same, "can be left out").statement
    assert np.isnan(found(same, "falls near chance").low), "equal ones make no interval"


def test_networks_whose_curve_gives_no_tau_are_counted_and_left_out(tmp_path):
    def some(level, layer, seed):
        return (None, 0.1, 0.1, 0.9) if level == "blur" else known(level, layer, seed)

    contents = studied(tmp_path / "some", some)
    finding = found(contents, "can be left out")
    assert (finding.n, contents.exposure.by_layer[-1].without) == (5, 1)
    assert "one more curve gives no τ" in finding.statement
    none = studied(tmp_path / "none", lambda level, layer, seed: (None, 0.1, 0.1, 0.9), levels=LEVELS[:2])
    assert none.answer.startswith("No curve of layer3 gives a threshold τ.")
    assert "none of the 2 curves" in found(none, "can be left out").statement.lower()


def test_findings_that_need_several_numbers_are_left_out_with_one(contents):
    names = " ".join(finding.name for finding in contents.findings)
    for words in ("rises", "falls as more", "linear", "becomes a cue", "goes with"):
        assert words not in names
    assert "mean over transformations, 6 categories seen transformed" in found(contents, "geometric").statement


def test_with_several_numbers_accuracy_is_the_answer_and_tau_comes_last(tmp_path):
    contents = studied(tmp_path, known, levels=LEVELS[:2], seen=(2, 5))
    assert contents.answer.startswith("Accuracy on transformed images")
    assert "near chance" in contents.findings[-1].name


def test_a_given_tau_is_not_told_as_one_that_was_found(tmp_path):
    study = by_hand(open_study(tables(LEVELS[:2], seen=(6,), baseline=False, seeds=[0]), out=tmp_path), units=4)
    for name in study.store.finished():
        path = study.store.trials / name / "thresholds.parquet"
        frame = pl.from_arrow(pq.read_table(path))
        pq.write_table(frame.filter(frame["chosen"]).to_arrow(), path)
    contents = gather(study)
    assert contents.exposure.by_layer == ()
    assert contents.answer.startswith("With 6 of 9")


def about(networks):
    """A study at one number of categories; ``networks``: by model and transformation τ, accuracy without the active
    units, and of the whole network."""
    rows = [
        {"series": f"{model}: {level}", "x": 6.0, "repeat": 0, "layer": "last", "tau": tau, "kept": 0.9}
        | {"removed": removed, "full": full} for (model, level), (tau, removed, full) in networks.items()
    ]  # fmt: skip
    series = {f"{model}: {level}": (model, level, "noise") for model, level in networks}
    schema = {"series": str, "x": float, "repeat": int, "layer": str, "tau": float, "kept": float}
    frame = pl.DataFrame(rows, schema | {"removed": float, "full": float})
    layers = by_layer(frame, series, ["last"], 10)
    points = pl.DataFrame(schema={"series": str, "x": float, "repeat": int, "invariance": float, "within": float})
    points = points.with_columns(across=pl.lit(0.0))
    return Exposure(series, "category", 10, "last", points, {}, by_layer=layers, one_number=True)


def test_a_model_without_a_threshold_does_not_take_the_verdict_of_another():
    first = {("deep", f"t{at}"): (None, 0.1, 0.9) for at in range(8)}
    networks = first | {("plain", f"t{at}"): (0.1, 0.7 + 0.01 * at, 0.9) for at in range(8)}
    networks |= {("wide", f"t{at}"): (0.1, 0.1 + 0.001 * at, 0.9) for at in range(8)}
    made = about(networks)
    columns = ("series", "x", "repeat", "set", "target", "layer", "measure", "level", "value")
    tidy = pl.DataFrame(schema={name: float if name in ("x", "value") else str for name in columns})
    found = exposure_findings(tidy.with_columns(pl.col("repeat").cast(int)), made)
    said = {one.name.partition(":")[0]: one.holds for one in found if "near chance" in one.name}
    assert said == {"plain": False, "wide": True}
    answer = threshold_answer(made, found)
    assert answer.startswith("deep: No curve of last gives a threshold τ. plain: In last")
    assert "0.735, not near chance (0.100)" in answer


def test_transformations_whose_whole_network_is_at_chance_are_not_counted_among_those_judged():
    networks = {("", f"t{at}"): (0.1, 0.1 + 0.001 * at, 0.9 if at < 7 else 0.1) for at in range(9)}
    near = threshold_findings(about(networks))[-1]
    assert (near.n, near.holds) == (7, True)
    assert near.p == pytest.approx(2 / 2**7)
    assert "2 transformations are left out: the whole network is at chance" in near.statement
    able = {key: one for key, one in networks.items() if one[2] > 0.5}
    assert "left out: the" not in threshold_findings(about(able))[-1].statement


def test_the_plan_says_that_near_chance_is_judged_over_transformations(tmp_path):
    from unseen.kinds.results import planned

    searched = tables(LEVELS, seen=(6,), baseline=False, seeds=[0])
    searched["recordings"] |= {"threshold": "search"}
    (told,) = planned(open_study(searched, out=tmp_path / "search")).words()
    assert told.startswith(
        "verdicts: over 6 transformations, whether accuracy is near chance without the active units;"
    )
    assert "no others: all repeats share one choice of categories" in told
    few = tables(LEVELS[:5], seen=(6,), baseline=False, seeds=[0])
    few["grid"].append({"design.level": [list(LEVELS[:5])], "design.seen": [0]})  # a baseline of all is no sixth one
    few["recordings"] |= {"threshold": "search"}
    assert "none will be possible" in planned(open_study(few, out=tmp_path / "few")).words()[0]
