"""What was learned and what is recorded of it are two things: asking for more trains nothing where weights are kept."""

import json
import shutil

import numpy as np
import polars as pl
import pytest
import torch
from asked_again import again, same_from_weights
from safetensors.torch import load_file, save_file

from small_study import ENCODER, own_network, ran, study, tiny
from unseen.engines import local, open_study
from unseen.studies import execute as execution
from unseen.studies.identities import identities, identity, learned_identity
from unseen.studies.kept_weights import LEARNED, WEIGHTS, all_kept, taken
from unseen.studies.missing_trials import missing_trials, turns
from unseen.studies.trials import describe
from unseen.studies.weight_budget import WeightBudget, keeps_weights, weight_budget
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import recipe_from

pytest_plugins = ("studies_fixtures",)

ONE = {"grid": {"design.seen_per_level": [8]}}
CPU = torch.device("cpu")


def facts_of(opened):
    return [opened.store.read(opened.find(trial)) for trial in opened.trials]


# Asking for more


@pytest.mark.parametrize(
    "more", [{"layers": "all"}, {"sets": ["unseen"]}, {"activity": "max"}, {"cells": False}, {"weights": True}]
)
def test_another_recording_of_a_finished_study_trains_nothing(finished, untrainable, more):
    untrainable()
    opened = study(finished, seeds=[0, 1], recordings=more)
    outcome, told = again(opened)
    new = 0 if "weights" in more else 4
    assert (outcome.finished, outcome.asked, outcome.failed) == (new, new, 0)
    assert told == (["4 trials: their weights are kept, and they are asked without training"] if new else [])
    assert opened.missing() == []


def test_weights_that_are_gone_are_learned_anew_and_it_is_said_of_which_trials(finished):
    shutil.rmtree(finished / "weights")
    opened = study(finished, recordings={"layers": "all"})
    outcome, told = again(opened)
    assert (outcome.finished, outcome.asked) == (2, 0)
    assert told == [
        "2 finished trials are asked for something new, and their weights are not kept: they are trained again: "
        "seen_per_level 1 · seed 0, seen_per_level 8 · seed 0"
    ]
    assert len(all_kept(opened.store)) == 2


def test_trials_that_were_never_trained_are_not_said_to_be_trained_anew(finished):
    opened = study(finished, seeds=[0, 1, 2], recordings={"layers": "all"})
    left = missing_trials(opened)
    assert (len(left.ask), len(left.again), len(left.new)) == (4, 0, 2)


def test_what_differs_in_its_recordings_alone_is_trained_once(tmp_path):
    opened = study(tmp_path / "s", design__seen_per_level=8, grid={"recordings.layers": ["last", "all", "none"]})
    outcome, _ = again(opened)
    assert (outcome.finished, outcome.asked) == (3, 2)
    assert len({facts["learned"] for facts in facts_of(opened)}) == 1


@pytest.mark.slow
def test_worker_processes_keep_weights_and_ask_them(tmp_path, processes):
    opened = study(tmp_path / "s", grid={"design.seen_per_level": [1, 8], "recordings.layers": ["last", "none"]})
    outcome, _ = again(opened, workers=2)
    assert (outcome.finished, outcome.asked, len(all_kept(opened.store))) == (4, 2, 2)


def test_a_pack_asks_those_whose_weights_are_kept_and_trains_the_others(finished):
    opened = study(finished, seeds=[1, 2], recordings={"layers": "none"}, **ONE)
    events = []
    execution.execute(opened, opened.trials, CPU, events.append)
    done = {event.trial: event.figures.get("asked", False) for event in events if event.kind == "finished"}
    assert done == {"seen_per_level 8 · seed 1": True, "seen_per_level 8 · seed 2": False}


def test_packs_ask_first_and_train_the_rest_together(finished):
    opened = study(finished, seeds=[1, 2, 3], recordings={"layers": "none"}, **ONE)
    events, (first, after) = [], turns(opened, opened.trials[::-1], "cpu")
    assert [trial.seed for trial in first] == [1, 3, 2]
    assert after == []
    local.in_packs(opened, first, 2, CPU, events.append)
    done = {event.trial: event.figures.get("asked", False) for event in events if event.kind == "finished"}
    assert list(done.values()) == [True, False, False]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_weights_learned_in_a_pack_on_a_gpu_answer_the_same_again(tmp_path, untrainable):
    opened = study(tmp_path / "study", seeds=[0, 1])
    assert ran(opened, device="cuda").finished == 4
    same_from_weights(opened, tmp_path, untrainable, device="cuda")


