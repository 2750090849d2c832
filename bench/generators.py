"""Generators of worlds of ours, learned and judged: the tables and pictures of docs/results/goodfellow2014.md.

    python -m bench.generators --out OUT                  # two CPU cores: digits, small
    python -m bench.generators --full --out OUT           # H200: everyday objects of 64 pixels, GAN and pix2pix
    python -m bench.generators --toy --out OUT            # the game whose end is known, ten seeds

Writes ``generators.parquet`` (a row for each world and seed: Fréchet distance of EfficientNet-Lite0's features, beside
that of real pictures, and the check of nearest neighbours), ``history.parquet`` and a sheet of each world's first seed.
"""

from __future__ import annotations

import time
from pathlib import Path

import torch

from bench.image_prior_pictures import put
from bench.machine import arguments, where

EVERYDAY = {"name": "objects", "categories": 10, "instances": 300, "pose": 8, "collection": "everyday",
            "variation": "natural", "side": 64}  # fmt: skip
FULL = {
    "everyday": {"name": "generated", "of": EVERYDAY, "views": 8, "steps": 5000, "batch": 128, "width": 64},
    "edges to everyday": {"name": "translated", "of": EVERYDAY, "given": "horizontal", "views": 8, "steps": 5000,
                          "batch": 16, "width": 64},
    "grey to everyday": {"name": "translated", "of": EVERYDAY, "given": "geirhos-grey", "views": 8, "steps": 5000,
                         "batch": 16, "width": 64},
}  # fmt: skip
SMALL = {
    "digits": {"name": "generated", "of": {"name": "digits", "viewpoint": "none", "cell": 16}, "per_category": 90,
               "steps": 2000, "batch": 32, "lr": 3e-4, "width": 16, "latents": 32},
}  # fmt: skip


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--toy", action="store_true")
    parser.add_argument("--worlds", nargs="*", help="only these")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--features", default="efficientnet-lite0", help='a given model; "" takes pixels')
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.toy:
        toy(args.out)
        return
    from unseen.engines.generating import judged, sheet
    from unseen.worlds import make

    about = {"machine": where(torch.device(args.device))}
    for name, section in (FULL if args.full else SMALL).items():
        if args.worlds and name not in args.worlds:
            continue
        for seed in range(args.seeds):
            settings = {key: value for key, value in section.items() if key != "name"}
            world = make(str(section["name"]), **settings, seed=seed)
            started = time.perf_counter()
            world.learned(args.device)
            took = time.perf_counter() - started
            found = judged(world, images=args.images, model=args.features, device=args.device)
            at = {"world": name, "seed": seed}
            row = {**at, "l1": float("nan"), **found.row, "steps": int(section["steps"]), "seconds": took}
            put(args.out / "generators.parquet", [row], about)
            put(args.out / f"history-{section['name']}.parquet", [{**at, **one} for one in found.history], about)
            if seed == 0:
                sheet(found).save(args.out / f"{name.replace(' ', '-')}.png")
            print(f"{name}, seed {seed}: learned in {took:.0f} s, distance {found.row['distance']:.3g} (real "
                  f"{found.row['distance of real']:.3g}), near {found.row['near']:.1%}", flush=True)  # fmt: skip


def toy(out: Path) -> None:
    from unseen.worlds.generators.known_density import play

    torch.set_num_threads(1)
    rows = []
    for seed in range(10):
        game = play(seed)
        rows.append({"seed": seed, "scale": game.scale, "shift": game.shift, "first error": game.first_error,
                     "last error": game.last_error, "from half": game.last_from_half})  # fmt: skip
        print(rows[-1], flush=True)
    put(out / "toy.parquet", rows, {"machine": where(torch.device("cpu"))})


if __name__ == "__main__":
    main()
