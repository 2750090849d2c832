"""Finished trials are safe: written aside, renamed, locked, packed and unpacked."""

import contextlib
import errno
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packs import A1, B2, archive, facts, packed_trial

from small_study import ran, study, surroundings, tiny
from unseen.engines import open_study
from unseen.kinds.checks import check
from unseen.kinds.collect import collect
from unseen.kinds.results import gather
from unseen.studies import archives, whole_trials
from unseen.studies.store import Store
from unseen.studies.study import load_study
from unseen.vocabulary import whole_files
from unseen.vocabulary.errors import StoreBusy, UnseenError
from unseen.vocabulary.whole_files import name_aside

pytest_plugins = ("studies_fixtures",)


def writing(text="{}"):
    def write(folder):
        (folder / "trial.json").write_text(text)
        (folder / "responses.parquet").write_bytes(b"answers")

    return write


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_trial_appears_whole_or_not_at_all(tmp_path):
    store = Store(tmp_path)
    seen = []

    def write(folder):
        writing()(folder)
        seen.append((folder.parent, folder.name.startswith("."), store.has("a1"), store.finished()))

    store.save("a1", write)
    assert seen == [(store.trials, True, False, [])]
    assert store.finished() == ["a1"]
    assert names(store.trials) == ["a1"]

    def broken(folder):
        writing()(folder)
        raise ValueError("no more")

    with pytest.raises(ValueError, match=r"no more"):
        store.save("b2", broken)
    assert names(store.trials) == ["a1"]


def test_what_killed_runs_left_half_written_is_swept_and_never_counted(tmp_path):
    store = Store(tmp_path)
    store.save("a1", writing())
    dead = gone()
    (store.trials / f".b2-{dead}").mkdir()
    (store.trials / f".b2-{dead}" / "trial.json").write_text("{}")
    (tmp_path / f".recipe.toml-{dead}").write_text("tit")
    store.fail("c3", {"error": "no"})
    (tmp_path / "failed" / f".d4.json-{dead}").write_text("{")
    assert store.finished() == ["a1"]
    assert list(store.failures()) == ["c3"]
    assert store.sweep() == 3
    assert names(store.trials) == ["a1"]
    assert names(tmp_path) == ["failed", "trials"]
    assert names(tmp_path / "failed") == ["c3.json"]
    assert store.sweep() == 0


def gone():
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_sweep_leaves_what_the_living_write_here_and_what_other_machines_may_be_writing(tmp_path, monkeypatch):
    store = Store(tmp_path)
    store.trials.mkdir()
    mine = store.trials / name_aside("a1")
    with monkeypatch.context() as patched:
        patched.setattr(socket, "gethostname", lambda: "another-host")
        theirs, theirs_long_ago = store.trials / name_aside("a1"), store.trials / name_aside("b2")
    with monkeypatch.context() as patched:  # one of the same name, after it was started again, or a container of it
        patched.setattr(whole_files, "realm", lambda: "00000000")
        patched.setattr(os, "getpid", gone)
        other_boot = store.trials / name_aside("a1")
    for folder in (mine, theirs, theirs_long_ago, other_boot):
        folder.mkdir()
        (folder / "responses.parquet").write_bytes(b"half")
    day_ago = time.time() - whole_files.OLD - 60
    for path in (theirs_long_ago / "responses.parquet", theirs_long_ago):
        os.utime(path, (day_ago, day_ago))
    with monkeypatch.context() as patched:
        patched.setattr(os, "getpid", gone)
        dead = [store.trials / name_aside(name) for name in ("a1", "vm-12-0badcafe.json")]
    for path in dead:
        path.mkdir()
    assert store.sweep() == 3
    assert names(store.trials) == sorted(path.name for path in (mine, theirs, other_boot))


