"""Trials need encoders: made once for all that say the same, before them, and found again whatever happens."""

import copy
import json
import signal
import subprocess
import time
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import load_file

from small_study import command, ran, surroundings, written
from unseen.engines import open_study
from unseen.engines.timing import estimate
from unseen.kinds.checks import check
from unseen.studies import pretraining
from unseen.studies.encoders import encoder_folder, remove_encoders
from unseen.studies.learners import network_of
from unseen.studies.needed import encoder_words, encoders_left_behind, encoders_to_make
from unseen.studies.pretraining_checks import _check_overlap
from unseen.studies.store import Store
from unseen.studies.stored import StoredStudy
from unseen.vocabulary.errors import UnseenError
from unseen.worlds import make

pytest_plugins = ("studies_fixtures",)

PROBED = {
    "title": "Probed",
    "seeds": [0],
    "targets": ["category"],
    "protocol": "probe",
    "world": {"name": "digits", "viewpoint": "position", "categories": [0, 1, 2]},
    "design": {"name": "hold_out_combinations", "columns": "position", "images": 54}
    | {"validation_images": 27, "test_images": 27, "probe_per_cell": 1, "seen_per_level": 3},
    "network": {"backbone": "resnet18-w8", "stem": "medium"},
    "training": {"epochs": 2, "batch": 16, "normalise": "half"},
    "recordings": {"layers": "none"},
    "pretraining": {
        "world": {"name": "digits", "viewpoint": "position", "categories": [5, 6, 7]},
        "objective": "simclr", "images": 40, "epochs": 1, "batch": 16,
    },
}  # fmt: skip


def study(path, **changes):
    """``pretraining__epochs=3`` changes a key; None takes one out."""
    tables = copy.deepcopy(PROBED)
    for key, value in changes.items():
        section, _, name = key.partition("__")
        place = tables.setdefault(section, {}) if name else tables
        if value is None:
            place.pop(name or section, None)
        else:
            place[name or section] = value
    return open_study(tables, out=path)


@pytest.fixture
def counted(monkeypatch):
    """How often an encoder is trained."""
    times = []
    real = pretraining._record
    monkeypatch.setattr(pretraining, "_record", lambda *given: times.append(given[1].identity) or real(*given))
    return times


def told(events):
    return [(event.kind, event.identity) for event in events if event.kind in ("pretraining", "pretrained", "finished")]


def test_trials_that_say_the_same_share_one_encoder_which_is_made_once_and_before_them(tmp_path, counted):
    opened, events = study(tmp_path / "a", seeds=[0, 1], grid={"training.lr": [1e-3, 1e-2]}), []
    check(opened)
    assert len(opened.trials) == 4
    assert len(opened.encoders) == 1
    (name,) = opened.encoders
    outcome = ran(opened, watch=events.append)
    assert outcome.finished == 4
    assert counted == [name]
    assert [kind for kind, _ in told(events)] == ["pretraining", "pretrained"] + ["finished"] * 4
    assert ran(opened).already == 4
    assert ran(study(tmp_path / "a", seeds=[0, 1, 2])).finished == 1
    assert counted == [name]
    record = json.loads((encoder_folder(opened.store, name) / "encoder.json").read_text())
    assert record["images"] == {"train": 32, "watched": 8}
    assert len(record["curve"]) == 1


def test_a_network_begins_with_its_encoder_and_heads_of_its_own(tmp_path):
    opened = study(tmp_path / "a", seeds=[0, 1])
    ran(opened)
    (name,) = opened.encoders
    kept = load_file(encoder_folder(opened.store, name) / "weights.safetensors")
    networks = [network_of(opened, trial).network for trial in opened.trials]
    for network in networks:
        state = network.trunk.state_dict()
        assert state.keys() == kept.keys()
        assert all(torch.equal(state[key], kept[key]) for key in kept)
        assert network.description["weights"] == f"pretraining: simclr, encoder {name}"
    assert not torch.equal(networks[0].heads[0].weight, networks[1].heads[0].weight)
    facts = opened.store.read(opened.find(opened.trials[0]))
    assert facts["description"]["pretraining"]["pretraining"]["objective"] == "simclr"
    assert facts["network"]["weights"].endswith(name)


