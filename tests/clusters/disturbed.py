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
    training = {**TINY["training"], "epochs": 2}
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
    pid = workers(path)[-1]
    os.kill(pid, signal.SIGKILL)
    return pid


def suspend_one(path, seconds):
    """One of them stops for longer than its lease lasts, while it has a trial that is not stored, and comes back."""
    opened = load_study(path)
    jobs = {job.key: job for job in jobs_of(opened)}
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for one in [one for one in heartbeats(path) if one.pid in workers(path)]:
            os.kill(one.pid, signal.SIGSTOP)
            if _has_one_open(path, one.name, jobs, stored(opened)):
                time.sleep(seconds)
                os.kill(one.pid, signal.SIGCONT)
                return one.pid
            os.kill(one.pid, signal.SIGCONT)
        time.sleep(0.05)
    raise AssertionError("no worker is at a trial")


def _has_one_open(path, worker, jobs, names):
    leases = newest(os.listdir(path / "leases"))
    held = [key for key, one in leases.items() if (path / "leases" / f"{key}.{one.number}").read_text() == worker]
    return any(not jobs[key].finished(names) for key in held if not leases[key].mark)


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
