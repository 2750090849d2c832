# ruff: noqa: E501 (a table reads best with one row a line)
"""`unseen render` and `unseen worlds show`, as they are typed."""

import re

import numpy as np
import polars as pl
import pytest
from PIL import Image

from small_study import tiny, written
from unseen.worlds import make

pytest_plugins = ("studies_fixtures",)


def fits(text):
    return [line for line in text.splitlines() if len(line) > 80 and "/" not in line] == []


def test_render_writes_and_tells_how_to_read_it_back_and_goes_on(say, tmp_path):
    words = ("render", "digits", "--out", "out", "--rows", "0:90", "--shard", "40", "--device", "cpu")
    said = say(*words, "--set", "world.viewpoint=scale")
    assert said.code == 0, said
    assert "digits-scale: 90 of 14,553 images, 24×24, as png in 3 shards; on cpu" in said.flat
    assert re.search(r"90 images, [\d.]+ KB, 0:0\d, [\d,]+ images/s", said.out)
    assert fits(said.out)
    world = {line.split(" = ")[0].strip(): line.split('"')[1] for line in said.out.splitlines() if " = " in line}
    back = make(world.pop("name"), **{**world, "root": tmp_path / world["root"]})
    whole = make("digits", viewpoint="scale")
    assert back.samples.space.names == (*whole.samples.space.names, "instance")  # ten digits, each in nine sizes
    assert back.samples.space.select(whole.samples.space.names) == whole.samples.space
    np.testing.assert_array_equal(back.images(np.arange(90)).numpy(), whole.images(np.arange(90)).numpy())
    again = say(*words, "--set", "world.viewpoint=scale")
    assert again.code == 0
    assert "3 of 3 shards were finished already" in again.flat
    other = say(*words)
    assert other.code == 2
    assert "holds another export" in other.flat
    assert "world: digits-scale there, digits-position asked" in other.flat


def test_render_takes_the_world_of_a_recipe(say, tmp_path):
    recipe = written(tmp_path / "tiny.toml", tiny(world__viewpoint="rotation"))
    said = say("render", recipe, "--out", "out", "--sample", 20, "--seed", 4, "--format", "parquet", "--workers", 1)
    assert said.code == 0, said
    table = pl.read_parquet(tmp_path / "out" / "digits-rotation-000000.parquet")
    assert len(table) == 20
    assert {"image", "category", "rotation"} <= set(table.columns)


def test_a_recipe_that_varies_its_world_asks_which(say, tmp_path):
    recipe = written(tmp_path / "tiny.toml", tiny(grid={"world.viewpoint": ["scale", "position"]}))
    said = say("render", recipe, "--out", "out")
    assert said.code == 2
    assert "varies world.viewpoint over scale, position; choose one: --set world.viewpoint=" in said.flat
    assert say("worlds", "show", recipe, "--set", "world.viewpoint=scale").code == 0


def test_an_interruption_says_that_the_same_command_goes_on(say, tmp_path, monkeypatch):
    from unseen.exports import run

    def stop(*told):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "add_note", stop)
    said = say("render", "digits", "--out", "out", "--rows", "0:20")
    assert said.code == 130
    assert "the same command goes on" in said.flat