def test_finetuning_starts_from_the_encoder_and_leaves_it(tmp_path):
    opened = study(tmp_path / "a", protocol="finetune")
    assert ran(opened).finished == 1
    (name,) = opened.encoders
    state = load_file(next((tmp_path / "a" / "weights").glob("*/weights.safetensors")))
    kept = load_file(encoder_folder(opened.store, name) / "weights.safetensors")
    moved = [key for key, one in kept.items() if not torch.equal(one, state[f"trunk.{key}"])]
    assert any("layer4" in key for key in moved)


def test_an_encoder_is_another_one_where_anything_that_it_learned_by_is_another(tmp_path):
    def name(**changes):
        (found,) = study(tmp_path / "a", **changes).encoders
        return found

    plain = name()
    same = [
        {"seeds": [3]}, {"training__lr": 0.1}, {"protocol": "finetune"}, {"design__seen_per_level": 2},
        {"pretraining__overlap": True}, {"world": {**PROBED["world"], "categories": [0, 1, 2, 3]}},
        {"pretraining__precision": "auto"}, {"title": "Else"},
    ]  # fmt: skip
    assert {name(**changes) for changes in same} == {plain}
    world = PROBED["pretraining"]["world"]
    others = [
        {"pretraining__seed": 1}, {"pretraining__epochs": 2}, {"pretraining__images": 39}, {"pretraining__lr": 0.1},
        {"pretraining__objective": "dino"}, {"pretraining__objective_arguments": {"crop": 0.3}},
        {"pretraining__world": {**world, "categories": [5, 6]}}, {"network__stem": "small"},
        {"network__backbone": "resnet18-w16"}, {"training__normalise": "none"}, {"network__channels": 1},
        {"pretraining__precision": "bf16"}, {"pretraining__augment": {"flip": 0.5}},
    ]  # fmt: skip
    found = [name(**changes) for changes in others]
    assert len({plain, *found}) == len(others) + 1


def test_a_trial_is_another_one_where_its_encoder_is(tmp_path):
    one, other = (study(tmp_path / "a", pretraining__seed=seed).trials[0] for seed in (0, 1))
    opened = study(tmp_path / "a")
    assert opened.identity(one, "float32") != opened.identity(other, "float32")


def test_the_first_weights_of_an_encoder_are_a_control_that_needs_none(tmp_path, counted):
    opened = study(tmp_path / "a", pretraining__objective="none")
    check(opened)
    assert opened.encoders == {}
    assert ran(opened).finished == 1
    assert counted == []
    network = network_of(opened, opened.trials[0]).network
    trained = study(tmp_path / "a")
    ran(trained)
    assert len(counted) == 1
    first = pretraining.first_network(trained.trials[0], (24, 24)).trunk.state_dict()
    assert all(torch.equal(one, first[key]) for key, one in network.trunk.state_dict().items())


@pytest.mark.parametrize("part", ["weights.safetensors", "encoder.json"])
def test_a_damaged_encoder_is_told_and_made_anew(tmp_path, counted, part):
    opened = study(tmp_path / "a")
    ran(opened)
    (name,) = opened.encoders
    file = encoder_folder(opened.store, name) / part
    file.write_bytes(file.read_bytes()[:-9] + b"nonsense!")
    notes = []
    again = study(tmp_path / "a", seeds=[1])
    ran(again, watch=lambda event: notes.append(event.trial) if event.kind == "note" else None)
    assert counted == [name, name]
    assert any("makes it anew" in note for note in notes)


