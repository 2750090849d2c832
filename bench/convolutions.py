"""Which convolutions this machine's torch gets wrong on a CPU: shapes that crash, write where they must not, or give
gradients that differ from a float64 reference in the plain memory order.

    python -m bench.convolutions              # the sweep: minutes
    python -m bench.convolutions --speed      # channels last against the plain order, and our way round the fault

Shapes go forward and back in other processes, so that a crash is only data: a process takes shapes until one ends it,
and the next goes on behind that one. Where glibc's checking allocator is there, it is loaded, so
that a write behind the end of a block is found when that block is freed, not by luck later. docs/upstream.md tells what
was found.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

CHECKER = Path("/lib/x86_64-linux-gnu/libc_malloc_debug.so.0")
FORMATS = ("channels_last", "contiguous_format")
TOLERANCE = 1e-3  # of the largest entry: float32 stays under 1e-5
WAIT = 60.0  # seconds for one shape: a corrupt barrier may spin for ever

Shape = dict[str, int]


def shapes() -> Iterator[Shape]:
    """Narrow and odd channels, kernels and strides in use, depthwise, sides from a grid's to a photo's."""
    names = ("channels", "outputs", "kernel", "stride", "side", "batch", "groups")
    narrow, sides = (1, 3, 8, 12, 15, 16, 17, 24, 40), (16, 31, 48, 64, 96)
    grid = itertools.product(narrow, (8, 24, 64), (1,), (1, 2, 3), sides, (1, 16), (1,))
    more = itertools.product((1, 3, 8, 16, 20), (8, 24), (2, 3, 5, 7), (1, 2, 4), (16, 31, 64), (16,), (1,))
    depthwise = (
        (n, n, kernel, stride, side, 16, n)
        for n, kernel, stride, side in itertools.product((4, 8, 12, 16, 24, 40), (1, 3, 5), (1, 2), (16, 31, 64))
    )
    grouped = (
        (n, 2 * n, kernel, stride, side, 16, 2)
        for n, kernel, stride, side in itertools.product((8, 16, 24, 32, 48), (1, 3), (1, 2), (31, 64))
    )
    for row in itertools.chain(grid, more, depthwise, grouped):
        yield dict(zip(names, row, strict=True))


def off(shape: Shape, order: str) -> float:
    """How far gradients are from the reference's, by its largest entry: the worst of input, weights and answer."""
    import torch

    def gradients(dtype: torch.dtype, memory: torch.memory_format) -> list[torch.Tensor]:
        torch.manual_seed(0)
        convolution = torch.nn.Conv2d(
            shape["channels"], shape["outputs"], shape["kernel"], shape["stride"],
            padding=shape["kernel"] // 2, groups=shape["groups"], bias=False,
        )  # fmt: skip
        images = torch.randn(shape["batch"], shape["channels"], shape["side"], shape["side"])
        convolution = convolution.to(dtype).to(memory_format=memory)  # type: ignore[call-overload]
        images = images.to(dtype).contiguous(memory_format=memory).requires_grad_()
        answer = convolution(images)
        answer.backward(torch.cos(torch.arange(answer.numel())).reshape(answer.shape).to(answer))
        found = [answer.detach(), convolution.weight.grad, images.grad]
        return [one.double() for one in found if one is not None]

    right = gradients(torch.float64, torch.contiguous_format)
    worst = 0.0
    for _ in range(2):  # what the first spoilt, the second meets
        for a, b in zip(gradients(torch.float32, getattr(torch, order)), right):
            apart = float((a - b).abs().max() / b.abs().max().clamp(min=1e-12))
            worst = max(worst, apart if apart == apart else float("inf"))
    return worst


def work(order: str, threads: int) -> None:
    """Shapes as lines in, how far each is off as lines out."""
    import torch

    torch.set_num_threads(threads)
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(off(json.loads(line), order)), flush=True)


