"""The default install is small: what only some files need comes with an extra, and lists work without it."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
HIDDEN = ("h5py", "trimesh", "fast_simplification", "mitsuba", "pillow_heif")


def names(requirements):
    return {text.split(">")[0].split("=")[0] for text in requirements}


def test_readers_of_rare_files_are_extras_and_all_of_them_are_there_for_the_tests():
    project = PROJECT["project"]
    rare = {"h5py", "trimesh", "fast-simplification"}
    assert not rare & names(project["dependencies"])
    assert rare <= set().union(*(names(extra) for extra in project["optional-dependencies"].values()))
    assert rare <= names(PROJECT["dependency-groups"]["dev"])
    assert rare <= names(PROJECT["tool"]["uv"]["constraint-dependencies"])


def without_extras(code):
    hidden = f"import sys; [sys.modules.__setitem__(name, None) for name in {HIDDEN!r}]"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", f"{hidden}\n{code}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_worlds_are_listed_without_any_extra():
    code = "from unseen.worlds import describe_worlds\nprint([row['summary'] for row in describe_worlds()])"
    assert "cannot be loaded" not in without_extras(code)


@pytest.mark.slow
@pytest.mark.parametrize("world", ["objects", "cars", "natural-variation", "dsprites", "shapes3d", "mpi3d"])
def test_rendered_worlds_are_drawn_without_any_extra(world):
    code = f"import numpy as np\nfrom unseen.worlds import make\nprint(len(make('{world}').images(np.arange(1))))"
    assert without_extras(code).strip() == "1"
