"""Commands tell of strengths that are to be found, were found, or could not be found."""

import json

import pytest

from small_study import CALIBRATED, written

pytest_plugins = ("studies_fixtures",)

RUN = ("--device", "cpu", "--workers", "1", "--no-report")


@pytest.fixture
def recipe(tmp_path):
    return written(tmp_path / "calibrated.toml", CALIBRATED)


def fits(text):
    return [line for line in text.splitlines() if len(line) > 80 and "/" not in line] == []


def test_strengths_are_announced_found_shown_and_carried(say, recipe, tmp_path):
    for words in (("plan", recipe, "--out", "study", "--device", "cpu"), ("status", recipe, "--out", "study")):
        said = say(*words)
        assert said.code == 0
        assert "strength of blur to be calibrated first; `unseen run` does it" in said.flat
        assert fits(said.out)
    assert not (tmp_path / "study" / "calibrations").exists()

    said = say("run", recipe, "--out", "study", *RUN)
    assert said.code == 0
    assert "2 trials, 0 finished already" in said.out
    assert "calibration · seed 0: strength of blur" in said.flat
    (path,) = (tmp_path / "study" / "calibrations").iterdir()
    record = json.loads(path.read_text())
    curve = record["levels"]["blur"]
    told = f"blur {curve['chosen']:g} (accuracy {curve['accuracy'][-1]:.3f}; plain {record['plain']:.3f}, target"
    assert f"calibrated {told}" in said.flat
    assert said.out.count("  done  ") == 2
    assert fits(said.out)

    assert told in say("status", "study").flat
    assert told in say("plan", recipe, "--out", "study", "--no-time").flat
    again = say("run", recipe, "--out", "study", *RUN)
    assert "2 trials, 2 finished already" in again.out
    assert "calibrat" not in again.out.replace("calibrated.toml", "").replace("Calibrated", "")

    assert say("pack", "study", "study.unseen").code == 0
    assert say("unpack", "study.unseen", "there").code == 0
    said = say("status", "there")
    assert told in said.flat
    assert "2 of 2 trials finished" in said.out


def test_a_target_that_is_never_reached_is_told_with_its_curve_and_stays_told(say, recipe):
    words = ("--set", "calibration.most=1", "--out", "study")
    said = say("run", recipe, *words, *RUN)
    assert said.code != 0
    assert "blur: 0.5: 0." in said.flat
    assert "Take more steps (calibration.most = 1)" in said.flat
    said = say("status", recipe, *words)
    assert said.code == 0
    assert "failed: blur none (accuracy was still" in said.flat
    assert "change [calibration], or give world.strengths" in said.flat
    assert "run the same command again" not in said.flat


def test_bad_steps_are_told_before_anything_runs(say, recipe, tmp_path):
    for command in ("check", "plan", "run", "status"):
        said = say(command, recipe, "--set", "calibration.steps.blur=0")
        assert said.code != 0
        assert "calibration.steps.blur = 0.0 must be above 0" in said.flat
    assert not (tmp_path / "runs").exists()
