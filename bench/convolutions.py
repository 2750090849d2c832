"""Which convolutions this machine's torch gets wrong on a CPU: shapes that crash, write where they must not, or give
gradients that differ from a float64 reference in the plain memory order.

    python -m bench.convolutions              # the sweep: minutes
    python -m bench.convolutions --speed      # channels last against the plain order, and our way round the fault

Each shape goes forward and back in a process of its own making, so that a crash is only data: the process takes shapes
until one ends it, and the next goes on behind that one. Where glibc's checking allocator is there, it is loaded, so
that a write behind the end of a block is found when that block is freed, not by luck later. docs/upstream.md tells what
was found.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
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


def sweep(order: str, threads: int) -> Iterator[dict[str, Any]]:
    """Every shape with what came of it: "fine", "wrong", "hangs", or the signal that ended it."""
    import select

    waiting = list(shapes())
    while waiting:
        with worker(order, threads) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            while waiting:
                shape = waiting.pop(0)
                with contextlib.suppress(BrokenPipeError):
                    process.stdin.write(json.dumps(shape) + "\n")
                    process.stdin.flush()
                ready = select.select([process.stdout], [], [], WAIT)[0]
                line = process.stdout.readline() if ready else None
                if line:
                    apart = float(line)
                    yield {**shape, "came": "fine" if apart < TOLERANCE else "wrong", "off": apart}
                    continue
                code = process.wait() if line == "" else 0
                came = "hangs" if line is None else signal.Signals(-code).name if code < 0 else f"code {code}"
                yield {**shape, "came": came}
                break


def show(order: str, threads: int, found: list[dict[str, Any]]) -> None:
    print(f"\n{order}, {threads} thread(s): {len(found)} shapes: {dict(Counter(one['came'] for one in found))}")
    bad = [one for one in found if one["came"] != "fine"]
    for names in (("groups", "kernel", "stride"), ("channels",), ("outputs",), ("side",), ("batch",)):
        counts = Counter(tuple(one[name] for name in names) for one in bad)
        if counts:
            print(f"  by {', '.join(names)}: {', '.join(f'{key}: {n}' for key, n in sorted(counts.items()))}")


def speed(rounds: int) -> None:
    """Seconds of a step in the plain order by those in channels last: above 1, channels last is the faster."""
    import torch

    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, 1 thread: plain order ÷ channels last, forward and back")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", choices=FORMATS, help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--orders", nargs="+", choices=FORMATS, default=FORMATS)
    parser.add_argument("--out", type=Path, help="every shape and what came of it, as JSON lines")
    args = parser.parse_args()
    if args.work:
        work(args.work, args.threads)
        return
    import torch

    named = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")][:1]
    print(f"torch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}, {''.join(named)}")
    for order in args.orders:
        started, found = time.perf_counter(), []
        for one in sweep(order, args.threads):
            found.append(one)
            if args.out:
                with args.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"order": order, "threads": args.threads, **one}) + "\n")
        show(order, args.threads, found)
        print(f"  {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
