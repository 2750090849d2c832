"""The table of worlds: names and arguments are checked before anything heavy is loaded."""

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

import unseen.worlds
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.world import World
from unseen.worlds import WORLDS, describe_worlds, make, signature, worlds


def test_the_table_names_the_worlds():
    assert set(WORLDS) >= {"digits", "mnist", "fashion-mnist", "folder", "biased-cars"}


def test_neither_torch_nor_scikit_learn_is_loaded_to_refuse_a_wrong_argument():
    code = """
import sys
import unseen.worlds
from unseen.vocabulary.errors import UnseenError
for name, arguments in (("digts", {}), ("digits", {"viewpont": 1}), ("digits", {"viewpoint": "up"}), ("mnist", {})):
    try:
        unseen.worlds.make(name, **arguments)
    except UnseenError:
        pass
    else:
        sys.exit(f"{name} {arguments} was taken")
unseen.worlds.signature("mnist")
sys.exit(",".join(heavy for heavy in ("torch", "sklearn") if heavy in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("digts", {}, "no world 'digts'.*Did you mean 'digits'"),
        ("digits", {"viewpont": "scale"}, "no argument 'viewpont' in world 'digits'.*Did you mean 'viewpoint'"),
        ("digits", {"root": "."}, "no argument 'root'"),
        ("mnist", {"viewpoint": "scale"}, "world 'mnist' needs root"),
    ],
)
def test_a_wrong_name_or_argument_is_explained(name, arguments, says):
    with pytest.raises(UnseenError, match=says):
        make(name, **arguments)


def test_a_world_is_made_by_name_or_by_its_row():
    assert isinstance(make("digits", viewpoint="none"), World)
    assert WORLDS["digits"]("none").fingerprint == make("digits", viewpoint="none").fingerprint
    assert "viewpoint" in signature("digits").parameters


def test_the_list_says_what_each_world_takes():
    rows = {row["name"]: row for row in describe_worlds()}
    assert rows["digits"]["arguments"]["viewpoint"] == "position"
    assert rows["mnist"]["required"] == ["root"]
    assert all(row["summary"] for row in rows.values())


def ours_from_elsewhere(size: int = 3, **more: object) -> World:
    """A world of another package."""
    return make("digits", viewpoint="none")


@pytest.fixture
def fresh_table():
    worlds.cache_clear()
    yield
    worlds.cache_clear()


def test_another_package_adds_a_world_but_does_not_replace_ours(monkeypatch, fresh_table):
    here = f"{__name__}:ours_from_elsewhere"
    added = [
        EntryPoint("theirs", here, "unseen.worlds"),
        EntryPoint("digits", here, "unseen.worlds"),
        EntryPoint("broken", "no_such_module:world", "unseen.worlds"),
    ]
    monkeypatch.setattr(unseen.worlds, "entry_points", lambda group: added if group == "unseen.worlds" else [])
    assert isinstance(make("theirs", size=2, anything=1), World)
    assert worlds()["digits"] == WORLDS["digits"]
    rows = {row["name"]: row for row in describe_worlds()}
    assert rows["theirs"]["summary"] == "A world of another package."
    assert rows["theirs"]["arguments"] == {"size": 3}
    assert "cannot be loaded" in rows["broken"]["summary"]
    with pytest.raises(UnseenError, match="world 'broken' cannot be loaded from no_such_module:world"):
        make("broken")
