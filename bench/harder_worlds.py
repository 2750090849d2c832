"""What each way of making a world harder costs: processor time of a drawn picture, with and without it, in turns.

    python -m bench.harder_worlds                 # on this machine's CPU, one thread
    python -m bench.harder_worlds --sky dawn.hdr  # and with light from a sky map
    python -m bench.harder_worlds --out table.csv

Each row is the world `objects` with one thing more; "times" compares it with the row that it adds to. Time is that of
the process on a processor, so that other work on the machine changes it little, and starts after the objects are made
and the backgrounds painted; what those take once is told beside. Rounds go over all rows in turn.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from bench.intervals import check_table_file, write_table
from unseen.vocabulary.errors import UnseenError
from unseen.worlds import make
from unseen.worlds.rendered import RenderedWorld
from unseen.worlds.rendering.renderer import render
from unseen.worlds.rendering.scene import NO_FLOOR, Scenes

NAMES = ("mug", "chair", "dog", "car", "bicycle", "guitar", "umbrella", "bottle")  # in both collections
BEFORE = {"backgrounds": 25, "drawn": ["background"]}
HARD = {"collection": "everyday", "variation": "natural"}
ROWS: dict[str, tuple[str | None, dict[str, Any]]] = {
    "first": (None, {}),
    "backgrounds of before": ("first", {**BEFORE}),
    "everyday things": ("first", {"collection": "everyday"}),
    "natural, upright": ("everyday things", {"collection": "everyday", "variation": "natural-upright"}),
    "tumbling": ("natural, upright", HARD),
    "natural backgrounds, no shadow": ("tumbling", {**HARD, **BEFORE}),
    "shadow on the ground": ("natural backgrounds, no shadow", {**HARD, **BEFORE}),
}  # fmt: skip


def without_shadow(scenes: Scenes) -> Scenes:
    return replace(scenes, floor=torch.full_like(scenes.floor, NO_FLOOR))


def spent(world: RenderedWorld, rows: np.ndarray, bare: bool) -> float:
    """Processor seconds for the pictures of these rows."""
    started = time.process_time()
    scenes = world.scenes(rows)
    render(without_shadow(scenes) if bare else scenes, world.furnished, world.side, supersampling=world.supersampling)
    return time.process_time() - started


def measured(side: int, instances: int, rounds: int, sky: str) -> list[dict[str, Any]]:
    rows = dict(ROWS)
    if sky:
        rows["light from a sky map"] = ("tumbling", {**ROWS["tumbling"][1], "environment": sky})
    worlds, once = {}, {}
    for name, (_, how) in rows.items():
        started = time.process_time()
        worlds[name] = make("objects", categories=list(NAMES), instances=instances, pose=8, side=side, **how)
        worlds[name].images(np.arange(4))
        once[name] = time.process_time() - started
    found: dict[str, list[float]] = {name: [] for name in rows}
    some = {name: np.linspace(0, len(world.samples) - 1, 64).astype(np.int64) for name, world in worlds.items()}
    for _ in range(rounds):
        for name, world in worlds.items():
            found[name].append(spent(world, some[name], "no shadow" in name) / len(some[name]))
    table = []
    for name, (base, _) in rows.items():
        times = [a / b for a, b in zip(found[name], found[base])] if base else [1.0] * rounds
        faces = float(np.mean([len(one.faces) for one in worlds[name].furnished.meshes]))
        table.append({
            "row": name, "adds to": base or "", "ms a picture": 1000 * float(np.median(found[name])),
            "times": float(np.median(times)), "lowest": min(times), "highest": max(times),
            "once, s": once[name], "faces": faces, "side": side, "rounds": rounds, "pictures": 64,
        })  # fmt: skip
    return table


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=128)
    parser.add_argument("--instances", type=int, default=4, help="of each of eight categories")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sky", default="", metavar="FILE", help="a Radiance .hdr file")
    parser.add_argument("--out", metavar="FILE", help="the table as .parquet or .csv")
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    try:
        check_table_file(args.out)
        table = measured(args.side, args.instances, args.rounds, args.sky)
    except UnseenError as problem:
        print(problem, file=sys.stderr)
        return 1
    print(f"{'':<32}{'ms a picture':>13}{'times':>8}{'range':>14}{'once, s':>9}{'faces':>7}  beside")
    for row in table:
        ends = f"{row['lowest']:.2f}-{row['highest']:.2f}"
        print(
            f"{row['row']:<32}{row['ms a picture']:>13.2f}{row['times']:>8.2f}{ends:>14}{row['once, s']:>9.1f}"
            f"{row['faces']:>7.0f}  {row['adds to']}"
        )
    if args.out:
        write_table(args.out, table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
