"""Every answer of a study in one table: of its networks, and of subjects from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.kinds.collect import finished_trials
from unseen.studies.sound import damaged
from unseen.studies.study import Study
from unseen.studies.subjects import UNASKED, answers_of, subjects_of
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.sample_keys import sample_keys
from unseen.vocabulary.samples import Samples

if TYPE_CHECKING:
    import polars as pl

KEY = "key"


def every_answer(study: Study, *, keys: bool = False, records: Sequence[Any] | None = None) -> pl.DataFrame:
    """One row per subject, set, image and question. ``keys``: with the key of each image, which is computed from its
    row: the images must be at hand."""
    import polars as pl

    by_name = {study.find(trial): trial for trial in study.trials}
    frames = []
    for record in finished_trials(study, numbers=False) if records is None else records:
        frame = answers(record.folder, record.facts["label"], record.facts["seed"])
        point = by_name.get(record.identity)
        samples = study.world(point).samples if keys and point is not None and not study.absent else None
        frames.append(with_keys(frame, samples) if keys else frame)
    for record in subjects_of(study)[0]:
        frame = pl.DataFrame(pl.from_arrow(answers_of(study, record)))
        head = {"trial": record.identity, "label": record.subject.name, "seed": None}
        frame = frame.select(*(pl.lit(value).alias(key) for key, value in head.items()), pl.exclude(*head))
        frame = frame.filter(pl.col("set").cast(pl.String) != UNASKED)
        samples = study.world(study.points[0]).samples if keys and not study.absent else None
        frames.append(with_keys(frame, samples) if keys else frame)
    if not frames:
        raise UnseenError(f"study '{study.path}' has no finished trial yet, and no answers from elsewhere.")
    return pl.concat(frames, how="diagonal_relaxed")


def with_keys(frame: pl.DataFrame, samples: Samples | None) -> pl.DataFrame:
    """The table with the key of each row's image after its number."""
    import polars as pl

    if samples is None:
        raise UnseenError("keys are computed from the images' world, which is not at hand here.")
    rows, places = np.unique(frame["sample"].to_numpy(), return_inverse=True)
    named = np.array(sample_keys(samples, rows.astype(np.int64)), dtype=object)[places]
    return frame.insert_column(frame.columns.index("sample") + 1, pl.Series(KEY, named.tolist(), dtype=pl.String))


def answers(folder: Path, label: str, seed: int) -> pl.DataFrame:
    """The answers in a trial's folder, with what names the trial before them."""
    import polars as pl

    head = {"trial": folder.name, "label": label, "seed": seed}
    try:
        found = pl.read_parquet(folder / "responses.parquet")
    except (OSError, pl.exceptions.PolarsError) as error:
        raise damaged(folder, error) from None
    return found.select(*(pl.lit(value).alias(key) for key, value in head.items()), pl.exclude(*head))
