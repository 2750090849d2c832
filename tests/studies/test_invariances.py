"""A study that scores its units: tables and facts as promised, for any number of categories seen transformed."""

import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from small_study import ran, study
from unseen.kinds.checks import check
from unseen.measures import invariance_coefficient
from unseen.recordings.ablation import AblationCurve
from unseen.studies import invariances
from unseen.studies.invariances import curve_rows, pairs_of, scored
from unseen.studies.learners import network_of
from unseen.vocabulary.errors import UnseenError

WORLD = {
    "name": "transformed",
    "levels": ["blur", "inversion"],
    "of": {"name": "digits", "viewpoint": "none"},
}
DESIGN = {"name": "expose", "level": "inversion", "images_per_category": 20}
DESIGN |= {"test_images_per_category": 10, "probe_per_category": 12}


def recipe(**changes):
    return {
        "world": WORLD,
        "targets": ["category"],
        "training__epochs": 1,
        "training__batch": 50,
        "training__normalise": "half",
        "network": {"backbone": "resnet18-w8", "stem": "small"},
        "recordings": {"sets": ["within*", "across*", "plain"], "invariance": True, "layers": ["layer1", "layer4"]},
        "grid": {},
        **changes,
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """None (asked both levels), three and all ten categories seen transformed."""
    grid = [
        {"design.seen": [3, 10]},
        {"design.seen": [0], "design.level": [["blur", "inversion"]]},
    ]
    done = study(tmp_path_factory.mktemp("invariance"), **recipe(design=DESIGN, grid=grid))
    ran(done)
    assert not done.failures()
    return done


def stored(done, seen):
    for name in done.store.finished():
        folder = done.store.trials / name
        facts = json.loads((folder / "trial.json").read_text())
        if facts["facts"]["seen"] == seen:
            return facts, pq.read_table(folder / "invariance.parquet"), pq.read_table(folder / "thresholds.parquet")
    raise AssertionError(seen)


def test_tables_have_the_columns_promised(finished):
    _, units, curve = stored(finished, 3)
    assert {field.name: str(field.type) for field in units.schema} == {
        "level": "string", "layer": "string", "group": "string", "unit": "int32", "coefficient": "float",
        "images_active": "float", "firing": "float", "state": "string",
    }  # fmt: skip
    assert {field.name: str(field.type) for field in curve.schema} == {
        "level": "string", "layer": "string", "threshold": "float", "kept": "float", "removed": "float",
        "full": "float", "images": "int32", "chosen": "bool",
    }  # fmt: skip
    assert curve.num_rows == 2 * 21
    assert units.num_rows == 3 * (8 + 64)


@pytest.mark.parametrize(
    ("seen", "levels", "groups", "images", "asked"),
    [
        (0, {"blur", "inversion"}, {"unseen", "all"}, {"seen": 0, "unseen": 120}, 120),
        (3, {"inversion"}, {"seen", "unseen", "all"}, {"seen": 36, "unseen": 84}, 36),
        (10, {"inversion"}, {"seen", "all"}, {"seen": 120, "unseen": 0}, 120),
    ],
)
def test_groups_are_those_there_are(finished, seen, levels, groups, images, asked):
    facts, units, curve = stored(finished, seen)
    assert set(units["level"].to_pylist()) == set(curve["level"].to_pylist()) == levels
    assert set(units["group"].to_pylist()) == groups
    assert facts["invariance"]["images"] == images
    assert facts["invariance"]["curve"]["images"] == asked
    assert facts["invariance"]["curve"]["kind"].startswith("transformed" if seen else "plain")
    assert set(curve["images"].to_pylist()) == {asked}
    for layer in ("layer1", "layer4"):
        assert set(facts["invariance"]["layers"][layer]) == levels


def test_every_row_is_scored_or_says_why_not(finished):
    for seen in (0, 3, 10):
        facts, units, curve = stored(finished, seen)
        rows = units.to_pylist()
        for row in rows:
            assert (row["coefficient"] is not None) == (row["state"] == "scored")
            assert row["coefficient"] is None or -1e-6 <= row["coefficient"] <= 1 + 1e-6
            assert row["firing"] is None or row["group"] == "all"
            assert (row["images_active"] > 0) == (row["state"] == "scored")
        assert any(row["firing"] is not None for row in rows)
        for layer, levels in facts["invariance"]["layers"].items():
            for level, told in levels.items():
                own = [r["state"] for r in rows if (r["layer"], r["level"], r["group"]) == (layer, level, "all")]
                assert {state: own.count(state) for state in told["states"]} == told["states"]
                assert sum(told["states"].values()) == told["units"]
                assert 0 <= told["units_per_image"] <= 1
                marked = [
                    r["threshold"]
                    for r in curve.to_pylist()
                    if (r["layer"], r["level"]) == (layer, level) and r["chosen"]
                ]
                assert marked == [pytest.approx(told["threshold"])]


def test_scores_are_those_of_activity_collected_by_hand(tmp_path):
    one = study(tmp_path / "s", **recipe(design={**DESIGN, "seen": 3}))
    trial = one.trials[0]
    world, split = one.world(trial), one.split(trial)
    network, pairs = network_of(one, trial).eval(), pairs_of(world.samples, split)
    rows, _ = curve_rows(pairs)
    truth = {"category": world.samples.levels("category", rows)}
    chosen, found = scored(
        network, ["layer4"], world.images, pairs, rows, {"layer4": "category"}, truth,
        threshold=0.3, device=torch.device("cpu"),
    )  # fmt: skip
    seen = []
    network.layer("layer4").register_forward_hook(lambda m, i, out: seen.append(out.mean((2, 3)).numpy()))
    with torch.inference_mode():
        answers = [network(world.images(rows))["category"] for rows in (pairs.plain, pairs.transformed["inversion"])]
    assert len(answers) == 2
    plain, transformed = seen
    maxima = np.maximum(plain.max(0), transformed.max(0)).astype(np.float64)
    here = np.isin(world.samples.levels("category", pairs.plain), split.facts["exposed_numbers"])
    for place, which in enumerate((here, ~here, here | ~here)):
        expected = invariance_coefficient(plain[which], transformed[which], 0.3, maxima=maxima)
        np.testing.assert_allclose(found["layer4"].coefficient[0, place], expected, rtol=1e-3, atol=1e-4)
    only = chosen["layer4"]["inversion"]
    assert (only.threshold, only.reason) == (0.3, "")
    assert len(only.curve.kept) == 1


def curve(kept):
    kept = np.asarray(kept, np.float64)
    return AblationCurve(np.linspace(0, 1, len(kept)), kept, np.zeros(len(kept)), 0.9, 50)


def test_where_the_curve_gives_no_threshold_units_are_scored_at_zero_and_it_says_so():
    fine = invariances._chosen(curve([0.9, 0.9, 0.2]), "search")
    assert (fine.threshold, fine.reason) == (0.5, "")
    never = invariances._chosen(curve([0.9, 0.9, 0.9]), "search")
    assert never.threshold == 0
    assert "never falls" in never.reason
    assert "scored at τ = 0" in never.reason
    costly = invariances._chosen(curve([0.5, 0.4, 0.3]), "search")
    assert costly.threshold == 0
    assert "costs more" in costly.reason


def test_a_threshold_whose_active_units_are_not_needed_is_doubted():
    found = invariances._chosen(replace(curve([0.9, 0.9, 0.2]), removed=np.array([0.1, 0.85, 0.9])), "search")
    assert found.threshold == 0.5
    assert found.reason == "ablating the active units leaves 0.850 of 0.900: others know the category too"


def test_images_of_the_curve_are_bounded_and_the_same_each_time(tmp_path, monkeypatch):
    one = study(tmp_path / "s", **recipe(design={**DESIGN, "seen": 3}))
    trial = one.trials[0]
    pairs = pairs_of(one.world(trial).samples, one.split(trial))
    everything, _ = curve_rows(pairs)
    monkeypatch.setattr(invariances, "MOST", 11)
    few, _ = curve_rows(pairs)
    assert len(few) == 11
    assert set(few) <= set(everything)
    assert few.tolist() == curve_rows(pairs)[0].tolist()


HELD_OUT = {"name": "hold_out_combinations", "columns": "transformation", "images": 60, "seen_per_level": 1}
HELD_OUT |= {"balance": "nearly_balanced"}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"design": HELD_OUT | {"validation_images": 30, "test_images": 30, "probe_per_cell": 1},
          "recordings": {"invariance": True}}, r"design 'hold_out_combinations' does not pair; use design 'expose'"),
        ({"recordings__layers": "none"}, r'recordings.layers = "none": no layer would be scored'),
        ({"recordings__threshold": 1.5}, r"from 0 to 1; given 1.5"),
        ({"targets": ["transformation"]}, r"accuracy for 'category'.*Add it to targets"),
        ({"network": {"backbone": "mlp"}, "recordings__layers": "all"},
         r"negative in pixels.*recordings.layers.*recordings.negative"),
        ({"recordings__layers": ["layer9"]}, r"no layer 'layer9'.*layer4"),
    ],
)  # fmt: skip
def test_what_cannot_be_scored_is_refused_before_training(tmp_path, changes, sentence):
    settings = recipe(design={**DESIGN, "seen": 3})
    settings["recordings"] = {**settings["recordings"], "sets": ["*"]}
    for key, value in changes.items():
        section, _, name = key.partition("__")
        settings[section] = {**settings[section], name: value} if name else value
    with pytest.raises(UnseenError, match=sentence):
        check(study(tmp_path / "s", **settings))


