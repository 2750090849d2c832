"""Workers against `unseen run`, and two against one: the same small study, made anew each time, one way after another.

    python -m bench.workers                  # 8 trials of the demo's recipe, cut to 3 epochs; 3 rounds
    python -m bench.workers --to docs/results/scale/workers.csv

Each round runs all ways in turn, so that what else the machine does falls on all of them. Told are the seconds of the
processor (of the commands and all that they start, with their imports) and of the clock, from the first trial that was
claimed (of `run`, which claims none, from the command) to the last that was stored. The clock means something only
where the cores are free: the load stands beside it. Modules are compiled beforehand, as where Python keeps them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

WAYS = {
    "run": (1, ["run", "STUDY", "--workers", "1", "--no-report"]),
    "work": (1, ["work", "STUDY"]),
    "two": (2, ["work", "STUDY"]),
}


class Spent(NamedTuple):
    """Seconds of the processor and of the clock (nothing where no lease tells when it began), and the load before."""

    processor: float
    clock: float
    load: float


def study(folder: Path, trials: int, epochs: int) -> None:
    """Trials of the demo that cost the same: they differ in the cells that are held out."""
    from unseen.engines import open_study
    from unseen.engines.starting import prepare

    settings = [f"training.epochs={epochs}", "design.seen_per_level=4", "network.sharing=\"shared\"",
                f"grid={{\"design.seed\"={list(range(trials))}}}"]  # fmt: skip
    prepare(open_study("demo", settings=settings, out=folder))


def run(way: str, trials: int, epochs: int, compiled: Path) -> Spent:
    home = Path(tempfile.mkdtemp())
    count, words = WAYS[way]
    try:
        study(home / "study", trials, epochs)
        words = [str(home / "study") if word == "STUDY" else word for word in words]
        load = os.getloadavg()[0]
        command = [sys.executable, "-m", "unseen", *words, "--device", "cpu"]
        kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        kept["PYTHONPYCACHEPREFIX"] = str(compiled)
        began = time.time()
        children = [subprocess.Popen(command, cwd=home, env=kept, stdout=subprocess.DEVNULL) for _ in range(count)]
        used = 0.0
        for child in children:
            _, state, mine = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(state)
            if child.returncode:
                raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}")
            used += mine.ru_utime + mine.ru_stime
        stored = [one.stat().st_mtime for one in (home / "study" / "trials").glob("*/trial.json")]
        claimed = [one.stat().st_ctime for one in (home / "study" / "leases").glob("*.1")]
        assert len(stored) == trials
        return Spent(used, max(stored) - min(claimed) if claimed else max(stored) - began, load)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def write(path: Path, turn: int, way: str, trials: int, epochs: int, one: Spent) -> None:
    fresh = not path.exists()
    with path.open("a", encoding="utf-8") as table:
        head = "round,way,trials,epochs,processor,clock,load\n" if fresh else ""
        table.write(f"{head}{turn},{way},{trials},{epochs},{','.join(f'{number:.2f}' for number in one)}\n")


def ratio(some: list[float]) -> str:
    """The geometric mean of ratios with its 95 % interval (Student's t, of their logarithms)."""
    from unseen.measures import mean_interval

    found = mean_interval(np.log(np.array(some)))
    return f"{np.exp(found.value):.3f} [{np.exp(found.low):.3f}, {np.exp(found.high):.3f}], n = {len(some)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=8, help="an even number, so that two workers end together")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--to", type=Path, default=None, help="a table to which each run is added as a line")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    given = parser.parse_args()
    found: dict[str, list[Spent]] = {way: [] for way in given.ways}
    with tempfile.TemporaryDirectory() as compiled:
        for way in ("run", "work"):
            run(way, 1, 1, Path(compiled))
        for turn in range(given.rounds):
            first = turn % len(given.ways)
            order = [*given.ways[first:], *given.ways[:first]]
            for way in order:
                one = run(way, given.trials, given.epochs, Path(compiled))
                found[way].append(one)
                told = f"{one.processor:8.2f} s of the processor {one.clock:8.2f} by the clock, load {one.load:.1f}"
                print(f"{turn}  {way:<6}{told}", flush=True)
                if given.to is not None:
                    write(given.to, turn, way, given.trials, given.epochs, one)
    for words, way, other, what in (
        ("work over run, processor: ", "work", "run", "processor"),
        ("two over one, processor:  ", "two", "work", "processor"),
        ("one over two, clock:      ", "work", "two", "clock"),
    ):
        if way in found and other in found:
            pairs = zip(found[way], found[other])
            print(f"{words}{ratio([getattr(one, what) / getattr(beside, what) for one, beside in pairs])}")


if __name__ == "__main__":
    main()
