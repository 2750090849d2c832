"""`unseen init`: what it prints, asks and writes, and the commands that follow it as they are."""

import itertools

import pytest
import typer
from PIL import Image

from unseen.cli.starting import _choose
from unseen.worlds.propose import propose

pytest_plugins = ("studies_fixtures",)


def draw(folder, names):
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (24, 24), "teal").save(folder / name)


def domains(tmp_path):
    kinds = itertools.product(("photo", "sketch", "cartoon"), ("dog", "cat", "owl"), range(12))
    draw(tmp_path / "my photos", [f"{domain}/{kind}/pic_{n:03}.jpg" for domain, kind, n in kinds])


def test_a_folder_of_domains_becomes_a_study_that_passes_its_check(say, tmp_path):
    domains(tmp_path)
    said = say("init", "my photos")
    assert said.code == 0, said
    assert "108 images, template {domain}/{category}/pic_*.jpg" in said.out
    assert "recipe written to my photos.toml; it passes `unseen check`." in said.out
    assert "Next: unseen plan 'my photos.toml'" in said.out
    assert max(map(len, said.out.splitlines())) <= 80
    text = (tmp_path / "my photos.toml").read_text()
    assert text.startswith("# Is the category recognised in a domain never seen in training?\n# 108 images in ")
    assert "# Run:      unseen run 'my photos.toml'  (about 1 min on 2 CPU cores)\n" in text
    assert 'root = "my photos"\n' in text
    assert max(map(len, text.splitlines())) <= 100
    assert say("check", "my photos.toml").code == 0
    said = say("plan", "my photos.toml", "--no-time")
    assert said.code == 0, said
    assert "12 trials (1 seed)" in said.out


def test_a_recipe_that_is_there_is_kept(say, tmp_path):
    domains(tmp_path)
    (tmp_path / "my photos.toml").write_text("mine")
    said = say("init", "my photos")
    assert said.code == 2
    assert "is there already; give another name with --to, or --force" in said.flat
    assert (tmp_path / "my photos.toml").read_text() == "mine"
    assert say("init", "my photos", "--to", "other.toml", "--study", "combinations").code == 0
    assert "hold_out_combinations" in (tmp_path / "other.toml").read_text()
    said = say("init", "my photos", "--study", "combination", "--force")
    assert said.code == 2
    assert "Did you mean 'combinations'?" in said.flat


def test_what_cannot_be_studied_says_what_is_missing_and_ends_so(say, tmp_path):
    draw(tmp_path / "set", [f"{kind}/{n}.png" for kind in ("dog", "cat") for n in range(9)])
    said = say("init", "set")
    assert said.code == 1
    assert "NOT READY: only 'category' varies" in said.flat
    assert "a beginning is written to set.toml" in said.flat
    assert "# NOT READY: only 'category' varies" in (tmp_path / "set.toml").read_text()
    for command in ("check", "run", "plan"):
        said = say(command, "set.toml")
        assert said.code == 2
        assert "this recipe is not ready: design.columns, design.seen_per_level are still FILL-ME-IN" in said.flat
        assert "The lines NOT READY at its top say what is missing" in said.flat


@pytest.mark.parametrize("names", [["dog/{}.jpg"], ["dog/grass/{}.jpg", "dog/sand/{}.jpg"]])
def test_one_class_alone_is_named(say, tmp_path, names):
    draw(tmp_path / "set", [name.format(f"{n:03}") for name in names for n in range(9)])
    said = say("init", "set", "--yes")
    assert said.code == 1
    assert "one class only: dog" in said.flat
    assert ("no factor was found" in said.flat) == (len(names) == 1)
    assert ("also needs" in said.flat) == (len(names) == 2)


@pytest.fixture
def turntable(tmp_path):
    draw(tmp_path / "set", [f"{kind}/{n:03}.png" for kind in ("dog", "cat", "owl") for n in range(36)])
    return tmp_path / "set"


def test_without_a_terminal_the_likelier_reading_is_taken_and_the_other_named(say, turntable):
    said = say("init", "set", "--yes")
    assert said.code == 0, said
    assert "another reading: the numbers 0 to 35 in the file names only count the images" in said.flat
    assert "--template '{category}/*.png'" in said.flat
    assert "the 36 levels of view are put into" in said.flat


def test_at_a_terminal_it_asks_and_shows_how_each_reading_reads_a_file(turntable, monkeypatch, capsys):
    from rich.console import Console

    monkeypatch.setattr(typer, "prompt", lambda *words, **options: 2)
    assert _choose(propose(turntable), Console(width=80), ask=True) == "{category}/*.png"
    said = capsys.readouterr().out
    assert "The names can be read in more than one way:" in said
    assert "cat/000.png → category cat, view 000" in said