def test_a_trial_that_only_looks_unfinished_from_here_is_not_removed(tmp_path, monkeypatch):
    """As on a network file system whose client remembers that a name was not there."""
    store = Store(tmp_path)
    store.save("a1", writing('{"n": 1}'))
    true = whole_trials._whole
    monkeypatch.setattr(whole_trials, "_whole", lambda place, last: "damaged" in str(place) and true(place, last))
    with pytest.raises(OSError, match=r"not empty|exists"):
        whole_trials.write_folder(store.trials / "a1", writing('{"n": 2}'), "trial.json")
    assert json.loads((store.trials / "a1" / "trial.json").read_text()) == {"n": 1}
    assert names(store.trials) == ["a1"]
    assert names(tmp_path / "damaged") == []


def test_what_is_damaged_and_in_the_way_is_kept_beside(tmp_path):
    store = Store(tmp_path)
    store.save("a1", writing())
    (store.trials / "a1" / "trial.json").unlink()
    store.save("a1", writing())
    (kept,) = (tmp_path / "damaged").iterdir()
    assert kept.name.startswith("a1-")
    assert names(kept) == ["responses.parquet"]


@given(
    steps=st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["save", "break", "sweep", "damage"])), max_size=12)
)
def test_whatever_is_saved_broken_off_and_swept_a_stored_trial_stays_as_it_was_first_stored(steps):
    with tempfile.TemporaryDirectory() as folder:
        store, first = Store(Path(folder)), {}

        def broken(folder):
            raise KeyboardInterrupt

        for number, (name, step) in enumerate(steps):
            if step == "save":
                store.save(name, writing(f'{{"n": {number}}}'))
                first.setdefault(name, number)
            elif step == "break":
                with contextlib.suppress(KeyboardInterrupt):
                    store.save(name, broken)
            elif step == "damage" and name in first:
                (store.trials / name / "trial.json").unlink()
                del first[name]
            else:
                assert store.sweep() == 0
            told = {one: json.loads((store.trials / one / "trial.json").read_text())["n"] for one in store.finished()}
            assert told == first


def test_many_processes_save_one_trial_while_another_sweeps_and_one_of_them_is_stored(tmp_path):
    words = """
import pathlib, sys
from unseen.studies.store import Store

def write(folder):
    (folder / "one").write_text(sys.argv[2])
    (folder / "trial.json").write_text(sys.argv[2])

store = Store(pathlib.Path(sys.argv[1]))
for n in range(40):
    store.sweep()
    store.save(f"{n:04}", write)
"""
    crew = [subprocess.Popen([sys.executable, "-c", words, str(tmp_path), str(name)]) for name in range(3)]
    assert [one.wait() for one in crew] == [0, 0, 0]
    store = Store(tmp_path)
    assert names(store.trials) == [f"{n:04}" for n in range(40)]
    for folder in store.trials.iterdir():
        assert (folder / "one").read_text() == (folder / "trial.json").read_text()
    assert names(tmp_path) == ["trials"]


def test_of_two_saves_of_one_trial_the_first_stays(tmp_path):
    store = Store(tmp_path)
    store.save("a1", writing('{"n": 1}'))
    store.save("a1", writing('{"n": 2}'))
    assert json.loads((store.trials / "a1" / "trial.json").read_text()) == {"n": 1}
    assert names(store.trials) == ["a1"]


def test_a_trial_folder_without_its_facts_is_replaced_and_not_in_the_way_for_ever(tmp_path):
    store = Store(tmp_path)
    store.save("a1", writing())
    (store.trials / "a1" / "trial.json").unlink()
    assert store.finished() == []
    store.save("a1", writing())
    assert store.finished() == ["a1"]


def test_a_finished_trial_is_no_failure_any_more(tmp_path):
    store = Store(tmp_path)
    store.fail("a1", {"error": "no"})
    store.save("a1", writing())
    assert store.failures() == {}


def test_a_damaged_record_of_a_failure_is_still_a_failure(tmp_path):
    store = Store(tmp_path)
    store.fail("a1", {"error": "no"})
    store.failure_path("a1").write_text("{")
    assert "cannot be read" in store.failures()["a1"]["error"]


@pytest.mark.parametrize("text", ["", '{"identity"', "[]", "{}"])
def test_damaged_facts_name_the_folder_and_the_way_out(tmp_path, text):
    store = Store(tmp_path)
    store.save("a1", writing())
    (store.trials / "a1" / "trial.json").write_text(text)
    with pytest.raises(UnseenError, match=r"trials/a1' cannot be read: it .*\. Move that folder out of the study"):
        store.read("a1")


