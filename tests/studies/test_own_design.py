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


def only_asked(samples: Samples, *, seed: int) -> Split:
    """Two sets that overlap, and nothing to train on."""
    some, few = np.arange(0, 2000, 37), np.array([0, 9])
    sets = {"asked": RowSet("some", "test", listed=some), "again": RowSet("few", "test", listed=few)}
    return Split(("category", "position"), sets, Pools(by="nothing", seed=seed), {"mine": 1})


@pytest.fixture
def asking(monkeypatch):
    monkeypatch.setitem(tables.designs(), "only_asked", only_asked)
    return tiny(design={"name": "only_asked"}, recordings={"layers": "none"}, grid={})


def test_a_design_that_only_asks_is_audited(asking, tmp_path, say):
    told = say("audit", written(tmp_path / "mine.toml", asking), "--near-copies")
    assert told.code == 0, told.flat
    assert "nothing is trained on: category (rows) × position (columns)" in told.flat
    assert "○ asked · not asked" in told.flat
    assert "no training set: all rows are asked" in told.flat
    assert "1 image is in both 'asked' and 'again'" in told.flat
    assert "no image counts twice in a set" in told.flat
    assert "asked, again 1" in told.flat


def test_near_copies_between_sets_that_are_only_asked_are_told_and_no_fault(asking, tmp_path):
    from unseen.studies.resembling import near_copies, prints_of, rows_of

    study = open_study(asking, out=tmp_path / "study")
    split, world = study.split(study.trials[0]), study.world(study.trials[0])
    rows = 9 * np.arange(4)  # four digits, at the first of nine positions
    split = Split(split.factors, {"one": RowSet("", listed=rows[:1]), "two": RowSet("", listed=rows)}, split.pools)
    known = rows_of(split, world.samples)
    prints = prints_of(world, known[[0, 0, 1, 2]])  # the second looks as the first
    found = near_copies(split, world, (known, prints))
    assert (found.found["one", "two"].near, found.found["one", "two"].asked) == (1, 3)
    assert list(found.problems()) == []
    (note,) = found.notes()
    assert note.startswith("1 of 3 image of 'two' has a near-copy in 'one': ")


def test_pictures_and_notebooks_show_a_split_that_only_asks(asking, tmp_path):
    from unseen.kinds.pictures import splits
    from unseen.notebooks.split import OpenedSplit
    from unseen.reports import contact_sheet

    study = open_study(asking, out=tmp_path / "study")
    (picture,) = splits(study)
    counts = study.audits[0][1].shown
    assert not picture.seen.any()
    assert (picture.asked == (counts > 0)).all()
    assert (picture.counts == counts).all()
    assert contact_sheet(picture).width > 100
    opened = OpenedSplit.of(study, study.trials[0])
    html = opened._repr_html_()
    assert "Nothing is trained on" in html
    assert "Audit: no image counts twice in a set." in html
    assert opened.counts()["images"].sum() == len(opened.rows("asked"))
    assert opened.facts["mine"] == 1


def test_the_plan_tells_what_is_asked_where_nothing_is_trained_on(asking, tmp_path, capsys):
    from rich.console import Console

    from unseen.cli.planning import show_sizes

    study = open_study(asking, out=tmp_path / "study")
    show_sizes(study, study.audits, ["asked", "again"], Console(width=80))
    told = " ".join(capsys.readouterr().out.split())
    assert "condition asked again cells all 55 2" in told
    assert "cells: combinations of levels asked" in told


def test_a_network_cannot_be_trained_on_a_design_that_only_asks(asking, tmp_path):
    with pytest.raises(UnseenError, match="no row set 'train'"):
        check(open_study(asking, out=tmp_path / "study"))


def test_of_three_factors_pairs_are_drawn_and_of_one_there_is_no_grid():
    import unseen
    from unseen.notebooks.split import OpenedSplit

    world = unseen.world("transformed", of={"name": "digits", "viewpoint": "position"}, levels=["inversion"])
    sets = {"asked": RowSet("a few", "test", listed=np.arange(400))}
    three, one = (
        OpenedSplit(world, Split(factors, sets, Pools(by="nothing")))
        for factors in (("category", "position", "transformation"), ("category",))
    )
    assert three.show().width > 100
    assert [picture.title for picture in three._pictures] == [
        "nothing is trained on: category × position",
        "nothing is trained on: category × transformation",
    ]
    assert "Dashed" in three._repr_html_()
    assert "Dashed" not in one._repr_html_()
    with pytest.raises(UnseenError, match="over category: there is no grid of two factors to draw"):
        one.show()
