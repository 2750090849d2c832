"""Subjects side by side: reading, all numbers and the page of many answers about many images, time and peak memory.

python -m bench.comparing --images 50000 --subjects 20
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from typing import NoReturn

import numpy as np
import polars as pl

CLASSES = 16


def file_of(folder: Path, images: int, subjects: int, objects: int) -> Path:
    """Answers of subjects whose errors are alike on hard images, half of them people."""
    rng = np.random.default_rng(0)
    truth, hard = rng.integers(0, CLASSES, images), rng.random(images)
    parts = []
    for subject in range(subjects):
        right = rng.random(images) < np.clip(0.5 + 0.02 * subject + hard - 0.5, 0, 1)
        said = np.where(right, truth, rng.integers(0, CLASSES, images))
        name = f"subject-{subject:02}" if subject % 2 else f"model-{subject:02}"
        parts.append(
            pl.DataFrame(
                {
                    "subj": [name] * images,
                    "session": ["1"] * images,
                    "rt": ["0.8"] * images,
                    "object_response": [f"class{k:02}" for k in said.tolist()],
                    "category": [f"class{k:02}" for k in truth.tolist()],
                    "condition": [f"c{k % objects}" for k in range(images)],
                    "imagename": [f"n{k:06}_{k}.png" for k in range(images)],
                }
            )
        )
    pl.concat(parts).write_csv(folder / "answers.csv")
    return folder / "answers.csv"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=50_000)
    parser.add_argument("--subjects", type=int, default=20)
    parser.add_argument("--levels", type=int, default=8)
    told = parser.parse_args()
    from unseen.kinds.comparison.page import page
    from unseen.kinds.comparison.parting import partings
    from unseen.kinds.comparison.sources import How, gathered
    from unseen.kinds.comparison.tables import numbers_of
    from unseen.reports.page import write_report

    with tempfile.TemporaryDirectory() as folder:
        file = file_of(Path(folder), told.images, told.subjects, told.levels)
        for each in (False, True):
            start, busy = time.perf_counter(), time.process_time()
            compared = gathered([str(file)], _no_study, How(each_person=each))
            read = time.perf_counter() - start
            found = numbers_of(compared.answers)
            numbers = time.perf_counter() - start
            shown = page(found, partings(compared, found), title="bench", command="", written="")
            write_report(shown, Path(folder) / "page")
            whole, busy = time.perf_counter() - start, time.process_time() - busy
            subjects = len(compared.answers.groups)
            print(
                f"{told.images:,} images × {told.subjects} who ({subjects} subjects, {len(found.pairs)} pairs): read "
                f"{read:.1f} s, numbers {numbers - read:.1f} s, page {whole - numbers:.1f} s, all {whole:.1f} s "
                f"(CPU {busy:.1f} s)"
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"peak memory {peak:.2f} GB, making the file included")


def _no_study(path: str) -> NoReturn:
    raise FileNotFoundError(path)


if __name__ == "__main__":
    main()