# The same answers


UNITS = {
    "title": "Units", "seeds": [0], "targets": ["category"],
    "world": {"name": "transformed", "levels": ["blur"], "of": {"name": "digits", "viewpoint": "none"}},
    "design": {"name": "expose", "level": "blur", "seen": 3, "images_per_category": 20, "probe_per_category": 4},
    "network": {"backbone": "resnet18-w8", "stem": "small", "channels": 1},
    "training": {"epochs": 1, "batch": 32, "normalise": "half"},
    "recordings": {"sets": ["plain", "across"], "layers": "last", "invariance": True},
}  # fmt: skip


def with_checkpoint(tmp_path):
    from unseen.models import build

    torch.save(build("resnet18-w8", {"category": 9}, stem="small", seed=5).state_dict(), tmp_path / "start.pt")
    own = {"backbone": "resnet18-w8", "stem": "small", "checkpoint": str(tmp_path / "start.pt"), "frozen": True}
    return tiny(network=own, targets=["category"], **ONE)


SUBJECTS = {
    "batch norm and two heads": lambda path: tiny(**ONE, training__epochs=2),
    "standard stem, strides in narrow convolutions": lambda path: tiny(
        network={"backbone": "resnet18-w8", "stem": "standard"}, **ONE
    ),
    "separate branches": lambda path: tiny(network__sharing="separate", recordings={"layers": "all"}, **ONE),
    "encoder and readout": lambda path: ENCODER,
    "invariance of units": lambda path: UNITS,
    "timm": lambda path: tiny(network={"backbone": "mobilenetv3_small_050"}, **ONE),
    "frozen, from a checkpoint": with_checkpoint,
    "searched": lambda path: tiny(search={"lr": [0.1, 0.001]}, **ONE),
    "bf16": lambda path: tiny(training__precision="bf16", **ONE),
}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_kept_weights_answer_bit_by_bit_as_right_after_training(tmp_path, untrainable, subject):
    opened = open_study(SUBJECTS[subject](tmp_path), out=tmp_path / "study")
    assert ran(opened).failed == 0
    same_from_weights(opened, tmp_path, untrainable)


# What may be wrong with them


def spoil_length(folder):
    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:-5000])


def spoil_bit(folder):
    data = bytearray((folder / WEIGHTS).read_bytes())
    data[-100] ^= 1
    (folder / WEIGHTS).write_bytes(bytes(data))


def spoil_shape(folder):
    state = load_file(folder / WEIGHTS)
    name = next(iter(state))
    state[name] = torch.zeros(3, 3)
    save_file(state, folder / WEIGHTS)
    told = json.loads((folder / LEARNED).read_text())
    del told["digest"]
    (folder / LEARNED).write_text(json.dumps(told))


def spoil_facts(folder):
    (folder / LEARNED).write_text("{")


def spoil_kind(folder):
    told = json.loads((folder / LEARNED).read_text())
    (folder / LEARNED).write_text(json.dumps({**told, "curve": "up"}))


def spoil_name(folder):
    told = json.loads((folder / LEARNED).read_text())
    (folder / LEARNED).write_text(json.dumps({**told, "identity": "0" * 16}))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (spoil_length, "weights.safetensors is not what was written"),
        (spoil_bit, "weights.safetensors is not what was written"),
        (spoil_shape, "they do not fit its network"),
        (spoil_facts, "learned.json cannot be read"),
        (spoil_kind, "missing or malformed: curve"),
        (spoil_name, "learned.json belongs to other weights"),
    ],
)
def test_weights_that_cannot_be_used_are_told_and_learned_anew(finished, spoil, words):
    opened = study(finished, recordings={"layers": "none"}, **ONE)
    name = learned_identity(describe(opened.trials[0], opened.world(opened.trials[0]), "float32"))
    spoil(opened.store.weights / name)
    outcome, told = again(opened)
    assert (outcome.finished, outcome.asked, outcome.failed) == (1, 0, 0)
    assert told[1].startswith("seen_per_level 8 · seed 0: its kept weights cannot be used, so it is trained again: ")
    assert words in told[1]
    once_more, told = again(study(finished, recordings={"cells": False}, **ONE))
    assert (once_more.asked, len(told)) == (1, 1)  # those learned anew took their place