# A disk that fills up, wherever it does


class Full:
    """The n-th write of a kind to this folder finds the disk full."""

    def __init__(self, monkeypatch, function, at, number=errno.ENOSPC):
        self.calls, self.at, self.number = 0, at, number
        owner, name = function
        original = getattr(owner, name)

        def failing(*arguments, **options):
            self.calls += 1
            if self.calls >= self.at:
                raise OSError(self.number, os.strerror(self.number))
            return original(*arguments, **options)

        monkeypatch.setattr(owner, name, failing)


def write_points():
    import pathlib

    import pyarrow.parquet as pq
    import safetensors.numpy

    return {
        "making the folder": (pathlib.Path, "mkdir"),
        "the answers": (pq, "write_table"),
        "the activity": (safetensors.numpy, "save_file"),
        "texts": (pathlib.Path, "write_text"),
        "forcing it to disk": (os, "fsync"),
        "renaming": (os, "rename"),
        "replacing": (os, "replace"),
    }


@pytest.mark.parametrize("point", write_points())
def test_a_full_disk_is_told_in_a_sentence_and_finished_trials_stay(tmp_path, monkeypatch, point):
    opened = study(tmp_path / "study")
    check(opened)
    first = opened.trials[0]
    ran(study(tmp_path / "study", grid={"design.seen_per_level": [1]}))
    before = (opened.store.trials / opened.find(first) / "trial.json").stat()
    with monkeypatch.context() as patched:
        Full(patched, write_points()[point], at=1)
        with pytest.raises(UnseenError, match=r"disk of '.*' is full. Finished trials are safe; make room"):
            ran(opened)
    assert opened.store.finished() == [opened.find(first)]
    assert ran(opened).finished == 1
    after = (opened.store.trials / opened.find(first) / "trial.json").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_read_only_disk_is_told_in_a_sentence(tmp_path, monkeypatch):
    Full(monkeypatch, (os, "replace"), at=1, number=errno.EROFS)
    with pytest.raises(UnseenError, match=r"cannot write to .*: Read-only file system. Finished trials are safe"):
        ran(study(tmp_path / "study"))


def test_a_study_cannot_be_put_where_a_file_is(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UnseenError, match=r"cannot write to"):
        ran(study(tmp_path / "file" / "study"))


# One run at a time

