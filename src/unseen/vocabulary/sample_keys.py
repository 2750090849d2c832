"""The key of a sample: a text that names a row outside its world, in a file name or in another program's table.

A row's number means nothing to who looks for a picture, and another one as soon as a file is added. A key is made of
what the row shows: the instance (its own name, such as a path below the root, or its category and its number among
those of its category) and its level of each factor of the grid, as in ``mug-0007_pose-030_background-sky``.

Keys are computed from rows and read back into rows, never stored, so that a billion of them cost nothing. Both ways are
exact: words are spelt so that no two levels of a factor read the same, and none holds the ``_`` that stands between.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Int

from unseen.vocabulary.errors import UnseenError, listed, nearest
from unseen.vocabulary.factors import Factor
from unseen.vocabulary.samples import Samples

BETWEEN = "_"
BLOCK = "block"  # begins the last word of every row where a world has several blocks
AGAIN = "again"  # begins the word that tells apart a cell which a block lists several times
DIGITS = 4  # of an instance's number, at least
_ODD = re.compile(r"[^\w.+-]+|_+")  # what no word of a key holds: blanks, slashes, the sign between words


@dataclass(frozen=True, eq=False)
class _Spelling:
    """The words of one block: of its instances and, factor by factor, of its levels; and where each word leads."""

    instances: Sequence[str] | None  # None: the block has one instance, and needs no word for it
    numbers: dict[str, int]
    levels: tuple[tuple[str, ...], ...]
    places: tuple[dict[str, int], ...]
    again: tuple[np.ndarray, dict[tuple[int, int], int]] | None  # of each listed cell, and where cell and turn are
    ending: str


def sample_keys(samples: Samples, rows: Int[np.ndarray, " n"]) -> list[str]:
    """The key of each row.

    >>> from unseen.vocabulary.factors import FactorSpace
    >>> from unseen.vocabulary.samples import Block
    >>> space = FactorSpace({"category": ("cup", "mug"), "pose": (0, 30), "background": ("sky", "old wall")})
    >>> block = Block(3, {"category": np.array([1, 0, 1])}, grid=("pose", "background"))
    >>> samples = Samples(space, (block,))
    >>> keys = sample_keys(samples, np.array([0, 11])); keys
    ['mug-0000_pose-00_background-sky', 'mug-0001_pose-30_background-old-wall']
    >>> rows_of_keys(samples, keys).tolist()
    [0, 11]
    """
    at_block, instance, cell = samples.locate(rows)
    keys = np.empty(len(at_block), dtype=object)
    for number, block in enumerate(samples.blocks):
        here = np.flatnonzero(at_block == number)
        if not len(here):
            continue
        spelt, own = _spelling(samples, number), np.asarray(rows)[here]
        columns: list[Sequence[str]] = []
        if spelt.instances is not None:
            columns.append([spelt.instances[int(one)] for one in instance[here]])
        for name, words in zip(block.grid, spelt.levels):
            columns.append([words[level] for level in samples.levels(name, own).tolist()])
        if spelt.again is not None:
            columns.append([f"{AGAIN}-{turn}" for turn in spelt.again[0][cell[here]].tolist()])
        if spelt.ending:
            columns.append([spelt.ending] * len(here))
        keys[here] = [BETWEEN.join(words) for words in zip(*columns)]
    return keys.tolist()


def find_rows(samples: Samples, keys: Sequence[str]) -> Int[np.ndarray, " n"]:
    """The row of each key, −1 where this world has none of that name."""
    rows = np.full(len(keys), -1, dtype=np.int64)
    for number, block in enumerate(samples.blocks):
        spelt = _spelling(samples, number)
        at, instances, levels, turns = [], [], [], []
        words = len(block.grid) + (spelt.again is not None) + bool(spelt.ending)
        for place, key in enumerate(keys):
            instance, *rest = key.rsplit(BETWEEN, words) if spelt.instances is not None else ("", *key.split(BETWEEN))
            if len(rest) != words or (spelt.ending and rest.pop() != spelt.ending):
                continue
            turn = _turn(rest.pop()) if spelt.again is not None else 0
            found = [own.get(word, -1) for own, word in zip(spelt.places, rest)]
            one = spelt.numbers.get(instance, -1)
            if one >= 0 and turn >= 0 and min(found, default=0) >= 0:
                at.append(place)
                instances.append(one)
                levels.append(found)
                turns.append(turn)
        if at:
            chosen = np.array(levels, dtype=np.int64).reshape(len(at), len(block.grid))
            rows[at] = _rows_at(samples, number, np.array(instances), chosen, turns)
    return rows


def rows_of_keys(samples: Samples, keys: Sequence[str]) -> Int[np.ndarray, " n"]:
    """The row of each key; a key that this world does not have is an error."""
    rows = find_rows(samples, keys)
    strange = [keys[place] for place in np.flatnonzero(rows < 0)[:3].tolist()]
    if strange:
        some = sample_keys(samples, np.arange(min(len(samples), 1000)))
        guess = nearest(strange[0], some)
        hint = f" Did you mean '{guess}'?" if guess else f" Its keys look like '{some[0]}'." if some else ""
        raise UnseenError(
            f"{int((rows < 0).sum())} of {len(keys)} keys name no image of this world: {listed(strange)}.{hint}"
        )
    return rows


def _turn(word: str) -> int:
    found = re.fullmatch(rf"{AGAIN}-(0|[1-9]\d{{0,8}})", word)
    return int(found[1]) if found else -1


def _rows_at(
    samples: Samples, number: int, instances: np.ndarray, levels: np.ndarray, turns: Sequence[int]
) -> np.ndarray:
    """Rows of instances at levels of the grid, −1 where a block that lists its cells does not list that one."""
    block, again = samples.blocks[number], _spelling(samples, number).again
    grid = samples.space.select(block.grid)
    rows, cells = np.full(len(instances), -1, dtype=np.int64), grid.numbers(levels)
    if again is not None:
        places = np.array([again[1].get(one, -1) for one in zip(cells.tolist(), turns)], dtype=np.int64)
        start = sum(one.instances * samples.grid_size(place) for place, one in enumerate(samples.blocks[:number]))
        found = start + instances * samples.grid_size(number) + places
        return np.where(places >= 0, found, -1)
    kept = np.ones(len(instances), dtype=bool) if block.cells is None else np.isin(cells, grid.numbers(block.cells))
    fixed = {name: levels[kept, place] for place, name in enumerate(block.grid)}
    rows[kept] = samples.rows_at(instances[kept], fixed, number)
    return rows


@lru_cache(maxsize=16)
def _spelling(samples: Samples, number: int) -> _Spelling:
    block = samples.blocks[number]
    levels = tuple(
        tuple(f"{name}-{word}" for word in level_words(samples.space[factor]))
        for name, factor in zip(_words(block.grid), block.grid)
    )
    alone = block.instances == 1 and block.names is None and bool(block.grid)
    own = None if alone else _instances(samples, number)
    numbers = {"": 0} if own is None else {word: place for place, word in enumerate(own)}
    places = tuple({word: place for place, word in enumerate(words)} for words in levels)
    ending = f"{BLOCK}-{number}" if len(samples.blocks) > 1 else ""
    return _Spelling(own, numbers, levels, places, _again(samples, number), ending)


def _again(samples: Samples, number: int) -> tuple[np.ndarray, dict[tuple[int, int], int]] | None:
    """Which time each listed cell comes, and the place of each cell and time; None where none comes twice."""
    block = samples.blocks[number]
    if block.cells is None:
        return None
    cells = samples.space.select(block.grid).numbers(block.cells)
    if len(np.unique(cells)) == len(cells):
        return None
    seen: Counter[int] = Counter()
    turns, places = np.zeros(len(cells), dtype=np.int64), {}
    for place, cell in enumerate(cells.tolist()):
        turns[place] = seen[cell]
        places[cell, seen[cell]] = place
        seen[cell] += 1
    return turns, places


def _instances(samples: Samples, number: int) -> list[str]:
    """A word for each instance of a block: its own name, or its category and its number among those."""
    block = samples.blocks[number]
    if block.names is not None:
        return _told_apart([str(name) for name in block.names])
    factor = _category(samples, number)
    if factor is None:
        kinds, words = np.zeros(block.instances, dtype=np.int64), ["instance"]
    else:
        kinds, words = np.asarray(block.stored[factor.name], dtype=np.int64), level_words(factor)
    order = np.argsort(kinds, kind="stable")
    counts = np.bincount(kinds, minlength=len(words))
    rank = np.empty(block.instances, dtype=np.int64)
    rank[order] = np.arange(block.instances) - np.repeat(np.cumsum(counts) - counts, counts)
    width = max(DIGITS, len(str(max(int(counts.max(initial=1)) - 1, 0))))
    return [f"{words[kind]}-{one:0{width}}" for kind, one in zip(kinds.tolist(), rank.tolist())]


def _category(samples: Samples, number: int) -> Factor | None:
    """The factor that says what an instance is: one called or of kind category that the block stores."""
    stored = [samples.space[name] for name in samples.space.names if name in samples.blocks[number].stored]
    named = [factor for factor in stored if factor.name == "category"]
    return next(iter([*named, *(factor for factor in stored if factor.kind == "category")]), None)


def level_words(factor: Factor) -> list[str]:
    """A word for each level, no two the same. Whole numbers are filled up with zeros, so that names sort as they do.

    >>> level_words(Factor("pose", (0, 30, 330))), level_words(Factor("at", ("top left", "top-left", "mid")))
    (['000', '030', '330'], ['top~20~left', 'top~2d~left', 'mid'])
    """
    whole = all(isinstance(level, int | np.integer) and level >= 0 for level in factor.levels)
    width = max(len(str(level)) for level in factor.levels) if whole else 0
    return _words([f"{level:0{width}}" if whole else str(level) for level in factor.levels])


def _words(texts: Sequence[str]) -> list[str]:
    """Texts as words of a key: odd signs become hyphens. Where two texts would then read the same, these are spelt by
    the codes of such signs instead, whatever the order of the texts."""
    short = [_ODD.sub("-", text) or "-" for text in texts]
    often = Counter(short)
    return [_coded(text) if often[word] > 1 else word for text, word in zip(texts, short)]


def _coded(text: str) -> str:
    return "".join(sign if re.fullmatch(r"[^\W_]|[.+]", sign) else f"~{ord(sign):x}~" for sign in text) or "~"


def _told_apart(names: list[str]) -> list[str]:
    """Names as they are; those that come again are counted.

    >>> _told_apart(["a.png", "b.png", "a.png"])
    ['a.png', 'b.png', 'a.png~2']
    """
    if len(set(names)) == len(names):
        return names
    taken, counts, made = set(names), Counter(), []
    for name in names:
        counts[name] += 1
        word, turn = name, counts[name]
        while turn > 1 and word in taken:
            word, turn = f"{name}~{turn}", turn + 1
        taken.add(word)
        made.append(word)
    return made