def test_negative_activity_named_is_scored(tmp_path):
    settings = recipe(design={**DESIGN, "seen": 3, "probe_per_category": 2}, network={"backbone": "mlp"})
    settings["recordings"] = {"sets": ["plain"], "invariance": True, "layers": "all", "negative": "rectify"}
    done = study(tmp_path / "s", **settings)
    ran(done)
    facts, units, _ = stored(done, 3)
    assert facts["invariance"]["negative"] == "rectify"
    assert "pixels" in facts["invariance"]["layers"]
    assert facts["invariance"]["firing"] == "the top 1 % of 20 images is no image"
    assert units["firing"].null_count == units.num_rows


def test_a_trained_network_whose_units_cannot_be_scored_keeps_its_answers(tmp_path, monkeypatch):
    def refuse(*arguments, **options):
        raise UnseenError("activity is negative in layer4")

    monkeypatch.setattr("unseen.studies.execute.record_invariance", refuse)
    done = study(tmp_path / "s", **recipe(design={**DESIGN, "seen": 3}))
    told = []
    ran(done, watch=told.append)
    assert [event.figures["flags"] for event in told if event.kind == "finished"] == [
        {"no invariance": "activity is negative in layer4"}
    ]
    (name,) = done.store.finished()
    facts = done.store.read(name)
    assert facts["flags"]["no invariance"] == "activity is negative in layer4"
    assert "invariance" not in facts
    assert (done.store.trials / name / "responses.parquet").is_file()


def test_asking_for_invariance_changes_no_identity_of_those_who_do_not(tmp_path):
    settings = recipe(design={**DESIGN, "seen": 3})
    asked = study(tmp_path / "a", **settings)
    settings["recordings"] = {**settings["recordings"], "invariance": False}
    without = study(tmp_path / "b", **settings)
    del settings["recordings"]["invariance"]
    never = study(tmp_path / "c", **settings)
    names = [one.identity(one.trials[0], "float32") for one in (asked, without, never)]
    assert names[1] == names[2] != names[0]


def test_units_are_scored_without_keeping_their_activity_in_every_cell(tmp_path):
    settings = recipe(design={**DESIGN, "seen": 3, "probe_per_category": 2})
    whole = study(tmp_path / "whole", **settings)
    settings["recordings"] = {**settings["recordings"], "cells": False}
    lean = study(tmp_path / "lean", **settings)
    for one in (whole, lean):
        ran(one)
    folders = [next(one.store.trials.iterdir()) for one in (whole, lean)]
    assert [(folder / "activity.safetensors").is_file() for folder in folders] == [True, False]
    tables = [stored(one, 3)[1] for one in (whole, lean)]
    assert tables[0].equals(tables[1])
