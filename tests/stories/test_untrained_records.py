"""Records without network, curve, machine or training rows are collected and reported by every kind."""

import json
from pathlib import Path

import pytest

from unseen.engines import open_study
from unseen.kinds.results import findings_of, gather, page_of, summary_of, tidy_of
from unseen.studies.store import Store
from unseen.studies.stored import at_hand

PACKS = sorted((Path(__file__).resolve().parents[1] / "golden").glob("*.unseen"))
OF_TRAINING = ("network", "curve", "best_epoch", "seconds_together", "packed", "machine")


@pytest.fixture(params=PACKS, ids=lambda pack: pack.stem)
def untrained(request, tmp_path):
    """A packed study of one kind, with all that only training tells taken out of its records."""
    Store(tmp_path / "study").unpack(request.param)
    for file in (tmp_path / "study").glob("trials/*/trial.json"):
        facts = {key: value for key, value in json.loads(file.read_text()).items() if key not in OF_TRAINING}
        facts["sets"].pop("train", None)  # given models have none
        file.write_text(json.dumps({**facts, "subject": {"name": "given", "kind": "model"}}))
    return at_hand(open_study(tmp_path / "study"))


def test_every_kind_tells_its_numbers_without_training(untrained):
    tidy = tidy_of(untrained)
    assert not untrained.left_out
    assert set(tidy["trial"]) == set(untrained.store.finished())
    assert not {"device seconds", "best epoch"} & set(tidy["measure"])
    assert summary_of(untrained).height
    assert isinstance(findings_of(untrained), tuple)


@pytest.mark.slow
def test_every_kind_has_a_page_without_training(untrained):
    contents = gather(untrained)
    page = page_of(untrained, contents)
    assert page.whole
    assert "Networks" not in contents.facts
    assert "Runs" not in contents.facts
