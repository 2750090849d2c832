"""Workers take trials from each other's hands: whatever happens to them, all is run at least once and stored once."""

import errno
import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.studies.claims import Claims
from unseen.studies.heartbeats import STALE, folder_of
from unseen.studies.jobs import ENCODER, TRIAL, Job
from unseen.studies.leases import ATTEMPTS, Leases, Observed, newest


class Lab:
    """A study's folder without a study: jobs by name, what is stored, a clock, and workers that do as they are told."""

    def __init__(self, folder, jobs, workers):
        self.folder, self.now, self.names = folder, 0.0, iter(range(10**6))
        self.jobs = jobs
        self.stored, self.executions, self.failed, self.poison = {}, [], set(), set()
        self.workers = [Worker(self) for _ in range(workers)]

    def beat(self):
        for one in self.workers:
            if not one.suspended:
                one.write()


class Worker:
    def __init__(self, lab):
        self.lab, self.name, self.beats, self.suspended = lab, f"w{next(lab.names)}", 0, False
        self.claims_held = []
        self.leases = Leases(lab.folder, self.name, Observed(lab.folder, lambda: lab.now).lost)
        self.claims = Claims(
            lab.jobs, self.leases, lambda job: job.key in lab.stored, lambda: {f"i{key}" for key in lab.stored},
            lambda job, lease: lab.poison.add((job.key, lease.attempts)),
        )  # fmt: skip
        self.write()

    @property
    def path(self):
        return folder_of(self.lab.folder) / f"{self.name}.json"

    def write(self):
        self.beats += 1
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps({"beat": self.beats, "pid": 1, "host": "elsewhere", "realm": "0badcafe"}))

    def take(self, most=1):
        for claim in self.claims.take(lambda job: most):
            self.claims_held.append(claim)
            self.lab.executions.append((claim.job.key, self.name))

    def end(self, how="store"):
        for claim in self.claims_held:
            if how == "store":
                self.lab.stored.setdefault(claim.job.key, self.name)  # the first rename wins
            self.claims.settle(claim, failed=how == "fail")
            if how == "fail" and claim.job.key not in self.lab.stored:
                self.lab.failed.add(claim.job.key)
        self.claims_held = []

    def leave(self):
        self.leases.give_back()
        self.path.unlink()
        self.lab.workers.remove(self)

    def killed(self):
        self.lab.workers.remove(self)


def trials(n):
    return [Job(f"{k:03}", TRIAL, f"trial {k}", answers=(frozenset({f"i{k:03}"}),)) for k in range(n)]


@pytest.fixture
def lab(tmp_path):
    return Lab(tmp_path, trials(4), 2)


