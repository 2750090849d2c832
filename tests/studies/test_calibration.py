"""Strengths are raised until a plainly trained network fails, kept with their curves, and given to every trial."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from torch import nn

from small_study import ran, surroundings
from unseen.engines import open_study
from unseen.kinds.checks import check
from unseen.studies.calibration import accuracy_at, calibrate, fall, unlearned
from unseen.studies.execute import execute
from unseen.studies.store import Store
from unseen.studies.strengths import possible_strengths
from unseen.studies.study import load_study
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.target import target_of
from unseen.worlds.transforms.transformed import transformed

pytest_plugins = ("studies_fixtures",)

TABLES = {
    "title": "Calibrated",
    "seeds": [0],
    "world": {"name": "transformed", "levels": ["blur", "white-noise", "inversion"]}
    | {"of": {"name": "digits", "viewpoint": "none"}},
    "design": {"name": "expose", "level": "blur", "seen": 0, "images_per_category": 20, "probe_per_category": 2},
    "targets": ["category"],
    "network": {"backbone": "mlp", "channels": 1},
    "training": {"epochs": 3, "batch": 32, "normalise": "half"},
    "calibration": {"steps": {"blur": 0.5}, "target": "relative", "images": 10_000},
    "recordings": {"sets": ["plain", "across"], "layers": "none"},
}


def tables(**changes):
    """The recipe; ``calibration__most=2`` changes a key, ``grid={...}`` a whole section."""
    found = json.loads(json.dumps(TABLES))
    for key, value in changes.items():
        section, _, name = key.partition("__")
        if name:
            found.setdefault(section, {})[name] = value
        else:
            found[section] = value
    return found


def opened(path, **changes):
    return open_study(tables(**changes), out=path)


def right(study, trial, asked):
    """A trial's accuracy on a row set, from its stored answers."""
    rows = pq.read_table(study.store.trials / study.find(trial) / "responses.parquet").to_pylist()
    here = [row["truth"] == row["response"] for row in rows if row["set"] == asked]
    return float(np.mean(here)), len(here)


@pytest.fixture(scope="module")
def calibrated_once(tmp_path_factory):
    """A study that has run, and what it told. Look at it, do not change it."""
    study = opened(tmp_path_factory.mktemp("calibrated") / "study")
    events = []
    assert len(study.missing()) == 1
    ran(study, watch=events.append)
    return study, events


@pytest.fixture
def calibrated(calibrated_once, tmp_path):
    """A copy of its own, to change."""
    return shutil.copytree(calibrated_once[0].path, tmp_path / "study")


def test_a_study_finds_its_strength_keeps_the_curve_and_trains_with_it(calibrated_once):
    study, events = calibrated_once
    (name,) = study.calibrations
    record = study.store.calibration(name)
    curve = record["levels"]["blur"]
    assert record["target"] == pytest.approx(0.1 + 0.1 * (record["plain"] - 0.1))
    assert record["plain"] > 0.8
    assert curve["strengths"] == [0.5 * k for k in range(1, len(curve["strengths"]) + 1)]
    assert len(curve["accuracy"]) > 1
    assert curve["accuracy"][-1] < record["target"] <= min(curve["accuracy"][:-1])
    assert curve["chosen"] == curve["strengths"][-1]
    (trial,) = study.trials
    assert trial.recipe.world.arguments["strengths"] == {"blur": curve["chosen"]}
    assert study.world(trial).strengths[1] == curve["chosen"]
    assert study.store.read(study.find(trial))["description"]["world"]["arguments"]["strengths"] == {
        "blur": curve["chosen"]
    }
    kinds = [event.kind for event in events]
    assert kinds.index("calibrating") < kinds.index("calibrated") < kinds.index("started") < kinds.index("finished")


