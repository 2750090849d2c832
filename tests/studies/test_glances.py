"""What a large store remembers of its trials: as true as a look at each, whatever happened to them or to it."""

import json
import shutil
import threading
from pathlib import Path

import pytest

from unseen.studies import glances as module
from unseen.studies.glances import NAME, Looked, glances, listed_folders, remembered
from unseen.studies.store import Store
from unseen.studies.study import load_study

pytest_plugins = ("studies_fixtures",)
GOLDEN = Path(__file__).resolve().parents[1] / "golden"


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A golden study, as if it were a large one; its first trial has a flag."""
    monkeypatch.setattr(module, "FEWEST", 1)
    made = Store(tmp_path / "study")
    made.unpack(GOLDEN / "combinations.unseen", note=lambda text: None)
    flag(made, made.finished()[0], {"odd": "its loss still falls"})
    return made


def flag(store, name, flags):
    file = store.trials / name / "trial.json"
    told = {**json.loads(file.read_text()), "flags": flags}
    file.unlink()
    file.write_text(json.dumps(told))


def opened(monkeypatch):
    """Names of trials that are opened from now on."""
    found = []
    read = module.read_facts
    monkeypatch.setattr(module, "read_facts", lambda folder: found.append(folder.name) or read(folder))
    return found


def test_the_second_look_opens_nothing_and_tells_the_same(store, monkeypatch):
    first, read = glances(store.path), opened(monkeypatch)
    second = glances(store.path)
    assert read == []
    assert second == first
    assert set(first.whole) == set(store.finished())
    assert first.flags[store.finished()[-1]] == {"odd": "its loss still falls"}  # written again, so the newest
    assert remembered(store.path, listed_folders(store.trials)) == first


def test_what_was_put_in_taken_out_replaced_or_added_is_looked_at_again(store, monkeypatch):
    flagged, cut, gone, again, *_ = names = store.finished()
    glances(store.path)
    flag(store, flagged, {})
    (store.trials / cut / "responses.parquet").unlink()
    shutil.rmtree(store.trials / gone)
    shutil.move(store.trials / again, store.path / "kept")
    shutil.copytree(store.path / "kept", store.trials / again)
    read = opened(monkeypatch)
    found = glances(store.path)
    assert set(read) == {flagged, cut, again}
    assert flagged not in found.flags
    assert found.others == (cut,)
    assert set(found.whole) == set(names) - {cut, gone}
    assert set(store.finished()) == set(names) - {gone}  # its facts are there; what it lacks is told elsewhere


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 0}', '{"format": 1, "names": ["a"], "folders": [1], "learned": [], "flags": 3}']
)
def test_a_memory_that_is_gone_cut_short_or_of_another_version_costs_a_look(store, text):
    first = glances(store.path)
    (store.path / NAME).write_text(text)
    assert remembered(store.path, listed_folders(store.trials)) == Looked()
    assert glances(store.path) == first
    (store.path / NAME).unlink()
    assert glances(store.path) == first


def test_many_writers_at_once_leave_a_memory_that_is_true(store):
    names = store.finished()
    aside = store.path / "aside"
    aside.mkdir()
    for name in names[1:]:
        (store.trials / name).rename(aside / name)
    stop = threading.Event()
    lookers = [
        threading.Thread(target=lambda: [glances(store.path) for _ in iter(stop.is_set, True)]) for _ in range(3)
    ]
    for one in lookers:
        one.start()
    for name in names[1:]:
        (aside / name).rename(store.trials / name)
        assert set(glances(store.path).whole) >= {name}
    stop.set()
    for one in lookers:
        one.join()
    assert set(glances(store.path).whole) == set(names)
    assert set(remembered(store.path, listed_folders(store.trials)).whole) <= set(names)
    assert not [one for one in store.path.iterdir() if one.name.startswith(f".{NAME}")]


def test_a_store_that_cannot_be_written_is_looked_at_all_the_same(store, monkeypatch):
    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "put_whole", full)
    assert set(glances(store.path).whole) == set(store.finished())
    assert not (store.path / NAME).exists()


def test_a_small_store_keeps_no_memory(store, monkeypatch):
    monkeypatch.setattr(module, "FEWEST", 500)
    glances(store.path)
    assert not (store.path / NAME).exists()


def test_status_tells_the_same_from_memory_as_from_the_files(store, say, monkeypatch):
    _, cut, gone, *_ = store.finished()
    (store.trials / cut / "responses.parquet").unlink()
    shutil.rmtree(store.trials / gone)
    first = say("status", store.path)
    again = say("status", store.path)
    monkeypatch.setattr(module, "FEWEST", 500)
    read = say("status", store.path)
    assert first.out == again.out == read.out
    assert first.code == 0
    trials = len(load_study(store.path).trials)
    assert f"{trials - 1} of {trials} trials finished" in first.flat
    assert "its loss still falls" in first.flat
    assert f"1 of {trials - 1} finished trials cannot be read" in first.flat
