"""Answers of models that come with their weights to cue conflicts, edges and silhouettes of Geirhos et al. (2019).

    python -m bench.cue_conflict --stimuli FOLDER efficientnet-lite0 efficientnet-lite1 --out answers
    python -m bench.cue_conflict --of edge --stimuli EDGES efficientnet-lite0 --out answers

FOLDER holds SHAPE/SHAPEn-TEXTUREm.webp, 224 × 224 pixels; of edges and silhouettes SHAPE/SHAPEn.png. Answers go
through the map from 1,000 classes to 16 (mean of probabilities) and are written in the layout of model-vs-human, a file
for each model and crop: a model that has one is not asked again. ``unseen compare`` and ``bench.people`` read them. The
whole stimulus is shown, scaled to the model's side, as the released code does; ``--crop model`` shows the middle that
the model's own preprocessing keeps.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import polars as pl

ENDINGS = (".webp", ".png", ".jpg", ".jpeg")
BATCH = 32
CUES, EDGES, SILHOUETTES = "cue-conflict", "edge", "silhouette"  # as model-vs-human calls its data sets


def stimuli(folder: Path, of: str = CUES) -> list[Path]:
    named = (path for path in folder.rglob("*") if path.suffix.lower() in ENDINGS)
    found = sorted(path for path in named if ("-" in path.stem) == (of == CUES))
    if not found:
        form = "<shape><n>-<texture><m>" if of == CUES else "<shape><n>"
        raise SystemExit(f"no {of} stimuli ({form}) in '{folder}'")
    return found


def answers(name: str, paths: list[Path], crop: str) -> pl.DataFrame:
    """What a model says of each stimulus, among the 16 categories."""
    import torch
    from PIL import Image

    from unseen.models.given import bring
    from unseen.vocabulary.class_maps import class_map, mapped

    sixteen = class_map("geirhos16")
    categories = sorted(sixteen.classes)
    model = bring(name, preprocessing={} if crop == "model" else {"crop": 1.0})
    said: list[str] = []
    for start in range(0, len(paths), BATCH):
        pictures = []
        for path in paths[start : start + BATCH]:
            with Image.open(path) as image:
                pictures.append(np.asarray(image.convert("RGB")).transpose(2, 0, 1))
        with torch.no_grad():
            probabilities = model.probabilities(torch.from_numpy(np.stack(pictures))).double().numpy()
        said += [categories[place] for place in mapped(probabilities, sixteen, categories).argmax(1)]
    stems = [path.stem for path in paths]
    shape = [stem.partition("-")[0].rstrip("0123456789") for stem in stems]
    n = len(paths)
    return pl.DataFrame(
        {
            "subj": [name + (" (its crop)" if crop == "model" else "")] * n,
            "session": [1] * n,
            "trial": range(1, n + 1),
            "rt": ["NaN"] * n,
            "object_response": said,
            "category": shape,
            "condition": ["0"] * n,
            "imagename": [f"{stem}.png" for stem in stems],
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--stimuli", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--of", choices=(CUES, EDGES, SILHOUETTES), default=CUES)
    parser.add_argument("--crop", choices=("none", "model"), default="none")
    told = parser.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    paths = stimuli(told.stimuli, told.of)
    for name in told.models:
        to = told.out / f"{told.of}_{name}{'_crop' if told.crop == 'model' else ''}_session-1.csv"
        if to.is_file():
            print(f"{to.name}: there already")
            continue
        start = time.perf_counter()
        answers(name, paths, told.crop).write_csv(to.with_suffix(".part"))
        to.with_suffix(".part").rename(to)
        print(f"{to.name}: {len(paths)} stimuli in {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