def test_the_curve_ends_where_a_trial_that_saw_nothing_transformed_stands(calibrated_once):
    """The same network by the way of a trial: same split, seed, images and noise, so the same answers to the image."""
    study, _ = calibrated_once
    (record,) = [study.store.calibration(name) for name in study.calibrations]
    (trial,) = study.trials
    curve = record["levels"]["blur"]
    assert right(study, trial, "plain") == pytest.approx((record["plain"], record["n"]))
    assert right(study, trial, "across") == pytest.approx((curve["accuracy"][-1], curve["n"]))


def test_running_again_calibrates_and_trains_nothing(calibrated):
    study = load_study(calibrated)
    before = {path: path.stat().st_mtime_ns for path in (calibrated / "calibrations").iterdir()}
    events = []
    outcome = ran(study, watch=events.append)
    assert (outcome.trials, outcome.already, outcome.finished) == (1, 1, 0)
    assert events == []
    assert {path: path.stat().st_mtime_ns for path in (calibrated / "calibrations").iterdir()} == before


def test_a_strength_that_was_found_is_as_good_as_one_that_was_given(calibrated_once, tmp_path):
    study, _ = calibrated_once
    (trial,) = study.trials
    given = opened(tmp_path, world__strengths=trial.recipe.world.arguments["strengths"], calibration={})
    assert given.calibrations == {}
    assert given.identity(given.trials[0], "float32") == study.find(trial)


def test_a_calibration_that_was_killed_is_done_again_and_ends_alike(calibrated_once, tmp_path):
    class Killed(BaseException):
        pass

    def kill(event):
        if event.kind == "strength":
            raise Killed

    study = opened(tmp_path / "killed")
    with pytest.raises(Killed):
        ran(study, watch=kill)
    assert not (study.path / "calibrations").exists()
    assert len(study.missing()) == 1
    records = calibrate(study)
    whole, _ = calibrated_once
    (name,) = records
    undisturbed = whole.store.calibration(name)
    passing = {"seconds", "finished"}
    assert {k: v for k, v in records[name].items() if k not in passing} == {
        k: v for k, v in undisturbed.items() if k not in passing
    }
    assert study.trials[0].recipe.world == whole.trials[0].recipe.world  # seen without opening the study again


def test_a_target_that_is_never_reached_stops_with_its_curve_and_is_not_tried_twice(tmp_path):
    study = opened(tmp_path, calibration__most=2, calibration__steps={"blur": 0.1, "white-noise": 1})
    with pytest.raises(UnseenError) as told:
        ran(study)
    said = str(told.value)
    assert "blur: 0.1: " in said
    assert "0.2: " in said
    assert "the last of 2 steps" in said
    assert "calibration.most = 2" in said
    assert "blur = 0.1, white-noise = 1" in said
    (path,) = (tmp_path / "calibrations").iterdir()
    assert str(path) in said
    record = json.loads(path.read_text())
    assert record["levels"]["blur"]["chosen"] is None
    assert len(record["levels"]["blur"]["accuracy"]) == 2
    events = []
    with pytest.raises(UnseenError, match=r"never brought a plainly trained network under"):
        ran(load_study(tmp_path), watch=events.append)
    assert events == []
    assert load_study(tmp_path).store.finished() == []


def test_a_network_that_has_not_learned_is_told_as_such(tmp_path):
    study = opened(tmp_path, training__lr=1e-9, training__epochs=1)
    with pytest.raises(UnseenError, match=r"has not learned: its accuracy on plain images is .* Train it longer"):
        ran(study)
    (record,) = [study.store.calibration(name) for name in study.calibrations]
    assert record["levels"]["blur"]["strengths"] == []
    assert record["levels"]["blur"]["chosen"] is None


def test_at_chance_and_already_under_the_target_are_two_ways_not_to_have_learned():
    assert "chance 0.100" in unlearned(0.12, 0.1, 0.102, 200, True)
    assert "under the target 0.5" in unlearned(0.4, 0.1, 0.5, 200, False)
    assert unlearned(0.9, 0.1, 0.18, 200, True) == unlearned(0.9, 0.1, 0.5, 200, False) == ""