HOLD = """
import sys, time
from unseen.studies.store import Store
from pathlib import Path

with Store(Path(sys.argv[1])).locked():
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_run_is_told_who_runs_and_a_killed_one_frees_the_study(tmp_path, compiled):
    store = Store(tmp_path)
    assert store.busy() is None
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True, env=surroundings(compiled)
    )
    try:
        assert holder.stdout.readline() == "held\n"
        assert f"process {holder.pid} on " in store.busy()
        with pytest.raises(StoreBusy, match=rf"is being run by process {holder.pid} on .* since .*--out"):
            ran(study(tmp_path))
        assert store.finished() == []
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        assert store.busy() is None
        with store.locked():
            assert f"process {os.getpid()} " in store.busy()
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()


def test_a_glance_at_the_lock_does_not_turn_a_run_away(tmp_path):
    import threading

    from unseen.vocabulary.locks import take_lock

    store = Store(tmp_path)
    with store.locked():
        pass
    with open(tmp_path / ".lock") as handle:
        assert take_lock(handle, shared=True)
        release = threading.Timer(0.2, handle.close)
        release.start()
        with store.locked():
            pass
        release.join()


def test_a_file_system_without_locks_is_told_as_such_and_nothing_is_run_there(tmp_path, monkeypatch):
    import fcntl

    def none(handle, operation):
        raise OSError(errno.ENOSYS, "Function not implemented")

    store = Store(tmp_path)
    with store.locked():
        pass
    monkeypatch.setattr(fcntl, "flock", none)
    with pytest.raises(UnseenError, match="has no locks, which keep two runs of a study") as told, store.locked():
        pass
    assert not isinstance(told.value, StoreBusy)
    assert store.busy() is None


# Carrying studies between machines


def numbers(path):
    return collect(load_study(path)).filter(~__import__("polars").col("measure").str.contains("seconds"))


def test_a_study_unpacked_elsewhere_gives_the_same_table(finished, tmp_path):
    packed = tmp_path / "tiny.unseen"
    assert Store(finished).pack(packed) == 4
    other = tmp_path / "other" / "place"
    assert Store(other).unpack(packed) == (4, 0)
    assert collect(load_study(other)).equals(collect(load_study(finished)))
    assert gather(load_study(other)).summary.equals(gather(load_study(finished)).summary)
    assert load_study(other).missing() == []
    assert Store(other).unpack(packed) == (0, 4)
    assert not [name for name in names(tmp_path) if name.startswith(".")]


def test_weights_are_kept_and_left_out_of_a_pack(tmp_path):
    opened = study(tmp_path / "study", grid={"design.seen_per_level": [8]})
    ran(opened)
    (name,) = opened.store.finished()
    learned = opened.store.read(name)["learned"]
    assert (opened.store.weights / learned / "weights.safetensors").stat().st_size > 500_000
    opened.store.pack(tmp_path / "packed")
    assert (tmp_path / "packed").stat().st_size < 100_000
    Store(tmp_path / "other").unpack(tmp_path / "packed")
    assert set(names(opened.store.trials / name)) == set(names(tmp_path / "other" / "trials" / name))
    assert not (tmp_path / "other" / "weights").exists()
    assert load_study(tmp_path / "other").missing() == []


def test_seeds_run_on_two_machines_come_together(tmp_path, finished_once):
    one, two, both = tmp_path / "one", tmp_path / "two", tmp_path / "both"
    for path, seeds in ((one, [0]), (two, [1])):
        opened = study(path, seeds=seeds)
        opened.path.mkdir()
        shutil.copytree(finished_once / "trials", path / "trials")
        for name in set(opened.store.finished()) - {opened.find(trial) for trial in opened.trials}:
            shutil.rmtree(path / "trials" / name)
        assert ran(opened).finished == 0  # all there: it only writes the recipe
        opened.store.pack(tmp_path / f"{path.name}.unseen")
    assert Store(both).unpack(tmp_path / "one.unseen") == (2, 0)
    assert Store(both).unpack(tmp_path / "two.unseen") == (2, 0)
    opened = load_study(both)
    assert opened.recipe.seeds == (0, 1)
    assert opened.missing() == []
    assert collect(opened)["seed"].unique().sort().to_list() == [0, 1]
    summary = gather(opened).summary
    assert set(summary.filter(summary["measure"] == "accuracy")["n"]) == {2}


def test_a_pack_of_another_study_leaves_the_recipe_as_it_is(tmp_path, finished):
    other = study(tmp_path / "other", seeds=[5], design__seed=3, grid={"design.seen_per_level": [8]})
    ran(other)
    other.store.pack(tmp_path / "packed")
    before = (finished / "recipe.toml").read_text()
    assert Store(finished).unpack(tmp_path / "packed") == (1, 0)
    assert (finished / "recipe.toml").read_text() == before
    assert len(collect(load_study(finished))["trial"].unique()) == 4


@pytest.mark.parametrize(
    "name", ["unseen-study/trials/../../../x/trial.json", "/etc/x", "unseen-study/trials/a1/../../x", "../x"]
)
def test_names_that_lead_out_of_the_study_are_refused_and_nothing_is_written(tmp_path, name):
    packed = archive(tmp_path / "packed", {**packed_trial(), name: "{}"})
    with pytest.raises(UnseenError, match=r"leads out of a study: refused"):
        Store(tmp_path / "into").unpack(packed)
    assert names(tmp_path) == ["packed"]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_an_archive_are_refused(tmp_path, kind):
    with tarfile.open(tmp_path / "packed", "w:xz") as tar:
        link = tarfile.TarInfo(f"unseen-study/trials/{A1}/trial.json")
        link.type, link.linkname = kind, "/etc/passwd"
        tar.addfile(link)
    with pytest.raises(UnseenError, match=r"which is (a link|no plain file): refused"):
        Store(tmp_path / "into").unpack(tmp_path / "packed")
    assert names(tmp_path) == ["packed"]


def test_a_damaged_archive_is_told_and_adds_nothing(tmp_path, finished_once):
    packed = tmp_path / "packed"
    Store(finished_once).pack(packed)
    whole = packed.read_bytes()
    middle = len(whole) // 2
    spoilt = {
        "cut": whole[:middle],
        "flipped": whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :],
        "noise": b"this is no archive",
        "empty": b"",
    }
    for name, data in spoilt.items():
        packed.write_bytes(data)
        with pytest.raises(UnseenError, match=r"is not a packed study, or is damaged|is damaged: trial"):
            Store(tmp_path / name).unpack(packed)
        assert not (tmp_path / name).exists()
    with pytest.raises(UnseenError, match=r"no packed study"):
        Store(tmp_path / "into").unpack(tmp_path / "nowhere")


def test_what_is_whole_in_a_pack_that_was_cut_short_can_be_taken(tmp_path, finished, monkeypatch):
    monkeypatch.setattr(archives, "BLOCK", 4096)  # several streams, as a large study has
    packed = tmp_path / "packed"
    assert Store(finished).pack(packed) == 4
    assert Store(tmp_path / "whole").unpack(packed) == (4, 0)
    packed.write_bytes(packed.read_bytes()[: int(0.7 * packed.stat().st_size)])
    with pytest.raises(UnseenError, match=r"ended before .* of its trials are whole: unpack with --salvage"):
        Store(tmp_path / "into").unpack(packed)
    new, here = Store(tmp_path / "into").unpack(packed, salvage=True)
    assert 0 < new < 4
    assert here == 0
    for trial in (tmp_path / "into" / "trials").iterdir():
        for file in (finished / "trials" / trial.name).iterdir():
            assert (trial / file.name).read_bytes() == file.read_bytes()
    packed.write_bytes(b"this is no archive")
    with pytest.raises(UnseenError, match="holds no finished trial"):
        Store(tmp_path / "other").unpack(packed, salvage=True)


def test_a_trial_under_a_false_name_or_without_facts_is_refused(tmp_path):
    place = f"unseen-study/trials/{A1}"
    for files, why in (
        ({f"{place}/trial.json": facts(B2)}, "is not what its name says"),
        ({f"{place}/responses.parquet": "answers"}, "is not what its name says: it has no trial.json"),
        ({f"{place}/trial.json": "{"}, "has trial.json, which cannot be read"),
        ({f"{place}/trial.json": facts(A1)}, "lacks its responses.parquet"),
        ({**packed_trial(), f"{place}/responses.parquet": "answers"}, "has responses.parquet, which cannot be opened"),
    ):
        with pytest.raises(UnseenError, match=rf"is damaged: trial {A1} {why}"):
            Store(tmp_path / "into").unpack(archive(tmp_path / "packed", files))
        assert names(tmp_path) == ["packed"]


def test_packing_where_nothing_can_be_written_is_told(finished_once, tmp_path):
    with pytest.raises(UnseenError, match=r"cannot write to"):
        Store(finished_once).pack(tmp_path / "no" / "such" / "folder" / "packed")


def test_a_folder_that_is_no_study_is_told(tmp_path):
    with pytest.raises(UnseenError, match=r"is not a study: it has no recipe.toml"):
        load_study(tmp_path)
    with pytest.raises(UnseenError, match=r"no study in .*unseen run RECIPE --out"):
        load_study(tmp_path / "nowhere")


def test_finished_trials_are_listed_oldest_first(tmp_path):
    store = Store(tmp_path)
    for place, name in enumerate(("c", "a", "b")):
        store.save(name, writing())
        os.utime(store.trials / name, (time.time() + place, time.time() + place))
    assert store.finished() == ["c", "a", "b"]


def test_the_recipe_of_a_study_reads_back_as_it_was_run(finished_once):
    assert load_study(finished_once).recipe == open_study(tiny(seeds=[0, 1])).recipe
