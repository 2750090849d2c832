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
from unseen.studies.leases import newest
from unseen.studies.store import Store
from unseen.studies.study import load_study

TRIALS = 40
QUICK = {"UNSEEN_HEARTBEAT": "1", "UNSEEN_STALE": "8", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def forty(path):
    return open_study({**TINY, "seeds": list(range(TRIALS // 2))}, out=path)


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
    pid = workers(path)[-1]
    os.kill(pid, signal.SIGKILL)
    return pid


def suspend_one(path, seconds):
    """One of them stops for longer than its lease lasts, in the middle of a trial, and comes back."""
    deadline = time.monotonic() + 60
    while not (found := [one.pid for one in heartbeats(path) if one.doing and one.pid in workers(path)]):
        assert time.monotonic() < deadline, "no worker is at a trial"
        time.sleep(0.05)
    (pid, *_) = found
    os.kill(pid, signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(pid, signal.SIGCONT)
    return pid


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