@pytest.mark.parametrize(
    ("plain", "classes", "n", "enough"),
    [(0.15, 10, 359, "14,400 test images or more"), (0.95, 2, 400, "494 test images or more")],
)
def test_a_relative_target_that_cannot_be_told_from_chance_is_refused_with_the_images_it_needs(
    plain, classes, n, enough
):
    target = 1 / classes + 0.1 * (plain - 1 / classes)
    said = unlearned(plain, 1 / classes, target, n, True)
    assert "hardly learned" in said
    assert enough in said
    assert f"not {n}" in said
    needed = int(enough.split()[0].replace(",", ""))
    assert "hardly" in unlearned(plain, 1 / classes, target, needed - 1, True)
    assert unlearned(plain, 1 / classes, target, needed + 1, True) == ""


@pytest.mark.parametrize(
    ("plain", "classes", "n"), [(0.714, 300, 2000), (0.975, 38, 760), (0.984, 10, 2000), (0.8875, 20, 160)]
)
def test_networks_of_published_studies_have_learned_enough_for_either_target(plain, classes, n):
    guess = 1 / classes
    assert (
        unlearned(plain, guess, guess + 0.1 * (plain - guess), n, True) == unlearned(plain, guess, 0.15, n, False) == ""
    )


def test_a_curve_stops_at_the_first_strength_under_the_target_and_asks_no_further():
    asked = []

    def ask(strength):
        asked.append(strength)
        return {1.0: 0.9, 2.0: 0.5, 3.0: 0.49, 4.0: 0.6}[strength]

    curve = fall(ask, [1.0, 2.0, 3.0, 4.0], 0.5, 10)
    assert (curve.chosen, curve.accuracy, asked) == (3.0, (0.9, 0.5, 0.49), [1.0, 2.0, 3.0])
    ended = fall(lambda strength: 0.9, [0.4, 0.8], 0.5, 10, most=20)
    assert (ended.chosen, ended.reason) == (
        None,
        "accuracy was still 0.900 at strength 0.8, the last step within its range",
    )


