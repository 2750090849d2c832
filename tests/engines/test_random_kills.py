"""Workers are killed at random, again and again: nothing is lost, nothing is stored twice.

    KILLS=1000 uv run pytest -n 0 -m slow -s tests/engines/test_random_kills.py

Trials do next to nothing (they wait some milliseconds and store a token), so that what is tried is how they are taken,
stored and taken over. Workers are forked, not started, for the same reason; all else is theirs: heartbeats, leases,
claims, the store. ``KILL_SEED`` makes the same choices again (when a kill hits is up to the machine), ``KILL_SECONDS``
ends early.
"""

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from small_study import study
from unseen.engines import working
from unseen.engines.starting import prepare
from unseen.engines.working import work_on
from unseen.studies.leases import newest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks, and reads /proc"),
]
KILLS = int(os.environ.get("KILLS", "60"))
SEED = int(os.environ.get("KILL_SEED", str(time.time_ns() % 10**6)))
SECONDS = float(os.environ.get("KILL_SECONDS", "900"))


def nearly_nothing(log):
    """In place of training: what a trial is begun and stored as is written down, by appending, which is one step."""

    def run(opened, trials, size, place, watch):
        for trial in trials:
            name, token = opened.identity(trial, "float32"), f"{os.getpid()}-{time.monotonic_ns()}"
            _append(log, f"begun {name} {token}")

            def write(folder, token=token):
                (folder / "responses.parquet").write_bytes(os.urandom(2000))
                time.sleep(0.002)
                (folder / "trial.json").write_text(json.dumps({"token": token}))

            time.sleep(0.004)
            opened.store.save(name, write)

    return run


def _append(log, line):
    handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    os.write(handle, f"{line}\n".encode())
    os.close(handle)


def forked(opened, log):
    """A worker of its own."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        working.in_packs = nearly_nothing(log)
        working.ready = lambda opened, place: None  # networks were looked at before forking
        work_on(opened, device="cpu", pack=random.Random(os.getpid()).choice([1, 1, 3]), watch=lambda event: None)
        code = 0
    finally:
        os._exit(code)


def tokens(opened):
    found = {}
    for name in opened.store.finished():
        found[name] = json.loads((opened.store.trials / name / "trial.json").read_text())["token"]
    return found


def one_study(path, draw, tally):
    """A study whose workers are killed until it is done; one last worker is spared."""
    opened = study(path, seeds=list(range(draw.randint(2, 12))))
    prepare(opened)
    expected = {opened.identity(trial, "float32") for trial in opened.trials}
    log, crew, first = path / "executions.log", set(), {}
    size, kills = draw.randint(1, 4), draw.randint(3, 25)
    while kills and len(tokens(opened)) < len(expected):
        while len(crew) < size:
            crew.add(forked(opened, log))
        time.sleep(draw.random() * 0.12)
        victim = draw.choice(sorted(crew))
        os.kill(victim, signal.SIGKILL)
        _, status = os.waitpid(victim, 0)
        crew.discard(victim)
        if os.WIFSIGNALED(status):
            kills -= 1
            tally["kills"] += 1
        else:
            assert os.WEXITSTATUS(status) == 0, "a worker ended by itself otherwise than in good order"
        for name, token in tokens(opened).items():
            assert first.setdefault(name, token) == token, f"{name} was stored twice"
    crew.add(forked(opened, log))
    for pid in crew:
        _, status = os.waitpid(pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0
    poisoned = set(opened.store.failures())
    there = tokens(opened)
    assert set(there) | poisoned == expected, "a trial was lost"
    lost = Counter({key: lease.attempts for key, lease in newest(os.listdir(path / "leases")).items()})
    assert all(count <= 3 for count in lost.values())
    if poisoned:
        tally["lost three times, and told so"] += len(poisoned - set(there))
        prepare(opened)
        os.waitpid(forked(opened, log), 0)
        there = tokens(opened)
    assert set(there) == expected
    for name, token in first.items():
        assert there[name] == token, f"{name} was stored twice"
    begun = Counter(line.split()[1] for line in log.read_text().splitlines())
    assert set(begun) == expected
    tally["trials"] += len(expected)
    tally["begun more than once"] += sum(count > 1 for count in begun.values())
    tally["studies"] += 1
    opened.store.sweep()
    left = [path.name for path in opened.store.trials.iterdir() if path.name.startswith(".")]
    assert left == [], "half-written folders of the dead stay"
    assert not list((path / "workers").glob("*.part"))


def test_a_thousand_random_kills_lose_nothing_and_store_nothing_twice(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_HEARTBEAT", "0.5")
    draw, tally, began = random.Random(SEED), Counter(), time.monotonic()
    print(f"\nKILL_SEED={SEED}")
    while tally["kills"] < KILLS and time.monotonic() - began < SECONDS:
        one_study(Path(tmp_path / f"study{tally['studies']}"), draw, tally)
    print(f"{dict(tally)} in {time.monotonic() - began:.0f} s, seed {SEED}")
    assert tally["kills"] >= min(KILLS, 1)
