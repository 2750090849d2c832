"""What the commands say of weights: before a run, after one, and when they are removed."""

import shutil

import pytest

from small_study import tiny, written

pytest_plugins = ("studies_fixtures",)

MORE = ("--set", "recordings.layers=all")


def test_another_layer_of_a_finished_study_is_asked_without_training_and_every_command_says_so(say, finished):
    words = "4 trials: their weights are kept, and they are asked without training"
    planned = say("plan", finished, *MORE, "--device", "cpu")
    assert words in planned.flat
    assert "for the 4 trials left: 0 images to train on" in planned.flat
    assert words in say("status", finished, *MORE).flat
    ran = say("run", finished, *MORE, "--device", "cpu", "--workers", "1", "--no-report")
    assert (ran.code, ran.out.count("  asked  "), ran.out.count("  done  ")) == (0, 4, 0)
    assert words in ran.flat
    assert "4 trials, 4 finished already" in say("run", finished, *MORE, "--device", "cpu", "--no-report").flat


def test_removed_weights_are_told_and_the_trials_that_need_them_are_named_before_they_are_trained(
    say, finished, monkeypatch
):
    monkeypatch.setattr("typer.confirm", lambda text: False)
    assert "weights" not in say("clean", finished, "--weights").out
    assert "weights of 4 networks are kept" in say("status", finished).out
    assert "MB of weights" in say("clean", finished, "--weights", "--yes").flat
    assert "4 of 4 trials finished" in say("status", finished).out
    assert "4 finished trials kept no weights" in say("plan", finished, "--no-time", "--device", "cpu").flat
    one = ("--set", "seeds=[1]")
    words = (
        "2 finished trials are asked for something new, and their weights are not kept: they are trained again: "
        "seen_per_level 1 · seed 1, seen_per_level 8 · seed 1"
    )
    assert words in say("status", finished, *MORE, *one).flat
    ran = say("run", finished, *MORE, *one, "--device", "cpu", "--workers", "1", "--no-report")
    assert words in ran.flat
    assert (ran.code, ran.out.count("  asked  "), ran.out.count("  done  ")) == (0, 0, 2)


def test_weights_that_the_recipe_does_not_need_go_with_everything_else_it_does_not(say, finished):
    recipe = finished / "recipe.toml"
    recipe.write_text(recipe.read_text().replace("    1,\n]", "]", 1))
    said = say("status", finished)
    assert "2 of 2 trials finished" in said.out
    assert "2 trials no longer needed" in say("clean", finished, "--everything", "--yes").out
    assert "weights of 2 networks are kept" in say("status", finished).out


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("0.001", "more than recordings.weights allows (1 MB), are not kept; asking a finished trial"),
        ("false", "are not kept (recordings.weights = false)"),
        ("true", "are kept (recordings.weights = true)"),
    ],
)
def test_plan_tells_whether_weights_are_kept_and_what_they_take(say, tmp_path, asked, words):
    recipe = written(tmp_path / "tiny.toml", tiny())
    told = say("plan", recipe, "--no-time", "--set", f"recordings.weights={asked}").flat
    assert "weights: 1.43 MB of 2 networks" in told
    assert words in told


def test_damaged_weights_cost_a_note_and_training_and_no_traceback(say, finished):
    for file in (finished / "weights").glob("*/weights.safetensors"):
        file.write_bytes(b"nothing")
    ran = say("run", finished, *MORE, "--device", "cpu", "--workers", "1", "--no-report")
    assert ran.code == 0
    assert ran.flat.count("its kept weights cannot be used, so it is trained again") == 4
    shutil.rmtree(finished / "weights")
    assert say("report", finished).code == 0
