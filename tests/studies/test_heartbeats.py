"""Whoever is at a study says so, how far they are, and is found lost when they no longer do."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from small_study import ran, study, surroundings
from unseen.studies import heartbeats as told
from unseen.studies.beating import Beating
from unseen.studies.heartbeats import RUN, Heartbeat, ask_to_stop, forget, heartbeats, living
from unseen.studies.recorded import Event
from unseen.studies.store import Store
from unseen.vocabulary.errors import StoreBusy

pytest_plugins = ("studies_fixtures",)


def by_another_host(path, name="other", **facts):
    """A heartbeat as another machine writes it."""
    facts = {"format": 1, "kind": "work", "host": "node7", "pid": 12, "realm": "0badcafe", "started": "now", **facts}
    (path / "workers").mkdir(parents=True, exist_ok=True)
    file = path / "workers" / f"{name}.json"
    file.write_text(json.dumps(facts))
    return file


def test_a_process_beats_while_it_works_and_is_gone_in_good_order(tmp_path):
    with Beating(tmp_path, "cpu", engine="slurm", job="81_3") as beating:
        (one,) = heartbeats(tmp_path)
        assert (one.name, one.pid, one.host, one.device) == (beating.name, os.getpid(), socket.gethostname(), "cpu")
        assert one.living
        assert one.words.endswith("(slurm 81_3)")
    assert heartbeats(tmp_path) == []


def test_what_is_in_progress_is_told_with_its_losses_and_what_is_done_is_counted(tmp_path):
    with Beating(tmp_path) as beating:
        beating.expect({"a1": 3})
        beating(Event("started", "seed 0", "a1"))
        for loss in (0.9, 0.5):
            beating(Event("epoch", "seed 0", "a1", {"train loss": loss, "word": "x"}))
        beating.write()
        (one,) = heartbeats(tmp_path)
        (doing,) = one.doing
        assert (doing.label, doing.kind, doing.epoch, doing.epochs) == ("seed 0", "trial", 2, 3)
        assert list(doing.curve) == [{"train loss": 0.9, "epoch": 1}, {"train loss": 0.5, "epoch": 2}]
        beating(Event("finished", "seed 0", "a1", {"asked": True}))
        beating(Event("started", "seed 1", "b2"))
        beating(Event("failed", "seed 1", "b2", {"error": "no"}))
        beating.write()
        (one,) = heartbeats(tmp_path)
        assert (one.finished, one.failed, one.asked, one.epochs, one.doing) == (1, 1, 1, 2, ())
        assert one.note == "seed 1: no"
        assert one.memory > 1e7


def test_it_beats_by_itself_and_hears_when_it_is_asked_to_stop(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_HEARTBEAT", "0.05")
    heard = []
    with Beating(tmp_path, stopped=lambda: heard.append(True)):
        deadline = time.monotonic() + 20
        while heartbeats(tmp_path)[0].beat < 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert heartbeats(tmp_path)[0].beat >= 3
        assert not heard
        ask_to_stop(tmp_path)
        while not heard and time.monotonic() < deadline:
            time.sleep(0.02)
        assert heard
    assert not list((tmp_path / "workers").iterdir())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_killed_process_of_this_machine_is_known_to_be_gone_at_once(tmp_path, compiled):
    words = "import sys, time, pathlib; from unseen.studies.beating import Beating\n"
    words += "with Beating(pathlib.Path(sys.argv[1])): print('up', flush=True); time.sleep(60)"
    process = subprocess.Popen(
        [sys.executable, "-c", words, str(tmp_path)], stdout=subprocess.PIPE, text=True, env=surroundings(compiled)
    )
    try:
        assert process.stdout.readline() == "up\n"
        assert [one.pid for one in living(tmp_path)] == [process.pid]
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    assert living(tmp_path) == []
    assert len(heartbeats(tmp_path)) == 1
    assert forget(tmp_path) == 1
    assert heartbeats(tmp_path) == []


def test_one_of_another_machine_lives_as_long_as_it_beat_not_long_ago(tmp_path):
    file = by_another_host(tmp_path)
    assert [one.host for one in living(tmp_path)] == ["node7"]
    then = time.time() - told.STALE - 5
    os.utime(file, (then, then))
    assert living(tmp_path) == []
    assert heartbeats(tmp_path)[0].age > told.STALE


@pytest.mark.parametrize("text", ["", "{", "[]", '{"doing": 3, "pid": "x", "beat": null}', "[" * 100_000, "\xff"])
def test_a_heartbeat_that_cannot_be_read_is_told_by_its_name(tmp_path, text):
    by_another_host(tmp_path).write_bytes(text.encode("latin-1"))
    assert [(one.name, one.pid, one.doing) for one in heartbeats(tmp_path)] == [("other", 0, ())]


def test_what_is_read_is_what_was_written(tmp_path):
    doing = (told.Doing("a1", "seed 0", "encoder", 1, 2, "then", ({"loss": 1.0},)),)
    one = Heartbeat("n", host="h", pid=3, seconds=1.5, doing=doing, note="no")
    (tmp_path / "n.json").write_text(told.as_json(one))
    read = told.read(tmp_path / "n.json", 0.0)
    assert read == one


def test_a_run_is_refused_where_another_machine_is_at_the_study_and_its_lock_is_not_seen(tmp_path):
    by_another_host(tmp_path, kind=RUN)
    with pytest.raises(StoreBusy, match=r"is being run by process 12 on node7 since now; wait for it.*unseen work"):
        ran(study(tmp_path))
    assert "node7" in Store(tmp_path).busy()
    assert Store(tmp_path).finished() == []


def test_a_run_beats_with_its_progress_and_forgets_those_that_were_lost(tmp_path):
    file = by_another_host(tmp_path)
    then = time.time() - told.STALE - 5
    os.utime(file, (then, then))
    seen = []
    opened = study(tmp_path, grid={"design.seen_per_level": [8]})
    ran(opened, watch=lambda event: seen.append((event.kind, [one.kind for one in heartbeats(tmp_path)])))
    assert ("finished", [RUN]) in seen
    assert heartbeats(tmp_path) == []
