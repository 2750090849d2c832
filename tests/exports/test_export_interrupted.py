"""Exports that are killed, run out of space, meet another run or another world."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from export_worlds import Arithmetic, samples

from unseen.exports import export, lock, run, shards
from unseen.vocabulary.errors import StoreBusy, UnseenError

HERE = Path(__file__).parent
SCRIPT = (
    "import sys; sys.path.insert(0, {here!r})\n"
    "from export_worlds import Arithmetic\n"
    "from unseen.exports import export\n"
    "export(Arithmetic(seconds=0.05), {out!r}, format={format!r}, shard=12, batch=4)\n"
)


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def marks(folder):
    return {p: (p.stat().st_ino, p.stat().st_mtime_ns) for p in folder.rglob("*.png")}


def lines(path):
    return len(path.read_text().splitlines()) if path.is_file() else 0


def half_written(out, format):
    """Whether a shard lies aside; a table is begun only when its first pictures are there, so it is not waited for."""
    return format == "parquet" or list(out.rglob(".*.part"))


@pytest.mark.parametrize(
    "format",
    ["png", pytest.param("webdataset", marks=pytest.mark.slow), pytest.param("parquet", marks=pytest.mark.slow)],
)
def test_killed_midway_and_run_again_gives_the_same_bytes(tmp_path, format):
    out = tmp_path / "killed"
    words = SCRIPT.format(here=str(HERE), out=str(out), format=format)
    process = subprocess.Popen([sys.executable, "-c", words], stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 60
        while not (lines(out / "shards.jsonl") >= 2 and half_written(out, format)) and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.005)
    finally:
        process.send_signal(signal.SIGKILL)
        _, said = process.communicate()
    assert process.returncode == -signal.SIGKILL, said
    finished, before = lines(out / "shards.jsonl"), marks(out / "images/000000")
    assert 2 <= finished < 6
    done = export(Arithmetic(), out, format=format, shard=12)
    assert done.written == 6 - finished
    assert marks(out / "images/000000") == before
    export(Arithmetic(), tmp_path / "undisturbed", format=format, shard=12)
    assert contents(out) == contents(tmp_path / "undisturbed")


def test_a_finished_export_is_not_written_again_and_a_lost_or_spoilt_shard_is(tmp_path):
    export(Arithmetic(), tmp_path, shard=12)
    whole = contents(tmp_path)
    kept = marks(tmp_path / "images/000000")
    assert export(Arithmetic(), tmp_path, shard=12).written == 0
    (tmp_path / "images/000002/000030.png").unlink()
    (tmp_path / "images/000004/000050.png").write_bytes(b"")
    (tmp_path / "manifest.parquet").unlink()
    assert export(Arithmetic(), tmp_path, shard=12).written == 2
    assert contents(tmp_path) == whole
    assert marks(tmp_path / "images/000000") == kept


def test_a_note_cut_off_by_a_power_cut_costs_its_shard_only(tmp_path):
    export(Arithmetic(), tmp_path, shard=12)
    whole = contents(tmp_path)
    text = (tmp_path / "shards.jsonl").read_text()
    (tmp_path / "shards.jsonl").write_text(text[:-9])
    assert export(Arithmetic(), tmp_path, shard=12).written == 1
    assert contents(tmp_path) == whole


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"world": Arithmetic(fingerprint="f1")}, "fingerprint.: f0 there, f1 asked"),
        ({"world": Arithmetic(name="other")}, "world: arithmetic there, other asked"),
        ({"rows": "0:10"}, "rows: all there, 0:10 asked"),
        ({"shard": 5}, "images per shard: 12 there, 5 asked"),
        ({"format": "webp"}, "format: png there, webp asked"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_another_export_into_the_same_folder_is_refused_and_touches_nothing(tmp_path, change, reason):
    export(Arithmetic(), tmp_path, shard=12)
    before = contents(tmp_path)
    asked = {"world": Arithmetic(), "shard": 12, **change}
    with pytest.raises(UnseenError, match=f"holds another export .*{reason}.*--out"):
        export(asked.pop("world"), tmp_path, **asked)
    assert contents(tmp_path) == before


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(UnseenError, match=r"holds other things \(thesis.tex\).*empty folder"):
        export(Arithmetic(), tmp_path)
    assert [p.name for p in tmp_path.iterdir() if p.name != ".lock"] == ["thesis.tex"]


def test_a_damaged_card_is_told(tmp_path):
    export(Arithmetic(), tmp_path)
    (tmp_path / "export.json").write_text("{")
    with pytest.raises(UnseenError, match=r"export.json' cannot be read"):
        export(Arithmetic(), tmp_path)


def test_two_runs_at_once_are_refused(tmp_path):
    with lock.locked(tmp_path), pytest.raises(StoreBusy, match=f"written by process {os.getpid()} on .*--out"):
        export(Arithmetic(), tmp_path)
    assert export(Arithmetic(), tmp_path).written == 1


@pytest.mark.parametrize("format", ["png", "webdataset", "parquet"])
def test_a_full_disk_is_told_and_finished_shards_are_kept(tmp_path, monkeypatch, format):
    write = shards.writer(format)

    def full(plan, rows, pictures, to):
        write(plan, rows, pictures, to)
        if rows[0] == 24:
            raise OSError(errno.ENOSPC, "No space left on device", str(to))

    with monkeypatch.context() as patch:
        patch.setattr(run, "writer", lambda format: full)
        with pytest.raises(UnseenError, match=r"is full; 2 of 6 shards are finished and kept.*same command"):
            export(Arithmetic(), tmp_path / "full", format=format, shard=12)
    assert lines(tmp_path / "full/shards.jsonl") == 2
    assert not list((tmp_path / "full").rglob(".*.part"))
    assert export(Arithmetic(), tmp_path / "full", format=format, shard=12).written == 4
    export(Arithmetic(), tmp_path / "roomy", format=format, shard=12)
    assert contents(tmp_path / "full") == contents(tmp_path / "roomy")


def test_what_the_disk_cannot_hold_is_not_begun_and_a_close_call_is_noted(tmp_path, monkeypatch):
    space = 0
    monkeypatch.setattr(run.shutil, "disk_usage", lambda path: _Free(space))
    with pytest.raises(UnseenError, match=r"72 images of about 4.1 KB need 295 KB, and .* has 0 B free"):
        export(Arithmetic(), tmp_path)
    assert not (tmp_path / "images").exists()
    space, said = 300_000, []
    export(Arithmetic(), tmp_path, note=said.append)
    assert len(said) == 1
    assert "nearly full" in said[0]


class _Free:
    def __init__(self, free):
        self.free = free


def test_an_error_while_drawing_keeps_finished_shards(tmp_path):
    class Broken(Arithmetic):
        def images(self, rows, device="cpu", draw=0):
            if 30 in rows and len(rows) > 1:
                raise UnseenError("the lamp is broken")
            return super().images(rows, device, draw)

    with pytest.raises(UnseenError, match="the lamp is broken"):
        export(Broken(), tmp_path, shard=12, batch=5)
    assert lines(tmp_path / "shards.jsonl") == 2
    assert not list(tmp_path.rglob(".*.part"))


def test_progress_counts_images_and_what_was_there_before(tmp_path):
    told = []
    export(Arithmetic(), tmp_path, shard=40, batch=16, progress=lambda done, total: told.append((done, total)))
    assert told[0] == (0, 72)
    assert told[-1] == (72, 72)
    assert told == sorted(told)
    (tmp_path / "images/000001/000050.png").unlink()
    told.clear()
    export(Arithmetic(), tmp_path, shard=40, progress=lambda done, total: told.append((done, total)))
    assert told[0] == (40, 72)


def test_memory_is_bounded_by_the_batch(tmp_path):
    """No more than two batches are drawn before their bytes are written."""
    seen, written = [], []

    class Watched(Arithmetic):
        def images(self, rows, device="cpu", draw=0):
            seen.append(len(rows))
            written.append(len(list(tmp_path.rglob("*.png"))))
            return super().images(rows, device, draw)

    export(Watched(samples=samples(60)), tmp_path, batch=8, shard=10_000)
    drawn = [sum(seen[1:n]) for n in range(1, len(seen))]  # the first call estimates the space
    assert max(seen[1:]) == 8
    assert max(d - w for d, w in zip(drawn, written[1:])) <= 16
