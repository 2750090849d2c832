"""Opening a folder of mesh files: read, simplified and kept, then from the cache.

    python -m bench.meshes                                # 200 models that are made here, 3,000 faces each
    python -m bench.meshes --root MODELS                  # those of a folder
    python -m bench.meshes --root MODELS --instances 13   # up to so many of each category

"before" is how it was: one process, one file after another, what is seen of a mesh found by drawing each face in a
colour of its own and sorting the pixels (``torch.unique``); measured on every n-th file, since it is slow, and given
per file. "one process" is today's reading without workers, on the same files. "opened" is the world with all its
workers and an empty cache, "again" the same with the cache, "drawn" that plus the meshes themselves in memory. Each of
these is a process of its own; its time includes the interpreter's start and imports, its CPU time that of its workers.
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
from pathlib import Path
from typing import Any

import numpy as np

from bench.archives import count

FACES = 3000


def made(folder: Path, files: int) -> None:
    """Bumpy balls with holes, open and closed, as many readers write them."""
    import trimesh

    for number in range(files):
        rng = np.random.default_rng(number)
        one = trimesh.creation.icosphere(subdivisions=4)
        one.vertices *= (
            1 + 0.2 * np.sin(one.vertices @ rng.normal(0, 3, (3, 4)) + rng.uniform(0, 6, 4)).mean(1)[:, None]
        )
        one.update_faces(rng.permutation(len(one.faces))[:FACES])
        place = folder / f"category{number % 10}"
        place.mkdir(parents=True, exist_ok=True)
        one.export(str(place / f"{number}.glb"))


def seen_by_colours(corners: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """What version 1 of the reader did."""
    from dataclasses import replace

    import torch

    from unseen.worlds.meshes import seen
    from unseen.worlds.rendering.bank import Bank
    from unseen.worlds.rendering.mesh import mesh, upright
    from unseen.worlds.rendering.renderer import render
    from unseen.worlds.rendering.staging import staged

    n, black = len(corners), (0.0, 0.0, 0.0)
    number = np.arange(1, n + 1)
    colour = np.stack([number & 255, number >> 8 & 255, number >> 16 & 255], -1) / 255.0
    flat, up = corners.reshape(-1, 3), np.tile([0.0, 0.0, 1.0], (3 * n, 1))
    shape = upright(mesh(flat, np.arange(3 * n), normals=up, colour=np.repeat(colour, 3, axis=0), gloss=0.0))
    bank, radius = Bank((shape,)), float(np.linalg.norm(shape.extents)) / 2
    azimuth, elevation = seen._directions(42)
    found = np.zeros(n + 1, bool)
    pixels = next((pixels for most, pixels in seen.SIDES if n <= most), seen.SIDE)
    for start in range(0, 42, 6):
        some = slice(start, start + 6)
        scenes = staged(
            torch.zeros(6), azimuth=torch.from_numpy(azimuth[some]), elevation=torch.from_numpy(elevation[some]),
            fov=seen.FOV, floor_colour=black, shadow=0.0, light_colour=black, bottom=black, top=black,
            distance=1.02 * radius / np.sin(np.radians(seen.FOV / 2)), target=(0, 0, float(shape.extents[2]) / 2),
        )  # fmt: skip
        scenes = replace(scenes, ambient=torch.ones((len(scenes), 1, 3)))
        drawn = render(scenes, bank, pixels, supersampling=1).long()
        shown = torch.unique(drawn[:, 0] + 256 * drawn[:, 1] + 65536 * drawn[:, 2]).numpy()
        found[shown[shown <= n]] = True
    found = found[1:]
    for _ in range(seen.RINGS):
        found = seen._with_neighbours(found, corners, ids)
    return found


def one_by_one(root: Path, cache: Path, files: int, old: bool) -> float:
    """Seconds per file in this process, without its start."""
    from unseen.worlds.meshes import surface
    from unseen.worlds.meshes.files import read_as, usually
    from unseen.worlds.meshes.layouts.table import listing
    from unseen.worlds.meshes.reading import Reading, read

    if old:
        surface.seen = seen_by_colours  # pyright: ignore[reportPrivateImportUsage]
    found = listing(root, cache)
    step = max(1, len(found.entries) // files)
    how = usually(Reading(), found)
    some = found.entries[::step][:files]
    read(found.base / some[0].path, read_as(some[0], how))  # what is imported once
    started = time.perf_counter()
    for one in some:
        read(found.base / one.path, read_as(one, how))
    return (time.perf_counter() - started) / len(some)


def opened(root: Path, cache: Path, instances: int | None, draw: bool) -> float:
    """Meshes that the world shows, all of them read, converted and kept by then."""
    from unseen.worlds import make

    some = {"instances": instances} if instances else {}
    world: Any = make("meshes", root=str(root), cache=str(cache), pose=1, **some)
    if draw:
        assert len(world.furnished.meshes) == world.samples.instances
    return world.samples.instances


def run(*words: str) -> tuple[float, float, float]:
    """Seconds of a process, those that it and its workers spent on a CPU, and what it tells."""
    started, spent = time.perf_counter(), _spent()
    call = [sys.executable, "-m", "bench.meshes", "--one", *words]
    told = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=True, env=os.environ).stdout
    return time.perf_counter() - started, _spent() - spent, json.loads(told.splitlines()[-1])


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, help="a folder of meshes, of any layout that the world reads")
    parser.add_argument("--instances", type=count, help="of each category, at most; all by default")
    parser.add_argument("--sample", type=count, default=33, help="files that are read one after another")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        what, root, cache, number = args.one[0], Path(args.one[1]), Path(args.one[2]), int(args.one[3])
        if what in ("before", "now"):
            print(json.dumps(one_by_one(root, cache, number, what == "before")))
        else:
            print(json.dumps(opened(root, cache, number or None, what == "drawn")))
        return
    with tempfile.TemporaryDirectory() as place:
        root, cache = args.root, str(Path(place) / "cache")
        if root is None:
            root = Path(place) / "models"
            made(root, 200)
        from unseen.vocabulary.cores import cores

        *_, before = run("before", str(root), cache, str(args.sample))
        *_, now = run("now", str(root), cache, str(args.sample))
        some = (str(root), cache, str(args.instances or 0))
        first, again, drawn = run("opened", *some), run("opened", *some), run("drawn", *some)
        files = first[2]
    print(f"{int(files):,} meshes on {cores()} cores, {os.getloadavg()[0]:.1f} processes busy by the end")
    print("".join(f"{head:>14}" for head in ("", "ms a file", "all, s", "CPU, s", "times as fast")))
    for name, each in (("before", before), ("one process", now)):
        print(f"{name:>14}{1000 * each:>14.1f}{each * files:>14.1f}{'':>14}{before / each:>13.1f}×")
    for name, (seconds, spent, _) in (("opened", first), ("again", again), ("drawn", drawn)):
        faster = before * files / seconds
        print(f"{name:>14}{1000 * seconds / files:>14.1f}{seconds:>14.1f}{spent:>14.1f}{faster:>13.1f}×")


if __name__ == "__main__":
    main()
