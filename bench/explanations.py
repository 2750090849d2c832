"""Maps by ours and by captum, one method after another, in one run: seconds, their ratio, how far they are apart.

    python -m bench.explanations                      # a small CNN on this machine's CPU, or a ResNet-50 on its GPU
    python -m bench.explanations --device cuda --backbone vit_small_patch16_224 --side 224 --images 8

Occlusion is timed against captum's default call, and against captum told to evaluate as many patches at once as ours;
gradients by steps against captum's with as many pictures at once. Each is run once to warm up and then timed; what is
timed ends in numbers on this machine's memory. Random weights: time does not depend on them.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from bench.machine import CUDA, arguments, settle, where
from unseen.explanations import Score, explain
from unseen.models import build


class OneAnswer(nn.Module):
    """A network with one target, as captum takes it."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, images: Tensor) -> Tensor:
        return next(iter(self.network(images).values()))


def timed(run: Callable[[], Any], device: torch.device, repeats: int) -> tuple[float, Any]:
    """Seconds of the fastest of so many runs after a first one, and what it gave."""
    found, best = run(), float("inf")
    for _ in range(repeats):
        settle(device)
        start = time.perf_counter()
        found = run()
        settle(device)
        best = min(best, time.perf_counter() - start)
    return best, found


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--backbone", default="resnet50" if CUDA else "resnet18-w8")
    parser.add_argument("--side", type=int, default=224 if CUDA else 64)
    parser.add_argument("--images", type=int, default=8 if CUDA else 4)
    parser.add_argument("--patch", type=int, default=16)
    parser.add_argument("--stride", type=int, default=8)
    parser.add_argument("--steps", type=int, default=50 if CUDA else 16)
    parser.add_argument("--batch", type=int, default=256 if CUDA else 64)
    parser.add_argument("--repeats", type=int, default=3 if CUDA else 1)
    given = parser.parse_args()
    try:
        from captum import attr
    except ImportError:
        print("captum is not installed here: nothing to compare with.")
        return
    warnings.filterwarnings("ignore", module="captum")
    device = torch.device(given.device)
    if device.type == "cpu":
        torch.set_num_threads(1)
    side = given.side
    model: Any = OneAnswer(build(given.backbone, {"category": 10}, input_size=(side, side), seed=0)).to(device).eval()
    images = torch.randn(given.images, 3, side, side, generator=torch.Generator().manual_seed(0)).to(device)
    labels = torch.arange(given.images, device=device) % 10
    asked = Score(tuple(labels.tolist()))
    patch, stride = (3, given.patch, given.patch), (3, given.stride, given.stride)
    at_once = max(1, given.batch // given.images)

    def occluded(**more: Any) -> Callable[[], np.ndarray]:
        def run() -> np.ndarray:
            with torch.no_grad():
                found = attr.Occlusion(model).attribute(images, patch, stride, 0.0, labels, **more)
            return found[:, 0].cpu().numpy()

        return run

    def summed(method: Any, **more: Any) -> Callable[[], np.ndarray]:
        def run() -> np.ndarray:
            found = method.attribute(images.clone().requires_grad_(), target=labels, **more)
            return found.detach().sum(1).cpu().numpy()

        return run

    def ours(method: str, **settings: Any) -> Callable[[], np.ndarray]:
        return lambda: explain(model, images, method, asked, **settings).maps

    cover = ours("occlusion", patch=given.patch, stride=given.stride, fill=0.0, batch=given.batch)
    line = ours("integrated-gradients", steps=given.steps, batch=given.batch)
    smooth = ours("smoothgrad", steps=given.steps, batch=given.batch)
    noisy = {"nt_type": "smoothgrad", "nt_samples": given.steps, "stdevs": 0.15, "nt_samples_batch_size": at_once}
    rows: list[tuple[str, Callable[[], np.ndarray], Callable[[], np.ndarray], bool]] = [
        ("gradient", ours("gradient", batch=given.batch), summed(attr.Saliency(model), abs=False), True),
        ("occlusion, captum as called", cover, occluded(), True),
        ("occlusion, captum batched", cover, occluded(perturbations_per_eval=at_once), True),
        (
            "integrated gradients, batched",
            line,
            summed(attr.IntegratedGradients(model), n_steps=given.steps, internal_batch_size=given.batch),
            True,
        ),
        ("smoothgrad, batched", smooth, summed(attr.NoiseTunnel(attr.Saliency(model)), abs=False, **noisy), False),
    ]
    print(f"{given.backbone}, {given.images} images of {side}×{side}, {where(device)}")
    print(f"{'method':32s} {'ours (s)':>9s} {'captum (s)':>11s} {'ratio':>6s} {'apart':>9s}")
    for name, mine, theirs, same in rows:
        (fast, left), (slow, right) = timed(mine, device, given.repeats), timed(theirs, device, given.repeats)
        apart = f"{abs(left - right).max() / abs(right).max():.1e}" if same else "other noise"
        print(f"{name:32s} {fast:9.3f} {slow:11.3f} {slow / fast:6.1f} {apart:>9s}", flush=True)


if __name__ == "__main__":
    main()
