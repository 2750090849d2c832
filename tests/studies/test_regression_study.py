"""What a study of regression says equals what one computes by hand from a store of known answers; no training here."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from unseen.designs.levels import MODES
from unseen.engines import open_study
from unseen.kinds.checks import check
from unseen.kinds.in_domain.figures import KEPT as DRAWN_KEPT
from unseen.kinds.in_domain.figures import OTHERS as DRAWN_OTHERS
from unseen.kinds.in_domain.figures import OUT as DRAWN_OUT
from unseen.kinds.in_domain.figures import R2 as DRAWN_R2
from unseen.kinds.in_domain.figures import r2 as figure_of_r2
from unseen.kinds.in_domain.numbers import KEPT, MEAN, OTHERS, OUT, R2, TOWARDS, WILD, model_of
from unseen.kinds.in_domain.numbers import MEAN as FACTORS
from unseen.kinds.published import PUBLISHED, published_numbers
from unseen.kinds.results import gather, summary_of
from unseen.vocabulary.errors import UnseenError

MODELS = ("mlp", "cnn")
ONE_MODEL = {"seeds": [0, 1, 2], "grid": {"design.mode": list(MODES)}}  # two models would decide nothing
SETS = ["validation", "test", "one-out-*"]


def tables(**changes):
    made = {
        "title": "By hand", "task": "regression", "seeds": [0, 1],
        "world": {"name": "dsprites"},
        "design": {"name": "hold_out_levels", "share": 0.2, "protect": ["shape"], "mode": "random"}
        | {"images": 400, "test_images": 300, "probe_images": 100, "validation": 0.5},
        "network": {"backbone": "mlp", "channels": 1},
        "recordings": {"sets": SETS, "layers": "none"},
        "grid": {"design.mode": list(MODES), "network.backbone": list(MODELS)},
    }  # fmt: skip
    return made | changes


def stops_at_the_edge(trial, asked, true, highest):
    """Right in range; beyond it the highest level it knows. A seed errs a little, alike everywhere."""
    return np.minimum(true, highest) + 0.01 * trial.seed


def answers_the_mean(trial, asked, true, highest):
    return np.full_like(true, 0.5)


def by_hand(study, answer):
    """Write finished trials: ``answer(trial, set, true, highest)``, with the highest trained value of each factor."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for trial in study.trials:
        split, samples, targets = study.split(trial), study.world(trial).samples, study.targets(trial)
        names = [target.name for target in targets]
        levels = np.array([len(target.classes) for target in targets])
        withheld = split.facts.get("withheld", {}) if split.facts["mode"] == "extrapolation" else {}
        highest = np.array([(n - 1 - len(withheld.get(name, ()))) / (n - 1) for name, n in zip(names, levels)])
        rows = []
        for asked in study.asked(trial):
            sample = split.rows(samples, asked)
            true = samples.cells(sample, names) / (levels - 1)
            said = answer(trial, asked, true, highest)
            for j, name in enumerate(names):
                rows += [(asked, name, str(s), t, f) for s, t, f in zip(sample, true[:, j], said[:, j])]
        table = pa.table(dict(zip(("set", "target", "sample", "truth", "response"), map(list, zip(*rows)))))
        backbone = trial.recipe.network.backbone
        point = {f"{phase} loss {name}": 0.5 for phase in ("train", "validation") for name in ("total", *names)}
        name = study.identity(trial, "float32")
        facts = {
            "identity": name, "label": trial.label, "condition": dict(trial.condition), "seed": trial.seed,
            "description": {
                "network": {"sharing": "shared", "backbone": backbone}, "training": {"precision": "float32"},
                "world": {"name": trial.recipe.world.name}, "design": {"name": "hold_out_levels"},
            },
            "facts": dict(split.facts), "factors": list(split.factors), "task": "regression",
            "targets": {t.name: list(t.classes) for t in targets}, "tasks": {},
            "sets": {asked: split.count(samples, asked) for asked in split.sets},
            "network": {"backbone": backbone, "parameters": 1}  # the readout of an encoder has no sharing and no stem
            | ({"sharing": "shared", "stem": "no"} if backbone == "mlp" else {}),
            "curve": [{"epoch": e, **point} for e in (0, 1)], "best_epoch": 1, "flags": {}, "seconds": 2.0,
            "packed": 1, "seconds_together": 2.0,
            "machine": {"device": "cpu", "system": "s", "python": "3", "torch": "2", "unseen": "0"},
        }  # fmt: skip

        def write(folder, table=table, facts=facts):
            pq.write_table(table, folder / "responses.parquet")
            (folder / "trial.json").write_text(json.dumps(facts, default=str))

        study.store.save(name, write)
    return study


