"""How claiming and looking scale: many trials that do nothing in one store, a thousand simulated workers.

    python -m bench.claims --trials 10000 100000 --workers 1000

Every worker has its own view, as on its own machine; leases, trials and heartbeats are real files. Times are of
the processor, on this machine's disk (or that of ``--folder``); a file server adds its round trips.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from unseen.studies.claims import Claims
from unseen.studies.heartbeats import Heartbeat, as_json, heartbeats
from unseen.studies.jobs import TRIAL, Job, jobs_of, left_to_do
from unseen.studies.leases import Leases, Observed
from unseen.studies.stored import StoredStudy
from unseen.studies.study import Study, load_study

TABLES: dict[str, Any] = {
    "title": "Nothing", "world": {"name": "digits", "viewpoint": "position"},
    "design": {"name": "hold_out_combinations", "columns": "position", "images": 90, "seen_per_level": 8},
    "network": {"backbone": "mlp"}, "training": {"epochs": 1},
}  # fmt: skip


def timed(what: Any) -> tuple[float, Any]:
    """Seconds of this process (its own and the system's for it), which other work on the machine does not stretch."""
    began = time.process_time()
    found = what()
    return time.process_time() - began, found


def claims(folder: Path, trials: int, workers: int, seed: int = 0) -> dict[str, float]:
    """Claims of simulated workers, in random turns: at the beginning, half way, near the end."""
    jobs = [Job(f"{n:016x}", TRIAL, f"{n}", answers=(frozenset({f"{n:016x}"}),)) for n in range(trials)]
    done: set[str] = set()
    (folder / "leases").mkdir(parents=True)
    (folder / "workers").mkdir()
    draw, found = np.random.default_rng(seed), {}
    crew = []
    for n in range(workers):
        (folder / "workers" / f"w{n}.json").write_text(as_json(Heartbeat(f"w{n}", host="other", realm="0badcafe")))
        leases = Leases(folder, f"w{n}", Observed(folder).lost)
        crew.append(lambda leases=leases: Claims(jobs, leases, lambda job: job.key in done, lambda: done))
    for share in (0.0, 0.5, 0.99):
        for n in range(len(done), int(share * trials)):  # all that came before is done, by others
            (folder / "leases" / f"{n:016x}.1").touch()
            done.add(f"{n:016x}")
        times = []
        for n in draw.choice(workers, min(8, workers), replace=False):
            view = crew[n]()
            view.look()
            for _ in range(25):
                spent, taken = timed(view.take)
                times.append(spent)
                done.update(claim.job.key for claim in taken)
        found[f"claim at {share:.0%}, mean ms"] = 1e3 * float(np.mean(times))
        found[f"claim at {share:.0%}, most ms"] = 1e3 * float(np.max(times))
    found["listing all (a look), s"] = timed(crew[0]().look)[0]
    found["heartbeats of all workers, s"] = timed(lambda: heartbeats(folder))[0]
    return found


def store(folder: Path, trials: int, finished: float = 0.5) -> dict[str, float]:
    """A study of many seeds, half of it stored: opening, what is left, status."""
    from unseen.engines import open_study
    from unseen.studies.recipe_files import recipe_toml

    made = open_study({**TABLES, "seeds": list(range(trials))}, out=folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "recipe.toml").write_text(recipe_toml(made.recipe))
    found = {}
    found["read the recipe, s"], opened = timed(lambda: load_study(folder))
    found["expand the grid, s"], _ = timed(lambda: opened.trials)
    found["know all identities, s"], jobs = timed(lambda: jobs_of(opened))
    text = json.dumps({"identity": "", "flags": {}, "description": {"world": {"fingerprint": ""}, "network": {}}})
    for job in jobs[: int(finished * trials)]:
        place = folder / "trials" / min(job.answers[0])
        place.mkdir(parents=True)
        (place / "trial.json").write_text(text)
    found["know what is left, s"], left = timed(lambda: left_to_do(opened, jobs))
    assert len(left) == trials - int(finished * trials)
    found["list finished trials, s"], _ = timed(opened.store.finished)
    found["missing (as `run` asks), s"], _ = timed(opened.missing)
    fresh = Study(opened.recipe, folder)
    found["count as `status` does, s"], _ = timed(lambda: sum(fresh.find(trial) is not None for trial in fresh.trials))
    assert StoredStudy is not None
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--only", choices=["claims", "store"], default=None)
    given = parser.parse_args()
    for trials in given.trials:
        home = Path(tempfile.mkdtemp(dir=given.folder))
        try:
            if given.only != "store":
                for name, value in claims(home / "claims", trials, given.workers).items():
                    print(f"{trials:>7} trials, {given.workers} workers: {name:<32} {value:10.3f}", flush=True)
            if given.only != "claims":
                for name, value in store(home / "study", trials).items():
                    print(
                        f"{trials:>7} trials: {name:<32} {value:10.3f}   {1e6 * value / trials:8.1f} µs each",
                        flush=True,
                    )
        finally:
            shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
