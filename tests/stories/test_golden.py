"""Studies that were packed before say what they said then: every number, verdict and sentence.

Each pack in `tests/golden` is unpacked and looked at through the command line and `unseen.open_study`, in a process of
its own; `tests/golden/tell.py` says how. Numbers of tables may differ by one in 10⁹, all else is equal. Where a change
is meant, `python tests/golden/make.py --texts` writes the texts anew, and its diff is reviewed.
"""

import csv
import fcntl
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from small_study import surroundings

pytest_plugins = ("studies_fixtures",)

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
NAMES = sorted(pack.stem for pack in GOLDEN.glob("*.unseen"))
QUICK = ("domains",)  # a report takes seconds: that of one kind is written in every run
LOADING = ("weaknesses",)  # loads a given model to know it; that of subjects does, too, in every run
NUMBERED = [pytest.param(name, marks=[pytest.mark.slow] if name in LOADING else []) for name in NAMES]
REPORTED = [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in NAMES]


@pytest.fixture(scope="module")
def told(tmp_path_factory, compiled):
    """``told(name, "tidy.csv")``: what is said now. Said once, however many processes test."""
    base = tmp_path_factory.getbasetemp()
    base = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "golden"
    base.mkdir(exist_ok=True)

    def say(name: str, text: str) -> str:
        report = text in ("report.txt", "findings.txt", "figures.csv")
        folder = base / f"{name}{'-report' * report}"
        with open(f"{folder}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / text).exists():
                words = [sys.executable, GOLDEN / "tell.py", GOLDEN / f"{name}.unseen", folder, *["--report"] * report]
                ran = subprocess.run(
                    words, env=surroundings(compiled), capture_output=True, text=True, timeout=300, check=False
                )
                assert ran.returncode == 0, ran.stdout + ran.stderr
        return (folder / text).read_text(encoding="utf-8")

    return say


def stored(name: str, text: str) -> str:
    return (GOLDEN / f"{name}.{text}").read_text(encoding="utf-8")


def number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def alike(now: str, then: str) -> bool:
    """The same words, or numbers that differ by rounding."""
    if now == then:
        return True
    a, b = number(now), number(then)
    return a is not None and b is not None and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def assert_same_table(now: str, then: str) -> None:
    rows, expected = list(csv.reader(now.splitlines())), list(csv.reader(then.splitlines()))
    assert rows[0] == expected[0]
    for line, (row, old) in enumerate(zip(rows, expected), start=1):
        assert len(row) == len(old), f"line {line}"
        off = {key: (a, b) for key, a, b in zip(rows[0], row, old) if not alike(a, b)}
        assert not off, f"line {line}, now and then: {off}\n{old}"
    assert len(rows) == len(expected)


def test_packs_are_of_these_studies():
    assert NAMES == [
        "combinations", "concepts", "cues", "domains", "exposure", "looking", "matrix", "regression", "replica",
        "sanity", "subjects", "thresholds", "variability", "weaknesses",
    ]  # fmt: skip


@pytest.mark.parametrize("name", NUMBERED)
def test_every_number_of_every_trial_is_what_it_was(name, told):
    assert_same_table(told(name, "tidy.csv"), stored(name, "tidy.csv"))


@pytest.mark.parametrize("name", NUMBERED)
def test_every_mean_and_interval_is_what_it_was(name, told):
    assert_same_table(told(name, "summary.csv"), stored(name, "summary.csv"))


@pytest.mark.parametrize("name", NUMBERED)
def test_the_terminal_says_the_same_numbers_and_verdicts(name, told):
    assert told(name, "terminal.txt") == stored(name, "terminal.txt")


@pytest.mark.parametrize("name", NUMBERED)
def test_a_notebook_gets_the_tables_of_the_command_line(name, told):
    assert_same_table(told(name, "api-tidy.csv"), stored(name, "tidy.csv"))
    assert_same_table(told(name, "api-summary.csv"), stored(name, "summary.csv"))


@pytest.mark.parametrize("name", REPORTED)
def test_the_report_gives_every_finding_with_its_verdict_sentence_and_numbers(name, told):
    assert told(name, "findings.txt").splitlines() == stored(name, "findings.txt").splitlines()


@pytest.mark.parametrize("name", REPORTED)
def test_the_report_reads_as_it_did(name, told):
    assert told(name, "report.txt").splitlines() == stored(name, "report.txt").splitlines()


@pytest.mark.parametrize("name", REPORTED)
def test_the_charts_of_the_report_draw_the_same_data(name, told):
    assert_same_table(told(name, "figures.csv"), stored(name, "figures.csv"))
