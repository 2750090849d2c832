"""Disentanglement beside generalisation, from stores with latents made by hand; nothing is trained here."""

import json
import os

import numpy as np
import polars as pl
import pytest
from safetensors.numpy import save_file
from scipy.stats import spearmanr
from test_regression_study import by_hand, stops_at_the_edge, tables

from unseen.engines import open_study
from unseen.kinds.collect import collect, damage, finished_trials
from unseen.kinds.in_domain import disentangled as subject
from unseen.kinds.in_domain.axis import labelled
from unseen.kinds.in_domain.contents import by_meaning
from unseen.kinds.in_domain.disentangled import ACTIVE, COLLAPSED, DISENTANGLEMENT, GAP, INFORMATIVENESS, KEPT, SCORES
from unseen.kinds.in_domain.disentanglement import disentanglement_predicts, latent_points
from unseen.kinds.in_domain.meanings import MEANINGS, meanings
from unseen.kinds.in_domain.shown import LatentPoint
from unseen.measures import dci, mig

FACTS = {"description": {"network": {"backbone": "vae"}}}


def codes_and_levels(seed=0, n=800, *, turned=False):
    rng = np.random.default_rng(seed)
    levels = np.stack([rng.integers(0, m, n) for m in (6, 8, 5)], axis=1).astype(np.int32)
    codes = (levels - levels.mean(0)) / levels.std(0)
    if turned:
        codes = codes @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return codes.astype(np.float32), levels


def folder_with(path, codes, levels):
    path.mkdir(parents=True, exist_ok=True)
    save_file({"codes": codes, "levels": levels}, path / "latents.safetensors")
    return path


def rows_of(folder, backbone="vae"):
    facts = {"description": {"network": {"backbone": backbone}}}
    return {row["measure"]: row for row in subject.disentangled(facts, folder)}


def test_the_scores_are_those_of_the_measures_with_n(tmp_path):
    codes, levels = codes_and_levels()
    rows = rows_of(folder_with(tmp_path / "a", codes, levels))
    assert rows[DISENTANGLEMENT]["value"] == dci(codes.astype(float), levels.astype(int), seed=0).disentanglement
    assert rows[GAP]["value"] == mig(codes.astype(float), levels.astype(int)).value
    assert {rows[name]["n"] for name in SCORES} == {800}
    assert (rows[ACTIVE]["value"], rows[ACTIVE]["n"], rows[COLLAPSED]["value"]) == (3, 3, 0)
    turned = rows_of(folder_with(tmp_path / "b", *codes_and_levels(turned=True)))
    assert turned[DISENTANGLEMENT]["value"] < 0.7 < 0.95 < rows[DISENTANGLEMENT]["value"]
    assert turned[GAP]["value"] < rows[GAP]["value"]


def test_a_network_without_latents_has_no_such_row(tmp_path):
    assert list(subject.disentangled(FACTS, tmp_path)) == []


@pytest.mark.parametrize("spoilt", [lambda codes: codes * 1e-3, lambda codes: codes * 0, lambda codes: codes * np.nan])
def test_a_collapsed_or_diverged_encoder_is_counted_and_has_no_score(tmp_path, spoilt):
    codes, levels = codes_and_levels()
    rows = rows_of(folder_with(tmp_path, spoilt(codes), levels))
    assert set(rows) == {ACTIVE, COLLAPSED}
    assert (rows[ACTIVE]["value"], rows[COLLAPSED]["value"]) == (0, 1)


def test_latents_without_a_posterior_have_no_scale_and_do_not_collapse_by_it(tmp_path):
    codes, levels = codes_and_levels()
    rows = rows_of(folder_with(tmp_path / "small", codes * 1e-3, levels), backbone="pcl")
    assert (rows[ACTIVE]["value"], rows[COLLAPSED]["value"]) == (3, 0)
    still = rows_of(folder_with(tmp_path / "still", np.full_like(codes, 0.3), levels), backbone="pcl")
    assert still[COLLAPSED]["value"] == 1


def test_rows_that_are_not_finite_are_left_out(tmp_path):
    codes, levels = codes_and_levels()
    codes[:100, 1] = np.inf
    rows = rows_of(folder_with(tmp_path, codes, levels))
    assert rows[INFORMATIVENESS]["n"] == 700
    assert rows[INFORMATIVENESS]["value"] > 0.9


def test_what_was_measured_is_kept_until_its_version_changes_and_the_trial_stays_as_old_as_it_is(tmp_path, monkeypatch):
    folder = folder_with(tmp_path, *codes_and_levels())
    os.utime(folder, (1000, 1000))
    first = rows_of(folder)
    assert folder.stat().st_mtime == 1000
    calls = []
    monkeypatch.setattr(subject, "dci", lambda *a, **k: calls.append(1) or dci(*a, **k))
    assert rows_of(folder) == first
    assert not calls
    (folder / KEPT).write_text("{")
    assert rows_of(folder) == first
    assert len(calls) == 1, "a damaged file is measured again"
    monkeypatch.setattr(subject, "VERSION", 2)
    assert rows_of(folder) == first
    assert len(calls) == 2
    assert json.loads((folder / KEPT).read_text())["version"] == 2


