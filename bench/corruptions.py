"""Milliseconds per picture of the fifteen corruptions of ImageNet-C: ours in a batch, and the package imagecorruptions.

    python -m bench.corruptions --rival PYTHON     # of an environment with `pip install imagecorruptions`

The package needs OpenCV and older names of numpy and scikit-image, which are given to it there, so it runs in an
interpreter of its own, on one thread like ours, on the same pictures, severity 3. Time is of the process; the best of
the rounds is taken. The last column is the largest difference over all pixels and severities, of 255, where nothing is
drawn by chance. The frost of ImageNet-C is photographs and ours is drawn, so their times are of different things.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from unseen.worlds import make
from unseen.worlds.transforms import HENDRYCKS

RIVAL = """
import os, sys, time, types
import numpy as np, scipy.ndimage, skimage.filters
np.float_ = np.float64
plain = skimage.filters.gaussian
def gaussian(image, sigma=1, multichannel=None, mode="nearest", truncate=4.0):
    return plain(image, sigma=sigma, mode=mode, truncate=truncate, channel_axis=-1 if multichannel else None)
skimage.filters.gaussian = gaussian
for name, one in (("pkg_resources", "resource_filename"), ("scipy.ndimage.interpolation", "map_coordinates")):
    module = types.ModuleType(name)
    module.resource_filename = lambda n, p: os.path.join(os.path.dirname(sys.modules["imagecorruptions"].__file__), p)
    module.map_coordinates = scipy.ndimage.map_coordinates
    sys.modules[name] = module
import cv2
cv2.setNumThreads(1)
import imagecorruptions
pictures, found = np.load(sys.argv[1]), {}
for function in imagecorruptions.corruption_tuple[:15]:
    name, best = function.__name__, np.inf
    for severity in (1, 2, 3, 4, 5) if name in sys.argv[3:] else (3,):
        np.random.seed(0)
        started = time.process_time()
        made = [imagecorruptions.corrupt(one, severity=severity, corruption_name=name) for one in pictures]
        if severity == 3:
            best = (time.process_time() - started) / len(pictures) * 1000
        found[f"{name}-{severity}"] = np.stack(made)
    found[f"{name}-ms"] = best
np.savez(sys.argv[2], **found)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rival", help="a Python that has imagecorruptions")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--side", type=int, default=224)
    args = parser.parse_args()
    torch.set_num_threads(1)
    world = make("objects", categories=8, instances=2, pose=8, side=args.side)
    images = world.images(np.linspace(0, len(world.samples) - 1, args.batch).astype(np.int64))
    theirs = rival(args.rival, images.permute(0, 2, 3, 1).numpy()) if args.rival else {}
    keys, ratios, total = torch.arange(args.batch) * 991, [], np.zeros(2)
    print(f"corruptions, {args.batch} pictures of 3×{args.side}×{args.side}, severity 3, one thread, ms a picture")
    print(f"  {'':20}{'ours':>8}{'package':>10}{'':9}{'apart':>8}")
    for row in HENDRYCKS:
        row(images, 3, keys)  # copies tables
        turns = []
        for _ in range(3):
            started = time.process_time()
            row(images, 3, keys)
            turns.append((time.process_time() - started) / args.batch * 1000)
        name = row.name.removeprefix("hendrycks-").replace("-", "_")
        line = f"  {name.replace('_', ' '):20}{min(turns):8.2f}"
        if theirs:
            ratios.append(float(theirs[f"{name}-ms"]) / min(turns))
            total += min(turns), theirs[f"{name}-ms"]
            line += f"{float(theirs[f'{name}-ms']):10.2f}{ratios[-1]:8.1f}×"
            if not row.chance:
                shown = [np.trunc(row(images, s, keys).permute(0, 2, 3, 1).numpy()) for s in range(1, 6)]
                line += f"{max(np.abs(one - theirs[f'{name}-{s}']).max() for s, one in enumerate(shown, 1)):8.0f}"
        print(line, flush=True)
    if theirs:
        middle = np.exp(np.mean(np.log(ratios)))
        print(f"  all fifteen: {total[1] / total[0]:.1f} times as fast; geometric mean of the ratios {middle:.1f}")


def rival(python: str, pictures: np.ndarray) -> dict[str, np.ndarray]:
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder, "given.npy"), Path(folder, "found.npz")
        np.save(given, pictures)
        steady = [row.name.removeprefix("hendrycks-").replace("-", "_") for row in HENDRYCKS if not row.chance]
        subprocess.run([python, "-c", RIVAL, given, found, *steady], check=True)
        return dict(np.load(found))


if __name__ == "__main__":
    main()