BAD = {
    "world": (["render", "digit", "--out", "o"], "no world 'digit', and no recipe of that name; worlds: digits", "Did you mean 'digits'?"),
    "recipe file": (["render", "none.toml", "--out", "o"], "no recipe file 'none.toml'", ""),
    "format": (["render", "digits", "--out", "o", "--format", "pgn"], "no format 'pgn'; possible: png", "Did you mean 'png'?"),
    "argument": (["render", "digits", "--out", "o", "--set", "world.viewpont=scale"], "'world.viewpont'", "viewpoint"),
    "other section": (["render", "digits", "--out", "o", "--set", "design.k=1"], "--set design.k: only arguments of the world", ""),
    "rows": (["render", "digits", "--out", "o", "--rows", "0:99999"], "rows 0:99999 asked of a world of 14,553 rows", ""),
    "nothing": (["render", "digits", "--out", "o", "--rows", "9:9"], "hold no row", ""),
    "both": (["render", "digits", "--out", "o", "--rows", "0:9", "--sample", 3], "give one of them", ""),
    "out is a file": (["render", "digits", "--out", "FILE"], "is a file; --out is the folder", ""),
    "no out": (["render", "digits"], "Missing option '--out'", ""),
    "missing argument": (["render", "folder", "--out", "o"], "needs a template such as", ""),
    "cuda": (["render", "digits", "--out", "o", "--device", "gpu"], "no device 'gpu'", ""),
    "no name": (["worlds", "show"], "needs the name of a world; possible: digits", ""),
    "no action": (["worlds", "digits"], "`unseen worlds show digits` writes a contact sheet", ""),
    "sheet as a folder": (["worlds", "show", "digits", "--out", "."], "is a folder; --out is the PNG", ""),
    "sheet of no kind": (["worlds", "show", "digits", "--out", "sheet.txt"], "let it end with .png", ""),
}  # fmt: skip


@pytest.mark.parametrize("bad", BAD)
def test_what_is_mistyped_is_told_in_a_sentence(say, tmp_path, bad):
    import torch

    if bad == "cuda" and torch.cuda.is_available():
        pytest.skip("there is CUDA here")
    words, sentence, hint = BAD[bad]
    (tmp_path / "FILE").write_text("")
    said = say(*words)
    assert said.code == 2, said
    assert sentence in said.flat.replace("│ ", ""), said.flat
    assert hint in said.flat.replace("│ ", ""), said.flat
    assert not (tmp_path / "o").exists()


def test_worlds_show_writes_a_sheet_and_worlds_alone_lists(say, tmp_path):
    said = say("worlds", "show", "digits", "--levels", 5, "--seed", 2, "--out", "pictures/digits.png")
    assert said.code == 0, said
    assert "digits-position: 14,553 images; factors: category (9), position (9)" in said.flat
    with Image.open(tmp_path / "pictures/digits.png") as sheet:
        assert sheet.width > 5 * 96
        assert sheet.height > 3 * 96
    listed = say("worlds")
    assert "biased-cars" in listed.out
    assert fits(listed.out)
    assert fits(said.out)


@pytest.mark.parametrize("words", [("render", "--out", "out", "--rows", "0:2"), ("worlds", "show", "--out", "o.png")])
def test_files_that_a_drawn_world_leaves_out_are_told_at_once(say, tmp_path, words):
    (tmp_path / "photos").mkdir()
    Image.new("RGB", (9, 9)).save(tmp_path / "photos/a.png")
    (tmp_path / "photos/b.png").write_text("no picture")
    (tmp_path / "models/box").mkdir(parents=True)
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    (tmp_path / "models/box/a.obj").write_text(corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    (tmp_path / "models/box/b.obj").write_text(corners)
    settings = ["world.root=models", "world.backgrounds=photos", "world.side=16", "world.pose=2"]
    before, after = (words[:1], words[1:]) if words[0] == "render" else (words[:2], words[2:])
    said = say(*before, "meshes", *after, *(word for one in settings for word in ("--set", one)), "--device", "cpu")
    assert said.code == 0, said
    assert "note: left out: 1 files: box/b.obj (it has no faces)" in said.flat
    assert "note: backgrounds left out: 1 files: b.png (not an image)" in said.flat
    assert fits(said.out)


def test_progress_tells_rate_and_time_left():
    from rich.console import Console

    from unseen.cli.rendering import Progress

    bar = Progress(Console(), "images")
    bar(1_000, 5_000)
    assert bar.line(bar.started + 10) == "1,000/5,000 images"
    bar(2_000, 5_000)
    assert bar.line(bar.started + 10) == "2,000/5,000 images, 100/s, 0:30 left"
    assert bar.drawn == 1_000
