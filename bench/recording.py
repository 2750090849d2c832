"""Recording the activity of all blocks against a plain forward pass over the same images, in one run.

    python -m bench.recording                 # this machine's CPU, or its GPU where there is one
    python -m bench.recording --device cuda --backbone resnet18 --side 84 --images 20000

A plain pass is what anyone must pay to ask a network about images; recording adds the mean over positions of every
unit of every block, summed per cell. Both take turns, and the ratio of the best times is printed. Peak memory is taken
for n and for 4n images: it must not grow.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from bench.machine import CUDA, network_arguments, where
from bench.training import network
from unseen.recordings import activity_per_cell
from unseen.recordings.responses import autocast, batches

CELLS = 81


def drawn(side: int, device: torch.device) -> Callable[[np.ndarray, str], Tensor]:
    """Pictures of any row, cut from one noisy sheet on the device: a world without a limit that holds no memory."""
    sheet = torch.from_numpy(np.random.default_rng(0).integers(0, 256, (4096 + side, side), dtype=np.uint8)).to(device)
    windows = sheet.unfold(0, side, 1).transpose(1, 2)

    def images(rows: np.ndarray, where: str) -> Tensor:
        return windows[torch.from_numpy(rows % 4096).to(device)][:, None].to(where)

    return images


def best(*tasks: Callable[[], object], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each task, the best of several; the tasks take turns, so that a busy minute is shared by all."""
    found = [float("inf")] * len(tasks)
    for _ in range(repeats):
        for place, task in enumerate(tasks):
            started = time.perf_counter()
            task()
            if device.type == "cuda":
                torch.cuda.synchronize()
            found[place] = min(found[place], time.perf_counter() - started)
    return found


def memory(device: torch.device) -> float:
    """Peak megabytes: of the device on CUDA, of this process elsewhere."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def main(arguments: list[str] | None = None) -> dict[str, float]:
    parser = network_arguments(__doc__)
    parser.add_argument("--stem", default="standard")
    parser.add_argument("--side", type=int, default=84)
    parser.add_argument("--images", type=int, default=20000 if CUDA else 768)
    parser.add_argument("--size", type=int, default=1024 if CUDA else 256, help="images in a batch")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--peak", action="store_true", help="only record, and print the peak memory")
    args = parser.parse_args(arguments)
    device = torch.device(args.device)
    precision = "bf16" if device.type == "cuda" else "float32"
    torch.set_num_threads(1 if device.type == "cpu" else torch.get_num_threads())
    net = network(args.backbone, args.stem, args.side).to(device).to(memory_format=torch.channels_last).eval()
    images, rows = drawn(args.side, device), np.arange(args.images)
    cells = rows % CELLS

    @torch.inference_mode()
    def plain() -> None:
        for _, batch in batches(images, rows, device, args.size):
            with autocast(device, precision):
                net(batch)

    def record() -> None:
        options = {"device": device, "precision": precision, "size": args.size}
        activity_per_cell(net, net.layers, images, rows, cells, CELLS, **options)

    if args.peak:
        record()
        print(json.dumps(memory(device)))
        return {}
    plain(), record()
    forward, recording = best(plain, record, device=device, repeats=args.repeats)
    peaks = []
    for times in (1, 4):  # a process of its own for each: a process never gives its peak back
        words = [
            sys.executable,
            "-m",
            "bench.recording",
            "--peak",
            "--device",
            args.device,
            "--backbone",
            args.backbone,
        ]
        words += ["--stem", args.stem, "--side", args.side, "--size", args.size, "--images", times * args.images]
        told = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout
        peaks.append(json.loads(told.splitlines()[-1]))
    figures = {"forward": forward, "recording": recording, "ratio": recording / forward}
    figures |= {"peak MB, n images": peaks[0], "peak MB, 4n images": peaks[1], "peak ratio": peaks[1] / peaks[0]}
    layers = f"{len(net.layers)} layers"
    print(
        f"recording, {args.backbone} ({layers}), {args.side} px, {args.images:,} images, {precision}, {where(device)}"
    )
    for name, seconds in (("plain forward pass", forward), ("activity of all blocks, per cell", recording)):
        print(f"  {name:40} {args.images / seconds:10,.0f} images/s   {seconds / forward:5.2f}× the time")
    print(f"  peak memory, {args.images:,} and {4 * args.images:,} images: {peaks[0]:,.0f} and {peaks[1]:,.0f} MB")
    print(json.dumps(figures))
    return figures


if __name__ == "__main__":
    main()
