"""A folder of grey pictures has three channels and shows no colour: what needs colour is refused, not trained."""

import numpy as np
import pytest
import tomli_w
from PIL import Image

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.folder import folder
from unseen.worlds.folder_world import LOOKED_AT
from unseen.worlds.transforms.transformed import transformed

pytest_plugins = ("studies_fixtures",)

TEMPLATE = "{category}/*"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))


def photos(root, colour=(), mode="L", n=12, form="png"):
    """Two categories of ``n`` pictures of noise, all grey but those numbered in ``colour``."""
    rng = np.random.default_rng(0)
    for category in ("bus", "car"):
        (root / category).mkdir(parents=True, exist_ok=True)
        for number in range(n):
            noise = Image.fromarray(rng.integers(0, 256, (12, 12, 3)).astype(np.uint8))
            shown = noise if number in colour else noise.convert("L").convert(mode)
            shown.save(root / category / f"{number:04}.{form}")
    return root


def recipe(root, levels):
    """A recipe that shows some of a folder's categories transformed, as a file."""
    tables = {
        "title": "Photos", "seeds": [0],
        "world": {"name": "transformed", "levels": levels}
        | {"of": {"name": "folder", "root": str(root), "template": TEMPLATE}},
        "design": {"name": "expose", "level": levels[0], "seen": 1, "probe_per_category": 1},
        "network": {"backbone": "resnet18-w8", "stem": "small"}, "training": {"epochs": 1, "batch": 4},
        "targets": ["category"], "recordings": {"sets": ["within", "across"], "layers": "none"},
    }  # fmt: skip
    path = root.parent / "recipe.toml"
    path.write_text(tomli_w.dumps(tables))
    return path


def test_the_command_line_refuses_colour_transformations_of_grey_files_and_names_the_fix(say, tmp_path):
    said = say("check", recipe(photos(tmp_path / "set"), ["hue", "blur", "grey-scale"]))
    assert said.code == 2
    assert "world 'set' is grey in all files looked at, and hue, grey-scale would do nothing" in said.flat
    assert 'leave them out: levels = ["blur"].' in said.flat


def test_the_command_line_passes_what_needs_no_colour_and_what_shows_some(say, tmp_path):
    assert say("check", recipe(photos(tmp_path / "set"), ["blur"])).code == 0
    assert say("check", recipe(photos(tmp_path / "coloured" / "set", colour=range(12)), ["hue", "blur"])).code == 0


@pytest.mark.parametrize(("mode", "form"), [("RGB", "png"), ("RGB", "jpg"), ("LA", "png"), ("1", "png"), ("P", "gif")])
def test_grey_is_what_the_pixels_show_whatever_the_file_says(tmp_path, mode, form):
    world = folder(photos(tmp_path / "set", mode=mode, form=form), template=TEMPLATE)
    assert world.channels == 3
    with pytest.raises(UnseenError, match=r"is grey in all files looked at, and hue would.*leave it out, and name"):
        transformed(world, ["hue"])


def test_some_grey_files_among_coloured_ones_are_fine(tmp_path):
    world = folder(photos(tmp_path / "set", colour=(3,)), template=TEMPLATE)
    assert not world.colourless()
    assert transformed(world, ["hue"]).levels == ("none", "hue")


def test_files_that_cannot_be_read_any_more_are_passed_over(tmp_path):
    root = photos(tmp_path / "set", n=3)
    world = folder(root, template=TEMPLATE)
    (root / "bus" / "0000.png").unlink()
    (root / "bus" / "0001.png").write_bytes(b"no picture")
    assert world.colourless()
    for file in root.rglob("*.png"):
        file.write_bytes(b"")
    assert not world.colourless()  # nothing to judge by


def test_few_files_are_looked_at_one_by_one_and_none_is_kept(tmp_path, monkeypatch):
    from unseen.worlds import folder_world

    looked = []
    real = folder_world.decode
    monkeypatch.setattr(folder_world, "decode", lambda data, how: looked.append(data) or real(data, how))
    grey = folder(photos(tmp_path / "grey", n=100), template=TEMPLATE)
    assert not looked  # a folder that is not asked decodes nothing
    transformed(grey, ["blur"])
    assert not looked
    assert grey.colourless()
    assert len(looked) == LOOKED_AT
    first = list(looked)
    assert grey.colourless()
    assert looked[LOOKED_AT:] == first
    assert not grey.pixels.file.exists()
    looked.clear()
    assert not folder(photos(tmp_path / "coloured", colour=range(100), n=100), template=TEMPLATE).colourless()
    assert len(looked) == 1
