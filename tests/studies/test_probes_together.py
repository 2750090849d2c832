"""Probes fitted together find what scikit-learn finds one by one, alone or among others, and see no picture twice."""

from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from given_stubs import held, patches
from small_study import ran, tiny
from unseen.engines import open_study
from unseen.engines.timing import estimate
from unseen.kinds.checks import check
from unseen.studies.execute import execute
from unseen.studies.kept_features import features_home
from unseen.studies.protocols import probes_together
from unseen.vocabulary.errors import UnseenError

pytest_plugins = ("studies_fixtures",)

CPU = torch.device("cpu")
FROZEN = {"backbone": "resnet18-w8", "stem": "small", "frozen": True}
FIT = {"network": FROZEN, "training": {"optimiser": "lbfgs", "normalise": "half"}, "targets": ["category"]}
FEW = {"weight_decay": [0.001, 0.1]}  # penalties, where it is not they that are looked at
GRID = {"design.seen_per_level": [2, 8], "design.images": [90, 180]}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))


def fitted(path, **changes):
    return open_study(tiny(**{**FIT, "grid": GRID, **changes}), out=path)


def answers(opened, trial):
    name = opened.find(trial)
    return opened.store.read(name), pq.read_table(opened.store.trials / name / "responses.parquet").to_pydict()


def pictures_of(opened, monkeypatch):
    world, counted = opened.world(opened.trials[0]), []
    whole = world.images
    monkeypatch.setattr(
        type(world),
        "images",
        lambda self, rows, *more: (counted.extend(np.asarray(rows).tolist()), whole(rows, *more))[1],
    )
    return counted


def test_probes_are_fitted_together_recorded_and_found_again(tmp_path, monkeypatch):
    opened = fitted(tmp_path / "study")
    check(opened)
    assert list(opened.networks) == ["resnet18-w8, probes on features of random weights, fitted together"]
    seen = pictures_of(opened, monkeypatch)
    assert ran(opened).finished == 4, opened.failures()
    assert len(seen) == len(set(seen)), "each picture once, for all trials, whatever it is asked for"
    for trial in opened.trials:
        facts, table = answers(opened, trial)
        assert facts["packed"] == 4
        assert facts["network"]["fitted"] == "lbfgs"
        assert facts["search"]["category"]["chosen"]["weight_decay"] in probes_together.penalties_of(trial.recipe)
        assert set(table["set"]) == {"seen", "unseen"}
        assert 0 < min(table["confidence"]) <= max(table["confidence"]) <= 1
    before = len(seen)
    assert ran(fitted(tmp_path / "again")).finished == 4
    assert ran(fitted(tmp_path / "study")).finished == 0
    assert len(seen) == before, "features are kept"


def test_a_probe_answers_as_scikit_learns_with_the_penalty_it_chose(tmp_path):
    from sklearn.linear_model import LogisticRegression

    opened = fitted(tmp_path / "study", grid={"design.seen_per_level": [8]})
    assert ran(opened).finished == 1
    trial = opened.trials[0]
    facts, table = answers(opened, trial)
    from unseen.studies.protocol_table import RunPlace

    source = probes_together.source_of(opened, trial, RunPlace(CPU, "float32"))
    world, split = opened.world(trial), opened.split(trial)
    target = opened.targets(trial)[0]

    def features(rows):
        with torch.inference_mode():
            return source.encode(world.images(rows)).double().numpy()

    train, validation = (split.rows(world.samples, name) for name in ("train", "validation"))
    x, y = features(train), target.truth(world.samples, train)
    length = np.square(x).sum(1).mean()
    right = {}
    for one in facts["search"]["category"]["tries"]:
        strength = 1 / (one["weight_decay"] * length * len(x))
        model = LogisticRegression(C=strength, solver="newton-cholesky", tol=1e-10, max_iter=500).fit(x, y)
        right[one["weight_decay"]] = model
        theirs = model.score(features(validation), target.truth(world.samples, validation))
        assert one["accuracy"] == pytest.approx(theirs, abs=1.01 / 72), one
    chosen = right[facts["search"]["category"]["chosen"]["weight_decay"]]
    rows = np.array(table["sample"])
    theirs = chosen.predict_proba(features(rows)).max(1)
    np.testing.assert_allclose(table["confidence"], theirs, atol=5e-3)
    ours = np.array([target.classes.index(said) for said in table["response"]])
    assert np.mean(ours == chosen.predict(features(rows))) >= 0.99


def test_a_trial_alone_is_the_trial_among_others_and_in_small_parts(tmp_path, monkeypatch):
    together, alone, parts = (fitted(tmp_path / name, search=FEW) for name in ("together", "alone", "parts"))
    ran(together)
    for trial in alone.trials:
        execute(alone, [trial], CPU, lambda event: None)
    monkeypatch.setattr(probes_together, "FITTED", {"cpu": 1})
    ran(parts)
    for trial in together.trials:
        facts, table = answers(together, trial)
        for other in (alone, parts):
            told, said = answers(other, trial)
            assert told["search"]["category"]["chosen"] == facts["search"]["category"]["chosen"]
            assert said["response"] == table["response"]
            np.testing.assert_allclose(said["confidence"], table["confidence"], atol=2e-3)