@pytest.fixture(scope="module")
def edge(tmp_path_factory):
    return by_hand(open_study(tables(), out=tmp_path_factory.mktemp("edge")), stops_at_the_edge)


@pytest.fixture(scope="module")
def contents(edge):
    return gather(edge)


def found(contents, name):
    return next(finding for finding in contents.findings if finding.name == name)


def test_a_pattern_takes_the_sets_a_split_has_and_a_plain_name_must_be_there(tmp_path):
    study = open_study(tables(), out=tmp_path)
    asked = {trial.recipe.design.arguments["mode"]: study.asked(trial) for trial in study.trials}
    outside = tuple(f"one-out-{name}" for name in ("scale", "orientation", "position_x", "position_y"))
    assert asked["random"] == asked["composition"] == ("validation", "test")
    assert asked["interpolation"] == asked["extrapolation"] == ("validation", "test", *outside)
    again = open_study(tables(recordings={"sets": ["one-out-scale", "*out*"], "layers": "none"}), out=tmp_path)
    last = again.trials[-1]
    assert again.asked(last) == ("one-out-scale", *outside[1:], "two-out", "many-out")
    with pytest.raises(UnseenError, match=r"no row set 'one-out-scale'.*possible: train"):
        check(again)


def test_without_sets_to_ask_a_design_of_other_sets_is_asked_all_that_it_tests(tmp_path):
    study = open_study(tables(recordings={"layers": "none"}), out=tmp_path)
    check(study)
    for trial in study.trials:
        assert study.asked(trial) == tuple(
            n for n in study.split(trial).sets if n not in ("train", "validation", "probe")
        )
        assert "test" in study.asked(trial)


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        (["test", "one-otu-*"], "no row set like 'one-otu-*' in any split of this study"),
        (
            ["one-out-*"],
            r"recordings.sets \(one-out-\*\) names no row set of the split of 'mode random · mlp · seed 0'",
        ),
        ([], r"recordings.sets \(empty\) names no row set"),
    ],
)
def test_a_pattern_that_asks_nothing_is_refused_before_training(tmp_path, sets, words):
    study = open_study(tables(recordings={"sets": sets, "layers": "none"}), out=tmp_path)
    with pytest.raises(UnseenError, match=words.replace("*'", r"\*'")):
        check(study)


def test_the_summary_has_splits_on_the_x_axis_in_the_papers_order_and_models_as_series(edge):
    rows = summary_of(edge).filter((summary_of(edge)["measure"] == R2) & (summary_of(edge)["set"] == "test"))
    mean = rows.filter(rows["target"] == MEAN)
    assert mean["x"].to_list() == [*MODES, *MODES]
    assert mean["series"].to_list() == ["mlp"] * 4 + ["cnn"] * 4
    assert set(mean["n"]) == {2}


def test_r2_and_its_interval_are_those_computed_by_hand_and_are_not_cut_at_zero(tmp_path):
    study = by_hand(open_study(tables(grid={"design.mode": ["extrapolation"]}), out=tmp_path), answers_the_mean)
    trial = study.trials[0]
    rows = study.split(trial).rows(study.world(trial).samples, "one-out-position_x")
    true = study.world(trial).samples.cells(rows, ["position_x"])[:, 0] / 31
    expected = 1 - np.square(true - 0.5).mean() / (33 / (12 * 31))
    summary = summary_of(study)
    row = summary.filter((summary["measure"] == OUT) & (summary["target"] == "position_x")).to_dicts()[0]
    assert row["value"] == pytest.approx(expected)
    assert expected < -0.5
    assert row["low"] == pytest.approx(expected) == row["high"]


