"""Regression of dSprites' factors: the study's loop, drawing its images, against a plain loop over the official file.

    python -m bench.regression                      # this machine's CPU, or its GPU where there is one
    python -m bench.regression --packs 1 2 4 8

The rival is what people write: the npz read into memory, a `DataLoader` with workers, eager steps. The npz is written
here in the official layout from the same images, since the official file may not be at hand.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from bench.machine import CUDA, arguments, settle
from bench.plain_loop import endless
from bench.training import Steps, stepping
from unseen.models import Preprocessed, build
from unseen.training import Learner, labelled_data
from unseen.vocabulary.sections import TrainingSection
from unseen.vocabulary.target import targets_of
from unseen.worlds import make
from unseen.worlds.toys.dsprites import dsprites


def network(seed: int = 0) -> Preprocessed:
    targets = dict.fromkeys(make("dsprites").samples.space.names, 1)
    return Preprocessed(build("cnn", targets, channels=1, input_size=(64, 64), seed=seed), normalise="none", channels=1)


def ours(args: argparse.Namespace, device: torch.device, rows: np.ndarray, pack: int) -> Steps:
    """Steps of ``pack`` learners side by side; the images are drawn once and stay on the device."""
    world = dsprites()
    targets = targets_of(world.samples.space, world.samples.space.names, "regression")
    labels = np.stack([target.truth(world.samples, rows) for target in targets], axis=1)
    data = labelled_data(rows, labels, world.images, device, hold=True)
    few = labelled_data(rows[:512], labels[:512], world.images, device)
    precision = "bf16" if device.type == "cuda" else "float32"
    settings = TrainingSection(epochs=1000, batch=args.batch)
    tolerances = [0.5 / (len(target.classes) - 1) for target in targets]
    learners = [
        Learner(
            network(seed), tuple(t.name for t in targets), data, few, settings,
            seed=seed, device=device, precision=precision, tolerances=tolerances,
        )
        for seed in range(pack)
    ]  # fmt: skip
    return stepping(learners, device)


class Archive(torch.utils.data.Dataset):
    """The npz as people use it: unpacked into memory, one image at a time."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as file:
            self.images, self.latents = file["imgs"], file["latents_classes"]
        self.sizes = np.maximum(self.latents.max(0), 1).astype(np.float32)

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, place: int) -> tuple[np.ndarray, np.ndarray]:
        return self.images[place][None].astype(np.float32), self.latents[place].astype(np.float32) / self.sizes


def plain(args: argparse.Namespace, device: torch.device, data: torch.utils.data.Dataset) -> Steps:
    net = network().to(device).to(memory_format=torch.channels_last)
    names = net.targets
    optimiser = torch.optim.Adam(net.parameters(), 1e-3, fused=device.type == "cuda")

    batches = endless(data, args.batch, args.workers, device)

    def steps(n: int) -> float:
        settle(device)
        started = time.perf_counter()
        for _ in range(n):
            images, labels = (part.to(device, non_blocking=True) for part in next(batches))
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                outputs = net(images * 255)
            loss = (torch.cat([outputs[name].float() for name in names], 1) - labels).square().mean(0).sum()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        settle(device)
        return n * args.batch / (time.perf_counter() - started)

    return steps


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--batch", type=int, default=512 if CUDA else 64)
    parser.add_argument("--images", type=int, default=200_000 if CUDA else 4_000)
    parser.add_argument("--steps", type=int, default=120 if CUDA else 6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=16 if CUDA else 2)
    parser.add_argument("--packs", type=int, nargs="+", default=[1, 4, 8] if CUDA else [1])
    args = parser.parse_args()
    device = torch.device(args.device)
    torch.set_num_threads(1 if device.type == "cpu" else torch.get_num_threads())
    world = dsprites()
    rows = np.sort(np.random.default_rng(0).choice(len(world.samples), args.images, replace=False))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dsprites.npz"
        images = np.concatenate(
            [(world.images(part)[:, 0] > 0).numpy().astype(np.uint8) for part in np.array_split(rows, 50)]
        )
        np.savez(path, imgs=images, latents_classes=world.samples.cells(rows))
        sides = {f"ours, {pack} packed": ours(args, device, rows, pack) for pack in args.packs}
        sides["plain loop, DataLoader over the npz"] = plain(args, device, Archive(path))
        for steps in sides.values():
            steps(3)
        turns = [{name: steps(args.steps) for name, steps in sides.items()} for _ in range(args.rounds)]
    rates = {name: float(np.median([turn[name] for turn in turns])) for name in sides}
    base = rates["plain loop, DataLoader over the npz"]
    where = torch.cuda.get_device_name() if device.type == "cuda" else "CPU, 1 thread"
    print(f"regression of dSprites, CNN, batch {args.batch}, {where}")
    for name, rate in rates.items():
        print(f"  {name:40} {rate:10,.0f} images/s   {rate / base:5.2f}×")
    print(json.dumps(rates))


if __name__ == "__main__":
    main()