def test_a_store_that_cannot_be_written_is_measured_all_the_same(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "no space left")

    monkeypatch.setattr(subject, "put_whole", full)
    folder = folder_with(tmp_path, *codes_and_levels())
    assert rows_of(folder)[DISENTANGLEMENT]["value"] > 0.9
    assert not (folder / KEPT).exists()


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Two objectives × two splits × two seeds; the second seed of β-VAE has collapsed."""
    grid = {"design.mode": ["random", "extrapolation"], "training.objective": ["beta-vae", "slow-vae"]}
    base = {"network": {"backbone": "vae", "channels": 1}, "training": {"normalise": "none"}}
    made = by_hand(open_study(tables(**base, grid=grid), out=tmp_path_factory.mktemp("latents")), stops_at_the_edge)
    for trial in made.trials:
        folder = made.store.trials / made.identity(trial, "float32")
        objective = trial.recipe.training.objective
        facts = json.loads((folder / "trial.json").read_text())
        facts["description"]["training"]["objective"] = objective
        (folder / "trial.json").write_text(json.dumps(facts))
        codes, levels = codes_and_levels(trial.seed, turned=objective == "beta-vae")
        folder_with(folder, codes * (1e-4 if objective == "beta-vae" and trial.seed else 1), levels)
    return made


def test_the_table_and_the_report_tell_every_encoder(study):
    tidy = collect(study)
    assert tidy.filter(pl.col("measure") == COLLAPSED)["value"].sum() == 2
    assert tidy.filter(pl.col("measure") == DISENTANGLEMENT).height == 6
    trials = finished_trials(study)
    table, names = labelled(study, trials)
    series = dict.fromkeys(names.values(), ("", "model"))
    points = latent_points(table, series, "test")
    assert len(points) == 8
    assert sum(point.collapsed for point in points) == 2
    assert all((point.disentanglement is None) == point.collapsed for point in points)
    assert {(row.kind, row.n) for row in by_meaning(table, series, "test")} == {
        (kind, 2) for kind in ("shape", "size", "orientation", "position")
    }
    assert disentanglement_predicts(points, "test") == [], "three encoders are too few"


def test_a_trial_whose_latents_are_damaged_is_named(study):
    folder = study.store.trials / study.identity(study.trials[0], "float32")
    whole, kept = (folder / "latents.safetensors").read_bytes(), folder / KEPT
    kept.unlink(missing_ok=True)
    (folder / "latents.safetensors").write_bytes(whole[: len(whole) // 2])
    left = collect(study)
    told = " ".join(damage(study, finished_trials(study)))
    assert folder.name not in set(left["trial"]), "the others are measured"
    assert folder.name in told
    (folder / "latents.safetensors").write_bytes(whole)


def points_of(d, r2, models, split="extrapolation"):
    return [
        LatentPoint("", model, split, seed, float(b), float(a), float(a) / 2)
        for seed, (a, b, model) in enumerate(zip(d, r2, models))
    ]


def test_the_finding_is_spearmans_correlation_over_objectives():
    rng = np.random.default_rng(0)
    d = rng.random(12)
    r2 = d + 0.02 * rng.normal(size=12)
    lost = LatentPoint("", "vae", "extrapolation", 9, 0.1, None, None, collapsed=True)
    (finding,) = disentanglement_predicts([*points_of(d, r2, list("abcdef") * 2), lost], "test")
    one, two = (values.reshape(2, 6).mean(axis=0) for values in (d, r2))  # each objective by its mean
    assert finding.value == pytest.approx(spearmanr(one, two).statistic)
    assert (finding.n, finding.holds, finding.over) == (6, True, "objectives")
    assert "Over 12 encoders, disentanglement (DCI) and mean R² on the test rows" in finding.statement
    assert f"Spearman's ρ = {spearmanr(d, r2).statistic:.3f}" in finding.statement
    assert "1 collapsed encoder left out" in finding.statement


def test_encoders_of_a_few_objectives_are_too_alike_to_decide():
    d = np.arange(12.0)
    (finding,) = disentanglement_predicts(points_of(d, d, ["vae"] * 12), "test")
    assert (finding.holds, finding.n, finding.why) == (None, 1, "one repeat decides nothing")
    assert "ρ = 1.000" in finding.statement
    (finding,) = disentanglement_predicts(points_of(d, d, list("abcd") * 3), "test")
    assert (finding.holds, finding.n, finding.p) == (None, 4, pytest.approx(2 / 24))
    assert finding.why == "fewer than five decide nothing by their order"


def test_where_seeds_of_one_objective_say_the_opposite_nothing_is_said_to_hold():
    level, step = np.repeat([0.0, 10, 20, 30, 40], 3), np.tile([0.0, 1, 2], 5)
    models = np.repeat(["a", "b", "c", "d", "e"], 3)
    (finding,) = disentanglement_predicts(points_of(level + step, level - step, models), "test")
    assert finding.value > 0.8
    assert finding.p == pytest.approx(2 / 120)
    assert (finding.holds, finding.why) == (None, "among seeds of one objective the sign is the other")
    assert "among seeds of one objective −" in finding.statement


def test_equal_scores_have_no_ranks_and_give_no_nan():
    (finding,) = disentanglement_predicts(points_of(np.full(6, 0.5), np.arange(6), ["a", "b"] * 3), "test")
    assert "not defined" in finding.statement
    assert "nan" not in finding.statement.lower()
    assert finding.holds is None


def test_the_table_of_meanings_names_exactly_the_factors_of_its_worlds():
    from unseen import worlds

    for name, table in MEANINGS.items():
        assert list(table) == list(worlds.make(name).samples.space.names)


def test_other_worlds_are_told_by_words_and_else_by_the_name_itself():
    assert meanings("folder", ["hat_colour", "x", "mood"]) == {"hat_colour": "colour", "x": "position", "mood": "mood"}
    assert meanings("mpi3d", ["horizontal_axis"]) == {"horizontal_axis": "position"}
