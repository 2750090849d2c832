"""Maps by ours and by captum in one run: seconds, ratio, how far apart, memory. Then what checks cost.

    python -m bench.explanations                      # a small CNN on this machine's CPU, or a ResNet-50 on its GPU
    python -m bench.explanations --device cuda --backbone vit_small_patch16_224 --side 224 --images 8
    python -m bench.explanations --only checks        # all maps, their layers drawn anew, for 100 images of a ResNet-18
    python -m bench.explanations --only stream        # a map of each of 10,000 images

Occlusion is timed against captum's default call, and against captum told to evaluate as many patches at once as ours;
gradients by steps against captum's with as many pictures at once. Each is run once to warm up and then timed; what is
timed ends in numbers on this machine's memory. Memory is the GPU's at its peak, above what was held before. Random
weights: time does not depend on them. `checks` and `stream` need no captum. Both compute in whole float32; with --tf32
a GPU rounds as it likes, and maps of ours and captum's differ by that.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
import warnings
from collections.abc import Callable
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from bench.machine import CUDA, arguments, settle, where
from unseen.explanations import Score, explain, explain_rows, under_randomisation
from unseen.measures import map_similarity
from unseen.models import build

CHECKED = {
    "gradient": {}, "gradient-times-input": {}, "smoothgrad": {"steps": 4}, "integrated-gradients": {"steps": 4},
    "guided-backprop": {}, "deconvolution": {}, "grad-cam": {}, "guided-grad-cam": {}, "occlusion": {},
    "rise": {"masks": 64},
}  # fmt: skip # as a page checks them (unseen.studies.explained.usual)


class OneAnswer(nn.Module):
    """A network with one target, as captum takes it."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, images: Tensor) -> Tensor:
        return next(iter(self.network(images).values()))


