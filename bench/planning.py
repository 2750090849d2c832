"""Planning a study over ten million images: every split, its counts and the identities of its trials.

    python -m bench.planning

Two worlds: a grid (100,000 instances of 100 categories that can be shown at 100 positions, rows computed) and a photo
set (ten million stored photos with two factors of ten levels). For each of eight diversity levels the design is made,
the rows of every set are counted and each trial's identity is hashed. Beside it: what the first import of scipy takes
(whatever the study), and all rows of one training set, which a plan does not need.

Then the four splits of `hold_out_levels` over the grids of dSprites and MPI3D, with the shares and protected factors of
`schott2022/*` and every training row: milliseconds to make a split, and, apart, to list the rows of its training set
and of all its sets (medians of rounds, each with a seed of its own, so that nothing drawn before helps).
"""

from __future__ import annotations

import argparse
import importlib
import json
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from unseen.designs import hold_out_combinations, hold_out_levels
from unseen.designs.levels import MODES
from unseen.studies.identities import identity
from unseen.studies.tables import make_split
from unseen.studies.trials import describe, expand
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.recipe import recipe_from
from unseen.vocabulary.samples import Block, Samples
from unseen.worlds import make

GRIDS = {  # the paper's share, and what is never split on
    "dsprites": {"share": 0.2, "protect": ["shape"]},
    "mpi3d": {"share": 0.1, "protect": ["object_shape", "object_size"]},
}
LEVELS = [1, 2, 3, 4, 5, 6, 7, 8]
TARGET = 2.0  # seconds


@dataclass(frozen=True, eq=False)
class Rows:
    """A world that is never looked at."""

    samples: Samples
    name: str = "bench"
    fingerprint: str = "none"


def grid(instances: int, positions: int) -> Samples:
    """As many categories as positions; each instance can be shown at every position."""
    space = FactorSpace({"category": range(positions), "position": range(positions)})
    category = np.random.default_rng(0).integers(0, positions, instances)
    return Samples(space, (Block(instances, {"category": category}, grid=("position",)),))


def photos(n: int, side: int) -> Samples:
    """Photos with a category and a viewpoint each, in no order."""
    rng = np.random.default_rng(0)
    space = FactorSpace({"category": range(side), "position": range(side)})
    return Samples(space, (Block(n, {name: rng.integers(0, side, n, dtype=np.int32) for name in space.names}),))


def plan(samples: Samples) -> tuple[int, float]:
    """Trials and seconds of a study over eight diversity levels, two kinds of sharing and three seeds."""
    started = time.perf_counter()
    recipe = recipe_from(
        {
            "title": "bench",
            "world": {"name": "bench"},
            "design": {"name": "hold_out_combinations", "rows": "category", "columns": "position", "seen_per_level": 1},
            "grid": {"design.seen_per_level": LEVELS, "network.sharing": ["shared", "separate"]},
        }
    )
    world, splits, names = Rows(samples), {}, set()
    trials = expand(recipe)
    for trial in trials:
        level = trial.condition["design.seen_per_level"]
        if level not in splits:
            splits[level] = make_split(trial.recipe.design, samples)
            for name in splits[level].sets:
                splits[level].count(samples, name)
        names.add(identity(describe(trial, world, "float32")))  # type: ignore[arg-type]
    assert len(names) == len(trials)
    return len(trials), time.perf_counter() - started


def enumeration(samples: Samples) -> tuple[int, float]:
    """Rows and seconds of one training set, once it is planned."""
    split = hold_out_combinations(samples, columns="position", seen_per_level=4, seed=0)
    started = time.perf_counter()
    rows = split.rows(samples, "train")
    return len(rows), time.perf_counter() - started


def levels_held_out(samples: Samples, mode: str, arguments: dict[str, Any], rounds: int) -> dict[str, float]:
    """Milliseconds to make a split, to list its training rows, and to list those of all its sets; and how many."""
    times, counts = [], {}
    for seed in range(rounds):
        started = time.perf_counter()
        split = hold_out_levels(samples, mode=mode, **arguments, seed=seed)
        made = time.perf_counter()
        counts["train"] = len(split.rows(samples, "train"))
        listed = time.perf_counter()
        counts["all"] = counts["train"] + sum(len(split.rows(samples, name)) for name in split.sets if name != "train")
        times.append((made - started, listed - made, time.perf_counter() - made))
    split_ms, train_ms, all_ms = np.median(np.array(times) * 1e3, axis=0).tolist()
    return {"split": split_ms, "train": train_ms, "all": all_ms, "n train": counts["train"], "n all": counts["all"]}


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=9, help="of each split of hold_out_levels")
    args = parser.parse_args(arguments)
    worlds = {
        "grid, 100 positions": lambda: grid(args.rows // 100, 100),
        "stored photos, 2 factors": lambda: photos(args.rows, 10),
    }
    print(f"planning, {args.rows:,} images, {len(LEVELS)} diversity levels")
    started = time.perf_counter()
    importlib.import_module("scipy.optimize")
    figures: dict[str, Any] = {"import of scipy": time.perf_counter() - started}
    print(f"  {'(import of scipy.optimize)':40} {figures['import of scipy']:10.2f} s")
    for name, drawn_up in worlds.items():
        samples = drawn_up()
        trials, seconds = plan(samples)
        rows, listing = enumeration(samples)
        figures |= {name: seconds, f"{name}, ratio to the target": seconds / TARGET}
        print(f"  {name:40} {seconds:10.2f} s   {seconds / TARGET:5.2f}× of {TARGET:g} s   {trials} trials")
        print(f"  {'  and all rows of one training set':40} {listing:10.2f} s   {rows:,} rows")
    print("hold_out_levels, milliseconds (medians), and the rows listed")
    for name, given in GRIDS.items():
        samples = make(name).samples
        for mode in MODES:
            found = figures[f"{name}, {mode}"] = levels_held_out(samples, mode, given, args.rounds)
            print(
                f"  {f'{name}, {len(samples):,} rows, {mode}':40} {found['split']:7.2f} to split  "
                f"{found['train']:7.1f} to list {found['n train']:,} to train on  "
                f"{found['all']:7.1f} to list {found['n all']:,} of all sets"
            )
    print(json.dumps(figures))
    return figures


if __name__ == "__main__":
    main()
