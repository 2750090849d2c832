"""A study of natural variation on a tiny rendered world, from recipe to page; and its kind on numbers by hand."""

import json
from dataclasses import replace

import numpy as np
import pytest

from unseen.engines import open_study
from unseen.engines.local import run_study
from unseen.kinds.checks import check
from unseen.kinds.published import published_numbers
from unseen.kinds.results import findings_of, gather, page_of, planned, show_summary, summary_of
from unseen.kinds.table import kind_of
from unseen.kinds.variability.contents import contents_of, nearest_of
from unseen.kinds.variability.findings import variability_findings
from unseen.kinds.variability.read import Gaps, Point, read
from unseen.vocabulary.design_facts import Varied
from unseen.vocabulary.errors import UnseenError

FACTORS = ("pose", "position", "size", "light", "background")
RECIPE = {
    "title": "Natural variation, tiny",
    "question": "Which changes break it?",
    "published": "ibrahim2022/tables",
    "protocol": "probe",
    "seeds": [0],
    "world": {"name": "natural-variation", "classes": ["mug", "chair", "fish", "car"], "instances": 6, "levels": 3,
              "backgrounds": 3, "blocks": ["single"], "side": 16},
    "design": {"name": "vary_some", "folds": 3, "images_per_object": 4, "validation": 0.25},
    "network": {"backbone": "resnet18-w8", "stem": "small", "frozen": True},
    "training": {"epochs": 2, "batch": 16},
    "recordings": {"sets": ["canonical*", "varying-*", "trained-canonical*"], "layers": "none"},
    "grid": [
        {"design.fold": [0, 1, 2], "design.regime": ["canonical"]},
        {"design.fold": [0, 1, 2], "design.regime": ["samples"], "design.vary": ["pose"], "design.share": [0.25, 0.75]},
        {"design.fold": [0, 1, 2], "design.regime": ["classes"], "design.vary": ["pose"]},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    made = open_study(RECIPE, out=tmp_path_factory.mktemp("variability") / "study")
    check(made)
    run_study(made, device="cpu", workers=1, watch=lambda event: None)
    assert not made.failures()
    return made


def test_classes_are_compared_by_the_networks_own_features_where_probes_are_fitted_together(tmp_path):
    joint = {**RECIPE, "training": {"optimiser": "lbfgs"}, "measures": {"similarity": "features"},
             "grid": [{"design.fold": [0, 1, 2], "design.regime": ["classes"], "design.vary": ["pose"]}]}  # fmt: skip
    made = open_study(joint, out=tmp_path / "study")
    check(made)
    run_study(made, device="cpu", workers=1, watch=lambda event: None)
    assert not made.failures()
    found = read(made)
    kept = [record.facts["likeness"] for record in found.trials]
    assert len(kept) == 3
    for record in found.trials:
        others = {"mug", "chair", "fish", "car"} - set(Varied.of(record.split_facts).exposed)
        assert set(record.facts["likeness"]) == others
        assert len(others) == 2
        assert all(-1 <= value <= 1 for value in record.facts["likeness"].values())
    near, by_tree, name = nearest_of(found, "features"), nearest_of(found, "wordnet"), next(iter(kept[0]))
    repeats = {row["repeat"] for row in found.rows}
    mean = np.mean([one[name] for one in kept])
    assert all(near(repeat, f"a {name}") == pytest.approx(mean) for repeat in repeats)
    assert all(0 < by_tree(repeat, f"a {name}") < 1 for repeat in repeats)
    shown = contents_of(made)
    assert (shown.similarity, shown.unknown_classes) == ("features of the network", 0)
    assert sum(one.n for one in shown.bins) == len(set().union(*kept))  # a class counts once, not once a fold


def test_the_kind_follows_from_the_design_and_the_plan_tells_its_repeats(study):
    assert kind_of(study.recipe).name == "variability"
    assert (planned(study).n, planned(study).over) == (3, "folds of the objects")


def test_every_object_is_asked_once_and_a_gap_is_that_of_its_own_canonical_pictures(study):
    frame = summary_of(study)
    canonical = frame.filter((frame["x"] == "canonical only") & (frame["target"] == "category"))
    asked = dict(canonical.filter(canonical["measure"] == "accuracy").select("set", "value").iter_rows())
    gaps = dict(canonical.filter(canonical["measure"] == "gap").select("set", "value").iter_rows())
    assert set(gaps) == {f"varying-{name}" for name in FACTORS}
    for name, value in gaps.items():
        assert value == pytest.approx(asked[name] - asked["canonical"], abs=1e-9)
    counts = {record["sets"]["canonical"] for record in map(study.store.read, study.store.finished())
              if "canonical" in record["sets"]}  # fmt: skip
    assert counts == {8}


def test_the_page_shows_its_figures_tables_and_the_published_numbers(study):
    contents = gather(study)
    page = page_of(study, contents)
    assert {"gaps", "findings", "splits", "networks", "classes", "over-samples", "cross-factors"} <= set(page.names)
    assert any("All factors together" in reason for reason in page.reasons)
    assert {one.name for one in contents.beside} >= {"CLIP, linear", "Average, finetune"}
    row = contents.networks[0]
    assert row.over_objects["pose"].n == 24
    assert row.over_objects["pose"].low <= row.over_objects["pose"].value <= row.over_objects["pose"].high
    for figure in page.figures.values():
        for panel in figure.panels:
            assert json.dumps(figure.specification(panel))
    assert "points" in contents.answer
    assert "3 folds of the objects" in contents.answer


def test_the_terminal_keeps_to_80_columns(study, capsys):
    from rich.console import Console

    show_summary(study, Console(width=80), summary_of(study))
    told = capsys.readouterr().out
    assert "canonical only" in told
    assert told.count("pose varies") == 4  # two shares, classes seen varying and the others
    assert all(name in told for name in FACTORS)
    assert max(map(len, told.splitlines())) <= 80


def test_findings_are_those_that_the_study_has_what_it_needs_for(study):
    names = [one.name for one in findings_of(study)]
    assert names[0] == "pose, background and size are the worst"
    assert "variation in all objects closes the gap" in names
    assert "half of the classes varying is worse than none" in names
    assert not [name for name in names if "finetuning" in name or "data" in name or "few varying" in name]
    assert {one.over for one in findings_of(study)} == {"folds of the objects"}


@pytest.mark.parametrize(("changes", "words"), [
    ({"recordings": {"sets": ["varying-*"], "layers": "none"}}, 'name both, e.g. recordings.sets = ."canonical'),
    ({"grid": {"design.fold": [0, 1], "design.seed": [0, 1]}}, "Vary design.fold for one design.seed"),
    ({"grid": {"design.fold": [0, 1], "design.class_share": [0.2, 0.5]}}, "shares of the classes would be averaged"),
    ({"design": {**RECIPE["design"], "folds": 7}}, "class 'mug' has 6 objects: with design.folds = 7"),
])  # fmt: skip
def test_what_could_not_be_answered_is_refused_before_training(changes, words, tmp_path):
    with pytest.raises(UnseenError, match=words):
        check(open_study(RECIPE | changes, out=tmp_path / "study"))


def by_hand(effects, folds=4, protocols=("linear",)):
    """Gaps in which every fold says the same but for a little; ``effects`` by what is shown and asked."""
    points = []
    for fold in range(folds):
        for protocol in protocols:
            jitter = 0.0005 * np.cos(2.2 * fold + len(protocol))
            for (regime, vary, share, asked, group, measure), value in effects(protocol).items():
                shown, off = ((vary,) if vary else ()), ((asked,) if asked else ())
                own = value + jitter * (1 + FACTORS.index(asked) if asked else 1) * (1 + share)
                points.append(Point("m", protocol, regime, shown, share, off, group, False, fold, measure, own, 9))
    return Gaps(tuple(points), tuple(range(folds)), "folds of the objects", FACTORS)


def table_1(protocol):
    """Averages of the published table."""
    source = published_numbers("ibrahim2022/tables")[0].to_dicts()
    own = {row["set"]: row["value"] for row in source
           if row["series"] == f"Average, {protocol}" and row["x"] == "canonical only"}  # fmt: skip
    home = {("canonical", "", 0.0, "", "", "accuracy"): own["canonical"]}
    return home | {("canonical", "", 0.0, name, "", "gap"): own[f"varying-{name}"] for name in FACTORS}


def test_the_published_averages_would_say_what_the_paper_says():
    found = {
        one.name: one for one in variability_findings(by_hand(table_1, folds=10, protocols=("linear", "finetune")))
    }
    assert found["pose, background and size are the worst"].holds is True
    assert found["finetuning is better on canonical pictures"].holds is True
    assert found["finetuning is better on canonical pictures"].value == pytest.approx(0.8271 - 0.7226, abs=3e-3)
    assert found["finetuning has the larger gap"].value == pytest.approx(-0.2037 + 0.1975, abs=3e-3)


def test_a_factor_of_the_others_that_is_worse_speaks_against_the_claim():
    def light_is_worst(protocol):
        return table_1(protocol) | {("canonical", "", 0.0, "light", "", "gap"): -0.9}

    assert variability_findings(by_hand(light_is_worst))[0].holds is False


def test_features_of_random_weights_are_a_control_and_dilute_no_finding():
    learned, floor = by_hand(table_1), by_hand(lambda _: dict.fromkeys(table_1("linear"), 0.0))
    beside = tuple(replace(point, model="random") for point in floor.points)
    both = replace(learned, points=learned.points + beside, controls=frozenset({("random", "linear")}))
    assert both.judged == learned.networks != both.networks
    for alone, kept in zip(variability_findings(learned), variability_findings(both), strict=True):
        assert (alone.name, alone.holds, alone.value, alone.low) == (kept.name, kept.holds, kept.value, kept.low)
    assert "random weights are shown and not judged" in variability_findings(both)[0].statement


def test_one_fold_decides_nothing():
    assert {one.holds for one in variability_findings(by_hand(table_1, folds=1))} == {None}
