"""Running on this machine: failures are recorded and the rest go on, memory that does not suffice is shared out."""

import multiprocessing
import shutil
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from small_study import own_network, ran, study, surroundings, tiny
from unseen.engines import local, open_study
from unseen.engines.deaths import death
from unseen.engines.local import find_device, run_study
from unseen.kinds.checks import check
from unseen.studies import execute as execution
from unseen.studies import room
from unseen.studies.store import DiskTrouble
from unseen.studies.weight_budget import weight_budget
from unseen.vocabulary.errors import UnseenError

pytest_plugins = ("studies_fixtures",)


def kinds(events):
    return [(event.kind, event.trial) for event in events if event.kind in ("finished", "failed", "note")]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder of the user's own, with room for a module."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine_for_tests", raising=False)
    return tmp_path


def test_a_trial_that_fails_in_training_is_recorded_and_the_others_go_on(here):
    opened = open_study(own_network(here, "fine", "raise", "other"), out=here / "study")
    events = []
    outcome = ran(opened, watch=events.append)
    assert (outcome.trials, outcome.already, outcome.finished, outcome.failed) == (3, 0, 2, 1)
    (record,) = opened.failures().values()
    assert record["error"] == "RuntimeError: the cables are crossed"
    assert "mine_for_tests.py" in record["traceback"]
    assert record["label"] == "how raise · seed 0"
    again = []
    outcome = ran(opened, watch=again.append)
    assert (outcome.already, outcome.finished, outcome.failed) == (2, 0, 1)
    assert kinds(again) == [("failed", "how raise · seed 0")]


def test_a_mended_trial_is_no_failure_any_more(here):
    opened = open_study(own_network(here, "raise"), out=here / "study")
    assert ran(opened).failed == 1
    module = here / "mine_for_tests.py"
    module.write_text(module.read_text().replace('"raise"', '"never"'))
    del sys.modules["mine_for_tests"]
    assert ran(opened).finished == 1
    assert opened.failures() == {}  # what is kept of the network as it was is no failure of this one


def test_a_network_that_cannot_be_built_for_these_pictures_is_recorded_with_its_sentence(tmp_path):
    opened = study(
        tmp_path,
        design__seen_per_level=8,
        network={"stem": "standard"},
        grid={"network.backbone": ["resnet18-w8", "inception_v3"]},
    )
    outcome = ran(opened)
    assert (outcome.finished, outcome.failed) == (1, 1)
    (record,) = opened.failures().values()
    assert record["label"] == "inception_v3 · seed 0"
    assert "24" in record["error"]
    assert "75" in record["error"]


def test_a_pack_that_one_trial_breaks_is_run_one_by_one(here):
    opened = open_study(own_network(here, "fine", "raise", "other"), out=here / "study")
    check(opened)
    events = []
    execution.execute(opened, opened.trials, torch.device("cpu"), events.append)
    assert sorted(kinds(events)) == [
        ("failed", "how raise · seed 0"),
        ("finished", "how fine · seed 0"),
        ("finished", "how other · seed 0"),
    ]


def test_answers_are_computed_with_the_threads_of_the_recipe(here, monkeypatch):
    seen = set()
    respond = execution.respond
    monkeypatch.setattr(execution, "respond", lambda *a, **k: seen.add(torch.get_num_threads()) or respond(*a, **k))
    before = torch.get_num_threads()
    ran(study(here / "study", grid={"design.seen_per_level": [8]}))
    assert seen == {1}
    assert torch.get_num_threads() == before


# Processes


DEATHS = {"kill": -9, "exit": 3}


@pytest.mark.parametrize(
    "ways", [("kill", "fine"), pytest.param(("kill", "fine", "exit", "other"), marks=pytest.mark.slow)]
)
def test_a_process_that_dies_takes_only_its_own_trial_with_it(ways, here, monkeypatch, processes):
    opened = open_study(own_network(here, *ways), out=here / "study")
    monkeypatch.setenv("PYTHONPATH", str(here))
    events = []
    outcome = ran(opened, workers=2, watch=events.append)
    assert (outcome.finished, outcome.failed) == (len(ways) / 2, len(ways) / 2)
    errors = {record["label"]: record["error"] for record in opened.failures().values()}
    labels = {way: f"how {way} · seed 0" for way in ways if way in DEATHS}
    assert errors == {label: death(DEATHS[way], label) for way, label in labels.items()}
    assert len(kinds(events)) == len(ways)