def test_asking_more_of_weights_that_are_kept_needs_no_encoder(tmp_path, counted):
    ran(study(tmp_path / "a"))
    more = study(tmp_path / "a", recordings={"layers": "none", "sets": ["seen"]})
    remove_encoders(more.store)
    assert encoders_to_make(more) == []
    assert ran(more).asked == 1
    assert len(counted) == 1
    facts = more.store.read(more.find(more.trials[0]))
    assert "encoder" in facts["network"]["weights"]


def test_a_plan_tells_what_is_pretrained_first_and_how_long_it_takes(tmp_path):
    opened = study(tmp_path / "a", grid={"pretraining.seed": [0, 1]})
    first, *lines = encoder_words(opened)
    assert first == "2 encoders to pretrain before the trials that share them, 0 here already, 2 to make"
    assert lines[0] == "  encoder · simclr · resnet18-w8 · seed 0: 40 images, 1 epochs"
    rate = estimate(opened, "cpu")
    assert rate.networks == 2
    assert rate.images == 2 * 32 + 2 * 54
    ran(opened)
    assert encoder_words(opened) == [
        "2 encoders to pretrain before the trials that share them, 2 here already, 0 to make"
    ]
    assert encoder_words(study(tmp_path / "b", pretraining=None, protocol="scratch")) == []


def test_a_plan_of_probes_that_are_fitted_together_needs_no_encoder_either(tmp_path):
    opened = study(tmp_path, training={"optimiser": "lbfgs", "normalise": "half"})
    rate = estimate(opened, "cpu")
    assert rate.seconds > 0
    assert not list(tmp_path.glob("encoders/*"))


def test_clean_and_pack_know_encoders(tmp_path, say):
    opened = study(tmp_path / "a", grid={"pretraining.seed": [0, 1]})
    ran(opened)
    assert len(opened.store.encoders()) == 2
    opened.store.pack(tmp_path / "a.unseen")
    there = Store(tmp_path / "b")
    assert there.unpack(tmp_path / "a.unseen") == (2, 0)
    assert there.encoders() == opened.store.encoders()
    assert "without 2 encoders" in say("pack", tmp_path / "a", tmp_path / "light.unseen", "--without-encoders").flat
    light = Store(tmp_path / "c")
    assert light.unpack(tmp_path / "light.unseen") == (2, 0)
    assert light.encoders() == []
    one = study(tmp_path / "a", pretraining__seed=1)
    assert len(encoders_left_behind(one)) == 1
    written(tmp_path / "one.toml", {**PROBED, "pretraining": {**PROBED["pretraining"], "seed": 1}})
    ran(one)  # the recipe of the folder is this one now
    say("clean", tmp_path / "a", "--everything", "--yes")
    assert opened.store.encoders() == list(one.encoders)
    assert "1 encoder" in say("status", tmp_path / "a").flat
    say("clean", tmp_path / "a", "--weights", "--yes")
    assert opened.store.encoders() == []


def test_a_study_unpacked_without_its_images_is_found_again(tmp_path):
    opened = study(tmp_path / "a")
    ran(opened)
    stored = StoredStudy(opened.recipe, opened.path, "the images are not at hand")
    assert stored.find(stored.trials[0]) == opened.find(opened.trials[0])


def test_who_stops_in_the_midst_finds_what_was_made_before_and_makes_the_rest(tmp_path, counted, monkeypatch):
    opened = study(tmp_path / "a", grid={"pretraining.seed": [0, 1]})
    real = pretraining.keep_encoder

    def stopped(store, name, record, state):
        if len(counted) == 2:
            raise KeyboardInterrupt
        real(store, name, record, state)

    monkeypatch.setattr(pretraining, "keep_encoder", stopped)
    with pytest.raises(KeyboardInterrupt):
        ran(opened)
    assert opened.store.encoders() == counted[:1]
    monkeypatch.setattr(pretraining, "keep_encoder", real)
    (tmp_path / "a" / "encoders" / f".{counted[1]}-{2**22 + 1}").mkdir()  # of a process that cannot live
    assert ran(opened).finished == 2
    assert counted == [counted[0], counted[1], counted[1]]
    assert sorted(path.name for path in (tmp_path / "a" / "encoders").iterdir()) == sorted(set(counted))


