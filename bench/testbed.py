"""The line of new against original accuracy over the models of `imagenet_testbed` (Taori et al. 2020).

    python -m bench.testbed --data ../shared/data/imagenet_testbed --out docs/results/recht2019

Models: all that were asked both; those that the paper's figure shows (at least 55 % on the original, no subsampled
training set); and of these the ones with standard training, through which its line is fitted: told by their names, as
the released ``model_types.py`` sorts its 204 models. Accuracies are top-1.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np
import polars as pl

from unseen.measures import SCALES, fit_line, mean_drop

ORIGINAL = "val"
NEW = tuple(f"imagenetv2-{way}-format-val" for way in ("matched-frequency", "threshold-0.7", "top-images"))
MORE_DATA = (
    "swsl|ssl|instagram|BiT|tencent|jft|imagenet11k|imagenet21k|noisystudent|FixResNeXt|dpn107|dpn68b|dpn92|clip|vit_"
)
INTERVENED = (
    "lpf|advprop|cutmix|CutMix|mixup|cutout|augmix|deepaugment|SIN|_aws|adv_train|adv-train|smoothing|rotation-|robust|"
    "simclr|simsiam|swav|_epochs|lstsq|one_nn|random_forests|batch64"
)
STANDARD = ("randomized_smoothing_noise_0.00",)


def kinds(names: list[str], original: np.ndarray) -> dict[str, np.ndarray]:
    shown = np.array(["subsample" not in name.lower() for name in names]) & (original >= 0.55)
    odd = re.compile(f"{MORE_DATA}|{INTERVENED}")
    plain = np.array([bool(odd.search(name)) is False or name.endswith(STANDARD) for name in names])
    return {"all": np.ones(len(names), dtype=bool), "at least 55 %": shown, "standard training": shown & plain}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    told = parser.parse_args()
    frame = pl.read_csv(told.data / "robustness_top1s.csv")
    rows = []
    for new in NEW:
        both = frame.filter(pl.col(ORIGINAL).is_not_null() & pl.col(new).is_not_null())
        x, y = (both[name].to_numpy() / 100 for name in (ORIGINAL, new))
        for models, here in kinds(both["model"].to_list(), x).items():
            drop = mean_drop(x[here], y[here])
            for scale in SCALES:
                line = fit_line(x[here], y[here], scale)
                rows.append(
                    {
                        "new": new,
                        "models": models,
                        "scale": scale,
                        "n": line.n,
                        "left out": line.dropped,
                        "slope": line.slope.value,
                        "slope low": line.slope.low,
                        "slope high": line.slope.high,
                        "intercept": line.intercept.value,
                        "intercept low": line.intercept.low,
                        "intercept high": line.intercept.high,
                        "r2": line.r2,
                        "above one": line.above_one,
                        "drop": drop.value,
                        "drop low": drop.low,
                        "drop high": drop.high,
                        "least drop": float((x - y)[here].min()),
                        "largest drop": float((x - y)[here].max()),
                    }
                )
    told.out.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(rows).write_parquet(told.out / "lines.parquet")
    print(pl.DataFrame(rows).select("new", "models", "scale", "n", "slope", "slope low", "slope high", "r2", "drop"))


if __name__ == "__main__":
    main()