def test_a_disk_that_is_full_is_told_to_the_process_that_hired(tmp_path, monkeypatch):
    """Of a worker, as it runs in its own process."""
    opened = study(tmp_path / "study")
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "trials").write_text("a file where trials should be")
    monkeypatch.setattr(local, "_die_with_parent", lambda parent: None)
    ours, theirs = multiprocessing.Pipe()
    ours.send(0)
    local._work(opened.recipe, opened.path, theirs, 0)
    theirs.close()
    said = [ours.recv() for _ in range(4)]
    ours.close()
    assert [kind for kind, _ in said] == ["ready", "event", "event", "fatal"]
    assert said[-1][1].startswith(f"cannot write to '{tmp_path / 'study'}'")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (-11, ["SIGSEGV", "crash in native code", "ONEDNN_MAX_CPU_ISA=AVX2", "--workers 1", "another width", "report"]),
        (-6, ["SIGABRT", "crash in native code"]),
        (-9, ["SIGKILL", "out of memory", "fewer --workers", "training.batch"]),
        (-15, ["SIGTERM", "asked it to end"]),
        (-64, ["signal 64"]),
        (3, ["with code 3", "see the messages above"]),
        (0xC0000005, ["0xc0000005", "access violation"]),
        (None, ["no longer answers"]),
    ],
)
def test_a_dead_process_is_told_by_trial_signal_likely_reason_and_what_to_try(code, words):
    said = death(code, "resnet18 · seed 0")
    assert "'resnet18 · seed 0'" in said
    assert [word for word in words if word not in said] == []


def test_a_network_that_ends_the_program_is_a_failed_trial_and_the_others_go_on(here):
    opened = open_study(own_network(here, "leave", "fine"), out=here / "study")
    outcome = ran(opened)
    assert (outcome.finished, outcome.failed) == (1, 1)
    (record,) = opened.failures().values()
    assert "asks the program to end" in record["error"]


# The disk


def full(*arguments, **options):
    from safetensors import SafetensorError

    raise SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)")


def test_a_disk_that_is_full_stops_the_study_at_the_first_trial_whatever_library_finds_out(tmp_path, monkeypatch):
    opened = study(tmp_path / "study", seeds=[0, 1, 2])
    monkeypatch.setattr("safetensors.numpy.save_file", full)
    events = []
    with pytest.raises(DiskTrouble, match=r"is full\. Finished trials are safe; make room and run the same command"):
        ran(opened, watch=events.append)
    assert len([event for event in events if event.kind == "started"]) == 1
    assert opened.store.finished() == []
    assert opened.failures() == {}


def test_what_arrow_cannot_write_stops_the_study_too(tmp_path, monkeypatch):
    import pyarrow as pa

    def broken(*arguments, **options):
        raise pa.ArrowException("stream is gone")

    opened = study(tmp_path / "study")
    monkeypatch.setattr("pyarrow.parquet.write_table", broken)
    with pytest.raises(DiskTrouble, match=r"cannot write to .*stream is gone"):
        ran(opened)


def test_room_is_asked_for_before_anything_is_trained(tmp_path, monkeypatch):
    opened = study(tmp_path / "study")
    monkeypatch.setattr(room.shutil, "disk_usage", lambda path: SimpleNamespace(total=10**9, free=200_000))
    events = []
    with pytest.raises(DiskTrouble) as caught:
        ran(opened, watch=events.append)
    said = str(caught.value)
    assert "has 200 KB free, and the 2 trials left need about" in said
    assert "by what they are asked and keep" in said
    assert "recordings.weights=false" in said
    assert events == []
    size = sum(room.expected(opened, opened.trials)) + weight_budget(opened).bytes
    monkeypatch.undo()
    assert ran(opened).finished == 2
    took = sum(file.stat().st_size for file in opened.store.path.rglob("*") if file.is_file())
    assert took / 2 < size < took * 1.5


def test_finished_trials_tell_how_much_room_the_others_need(tmp_path, monkeypatch):
    first = study(tmp_path / "study", recordings={"weights": False})
    ran(first)
    took = sum(file.stat().st_size for file in first.store.trials.rglob("*") if file.is_file())
    more = study(tmp_path / "study", seeds=[0, 1], recordings={"weights": False})
    monkeypatch.setattr(room.shutil, "disk_usage", lambda path: SimpleNamespace(total=10**9, free=took - 1))
    with pytest.raises(DiskTrouble, match="as those that are finished here took"):
        ran(more)
    monkeypatch.setattr(room.shutil, "disk_usage", lambda path: SimpleNamespace(total=10**9, free=took))
    assert ran(more).finished == 2


