"""Names of images in files from elsewhere, and the rows they mean.

A name may be a key (``mug-0007_pose-030``), a row's number, a path on another machine, a file of ``unseen render``
(named by its row), or a stimulus as psychophysics toolboxes write it: ``0001_cop_s01_c30_knife_10_n03041632_7380.png``
is trial 1 of experiment cop, observer s01, condition c30, category knife, and picture n03041632_7380 (Geirhos et al.).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from unseen.vocabulary.sample_keys import find_rows, sample_keys
from unseen.vocabulary.samples import Samples

UNKNOWN, SEVERAL = -1, -2
MOST = 1_000_000  # images of a world whose names are compared in parts
_ENDING = re.compile(r"\.(png|webp|jpe?g|npy|tiff?|bmp|gif|avif)$", re.IGNORECASE)
_TRIAL = re.compile(r"^\d+_[a-z0-9]+_(?:dnn|s\d+)_(?=.)", re.IGNORECASE)
_STIMULUS = re.compile(r"^\d+_[a-z0-9]+_(?:dnn|s\d+)_[^_]+_[^_]+_\d+_(?=.)", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,18}")


def _last(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]


def _stem(name: str) -> str:
    return _ENDING.sub("", _last(name))


FORMS: dict[str, Callable[[str], str]] = {
    "without its folder": _last,
    "without folder and ending": _stem,
    "without the number of its trial": lambda name: _TRIAL.sub("", _stem(name)),
    "by the picture's own name": lambda name: _STIMULUS.sub("", _stem(name)),
}


@dataclass(frozen=True, eq=False)
class Matched:
    """The row of each name, or why there is none (:data:`UNKNOWN`, :data:`SEVERAL`), and how many were found how."""

    rows: Int[np.ndarray, " n"]
    how: dict[str, int]


def rows_named(samples: Samples, names: Sequence[str]) -> Matched:
    """The rows that names mean: as keys, as row numbers, then by ever less of a name, as long as one image has it."""
    words = list(dict.fromkeys(names))
    rows, how = find_rows(samples, words), Counter()
    ways = ["by key" if row >= 0 else "" for row in rows.tolist()]
    _numbers(samples, words, rows, ways)
    for way, form in FORMS.items():
        left = [place for place in range(len(words)) if rows[place] == UNKNOWN]
        if not left:
            break
        found = _by_form(samples, form, [form(words[place]) for place in left])
        for place, row in zip(left, found):
            rows[place], ways[place] = row, way if row >= 0 else ""
    by_name = dict(zip(words, zip(rows.tolist(), ways)))
    every = [by_name[name] for name in names]
    how.update(way for _, way in every if way)
    return Matched(np.array([row for row, _ in every], dtype=np.int64), dict(how))


def _numbers(samples: Samples, words: Sequence[str], rows: np.ndarray, ways: list[str]) -> None:
    """Row numbers, and files that ``unseen render`` named by them, where a world's own names are not such."""
    for place, word in enumerate(words):
        stem = word if _NUMBER.fullmatch(word) else _stem(word)
        own = word == stem or all(block.names is None for block in samples.blocks)
        if rows[place] == UNKNOWN and own and _NUMBER.fullmatch(stem) and int(stem) < len(samples):
            rows[place], ways[place] = int(stem), "by row number"


def _by_form(samples: Samples, form: Callable[[str], str], parts: Sequence[str]) -> list[int]:
    """Rows by a part of their keys, where all keys can be listed; else that part as a key itself."""
    if len(samples) > MOST:
        return find_rows(samples, list(parts)).tolist()
    wanted, index = set(parts), {}
    for rows in samples.chunks(2**16):
        for row, key in zip(rows.tolist(), sample_keys(samples, rows)):
            part = form(key)
            if part in wanted:
                index[part] = SEVERAL if part in index else row
    return [index.get(part, UNKNOWN) for part in parts]
