"""How many cores a process may use, and locks that every system has."""

import ast
import builtins
import errno
import math
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

import unseen
from unseen.vocabulary import cores as asked
from unseen.vocabulary import locks
from unseen.vocabulary.cores import cores, quota
from unseen.vocabulary.locks import take_lock

SOURCE = Path(unseen.__file__).parent


@pytest.fixture
def machine(monkeypatch):
    """64 cores, all ours."""
    monkeypatch.delenv("SLURM_CPUS_PER_TASK", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(64)), raising=False)
    monkeypatch.setattr(asked, "quota", lambda: math.inf)
    return monkeypatch


def test_the_least_of_machine_binding_quota_and_slurm_counts(machine):
    assert cores() == 64
    machine.setattr(os, "sched_getaffinity", lambda process: set(range(12)), raising=False)
    assert cores() == 12
    machine.setattr(asked, "quota", lambda: 2.5)
    assert cores() == 3
    machine.setenv("SLURM_CPUS_PER_TASK", "2")
    assert cores() == 2
    machine.setattr(asked, "quota", lambda: 0.1)
    assert cores() == 1


@pytest.mark.parametrize("nonsense", ["", "0", "many", "-1"])
def test_what_slurm_does_not_say_limits_nothing(machine, nonsense):
    machine.setenv("SLURM_CPUS_PER_TASK", nonsense)
    assert cores() == 64


def test_systems_without_bindings_or_cgroups_have_their_cores(machine, tmp_path):
    machine.delattr(os, "sched_getaffinity", raising=False)
    assert cores() == 64
    machine.setattr(os, "cpu_count", lambda: None)
    assert cores() == 1
    assert quota(tmp_path, tmp_path / "cgroup") == math.inf


def group(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


def test_the_quota_of_a_group_and_of_those_around_it_is_read(tmp_path):
    said = tmp_path / "cgroup"
    said.write_text("0::/job/step\n")
    group(tmp_path / "fs/job/step", cpu__max="max 100000\n")
    assert quota(tmp_path / "fs", said) == math.inf
    group(tmp_path / "fs/job", cpu__max="350000 100000\n")
    assert quota(tmp_path / "fs", said) == 3.5
    group(tmp_path / "fs/job/step", cpu__max="150000 100000\n")
    assert quota(tmp_path / "fs", said) == 1.5


def test_a_containers_own_group_counts_where_the_hosts_path_is_not_there(tmp_path):
    said = tmp_path / "cgroup"
    said.write_text("0::/system.slice/docker-1.scope\n")
    group(tmp_path / "fs", cpu__max="200000 100000\n")
    assert quota(tmp_path / "fs", said) == 2


def test_the_first_kind_of_cgroups_is_read_too(tmp_path):
    said = tmp_path / "cgroup"
    said.write_text("5:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n")
    group(tmp_path / "fs/cpu,cpuacct/docker/1", cpu__cfs_quota_us="400000\n", cpu__cfs_period_us="100000\n")
    assert quota(tmp_path / "fs", said) == 4
    group(tmp_path / "fs/cpu,cpuacct/docker/1", cpu__cfs_quota_us="-1\n")
    assert quota(tmp_path / "fs", said) == math.inf


def sources():
    return [(path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")]


def test_no_other_module_counts_cores_for_itself():
    words = ("cpu_count", "sched_getaffinity")
    assert [name for name, text in sources() if any(word in text for word in words)] == ["vocabulary/cores.py"]


def test_no_other_module_replaces_files_for_itself():
    words = ("os.replace", "mkstemp", "NamedTemporaryFile", "aside.replace", "aside.rename")
    assert [name for name, text in sources() if any(word in text for word in words)] == ["vocabulary/whole_files.py"]


def test_no_other_module_knows_how_a_system_locks():
    def imported(text):
        nodes = list(ast.walk(ast.parse(text)))
        names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        return {*names, *(node.module for node in nodes if isinstance(node, ast.ImportFrom))}

    assert [name for name, text in sources() if imported(text) & {"fcntl", "msvcrt"}] == ["vocabulary/locks.py"]


def test_a_lock_is_had_once_and_shared_ones_together(tmp_path):
    with open(tmp_path / "lock", "w") as one, open(tmp_path / "lock") as two, open(tmp_path / "lock") as three:
        assert take_lock(two, shared=True)
        assert take_lock(three, shared=True)
        assert not take_lock(one)
    with open(tmp_path / "lock", "w") as one, open(tmp_path / "lock", "w") as two:
        assert take_lock(one, wait=True)
        assert not take_lock(two)


def test_who_holds_a_lock_is_told_and_the_file_is_empty_afterwards(tmp_path):
    file = tmp_path / "lock"
    assert locks.holder(file) is None
    with locks.held_alone(file):
        assert locks.holder(file).startswith(f"process {os.getpid()} on ")
        with pytest.raises(locks.Held, match=f"process {os.getpid()} on ") as told, locks.held_alone(file, tries=2):
            pass
        assert told.value.who == locks.holder(file)
    assert (locks.holder(file), file.read_bytes()) == (None, b"")


def test_a_full_disk_keeps_nobody_from_holding_a_lock(monkeypatch):
    if not os.path.exists("/dev/full"):
        pytest.skip("no device that is always full here")
    with open("/dev/full", "r+b", buffering=0) as handle:
        locks._note(handle, "process 7")


def test_those_who_take_turns_never_meet(tmp_path):
    inside, met = [], []

    def turn(number):
        with locks.in_turn(tmp_path / "lock"):
            inside.append(number)
            time.sleep(0.005)
            met.append(len(inside))
            inside.remove(number)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(turn, range(12)))
    assert met == [1] * 12


def test_a_file_system_without_locks_is_no_lock_that_another_holds(tmp_path, monkeypatch):
    import fcntl

    def none(handle, operation):
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", none)
    for wait in (False, True):
        with open(tmp_path / "lock", "w") as handle, pytest.raises(locks.NoLocks, match="has no locks"):
            take_lock(handle, wait=wait)


def test_groups_named_in_other_bytes_than_text_are_no_limit(tmp_path):
    (tmp_path / "of").write_bytes(b"0::/\xff\xfe\n")
    assert quota(tmp_path, tmp_path / "of") == math.inf


def test_windows_locks_a_byte_behind_the_text_and_waits_by_trying_again(tmp_path, monkeypatch):
    real, answers, places = builtins.__import__, [OSError(13, "denied"), None], []

    def without(name, *rest, **more):
        if name == "fcntl":
            raise ImportError(name)
        return real(name, *rest, **more)

    def locking(number, mode, count):
        places.append(os.lseek(number, 0, os.SEEK_CUR))
        if (answer := answers.pop(0)) is not None:
            raise answer

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    monkeypatch.setattr(locks, "PAUSE", 0)
    with open(tmp_path / "lock", "a+", encoding="utf-8") as handle:
        handle.write("process 7")
        assert take_lock(handle, wait=True)
        assert handle.tell() == len("process 7")
        answers.append(OSError(13, "denied"))
        assert not take_lock(handle)
    assert places == [locks.FAR] * 3