def test_trials_of_other_settings_do_not_tell_how_much_room_is_needed(tmp_path, monkeypatch):
    first = study(tmp_path / "study", grid={"design.seen_per_level": [8]})
    ran(first)
    (old,) = first.store.finished()
    with open(first.store.trials / old / "latents.safetensors", "wb") as file:
        file.truncate(40 * 10**9)  # takes no room here
    monkeypatch.setattr(room.shutil, "disk_usage", lambda path: SimpleNamespace(total=10**11, free=10**9))
    other = study(tmp_path / "study", grid={"design.seen_per_level": [8]}, recordings={"layers": "none"})
    room.check_room(other, other.missing())
    again = study(tmp_path / "study", grid={"design.seen_per_level": [8]}, seeds=[0, 1])
    with pytest.raises(DiskTrouble, match="the one trial left needs about 40 GB"):
        room.check_room(again, again.missing())


def test_a_disk_that_does_not_tell_its_size_is_no_obstacle(tmp_path, monkeypatch):
    opened = study(tmp_path / "study")
    for told in (SimpleNamespace(total=0, free=0), OSError(38, "not implemented")):

        def usage(path, told=told):
            if isinstance(told, OSError):
                raise told
            return told

        monkeypatch.setattr(room.shutil, "disk_usage", usage)
        room.check_room(opened, opened.trials)
    assert room._size(tmp_path / "gone") == 0


def test_workers_go_when_their_parent_has_gone(tmp_path, monkeypatch):
    gone = []
    monkeypatch.setattr(local, "_die_with_parent", lambda parent: None)
    monkeypatch.setattr(local.os, "_exit", lambda code: gone.append(code) or sys.exit(code))
    ours, theirs = multiprocessing.Pipe()
    ours.close()
    with pytest.raises(SystemExit):
        local._work(study(tmp_path).recipe, tmp_path, theirs, 0)
    assert gone == [1]
    theirs.close()


@pytest.mark.slow
def test_a_script_without_a_guard_is_told_what_to_write(tmp_path, compiled):
    script = tmp_path / "script.py"
    script.write_text(f"import unseen\nunseen.run({tiny()!r}, out='study', device='cpu', workers=2)\n")
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env=surroundings(compiled),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode != 0
    assert "below `if __name__ == '__main__':`" in done.stderr.splitlines()[-1]


# Memory of a device


@pytest.fixture
def crowded(monkeypatch, tmp_path):
    """A study on a device that holds ``room`` trials at a time; gives the study, a runner and what was run."""

    def make(room, **changes):
        opened = study(tmp_path / "study", **changes)
        runs = []

        def execute(study, trials, device, watch):
            assert len(trials) <= local.PACK
            if len(trials) > room:
                raise torch.OutOfMemoryError("Tried to allocate 20.00 GiB")
            for trial in trials:
                name = study.identity(trial, "float32")
                study.store.save(name, lambda folder: (folder / "trial.json").write_text("{}") and None)
                watch(execution.Event("finished", trial.label, name, {"flags": {}}))
            runs.append([trial.label for trial in trials])

        monkeypatch.setattr(local, "execute", execute)
        monkeypatch.setattr(local.gc, "collect", lambda: 0)  # slow, and nothing is held here
        monkeypatch.setattr(local, "find_device", lambda name: SimpleNamespace(type="mps"))
        return opened, runs

    return make


@pytest.mark.parametrize("room", [1, 2, 3])
def test_trials_that_do_not_fit_together_are_halved_until_they_do(crowded, room):
    opened, runs = crowded(room, seeds=[0, 1, 2, 3, 4])
    events = []
    outcome = run_study(opened, watch=events.append)
    assert (outcome.finished, outcome.failed) == (10, 0)
    labels = [label for group in runs for label in group]
    assert sorted(labels) == sorted(trial.label for trial in opened.trials)
    assert max(map(len, runs)) <= room
    notes = [text for kind, text in kinds(events) if kind == "note"]
    assert notes[0] == "4 trials do not fit in the device's memory; 2 at a time from here"
    assert len(notes) == (2 if room == 1 else 1), "what did not fit once is not tried again"


def test_one_trial_that_does_not_fit_alone_is_recorded_with_what_to_lower(crowded):
    opened, runs = crowded(0)
    events = []
    outcome = run_study(opened, watch=events.append)
    assert (outcome.finished, outcome.failed, runs) == (0, 2, [])
    for record in opened.failures().values():
        assert record["error"].startswith("one trial alone does not fit in memory: lower training.batch (45). Tried to")
    assert [kind for kind, _ in kinds(events)] == ["note", "failed", "failed"]


