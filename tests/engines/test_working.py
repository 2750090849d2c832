"""One worker among others: what it takes, when it ends, and what becomes of what it had."""

import errno
import os
import shutil
import signal
import time
from pathlib import Path

import polars as pl
import pytest
import torch

from small_study import CALIBRATED, ENCODER, own_network, ran, study
from unseen.engines import open_study, working
from unseen.engines.following import Followed
from unseen.engines.starting import LocalWorkers, placements, prepare, visible_devices
from unseen.engines.working import NotReady, Stop, work_on
from unseen.kinds.collect import collect
from unseen.studies.heartbeats import RUN, Heartbeat, as_json, heartbeats
from unseen.studies.jobs import jobs_of
from unseen.studies.leases import ATTEMPTS, newest
from unseen.studies.recipe_files import recipe_toml
from unseen.studies.store import DiskTrouble
from unseen.studies.study import load_study
from unseen.version import build
from unseen.vocabulary.errors import StoreBusy, UnseenError

pytest_plugins = ("studies_fixtures",)


def prepared(path, **changes):
    made = study(path, **changes)
    prepare(made)
    return load_study(path)


def worked(opened, **options):
    return work_on(opened, **{"device": "cpu", "watch": lambda event: None} | options)


def leases(path):
    try:
        return newest(one.name for one in (path / "leases").iterdir())
    except FileNotFoundError:
        return {}


def numbers(path):
    return collect(load_study(path)).filter(pl.col("measure") != "device seconds")


def another(path, **told):
    """A worker on another machine that beat just now."""
    (path / "workers").mkdir(parents=True, exist_ok=True)
    one = Heartbeat("other", host="node7", pid=12, realm="0badcafe", started="now", **told)
    (path / "workers" / "other.json").write_text(as_json(one))


def test_a_worker_does_what_a_run_does_and_leaves_when_nothing_is_left(finished_once, tmp_path):
    opened = prepared(tmp_path / "study", seeds=[0, 1])
    done = worked(opened)
    assert (done.finished, done.failed, done.left) == (4, 0, 0)
    assert numbers(opened.path).equals(numbers(finished_once))
    assert heartbeats(opened.path) == []
    assert worked(load_study(opened.path)).finished == 0


@pytest.mark.slow
def test_what_failed_is_left_alone_by_others_until_it_is_asked_for_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    opened = open_study(own_network(tmp_path, "fine", "raise"), out=tmp_path / "study")
    prepare(opened)
    done = worked(opened)
    assert (done.finished, done.failed, done.left, done.gave_up) == (1, 1, 0, 1)
    (record,) = opened.failures().values()
    assert "the cables are crossed" in record["error"]
    events = []
    again = worked(open_study(own_network(tmp_path, "fine", "raise"), out=tmp_path / "study"), watch=events.append)
    assert (again.finished, again.failed, again.gave_up) == (0, 0, 1)
    assert not [event for event in events if event.kind == "started"]
    prepare(opened)
    assert worked(opened).failed == 1


def test_a_worker_that_is_stopped_gives_back_what_it_has_and_it_counts_as_no_attempt(tmp_path):
    opened = prepared(tmp_path / "study")

    def stop(event):
        if event.kind == "started":
            raise Stop

    with pytest.raises(Stop):
        worked(opened, watch=stop)
    (lease,) = leases(opened.path).values()
    assert (lease.attempts, lease.mark) == (0, "left")
    assert heartbeats(opened.path) == []
    assert worked(load_study(opened.path)).finished == 2


def test_sigterm_stops_it_and_sigusr1_lets_it_end_what_it_has(tmp_path):
    opened = prepared(tmp_path / "study")

    def last(event):
        if event.kind == "started":
            os.kill(os.getpid(), signal.SIGUSR1)

    done = worked(opened, watch=last)
    assert (done.finished, done.left, done.last) == (1, 1, True)

    def stop(event):
        if event.kind == "started":
            os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Stop):
        worked(load_study(opened.path), watch=stop)
    assert signal.getsignal(signal.SIGTERM) == before
    assert worked(load_study(opened.path)).finished == 1


