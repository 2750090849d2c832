"""How long `unseen view` makes one wait: a study of 144 trials with two million answers, and a world that is drawn.

    python -m bench.viewing             # 144 trials, 2 million answers
    python -m bench.viewing --trials 12 # a small one

The study is made by this script, as the store holds it, with answers drawn by chance: nothing is trained. It is asked
through the server itself, from its start in a process of its own, by the addresses that the page asks; what is told is
the longest of each; the first of its kind that the process ever answered ("cold") is told alone, with what it imports
for it. Beside the clock stand the server's own seconds of the processor, which other work does not stretch. Modules are
compiled beforehand, as on any machine where Python keeps them. What was promised: first page, any filter and a grid of
200 images each below a second, of a drawn world on a CPU below three.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

ANSWERS = 2_000_000
GRID = {  # 144 trials
    "design.seed": [0, 1, 2, 3, 4, 5],
    "design.seen_per_level": [1, 2, 3, 4, 6, 8],
    "network.sharing": ["shared", "separate"],
}
STUDIES: dict[str, dict[str, Any]] = {
    "digits": {
        "world": {"name": "digits", "viewpoint": "position"},
        "design": {
            "columns": "position",
            "images": 720,
            "validation_images": 72,
            "test_images": 144,
            "probe_per_cell": 2,
        },
        "seeds": [0, 1],
    },
    "drawn": {
        "world": {"name": "objects"},
        "design": {
            "columns": "pose",
            "balance": "nearly_balanced",
            "images": 1140,
            "validation_images": 76,
            "test_images": 152,
            "probe_per_cell": 1,
        },
        "seeds": [0],
    },
}


def made(folder: Path, name: str, trials: int, answers: int) -> int:
    """Write a study as the store holds it; gives the number of answers."""
    from unseen.studies.identities import identity
    from unseen.studies.recipe_files import recipe_toml
    from unseen.studies.recorded import facts_before, write_files
    from unseen.studies.study import Study
    from unseen.vocabulary.recipe import recipe_from

    about = STUDIES[name]
    recipe = recipe_from({
        "title": f"{name}, made for a bench", "question": "Is it quick?", "seeds": about["seeds"],
        "world": about["world"],
        "design": {"name": "hold_out_combinations", **about["design"]},
        "network": {"backbone": "resnet18-w8", "stem": "small"}, "grid": GRID,
    })  # fmt: skip
    study = Study(recipe, folder)
    folder.mkdir(parents=True)
    (folder / "recipe.toml").write_text(recipe_toml(recipe), encoding="utf-8")
    each, total = answers // trials, 0
    for number, trial in enumerate(study.trials[:trials]):
        table = answered(study, trial, each, number)
        total += table.num_rows
        facts = facts_before(study, trial, "float32")
        known = identity(facts["description"])
        facts |= {
            "identity": known, "tasks": {}, "network": {"backbone": "resnet18-w8", "parameters": 176922},
            "curve": [{"epoch": 0, "train loss total": 1.0, "validation loss total": 1.0}], "best_epoch": 0,
            "flags": {}, "seconds": 1.0, "packed": 1, "seconds_together": 1.0, "machine": {"device": "cpu"},
            "finished": "2026-01-01T00:00:00",
        }  # fmt: skip
        study.store.save(known, partial(write_files, {"responses": table}, {}, facts))
    return total


def answered(study: Any, trial: Any, each: int, number: int) -> Any:
    """Answers by chance, 70 % of them right, of images at random in two sets."""
    import pyarrow as pa

    from unseen.studies.identities import identity
    from unseen.studies.trials import describe
    from unseen.vocabulary.responses import responses_table

    samples, targets, rng = study.world(trial).samples, study.targets(trial), np.random.default_rng(number)
    tables = []
    for asked in ("seen", "unseen"):
        count = min(each // (2 * len(targets)), len(samples))
        rows = np.sort(rng.choice(len(samples), count, replace=False))
        answers = {}
        for target in targets:
            truth = target.truth(samples, rows)
            said = np.where(rng.random(count) < 0.7, truth, rng.integers(0, len(target.classes), count))
            answers[target.name] = said, rng.random(count).astype(np.float32).round(4)
        tables.append(
            responses_table(samples, targets, subject=trial.label, trial="", asked=asked, rows=rows, answers=answers)
        )
    table = pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()
    name = identity(describe(trial, study.world(trial), "float32"))
    words = pa.DictionaryArray.from_arrays(pa.array(np.zeros(table.num_rows, np.int8)), pa.array([name]))
    return table.set_column(table.column_names.index("trial"), "trial", words)


def ask(base: str, name: str, **asked: Any) -> tuple[float, bytes]:
    """How long an answer takes, and the answer."""
    begun = time.perf_counter()
    with urllib.request.urlopen(f"{base}{name}?{urllib.parse.urlencode(asked, doseq=True)}") as told:
        body = told.read()
    return time.perf_counter() - begun, body


class Serving:
    """`unseen view` in a process of its own."""

    def __init__(self, folder: Path, compiled: Path) -> None:
        command = [sys.executable, "-m", "unseen", "view", str(folder), "--no-browser", "--port", "0"]
        kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        begun = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env={**kept, "PYTHONPYCACHEPREFIX": str(compiled)}
        )
        assert self.process.stdout is not None
        self.base = next(word for line in self.process.stdout for word in line.split() if word.startswith("http://"))
        self.start = time.perf_counter() - begun

    def spent(self) -> float:
        """Seconds of the processor that it took so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def __enter__(self) -> Serving:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.terminate()
        self.process.wait()


