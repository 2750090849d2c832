"""Photographs in folders, transformed and streamed: pictures per second and peak memory, of n files and of 4 n.

    python -m bench.folders                     # 2,000 and 8,000 files
    python -m bench.folders --images 250000     # up to a million, whose decoded pixels take 150 GB of disk

The way of ``zaidi2020/imagenet``: categories in folders, cropped to 224 px, each visited plain or with white noise, in
a random order, never held in memory. The rival is what one would write instead: torchvision's ``ImageFolder`` with the
same crop and noise in a ``DataLoader`` of this process. Ours decodes every file once into a cache on disk, which is
told apart ("once"); the rival decodes in every epoch. Both run in processes of their own on one thread; peaks are of
whole processes, interpreter and libraries included.
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.archives import count, peak

SIDE, STORED = 224, 256  # of the crop, of the files
CATEGORIES, DIFFERENT = 40, 256  # folders; pictures drawn, which the files repeat
NOISE = 50.0  # of the white noise, on 0 to 255


def pictures() -> list[bytes]:
    """A few hundred different JPEGs."""
    from PIL import Image

    from unseen.worlds import make

    world = make("objects", instances=8, side=STORED)
    rows = np.random.default_rng(0).choice(len(world.samples), DIFFERENT, replace=False)
    made = []
    for part in np.array_split(rows, 16):
        for image in world.images(part).permute(0, 2, 3, 1).numpy():
            data = io.BytesIO()
            Image.fromarray(image).save(data, "JPEG", quality=90)
            made.append(data.getvalue())
    return made


def write(folder: Path, some: list[bytes], images: int) -> None:
    """Files of which no two are equal: each has its number as a comment, else one would be decoded for all."""
    for number in range(images):
        if number < CATEGORIES:
            (folder / f"category{number:03}").mkdir(parents=True)
        words, data = f"{number}".encode(), some[number % len(some)]
        comment = b"\xff\xfe" + (len(words) + 2).to_bytes(2, "big") + words
        (folder / f"category{number % CATEGORIES:03}" / f"{number}.jpg").write_bytes(data[:2] + comment + data[2:])


def ours(folder: Path, batch: int) -> Callable[[], Iterator[int]]:
    import torch

    from unseen.designs import expose
    from unseen.training.feed import Prefetcher
    from unseen.training.visits import labelled_data as visits
    from unseen.worlds import make

    inner = {"name": "folder", "root": str(folder), "template": "{category}/*", "size": SIDE, "resize": "crop"}
    world: Any = make("transformed", of=inner, levels=["white-noise"], strengths={"white-noise": NOISE})
    split = expose(world.samples, level="white-noise", seen=CATEGORIES, seed=0)
    rows = split.rows(world.samples, "train")

    def fetch(rows: np.ndarray, device: str, draw: int = 0) -> torch.Tensor:
        return world.again(rows, device, draw) if draw else world.images(rows, device)

    device = torch.device("cpu")
    streamed = visits(rows, world.samples.cells(rows, ["category"]), fetch, device, hold=False, fresh=world.fresh(rows))

    def epoch() -> Iterator[int]:
        order = np.random.default_rng(0).permutation(len(rows))
        batches = iter(np.array_split(order, range(batch, len(order), batch)))
        ahead = Prefetcher(partial(streamed.visited, epoch=0), batches, device)
        try:
            while True:
                try:
                    yield len(next(ahead))
                except StopIteration:
                    return
        finally:
            ahead.close()

    return epoch


def usual(folder: Path, batch: int) -> Callable[[], Iterator[int]]:
    import torch
    from torchvision.datasets import ImageFolder
    from torchvision.transforms import v2

    noisy = v2.RandomApply([v2.Lambda(lambda image: image + NOISE * torch.randn_like(image))])
    steps = v2.Compose([v2.Resize(SIDE), v2.CenterCrop(SIDE), v2.PILToTensor(), v2.ToDtype(torch.float32), noisy])
    loader = torch.utils.data.DataLoader(ImageFolder(str(folder), steps), batch, shuffle=True)
    return lambda: (len(images) for images, _ in loader)


def measured(side: str, folder: Path, batches: int, batch: int) -> dict[str, float]:
    """Seconds until the first batch can be asked, pictures per second of some batches, peak memory."""
    import torch

    torch.set_num_threads(1)
    started = time.perf_counter()
    epoch = {"ours": ours, "usual": usual}[side](folder, batch)
    opened, found = time.perf_counter() - started, epoch()
    next(found)
    started = time.perf_counter()
    seen = sum(itertools.islice(found, batches))
    seconds = time.perf_counter() - started
    return {"once": opened, "rate": seen / seconds, "peak": peak()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=count, default=2000, help="files of the smaller folder")
    parser.add_argument("--batches", type=count, default=12)
    parser.add_argument("--batch", type=count, default=64)
    parser.add_argument("--one", nargs=2, metavar=("SIDE", "FOLDER"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(measured(args.one[0], Path(args.one[1]), args.batches, args.batch)))
        return
    if args.images < 10 * CATEGORIES:
        parser.error(f"--images {args.images}: {CATEGORIES} categories need {10 * CATEGORIES} at least")
    print(f"JPEGs of {STORED} px cropped to {SIDE}, plain or with noise, batches of {args.batch}, one thread")
    heads = ("files", "ours /s", "usual /s", "ratio", "ours MB", "usual MB", "once, s")
    print("".join(f"{head:>{wide}}" for head, wide in zip(heads, (10, 10, 10, 8, 9, 10, 9))))
    some = pictures()
    for images in (args.images, 4 * args.images):
        with tempfile.TemporaryDirectory() as place:
            folder, env = Path(place) / "photos", {**os.environ, "UNSEEN_CACHE": str(Path(place) / "cache")}
            write(folder, some, images)

            def run(side: str, folder: Path = folder, env: dict[str, str] = env) -> dict[str, float]:
                call = [sys.executable, "-m", "bench.folders", "--batches", str(args.batches)]
                call += ["--batch", str(args.batch), "--one", side, str(folder)]
                told = subprocess.run(call, env=env, capture_output=True, text=True, check=True).stdout
                return json.loads(told.splitlines()[-1])

            first, second, rival = run("ours"), run("ours"), run("usual")
            print(
                f"{images:>10,}{second['rate']:>10,.0f}{rival['rate']:>10,.0f}{second['rate'] / rival['rate']:>7.2f}×"
                f"{max(first['peak'], second['peak']):>9,.0f}{rival['peak']:>10,.0f}{first['once']:>9.1f}"
            )


if __name__ == "__main__":
    main()