def test_what_outlived_three_workers_is_recorded_as_failed_with_their_names(tmp_path):
    opened = prepared(tmp_path / "study", grid={"design.seen_per_level": [8]})
    (job,) = jobs_of(opened)
    (tmp_path / "study" / "leases").mkdir()
    for n in range(ATTEMPTS):
        (tmp_path / "study" / "leases" / f"{job.key}.{n + 1}").write_text(f"node{n}-1")
    done = worked(opened)
    assert (done.finished, done.failed, done.gave_up) == (0, 1, 1)
    (record,) = opened.failures().values()
    assert "3 workers were lost while they ran it" in record["error"]
    assert "node0-1, node1-1, node2-1" in record["error"]
    assert worked(load_study(opened.path)).gave_up == 1
    prepare(opened)
    assert worked(load_study(opened.path)).finished == 1
    assert opened.failures() == {}


def test_a_machine_that_lacks_what_a_study_needs_says_so_and_takes_nothing(tmp_path, monkeypatch):
    (tmp_path / "start.pt").write_bytes(b"")
    opened = study(tmp_path / "study", network__checkpoint=str(tmp_path / "start.pt"))
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "recipe.toml").write_text(recipe_toml(opened.recipe))
    (tmp_path / "start.pt").unlink()
    with pytest.raises(NotReady, match=r"this machine \(.*\) cannot work on .*, and nothing was taken.*start.pt"):
        worked(load_study(opened.path))
    assert leases(opened.path) == {}
    assert opened.store.failures() == {}

    def broken(*arguments, **options):
        raise RuntimeError("CUDA error: no kernel image is available")

    fine = prepared(tmp_path / "fine")
    monkeypatch.setattr(torch, "zeros", broken)
    with pytest.raises(NotReady, match="no kernel image"):
        worked(fine)
    assert leases(fine.path) == {}


def test_a_full_disk_ends_a_worker_and_poisons_nothing(tmp_path, monkeypatch):
    opened = prepared(tmp_path / "study")
    with monkeypatch.context() as patched:

        def full(*arguments):
            raise OSError(errno.ENOSPC, "No space left on device")

        patched.setattr(os, "rename", full)
        with pytest.raises(DiskTrouble, match="is full"):
            worked(opened)
    assert [lease.attempts for lease in leases(opened.path).values()] == [0]
    assert opened.store.failures() == {}
    assert worked(load_study(opened.path)).finished == 2


def test_a_worker_of_another_version_and_one_beside_a_run_are_refused(tmp_path):
    opened = prepared(tmp_path / "study")
    another(opened.path, unseen="0.0.9+abc")
    with pytest.raises(UnseenError, match=r"worked on with unseen 0.0.9\+abc \(process 12 on node7\), and this is 0"):
        worked(opened)
    another(opened.path, unseen=build(), kind=RUN)
    with pytest.raises(StoreBusy, match="is being run by process 12 on node7, which has it to itself"):
        worked(opened)
    with pytest.raises(StoreBusy, match="process 12 on node7"):
        ran(study(tmp_path / "study"))
    another(opened.path, unseen=build())
    assert worked(opened).finished == 2


@pytest.mark.slow
def test_a_study_that_is_edited_while_workers_run_is_taken_up_as_it_is_now(tmp_path):
    opened = prepared(tmp_path / "study", grid={"design.seen_per_level": [8]})
    more = study(tmp_path / "study", grid={"design.seen_per_level": [8]}, seeds=[0, 1, 2])
    notes = []

    def edit(event):
        if event.kind == "finished" and not notes:
            prepare(more)
        if event.kind == "note":
            notes.append(event.trial)

    done = worked(opened, watch=edit)
    assert done.finished == 3
    assert notes == ["the study's recipe was changed; going on with what it says now"]


PRETRAINED = {
    **ENCODER, "title": "Probed", "task": "classification", "targets": ["category"], "protocol": "probe",
    "world": {"name": "digits", "viewpoint": "position", "categories": [0, 1, 2]},
    "design": {"name": "hold_out_combinations", "columns": "position", "images": 54}
    | {"validation_images": 27, "test_images": 27, "probe_per_cell": 1, "seen_per_level": 3},
    "network": {"backbone": "resnet18-w8", "stem": "medium"},
    "training": {"epochs": 1, "batch": 16, "normalise": "half"},
    "recordings": {"layers": "none"},
    "pretraining": {
        "world": {"name": "digits", "viewpoint": "position", "categories": [5, 6, 7]},
        "objective": "simclr", "images": 40, "epochs": 1, "batch": 16,
    },
}  # fmt: skip
PRETRAINED.pop("readout")


