"""Near-copies: how often a hash finds a changed copy, how often it takes another object for one, and how fast.

    python -m bench.near_copies --data FOLDER    # FOLDER/mnist and FOLDER/fashion_mnist hold the idx files

False alarms are images with a near-copy among ``--images`` images of *other* objects: what an audit would show on a
sound split. Hits are changed copies whose original is within the threshold. Flat pictures are left out of both.
"""

from __future__ import annotations

import argparse
import gzip
import io
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from unseen.measures.near_copies import ALIKE, BITS, Prints, most_alike, prints

THRESHOLDS = (0, 2, 4, 6, 8, 10)
CORRELATIONS = (0.95, 0.97, 0.98, 0.985, 0.99, 0.995)
CHANGES = ("JPEG 75", "JPEG 30", "half size", "half and back", "crop 2 %", "crop 5 %", "brighter", "noise 5")


def changed(pictures: np.ndarray, how: str) -> np.ndarray:
    """Copies of ``[n, channels, height, width]`` as they turn up in photo sets."""
    rng = np.random.default_rng(0)
    return np.stack([_one(picture, how, rng) for picture in pictures])


def _one(picture: np.ndarray, how: str, rng: np.random.Generator) -> np.ndarray:
    image = Image.fromarray(np.moveaxis(picture, 0, -1).squeeze())
    width, height = image.size
    if how.startswith("JPEG"):
        file = io.BytesIO()
        image.save(file, "JPEG", quality=int(how.split()[1]))
        image = Image.open(io.BytesIO(file.getvalue()))
    elif how.startswith("half"):
        image = image.resize((width // 2, height // 2), Image.Resampling.BICUBIC)
        image = image.resize((width, height), Image.Resampling.BICUBIC) if "back" in how else image
    elif how.startswith("crop"):
        cut = max(1, round(width * int(how.split()[1]) / 100 / 2))
        image = image.crop((cut, cut, width - cut, height - cut)).resize((width, height), Image.Resampling.BICUBIC)
    elif how == "brighter":
        image = image.point([min(255, int(1.15 * value + 5)) for value in range(256)] * len(image.getbands()))
    else:
        noisy = np.asarray(image, float) + rng.normal(0, 5, np.asarray(image).shape)
        image = Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8))
    array = np.asarray(image)
    return array[None] if array.ndim == 2 else np.moveaxis(array, -1, 0)


def worlds(data: Path | None, images: int) -> Iterator[tuple[str, np.ndarray]]:
    """Names, and pictures of different objects each."""
    from unseen.worlds import make

    world = make("objects", categories=20, instances=-(-images // 20), pose=8, side=64)
    objects, grid = world.samples.instances, world.samples.grid_size(0)
    rows = np.arange(objects) * grid + np.random.default_rng(1).integers(0, grid, objects)  # one pose of each object
    drawn = [np.asarray(world.images(rows[at : at + 256]).cpu()) for at in range(0, len(rows), 256)]
    yield "rendered objects, 64 px", np.concatenate(drawn)[:images]
    for name in ("mnist", "fashion_mnist"):
        if data is not None and (data / name).is_dir():
            with gzip.open(data / name / "train-images-idx3-ubyte.gz") as file:
                pixels = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 1, 28, 28)
            yield name, pixels[:images]


def rates(pictures: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Share of changed copies that are found, and of images that have a near-copy of another object, by the correlation
    asked for; and the same of the hash alone, by the bits that may differ."""
    own = prints(pictures)
    number = np.arange(len(own))
    alike = most_alike(own, own, number, number)[0]
    apart = np.array([np.partition(np.bitwise_count(code ^ own.codes), 1)[1] for code in own.codes])
    some = number[:: max(1, len(own) // 1000)][:1000]
    pixels, bits = {}, {}
    for how in CHANGES:
        copies = prints(changed(pictures[some], how))
        differ = np.bitwise_count(copies.codes ^ own.codes[some])
        same = (copies.thumbs.astype(float) * own.thumbs[some].astype(float)).sum(1)
        pixels[how] = np.array([((same >= c) & (differ <= BITS)).mean() for c in CORRELATIONS])
        bits[how] = np.array([(differ <= t).mean() for t in THRESHOLDS])
    pixels["false alarms"] = np.array([(alike >= c).mean() for c in CORRELATIONS])
    bits["false alarms"] = np.array([(apart <= t).mean() for t in THRESHOLDS])
    return pixels, bits


def show(head: str, columns: tuple[float, ...], rows: dict[str, np.ndarray]) -> None:
    print(f"{head:<30}" + "".join(f"{column:>8}" for column in columns))
    for name, shares in rows.items():
        print(f"{name:<30}" + "".join(f"{100 * share:>7.1f}%" for share in shares))


def speed(images: int, pictures: np.ndarray) -> None:
    """Of photographs that differ, and of pictures that are much alike."""
    rng = np.random.default_rng(0)
    large = rng.integers(0, 256, (1000, 3, 224, 224), dtype=np.uint8)
    start = time.perf_counter()
    prints(large)
    each = (time.perf_counter() - start) / len(large)
    print(f"\nprints of 224 × 224 × 3: {1 / each:,.0f} images/s, {images * each:.1f} s for {images:,}")
    own = prints(pictures)
    for n in (images, 5 * images):
        thumbs = np.zeros((n, own.thumbs.shape[1]), np.float16)
        different = Prints(rng.integers(0, 2**64, n, dtype=np.uint64), thumbs, np.zeros(n, bool))
        same = own[rng.integers(0, len(own), n)]
        for words, one in (("that differ", different), ("that are much alike", same)):
            start = time.perf_counter()
            most_alike(one[np.arange(n // 5)], one[np.arange(n // 5, n)])
            print(f"{n // 5:,} among {n - n // 5:,} {words}: {time.perf_counter() - start:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--images", type=int, default=5000)
    arguments = parser.parse_args()
    pictures = np.zeros((0, 1, 1, 1))
    for name, pictures in worlds(arguments.data, arguments.images):
        pixels, bits = rates(pictures)
        print(f"\n{name}: {len(pictures):,} images of different objects")
        show(f"{BITS} bits, and correlation", CORRELATIONS, pixels)
        show("the hash alone: bits", THRESHOLDS, bits)
    print(f"\nthe audit takes {BITS} bits and {ALIKE}")
    speed(20_000, pictures)


if __name__ == "__main__":
    main()
