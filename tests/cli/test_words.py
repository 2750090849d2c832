"""Help and tables explain themselves: an example each, no word that vanished, no riddle."""

import re

import pytest
import typer

from small_study import tiny, written
from unseen.cli.app import app

pytest_plugins = ("studies_fixtures",)

COMMANDS = typer.main.get_command(app).commands


def helps(command):
    """All texts of a command's help as they were written."""
    return [command.help or "", *(getattr(parameter, "help", None) or "" for parameter in command.params)]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_has_an_example_and_fits_80_columns(say, name):
    said = say(name, "--help")
    assert f"Example: unseen {name}" in said.flat
    assert max(map(len, said.out.splitlines())) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_no_word_of_a_help_vanishes(say, name):
    """Markdown takes `<recipe>` for a tag and drops it."""
    for text in helps(COMMANDS[name]):
        assert not re.search(r"<[^<>]*>", text), text
    shown = re.sub(r"[^\w]+", "", say(name, "--help").out)
    for text in helps(COMMANDS[name]):
        assert re.sub(r"[^\w]+", "", text.partition("\n")[0])[:30] in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_and_option_says_what_it_is(name):
    for parameter in COMMANDS[name].params:
        assert getattr(parameter, "help", None), f"unseen {name}: {parameter.name}"


def test_the_first_help_explains_the_words_of_all_others(say):
    said = say("--help").flat
    for word in ("world", "design", "recipe", "trial", "study"):
        assert re.search(rf"\b[Aa] {word} (is|says)\b", said), word


def test_tables_explain_their_columns(say, finished_once, tmp_path):
    recipe = written(tmp_path / "tiny.toml", tiny())
    assert "cells: combinations of levels trained on; seen, unseen: test" in say("plan", recipe, "--no-time").flat
    results = say("results", finished_once).flat
    assert "x: number of seen combinations. n: repeats behind a mean. seen, unseen: test images" in results
    models = say("models").flat
    assert "Stem: the shorter side of images, in pixels" in models
    assert "A world is a source of images" in say("worlds").flat
    designs = say("designs").out
    assert "None" not in designs
    assert "withhold_rows: default []" in designs
    assert "A design says which combinations" in designs


def test_a_slip_in_worlds_show_is_answered_with_what_there_is(say):
    assert "there is no `unseen worlds shw`. `unseen worlds` lists the worlds;" in say("worlds", "shw", "digits").flat


def test_what_is_left_to_do_comes_with_the_command_for_it(say, tmp_path):
    recipe = written(tmp_path / "tiny.toml", tiny())
    assert "2 to do: the same command with `run` in place of `status` does them" in say("status", recipe).flat