@pytest.mark.slow
@pytest.mark.parametrize(("tables", "made"), [(CALIBRATED, "calibrated"), (PRETRAINED, "pretrained")])
def test_calibrations_and_encoders_are_made_first_and_once(tables, made, tmp_path):
    opened = open_study(tables, out=tmp_path / "study")
    prepare(opened)
    events = []
    done = worked(load_study(opened.path), watch=events.append)
    assert done.failed == 0, [event.figures for event in events if event.kind == "failed"]
    assert done.finished == len(load_study(opened.path).trials)
    kinds = [event.kind for event in events]
    assert kinds.count(made) == 1
    assert kinds.index(made) < kinds.index("finished")
    assert [lease.attempts for lease in leases(opened.path).values()] == [1] * (done.finished + 1)


def test_trials_that_learn_the_same_are_one_piece_and_are_learned_once(tmp_path):
    opened = prepared(
        tmp_path / "study", recordings={"weights": True},
        grid={"design.seen_per_level": [8], "recordings.layers": ["none", "last"]},
    )  # fmt: skip
    assert len(opened.trials) == 2
    assert len(jobs_of(opened)) == 1
    events = []
    done = worked(opened, watch=events.append)
    assert (done.finished, done.asked) == (2, 1)
    assert len([event for event in events if event.kind == "epoch"]) == 1


def test_whoever_follows_hears_what_workers_did_from_their_files(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_HEARTBEAT", "0.05")
    opened = prepared(tmp_path / "study")
    events = []
    followed = Followed(load_study(opened.path), events.append)
    assert followed.look() == []

    def look_when_it_is_written(event):
        end = time.monotonic() + 20
        while event.kind == "started" and not any(one.doing for one in followed.look()) and time.monotonic() < end:
            time.sleep(0.02)

    worked(opened, watch=look_when_it_is_written)
    followed.look()
    kinds = [event.kind for event in events]
    assert kinds.count("finished") == 2
    assert "started" in kinds
    assert not followed.open
    assert (followed.finished, followed.failed) == (2, 0)


def test_a_worker_gets_the_device_it_is_to_take_and_no_other():
    assert visible_devices({"CUDA_VISIBLE_DEVICES": "MIG-1f,MIG-2e"}, 1) == ["MIG-1f", "MIG-2e"]
    assert visible_devices({"CUDA_VISIBLE_DEVICES": ""}, 4) == []
    assert visible_devices({"CUDA_VISIBLE_DEVICES": "1,-1,2"}, 4) == ["1"]
    listed = (
        "GPU 0: H200 (UUID: GPU-aa)\n  MIG 1g.18gb Device 0: (UUID: MIG-bb)\n  MIG 1g.18gb Device 1: (UUID: MIG-cc)\n"
    )
    assert visible_devices({}, 1, listed) == ["MIG-bb", "MIG-cc"]
    assert [one.visible for one in placements("cuda", ["0", "1", "2", "3"], None, 8)] == ["0", "1", "2", "3"]
    assert [one.visible for one in placements("cpu", [], 3, 8)] == [None] * 3
    with pytest.raises(UnseenError, match="leaves no GPU"):
        placements("cuda", [], None, 8)


def test_workers_are_started_with_their_device_and_say_where_their_words_go(tmp_path, monkeypatch):
    started = []

    class Process:
        pid, returncode = 7, None

        def __init__(self, words, **options):
            started.append((words, options))

        def poll(self):
            return None

    monkeypatch.setattr("unseen.engines.starting.subprocess.Popen", Process)
    crew = LocalWorkers(prepared(tmp_path / "study"))
    crew.start(placements("cuda", ["0", "MIG-b"], None, 8), 2)
    assert [options["env"]["CUDA_VISIBLE_DEVICES"] for _, options in started] == ["0", "MIG-b"]
    assert started[0][0][-4:] == ["--device", "cuda", "--pack", "2"]
    assert Path(started[0][1]["env"]["UNSEEN_LOG"]).parent == (tmp_path / "study" / "logs").absolute()
    assert crew.running() == ["7", "7"]


def test_pieces_of_one_sort_go_together_and_as_many_as_a_device_takes(tmp_path, monkeypatch):
    opened = prepared(tmp_path / "study", seeds=[0, 1, 2])
    sizes = []

    def together(study, trials, size, place, watch):
        sizes.append(len(trials))
        for trial in trials:
            name = study.identity(trial, "float32")
            study.store.save(name, lambda folder: (folder / "trial.json").write_text("{}"))

    monkeypatch.setattr(working, "in_packs", together)
    worked(opened, pack=4)
    assert sizes == [4, 2]
    shutil.rmtree(opened.store.trials)
    prepare(opened)
    sizes.clear()
    worked(load_study(opened.path))
    assert sizes == [1] * 6
