"""Invariance of all units of all layers to twelve transformations, against collecting all activity first, in one run.

    python -m bench.invariance                # this machine's CPU, or its GPU where there is one
    python -m bench.invariance --device cuda --images 10000 --side 224

Ours takes two passes and keeps a few numbers per unit, and half a gigabyte of activity, which the second pass need not
run again; it is timed with and without. The rival is what one would write first: hooks that collect the activity of
every image under every transformation, one transformation after another, and then arrays: one pass, and memory for
everything. Both give the coefficient of Zaidi et al. 2020 and Goodfellow's score. Peak memory of ours, without what is
kept, is taken for n and for 4n images: it must not grow. The curve of τ, which comes on top in a study, is timed beside
it: 21 τ, both ways, for one transformation and all layers, on at most 1,000 images.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from bench.machine import CUDA, network_arguments, where
from bench.recording import best, drawn, memory
from bench.training import network
from unseen.measures import firing_invariance, invariance_coefficient
from unseen.recordings import Pairs, threshold_curves, unit_invariance
from unseen.recordings.activity import spatial_mean
from unseen.recordings.invariance import extremes
from unseen.recordings.pairs import KEPT, Passing
from unseen.recordings.responses import autocast, batches
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.samples import Block, Samples
from unseen.worlds.transforms.transformed import transformed

TAU = 0.1


@dataclass(frozen=True)
class Sheet:
    """A world of coloured noise that holds no memory."""

    count: int
    side: int
    device: torch.device
    name: str = "sheet"
    channels: int = 3
    dtype: Literal["uint8", "float32"] = "uint8"
    fingerprint: str = "sheet"
    provenance: Mapping[str, str] = field(default_factory=dict)

    @property
    def size(self) -> tuple[int, int]:
        return self.side, self.side

    @property
    def samples(self) -> Samples:
        own = {"category": np.arange(self.count) % 9}
        return Samples(FactorSpace({"category": range(9)}), (Block(self.count, own),))

    def images(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> Tensor:
        fetch = drawn(self.side, self.device)
        return torch.cat([fetch(rows + 7 * channel, device) for channel in range(3)], dim=1)


def collected(net: Any, fetch: Callable[..., Tensor], pairs: Pairs, options: dict[str, Any]) -> None:
    """Activity of everything, in memory; then the measures."""
    device, precision, size = options["device"], options["precision"], options["size"]
    found: dict[str, list[list[np.ndarray]]] = {layer: [] for layer in net.layers}

    def keep(layer: str) -> Callable[..., None]:
        axis = net.channel_axis(layer)
        return lambda module, inputs, output: found[layer][-1].append(spatial_mean(output, axis).cpu().numpy())

    hooks = [net.layer(layer).register_forward_hook(keep(layer)) for layer in net.layers]
    with torch.inference_mode():
        for rows in pairs.rows:
            for parts in found.values():
                parts.append([])
            for _, images in batches(fetch, rows, device, size):
                with autocast(device, precision):
                    net(images)
    for hook in hooks:
        hook.remove()
    for parts in found.values():
        plain, *others = (np.concatenate(part).astype(np.float64) for part in parts)
        for other in others:
            invariance_coefficient(plain, other, TAU)
            if pairs.wanted:
                firing_invariance(plain, other[None])


def main(arguments: list[str] | None = None) -> dict[str, float]:
    parser = network_arguments(__doc__)
    parser.add_argument("--side", type=int, default=224 if CUDA else 32)
    parser.add_argument("--images", type=int, default=10_000 if CUDA else 128)
    parser.add_argument("--size", type=int, default=1024 if CUDA else 208, help="images in a batch, all versions")
    parser.add_argument("--repeats", type=int, default=1 if CUDA else 3)
    parser.add_argument("--peak", action="store_true", help="only score, and print the peak memory")
    args = parser.parse_args(arguments)
    device = torch.device(args.device)
    precision = "bf16" if device.type == "cuda" else "float32"
    torch.set_num_threads(1 if device.type == "cpu" else torch.get_num_threads())
    net = network(args.backbone, "standard", args.side).to(device).to(memory_format=torch.channels_last).eval()
    world = transformed(Sheet(args.images, args.side, device), "zaidi2020")
    versions, plain = len(world.levels), np.arange(args.images) * len(world.levels)
    rows = {level: plain + place for place, level in enumerate(world.levels) if place}
    pairs = Pairs(plain, rows, np.arange(args.images) % 2, ("seen", "unseen"))
    options: dict[str, Any] = {"device": device, "precision": precision, "size": args.size}

    def ours(keep: int = KEPT) -> None:
        unit_invariance(net, net.layers, world.images, pairs, TAU, keep=keep, **options)

    def rival() -> None:
        collected(net, world.images, pairs, options)

    def passing() -> None:
        """What anyone must pay: every image under every transformation, once."""
        with torch.inference_mode():
            for _, images in batches(world.images, pairs.rows.T.ravel(), device, args.size):
                with autocast(device, precision):
                    net(images)

    if args.peak:
        ours(0)
        print(json.dumps(memory(device)))
        return {}
    passing()
    tasks = (passing, ours, lambda: ours(0), rival)
    once, scoring, twice, collecting = best(*tasks, device=device, repeats=args.repeats)
    few = rows["blur"][:1000]
    maxima = {
        layer: one.maxima[0]
        for layer, one in extremes(net, net.layers, world.images, pairs, Passing(**options)).items()
    }
    truth, asked = {"category": np.zeros(len(few), np.int64)}, dict.fromkeys(net.layers, "category")

    def curve() -> None:
        how = {**options, "size": 256}
        threshold_curves(net, asked, world.images, few, truth, {"blur": maxima}, **how)

    (searching,) = best(curve, device=device, repeats=1)
    peaks = []
    for times in (1, 4):  # a process of its own for each: a process never gives its peak back
        words = [sys.executable, "-m", "bench.invariance", "--peak", "--device", args.device]
        words += ["--backbone", args.backbone, "--side", args.side, "--size", args.size]
        words += ["--images", times * args.images]
        told = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout
        peaks.append(json.loads(told.splitlines()[-1]))
    figures = {
        "one pass": once,
        "scoring": scoring,
        "nothing kept": twice,
        "collecting": collecting,
        "ratio": collecting / scoring,
    }
    figures |= {"curve": searching, "peak MB, n images": peaks[0], "peak MB, 4n images": peaks[1]}
    held = args.images * versions * 8 * sum(len(one) for one in maxima.values()) / 1e6
    said = f"{args.backbone} ({len(net.layers)} layers), {args.side} px, {args.images:,} images × {versions - 1}"
    print(f"invariance, {said} transformations, {precision}, {where(device)}")
    named = {"one plain pass over all of them": once, "ours": scoring, "ours, nothing kept": twice}
    named |= {"collect, then score": collecting}
    for name, seconds in named.items():
        print(f"  {name:34} {seconds:8.1f} s {args.images * versions / seconds:10,.0f} images/s")
    print(f"  ours takes {scoring / collecting:.2f}× the time of collecting, which holds {held:,.0f} MB of activity")
    print(f"  curve of τ, {len(few):,} images, 42 ablations × {len(net.layers)} layers: {searching:.1f} s")
    print(f"  peak memory, {args.images:,} and {4 * args.images:,} images: {peaks[0]:,.0f} and {peaks[1]:,.0f} MB")
    print(json.dumps(figures))
    return figures


if __name__ == "__main__":
    main()