class NoPictures(MetaPathFinder, Loader):
    """Stands in for matplotlib, which captum imports to draw with and a GPU machine may lack; nothing is drawn here."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        ours = fullname.split(".")[0] in ("matplotlib", "mpl_toolkits")
        return ModuleSpec(fullname, self, is_package=True) if ours else None

    def exec_module(self, module: ModuleType) -> None:
        def made_up(name: str) -> type:
            if name.startswith("__"):
                raise AttributeError(name)
            return type(name, (), {})

        vars(module)["__getattr__"] = made_up


def made(backbone: str, side: int, device: torch.device) -> nn.Module:
    return OneAnswer(build(backbone, {"category": 10}, input_size=(side, side), seed=0)).to(device).eval()


def timed(run: Callable[[], Any], device: torch.device, repeats: int, first: bool) -> tuple[float, float, Any]:
    """Seconds of the fastest of so many runs (after a ``first`` one), megabytes at the peak, and what it gave."""
    found, best, held = run() if first else None, float("inf"), 0
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
        held = torch.cuda.memory_allocated()
    for _ in range(repeats):
        settle(device)
        start = time.perf_counter()
        found = run()
        settle(device)
        best = min(best, time.perf_counter() - start)
    peak = torch.cuda.max_memory_allocated() - held if device.type == "cuda" else 0
    return best, peak / 1e6, found


def against_captum(given: argparse.Namespace, device: torch.device) -> None:
    if find_spec("matplotlib") is None:
        sys.meta_path.append(NoPictures())
    try:
        from captum import attr
    except ImportError as error:
        print(f"captum is not to be had here ({error}): nothing to compare with.")
        return
    warnings.filterwarnings("ignore", module="captum")
    side = given.side
    model: Any = made(given.backbone, side, device)
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

    def lines(steps: int) -> tuple[Callable[[], np.ndarray], Callable[[], np.ndarray]]:
        theirs = summed(attr.IntegratedGradients(model), n_steps=steps, internal_batch_size=given.batch)
        return ours("integrated-gradients", steps=steps, batch=given.batch), theirs

    def smooth(steps: int) -> tuple[Callable[[], np.ndarray], Callable[[], np.ndarray]]:
        noisy = {"nt_type": "smoothgrad", "nt_samples": steps, "stdevs": 0.15, "nt_samples_batch_size": at_once}
        theirs = summed(attr.NoiseTunnel(attr.Saliency(model)), abs=False, **noisy)
        return ours("smoothgrad", steps=steps, batch=given.batch), theirs

    cover = ours("occlusion", patch=given.patch, stride=given.stride, fill=0.0, batch=given.batch)
    many = 2 * given.steps
    rows: list[tuple[str, tuple[Callable[[], np.ndarray], Callable[[], np.ndarray]], bool]] = [
        ("gradient", (ours("gradient", batch=given.batch), summed(attr.Saliency(model), abs=False)), True),
        ("occlusion, captum as called", (cover, occluded()), True),
        ("occlusion, captum batched", (cover, occluded(perturbations_per_eval=at_once)), True),
        (f"integrated gradients, {given.steps} steps", lines(given.steps), True),
        (f"integrated gradients, {many} steps", lines(many), True),
        (f"smoothgrad, {given.steps} steps", smooth(given.steps), False),
        (f"smoothgrad, {many} steps", smooth(many), False),
    ]
    print(f"{given.backbone}, {given.images} images of {side}×{side}, batch {given.batch}, {where(device)}")
    print(f"{'method':32s} {'ours':>8s} {'captum':>8s} {'ratio':>6s} {'apart':>9s} {'MB':>6s} {'captum':>7s}")
    covered: list[np.ndarray] = []
    for name, (mine, theirs), same in rows:
        if given.maps and not any(one in name for one in given.maps.split(",")):
            continue
        fast, own, left = timed(mine, device, given.repeats, given.warm)
        slow, held, other = timed(theirs, device, given.repeats, given.warm)
        apart = f"{abs(left - other).max() / abs(other).max():.1e}" if same else "noise"
        print(f"{name:32s} {fast:8.3f} {slow:8.3f} {slow / fast:6.1f} {apart:>9s} {own:6.0f} {held:7.0f}", flush=True)
        covered += [left, other] if "occlusion" in name else []
    if len(covered) > 2:
        with torch.no_grad():
            score = float(model(images).abs().max())
        largest = abs(covered[1]).max()
        print(
            f"of the largest value of a map: captum's two apart {abs(covered[1] - covered[3]).max() / largest:.1e}, "
            f"one rounding of the largest score {np.spacing(np.float32(score)) / largest:.1e}"
        )


def checks(given: argparse.Namespace, device: torch.device) -> None:
    """Maps of ten methods before and after each layer is drawn anew, compared by all four measures."""
    side, count = given.checks_side, given.checks_images
    model = made("resnet18", side, device)
    images = torch.randn(count, 3, side, side, generator=torch.Generator().manual_seed(0)).to(device)
    patch = max(1, side // 7)
    settings = {
        name: {**own, "batch": given.batch, **({"patch": patch, "stride": patch} if name == "occlusion" else {})}
        for name, own in CHECKED.items()
    }
    print(f"\nchecks: resnet18, {count} images of {side}×{side}, {where(device)}")
    drawing = comparing = 0.0
    for method, own in settings.items():
        start = time.perf_counter()
        swept = under_randomisation(model, images, [method], most=6, settings={method: own}, batch=given.batch)
        settle(device)
        drawing += (drew := time.perf_counter() - start)
        start = time.perf_counter()
        for after in swept.after:
            map_similarity(swept.before[method], after[method])
        comparing += (compared := time.perf_counter() - start)
        print(f"{method:32s} {drew:8.1f} s drawn {compared:8.1f} s compared", flush=True)
    print(f"{'all':32s} {drawing:8.1f} s drawn {comparing:8.1f} s compared, together {drawing + comparing:.0f} s")


def stream(given: argparse.Namespace, device: torch.device) -> None:
    """A map of each of so many images, which are made as they are asked for; memory after each quarter."""
    side = given.stream_side
    model = made("resnet18" if device.type == "cuda" else "resnet18-w8", side, device)

    def fetch(rows: np.ndarray, where_to: str) -> Tensor:
        generator = torch.Generator().manual_seed(int(rows[0]))
        return torch.randn(len(rows), 3, side, side, generator=generator).to(where_to)

    print(f"\nstream: {given.stream_images} images of {side}×{side}, {where(device)}")
    start, told = time.perf_counter(), 0
    for places, _ in explain_rows(model, fetch, np.arange(given.stream_images), "gradient", size=128):
        done = int(places[-1]) + 1
        if done * 4 // given.stream_images > told:
            told = done * 4 // given.stream_images
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
            held = f", GPU {torch.cuda.max_memory_allocated() / 1e6:.0f} MB" if device.type == "cuda" else ""
            print(f"{done:7d} maps {time.perf_counter() - start:8.1f} s, peak {peak:.0f} MB{held}", flush=True)


PARTS = {"captum": against_captum, "checks": checks, "stream": stream}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--only", choices=PARTS, help="one part; all three unless named")
    parser.add_argument("--backbone", default="resnet50" if CUDA else "resnet18-w8")
    parser.add_argument("--side", type=int, default=224 if CUDA else 64)
    parser.add_argument("--images", type=int, default=8 if CUDA else 4)
    parser.add_argument("--patch", type=int, default=16)
    parser.add_argument("--stride", type=int, default=8)
    parser.add_argument("--steps", type=int, default=50 if CUDA else 16)
    parser.add_argument("--batch", type=int, default=256 if CUDA else 64)
    parser.add_argument("--repeats", type=int, default=3 if CUDA else 1)
    parser.add_argument("--cold", dest="warm", action="store_false", help="time the first run, without one to warm up")
    parser.add_argument("--maps", default="", help="rows whose name holds one of these words, e.g. occlusion,gradients")
    parser.add_argument("--checks-images", type=int, default=100)
    parser.add_argument("--checks-side", type=int, default=224 if CUDA else 64)
    parser.add_argument("--stream-images", type=int, default=10_000)
    parser.add_argument("--stream-side", type=int, default=224 if CUDA else 32)
    parser.add_argument("--tf32", action="store_true", help="let a GPU's convolutions round to TF32, torch's default")
    parser.add_argument("--tuned", action="store_true", help="let cuDNN time its ways for each size, for both")
    parser.add_argument("--threads", type=int, default=1, help="of a CPU")
    given = parser.parse_args()
    torch.backends.cudnn.allow_tf32 = given.tf32
    torch.backends.cudnn.benchmark = given.tuned
    device = torch.device(given.device)
    if device.type == "cpu":
        torch.set_num_threads(given.threads)
    for name, run in PARTS.items():
        if given.only in (None, name):
            run(given, device)


if __name__ == "__main__":
    main()