def test_an_encoder_that_cannot_be_made_fails_the_trials_that_need_it_and_no_other(tmp_path, monkeypatch):
    opened = study(tmp_path / "a", grid={"pretraining.seed": [0, 1]})
    real, told = pretraining._record, []

    def breaks(study, needed, *given):
        if needed.trial.recipe.pretraining.seed == 0:
            raise ValueError("no such thing")
        return real(study, needed, *given)

    monkeypatch.setattr(pretraining, "_record", breaks)
    outcome = ran(opened, watch=told.append)
    assert (outcome.finished, outcome.failed) == (1, 1)
    notes = [event.trial for event in told if event.kind == "note"]
    assert any("seed 0 failed: ValueError: no such thing" in note for note in notes)
    (record,) = opened.failures().values()
    assert "notes why where it cannot" in record["error"]
    monkeypatch.setattr(pretraining, "_record", real)
    assert ran(opened).finished == 1
    assert len(opened.store.encoders()) == 2


@pytest.mark.parametrize("optimiser", ["adam", "lbfgs"])
def test_what_was_odd_about_an_encoder_is_told_of_the_trials_that_start_from_it(tmp_path, monkeypatch, optimiser):
    real = pretraining.keep_encoder

    def odd(store, name, record, state):
        real(store, name, {**record, "flags": {"collapsed": "all alike"}}, state)

    monkeypatch.setattr(pretraining, "keep_encoder", odd)
    opened = study(tmp_path / "a", training__optimiser=optimiser)
    assert ran(opened).finished == 1
    (facts,) = opened.store.readable().values()
    assert facts["flags"]["encoder collapsed"] == "all alike"


@pytest.mark.parametrize(
    ("variation", "by_value"),
    [("first", set()), ("natural", {"pose", "position"}), ("natural-upright", {"position"})],
)
def test_captions_do_not_say_of_tumbling_objects_from_which_side_they_are_seen(variation, by_value):
    world = make("objects", categories=["mug"], instances=1, pose=4, position=3, side=16, variation=variation)
    assert pretraining.without_words(world) == by_value
    wrapped = make("transformed", of=world, levels=["blur"])
    assert pretraining.without_words(wrapped) == by_value


