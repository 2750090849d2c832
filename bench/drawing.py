"""Worlds that are drawn when asked: training from one against the same pictures held in memory, and a whole grid drawn.

python -m bench.drawing                       # training: ResNet-18, 128 px, drawn ahead against held in memory
python -m bench.drawing --grid 27 100         # also draws every image of that many classes × objects (7 million)
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np
import torch

from bench.machine import CUDA, network_arguments, settle
from bench.training import OUTPUTS, network, stepping
from unseen.training import Learner, labelled_data
from unseen.vocabulary.sections import TrainingSection
from unseen.worlds.natural_variation import natural_variation
from unseen.worlds.objects import objects


def learners(args: argparse.Namespace, device: torch.device) -> dict[str, Learner]:
    """The same network on the same rows, held in memory and drawn ahead."""
    world = objects(24 if device.type == "cuda" else 4, args.instances, pose=8, side=args.side)
    rows = np.arange(len(world.samples))
    labels = np.random.default_rng(0).integers(0, 9, (len(rows), 2))
    precision = "bf16" if device.type == "cuda" else "float32"
    settings = TrainingSection(epochs=10_000, batch=args.batch)
    few = labelled_data(rows[:256], labels[:256], world.images, device)
    made = {}
    for name, hold in (("held in memory", True), ("drawn ahead", False)):
        data = labelled_data(rows, labels, world.images, device, hold=hold, drawn=True)
        net = network(args.backbone, "standard", args.side)
        made[name] = Learner(net, tuple(OUTPUTS), data, few, settings, seed=0, device=device, precision=precision)
    return made


def training(args: argparse.Namespace, device: torch.device) -> dict[str, float]:
    made = learners(args, device)
    sides = {name: stepping([one], device) for name, one in made.items()}
    for steps in sides.values():
        steps(3)
    rounds = [{name: steps(args.steps) for name, steps in sides.items()} for _ in range(args.rounds)]
    for one in made.values():
        one.leave()
    rates = {name: float(np.median([r[name] for r in rounds])) for name in made}
    print(f"training {args.backbone}, {args.side} px, batch {args.batch}, one trial, on {device}")
    held = rates["held in memory"]
    for name, rate in rates.items():
        print(f"  {name:20} {rate:10,.0f} images/s   {rate / held:5.2f}×   {held / rate - 1:+.0%} time")
    return rates


def grid(args: argparse.Namespace, device: torch.device) -> dict[str, float]:
    """Draw a natural-variation grid, a part and then the whole, keeping nothing but a sum."""
    classes, instances = args.grid
    started = time.perf_counter()
    world = natural_variation(classes, instances, side=args.side)
    world.images(np.arange(8), str(device))
    settle(device)
    print(
        f"natural variation, {classes} × {instances} objects, {len(world.samples):,} images, {args.side} px, {device}"
    )
    print(f"  objects made and laid on the device in {time.perf_counter() - started:.1f} s")
    chunk = args.chunk
    found: dict[str, float] = {}
    for name, share in (("a part", 0.05), ("the whole", 1.0)):
        if share == 1 and not args.whole:
            continue
        n = int(len(world.samples) * share)
        total = torch.zeros((), dtype=torch.int64, device=device)
        started = time.perf_counter()
        for rows in world.samples.chunks(chunk):
            if rows[0] >= n:
                break
            total += world.images(rows, str(device)).view(-1, 3 * args.side**2)[:, ::97].sum(dtype=torch.int64)
        settle(device)
        took = time.perf_counter() - started
        found[name] = n / took
        print(f"  {name:10} {n:10,} images in {took:7.1f} s   {n / took:10,.0f} images/s   (sum {int(total)})")
    return found


def main() -> None:
    parser = network_arguments(__doc__)
    parser.add_argument("--side", type=int, default=128 if CUDA else 64)
    parser.add_argument("--batch", type=int, default=256 if CUDA else 32)
    parser.add_argument("--instances", type=int, default=50 if CUDA else 4)
    parser.add_argument("--steps", type=int, default=60 if CUDA else 3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--grid", type=int, nargs=2, metavar=("CLASSES", "OBJECTS"))
    parser.add_argument("--chunk", type=int, default=16384, help="images asked of the world at a time")
    parser.add_argument("--whole", action="store_true", help="draw the whole grid, not a twentieth only")
    args = parser.parse_args()
    device = torch.device(args.device)
    torch.set_num_threads(2 if device.type == "cpu" else torch.get_num_threads())
    rates: dict[str, float] = training(args, device)
    if args.grid:
        rates |= grid(args, device)
    print(json.dumps(rates))


if __name__ == "__main__":
    main()