def test_weights_without_their_file_are_no_weights_and_are_replaced(finished):
    opened = study(finished, recordings={"layers": "none"})
    for name in all_kept(opened.store):
        (opened.store.weights / name / WEIGHTS).unlink()
    assert again(opened)[0].asked == 0
    assert again(study(finished, recordings={"cells": False}))[0].asked == 2


def test_a_run_that_ends_between_training_and_asking_goes_on_with_asking(tmp_path, monkeypatch, untrainable):
    opened = study(tmp_path / "s", **ONE)
    with monkeypatch.context() as patched:

        def die(*arguments, **options):
            raise KeyboardInterrupt

        patched.setattr(execution, "_record", die)
        with pytest.raises(KeyboardInterrupt):
            ran(opened)
    assert opened.store.finished() == []
    untrainable()
    outcome, told = again(opened)
    assert (outcome.finished, outcome.asked) == (1, 1)
    assert told == ["1 trial: its weights are kept, and it is asked without training"]


def test_a_run_that_ends_while_it_writes_weights_leaves_none(tmp_path, monkeypatch):
    opened = study(tmp_path / "s", **ONE)

    def die(state, path):
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("safetensors.torch.save_file", die)
        with pytest.raises(KeyboardInterrupt):
            ran(opened)
    assert all_kept(opened.store) == []
    (opened.store.weights / ".0123-99").mkdir()  # of one that had no time to tidy up
    assert again(opened)[0].finished == 1
    assert not (opened.store.weights / ".0123-99").exists()


def test_a_disk_too_full_for_weights_costs_the_weights_and_not_the_trial(tmp_path, monkeypatch):
    from safetensors import SafetensorError

    def full(*arguments, **options):
        raise SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)")

    monkeypatch.setattr("safetensors.torch.save_file", full)
    opened = study(tmp_path / "s", **ONE)
    outcome, told = again(opened)
    assert (outcome.finished, outcome.failed) == (1, 0)
    assert len(told) == 1
    assert "its weights are not kept: the disk of" in told[0]
    assert all_kept(opened.store) == []


def test_a_network_whose_weights_no_file_can_hold_is_trained_and_they_are_not_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    tables = own_network(tmp_path, "fine")
    module = tmp_path / "mine_for_tests.py"
    module.write_text(module.read_text() + EXTRA)
    outcome, told = again(open_study(tables, out=tmp_path / "s"))
    assert (outcome.finished, outcome.failed) == (1, 0)
    assert "its weights are not kept: what it calls its weights cannot be written" in told[0]


EXTRA = """
start = Small.__init__


def odd(self, how):
    start(self, how)
    self.register_buffer("waves", torch.zeros(3, dtype=torch.complex128))


Small.__init__ = odd
"""


# Results of before


def as_before(opened):
    """A finished trial as the code before wrote it with ``recordings.weights = true``: its weights lie in its folder,
    and having been asked for is a part of its name."""
    trial = opened.trials[0]
    now, before = identities(describe(trial, opened.world(trial), "float32"))
    folder = opened.store.trials / before
    (opened.store.trials / now).rename(folder)
    facts = json.loads((folder / "trial.json").read_text())
    shutil.move(opened.store.weights / facts.pop("learned") / WEIGHTS, folder / WEIGHTS)
    shutil.rmtree(opened.store.weights)
    facts["identity"], facts["description"]["recordings"] = before, {"weights": True}
    (folder / "trial.json").write_text(json.dumps(facts))
    return before


def test_a_trial_of_before_that_kept_its_weights_is_finished_whatever_is_said_of_weights_now(tmp_path):
    ran(study(tmp_path / "s", **ONE))
    before = as_before(study(tmp_path / "s", **ONE))
    for asked in ({}, {"weights": True}, {"weights": False}, {"weights": 0.5}):
        opened = study(tmp_path / "s", recordings=asked, **ONE)
        assert [opened.find(trial) for trial in opened.trials] == [before]


def test_a_trial_of_before_gives_its_weights_to_a_new_recording(tmp_path, untrainable):
    ran(study(tmp_path / "s", **ONE))
    as_before(study(tmp_path / "s", **ONE))
    opened = study(tmp_path / "s", recordings={"layers": "all"}, **ONE)
    untrainable()
    outcome, _ = again(opened)
    assert (outcome.finished, outcome.asked) == (1, 1)
    (facts,) = facts_of(opened)
    assert len(facts["curve"]) == 1


