"""Studies that several tests look at, run once."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from small_study import TINY, ran, study, surroundings


@pytest.fixture(scope="session")
def finished_once(tmp_path_factory):
    """The tiny study, finished, with two seeds. Look at it, do not change it."""
    path = tmp_path_factory.mktemp("finished") / "tiny"
    done = study(path, seeds=[0, 1])
    ran(done)
    assert len(done.store.finished()) == 2 * len(TINY["grid"]["design.seen_per_level"])
    return path


@pytest.fixture
def finished(finished_once, tmp_path):
    """A copy of its own, to change."""
    return shutil.copytree(finished_once, tmp_path / "study")


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """Where processes find compiled modules, or None where Python keeps them as usual.

    Where it is told not to keep them (PYTHONDONTWRITEBYTECODE), each process would compile torch for itself, for
    seconds; here it is done once.
    """
    import torch

    if Path(importlib.util.cache_from_source(torch.__file__)).is_file():
        return None
    base = tmp_path_factory.getbasetemp()
    where = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "compiled"
    words = "import timm, torchvision, polars, pyarrow.parquet, unseen.cli.app, unseen.engines.local, unseen.studies.contents"
    subprocess.run([sys.executable, "-c", words], env=surroundings(where), check=True)
    return where


@pytest.fixture
def processes(compiled, monkeypatch):
    """Workers of this process find compiled modules too."""
    if compiled is not None:
        monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(compiled))