def test_the_interval_is_students_over_seeds(edge):
    summary = summary_of(edge)
    row = summary.filter(
        (summary["measure"] == R2) & (summary["target"] == "position_x") & (summary["set"] == "test")
        & (summary["x"] == "random") & (summary["series"] == "cnn")
    ).to_dicts()[0]  # fmt: skip
    values = np.array([1, 1 - 0.01**2 / (33 / (12 * 31))])
    low, high = stats.t.interval(0.95, 1, values.mean(), stats.sem(values))
    assert (row["value"], row["low"], row["high"]) == pytest.approx((values.mean(), low, high))


def test_a_network_that_stops_at_the_edge_shows_the_papers_findings(tmp_path, contents):
    seeds = gather(by_hand(open_study(tables(**ONE_MODEL), out=tmp_path), stops_at_the_edge))
    for name in ("extrapolation is hardest", "the factor out of range is lost more than the others"):
        assert (found(seeds, name).holds, found(seeds, name).n, found(seeds, name).over) == (True, 3, "seeds")
    fall = found(seeds, "R² falls from the easiest split to the hardest")
    assert fall.holds is True
    assert "the mean R² of all factors falls from" in seeds.answer
    hard = found(contents, "extrapolation is hardest")
    assert (hard.holds, hard.n, hard.over) == (None, 2, "models"), "each by the mean of its seeds"
    lost = found(contents, "the factor out of range is lost more than the others")
    assert "over 4 networks (2 models × 2 seeds; the interval is over models)" in lost.statement
    drawn = found(contents, "answers are drawn to the mean")
    assert drawn.holds is None, "at the edge: see test_pull_study"
    assert drawn.statement.startswith("100.0 % of the answers")
    assert not any("colour" in finding.name for finding in contents.findings)  # dSprites has none


def test_a_network_that_answers_far_outside_is_told_with_its_answers_kept_to_the_range(tmp_path, edge):
    def wild(trial, asked, true, highest):  # as at the edge; yet where anything is out of range, shape is lost
        said = stops_at_the_edge(trial, asked, true, highest)
        said[:, 0] = np.where((true > highest).any(1), 9.0 + trial.seed, said[:, 0])
        return said

    study = by_hand(open_study(tables(**ONE_MODEL), out=tmp_path), wild)
    contents = gather(study)
    lost = found(contents, "the factor out of range is lost more than the others")
    assert lost.holds is False
    assert [panel.title for panel in figure_of_r2(contents).panels][1:] == ["answers kept to the range"]
    assert len(figure_of_r2(gather(edge)).panels) == 1
    assert "With answers kept to the range of each factor: where one factor alone" in lost.statement
    assert "With answers" not in found(gather(edge), lost.name).statement, "there is nothing to tell"
    summary = summary_of(study)
    summary = summary.filter(summary["x"] == "extrapolation")
    far = summary.filter((summary["measure"] == WILD) & (summary["set"] == "one-out-scale"))
    assert far.filter(far["target"] == "shape")["value"].unique().to_list() == [1.0]
    assert far.filter(far["target"] == "scale")["value"].unique().to_list() == [0.0]
    kept = summary.filter((summary["measure"] == f"{R2}{KEPT}") & (summary["set"] == "one-out-scale"))
    shape = kept.filter(kept["target"] == "shape")["value"].unique().to_list()
    assert shape == pytest.approx([1 - np.mean([1, 0.25, 0]) / (4 / 24)], abs=0.2)


def test_a_network_that_is_right_everywhere_shows_none_of_them(tmp_path):
    def right(trial, asked, true, highest):
        error = 0.3 if trial.recipe.design.arguments["mode"] == "composition" else 0.02
        return true + np.where(np.arange(len(true)) % 2, error, -error)[:, None] * (1 + 0.1 * trial.seed)

    contents = gather(by_hand(open_study(tables(**ONE_MODEL), out=tmp_path), right))
    assert found(contents, "extrapolation is hardest").holds is False
    assert "above composition" in found(contents, "extrapolation is hardest").statement
    assert found(contents, "answers are drawn to the mean").holds is False, "as far out as the truth, on average"
    assert found(contents, "answers are drawn to the mean").statement.startswith("50.0 % of the answers")