class Spy(nn.Module):
    """Answers 3 always, and keeps what it saw."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def forward(self, images):
        self.seen.append(images)
        return {"category": nn.functional.one_hot(torch.full((len(images),), 3), 10).float()}


def test_the_images_asked_are_those_of_a_world_with_that_strength():
    inner = {"name": "digits", "viewpoint": "none"}
    world = transformed(inner, ["blur", "white-noise"], seed=5)
    rows = np.array([0, 9, 300, 301, 4002])  # at any level
    spy = Spy()
    target = target_of(world.samples.space["category"])
    got = accuracy_at(spy, target, world, rows, "white-noise", 40.0, device=torch.device("cpu"))
    there = transformed(inner, ["white-noise"], strengths={"white-noise": 40.0}, seed=5)
    assert torch.equal(torch.cat(spy.seen), there.images(rows // 3 * 2 + 1))
    assert got == float((world.samples.levels("category", rows) == 3).mean())


def test_trials_that_differ_in_design_or_seed_share_a_calibration_and_networks_do_not(tmp_path):
    grid = {"design.seen": [0, 2], "design.level": ["blur", "inversion"], "design.seed": [0, 1]}
    study = opened(tmp_path, grid=grid, seeds=[0, 1])
    assert (len(study.trials), len(study.calibrations)) == (16, 1)
    grid = {"design.seen": [0, 2], "network.backbone": ["mlp", "resnet18-w8"], "training.epochs": [1, 2]}
    study = opened(tmp_path, grid=grid)
    assert (len(study.trials), len(study.calibrations)) == (8, 4)
    assert next(needed.label for needed in study.calibrations.values()) == "calibration · mlp · epochs 1 · seed 0"


def test_the_world_inside_is_opened_once_for_all_strengths(calibrated):
    study = load_study(calibrated)
    (needed,) = study.calibrations.values()
    assert study.world(needed.trial).inner is study.world(study.trials[0]).inner


def test_other_designs_are_calibrated_on_plain_images_too(tmp_path):
    design = {"name": "matrix", "factor": "transformation", "train": ["none", "inversion"], "images_per_category": 20}
    study = opened(tmp_path, design=design, recordings__sets=["test-*"])
    (record,) = calibrate(study).values()
    assert record["plain"] > 0.8
    assert study.trials[0].recipe.world.arguments["strengths"]["blur"] == record["levels"]["blur"]["chosen"]


def test_given_strengths_stay_beside_those_that_are_found(calibrated_once, tmp_path):
    whole, _ = calibrated_once
    study = opened(tmp_path, world__strengths={"white-noise": 30.0})
    assert list(study.calibrations) == list(whole.calibrations)
    shutil.copytree(whole.path / "calibrations", tmp_path / "calibrations")
    found = whole.trials[0].recipe.world.arguments["strengths"]
    study.refresh()
    assert study.trials[0].recipe.world.arguments["strengths"] == {"white-noise": 30.0, **found}


def test_without_its_strengths_a_trial_has_no_identity_and_is_not_trained(tmp_path):
    study = opened(tmp_path)
    assert study.missing() == study.trials
    assert study.failures() == {}
    check(study)
    with pytest.raises(UnseenError, match=r"needs the strengths of blur, which are to be calibrated first"):
        study.identity(study.trials[0], "float32")
    with pytest.raises(UnseenError, match=r"to be calibrated first"):
        execute(study, study.trials, torch.device("cpu"), lambda event: None)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"calibration__steps": {"blurr": 1}}, r"no level 'blurr' in calibration.steps; .* Did you mean 'blur'"),
        ({"calibration__steps": {"none": 1}}, r"no level 'none' in calibration.steps; possible: blur"),
        (
            {"calibration__steps": {"inversion": 1}},
            r"'inversion', which has no strength; leave it out. .* raised: blur, white-noise\.$",
        ),
        ({"calibration__steps": {"blur": 0}}, r"calibration.steps.blur = 0.0 must be above 0"),
        ({"calibration__steps": {"blur": -1}}, r"must be above 0"),
        ({"calibration__steps": {"blur": float("nan")}}, r"steps.blur = nan is no finite number"),
        ({"calibration__steps": {"blur": 101}}, r"leaves the range of 'blur' at once; .* 0 to 100"),
        ({"calibration__target": 1.5}, r"calibration.target = 1.5 is an accuracy between 0 and 1"),
        ({"calibration__target": 0.1}, r"target = 0.1, but guessing .* right with 0.1 already; .*relative"),
        ({"world__strengths": {"blur": 2.0}}, r"'blur' is in world.strengths \(2.0\) and in calibration.steps"),
        ({"world__plain": False}, r"trains on plain images, and this world shows none at level 'geirhos-colour'"),
        ({"design__plain": "white-noise"}, r"trains on plain images, and this world shows none at level 'white-noise'"),
        ({"world": {"name": "digits"}}, r"world 'digits' has none; wrap it"),
        ({"task": "regression"}, r"\[calibration\] needs a network that names categories"),
        ({"design__category": "kind"}, r"kind"),
        ({"calibration__most": 0}, r"calibration.most = 0"),
    ],
)
def test_bad_input_is_told_before_anything_is_trained(tmp_path, changes, said):
    with pytest.raises(UnseenError, match=said):
        check(opened(tmp_path, **changes))


def test_a_strength_that_weakens_as_its_number_rises_is_refused():
    with pytest.raises(UnseenError, match=r"weakens as its number \(contrast kept\) rises"):
        possible_strengths("geirhos-contrast", 0.05, 20)


@pytest.mark.parametrize("step", [45, 90])
def test_angles_are_no_scale_of_strength(step):
    with pytest.raises(UnseenError) as told:
        possible_strengths("geirhos-rotation", step, 20)
    assert "calibration.steps names 'geirhos-rotation', whose numbers (90, 180, 270, the angle" in str(told.value)
    assert "give it in world.strengths. Levels that can be raised: blur, white-noise" in str(told.value)
    assert "geirhos-rotation" not in str(told.value).partition("raised:")[2]
    with pytest.raises(UnseenError, match=r"No level of this world can be raised\.$"):
        possible_strengths("geirhos-rotation", step, 20, among=["none", "geirhos-rotation", "geirhos-contrast"])


def test_a_packed_study_carries_its_calibrations(calibrated_once, tmp_path):
    study, _ = calibrated_once
    study.store.pack(tmp_path / "study.unseen")
    into = Store(tmp_path / "there")
    assert into.unpack(tmp_path / "study.unseen") == (1, 0)
    assert into.unpack(tmp_path / "study.unseen") == (0, 1)
    there = load_study(into.path)
    assert there.missing() == []
    assert [there.store.calibration(name) for name in there.calibrations] == [
        study.store.calibration(name) for name in study.calibrations
    ]


def test_studies_calibrated_to_other_strengths_are_not_put_together(calibrated, tmp_path):
    store = Store(calibrated)
    store.pack(tmp_path / "study.unseen")
    (path,) = (calibrated / "calibrations").iterdir()
    record = json.loads(path.read_text())
    record["levels"]["blur"]["chosen"] = 77.0
    store.keep_calibration(record["identity"], record)
    with pytest.raises(UnseenError, match=r"calibrated to other strengths \(blur .*\) than this study \(blur 77.0\)"):
        store.unpack(tmp_path / "study.unseen")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"levels": {}}', '{"levels": {"blur": {}}}'])
def test_a_damaged_record_names_its_file_and_the_way_out(calibrated, text):
    (path,) = (calibrated / "calibrations").iterdir()
    path.write_text(text)
    with pytest.raises(UnseenError, match=r"calibrations/.*json' cannot be read \(.*\)\. Move that file out"):
        load_study(calibrated).missing()
    path.unlink()
    (path.parent / f".{path.name}-123").write_text("{")
    assert load_study(calibrated).store.sweep() == 1


def test_a_network_that_breaks_is_told_in_words(tmp_path, monkeypatch):
    study = opened(tmp_path)

    def broken(*given):
        raise RuntimeError("the cables are crossed")

    monkeypatch.setattr("unseen.studies.calibration.train", broken)
    with pytest.raises(UnseenError, match=r"calibration · seed 0 failed: RuntimeError: the cables are crossed"):
        ran(study)


def test_the_strength_of_a_world_is_asked_where_none_is_given():
    world = transformed({"name": "digits", "viewpoint": "none"}, ["blur"], strengths={"blur": 3.0})
    spy = Spy()
    rows, target = np.array([0, 1]), target_of(world.samples.space["category"])
    accuracy_at(spy, target, world, rows, "blur", device=torch.device("cpu"))
    assert torch.equal(spy.seen[0], world.images(np.array([1, 1])))
    assert not torch.equal(spy.seen[0], replace(world, strengths=(0.0, 2.0)).images(np.array([1, 1])))


def test_calibrating_calls_for_no_polars(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)  # whoever imports it now fails
    assert ran(opened(tmp_path, training__epochs=2)).finished == 1


@pytest.mark.slow
def test_a_machine_without_polars_calibrates(tmp_path, compiled):
    words = (
        "import sys, json; sys.modules['polars'] = None\n"
        "from unseen.engines import open_study\n"
        "from unseen.engines.local import run_study\n"
        f"study = open_study(json.loads(sys.stdin.read()), out={str(tmp_path)!r})\n"
        "from unseen.kinds.checks import check; check(study)\n"
        "print(run_study(study, device='cpu', workers=1, watch=lambda event: None).finished)"
    )
    done = subprocess.run(
        [sys.executable, "-c", words], input=json.dumps(tables(training__epochs=2)), env=surroundings(compiled),
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.strip()) == (0, "1"), done.stderr


@pytest.mark.slow
def test_worker_processes_see_the_strengths_that_were_found(tmp_path, processes):
    study = opened(tmp_path, grid={"design.seen": [0, 2, 5]})
    outcome = ran(study, workers=2)
    assert (outcome.finished, outcome.failed) == (3, 0)
    assert load_study(tmp_path).missing() == []
