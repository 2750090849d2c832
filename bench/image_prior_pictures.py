"""What untrained networks make of pictures of ours: Figures 2, 3 and 7 of Ulyanov et al. (2018), and PSNR beside
classical ways.

    python -m bench.image_prior_pictures --out docs/results/ulyanov2018/small     # two CPU cores, small networks
    python -m bench.image_prior_pictures --full --out OUT                         # H200, some minutes
    python -m bench.image_prior_pictures --full --classical --out OUT             # classical ways only, any machine

Restoring a picture is no study: no rows of a world are split, nobody answers, and no weights outlive their picture. So
there is no recipe; this writes the tables of docs/results/ulyanov2018.md. The pictures are four crops of scikit-learn's
two photographs and four rendered ones; what is done to them depends on the seed only, so that a machine without
scikit-image restores by networks and another one adds the classical ways.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

TASKS = {"noise": ("denoise", 25.0, ""), "half missing": ("inpaint", 0.5, ""), "text": ("inpaint", 0.5, "text"),
         "JPEG": ("jpeg", 10.0, ""), "enlarged": ("super-resolve", 4.0, "")}  # fmt: skip
PHOTOS = {"temple": ("china.jpg", 20, 30), "roofs": ("china.jpg", 20, 340), "blossom": ("flower.jpg", 60, 170),
          "petals": ("flower.jpg", 100, 300)}  # fmt: skip
CROP = 300  # pixels of a photograph, before it is shrunk
RENDERED = {"mug": 0, "stool": 6, "sheep": 10, "aeroplane": 18}  # which of 24 rows drawn from a world


def pictures(side: int) -> tuple[tuple[str, ...], np.ndarray]:
    """Eight pictures ``[8, 3, side, side]`` in 0…1, photographs and rendered ones in turn, and their names."""
    from PIL import Image
    from sklearn.datasets import load_sample_image

    from unseen.worlds import make

    found: dict[str, np.ndarray] = {}
    for name, (file, top, left) in PHOTOS.items():
        crop = Image.fromarray(load_sample_image(file)[top : top + CROP, left : left + CROP])
        found[name] = np.asarray(crop.resize((side, side), Image.Resampling.LANCZOS)).transpose(2, 0, 1)
    world = make("natural-variation", classes=4, instances=2, blocks=("all",), collection="everyday",
                 variation="natural", side=side)  # fmt: skip
    rows = np.sort(np.random.default_rng(0).choice(len(world.samples), 24, replace=False))
    shown = world.images(rows[list(RENDERED.values())]).numpy()
    found |= dict(zip(RENDERED, shown))
    names = tuple(name for pair in zip(PHOTOS, RENDERED) for name in pair)
    return names, np.stack([found[name] for name in names]).astype(np.float32) / 255


def main() -> None:
    import torch

    from bench.machine import CUDA, arguments, where
    from unseen.engines.restoring import Fit

    parser = arguments(__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--full", action="store_true", help="256 px and the paper's network and steps")
    parser.add_argument("--classical", action="store_true", help="only the classical ways (scikit-image)")
    parser.add_argument("--tasks", nargs="*", default=[*TASKS], choices=[*TASKS])
    parser.add_argument("--pictures", type=int, default=8 if CUDA else 4)
    parser.add_argument("--seeds", type=int, default=1 if CUDA else 2)
    parser.add_argument("--long", type=int, default=0, help="steps of the JPEG that is overfitted; 0: no such run")
    args = parser.parse_args()
    names, truth = pictures(256 if args.full else 64)
    names, truth = names[: args.pictures], truth[: args.pictures]
    size = {} if args.full else {"steps": 400, "scales": 3, "width": 16}
    args.out.mkdir(parents=True, exist_ok=True)
    about = {"side": truth.shape[-1], "machine": where(torch.device(args.device)), "version": torch.__version__}
    for seed in range(args.seeds):
        fit = Fit(seed=seed, **size)
        for task in args.tasks:
            started = time.perf_counter()
            rows, sheet = restored(task, names, truth, fit, args)
            took = time.perf_counter() - started
            kind = "classical" if args.classical else "networks"
            put(args.out / f"psnr-{kind}.parquet", rows, {**about, "steps": fit.steps, "seconds": took})
            if seed == 0 and sheet is not None:
                sheet.save(args.out / f"{task.replace(' ', '-')}.png")
            print(f"{task}, seed {seed}: {took:.0f} s", flush=True)
        if not args.classical:
            curves(names[:4], truth, fit, args, about)
    if args.long and not args.classical:
        overfitted(names[:4], truth, Fit(**{**size, "steps": args.long}), args, about)


def restored(task, names, truth, fit, args) -> tuple[list[dict], object]:
    """PSNR by picture and way, and a sheet of all."""
    from unseen.engines import restorations
    from unseen.engines.damage import classical, damaged

    kind, amount, mask = TASKS[task]
    at = {"task": task, "seed": fit.seed}
    if args.classical:
        known = restorations.mask_of(mask, *truth.shape[-2:]) if kind == "inpaint" else None
        given, damage = damaged(truth, kind, amount, mask=known, seed=fit.seed)
        ways = classical(given, damage)
        found = {way: restorations.psnr(made, truth) for way, made in ways.items()}
        rows = [{**at, "picture": name, "way": way, "psnr": float(value)} for way, values in found.items()
                for name, value in zip(names, values)]  # fmt: skip
        return rows, None
    beside = not args.full
    found = restorations.restoration(
        names, truth, kind, fit, amount=amount, mask=mask, beside=beside, device=args.device
    )
    rows = [{**at, **row} for row in found.table]
    for place, name in enumerate(names):
        rows.append({**at, "picture": name, "way": "step stopped at", "psnr": float(found.fitted.chosen_step[place])})
    return rows, restorations.sheet(found)


def curves(names, truth, fit, args, about) -> None:
    """The paper's Fig. 2: all goals of all pictures are fitted at once."""
    from dataclasses import replace

    from unseen.engines import restorations
    from unseen.engines.damage import Damage
    from unseen.engines.restoring import restore

    started = time.perf_counter()
    goals = np.concatenate([restorations.curve_goals(one, 25.0, fit.seed) for one in truth[: len(names)]])
    still = replace(fit, jitter=0.0, steps=min(fit.steps, 1000))
    found = restore(goals, Damage("denoise", 0.0), still, device=args.device)
    labels = [(name, what) for name in names for what in restorations.CURVES]
    rows = [{"picture": name, "what": what, "seed": fit.seed, "step": int(step), "mse": float(loss)}
            for step, losses in zip(found.steps, found.loss) for (name, what), loss in zip(labels, losses)]  # fmt: skip
    took = time.perf_counter() - started
    put(args.out / "curves.parquet", rows, {**about, "seconds": took})
    print(f"curves, seed {fit.seed}: {took:.0f} s", flush=True)


