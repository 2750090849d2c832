"""Mean corruption error of networks that are asked corruptions at all five severities (Hendrycks & Dietterich 2019)."""

from __future__ import annotations

import numpy as np

from unseen.kinds.conditions.asked import AskedMatrix
from unseen.kinds.level_names import PLAIN
from unseen.measures import mean_interval
from unseen.measures.corruption import (
    ALEXNET_CLEAN,
    CORRUPTIONS,
    SEVERITIES,
    alexnet_errors,
    corruption_error,
    mean_corruption_error,
    relative_corruption_error,
)
from unseen.reports.finding import Finding
from unseen.reports.words import number

PREFIX = "hendrycks-"


def asked_corruptions(names: tuple[str, ...]) -> dict[str, list[int]]:
    """Corruptions that are asked at every severity, with the columns of severities 1 to 5."""
    places = {name: place for place, name in enumerate(names)}
    found = {}
    for corruption in CORRUPTIONS:
        levels = [places.get(f"{PREFIX}{corruption}@{severity}") for severity in SEVERITIES]
        if all(level is not None for level in levels):
            found[corruption] = [level for level in levels if level is not None]
    return found


def corruption_findings(found: AskedMatrix) -> list[Finding]:
    """mCE of each condition trained on, with an interval over repeats; relative mCE where plain pictures are asked."""
    columns = asked_corruptions(found.names)
    if not columns:
        return []
    reference = alexnet_errors(tuple(columns))
    plain = found.columns.index(PLAIN) if PLAIN in found.columns else None
    made = []
    for row, condition in enumerate(found.rows):
        errors = 1 - found.accuracy[:, row][:, list(columns.values())]  # repeats, corruptions, severities
        normal = np.array([mean_corruption_error(corruption_error(one, reference)) for one in errors])
        level, raw = mean_interval(normal), mean_interval(errors.mean(axis=(1, 2)))
        if not np.isfinite(level.value):
            continue
        of = (
            f"{len(columns)} of {len(CORRUPTIONS)} corruptions" if len(columns) < len(CORRUPTIONS) else "15 corruptions"
        )
        statement = (
            f"trained on {condition.name}: mean corruption error is {number(level.value, percent=True)} over {of} "
            f"(errors divided by AlexNet's on ImageNet-C; the mean error itself is {number(raw.value, percent=True)})"
        )
        if plain is not None:
            relative = [
                mean_corruption_error(relative_corruption_error(one, clean, reference, ALEXNET_CLEAN))
                for one, clean in zip(errors, 1 - found.accuracy[:, row, plain])
            ]
            mean = mean_interval(np.array(relative))
            statement += f"; relative to the error on plain images it is {number(mean.value, percent=True)}"
        statement += "; AlexNet's are of photographs of 1,000 classes, so compare networks of one study"
        statement = statement[0].upper() + statement[1:]
        name = f"mean corruption error: trained on {condition.name}"
        made.append(Finding(name, statement, level.value, level.low, level.high, level.n))
    return made
