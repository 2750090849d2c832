"""Ctrl-C, however often and whenever: one sentence, code 130, no orphan, and the store is as it was."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_killed_and_continued import alive, children, until

from small_study import command, surroundings, tiny, written
from unseen.studies.store import Store

pytest_plugins = ("studies_fixtures",)

SENTENCE = "stopped. Finished trials are kept; the same command goes on from here."
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for orphans in /proc")


def interrupted(tmp_path, compiled, workers, ready, presses=5):
    """What a run said that was told to stop several times in a row, as soon as ``ready``."""
    recipe = written(tmp_path / "tiny.toml", tiny(seeds=[0, 1], training__epochs=300))
    words = command("run", recipe, "--out", "study", "--device", "cpu", "--workers", workers, "--no-report")
    said = tmp_path / "said.txt"
    with open(said, "w") as out:
        process = subprocess.Popen(
            words, cwd=tmp_path, env=surroundings(compiled), stdout=out, stderr=out, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests may run where it is ignored: "&"
        )  # fmt: skip
        try:
            ready(process)
            crew = children(process.pid)
            for _ in range(presses):
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of its processes
                time.sleep(0.03)
            code = process.wait(30)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    until(lambda: not any(map(alive, crew)), 10)
    assert code == 130, said.read_text()
    assert "Traceback" not in said.read_text()
    assert said.read_text().count(SENTENCE) == 1
    store = Store(tmp_path / "study")
    assert store.busy() is None
    assert not [path for path in (store.trials.iterdir() if store.trials.is_dir() else ()) if path.name[0] == "."]
    return said.read_text()


def loaded(library):
    """Ready when the process has this library mapped: in the middle of its imports."""

    def ready(process):
        until(lambda: library in Path(f"/proc/{process.pid}/maps").read_text() or process.poll() is not None, 60)

    return ready


def test_while_it_imports(tmp_path, compiled):
    interrupted(tmp_path, compiled, 1, loaded("_multiarray_umath"))


def test_while_its_workers_train(tmp_path, compiled):
    def ready(process):
        until(lambda: len(children(process.pid)) >= 3 or process.poll() is not None, 60)  # two and their tracker
        time.sleep(0.5)

    interrupted(tmp_path, compiled, 2, ready)


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.0, 0.3, 1.0, 3.0, 8.0])
@pytest.mark.parametrize("workers", [1, 2])
def test_at_any_moment_after_the_study_was_opened(tmp_path, compiled, workers, after):
    def ready(process):
        until(lambda: (tmp_path / "study" / ".lock").exists() or process.poll() is not None, 60)
        time.sleep(after)

    interrupted(tmp_path, compiled, workers, ready)
