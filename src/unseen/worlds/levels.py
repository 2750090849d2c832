"""From the texts in file names and manifests to factors with ordered levels."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.factors import KINDS, Factor, Kind, Level

_WHOLE = re.compile(r"[+-]?\d{1,18}")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
POOL_WORDS = {
    "train": "train", "training": "train", "trn": "train",
    "val": "validation", "valid": "validation", "validation": "validation", "dev": "validation",
    "crossval": "validation", "crossvalidation": "validation", "cv": "validation", "eval": "validation",
    "evaluation": "validation",
    "test": "test", "testing": "test", "tst": "test", "holdout": "test", "heldout": "test",
}  # fmt: skip


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A sorting key that puts ``view10`` after ``view9``.

    >>> sorted(["view10", "view9", "View1"], key=natural)
    ['View1', 'view9', 'view10']
    """
    parts = re.split(r"(\d+)", text)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part.lower()) for part in parts) + ((2, 0, text),)


def numbers(texts: Sequence[str]) -> list[Level]:
    """The levels these texts name: numbers if all of them are (``090`` is 90), else the texts.

    Where two texts would become one number (``1`` and ``01``) they stay texts.

    >>> numbers(["000", "090"]), numbers(["0.5", "1"]), numbers(["1", "01"]), numbers(["a", "1"])
    ([0, 90], [0.5, 1.0], ['1', '01'], ['a', '1'])
    """
    if all(_WHOLE.fullmatch(text) for text in texts):
        found: list[Level] = [int(text) for text in texts]
    elif all(_NUMBER.fullmatch(text) for text in texts):
        values = [float(text) for text in texts]
        whole = all(value.is_integer() and abs(value) < 2**53 for value in values)
        found = [int(value) for value in values] if whole else list(values)
    else:
        return list(texts)
    return found if len(set(found)) == len(texts) else list(texts)


def ordered(levels: Sequence[Level]) -> list[Level]:
    """Levels in their own order: numbers by size, words naturally."""
    if all(isinstance(level, int | float) for level in levels):
        return sorted(levels, key=float)
    return sorted(levels, key=lambda level: natural(str(level)))


def encode(
    name: str,
    column: Sequence[str],
    *,
    kind: str | None = None,
    wanted: Sequence[Level] | None = None,
    category: bool = False,
) -> tuple[Factor, np.ndarray]:
    """A factor from one text per image, and each image's level number (-1: not among the ``wanted`` levels).

    >>> factor, codes = encode("azimuth", ["90", "0", "180", "90"], wanted=[0, 90])
    >>> factor.levels, codes.tolist(), factor.kind
    ((0, 90), [1, 0, -1, 1], 'ordinal')
    """
    coded = pa.array(column, pa.string()).dictionary_encode()
    found = numbers(coded.dictionary.to_pylist())
    kept = ordered(found) if wanted is None else [_wanted(name, level, found) for level in wanted]
    factor = _factor(name, tuple(kept), kind, category)
    place = {level: number for number, level in enumerate(factor.levels)}
    return factor, np.array([place.get(level, -1) for level in found], np.int64)[coded.indices.to_numpy()]


def one_turn(factor: Factor, codes: np.ndarray, asked: bool = False) -> tuple[Factor, np.ndarray]:
    """A circle on which no place has two levels: images at 360 are at 0. Else a view held out as 360 would be seen as
    0. Levels that were ``asked`` for by name are not made one in silence.

    >>> factor, codes = one_turn(Factor("azimuth", (0, 120, 240, 360), kind="circular", period=360), np.arange(4))
    >>> factor.levels, codes.tolist()
    ((0, 120, 240), [0, 1, 2, 0])
    """
    values = [level for level in factor.levels if isinstance(level, int | float)]
    if factor.kind != "circular" or factor.period is None or factor.coordinates or len(values) < len(factor):
        return factor, codes
    at: dict[float, list[Level]] = {}
    for level in values:
        place = round(level % factor.period, 9)
        at.setdefault(0.0 if place == factor.period else place, []).append(level)
    twice = [sorted(own, key=float) for own in at.values() if len(own) > 1]
    if not twice:
        return factor, codes
    if asked:
        raise UnseenError(
            f"levels of '{factor.name}' lists {' and '.join(map(str, twice[0]))}, which are one place on a circle of "
            f"{factor.period:g}; name one of them, or leave the levels out: then their images are put together."
        )
    kept = {
        place: min(own, key=lambda level: not 0 <= float(level) < (factor.period or 0)) for place, own in at.items()
    }
    levels = tuple(level for level in factor.levels if level in kept.values())
    number = {place: levels.index(level) for place, level in kept.items()}
    new = [next(number[place] for place, own in at.items() if level in own) for level in factor.levels]
    merged = Factor(factor.name, levels, factor.kind, period=factor.period)
    return merged, np.array([*new, -1], np.int64)[codes]


