"""Mesh files are converted side by side, and nothing that happens to one process loses the work of another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.meshes import crew
from unseen.worlds.meshes.converted import MeshFacts, converted
from unseen.worlds.meshes.crew import Job, convert
from unseen.worlds.meshes.reading import Reading
from unseen.worlds.meshes.references import content_of
from unseen.worlds.progress_line import ProgressLine

trimesh = pytest.importorskip("trimesh")


@pytest.fixture
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    monkeypatch.setattr(crew, "FILES_EACH", 1)
    found = []
    for k in range(6):
        path = tmp_path / f"box{k}.ply"
        trimesh.creation.box(extents=(1, 1 + k, 2)).export(str(path))
        if k == 4:
            path.write_text("ply?")
        found.append(Job(path, content_of(path), Reading(), path.stat().st_size))
    return found


def test_workers_give_what_one_process_gives_and_a_deadly_file_ends_only_its_worker(
    jobs: list[Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = convert(jobs, tmp_path / "alone", workers=1)
    deadly = f"; import os; was = crew.one_converted; crew.one_converted = lambda job, cache: os._exit(3) if \
job.path.name == {jobs[2].path.name!r} else (print('noise'), was(job, cache))[1]; crew.serve()"
    monkeypatch.setattr(crew, "_START", crew._START.replace("; crew.serve()", deadly))
    told: list[tuple[int, int]] = []
    beside = convert(jobs, tmp_path / "beside", workers=2, tell=lambda *said: told.append(said))
    assert beside[2] == "the process that read it ended (exit 3)"
    assert "not readable as PLY" in str(beside[4])
    assert [one for k, one in enumerate(beside) if k != 2] == [one for k, one in enumerate(alone) if k != 2]
    assert told[-1] == (6, 6)
    for job in (jobs[0], jobs[5]):
        mine, theirs = (
            converted(Path("gone"), job.content, job.how, tmp_path / cache) for cache in ("alone", "beside")
        )
        assert np.array_equal(mine.mesh.vertices, theirs.mesh.vertices), "the same to the bit, and kept"


def test_where_no_worker_can_start_the_parent_does_the_work(
    jobs: list[Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "_START", "raise SystemExit")
    assert sum(isinstance(one, MeshFacts) for one in convert(jobs, tmp_path, workers=2)) == 5
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert sum(isinstance(one, MeshFacts) for one in convert(jobs, tmp_path, workers=3)) == 5


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_is_an_error_from_a_worker_too(jobs: list[Job], tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(UnseenError, match="Set UNSEEN_CACHE"):
        convert(jobs, tmp_path / "cache", workers=2)


def test_few_files_need_no_worker_and_heavy_ones_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def many(n: int, size: int) -> list[Job]:
        return [Job(Path("x"), "", Reading(), size)] * n

    assert crew._processes(many(40, 1000), 16) == 1
    assert crew._processes(many(200, 1000), 16) == 6
    assert crew._processes(many(1000, 1000), 16) == 16
    assert crew._processes(many(4, 100_000_000), 16) == 4
    assert crew._processes(many(1000, 1000), 2) == 2


@pytest.mark.slow
def test_a_script_without_a_guard_opens_a_large_folder_and_progress_is_told(tmp_path: Path) -> None:
    for k in range(4):
        (tmp_path / "models" / "box").mkdir(parents=True, exist_ok=True)
        trimesh.creation.box(extents=(1, 1 + k, 2)).export(str(tmp_path / "models" / "box" / f"{k}.stl"))
    (tmp_path / "script.py").write_text(
        "from unseen.worlds.meshes import crew\n"
        "from unseen.worlds import make, progress_line\n"
        "crew.FILES_EACH, progress_line.SELDOM = 1, 0.0\n"
        f"world = make('meshes', root={str(tmp_path / 'models')!r}, cache={str(tmp_path / 'cache')!r}, workers=2)\n"
        "print('opened', world.samples.instances)\n"
    )
    done = subprocess.run([sys.executable, str(tmp_path / "script.py")], capture_output=True, text=True, timeout=120)
    assert done.stdout == "opened 4\n", done.stderr
    assert "reading meshes: 4/4" in done.stderr


def test_time_left_is_told_aside_and_only_where_it_takes_long(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLine("reading meshes") as tell:
        tell(1, 10)
    assert capsys.readouterr() == ("", "")
    tell.said = tell.started = -100.0
    tell(5, 10)
    assert "reading meshes: 5/10, " in capsys.readouterr().err
