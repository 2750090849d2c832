"""Positive and null controls, end to end: a planted effect holds, the same study on shuffled pictures finds nothing."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KINDS = ("combinations", "specialization", "levels", "exposure", "matrix", "domains", "alike", "variability")
KINDS += ("cues", "replica")


@pytest.fixture
def controls(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("bench.controls")


def told(lines):
    return [(line.claim, line.planted.holds, line.shuffled.holds) for line in lines]


def check(controls, name, folder):
    lines, (null,) = controls.run(controls.CONTROLS[name], folder)
    assert lines
    assert [line.claim for line in lines if line.planted.holds is not True] == [], told(lines)
    assert [one.name for one in controls.holding(null)] == []
    assert sum(one.judged for one in null) >= len(lines)
    return lines


@pytest.mark.slow
def test_a_domain_that_shares_nothing_is_lost_and_on_shuffled_pictures_nothing_is(controls, tmp_path):
    (line,) = check(controls, "domains", tmp_path)
    assert line.planted.value > 0.6
    assert abs(line.shuffled.value) < 0.1
    assert (line.planted.n, line.planted.comparisons) == (4, 10)


def test_every_kind_of_study_has_its_controls(controls):
    assert set(controls.CONTROLS) == set(KINDS)
    designs = {control.recipe["design"]["name"] for control in controls.CONTROLS.values()}
    assert designs >= {"hold_out_combinations", "hold_out_levels", "expose", "matrix", "leave_one_out", "vary_some"}
    assert designs >= {"decorrelate", "replicate"}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in KINDS if name != "domains"])
def test_what_is_planted_holds_and_nothing_holds_on_shuffled_pictures(controls, name, tmp_path):
    check(controls, name, tmp_path)


def test_the_page_has_every_claim_with_both_verdicts(controls):
    page = (ROOT / "docs/results/controls.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ") and "**" in line]
    for control in controls.CONTROLS.values():
        for claim, _ in control.claims:
            own = [row for row in rows if row[0] == f"| {control.kind}" and row[1].startswith(claim)]
            assert own, (control.kind, claim)
            assert all(row[2].startswith("**holds**") and not row[3].startswith("**holds**") for row in own)