def places(factor: Factor, column: Sequence[str]) -> np.ndarray:
    """Level numbers of texts at a factor that is known already; a number may be written in another way.

    >>> places(Factor("size", (0, 0.5)), ["0.5", "0.0"]).tolist()
    [1, 0]
    """
    coded = pa.array(column, pa.string()).dictionary_encode()
    texts = {str(level).strip(): number for number, level in enumerate(factor.levels)}
    values = {float(level): n for n, level in enumerate(factor.levels) if isinstance(level, int | float)}
    found = []
    for text in coded.dictionary.to_pylist():
        number = texts.get(text, values.get(float(text)) if _NUMBER.fullmatch(text) else None)
        if number is None:
            raise unknown("level", text, factor.texts, where=f"factor '{factor.name}' as the manifest declares it")
        found.append(number)
    return np.array(found, np.int64)[coded.indices.to_numpy()]


def _wanted(name: str, level: Level, found: Sequence[Level]) -> Level:
    if level in found:
        return found[found.index(level)]
    texts = [str(known) for known in found]
    if str(level) in texts:
        return found[texts.index(str(level))]
    raise unknown("level", level, ordered(found), where=f"factor '{name}' of these images")


def _factor(name: str, levels: tuple[Level, ...], kind: str | None, category: bool) -> Factor:
    numeric = all(isinstance(level, int | float) for level in levels)
    word, _, given = (kind or "").partition(":")
    if not word:
        word = "category" if category else "instance" if name == "instance" else "ordinal" if numeric else "nominal"
    if word not in KINDS:
        raise unknown("kind of factor", word, KINDS, where=f"kinds['{name}']")
    period = None
    if word == "circular":
        if given and not _NUMBER.fullmatch(given):
            raise UnseenError(f"kinds['{name}'] = '{kind}': write 'circular' or 'circular:360', with the full turn.")
        period = float(given) if given else full_turn(levels)
    checked: Kind = next(known for known in KINDS if known == word)
    return Factor(name, levels, kind=checked, period=period)


def full_turn(levels: Sequence[Level]) -> float:
    """The period of a circular factor: 360 for degrees, the count for numbered or named views.

    >>> full_turn([0, 90, 180, 270]), full_turn(range(36)), full_turn(["front", "left", "back"])
    (360.0, 36.0, 3.0)
    """
    values = [float(level) for level in levels if isinstance(level, int | float)]
    counted = len(values) == len(levels) and len(values) > 1 and bool(np.all(np.diff(values) == 1))
    closed = counted and (values[0], values[-1]) in ((0, 360), (-180, 180))  # every degree, and the first one again
    return 360.0 if len(values) == len(levels) and (not counted or closed) else float(len(levels))


def pools(column: Sequence[str | None]) -> np.ndarray:
    """Pool names as the vocabulary spells them; '' where nothing is said.

    >>> pools(["Training", "val", None]).tolist()
    ['train', 'validation', '']
    """
    words = {str(word) for word in column if word}
    strange = sorted(word for word in words if word.lower() not in POOL_WORDS)
    if strange:
        raise unknown("pool", strange[0], ("train", "validation", "test"), where="the 'pool' of these images")
    return np.array([POOL_WORDS[word.lower()] if word else "" for word in column], dtype=np.str_)
