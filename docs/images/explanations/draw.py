"""Pictures that excite classes, and a dream: `python docs/images/explanations/draw.py STUDY PHOTO` writes the sheets.

STUDY is a finished study of digits (`unseen run adebayo2018/small --out STUDY`), PHOTO any photograph. Minutes on two
CPU cores. EfficientNet-Lite0 comes with the extra `transfer`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch

from unseen.engines.opened import opened
from unseen.explanations import Score, dream, maximise
from unseen.explanations.drawing import pictures_of, sheet, write_png
from unseen.models.given import bring
from unseen.models.given.looked_into import looked_into
from unseen.studies.explained.album import of_files
from unseen.studies.explained.looked import given_looked

HERE = Path(__file__).parent
CLASSES = ("goldfish", "flamingo", "ladybug", "starfish", "daisy", "pirate")  # ImageNet's 1, 130, 301, 327, 985, 724
NUMBERS = (1, 130, 301, 327, 985, 724)
SIDE, STEPS = 128, 96


def digits(study: str) -> None:
    """Every class of a small network of digits, by the lecture's formula (above) and in Fourier's space (below)."""
    network = opened(study).trial(0).network().module
    asked = [Score(label, "category") for label in range(9)]
    made = [
        maximise(
            network, asked, size=(24, 24), channels=1, space=space, steps=200, jitter=2, transform=space == "fourier"
        )
        for space in ("pixels", "fourier")
    ]
    tiles = [tile for one in made for tile in pictures_of(one.pictures)]
    write_png(HERE / "digits.png", sheet(tiles, columns=9, enlarge=3))


def imagenet() -> None:
    """Six classes of EfficientNet-Lite0."""
    network = looked_into(bring("efficientnet-lite0"))
    made = maximise(network, [Score(label) for label in NUMBERS], size=(SIDE, SIDE), steps=STEPS, batch=6)
    print("scores before", made.before.round(1), "after", made.after.round(1), flush=True)
    write_png(HERE / "efficientnet-lite0.png", sheet(list(pictures_of(made.pictures)), columns=6, gap=4))


def dreamt(photo: str) -> None:
    """A photograph, and what a late layer makes of it."""
    given = bring("efficientnet-lite0")
    looked = given_looked(given)
    images = of_files([photo], looked.frame).fetch([0])
    found = dream(looked.model, images.float(), "blocks.4", octaves=3, steps=8, rate=0.02)
    both = np.concatenate([images.numpy().astype(np.float64), found])
    write_png(HERE / "dream.png", sheet(list(pictures_of(both)), columns=2, gap=4))


if __name__ == "__main__":
    torch.set_num_threads(1)
    digits(sys.argv[1])
    dreamt(sys.argv[2])
    imagenet()
