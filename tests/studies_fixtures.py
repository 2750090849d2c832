"""Fixtures of studies and of the command line; a test file takes them with ``pytest_plugins``."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
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
    words = "import timm, polars, pyarrow.parquet, unseen.cli.app, unseen.engines.local, unseen.kinds.results"
    subprocess.run([sys.executable, "-c", words], env=surroundings(where), check=True)
    return where


@pytest.fixture
def processes(compiled, monkeypatch):
    """Workers of this process find compiled modules too."""
    if compiled is not None:
        monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(compiled))


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def flat(self) -> str:
        """All of it as one line: wrapping is no part of a sentence."""
        return " ".join((self.out + " " + self.err).split())


@pytest.fixture
def say(monkeypatch, capsys, tmp_path):
    """``say("plan", "demo")`` in an empty folder, on a terminal of 80 columns."""
    from unseen.cli import main, root

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(root.console, "_width", 80)

    def run(*words: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["unseen", *map(str, words)])
        capsys.readouterr()
        code, heard = 0, signal.getsignal(signal.SIGINT)
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        finally:
            signal.signal(signal.SIGINT, heard)
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Said(code, out, err)

    return run


@pytest.fixture
def untrainable(monkeypatch):
    """Once called, whoever trains fails."""

    def refuse(*arguments, **options):
        raise AssertionError("something was trained")

    def forbid():
        monkeypatch.setattr("unseen.studies.execute.train", refuse)
        monkeypatch.setattr("unseen.training.train", refuse)

    return forbid