def pass_time(lab, seconds):
    """Time goes by in steps in which everybody beats who can, and every worker looks around."""
    for _ in range(int(seconds // 60) + 1):
        lab.now += min(60, seconds)
        lab.beat()
        for one in lab.workers:
            if not one.suspended and not one.claims_held and not one.claims.fresh:
                one.take()


def test_two_workers_share_the_trials_and_end_when_nothing_is_left(lab):
    one, two = lab.workers
    while one.claims.left or two.claims.left:
        for worker in (one, two):
            worker.take()
        assert not {c.job.key for c in one.claims_held} & {c.job.key for c in two.claims_held}
        for worker in (one, two):
            worker.end()
    assert sorted(lab.stored) == ["000", "001", "002", "003"]
    assert len(lab.executions) == 4
    assert set(lab.stored.values()) == {one.name, two.name}


def test_a_killed_workers_trial_is_taken_over_once_its_heart_has_not_beaten_for_three_minutes(lab):
    one, two = lab.workers
    one.take()
    (lost,) = one.claims_held
    one.killed()
    while two.claims.fresh or two.claims_held:
        two.take()
        two.end()
    two.take()  # it sees the stale heartbeat for the first time now
    lab.now += STALE - 1
    lab.beat()
    two.take()
    assert two.claims_held == []
    lab.now += 2
    lab.beat()
    two.take()
    assert [claim.job for claim in two.claims_held] == [lost.job]
    assert two.claims_held[0].again
    two.end()
    assert len(lab.stored) == 4
    assert not two.claims.left


def test_a_worker_whose_heartbeat_is_gone_has_ended_and_what_it_left_is_free_at_once(lab):
    one, two = lab.workers
    one.take(most=4)
    assert len(one.claims_held) == 4
    one.leave()
    two.take()
    assert two.claims_held[0].again
    assert newest(path.name for path in (lab.folder / "leases").iterdir())[two.claims_held[0].job.key].attempts == 1


def test_one_that_was_suspended_past_its_lease_saves_late_and_is_thrown_away(lab):
    one, two = lab.workers
    one.take()
    one.suspended = True
    key = one.claims_held[0].job.key
    while key not in lab.stored:
        two.take()
        two.end()
        lab.now += 100
        lab.beat()
    one.suspended = False
    one.end()
    assert lab.stored[key] == two.name
    assert [name for done, name in lab.executions if done == key] == [one.name, two.name]


def test_what_outlived_three_workers_is_left_alone_and_told_once_it_is_sure(tmp_path):
    lab = Lab(tmp_path, trials(1), ATTEMPTS + 1)
    last = lab.workers[-1]
    for worker in lab.workers[:ATTEMPTS]:
        while not worker.claims_held:
            worker.take()
            lab.now += 100
            lab.beat()
        worker.killed()
    while last.claims.left:
        last.take()
        assert not last.claims_held
        lab.now += 100
        lab.beat()
    assert lab.poison == {("000", ATTEMPTS)}
    assert len(lab.executions) == ATTEMPTS


def test_given_back_in_good_order_counts_as_no_attempt(tmp_path):
    lab = Lab(tmp_path, trials(1), 0)
    for _ in range(3 * ATTEMPTS):
        lab.workers.append(Worker(lab))
        lab.workers[-1].take()
        assert lab.workers[-1].claims_held
        lab.workers[-1].leave()
    lab.workers.append(Worker(lab))
    lab.workers[-1].take()
    lab.workers[-1].end()
    assert list(lab.stored) == ["000"]
    assert not lab.poison


def test_what_failed_is_tried_by_nobody_else(lab):
    one, two = lab.workers
    one.take()
    one.end("fail")
    while two.claims.left:
        two.take()
        two.end()
    assert len(lab.stored) == 3
    assert len(lab.executions) == 4


def test_a_trial_waits_for_the_encoder_that_another_worker_makes_and_goes_on_where_that_failed(tmp_path):
    for how in ("store", "fail"):
        jobs = [Job("e", ENCODER, "encoder"), Job("t", TRIAL, "trial", answers=(frozenset({"it"}),), needs="e")]
        lab = Lab(tmp_path / how, jobs, 2)
        one, two = lab.workers
        one.take()
        assert [claim.job.key for claim in one.claims_held] == ["e"]
        two.take(4)
        assert two.claims_held == []
        assert two.claims.left
        one.end(how)
        two.take(4)
        two.take(4)
        assert [claim.job.key for claim in two.claims_held] == ["t"]


def test_what_was_taken_over_is_run_alone(tmp_path):
    lab = Lab(tmp_path, trials(6), 2)
    one, two = lab.workers
    one.take(most=6)
    assert len(one.claims_held) == 6
    one.leave()
    two.take(most=6)
    assert len(two.claims_held) == 1


STEPS = st.sampled_from(["take", "take", "take two", "end", "end", "fail", "leave", "kill", "suspend", "wake", "wait"])


@settings(max_examples=60)
@given(
    jobs=st.integers(1, 6),
    workers=st.integers(1, 4),
    steps=st.lists(st.tuples(STEPS, st.integers(0, 7)), max_size=40),
)
def test_whatever_happens_all_is_stored_once_or_failed_or_was_lost_three_times(jobs, workers, steps):
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(Path(folder), trials(jobs), workers)
        for what, which in steps:
            if not lab.workers:
                lab.workers.append(Worker(lab))
            one = lab.workers[which % len(lab.workers)]
            if what == "wake":
                one.suspended = False
            elif what == "wait":
                pass_time(lab, 60 * (1 + which))
            elif one.suspended:
                if what == "kill":
                    one.killed()
            elif what in ("take", "take two") and not one.claims_held:
                one.take(1 + (what == "take two"))
            elif what in ("end", "fail"):
                one.end("store" if what == "end" else "fail")
            elif what in ("leave", "kill"):
                one.leave() if what == "leave" else one.killed()
            elif what == "suspend":
                one.suspended = True
            _nobody_who_beats_shares(lab)
        _to_the_end(lab)
        keys = {job.key for job in lab.jobs}
        assert keys == set(lab.stored) | lab.failed | {key for key, _ in lab.poison}
        assert set(lab.stored) <= {key for key, _ in lab.executions}
        for key, attempts in lab.poison:
            assert attempts >= ATTEMPTS
            assert len({name for done, name in lab.executions if done == key}) >= ATTEMPTS


def _nobody_who_beats_shares(lab):
    """While they beat, two workers never do the same."""
    held = [claim.job.key for one in lab.workers if not one.suspended for claim in one.claims_held if not one_woke(one)]
    assert len(held) == len(set(held))


def one_woke(worker):
    """Whether another one has taken over what this one holds, while it was suspended."""
    leases = worker.leases.all()
    return any(leases[claim.job.key].number > claim.number for claim in worker.claims_held)


def _to_the_end(lab):
    """One patient worker joins; the suspended stay so."""
    for one in lab.workers:
        if not one.suspended:
            one.end()
    last = Worker(lab)
    lab.workers.append(last)
    for _ in range(100 * len(lab.jobs)):
        if not last.claims.left:
            return
        last.take()
        last.end()
        lab.now += 100
        lab.beat()
    raise AssertionError("work is left that nobody does")


def test_on_a_full_disk_all_is_given_back_and_nothing_counts_as_an_attempt(tmp_path, monkeypatch):
    mine = Leases(tmp_path, "me", lambda name: True)
    assert mine.take("a")
    assert mine.take("b")

    def full(handle, text):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        mine.take("c")
    mine.give_back()
    assert mine.mine == {}
    found = mine.all()
    assert [found[key].attempts for key in sorted(found)] == [0, 0]
    assert {mine.standing(key, found.get(key)) for key in "abc"} == {"free"}
