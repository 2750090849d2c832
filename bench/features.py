"""Features of a drawn world, kept on disk, against a plain forward pass over the same pictures in memory, in one run.

    python -m bench.features                                   # a GPU: 20,000 pictures of 224; a CPU: a few small ones
    python -m bench.features --networks efficientnet_lite0 vit_small_patch16_224 --device cuda

Ours draws every picture, prepares it, computes its features and writes them, as a study does; the next batch is drawn
while the network computes. The rival has the pictures on the device already and keeps nothing. Both run the same
network at the same precision in batches of the same size.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bench.machine import CUDA, arguments, settle
from unseen.cli.memory import keep_freed_memory
from unseen.recordings.features import Features
from unseen.recordings.responses import autocast
from unseen.studies.kept_features import ahead
from unseen.worlds.objects import objects


def network(name: str, side: int, device: torch.device) -> torch.nn.Module:
    import timm

    sized: Any = {"img_size": side} if "vit" in name or "mixer" in name else {}
    made: Any = timm.create_model(name, pretrained=False, num_classes=0, **sized).eval().to(device)
    return made.to(memory_format=torch.channels_last) if device.type == "cuda" else made


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--networks", nargs="+", default=["efficientnet_lite0", "vit_small_patch16_224"])
    parser.add_argument("--images", type=int, default=20_000 if CUDA else 192)
    parser.add_argument("--side", type=int, default=224 if CUDA else 64)
    parser.add_argument("--batch", type=int, default=256 if CUDA else 64)
    parser.add_argument("--categories", type=int, default=38 if CUDA else 4)
    parser.add_argument("--instances", type=int, default=20 if CUDA else 2)
    args = parser.parse_args()
    keep_freed_memory()  # as the command line does
    device = torch.device(args.device)
    precision = "bf16" if device.type == "cuda" else "float32"
    pose = max(2, -(-args.images // (args.categories * args.instances)))
    world = objects(args.categories, args.instances, pose=pose, side=args.side, backgrounds=4 if CUDA else 0)
    rows = np.arange(min(args.images, len(world.samples)))
    batches = [rows[start : start + args.batch] for start in range(0, len(rows), args.batch)]
    world.images(rows[:4], str(device))  # the things that are shown are made once
    held = torch.cat([world.images(some, str(device)) for some in batches])
    where = torch.cuda.get_device_name() if device.type == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    print(f"{len(rows):,} pictures of {args.side} px, batches of {args.batch}, {precision}; {where}")
    told = []
    for name in args.networks:
        net = network(name, args.side, device)
        mean = torch.tensor([123.7, 116.3, 103.5], device=device).reshape(1, 3, 1, 1)

        def encode(images: torch.Tensor, net: torch.nn.Module = net, mean: torch.Tensor = mean) -> torch.Tensor:
            return net(((images.float() - mean) / 58.0).contiguous(memory_format=torch.channels_last))

        def plain(encode=encode) -> float:
            settle(device)
            started = time.perf_counter()
            with torch.inference_mode(), autocast(device, precision):
                for start in range(0, len(rows), args.batch):
                    encode(held[start : start + args.batch])
            settle(device)
            return time.perf_counter() - started

        def drawn(encode=encode, name: str = name) -> float:
            folder = Path(tempfile.mkdtemp())
            try:
                settle(device)
                started = time.perf_counter()
                Features(folder, {"model": name}).add(
                    rows, ahead(world, device), encode, device=device, precision=precision, batch=args.batch
                )
                return time.perf_counter() - started
            finally:
                shutil.rmtree(folder)

        plain()  # warm up
        seconds = {"plain": [], "drawn": []}
        for _ in range(3):  # side by side, so that what else the machine does meets both
            seconds["plain"].append(plain())
            seconds["drawn"].append(drawn())
        best = {key: min(spent) for key, spent in seconds.items()}
        rates = {key: len(rows) / spent for key, spent in best.items()}
        share = best["plain"] / best["drawn"]
        print(
            f"  {name:24} plain {rates['plain']:10,.1f}/s   drawn and kept {rates['drawn']:10,.1f}/s   {share:6.1%} "
            f"(best of 3 each)"
        )
        told.append({"network": name, **rates, "share": share})
    print(json.dumps(told))


if __name__ == "__main__":
    main()
