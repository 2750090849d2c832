"""Milliseconds per batch of each transformation: ours against torchvision and kornia (where installed), in one run.

    python -m bench.transforms                # 16 pictures on a thread of this CPU, or 256 on its GPU
    python -m bench.transforms --device cuda --batch 256 --side 224

Bytes in, contiguous float32 on the 0–255 scale out, for all sides. "alone" is our function, given the whole batch;
"in a world" is `TransformedWorld.images` of shuffled rows that lie on the device: gathered, and cut so that memory is
bounded. A ratio is the other side's time by that of ours alone. On CUDA the last column is the time in a world as a
share of a training step of ResNet-18 at this size (batch, bf16, captured, as a study takes it). Sides take turns, and
the best of the rounds is taken: time of the wall on CUDA, of this process on a CPU, which others may share.

Below the times: do the sides compute the same? The largest difference from ours over all pixels of the batch, for what
draws no noise; the edges that torchvision's blur mirrors are left out.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from bench.machine import arguments, settle
from bench.training import stepping
from bench.transforms_rivals import PLAIN, kornia, margin, torchvision
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Block, Samples
from unseen.worlds.transforms import SETS, TRANSFORMATIONS
from unseen.worlds.transforms.transformed import transformed

WIDER = {"blur σ=8": 8.0, "blur σ=20": 20.0}  # a calibrated blur may be wider than the default


@dataclass(frozen=True, eq=False)
class Held:
    """A world of pictures that lie on a device."""

    held: Tensor
    samples: Samples
    name: str = "held"
    channels: int = 3
    dtype: Literal["uint8", "float32"] = "uint8"
    fingerprint: str = "held"
    provenance: Mapping[str, str] = field(default_factory=dict)

    @property
    def size(self) -> tuple[int, int]:
        return self.held.shape[2], self.held.shape[3]

    def images(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> Tensor:
        return self.held.index_select(0, torch.from_numpy(rows).to(self.held.device))


def world_of(images: Tensor) -> Held:
    space = FactorSpace([Factor("category", ("a",), kind="category")])
    return Held(images, Samples(space, (Block(len(images), {"category": np.zeros(len(images), dtype=np.int64)}),)))


def sides_of(
    name: str, batch: Tensor, world: Held, rivals: Mapping[str, Mapping[str, Callable]]
) -> dict[str, Callable]:
    """What each side does for one batch."""
    level = "blur" if name in WIDER else name
    row, strength, n = TRANSFORMATIONS[level], WIDER.get(name), len(batch)
    keys = torch.arange(n, device=batch.device) * 1_234_567
    shown = transformed(world, [level], strengths={} if strength is None else {level: strength})
    rows = np.random.default_rng(0).permutation(len(world.samples))[:n] * 2 + 1
    sides: dict[str, Callable] = {
        "alone": lambda: row(batch, strength, keys),
        "in a world": lambda: shown.images(rows, str(batch.device)),
    }
    for side, table in rivals.items():
        if name in table:
            sides[side] = lambda rival=table[name]: rival(batch).contiguous()
    return sides


def timed(sides: Mapping[str, Callable], device: torch.device, rounds: int, seconds: float) -> dict[str, float]:
    """Milliseconds of each side; a turn lasts about ``seconds``. A rival that fails is left out, and said."""
    able, calls = {}, {}
    clock = time.perf_counter if device.type == "cuda" else time.process_time
    for side, task in sides.items():
        try:
            task()  # compiles, copies tables
            settle(device)
            started = clock()
            task()
            settle(device)
        except Exception as error:
            if side in ("alone", "in a world"):
                raise
            print(f"  {side} fails: {str(error).splitlines()[0][:80]}")
            continue
        able[side], calls[side] = task, int(np.clip(seconds / max(clock() - started, 1e-6), 1, 50))
    turns: dict[str, list[float]] = {side: [] for side in able}
    for _ in range(rounds):
        for side, task in able.items():
            settle(device)
            started = clock()
            for _ in range(calls[side]):
                task()
            settle(device)
            turns[side].append((clock() - started) / calls[side] * 1e3)
    return {side: round(min(found), 4) for side, found in turns.items()}


def differences(name: str, batch: Tensor, rivals: Mapping[str, Mapping[str, Callable]]) -> dict[str, float]:
    """How far each rival's result is from ours at most, on the 0–255 scale. Noise is not compared, nor a rival that
    fails, nor a picture that is all edge."""
    row, strength = TRANSFORMATIONS["blur" if name in WIDER else name], WIDER.get(name)
    if row.chance:
        return {}
    ours, found = row(batch, strength), {}
    for side, table in rivals.items():
        edge = margin(side, name, strength)
        if name not in table or 2 * edge >= min(batch.shape[-2:]):
            continue
        try:
            theirs = table[name](batch)
        except Exception:  # told where it was timed
            continue
        apart = (ours - theirs).abs()
        found[side] = float(apart[..., edge : apart.shape[-2] - edge, edge : apart.shape[-1] - edge].max())
    return found


def training_step(images: Tensor, batch: int, steps: int = 30) -> float:
    """Milliseconds of a captured training step of ResNet-18 on pictures like these."""
    from unseen.models import Preprocessed, build
    from unseen.training import Learner, labelled_data
    from unseen.vocabulary.sections import TrainingSection

    side, device = images.shape[-1], images.device
    labels, rows = np.zeros((len(images), 1), dtype=np.int64), np.arange(len(images))
    held = labelled_data(rows, labels, lambda r, d: images[torch.from_numpy(r).to(device)].to(d), device)
    few = labelled_data(rows[:batch], labels[:batch], lambda r, d: images[torch.from_numpy(r).to(device)].to(d), device)
    net = Preprocessed(build("resnet18", {"category": 10}, stem="standard", input_size=(side, side), seed=0))
    settings = TrainingSection(epochs=1000, batch=batch)
    precision = "bf16" if device.type == "cuda" else "float32"
    learner = Learner(net, ("category",), held, few, settings, seed=0, device=device, precision=precision)
    rate = stepping([learner], device)
    rate(5)
    return float(np.median([batch / rate(max(1, steps // 3)) * 1e3 for _ in range(3)]))


def line(name: str, found: Mapping[str, float], step: float | None) -> str:
    cells = [f"{found['alone']:9.2f}{found['in a world']:12.2f}"]
    for side in ("torchvision", "kornia"):
        ratio = f"{found[side] / found['alone']:8.2f}×" if side in found else f"{'–':>9}"
        cells.append(f"{found[side]:13.2f}{ratio}" if side in found else f"{'–':>13}{ratio}")
    share = f"{found['in a world'] / step:9.1%}" if step else ""
    return f"  {name + ('*' if name in PLAIN else ''):17}" + "".join(cells) + share


def apart_line(name: str, found: Mapping[str, float]) -> str:
    cells = [f"{found[side]:13.6f}" if side in found else f"{'–':>13}" for side in ("torchvision", "kornia")]
    return f"  {name + ('*' if name in PLAIN else ''):17}" + "".join(cells)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--side", type=int, default=224)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=[*TRANSFORMATIONS, *WIDER], help="these transformations")
    parser.add_argument("--step", action="store_true", help="on a CPU too: the share of a training step (slow)")
    args = parser.parse_args()
    device = torch.device(args.device)
    on_gpu = device.type == "cuda"
    batch = args.batch or (256 if on_gpu else 16)
    if not on_gpu:
        torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(0)
    held = torch.randint(0, 256, (2 * batch, 3, args.side, args.side), dtype=torch.uint8, generator=generator)
    held = held.to(device)
    step = training_step(held, batch) if on_gpu or args.step else None
    rivals = {"torchvision": torchvision(), "kornia": kornia(args.device)}
    where = torch.cuda.get_device_name() if on_gpu else f"CPU, 1 thread of {os.cpu_count()} cores"
    print(f"transforms, {batch} pictures of 3×{args.side}×{args.side}, milliseconds per batch, {where}")
    print(
        f"  {'':17}{'alone':>9}{'in a world':>12}{'torchvision':>13}{'':9}{'kornia':>13}{'':9}"
        + " of a step" * bool(step)
    )
    world, table = world_of(held), {}
    names = args.only or [*SETS["zaidi2020"], *(WIDER if on_gpu else ())]  # torchvision takes minutes
    for name in names:
        found = timed(sides_of(name, held[:batch].clone(), world, rivals), device, args.rounds, 0.03)
        table[name] = found
        print(line(name, found, step), flush=True)
    print("  * plain torch: torchvision has none" + ("" if rivals["kornia"] else "; kornia is not installed here"))
    if step:
        print(f"  a training step of ResNet-18: {step:.2f} ms")
    print("largest difference from ours, of 255, on the same pictures")
    print(f"  {'':17}{'torchvision':>13}{'kornia':>13}")
    apart = {name: found for name in names if (found := differences(name, held[:batch], rivals))}
    for name, found in apart.items():
        print(apart_line(name, found), flush=True)
    told = {"step": step, "batch": batch, "side": args.side, "device": where, "milliseconds": table, "apart": apart}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
