"""A study of 40 trials that is disturbed while workers run it, and the same one left in peace."""

import json
import os
import signal
import time
from collections import Counter
from pathlib import Path

import polars as pl

from small_study import TINY, ran
from unseen.engines import open_study
from unseen.kinds.collect import collect
from unseen.studies.heartbeats import heartbeats
from unseen.studies.jobs import jobs_of, stored
from unseen.studies.leases import newest
from unseen.studies.store import Store
from unseen.studies.study import load_study

TRIALS = 40
QUICK = {"UNSEEN_HEARTBEAT": "1", "UNSEEN_STALE": "5", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def forty(path):
    training = {**TINY["training"], "epochs": 40}  # some seconds, so that a lost worker is back before all is done
    return open_study({**TINY, "training": training, "seeds": list(range(TRIALS // 2))}, out=path)


def in_peace(path):
    """The same trials by `unseen run` in one process."""
    assert ran(forty(path)).finished == TRIALS
    return path


def numbers(path):
    return collect(load_study(path)).filter(pl.col("measure") != "device seconds")


def workers(path):
    """Processes that work on it now, by their heartbeats."""
    return [one.pid for one in heartbeats(path) if Path(f"/proc/{one.pid}").exists() and one.living]


def kill_one(path):
    """One that has a trial which is not stored is killed -9."""
    pid, _ = _stopped_in_the_middle(path)
    os.kill(pid, signal.SIGKILL)
    return pid


def suspend_one(path, seconds=600):
    """One stops while it has a trial that is not stored, until another has taken that over, and comes back. There must
    be another: whoever starts workers again may take a while."""
    deadline = time.monotonic() + seconds
    while len(workers(path)) < 2:
        assert time.monotonic() < deadline, "lost workers are not started again"
        assert len(Store(path).finished()) < TRIALS, "all was done before lost workers were back: trials are too short"
        time.sleep(0.2)
    pid, held = _stopped_in_the_middle(path)
    while not any(one.number > held[key] for key, one in newest(os.listdir(path / "leases")).items() if key in held):
        assert time.monotonic() < deadline, "nobody takes over what a suspended worker has"
        time.sleep(0.2)
    os.kill(pid, signal.SIGCONT)
    return pid


def _stopped_in_the_middle(path):
    """A worker that was stopped (SIGSTOP) in the middle of trials, with the numbers of their leases."""
    jobs = {job.key: job for job in jobs_of(load_study(path))}
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for one in [one for one in heartbeats(path) if one.pid in workers(path)]:
            os.kill(one.pid, signal.SIGSTOP)
            if held := _open(path, one.name, jobs):
                return one.pid, held
            os.kill(one.pid, signal.SIGCONT)
        time.sleep(0.05)
    raise AssertionError("no worker is at a trial")


def _open(path, worker, jobs):
    """What a worker holds that is not stored."""
    leases, names = newest(os.listdir(path / "leases")), stored(load_study(path))
    mine = {key: one.number for key, one in leases.items() if not one.mark and not jobs[key].finished(names)}
    return {key: n for key, n in mine.items() if (path / "leases" / f"{key}.{n}").read_text() == worker}


def until(path, n, follower, seconds=900):
    """Wait until n trials are stored; each is stored once: what is there never changes."""
    store, seen, deadline = Store(path), {}, time.monotonic() + seconds
    while len(names := store.finished()) < n:
        assert time.monotonic() < deadline, f"{len(names)} of {n} after {seconds} s"
        assert follower.poll() in (None, 0), "whoever follows has ended"
        for name in names:
            told = (store.trials / name / "trial.json").read_text()
            assert seen.setdefault(name, told) == told
        time.sleep(0.3)
    return seen


def what_happened(path):
    """For the log of the test: by whom trials were stored, how many were taken more than once, what is left over."""
    leases = newest(os.listdir(path / "leases"))
    store = Store(path)
    half = [one.name for one in store.trials.iterdir() if one.name.startswith(".")]
    holders = [(path / "leases" / f"{key}.{lease.number}").read_text() for key, lease in leases.items()]
    facts = [json.loads((store.trials / name / "trial.json").read_text()) for name in store.finished()]
    return {
        "stored": len(store.finished()),
        "finished": len({one["identity"] for one in facts}),
        "failed": len(store.failures()),
        "taken more than once": sum(lease.number > 1 for lease in leases.values()),
        "half-written": half,
        "by": dict(Counter(holders)),
    }
