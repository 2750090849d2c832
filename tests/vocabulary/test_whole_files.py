"""Files and folders appear whole or not at all, whoever writes beside them."""

import errno
import os
import socket
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from unseen.vocabulary.whole_files import (
    disk_full,
    folder_aside,
    name_aside,
    put_whole,
    remove,
    remove_leftovers,
    written_aside,
)


def test_a_file_takes_the_place_of_an_older_one_and_nothing_is_left_aside(tmp_path):
    for content in ("Größe\n", b"\x00\xff", ""):
        put_whole(tmp_path / "file", content)
        assert (tmp_path / "file").read_bytes() == (content.encode() if isinstance(content, str) else content)
        assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt(), ValueError("a writer's own")])
def test_whatever_fails_the_old_file_stays_and_nothing_is_left_aside(tmp_path, fault):
    put_whole(tmp_path / "file", "old")

    def half():
        with written_aside(tmp_path / "file") as aside:
            aside.write_text("half")
            raise fault

    with pytest.raises(type(fault)):
        half()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "old")]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_disk_that_is_full_at_the_last_step_leaves_the_old_file(tmp_path, monkeypatch, step):
    put_whole(tmp_path / "file", "old")

    def full(*_):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="full") as told:
        put_whole(tmp_path / "file", "new")
    assert disk_full(told.value)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "old")]


def test_a_folder_appears_filled_and_never_takes_the_place_of_another(tmp_path):
    def fill(text):
        with written_aside(tmp_path / "folder") as aside:
            there = (tmp_path / "folder").exists()
            aside.mkdir()
            (aside / "one").write_text(text)
            assert (tmp_path / "folder").exists() == there

    fill("1")
    assert (tmp_path / "folder" / "one").read_text() == "1"
    with pytest.raises(OSError, match=r"not empty|exists"):
        fill("2")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    assert (tmp_path / "folder" / "one").read_text() == "1"


def test_what_is_private_is_so_from_its_first_byte_and_a_read_only_file_can_be_synced(tmp_path):
    put_whole(tmp_path / "mine", "secret", mode=0o600)
    assert stat.S_IMODE((tmp_path / "mine").stat().st_mode) == 0o600
    with written_aside(tmp_path / "fixed") as aside:
        aside.write_text("x")
        aside.chmod(0o444)
    assert (tmp_path / "fixed").read_text() == "x"


def test_names_aside_differ_between_hosts_processes_and_threads(monkeypatch):
    mine = {name_aside("file") for _ in range(100)}
    monkeypatch.setattr(socket, "gethostname", lambda: "another-host")
    other = name_aside("file")
    assert len(mine) == 100
    assert other.startswith(f".file-another-host-{os.getpid()}-")
    assert all(name.startswith(".file-") and name.endswith(".part") and "another-host" not in name for name in mine)


def test_many_threads_write_one_file_and_a_reader_meets_no_half(tmp_path):
    texts = [letter * 100_000 for letter in "abcdefgh"]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: put_whole(tmp_path / "file", text, sync=False), texts))
    assert (tmp_path / "file").read_text() in texts
    assert len(list(tmp_path.iterdir())) == 1


def test_a_name_as_long_as_a_file_system_allows_can_be_written(tmp_path):
    for name in ("x" * 255, "é" * 127):
        put_whole(tmp_path / name, "x")
        assert remove_leftovers(tmp_path, name) == 0
        (tmp_path / name).unlink()


def test_leftovers_of_the_dead_go_and_those_of_the_living_and_of_other_hosts_stay(tmp_path, monkeypatch):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    living = tmp_path / name_aside("file")
    with monkeypatch.context() as patched:
        patched.setattr(os, "getpid", lambda: gone.pid)
        dead, folder, others = (tmp_path / name_aside(name) for name in ("file", "file", "file-2"))
        patched.setattr(socket, "gethostname", lambda: "another-host")
        elsewhere = tmp_path / name_aside("file")
    for path in (living, dead, others, elsewhere):
        path.write_text("half")
    folder.mkdir()
    assert remove_leftovers(tmp_path, "file") == 2
    assert sorted(tmp_path.iterdir()) == sorted([living, others, elsewhere])


def test_a_folder_aside_lies_on_the_disk_of_a_place_that_is_not_there_yet_and_goes(tmp_path):
    with folder_aside(tmp_path / "not" / "yet", "work") as made:
        assert made.parent == tmp_path
        (made / "file").write_text("x")
    assert not list(tmp_path.iterdir())


def test_removing_takes_files_folders_and_links_but_not_what_they_lead_to(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    (tmp_path / "folder" / "deep").mkdir(parents=True)
    (tmp_path / "file").write_text("x")
    for name in ("link", "folder", "file", "absent"):
        remove(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
