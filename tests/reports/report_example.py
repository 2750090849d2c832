"""A small study as ``studies`` would gather it, with invented but plausible numbers."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import polars as pl

from unseen.kinds.combinations.shown import CombinationContents
from unseen.reports import Finding, SplitPicture, UnitPicture
from unseen.reports.answer_pictures import AnswerPictures, CellPicture, ConfusionPicture, Gallery, Mistake

XS = (9.0, 18.0, 27.0, 36.0)
SERIES = ("separate", "shared")
TARGETS = ("digit", "position")
LAYERS = ("block-1", "block-2", "block-3", "block-4")
NASTY = """Digits & places: does <b>"diversity"</b> help? </script><script>document.title='broken'</script>"""
EMPTY = pl.DataFrame()
LAST_SECTIONS = (  # of the page of every kind
    "Published numbers beside ours", "Loss curves", "Flags", "Numbers", "How it was made", "Recipe", "Citation",
)  # fmt: skip


def contents(kind: type = CombinationContents, **changes: object):
    """Those of combinations, or of another kind with its own fields among ``changes``."""
    rng = np.random.default_rng(0)
    whole: dict = {
        "title": NASTY,
        "question": "Do networks recognise digits at places where they have never seen that digit?",
        "answer": "Yes, with diversity: OOD accuracy of separate networks rises from 0.31 [0.27, 0.35] at 9 "
        "combinations to 0.89 [0.86, 0.92] at 36 (n = 3), and stays 0.14 [0.08, 0.20] above that of shared networks.",
        "shows": "Figures 3, 5 and 6 of Madan et al. 2022 on scikit-learn's digits.",
        "x_title": "in-distribution combinations",
        "series_title": "architecture",
        "summary": summary(rng),
        "scatter": scatter(rng),
        "curves": curves(rng),
        "flags": pl.DataFrame(
            {
                "trial": ["a3f9c2d1"],
                "series": ["shared"],
                "x": [9.0],
                "seed": [2],
                "flag": ["unconverged"],
                "detail": ["validation loss still falling by 3 % per epoch at the last epoch"],
            }
        ),
        "splits": splits(rng),
        "units": units(rng),
        "findings": findings(),
        "recipe": '[study]\nname = "demo"\n# a <comment> & more\n[[trials]]\nmodel = "resnet18"\nseeds = [0, 1, 2]',
        "published": published(),
        "published_source": "Madan et al. 2022, released tables",
        "facts": facts(),
        "citation": "@article{madan2022, title={When and how CNNs generalize to out-of-distribution "
        "category-viewpoint combinations}, journal={Nature Machine Intelligence}, year={2022}}",
    }
    known = {field.name for field in fields(kind)}
    return kind(**{name: value for name, value in (whole | changes).items() if name in known})


def summary(rng: np.random.Generator) -> pl.DataFrame:
    rows = []

    def add(x, series, value, measure, *, half=0.03, n=3, **keys):
        low, high = (float("nan"), float("nan")) if n == 1 else (value - half, value + half)
        blank = {"set": "", "target": "", "layer": "", "unit_type": "", "chance": None}
        rows.append({"x": x, "series": series, **blank, **keys, "measure": measure, "value": value})
        rows[-1] |= {"low": low, "high": high, "n": n}

    for k, x in enumerate(XS):
        for s, series in enumerate(SERIES):
            for target, hard in (("geometric mean", 0.0), ("digit", -0.06), ("position", 0.06)):
                unseen = 0.31 + 0.58 * (k / 3) ** 0.6 - 0.14 * s * k / 3 + hard * 0.7
                n = 1 if (x, series) == (9.0, "shared") else 3
                for name, value in (("seen", 0.985 - 0.02 * k + 0.01 * s + hard / 5), ("unseen", unseen)):
                    half = 0.008 if name == "seen" else 0.045 - 0.006 * k
                    add(x, series, min(value, 0.999), "accuracy", set=name, target=target, half=half, n=n, chance=1 / 9)
            for t, kind in enumerate(TARGETS):
                for depth, layer in enumerate(LAYERS):
                    value = 0.12 + 0.09 * depth * (1 + 0.25 * k) * (1 - 0.25 * s) + 0.03 * t
                    keys = {"layer": layer, "unit_type": kind}
                    add(x, series, value, "median specialization", half=0.02, **keys)
                    add(x, series, min(1.0, value**0.8), "median selectivity", half=0.02, **keys)
                    add(x, series, min(1.0, value**0.5), "median invariance", half=0.02, **keys)
                    share = 1.0 if s == 0 else (0.53 + 0.02 * k if t == 0 else 0.47 - 0.02 * k)
                    add(x, series, share, "share of units", half=0.0 if s == 0 else 0.05, **keys)
                    add(x, series, float(rng.integers(0, 4)), "degenerate units", half=0.5, **keys)
    nothing = {"value": float("nan"), "low": float("nan"), "high": float("nan"), "n": 0}
    rows.append({**rows[0], "x": 45.0, "measure": "median specialization", "set": "", "target": "", **nothing})
    return pl.DataFrame(rows, schema_overrides={"chance": pl.Float64})


def scatter(rng: np.random.Generator) -> pl.DataFrame:
    rows = []
    for k, x in enumerate(XS):
        for s, series in enumerate(SERIES):
            for seed in range(3):
                for t, target in enumerate(TARGETS):
                    special = 0.35 + 0.1 * k - 0.06 * s * k / 2 + rng.normal(0, 0.015) + 0.03 * t
                    row = {"trial": f"{series}-{x:g}-{seed}", "seed": seed, "series": series, "x": x, "target": target}
                    accuracy = float(np.clip(1.7 * special - 0.28 + rng.normal(0, 0.03), 0, 1))
                    rows.append(row | {"layer": "block-4", "specialization": special, "accuracy": accuracy})
    return pl.DataFrame(rows)


def curves(rng: np.random.Generator) -> pl.DataFrame:
    rows = []
    for k, x in enumerate(XS):
        for s, series in enumerate(SERIES):
            for seed in range(3):
                pace = 3 + k + s + rng.uniform(0, 1)
                for epoch in range(1, 21):
                    train = 4.2 * np.exp(-epoch / pace) + 0.02 * (1 + k) + rng.uniform(0, 0.01)
                    for phase, loss in (
                        ("train", train),
                        ("validation", train + 0.05 * (1 + k) + rng.uniform(0, 0.02)),
                    ):
                        row = {"trial": f"{series}-{x:g}-{seed}", "seed": seed, "series": series, "x": x}
                        row |= {"epoch": epoch, "phase": phase, "target": "total"}
                        rows.append(row | {"loss": float(loss), "accuracy": None})
    return pl.DataFrame(rows, schema_overrides={"accuracy": pl.Float64})


def splits(rng: np.random.Generator, levels: int = 9) -> tuple[SplitPicture, ...]:
    order = rng.permutation(levels)
    asked = np.zeros((levels, levels), dtype=bool)
    asked[np.arange(levels), order] = True
    examples = np.zeros((levels, levels, 24, 24, 1), dtype=np.uint8)
    for row in range(levels):
        stroke = (rng.random((8, 8)) < 0.45).astype(np.uint8) * 255
        for column in range(levels):
            top, left = 8 * (column // 3 % 3), 8 * (column % 3)
            examples[row, column, top : top + 8, left : left + 8, 0] = stroke
    made = []
    for k in (1, 2, 3, 4):
        seen = np.zeros_like(asked)
        for step in range(1, k + 1):
            seen[np.arange(levels), (order + step) % levels] = True
        made.append(
            SplitPicture(
                title=f"{9 * k} combinations",
                row_factor="digit",
                column_factor="position",
                row_levels=tuple(str(level) for level in range(levels)),
                column_levels=("↖", "↑", "↗", "←", "·", "→", "↙", "↓", "↘")[:levels],
                seen=seen,
                asked=asked,
                counts=seen * (720 // k),
                examples=examples,
                missing=None,
            )
        )
    return tuple(made)


def units(rng: np.random.Generator) -> tuple[UnitPicture, ...]:
    made = []
    for index in range(8):
        grid = rng.uniform(0, 0.18, (9, 9))
        if index % 2 == 0:
            grid[index, :] = rng.uniform(0.82, 1, 9)
        else:
            grid[:, index] = rng.uniform(0.82, 1, 9)
        if index == 7:
            grid[0, 0] = float("nan")
        made.append(
            UnitPicture(
                title=f"{SERIES[index % 4 // 2]}, 36 combinations, seed {index % 3}",
                layer="block-4",
                unit=17 * index + 3,
                unit_type=TARGETS[index % 2],
                specialization=0.86 - 0.02 * index,
                selectivity=0.83 - 0.02 * index,
                invariance=0.88,
                grid=grid,
                row_levels=tuple(str(level) for level in range(9)),
                column_levels=("↖", "↑", "↗", "←", "·", "→", "↙", "↓", "↘"),
                row_factor="digit",
                column_factor="position",
            )
        )
    return tuple(made)


def findings() -> tuple[Finding, ...]:
    nan = float("nan")
    return (
        Finding(
            "Diversity helps", "OOD accuracy rises with the number of combinations.", 0.58, 0.49, 0.67, 6, 3e-5, True
        ),
        Finding("Separate beats shared", "Paired over x and seed, on OOD cells.", 0.142, 0.08, 0.204, 12, 0.0021, True),
        Finding("Specialization predicts", "Rank correlation across trials.", -0.03, -0.41, 0.36, 24, 0.88, None),
        Finding(
            "Diversity costs", "In-distribution accuracy falls <slowly> & surely.", 0.02, 0.01, 0.03, 3, 0.04, False
        ),
        Finding("One repeat", "Only a single seed has finished.", 0.31, nan, nan, 1, None, None),
    )


def published() -> pl.DataFrame:
    rows = []
    for series, ood in (("Separate", (0.34, 0.55, 0.74)), ("Shared", (0.33, 0.5, 0.6))):
        for x, value in zip((9.0, 18.0, 45.0), ood):
            rows.append({"figure": "Fig. 3a", "series": series, "x": x, "set": "unseen", "value": value})
    return pl.DataFrame(rows)


def facts() -> dict[str, dict[str, str]]:
    return {
        "World": {
            "name": "digits",
            "images": "1,797",
            "size": "24 × 24 px, grey",
            "fingerprint": "sha256:9c1f" + "ab" * 28,
        },
        "Network": {"backbone": "resnet18-narrow", "stem": "small images (3×3, stride 1)", "parameters": "175,258"},
        "Machine": {"device": "2 CPU cores", "memory": "8 GiB"},
        "Versions": {"unseen": "0.1.0", "torch": "2.11.0", "python": "3.11"},
        "Time": {"training": "3 min 12 s", "24 trials": "8 s each"},
    }


def answered(pictures: bool = True, classes: int = 9) -> AnswerPictures:
    """Answers of six networks: cells, confusions and mistakes, also of a file with an odd name."""
    rng = np.random.default_rng(1)
    seen = rng.random((9, 9)) < 0.5
    asked = np.full((9, 9), 36)
    asked[0, 0] = 0
    right = np.where(seen, 34, 12) * (asked > 0)
    names = tuple(map(str, range(9)))
    cells = tuple(
        CellPicture("digit", "position", names, names, f"{x} combinations", target, right, asked, seen, 6, x == 36)
        for x in (9, 18, 27, 36, 45)
        for target in TARGETS
    )
    levels = tuple(f"kind {n}" for n in range(classes))
    counts = rng.integers(0, 9, (classes, classes)) + np.diag(np.full(classes, 60))
    confusions = tuple(
        ConfusionPicture("36 combinations", target, asked, levels, counts, 6, asked == "unseen")
        for target in TARGETS
        for asked in ("unseen", "seen")
    )
    shown = rng.integers(0, 255, (12, 64, 64, 3), dtype=np.uint8)
    mistakes = tuple(
        Mistake(
            f"photos/a & <b>/{n:03}.jpg", "digit 3, position 7", "three", "eight", 0.99 - n / 50,
            "36 combinations, seed 1", 5, 6, shown[n] if pictures else None,
        )
        for n in range(12)
    )  # fmt: skip
    galleries = (Gallery("digit", mistakes, 90, 360), Gallery("position", (), 0, 360))
    return AnswerPictures(cells, confusions, galleries, (), "" if pictures else "the images are not at hand (moved)", 5)
