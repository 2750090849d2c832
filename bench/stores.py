"""What looking at a large store costs: status, the list of studies, results and the report, per trial.

    python -m bench.stores --trials 1000 10000 100000

Trials do nothing: each is a finished one of the demo's grid with a seed of its own, written as the store holds it, with
the same answers by chance (90 of each set). Commands are asked as a user asks them, each in a process of its own; told
are its seconds of the processor (its own and the system's for it) and those of the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from bench.viewing import answered

ASKED: dict[str, list[str]] = {
    "status, the first time": ["status", "STUDY"],
    "status": ["status", "STUDY"],
    "list of studies": ["status"],
    "results": ["results", "STUDY"],
    "report": ["report", "STUDY"],
}
ANSWERS = 360  # of a trial, in two sets, for two targets


def recipe_of(trials: int) -> Any:
    """The demo's grid of eight points, with as many seeds as are needed."""
    from unseen.vocabulary.recipe import recipe_from

    return recipe_from({
        "title": "Trials that do nothing", "question": "How long is looking?", "seeds": list(range(trials // 8)),
        "world": {"name": "digits", "viewpoint": "position"},
        "design": {"name": "hold_out_combinations", "columns": "position", "images": 90, "validation_images": 72,
                   "test_images": 72, "probe_per_cell": 1},
        "network": {"backbone": "resnet18-w8"}, "recordings": {"layers": "none"},
        "grid": {"design.seen_per_level": [1, 2, 4, 8], "network.sharing": ["shared", "separate"]},
    })  # fmt: skip


def made(folder: Path, trials: int, finished: float) -> None:
    """Write such a study, the first part of its trials finished."""
    from unseen.studies.recipe_files import recipe_toml
    from unseen.studies.recorded import facts_before, write_files
    from unseen.studies.study import Study

    study = Study(recipe_of(trials), folder)
    folder.mkdir(parents=True)
    (folder / "recipe.toml").write_text(recipe_toml(study.recipe), encoding="utf-8")
    (folder / "trials").mkdir()
    point: dict[str, Any] = {}
    for number, trial in enumerate(study.trials[: int(finished * trials)]):
        if point.get("of") is not trial.recipe:  # what the seeds of one point of the grid share
            facts = facts_before(study, trial, "float32") | {
                "tasks": {}, "network": {"backbone": "resnet18-w8", "parameters": 176922},
                "curve": [{"epoch": 0, "train loss total": 1.0, "validation loss total": 1.0}], "best_epoch": 0,
                "flags": {}, "seconds": 1.0, "packed": 1, "seconds_together": 1.0, "machine": {"device": "cpu"},
                "finished": "2026-01-01T00:00:00",
            }  # fmt: skip
            point = {"of": trial.recipe, "facts": facts, "table": answered(study, trial, ANSWERS, number)}
        name = study.names(trial)[0]
        facts = {**point["facts"], "identity": name, "seed": trial.seed, "label": trial.label}
        facts["description"] = {**facts["description"], "seed": trial.seed}
        place = folder / "trials" / name
        place.mkdir()
        if number % 1000 == 0 or "file" not in point:  # a file has so many names at most
            partial(write_files, {"responses": point["table"]}, {}, facts)(place)
            point["file"] = place / "responses.parquet"
        else:
            os.link(point["file"], place / "responses.parquet")
            (place / "trial.json").write_text(json.dumps(facts, default=str), encoding="utf-8")


def asked(home: Path, words: list[str], limit: float) -> tuple[float, float]:
    """Seconds of the processor and of the clock that a command takes."""
    words = [str(home / "study") if word == "STUDY" else word for word in words]
    began = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-m", "unseen", *words], cwd=home, stdout=subprocess.DEVNULL)
    while True:
        pid, state, used = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        if time.perf_counter() - began > limit:
            child.kill()
        time.sleep(0.02)
    child.returncode = os.waitstatus_to_exitcode(state)
    if child.returncode:
        raise RuntimeError(f"{' '.join(words)} ended with {child.returncode}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--finished", type=float, default=0.9, help="the part that is finished")
    parser.add_argument("--times", type=int, default=3, help="how often each is asked; the middle one counts")
    parser.add_argument("--only", nargs="*", default=list(ASKED))
    parser.add_argument("--limit", type=float, default=3600.0, help="seconds after which one is given up")
    parser.add_argument("--to", type=Path, default=None, help="a table to which a line each is added: trials, what, n, "
                        "least, middle and most seconds of the processor")  # fmt: skip
    parser.add_argument("--keep", type=Path, default=None, help="a folder for the studies, kept for the next time")
    given = parser.parse_args()
    for trials in given.trials:
        home = (given.keep or Path(tempfile.mkdtemp())) / str(trials)
        try:
            if not (home / "study").is_dir():
                made(home / "study", trials, given.finished)
            for what in given.only:
                found = [asked(home, ASKED[what], given.limit) for _ in range(1 if "first" in what else given.times)]
                spent, wall = sorted(found)[len(found) // 2]
                print(
                    f"{trials:>7} trials: {what:<24}{spent:9.2f} s of the processor ({wall:8.2f} by the clock), "
                    f"{1e6 * spent / trials:9.1f} µs a trial",
                    flush=True,
                )
                if given.to is not None:
                    row = [
                        trials,
                        what,
                        len(found),
                        *(round(sorted(one[0] for one in found)[k], 3) for k in (0, len(found) // 2, -1)),
                    ]
                    with given.to.open("a", encoding="utf-8") as table:
                        table.write(",".join(map(str, row)) + "\n")
        finally:
            if given.keep is None:
                shutil.rmtree(home.parent, ignore_errors=True)


if __name__ == "__main__":
    main()
