"""A probe on features that are computed once, against the same frozen network trained through pictures, in one run.

    python -m bench.probes_cached                  # this machine's CPU, or its GPU where there is one
    python -m bench.probes_cached --epochs 3 20

Both are the study's own loop with the same steps; seconds are of the whole training, features included. The rival is
also what people write. EfficientNet-Lite0 has its ImageNet weights, where their package is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import time

import numpy as np
import torch

from unseen.cli.memory import keep_freed_memory
from unseen.models import Heads, Preprocessed, build
from unseen.training import Learner, labelled_data, laid_out, reproducible, train
from unseen.training.features import HeadsLearner, encoded
from unseen.vocabulary.sections import TrainingSection

OUTPUTS = {"category": 10}
BACKBONE = "efficientnet-lite0"


def network(args: argparse.Namespace, pretrained: bool) -> Preprocessed:
    built = build(BACKBONE, OUTPUTS, pretrained=pretrained, input_size=(args.side, args.side), seed=0)
    return Preprocessed(built.freeze(), normalise="lite")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cuda = torch.cuda.is_available()
    parser.add_argument("--device", default="cuda" if cuda else "cpu")
    parser.add_argument("--side", type=int, default=96)
    parser.add_argument("--images", type=int, default=20_000 if cuda else 500)
    parser.add_argument("--batch", type=int, default=256 if cuda else 64)
    parser.add_argument("--epochs", type=int, nargs="+", default=[3, 10])
    args = parser.parse_args()
    device, rng = torch.device(args.device), np.random.default_rng(0)
    images = torch.from_numpy(rng.integers(0, 256, (args.images, 3, args.side, args.side), dtype=np.uint8))
    labels = rng.integers(0, 10, (args.images, 1))
    asked = args.images // 5
    precision = "bf16" if device.type == "cuda" else "float32"
    try:
        network(args, True)
        pretrained = True
    except Exception:  # its package is not installed
        pretrained = False

    def brought(hold: bool):
        def fetch(rows: np.ndarray, where: str) -> torch.Tensor:
            return images[torch.from_numpy(rows)].to(where)

        rows = np.arange(args.images)
        parts = rows[asked:], rows[:asked]
        return [labelled_data(some, labels[some], fetch, device, hold) for some in parts]

    def learner(cached: bool, epochs: int) -> Learner:
        whole, (rows, validation) = network(args, pretrained), brought(not cached)
        settings = TrainingSection(epochs=epochs, batch=args.batch)
        how = {"seed": 0, "device": device, "precision": precision}
        if not cached:
            return Learner(whole, tuple(OUTPUTS), rows, validation, settings, **how)
        whole = laid_out(whole, device).eval()
        inside = whole.network
        features = [
            encoded(some, lambda seen: inside.features(whole.prepare(seen)), device, precision=precision)
            for some in (rows, validation)
        ]
        return HeadsLearner(Heads(inside), whole, tuple(OUTPUTS), *features, settings, **how)

    where = torch.cuda.get_device_name() if device.type == "cuda" else f"CPU, 1 thread of {os.cpu_count()} cores"
    weights = "ImageNet's weights" if pretrained else "random weights"
    keep_freed_memory()  # as the command line does
    print(f"probe, {BACKBONE} ({weights}), {args.images:,} images of {args.side} px, batch {args.batch}, {where}")
    told = []
    with reproducible(1):
        train([learner(True, 1)])  # warm up
        for epochs in args.epochs:
            seconds, ended = {}, {}
            for name, cached in (("through pictures", False), ("on features", True)):
                started = time.perf_counter()
                (done,) = train([learner(cached, epochs)])
                seconds[name] = time.perf_counter() - started
                ended[name] = done.network.network.heads[0].weight.detach().float().cpu()
            ratio = seconds["through pictures"] / seconds["on features"]
            apart = float((ended["on features"] - ended["through pictures"]).abs().max())
            both = ", ".join(f"{name} {spent:.2f} s" for name, spent in seconds.items())
            print(f"  {epochs:3} epochs: {both}   {ratio:5.1f}×   heads apart by {apart:.1e}")
            told.append({"epochs": epochs, "ratio": ratio, "apart": apart, **seconds})
    print(json.dumps(told))


if __name__ == "__main__":
    main()
