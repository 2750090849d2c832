"""A study is killed in the middle, and the same command goes on as if nothing had happened."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from small_study import command, ran, study, surroundings, tiny, written
from unseen.kinds.collect import collect
from unseen.studies.store import Store
from unseen.studies.study import load_study

pytest_plugins = ("studies_fixtures",)

SEEDS = [0, 1]


def children(pid):
    """Processes whose parent is ``pid`` (Linux)."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):  # it has just ended
            continue
        if int(parent) == pid and state != "Z":
            found.append(int(stat.parent.name))
    return found


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(what, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := what():
            return found
        time.sleep(0.01)
    pytest.fail(f"nothing after {seconds} seconds")
    return None


def marks(store, names):
    """What changes when a folder or one of its files is written again."""
    files = [path for name in names for path in (store.trials / name, *sorted((store.trials / name).iterdir()))]
    return {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in files}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for orphans in /proc")
def test_a_killed_study_goes_on_and_ends_as_an_undisturbed_one(tmp_path, compiled):
    recipe = written(tmp_path / "tiny.toml", tiny(seeds=SEEDS, training__epochs=3))
    words = command("run", recipe, "--out", "killed", "--device", "cpu", "--workers", 2, "--no-report")
    store = Store(tmp_path / "killed")
    with open(tmp_path / "said.txt", "w") as said:
        process = subprocess.Popen(words, cwd=tmp_path, env=surroundings(compiled), stdout=said, stderr=said)
        try:
            until(lambda: store.finished() or process.poll() is not None, 120)
            crew = children(process.pid)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
    assert process.returncode == -signal.SIGKILL, (tmp_path / "said.txt").read_text()
    assert len(crew) >= 2
    until(lambda: not any(map(alive, crew)), 10)
    finished = store.finished()
    assert 1 <= len(finished) < 2 * len(SEEDS)
    before = marks(store, finished)

    done = subprocess.run(words, cwd=tmp_path, env=surroundings(compiled), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert f"4 trials, {len(finished)} finished already" in done.stdout
    # A trial that was killed between learning and answering is asked again, not trained again.
    assert done.stdout.count("  done  ") + done.stdout.count("  asked  ") == 4 - len(finished)
    assert marks(store, finished) == before
    assert len(store.finished()) == 4
    assert not [path for path in store.trials.iterdir() if path.name.startswith(".")]

    undisturbed = study(tmp_path / "undisturbed", seeds=SEEDS, training__epochs=3)
    assert ran(undisturbed).finished == 4
    tables = [
        collect(load_study(path)).filter(pl.col("measure") != "device seconds")
        for path in (store.path, undisturbed.path)
    ]
    assert tables[0].equals(tables[1])
    assert tables[0].height > 100
    assert not any(os.path.exists(f"/proc/{pid}") and alive(pid) for pid in crew)
