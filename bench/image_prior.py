"""Deep image prior: one picture and several together, ours against a plain loop.

    python -m bench.image_prior                    # on a GPU 256 px and 3,000 steps; on a CPU 48 px and 60 steps
    python -m bench.image_prior --streams 1 4 8    # how many networks run side by side on a GPU

The plain loop is what a user would write after the paper's notebook (Ulyanov et al. 2018): the same network, Adam, a
jittered input drawn on the device, the mean of outputs, PSNR at every tenth step. It restores one picture after the
other. Ours is ``unseen.engines.restoring.restore``: its time includes the capture of its step. Both denoise the same
picture (σ = 25), and PSNR at the last step is told, since other draws of the jitter give other pictures. Seconds are
the median of the rounds, which are told too.
"""

from __future__ import annotations

import time

import numpy as np
import torch

from bench.image_prior_pictures import pictures
from bench.machine import CUDA, arguments, settle, where
from unseen.engines.damage import damaged
from unseen.engines.restoring import INPUTS, LEARNING_RATE, Fit, psnr, restore
from unseen.models.hourglass import prior_network


def plain(given: np.ndarray, truth: np.ndarray, fit: Fit, device: torch.device) -> np.ndarray:
    """One picture ``[1, c, h, w]``, restored by a loop without anything of ours but the network."""
    net = prior_network(scales=fit.scales, width=fit.width, seed=fit.seed).to(device)
    goal = torch.from_numpy(given).to(device)
    saved = torch.rand(1, INPUTS, *given.shape[-2:], device=device) * 0.1
    noise, mean = saved.clone(), None
    optimiser = torch.optim.Adam(net.parameters(), lr=LEARNING_RATE)
    for step in range(1, fit.steps + 1):
        optimiser.zero_grad()
        shown = net(saved + noise.normal_() * fit.jitter)
        torch.nn.functional.mse_loss(shown, goal).backward()
        optimiser.step()
        mean = shown.detach() if mean is None else mean * 0.99 + shown.detach() * 0.01
        if step % 10 == 0:
            psnr(mean.cpu().numpy(), truth)
    assert mean is not None
    return mean.cpu().numpy()


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--side", type=int, default=256 if CUDA else 48)
    parser.add_argument("--steps", type=int, default=3000 if CUDA else 60)
    parser.add_argument("--scales", type=int, default=5 if CUDA else 3)
    parser.add_argument("--width", type=int, default=128 if CUDA else 24)
    parser.add_argument("--together", type=int, default=8)
    parser.add_argument("--streams", type=int, nargs="+", default=[8])
    parser.add_argument("--rounds", type=int, default=1 if CUDA else 2)
    args = parser.parse_args()
    device = torch.device(args.device)
    if device.type == "cpu":
        torch.set_num_threads(1)
    fit = Fit(steps=args.steps, scales=args.scales, width=args.width)
    truth = pictures(args.side)[1][: args.together]
    given, damage = damaged(truth, "denoise", 25.0)
    print(
        f"deep image prior, {args.side} px, {args.steps:,} steps, {args.scales} scales × {args.width}, {where(device)}"
    )
    plain(given[:1], truth[:1], Fit(steps=5, scales=fit.scales, width=fit.width), device)  # chooses its kernels
    settle(device)
    loops = [timed(lambda: plain(given[:1], truth[:1], fit, device), truth, device) for _ in range(args.rounds)]
    loop = median(loops)
    say("a plain loop, one picture", loops, 1, loop)
    for n, streams in [(1, 1), *((args.together, many) for many in args.streams)]:

        def ours(n: int = n, streams: int = streams) -> np.ndarray:
            return restore(given[:n], damage, fit, truth=truth[:n], device=args.device, streams=streams).last

        rounds = [timed(ours, truth, device) for _ in range(args.rounds)]
        words = "ours, one picture" if n == 1 else f"ours, {n} together" + (f", {streams} streams" if CUDA else "")
        say(words, rounds, n, loop)
    if device.type == "cuda":
        print(f"  peak memory {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB")


def timed(make, truth: np.ndarray, device: torch.device) -> tuple[float, float]:
    """Seconds (of the process on a CPU, which others use too), and the mean PSNR."""
    clock = time.perf_counter if device.type == "cuda" else time.process_time
    started = clock()
    found = make()
    settle(device)
    return clock() - started, float(psnr(found, truth[: len(found)]).mean())


def median(rounds: list[tuple[float, float]]) -> float:
    return float(np.median([seconds for seconds, _ in rounds]))


def say(words: str, rounds: list[tuple[float, float]], n: int, loop: float) -> None:
    seconds, each = median(rounds), " ".join(f"{took:.2f}" for took, _ in rounds)
    rate = loop * n / seconds
    print(f"  {words:30} {seconds:8.2f} s {seconds / n:8.2f} s a picture {rate:6.2f}×   {rounds[0][1]:.1f} dB   "
          f"rounds: {each}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
