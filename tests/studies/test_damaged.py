"""A store that was damaged, edited or made elsewhere: what is wrong is told by file and key, and the rest goes on."""

import json
import shutil

import numpy as np
import pytest
from packs import A1, facts
from safetensors.numpy import load_file, save_file

from unseen.kinds.collect import collect
from unseen.kinds.results import gather
from unseen.studies.store import Store
from unseen.studies.study import load_study
from unseen.vocabulary.errors import UnseenError

pytest_plugins = ("studies_fixtures",)

ADVICE = "Move that folder out of the study and run the study again: only this trial is trained again."


def first(study):
    """The folder of the first trial."""
    return load_study(study).store.trials / sorted(load_study(study).store.finished())[0]


def edit(folder, change):
    told = json.loads((folder / "trial.json").read_text())
    change(told)
    (folder / "trial.json").write_text(json.dumps(told))


WRONG = {
    "no seed": (lambda f: f.pop("seed"), "has trial.json without 'seed'"),
    "no flags": (lambda f: f.pop("flags"), "has trial.json without 'flags'"),
    "flags of another kind": (lambda f: f.update(flags=["x"]), "flags = \"['x']\" is not a table of texts"),
    "a seed of another kind": (lambda f: f.update(seed="0"), "seed = '0' is not a whole number"),
    "a seed that is no number": (lambda f: f.update(seed=True), "seed = 'True' is not a whole number"),
    "no network": (lambda f: f["description"].pop("network"), "without 'description.network'"),
    "no sharing": (lambda f: f["description"]["network"].pop("sharing"), "without 'description.network.sharing'"),
    "no images": (lambda f: (f.update(curve=[{"epoch": 0}]), f["sets"].pop("train")), "without 'sets.train'"),
    "a curve of words": (lambda f: f.update(curve=[{"epoch": "one"}]), "is not a list of tables of numbers"),
    "an epoch that is no number": (lambda f: f.update(curve=[{"epoch": float("nan")}]), "numbers with an epoch each"),
    "an epoch without end": (lambda f: f.update(curve=[{"epoch": float("inf")}]), "numbers with an epoch each"),
    "no factors": (lambda f: f.update(factors=[]), "factors = '[]' is not a list of names"),
    "notes that are no list": (lambda f: f["network"].update(notes=3), "network.notes = '3' is not a list of texts"),
    "sharing of another kind": (lambda f: f["network"].update(sharing=[1]), "network.sharing = '[1]' is not a text"),
    "a stem of another kind": (lambda f: f["network"].update(stem={}), "network.stem = '{}' is not a text"),
    "trained by none": (lambda f: f.update(packed=0), "packed = '0' is not a whole number of at least one"),
    "another's name": (lambda f: f.update(identity="b2" * 8), "is not what its name says"),
    "no device": (lambda f: f.update(machine={}), "without 'machine.device'"),
    "a world of another kind": (lambda f: f["description"].update(world=[]), "description.world = '[]' is not a table"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_facts_that_are_not_as_they_should_be_are_told_by_key(tmp_path, wrong):
    folder = tmp_path / "trials" / A1
    folder.mkdir(parents=True)
    told = json.loads(facts(A1))
    WRONG[wrong][0](told)
    (folder / "trial.json").write_text(json.dumps(told))
    with pytest.raises(UnseenError) as error:
        Store(tmp_path).read(A1)
    assert WRONG[wrong][1] in str(error.value)
    assert ADVICE in str(error.value)
    assert Store(tmp_path).readable() == {}


def test_one_damaged_trial_does_not_hide_the_others(finished, say):
    folder = first(finished)
    edit(folder, lambda f: f.pop("seed"))
    for word in ("status", "results", "report"):
        said = say(word, finished)
        assert said.code == 0, said
        assert "1 of 4 finished trials cannot be read and are left out" in said.flat
        assert "has trial.json without 'seed'" in said.flat
        assert "Move that folder out of the study" in said.flat
    page = (finished / "report" / "report.html").read_text()
    assert "has trial.json without" in page


@pytest.mark.parametrize("file", ["responses.parquet", "activity.safetensors"])
def test_recordings_that_were_spoilt_leave_their_trial_out(finished, file):
    study, folder = load_study(finished), first(finished)
    every = collect(study)["trial"].n_unique()
    (folder / file).write_bytes(b"not what it was")
    table = collect(study)
    assert table["trial"].n_unique() == every - 1
    (error,) = study.left_out.values()
    assert f"has {file}, which cannot be opened" in str(error)
    flags = gather(study).flags
    assert flags.filter(flags["flag"] == "damaged")["trial"].to_list() == [folder.name]


def test_answers_that_are_spoilt_inside_leave_their_trial_out_too(finished):
    study, path = load_study(finished), first(finished) / "responses.parquet"
    data = bytearray(path.read_bytes())
    data[8 : len(data) // 2] = bytes(len(data) // 2 - 8)
    path.write_bytes(data)
    assert collect(study)["trial"].n_unique() == 3
    assert "files that cannot be read" in str(study.left_out[path.parent.name])


def test_where_every_trial_is_damaged_the_first_reason_is_told(finished):
    for folder in (finished / "trials").iterdir():
        (folder / "responses.parquet").unlink()
    with pytest.raises(UnseenError, match=r"lacks its responses\.parquet"):
        collect(load_study(finished))


STRANGE = {
    "a vector": ({"layer4": np.zeros(3, np.float32)}, "'layer4' of shape [3], not [units, rows, columns]"),
    "no units": ({"layer4": np.zeros((0, 9, 9), np.float32)}, "of shape [0, 9, 9]"),
    "another layer": ({"weights": np.zeros((2, 9, 9), np.float32)}, "'weights', which is no layer that was recorded"),
    "another grid": (
        {"layer4": np.zeros((2, 9, 9), np.float32), "images": np.zeros((3, 3), np.int32)}, "of different grids",
    ),
}  # fmt: skip


@pytest.mark.parametrize("strange", STRANGE)
def test_foreign_tensors_are_told(finished, strange):
    study, folder = load_study(finished), first(finished)
    save_file(STRANGE[strange][0], folder / "activity.safetensors")
    collect(study)
    assert STRANGE[strange][1] in str(study.left_out[folder.name])


def test_activity_that_is_missing_is_counted_and_named(finished, say):
    folder = first(finished)
    assert load_file(folder / "activity.safetensors")
    (folder / "activity.safetensors").unlink()
    for word in ("status", "results", "report"):
        said = say(word, finished)
        told = f"the activity of 1 of 4 trials is missing; their units are not counted: {folder.name}"
        assert told in said.flat, said
    flags = gather(load_study(finished)).flags
    assert flags.filter(flags["flag"] == "no activity")["trial"].to_list() == [folder.name]


def test_a_study_that_recorded_no_activity_lacks_none(tmp_path):
    from unseen.studies.sound import lacks_activity

    told = {"description": {"recordings": {"layers": "none"}}, "tasks": {}}
    assert not lacks_activity(told, tmp_path)
    assert not lacks_activity({**told, "tasks": {"a": []}, "description": {"recordings": {"cells": False}}}, tmp_path)
    assert lacks_activity({**told, "tasks": {"a": []}}, tmp_path)


def test_a_fault_of_ours_is_called_one_and_nobody_is_told_to_remove_a_result(finished, say, monkeypatch):
    def broken(*_):
        raise KeyError("of ours")

    monkeypatch.setattr("unseen.kinds.trial_numbers.learning_order", broken)
    said = say("results", finished)
    assert said.code == 70
    assert "fault" in said.flat
    assert "delete" not in said.flat
    assert "Move that folder" not in said.flat


# Folders that are no study


def nothing(folder):
    pass


def a_folder_for_a_recipe(folder):
    (folder / "recipe.toml").mkdir()


def another_programs_recipe(folder):
    (folder / "recipe.toml").write_text('[project]\nname = "x"\n')


def binary(folder):
    (folder / "recipe.toml").write_bytes(bytes(range(256)))


def nested(folder):
    (folder / "recipe.toml").write_text("x = " + "[" * 50_000 + "]" * 50_000)


@pytest.mark.parametrize("make", [nothing, a_folder_for_a_recipe, another_programs_recipe, binary, nested])
@pytest.mark.parametrize("word", ["status", "results"])
def test_a_folder_that_is_no_study_is_told(say, tmp_path, make, word):
    (tmp_path / "folder").mkdir()
    make(tmp_path / "folder")
    said = say(word, "folder")
    assert said.code == 2, said
    assert "folder" in said.flat


def trials_that_are_a_file(study):
    shutil.rmtree(study / "trials")
    (study / "trials").write_text("no folder")


def strange_neighbours(study):
    (study / "trials" / "notes.txt").write_text("mine")
    (study / "trials" / "empty").mkdir()
    (study / "trials" / "\x1b[2J").mkdir()
    (study / "trials" / "\x1b[2J" / "trial.json").write_text("{}")
    (study / "trials" / "loop").symlink_to(study / "trials" / "loop")


def records_of_another_kind(study):
    (study / "failed").mkdir(exist_ok=True)
    (study / "failed" / "x.json").write_text("[1, 2]")
    (study / "failed" / "y.json").write_text('{"label": 3, "seed": {}, "error": null}')
    (study / "failed" / "z.json").write_text("[" * 100_000)


def failed_that_is_a_file(study):
    (study / "failed").write_text("no folder")


def calibrations_of_another_kind(study):
    (study / "calibrations").mkdir()
    (study / "calibrations" / "x.json").write_text("[]")


def a_lock_that_is_a_folder(study):
    (study / ".lock").unlink(missing_ok=True)
    (study / ".lock").mkdir()


@pytest.mark.parametrize(
    "spoil",
    [
        trials_that_are_a_file, strange_neighbours, records_of_another_kind, failed_that_is_a_file,
        calibrations_of_another_kind, a_lock_that_is_a_folder,
    ],
)  # fmt: skip
def test_status_tells_what_it_can_of_a_study_with_strange_files(say, finished, spoil):
    spoil(finished)
    said = say("status", finished)
    assert said.code == 0, said
    done = 0 if spoil is trials_that_are_a_file else 4
    assert f"{done} of 4 trials finished" in said.flat
    assert "\x1b" not in said.out


CALIBRATED = {
    "identity": A1, "label": "calibration", "plain": 0.9, "n": 10, "chance": 0.1, "target": 0.2, "flags": {},
    "levels": {"blur": {"strengths": [1.0], "accuracy": [0.1], "n": 10, "chosen": 1.0, "reason": ""}},
}  # fmt: skip


@pytest.mark.parametrize("key", ["plain", "n", "chance", "target"])
@pytest.mark.parametrize("odd", ["x", None, True, [1]])
def test_a_calibration_whose_numbers_are_none_is_told_and_not_read(tmp_path, key, odd):
    store = Store(tmp_path)
    store.keep_calibration(A1, CALIBRATED)
    assert store.calibration(A1) == CALIBRATED
    store.keep_calibration(A1, {**CALIBRATED, key: odd})
    with pytest.raises(UnseenError, match=rf"cannot be read \({key} = .* is not a number\)\. Move that file out"):
        store.calibration(A1)


@pytest.mark.parametrize(
    "odd", [{"chosen": "x"}, {"chosen": float("nan")}, {"strengths": 3}, {"accuracy": []}, {"n": "10"}, {"reason": 1}]
)
def test_a_calibration_with_an_odd_curve_is_told_and_not_read(tmp_path, odd):
    store = Store(tmp_path)
    store.keep_calibration(A1, {**CALIBRATED, "levels": {"blur": {**CALIBRATED["levels"]["blur"], **odd}}})
    with pytest.raises(UnseenError, match="a curve of it is of another kind"):
        store.calibration(A1)
    store.keep_calibration(A1, {**CALIBRATED, "levels": {"blur": {**CALIBRATED["levels"]["blur"], "chosen": None}}})
    assert store.calibration(A1)