def test_a_run_that_is_killed_keeps_the_trials_it_had_answered(tmp_path, monkeypatch):
    opened, stored = fitted(tmp_path / "study", search=FEW), []
    with monkeypatch.context() as patch:
        from unseen.studies import together

        patch.setattr(probes_together, "FITTED", {"cpu": 1})
        whole = together._store

        def store(*told):
            if len(stored) == 2:
                raise KeyboardInterrupt
            stored.append(whole(*told))

        patch.setattr(together, "_store", store)
        with pytest.raises(KeyboardInterrupt):
            ran(opened)
    assert len(opened.store.finished()) == 2
    seen = pictures_of(opened, monkeypatch)
    assert ran(fitted(tmp_path / "study", search=FEW)).finished == 2
    assert seen == []


def test_memory_that_does_not_suffice_halves_the_pack(tmp_path, monkeypatch):
    sizes, whole = [], probes_together._fit

    def hungry(study, some, read):
        sizes.append(len(some))
        if len(some) > 1:
            raise torch.OutOfMemoryError("too many")
        whole(study, some, read)

    monkeypatch.setattr(probes_together, "_fit", hungry)
    assert ran(fitted(tmp_path / "study", search=FEW)).finished == 4
    assert sizes[:3] == [4, 2, 1]


def test_penalties_may_be_listed_and_one_alone_needs_no_choice(tmp_path):
    opened = fitted(tmp_path / "study", search={"weight_decay": [0.01]}, grid={"design.seen_per_level": [8]})
    assert ran(opened).finished == 1
    facts, _ = answers(opened, opened.trials[0])
    assert facts["search"]["category"]["chosen"] == {"weight_decay": 0.01}
    assert "tries" not in facts["search"]["category"]


def test_a_split_without_validation_holds_out_a_share_and_then_learns_it_too(tmp_path, monkeypatch):
    opened = fitted(tmp_path / "study", grid={"design.seen_per_level": [8], "design.images": [180]})
    whole = opened.split(opened.trials[0])
    without = replace(whole, sets={name: rows for name, rows in whole.sets.items() if name != "validation"})
    monkeypatch.setattr(type(opened), "split", lambda self, trial: without)
    assert ran(opened).finished == 1, opened.failures()
    facts, _ = answers(opened, opened.trials[0])
    told = facts["search"]["category"]
    assert told["refit"] is True
    assert told["tries"][0]["n"] == 18


def test_networks_with_branches_have_probes_on_their_own_features(tmp_path):
    network = {**FROZEN, "sharing": "separate"}
    opened = fitted(
        tmp_path / "study",
        search=FEW,
        network=network,
        targets=["category", "position"],
        grid={"design.seen_per_level": [8]},
    )
    assert ran(opened).finished == 1, opened.failures()
    facts, table = answers(opened, opened.trials[0])
    assert set(facts["search"]) == set(table["target"]) == {"category", "position"}


def test_features_of_a_model_that_somebody_brings_are_probed(tmp_path):
    model = patches()
    opened = fitted(tmp_path / "study", network=held(model), protocol="probe", targets=["position"])
    check(opened)
    (told,) = opened.networks
    assert told.endswith(", probes on its features, fitted together")
    assert ran(opened).finished == 4, opened.failures()
    _, table = answers(opened, opened.trials[-1])
    assert np.mean([a == b for a, b in zip(table["truth"], table["response"])]) > 0.9, "nine ninths tell nine places"
    rows = {row for trial in opened.trials for name in ("train", "validation", "seen", "unseen")
            for row in opened.split(trial).rows(opened.world(trial).samples, name)}  # fmt: skip
    assert model.body.seen == len(rows)
    assert len(list(features_home().iterdir())) == 1


def test_an_estimate_knows_them(tmp_path):
    opened = fitted(tmp_path / "study", search=FEW)
    found = estimate(opened, "cpu")
    assert found.networks == 4
    assert found.seconds > 0
    ran(opened)
    assert estimate(opened, "cpu").networks == 0


def test_epochs_and_rates_are_no_part_of_what_a_fit_is(tmp_path):
    def name(**changes):
        opened = fitted(tmp_path / "study", training={**FIT["training"], **changes})
        return opened.identity(opened.trials[0], "float32")

    assert name(epochs=3, lr=0.5, batch=7) == name()
    assert name(normalise="none") != name()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"task": "regression", "targets": ["position"]}, "'lbfgs' fits classes, and task = 'regression'"),
        ({"training": {"optimiser": "lbfgs", "augment": {"shift": 2}}}, "training.augment does nothing"),
        ({"search": {"lr": [0.1]}}, "a fit has no learning rate; search.weight_decay lists penalties"),
        ({"search": {"weight_decay": [0.0, 0.1]}}, "which are above 0; leave 0 out"),
        ({"network": {"backbone": "resnet18-w8"}}, "training.optimiser = 'lbfgs' fits heads on features that are kept"),
        ({"protocol": "probe", "network": {"backbone": "resnet18-w8"}}, "none are given; set network.pretrained"),
        ({"recordings": {"layers": "all"}}, "answers from features and outputs that are kept, not from layers"),
    ],
)  # fmt: skip
def test_what_a_fit_cannot_follow_is_refused(changes, words, tmp_path):
    with pytest.raises(UnseenError, match=words):
        check(fitted(tmp_path / "study", **changes))


def test_a_model_is_probed_by_a_fit_alone(tmp_path):
    with pytest.raises(UnseenError, match=r'set training.optimiser = "lbfgs"'):
        check(fitted(tmp_path / "study", network=held(patches()), protocol="probe", training={"epochs": 3}))