def test_colour_is_compared_with_the_other_factors_that_are_split_on(tmp_path):
    def colour_only(trial, asked, true, highest):  # floor, wall and object hue, scale, shape, orientation
        return np.where(np.arange(6) < 3, true, 0.5) + 0.01 * trial.seed

    changes = {"world": {"name": "shapes3d"}, "network": {"backbone": "mlp"}}
    grid = {"design.mode": ["composition", "interpolation"]}
    study = by_hand(open_study(tables(**changes, grid=grid, seeds=[0, 1, 2]), out=tmp_path), colour_only)
    finding = found(gather(study), "colour is easier than other factors")
    assert finding.holds is True
    assert (finding.n, finding.over) == (3, "seeds")
    assert "floor_hue, wall_hue, object_hue" in finding.statement
    assert "shape" not in finding.statement


def test_the_answer_names_both_ends_with_numbers_and_n(contents):
    assert contents.answer.startswith("On rows left out at random and on levels beyond the trained range")
    assert "1.000 [0.993, 1.006] and 0.876 [0.814, 0.937]" in contents.answer
    assert "whether it falls is left open" in contents.answer, "two repeats decide nothing"
    assert "(mlp, n = 2)" in contents.answer


def test_the_report_gathers_answers_and_ratios_of_the_networks_that_extrapolate(contents):
    about = contents.regression
    assert about.splits == MODES
    assert about.answers_of == "extrapolation"
    assert about.asked == "test"
    assert {picture.factor for picture in about.answers} == {"scale", "orientation", "position_x", "position_y"}
    for picture in about.answers:
        levels = np.rint(picture.true * (picture.levels - 1)).astype(int)
        assert {level in picture.out for level in levels} == {True, False}, "both in range and beyond"
        assert picture.predicted.max() == pytest.approx((picture.levels - 1 - len(picture.out)) / (picture.levels - 1))
    assert [ratio.title for ratio in about.ratios] == ["all 2 models", *MODELS]
    assert sum(about.ratios[0].counts) == sum(sum(ratio.counts) for ratio in about.ratios[1:]) == 4 * 4 * 300
    assert any("extrapolation" in key for key in contents.facts)
    assert "Rows: random" in contents.facts
    assert set(contents.facts["Networks"]) == {"mlp shared", "cnn"}


def test_worlds_that_the_grid_varies_stay_apart(tmp_path):
    grid = {"world.name": ["dsprites", "shapes3d"], "design.mode": ["random", "extrapolation"]}
    study = by_hand(open_study(tables(grid=grid), out=tmp_path), stops_at_the_edge)
    contents = gather(study)
    assert set(contents.summary["series"]) == {"dsprites mlp", "shapes3d mlp"}
    assert contents.regression.series["shapes3d mlp"] == ("shapes3d", "mlp")
    assert {finding.name.partition(":")[0] for finding in contents.findings} == {"dsprites", "shapes3d"}
    assert {"World dsprites", "World shapes3d", "Rows: shapes3d, random"} <= set(contents.facts)


def test_transfer_is_paired_with_the_same_network_from_scratch(tmp_path):
    from unseen.kinds.collect import stored_trials
    from unseen.kinds.in_domain.axis import labelled
    from unseen.kinds.in_domain.findings import transfer
    from unseen.kinds.in_domain.numbers import Transfer

    study = by_hand(open_study(tables(), out=tmp_path), stops_at_the_edge)
    tidy, _ = labelled(study, stored_trials(study))
    models = {"mlp": "net", "cnn": "net pretrained"}
    assert transfer(tidy, models, {}, "test") == []
    (finding,) = transfer(tidy, models, {"cnn": Transfer("mlp", frozen=False)}, "test")
    assert "net pretrained has R²" in finding.statement
    assert transfer(tidy, {"cnn": "net pretrained"}, {"cnn": Transfer("mlp", frozen=False)}, "test") == []
    assert (finding.value, finding.holds, finding.n) == (pytest.approx(0), None, 2)


