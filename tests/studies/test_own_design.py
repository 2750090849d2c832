"""A user's design with rows to train on and rows to ask, and nothing else, goes all the way to a report."""

from __future__ import annotations

import numpy as np
import pytest

from pages import page_of
from small_study import ran, tiny, written
from unseen.engines import open_study
from unseen.kinds.checks import check
from unseen.kinds.results import gather
from unseen.reports import write_report
from unseen.studies import tables
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.pools import Pools
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import RowSet, Split

pytest_plugins = ("studies_fixtures",)


def bare(samples: Samples, *, rows: str = "category", columns: str = "position", seed: int) -> Split:
    """Every second cell is trained on, the others are asked: no validation, no probe, no facts."""
    cells = samples.cells(np.arange(len(samples)), (rows, columns)).sum(1)
    some = np.arange(0, len(samples), 37)
    sets = {
        name: RowSet(name, pool, listed=some[cells[some] % 2 == odd])
        for name, pool, odd in (("train", "train", 0), ("unseen", "test", 1))
    }
    return Split((rows, columns), sets, Pools(by="nothing", seed=seed))


@pytest.fixture
def recipe(monkeypatch):
    monkeypatch.setitem(tables.designs(), "bare", bare)
    recordings = {"sets": ["unseen"], "layers": "none"}
    return tiny(design={"name": "bare"}, recordings=recordings, grid={})


def test_it_is_checked_planned_run_and_reported(recipe, tmp_path, say):
    path = written(tmp_path / "mine.toml", recipe)
    checked = say("check", path)
    assert (checked.code, "1 trial, 1 split" in checked.flat) == (0, True), checked.flat
    planned = say("plan", path, "--no-time")
    assert (planned.code, "1 trial (1 seed)" in planned.flat) == (0, True), planned.flat
    study = open_study(path, out=tmp_path / "study")
    assert ran(study).finished == 1
    contents = gather(study)
    assert contents.splits[0].examples is not None
    assert not contents.splits[0].missing.any()
    assert write_report(page_of(contents), study.path / "report").is_file()


def test_activity_needs_rows_that_this_design_does_not_have(recipe, tmp_path):
    recipe["recordings"]["layers"] = "last"
    with pytest.raises(
        UnseenError, match=r"on the row set 'probe', which design 'bare' does not have.*layers = \"none\""
    ):
        check(open_study(recipe, out=tmp_path / "study"))


def test_a_design_without_training_rows_is_told(recipe, monkeypatch, tmp_path):
    def empty(samples: Samples, *, seed: int) -> Split:
        split = bare(samples, seed=seed)
        none = RowSet("train", "train", listed=np.zeros(0, dtype=np.int64))
        return Split(split.factors, {**split.sets, "train": none}, split.pools)

    monkeypatch.setitem(tables.designs(), "bare", empty)
    with pytest.raises(UnseenError, match="row set 'train' of 'seed 0' is empty: nothing to train on"):
        check(open_study(recipe, out=tmp_path / "study"))
