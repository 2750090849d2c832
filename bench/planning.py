"""Planning a study over ten million images: every split, its counts and the identities of its trials.

    python -m bench.planning

Two worlds: a grid (100,000 instances of 100 categories that can be shown at 100 positions, rows computed) and a photo
set (ten million stored photos with two factors of ten levels). For each of eight diversity levels the design is made,
the rows of every set are counted and each trial's identity is hashed. Beside it: what the first import of scipy takes
(whatever the study), and all rows of one training set, which a plan does not need.
"""

from __future__ import annotations

import argparse
import importlib
import json
import time
from dataclasses import dataclass

import numpy as np

from unseen.studies.tables import make_split
from unseen.studies.trials import describe, expand, identity
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.recipe import recipe_from
from unseen.vocabulary.samples import Block, Samples

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
    from unseen.designs import hold_out_combinations

    split = hold_out_combinations(samples, columns="position", seen_per_level=4, seed=0)
    started = time.perf_counter()
    rows = split.rows(samples, "train")
    return len(rows), time.perf_counter() - started


def main(arguments: list[str] | None = None) -> dict[str, float]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    args = parser.parse_args(arguments)
    worlds = {
        "grid, 100 positions": lambda: grid(args.rows // 100, 100),
        "stored photos, 2 factors": lambda: photos(args.rows, 10),
    }
    print(f"planning, {args.rows:,} images, {len(LEVELS)} diversity levels")
    started = time.perf_counter()
    importlib.import_module("scipy.optimize")
    figures = {"import of scipy": time.perf_counter() - started}
    print(f"  {'(import of scipy.optimize)':40} {figures['import of scipy']:10.2f} s")
    for name, make in worlds.items():
        samples = make()
        trials, seconds = plan(samples)
        rows, listing = enumeration(samples)
        figures |= {name: seconds, f"{name}, ratio to the target": seconds / TARGET}
        print(f"  {name:40} {seconds:10.2f} s   {seconds / TARGET:5.2f}× of {TARGET:g} s   {trials} trials")
        print(f"  {'  and all rows of one training set':40} {listing:10.2f} s   {rows:,} rows")
    print(json.dumps(figures))
    return figures


if __name__ == "__main__":
    main()