def test_what_starts_from_other_images_is_told_by_its_settings_and_paired_by_all_the_others():
    from unseen.kinds.in_domain.numbers import Transfer, transfers
    from unseen.studies.records import Record

    def trial(lr, **network):
        description = {"network": {"backbone": "net", "sharing": "shared", **network}, "world": {"name": "toys"}}
        return Record({"condition": {"training.lr": lr}, "description": description}, Path())

    made = [trial("low"), trial("low", pretrained=True, frozen=True), trial("high", pretrained=True)]
    assert transfers(made, ["network.pretrained", "training.lr"]) == {
        "net pretrained frozen low": Transfer("net low", frozen=True)
    }


def test_an_objective_without_labels_names_the_model():
    description = {"network": {"backbone": "vae", "sharing": "shared"}, "training": {"objective": "slow-vae"}}
    description["world"] = {"name": "mpi3d"}
    keys = ["network.backbone", "training.objective", "world.name"]
    assert model_of({"training.objective": "slow-vae"}, {"description": description}, keys) == ("mpi3d", "slow-vae")


@pytest.mark.parametrize("name", [name for name in PUBLISHED if name.startswith("schott2022/")])
def test_published_numbers_are_of_splits_that_exist(name):
    table, source = published_numbers(name)
    assert "Schott et al. 2022" in source
    assert set(table["x"]) <= set(MODES)
    assert table["value"].is_between(0, 1).all()


def test_reports_know_the_measures_by_the_names_studies_give_them():
    assert (DRAWN_R2, DRAWN_OUT, DRAWN_OTHERS, FACTORS) == (R2, OUT, OTHERS, MEAN)
    assert f"{R2}{KEPT}" == DRAWN_KEPT
    assert TOWARDS == "share towards the mean"


def test_a_finding_that_one_factor_decides_is_left_open_and_told_by_factor(tmp_path):
    def uneven(trial, asked, true, highest):  # orientation is lost; with scale out of range, the others are
        said = stops_at_the_edge(trial, asked, true, highest)
        said[:, 2] = np.where(true[:, 2] > highest[2], -1.0, said[:, 2])
        return np.where(((true > highest)[:, 1] & (np.arange(5) != 1)[:, None]).T, 0.2, said)

    study = by_hand(open_study(tables(**ONE_MODEL), out=tmp_path), uneven)
    lost = found(gather(study), "the factor out of range is lost more than the others")
    assert (lost.holds, lost.why) == (None, "for some factors it is the other way round")
    assert lost.low > 0
    assert "differences of the falls by factor: orientation" in lost.statement
    assert "scale −" in lost.statement


def test_answers_beyond_the_mean_are_told_apart_from_those_drawn_to_it(tmp_path):
    def turned(trial, asked, true, highest):  # beyond the range as far below the mean as it may be
        return np.where(true > highest, highest / 2 - 0.3, true)

    contents = gather(by_hand(open_study(tables(), out=tmp_path), turned))
    drawn = found(contents, "answers are drawn to the mean")
    assert drawn.statement.startswith("100.0 % of the answers")
    assert "(100.0 % on its other side)" in drawn.statement


def test_a_study_that_has_hardly_begun_has_an_answer_and_no_finding_of_unpaired_networks(tmp_path):
    study = by_hand(open_study(tables(), out=tmp_path), stops_at_the_edge)
    kept = {("extrapolation", "mlp"), ("random", "cnn"), ("composition", "cnn")}
    for trial in study.trials:
        if (trial.recipe.design.arguments["mode"], trial.recipe.network.backbone) not in kept:
            shutil.rmtree(study.store.trials / study.identity(trial, "float32"))
    contents = gather(study)
    assert contents.answer.startswith("On levels beyond the trained range, the mean R² of all factors is")
    assert not any(finding.name == "extrapolation is hardest" for finding in contents.findings)