def first_page(base: str, study: str) -> float:
    """All that a browser asks for until the list of trials stands there, one after the other."""
    parts = ["", "palette.css", "page/style.css", "page/main.js", "page/parts.js", "page/trials.js"]
    return sum(ask(base, part)[0] for part in parts) + ask(base, "api/study", study=study)[0]


KINDS: dict[str, dict[str, Any]] = {  # filters over all answers of all trials
    "none": {},
    "one set and target, wrong": {"set": "unseen", "target": "category", "right": "no"},
    "a level of a factor": {"f.category": "3", "right": "no"},
    "between two confidences, surest first": {"sure": 0.4, "unsure": 0.6, "order": "surest"},
    "by cell": {"by": "category,position"},
    "by mistake": {"by": "mistake", "target": "category"},
}


def grid(base: str, study: str, rows: np.ndarray) -> float:
    """200 images that were not asked for before."""
    return ask(base, "api/sheet", study=study, trial="0", rows=",".join(map(str, rows)))[0]


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--trials", type=int, default=144)
    words.add_argument("--times", type=int, default=3, help="how often each is asked; the longest counts")
    words.add_argument("--cold", type=int, default=3, help="how many servers are started for what is cold")
    words.add_argument("--keep", type=Path, help="a folder for the studies, kept for the next time")
    words.add_argument("--only-cold", action="store_true", help="leave out what is asked of a server that is warm")
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs, compiled = given.keep or Path(folder), Path(folder) / ".compiled"
        if not (runs / "digits").is_dir():
            count = made(runs / "digits", "digits", given.trials, ANSWERS * given.trials // 144)
            print(f"{given.trials} trials, {count:,} answers made")
        if not (runs / "drawn").is_dir():
            made(runs / "drawn", "drawn", 2, 4000)
        cold(runs, compiled)  # compiles what it imports
        for _ in range(given.cold):
            print(f"\nload {os.getloadavg()[0]:.1f}")
            for name, seconds, spent in cold(runs, compiled):
                print(f"{name:<50}{seconds:8.2f} s{spent:8.2f} s of the processor")
        if not given.only_cold:
            print(f"\nload {os.getloadavg()[0]:.1f}")
            for name, seconds, spent in warm(runs, compiled, given.times):
                print(f"{name:<50}{seconds:8.2f} s{spent:8.2f} s of the processor")


Row = tuple[str, float, float]


def cold(runs: Path, compiled: Path) -> list[Row]:
    """What a server that has just started is asked first."""
    rows = np.random.default_rng(1).choice(10_000, 200, replace=False)
    with Serving(runs, compiled) as page:
        told: list[Row] = [("from the command to the address", page.start, page.spent())]
        for name, asked in (
            ("first page, cold", lambda: first_page(page.base, "digits")),
            ("first filter, cold", lambda: ask(page.base, "api/answers", study="digits", set="seen")[0]),
            ("200 images, digits, cold", lambda: grid(page.base, "digits", rows)),
        ):
            before = page.spent()
            told.append((name, asked(), page.spent() - before))
    with Serving(runs, compiled) as page:  # objects were kept on disk by the first server that made them
        for name, some in (("24 images, drawn, cold", rows[:24]), ("the other 176", rows[24:])):
            before = page.spent()
            told.append((name, grid(page.base, "drawn", some), page.spent() - before))
    return told


def warm(runs: Path, compiled: Path, times: int) -> list[Row]:
    rng, told = np.random.default_rng(1), []
    with Serving(runs, compiled) as page:

        def longest(name: str, *asked: Any) -> None:
            found = []
            for one in asked:
                before = page.spent()
                found.append((one(), page.spent() - before))
            told.append((name, max(clock for clock, _ in found), max(spent for _, spent in found)))

        def answers(kind: str = "answers", **words: Any) -> Any:
            return lambda: ask(page.base, f"api/{kind}", study="digits", **words)[0]

        first_page(page.base, "digits")
        answers()()
        longest("first page", *[lambda: first_page(page.base, "digits")] * times)
        for kind, asked in KINDS.items():
            longest(f"filter: {kind}", *[answers(**asked)] * times)
        longest("shares of all trials", *[answers("accuracies")] * times)
        name = json.loads(ask(page.base, "api/study", study="digits")[1])["trials"][0]["identity"]
        longest("filter: of one trial", *[answers(trial=name, right="no")] * times)
        for study, size in (("digits", 14_000), ("drawn", 10_000)):
            first, *some = [
                partial(grid, page.base, study, rng.choice(size, 200, replace=False)) for _ in range(times + 1)
            ]
            longest(f"200 images, {study}, the first ever", first)
            longest(f"200 images, {study}", *some)
            longest(f"200 images, {study}, again", some[0])
    return told


if __name__ == "__main__":
    main()