@pytest.mark.slow
def test_a_kill_in_the_midst_costs_the_encoder_in_flight_and_nothing_else(tmp_path, compiled):
    tables = {**PROBED, "grid": {"pretraining.seed": [0, 1]}}
    tables["pretraining"] = {**PROBED["pretraining"], "epochs": 60}
    recipe, out = written(tmp_path / "r.toml", tables), tmp_path / "a"
    words = command("run", recipe, "--out", out, "--device", "cpu", "--workers", 1)
    running = subprocess.Popen(words, env=surroundings(compiled), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    started = time.monotonic()
    while not list(out.glob("encoders/*/encoder.json")) and time.monotonic() - started < 100:
        time.sleep(0.1)
    running.send_signal(signal.SIGKILL)
    running.wait()
    whole = Store(out).encoders()
    assert len(whole) >= 1
    times = {name: (encoder_folder(Store(out), name) / "encoder.json").stat().st_mtime_ns for name in whole}
    opened = open_study(tables, out=out)
    assert len(encoders_to_make(opened)) == 2 - len(whole)
    assert ran(opened).failed == 0
    assert not opened.missing()
    assert len(opened.store.encoders()) == 2
    for name, before in times.items():
        assert (encoder_folder(opened.store, name) / "encoder.json").stat().st_mtime_ns == before
    assert not list(out.glob("encoders/.*"))


def refused(path, **changes):
    with pytest.raises(UnseenError) as error:
        check(study(path, **changes))
    return str(error.value)


WORLD = PROBED["pretraining"]["world"]
BAD = {
    "categories that are asked later": ({"pretraining__world": {**WORLD, "categories": [2, 5]}}, "overlap = true"),
    "another size": ({"pretraining__world": {**WORLD, "viewpoint": "none"}}, "give both the same"),
    "no objective": ({"pretraining__objective": "simclear"}, "Did you mean 'simclr'"),
    "mae without patches": ({"pretraining__objective": "mae"}, "vit-nano-p8"),
    "a batch of one": ({"pretraining__batch": 1}, "batches of 2 or more"),
    "too few images": ({"pretraining__images": 2}, "leave none to tell apart"),
    "more images than there are": ({"pretraining__images": 10**7}, "ask for fewer"),
    "an option": ({"pretraining__objective_arguments": {"heat": 1}}, "possible"),
    "a patch that does not fill": (
        {"network": {"backbone": "vit-nano-p8", "arguments": {"patch": 5}}},
        "patches of 5 pixels do not fill a picture of 24×24",
    ),
    "scratch": ({"protocol": "scratch"}, "[pretraining] makes others"),
    "branches": ({"network__sharing": "separate"}, 'network.sharing = "shared"'),
    "two starts": ({"network__pretrained": True}, "both give the network weights"),
    "a warm-up": ({"pretraining__warmup": 9}, "longer than the 1 epochs"),
    "an augmentation": ({"pretraining__augment": {"twist": 1}}, "no augmentation 'twist'"),
    "no world": ({"pretraining__world": {"name": "digit"}}, "Did you mean 'digits'"),
    "a negative seed": ({"pretraining__seed": -1}, "go from 0"),
}


@pytest.mark.parametrize(("changes", "words"), BAD.values(), ids=BAD)
def test_what_cannot_be_pretrained_is_refused_before_anything_is_trained(tmp_path, changes, words):
    assert words in refused(tmp_path / "a", **changes)


def test_a_section_without_a_world_does_nothing_and_is_refused(tmp_path):
    assert "has no world to learn from" in refused(tmp_path / "a", pretraining={"epochs": 3}, protocol="scratch")


def test_overlap_can_be_meant(tmp_path):
    check(study(tmp_path / "a", pretraining__world={**WORLD, "categories": [2, 5]}, pretraining__overlap=True))


def test_the_same_images_without_categories_or_files_are_an_overlap_too():
    bare = SimpleNamespace(space=SimpleNamespace(factors=()), blocks=())
    learned, other = (SimpleNamespace(samples=bare, fingerprint=name) for name in "ab")
    _check_overlap(learned, other)
    with pytest.raises(UnseenError, match="the very images"):
        _check_overlap(learned, learned)


def test_labels_need_categories(tmp_path):
    world = {"name": "digits", "viewpoint": "position", "categories": [5, 6, 7]}
    opened = study(tmp_path / "a", pretraining__objective="supervised", pretraining__world=world)
    check(opened)
    assert ran(opened).finished == 1


def test_a_recipe_without_pretraining_is_written_as_before(tmp_path):
    from unseen.studies.recipe_files import recipe_toml
    from unseen.vocabulary.recipe import parse, recipe_from

    assert "pretraining" not in recipe_toml(study(tmp_path / "a", pretraining=None, protocol="scratch").recipe)
    with_it = study(tmp_path / "a").recipe
    assert recipe_from(parse(recipe_toml(with_it), "r")) == with_it


def test_probes_that_are_fitted_together_each_see_through_their_own_encoder(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))
    fit = {"optimiser": "lbfgs", "normalise": "half"}
    grid = {"pretraining.objective": ["simclr", "none"]}
    opened = study(tmp_path / "study", training=fit, search={"weight_decay": [0.01]}, grid=grid)
    assert ran(opened).finished == 2, opened.failures()
    assert len(list((tmp_path / "cache" / "features").iterdir())) == 2
