"""Time left, with a clock of our own: by what steps of the same sort took."""

import io

import pytest
from rich.console import Console

from unseen.cli.progress import QUIET, Progress
from unseen.engines.progress import Followed
from unseen.studies.recorded import Event


class Clock:
    """Time passes when it is told to."""

    def __init__(self):
        self.time = 1000.0

    def __call__(self):
        return self.time

    def after(self, seconds, watch, *events):
        self.time += seconds
        for kind, label, *figures in events:
            watch(Event(kind, label, label, *figures))


@pytest.fixture
def clock():
    return Clock()


def test_a_calibration_says_nothing_of_how_long_trials_take(clock):
    watch = Followed([(f"trial {n}", 20) for n in range(39)], [("plain", 20)], clock)
    clock.after(5, watch, ("calibrating", "plain"))
    for _ in range(20):
        clock.after(5, watch, ("epoch", "plain"))
    clock.after(1, watch, ("calibrated", "plain"))
    assert watch.left() == "1:46 elapsed, too early to tell"
    clock.after(2, watch, ("started", "trial 0"))
    clock.after(0.5, watch, ("epoch", "trial 0"))
    assert watch.left() == "1:48 elapsed, 6:30 left"  # 779 epochs of half a second


def test_packs_are_timed_by_packs(clock):
    watch = Followed([(f"probe {n}", 1, "whole") for n in range(20)], (), clock)
    told = []
    for pack in range(4):
        mine = [f"probe {5 * pack + n}" for n in range(5)]
        clock.after(1, watch, *(("started", one) for one in mine))
        clock.after(22, watch)
        told.append(watch.left())
        clock.after(22, watch, *(("finished", one) for one in mine))
        told.append(watch.left())
    assert told[:4] == [
        "0:23 elapsed, starting",
        "0:45 elapsed, 2:12 left",
        "1:08 elapsed, 1:53 left",
        "1:30 elapsed, 1:29 left",
    ]
    assert told[-1].endswith("0:00 left")


def test_what_waits_long_for_a_step_is_not_told_to_be_over(clock):
    watch = Followed([("a", 4)], (), clock)
    clock.after(0, watch, ("started", "a"))
    clock.after(10, watch, ("epoch", "a"))
    clock.after(500, watch)
    assert watch.left().endswith("0:20 left")


def test_answers_after_the_last_epoch_count(clock):
    watch = Followed([("a", 2), ("b", 2)], (), clock)
    clock.after(100, watch, ("started", "a"))  # it imported, and opened its world
    clock.after(1, watch, ("epoch", "a"))
    clock.after(1, watch, ("epoch", "a"))
    clock.after(6, watch, ("finished", "a"))
    assert watch.left() == "1:48 elapsed, 0:08 left"


def test_what_others_did_before_anybody_looked_tells_nothing(clock):
    watch = Followed([("a", 100), ("b", 100)], (), clock)
    clock.after(1, watch, ("started", "a"), *[("epoch", "a", {"earlier": True})] * 60)
    assert watch.left().endswith("too early to tell")
    clock.after(2, watch, ("epoch", "a"))
    assert watch.left().endswith("4:38 left")


def test_calibrations_that_are_left_are_the_least(clock):
    watch = Followed([("a", 3)], [("plain", 4), ("other", 4)], clock)
    clock.after(0, watch, ("calibrating", "plain"))
    clock.after(30, watch, ("epoch", "plain"))
    assert watch.left() == "0:30 elapsed, at least 3:30 left"


def test_a_trial_that_fails_takes_no_more_time(clock):
    watch = Followed([("a", 10), ("b", 10)], (), clock)
    clock.after(0, watch, ("started", "a"))
    clock.after(2, watch, ("epoch", "a"))
    clock.after(0, watch, ("failed", "a", {"error": "no"}))
    assert watch.left().endswith("0:20 left")


def test_a_log_is_told_how_far_it_is_though_no_trial_ends(clock):
    log = io.StringIO()
    watch = Progress(Console(file=log, width=80), [("a", 100), ("b", 100)], (), clock)
    clock.after(0, watch, ("started", "a"))
    for _ in range(90):
        clock.after(QUIET / 30, watch, ("epoch", "a"))
    lines = log.getvalue().splitlines()
    assert len(lines) == 3
    assert all(line.startswith("  0/2, ") and " left, 30 epochs/min, " in line and "GB" in line for line in lines)
    assert max(map(len, lines)) <= 80