def test_weights_of_before_that_are_damaged_cost_training_and_their_trial_stays(tmp_path):
    ran(study(tmp_path / "s", **ONE))
    before = as_before(study(tmp_path / "s", **ONE))
    path = tmp_path / "s" / "trials" / before / WEIGHTS
    path.write_bytes(path.read_bytes()[:1000])
    outcome, told = again(study(tmp_path / "s", recordings={"layers": "all"}, **ONE))
    assert (outcome.finished, outcome.asked) == (1, 0)
    assert "weights.safetensors cannot be read" in told[1]
    assert before in study(tmp_path / "s").store.finished()


def test_whether_weights_are_kept_is_no_part_of_what_a_trial_is():
    from pathlib import Path

    from unseen.studies.study import Study

    names = set()
    for weights in (2.0, True, False, 10):
        opened = Study(recipe_from(tiny(recordings={"weights": weights}, **ONE)), Path("nowhere"))
        names.add(opened.identity(opened.trials[0], "float32"))
    assert len(names) == 1


def test_recordings_are_no_part_of_what_is_learned_and_all_else_is():
    from pathlib import Path

    from unseen.studies.study import Study

    def learned(**changes):
        opened = Study(recipe_from(tiny(**{**ONE, **changes})), Path("nowhere"))
        description = describe(opened.trials[0], opened.world(opened.trials[0]), "float32")
        return learned_identity(description), identity(description)

    first = learned()
    same = [learned(recordings=one) for one in ({"layers": "all"}, {"sets": ["seen"]}, {"cells": False})]
    assert {one for one, _ in same} == {first[0]}
    assert len({name for _, name in [first, *same]}) == 4
    other = ({"training__lr": 0.5}, {"seeds": [3]}, {"network__sharing": "separate"}, {"design__images": 180},
             {"training__threads": 2}, {"targets": ["category"]}, {"design__seed": 1})  # fmt: skip
    assert len({first[0], *(learned(**one)[0] for one in other)}) == 1 + len(other)


# The budget


def test_weights_over_the_budget_are_not_kept_all_or_none(tmp_path):
    opened = study(tmp_path / "s", recordings={"weights": 0.001})
    told = weight_budget(opened)
    assert told == WeightBudget(2, told.bytes, 0.001)
    assert told.bytes > 1_000_000
    assert not told.kept
    assert told.words() == (
        "weights: 1.43 MB of 2 networks, more than recordings.weights allows (1 MB), are not kept; asking a finished "
        "trial for something new trains it again. --set recordings.weights=1 keeps them"
    )
    assert ran(opened).finished == 2
    assert taken(opened.store) == (0, 0)


def test_the_budget_counts_what_is_written(tmp_path):
    opened = study(tmp_path / "s")
    ran(opened)
    assert taken(opened.store)[0] == weight_budget(opened).networks == 2
    assert 1 < taken(opened.store)[1] / weight_budget(opened).bytes < 1.1


@pytest.mark.parametrize(("weights", "kept"), [(True, True), (False, False), (2.0, True), (1, True), (0, False)])
def test_weights_may_be_kept_always_never_or_up_to_so_many_gb(tmp_path, weights, kept):
    assert keeps_weights(study(tmp_path, recordings={"weights": weights})) is kept


@pytest.mark.parametrize("weights", ["yes", -1, "2 GB"])
def test_what_is_no_budget_is_refused(tmp_path, weights):
    with pytest.raises(UnseenError, match=r"recordings\.weights"):
        study(tmp_path, recordings={"weights": weights})


def test_numbers_are_those_of_before_whether_asked_or_trained(tmp_path):
    paths = {}
    for name, first in (("trained", {"layers": "all"}), ("asked", {})):
        paths[name] = tmp_path / name
        ran(study(paths[name], recordings=first, **ONE))
        ran(study(paths[name], recordings={"layers": "all"}, **ONE))
    one, two = (study(path, recordings={"layers": "all"}, **ONE) for path in paths.values())
    frames = [pl.read_parquet(s.store.trials / s.find(s.trials[0]) / "responses.parquet") for s in (one, two)]
    assert frames[0].equals(frames[1])
    assert np.isfinite(facts_of(two)[0]["curve"][0]["train loss total"])
