"""Random rows of the official files of dSprites, 3D Shapes and MPI3D: pictures per second and peak memory.

    python -m bench.archives              # a tenth of each file's rows
    python -m bench.archives --share 1    # as many rows as the official files: 22 GB of pictures

The rivals are what one would write instead: ``np.load(path)["imgs"]`` and then indexing, ``h5py`` with sorted rows. The
files are written here in the official containers (a deflated .npz, a chunked and compressed .h5, a stored .npz), with
pictures of this library, since the official ones may not be at hand. Every side runs in a process of its own, batch by
batch, on the same rows; inflating or unpacking once, which a study does before its first trial, is told apart. Peaks
are of whole processes, interpreter and libraries included.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

FILES = {  # world: (file, array, rows of the official file)
    "dsprites": ("dsprites.npz", "imgs", 737_280),
    "shapes3d": ("3dshapes.h5", "images", 480_000),
    "mpi3d": ("mpi3d.npz", "images", 1_036_800),
}
DIFFERENT = 2048  # pictures drawn; files repeat them


def pictures(world: str) -> np.ndarray:
    """A few thousand pictures as the official file holds them: ``[n, 64, 64]`` of 0 and 1, or ``[n, 64, 64, 3]``."""
    from unseen.worlds import make

    made = make(world)
    rows = np.sort(np.random.default_rng(0).choice(len(made.samples), DIFFERENT, replace=False))
    images = np.concatenate([made.images(part).numpy() for part in np.array_split(rows, 16)])
    return (images[:, 0] > 0).astype(np.uint8) if world == "dsprites" else np.moveaxis(images, 1, 3)


def write(path: Path, member: str, some: np.ndarray, rows: int) -> None:
    """A file of ``rows`` pictures in the container of its official model, written piece by piece."""
    shape = (rows, *some.shape[1:])
    pieces = (some[: min(len(some), rows - start)] for start in range(0, rows, len(some)))
    if path.suffix == ".h5":
        import h5py

        with h5py.File(path, "w") as file:
            data = file.create_dataset(member, shape, "u1", chunks=(min(64, rows), *shape[1:]), compression="gzip")
            for start, piece in zip(range(0, rows, len(some)), pieces):
                data[start : start + len(piece)] = piece
        return
    packed = zipfile.ZIP_DEFLATED if path.name.startswith("dsprites") else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", packed) as file, file.open(f"{member}.npy", "w", force_zip64=True) as out:
        np.lib.format.write_array_header_1_0(out, {"descr": "|u1", "fortran_order": False, "shape": shape})
        for piece in pieces:
            out.write(np.ascontiguousarray(piece).data)


def ours(path: Path, member: str, shape: tuple[int, ...]) -> Callable[[np.ndarray], np.ndarray]:
    from unseen.worlds.toys.archive_files import archive

    found = archive(path, member, shape)
    found.prepare()
    return found.read


def usual(path: Path, member: str, shape: tuple[int, ...]) -> Callable[[np.ndarray], np.ndarray]:
    if path.suffix == ".h5":
        import h5py

        data = h5py.File(path)[member]

        def read(rows: np.ndarray) -> np.ndarray:
            order = np.argsort(rows)
            out = np.empty((len(rows), *shape[1:]), np.uint8)
            out[order] = data[rows[order]]
            return out

        return read
    with np.load(path) as file:
        held = file[member]
    return lambda rows: held[rows]


def measured(side: str, path: Path, member: str, shape: tuple[int, ...], batches: int, batch: int) -> dict[str, float]:
    """Seconds until the first row can be read, pictures per second, peak memory, and a checksum of what was read."""
    started = time.perf_counter()
    read = {"ours": ours, "usual": usual}[side](path, member, shape)
    opened = time.perf_counter() - started
    rng = np.random.default_rng(1)
    rows = [np.unique(rng.integers(0, shape[0], batch)) for _ in range(batches)]
    rows = [rng.permutation(some) for some in rows]
    seconds, checksum = 0.0, 0
    for some in rows:
        started = time.perf_counter()
        found = read(some)
        seconds += time.perf_counter() - started
        checksum = zlib.crc32(np.ascontiguousarray(found).data, checksum)
        del found  # else two batches make the peak
    return {"opened": opened, "rate": sum(map(len, rows)) / seconds, "peak": peak(), "checksum": checksum}


def agree(world: str, *sides: dict[str, float]) -> None:
    """A rate of other pictures is worth nothing."""
    if len({side["checksum"] for side in sides}) > 1:
        sys.exit(f"{world}: the sides read different pictures (checksums {[side['checksum'] for side in sides]}).")


def peak() -> float:
    """Megabytes of this process at its largest. Linux hands the parent's figure on in ``getrusage``, hence its own."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) / 1e3 for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def count(words: str) -> int:
    if (number := int(words)) < 1:
        raise argparse.ArgumentTypeError(f"{words} is less than 1")
    return number


def share(words: str) -> float:
    if not 0 < (number := float(words)) <= 1:
        raise argparse.ArgumentTypeError(f"{words} is not above 0 and at most 1")
    return number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=share, default=0.1, help="of the official files' rows, above 0 and at most 1")
    parser.add_argument("--batches", type=count, default=40)
    parser.add_argument("--batch", type=count, default=512)
    parser.add_argument("--one", nargs=5, metavar=("SIDE", "PATH", "MEMBER", "SHAPE", "AGAIN"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        side, path, member, shape, _ = args.one
        print(json.dumps(measured(side, Path(path), member, tuple(json.loads(shape)), args.batches, args.batch)))
        return
    print(f"random rows, batches of {args.batch}; {100 * args.share:g} % of the official rows")
    heads = ("pictures", "ours /s", "usual /s", "ratio", "ours MB", "usual MB", "once, s")
    print(" " * 10 + "".join(f"{head:>{wide}}" for head, wide in zip(heads, (10, 10, 10, 8, 9, 10, 9))))
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "UNSEEN_CACHE": folder}
        for world, (name, member, official) in FILES.items():
            path, rows = Path(folder) / name, max(1, int(official * args.share))
            some = pictures(world)
            write(path, member, some, rows)
            shape = json.dumps([rows, *some.shape[1:]])

            def run(side: str, again: str, words: tuple[str, ...] = (str(path), member, shape)) -> dict[str, float]:
                call = [sys.executable, "-m", "bench.archives", "--batches", str(args.batches)]
                call += ["--batch", str(args.batch), "--one", side, *words, again]
                told = subprocess.run(call, env=env, capture_output=True, text=True, check=True).stdout
                return json.loads(told.splitlines()[-1])

            first, second, rival = run("ours", "first"), run("ours", "again"), run("usual", "first")
            agree(world, first, second, rival)
            most = max(first["peak"], second["peak"])
            print(
                f"{world:10}{rows:>10,}{second['rate']:>10,.0f}{rival['rate']:>10,.0f}"
                f"{second['rate'] / rival['rate']:>7.2f}×{most:>9,.0f}{rival['peak']:>10,.0f}{first['opened']:>9.1f}"
            )
            for file in Path(folder).rglob("*"):
                if file.is_file():
                    file.unlink()


if __name__ == "__main__":
    main()