@contextlib.contextmanager
def worker(order: str, threads: int) -> Iterator[subprocess.Popen]:
    checked = {"LD_PRELOAD": str(CHECKER), "MALLOC_CHECK_": "3"} if CHECKER.is_file() else {}
    command = [sys.executable, "-m", "bench.convolutions", "--work", order, "--threads", str(threads)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, **checked},
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def sweep(order: str, threads: int, each: int) -> Iterator[dict[str, Any]]:
    """Every shape with what came of it: "fine", "wrong", "hangs", or the signal that ended it. One that ends a process
    in which others went before is tried once more in a fresh one: it may have met what they spoilt."""
    waiting = list(shapes())[::each]
    while waiting:
        with worker(order, threads) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdout.readline()
            fresh = True
            while waiting:
                with contextlib.suppress(BrokenPipeError):
                    process.stdin.write(json.dumps(waiting[0]) + "\n")
                    process.stdin.flush()
                answered = select.select([process.stdout], [], [], WAIT)[0]
                line = process.stdout.readline() if answered else None
                if line:
                    apart = float(line)
                    yield {**waiting.pop(0), "came": "fine" if apart < TOLERANCE else "wrong", "off": apart}
                    fresh = False
                    continue
                if fresh:
                    code = process.wait() if line == "" else 0
                    came = "hangs" if line is None else signal.Signals(-code).name if code < 0 else f"code {code}"
                    yield {**waiting.pop(0), "came": came}
                break


def show(order: str, threads: int, found: list[dict[str, Any]]) -> None:
    print(f"\n{order}, {threads} thread(s): {len(found)} shapes: {dict(Counter(one['came'] for one in found))}")
    bad = [one for one in found if one["came"] != "fine"]
    for names in (("groups", "kernel", "stride"), ("channels",), ("outputs",), ("side",), ("batch",)):
        counts = Counter(tuple(one[name] for name in names) for one in bad)
        if counts:
            print(f"  by {', '.join(names)}: {', '.join(f'{key}: {n}' for key, n in sorted(counts.items()))}")


def speed(names: Sequence[str], sides: Sequence[int], rounds: int) -> None:
    """Images a second of a step forward and back, channels last (with the way round the fault) and in plain order."""
    import torch

    from unseen.models import Preprocessed, build
    from unseen.training.narrow_strides import avoid_narrow_strides

    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, 1 thread; images/s, the best of {rounds} rounds in turn")
    print(f"{'network':14} {'side':>5} {'channels last':>14} {'plain order':>12} {'ratio':>6}")
    for name, side in itertools.product(names, sides):
        images = torch.randint(0, 256, (max(2, 2**17 // side**2), 3, side, side), dtype=torch.uint8)
        spent: dict[str, list[float]] = {}
        networks = {}
        for order in FORMATS:
            memory = getattr(torch, order)
            built = build(name, {"category": 9}, stem="small", input_size=(side, side), seed=0)
            network: Any = Preprocessed(built).to(memory_format=memory)  # type: ignore[call-overload]
            if order == "channels_last":
                avoid_narrow_strides(network)
            networks[order] = network
        for _ in range(rounds):
            for order, network in networks.items():
                prepared = network.prepare(images).contiguous(memory_format=getattr(torch, order))
                started = time.perf_counter()
                network.network(prepared)["category"].sum().backward()
                spent.setdefault(order, []).append(time.perf_counter() - started)
        last, plain = (len(images) / min(spent[order]) for order in FORMATS)
        print(f"{name:14} {side:5} {last:14.1f} {plain:12.1f} {last / plain:6.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", choices=FORMATS, help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--orders", nargs="+", choices=FORMATS, default=FORMATS)
    parser.add_argument("--each", type=int, default=1, help="only every so-manieth shape")
    parser.add_argument("--out", type=Path, help="every shape and what came of it, as JSON lines")
    parser.add_argument("--speed", action="store_true", help="only compare the speed of both orders")
    parser.add_argument("--networks", nargs="+", default=["resnet18-w8", "resnet18-w16", "resnet18-w32", "resnet18"])
    parser.add_argument("--sides", nargs="+", type=int, default=[32, 64, 96, 224])
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    if args.work:
        work(args.work, args.threads)
        return
    if args.speed:
        speed(args.networks, args.sides, args.rounds)
        return
    import torch

    named = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")][:1]
    print(f"torch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}, {''.join(named)}")
    for order in args.orders:
        started, found = time.perf_counter(), []
        for one in sweep(order, args.threads, args.each):
            found.append(one)
            if args.out:
                with args.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"order": order, "threads": args.threads, **one}) + "\n")
        show(order, args.threads, found)
        print(f"  {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
