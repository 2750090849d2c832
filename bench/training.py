"""Training images per second: the study's loop against what a user would write instead, in one run.

    python -m bench.training                  # this machine's CPU, or its GPU where there is one
    python -m bench.training --device cuda --packs 1 2 4 8

The rivals: a plain eager loop with a `DataLoader` over a tensor in memory (16 workers on a GPU machine), the same over
PNG files. The same network, batch, precision and optimiser everywhere.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn

from bench.machine import CUDA, network_arguments, settle, where
from bench.plain_loop import endless
from unseen.models import Preprocessed, build
from unseen.training import Learner, labelled_data
from unseen.vocabulary.sections import TrainingSection

Steps = Callable[[int], float]  # a number of steps -> images per second
OUTPUTS = {"category": 9, "position": 9}


def network(backbone: str, stem: str, side: int, seed: int = 0) -> Preprocessed:
    return Preprocessed(build(backbone, OUTPUTS, stem=stem, input_size=(side, side), seed=seed), normalise="mnist")


def ours(args, device: torch.device, images: torch.Tensor, labels: np.ndarray, pack: int, compiled: bool) -> Steps:
    """Steps of ``pack`` learners side by side, as the study's loop takes them."""
    rows = np.arange(len(images))
    held = labelled_data(rows, labels, lambda r, d: images[torch.from_numpy(r)].to(d), device)
    few = labelled_data(rows[:512], labels[:512], lambda r, d: images[torch.from_numpy(r)].to(d), device)
    settings = TrainingSection(epochs=1000, batch=args.batch, compile=compiled)
    precision = "bf16" if device.type == "cuda" else "float32"

    def learner(seed: int) -> Learner:
        net = network(args.backbone, args.stem, args.side, seed)
        return Learner(net, tuple(OUTPUTS), held, few, settings, seed=seed, device=device, precision=precision)

    return stepping([learner(seed) for seed in range(pack)], device)


def stepping(learners: Sequence[Learner], device: torch.device) -> Steps:
    """Steps of learners that take turns, as the study's loop does."""
    taken = 0

    def steps(n: int) -> float:
        nonlocal taken
        settle(device)
        started = time.perf_counter()
        for _ in range(n):
            for one in learners:
                if taken % one.steps_per_epoch == 0:
                    one.begin_epoch(taken // one.steps_per_epoch)
                one.step()
            taken += 1
        settle(device)
        return n * sum(one.batch for one in learners) / (time.perf_counter() - started)

    return steps


class Files(torch.utils.data.Dataset):
    def __init__(self, folder: Path, labels: np.ndarray) -> None:
        self.paths, self.labels = sorted(folder.glob("*.png")), labels

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, place: int):
        from PIL import Image

        picture = np.asarray(Image.open(self.paths[place]), dtype=np.float32)
        return torch.from_numpy(picture)[None] / 255, torch.from_numpy(self.labels[place])


class Memory(torch.utils.data.Dataset):
    def __init__(self, images: torch.Tensor, labels: np.ndarray) -> None:
        self.images, self.labels = images, torch.from_numpy(labels)

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, place: int):
        return self.images[place].float() / 255, self.labels[place]


def plain(args, device: torch.device, data: torch.utils.data.Dataset) -> Steps:
    """The loop people write: DataLoader, autocast, fused Adam, channels-last, cudnn.benchmark, eager."""
    net = network(args.backbone, args.stem, args.side).to(device).to(memory_format=torch.channels_last)
    optimiser = torch.optim.Adam(net.parameters(), 1e-3, fused=device.type == "cuda")

    batches = endless(data, args.batch, args.workers, device)

    def steps(n: int) -> float:
        with torch.backends.cudnn.flags(enabled=True, benchmark=True, deterministic=False):
            started = time.perf_counter()
            for _ in range(n):
                images, labels = next(batches)
                images = images.to(device, non_blocking=True) * 255
                labels = labels.to(device, non_blocking=True)
                with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                    outputs = net(images)
                losses = [nn.functional.cross_entropy(outputs[t].float(), labels[:, i]) for i, t in enumerate(OUTPUTS)]
                optimiser.zero_grad()
                torch.stack(losses).sum().backward()
                optimiser.step()
            settle(device)
            return n * args.batch / (time.perf_counter() - started)

    return steps


def memory() -> float:
    """Gigabytes this process and its DataLoader workers hold now, what they share counted once (Linux)."""
    here = [
        os.getpid(),
        *(int(child) for child in Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()),
    ]
    lines = [line for pid in here for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1e6


def main() -> None:
    parser = network_arguments(__doc__)
    parser.add_argument("--stem", default="standard")
    parser.add_argument("--side", type=int, default=84)
    parser.add_argument("--batch", type=int, default=256 if CUDA else 64)
    parser.add_argument("--images", type=int, default=20000 if CUDA else 2000)
    parser.add_argument("--steps", type=int, default=150 if CUDA else 12)
    parser.add_argument("--workers", type=int, default=16 if CUDA else 2, help="of the plain loop's DataLoader")
    parser.add_argument("--packs", type=int, nargs="+", default=[1, 2, 4, 8] if CUDA else [1])
    parser.add_argument("--compile", action="store_true", help="also our side with torch.compile")
    parser.add_argument("--rounds", type=int, default=3, help="all sides take turns, so that none has a quiet machine")
    parser.add_argument("--only", choices=["ours", "plain"], help="one side alone, for its memory")
    args = parser.parse_args()
    device = torch.device(args.device)
    torch.set_num_threads(1 if device.type == "cpu" else torch.get_num_threads())
    rng = np.random.default_rng(0)
    images = torch.from_numpy(rng.integers(0, 256, (args.images, 1, args.side, args.side), dtype=np.uint8))
    labels = rng.integers(0, 9, (args.images, 2))
    sides: dict[str, Steps] = {}
    with tempfile.TemporaryDirectory() as folder:
        if args.only != "plain":
            for pack in args.packs:
                sides[f"ours, {pack} packed"] = ours(args, device, images, labels, pack, False)
            if args.compile:
                sides[f"ours, {max(args.packs)} packed, compiled"] = ours(
                    args, device, images, labels, max(args.packs), True
                )
        if args.only != "ours":
            from PIL import Image

            for place in range(len(images)):
                Image.fromarray(images[place, 0].numpy()).save(Path(folder) / f"{place:06}.png", compress_level=1)
            sides["plain loop, DataLoader over memory"] = plain(args, device, Memory(images, labels))
            sides["plain loop, DataLoader over PNG files"] = plain(args, device, Files(Path(folder), labels))
        for steps in sides.values():
            steps(3)
        each = max(1, args.steps // args.rounds)
        turns = [{name: steps(each) for name, steps in sides.items()} for _ in range(args.rounds)]
        held = memory()
    rates = {name: float(np.median([turn[name] for turn in turns])) for name in sides}
    base = rates.get("plain loop, DataLoader over memory")
    print(f"training, {args.backbone}, {args.side} px, batch {args.batch}, {where(device)}")
    for name, rate in rates.items():
        print(f"  {name:40} {rate:10,.0f} images/s" + (f"   {rate / base:5.2f}×" if base else ""))
    side = {"ours": "our side alone", "plain": "the plain loops alone"}.get(args.only, "all sides together")
    print(f"  memory of this process and its workers, {side}: {held:.2f} GB")
    print(json.dumps(rates))


if __name__ == "__main__":
    main()