def test_what_failed_before_memory_ran_out_is_not_tried_a_second_time(crowded, monkeypatch):
    opened, _ = crowded(1, seeds=[0, 1])
    inner, tried = local.execute, []

    def execute(study, trials, device, watch):
        for trial in [t for t in trials if t is study.trials[0]]:
            tried.append(trial.label)
            name = study.identity(trial, "float32")
            study.store.fail(name, {"label": trial.label, "error": "cannot be built"})
            watch(execution.Event("failed", trial.label, name, {"error": "cannot be built"}))
        inner(study, [t for t in trials if t is not study.trials[0]], device, watch)

    monkeypatch.setattr(local, "execute", execute)
    outcome = run_study(opened, watch=lambda event: None)
    assert (outcome.finished, outcome.failed) == (3, 1)
    assert len(tried) == 1


def test_memory_that_runs_out_while_recording_keeps_what_is_stored(crowded, monkeypatch):
    opened, runs = crowded(4, seeds=[0, 1])
    inner, times = local.execute, []

    def execute(study, trials, device, watch):
        times.append(len(trials))
        if len(times) == 1:
            inner(study, trials[:1], device, watch)
            raise torch.OutOfMemoryError("Tried to allocate")
        inner(study, trials, device, watch)

    monkeypatch.setattr(local, "execute", execute)
    assert run_study(opened, watch=lambda event: None).finished == 4
    assert times == [4, 1, 2]
    assert sum(map(len, runs)) == 4


# Devices


def test_devices_are_found_by_name_or_the_lack_is_told():
    assert find_device("cpu").type == "cpu"
    assert find_device("auto").type in ("cpu", "cuda", "mps")
    with pytest.raises(UnseenError, match=r"no device 'gpu'; possible: auto, cpu, cuda, mps"):
        find_device("gpu")
    if not torch.cuda.is_available():
        with pytest.raises(UnseenError, match=r"device 'cuda' was asked for, but torch .* sees only: cpu"):
            find_device("cuda")


def test_an_estimate_counts_what_is_left_and_trains_nothing(tmp_path, finished_once):
    from unseen.engines.timing import estimate

    opened = study(tmp_path / "study")
    found = estimate(opened, "cpu")
    assert (found.networks, found.images, found.device) == (2, 180, "cpu")
    assert 0 < found.seconds < 60
    assert not (tmp_path / "study").exists()
    assert estimate(study(finished_once), "cpu").networks == 0


def test_finished_trials_of_the_same_network_tell_how_long_the_others_take(tmp_path, finished_once, monkeypatch):
    from unseen.engines import timing

    monkeypatch.setattr(timing, "cores", lambda: 1)
    more = study(tmp_path / "study", seeds=[0, 1, 2, 3])
    assert timing.estimate(more, "cpu").how == "timed on 2 small steps of each network"
    shutil.copytree(finished_once, more.path)
    monkeypatch.setattr(timing, "_images_per_second", lambda *told: pytest.fail("a network was timed by steps"))
    found = timing.estimate(more, "cpu")
    assert (found.networks, found.how) == (4, "by the finished trials here")
    took = [more.store.read(name)["seconds_together"] for name in more.store.finished()]
    assert 4 * min(took) / 2 < found.seconds < 4 * max(took) * 2
    for name in more.store.finished():  # of another kind of device: they tell nothing of this one
        path = more.store.trials / name / "trial.json"
        path.write_text(path.read_text().replace('"device": "cpu', '"device": "cuda'))
    monkeypatch.setattr(timing, "_images_per_second", lambda *told: 100.0)
    assert timing.estimate(more, "cpu").how == "timed on 2 small steps of each network"


def test_a_design_without_a_probe_is_timed_and_drawn(tmp_path):
    from unseen.engines.timing import estimate
    from unseen.kinds.pictures import splits

    opened = study(tmp_path / "study", recordings={"layers": "none"})
    for trial in opened.trials:
        split = opened.split(trial)
        without = replace(split, sets={name: rows for name, rows in split.sets.items() if name != "probe"})
        opened._splits.update({key: without for key, kept in opened._splits.items() if kept is split})
        assert "probe" not in opened.split(trial).sets
    assert estimate(opened, "cpu").networks == 2
    assert len(splits(opened)[0].examples) == 9