def overfitted(names, truth, fit, args, about) -> None:
    """The paper's Fig. 3: PSNR of a compressed picture that is fitted for too long."""
    from unseen.engines.damage import damaged
    from unseen.engines.restoring import restore

    started = time.perf_counter()
    given, damage = damaged(truth[: len(names)], "jpeg", 10.0, seed=fit.seed)
    found = restore(given, damage, fit, truth=truth[: len(names)], device=args.device)
    assert found.psnr is not None
    rows = [{"picture": name, "step": int(step), "psnr": float(value), "stopped": int(found.chosen_step[place])}
            for step, values in zip(found.steps, found.psnr) for place, (name, value) in enumerate(zip(names, values))
            if step % 50 == 0]  # fmt: skip
    took = time.perf_counter() - started
    put(args.out / "jpeg-long.parquet", rows, {**about, "seconds": took})
    print(f"JPEG for {fit.steps:,} steps: {took:.0f} s", flush=True)


def put(path: Path, rows: list[dict], about: dict) -> None:
    """Rows at the end of a table; a part that is done is kept when a later one is stopped."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist([{**row, **about} for row in rows])
    if path.exists():
        table = pa.concat_tables([pq.read_table(path), table])
    pq.write_table(table, path)


if __name__ == "__main__":
    main()
