"""The stored answers of a trial, read: words as the places of their spelling, since comparing words is slow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


@dataclass(frozen=True, eq=False)
class WordColumn:
    """A column of words: ``names[place]`` for each row's place."""

    places: np.ndarray
    names: tuple[str, ...]

    def is_(self, name: str) -> np.ndarray:
        """Which rows hold this word."""
        return self.places == (self.names.index(name) if name in self.names else -1)

    def found(self) -> list[str]:
        """The words that occur, in the order of their first row."""
        places, first = np.unique(self.places, return_index=True)
        return [self.names[place] for place in places[np.argsort(first)]]

    def numbered(self, order: Sequence[str]) -> np.ndarray:
        """Each row's word as its place in an order of words that holds them all."""
        known = {name: place for place, name in enumerate(order)}
        wanted = set(self.found())
        if strange := sorted(wanted - set(known)):
            import pyarrow as pa

            raise pa.ArrowInvalid(f"'{strange[0]}' is none of the {len(known)} words that were asked")
        return np.array([known[name] if name in wanted else -1 for name in self.names], np.int64)[self.places]


def read_answers(folder: Path, *columns: str) -> pa.Table:
    """These columns of a trial's answers, in this order."""
    import pyarrow as pa

    with _opened(folder) as file:
        if lacking := set(columns) - set(file.schema_arrow.names):
            raise pa.ArrowInvalid(f"{folder / 'responses.parquet'} has no column '{min(lacking)}'")
        return file.read(columns=list(columns), use_threads=False).select(list(columns))


def answered_columns(folder: Path) -> list[str]:
    """What is stored beside each answer."""
    with _opened(folder) as file:
        return file.schema_arrow.names


def _opened(folder: Path) -> pq.ParquetFile:
    """A trial's answers, opened as the one small file they are: as a dataset that may have many parts, and by threads,
    each would cost a millisecond more."""
    import pyarrow.parquet as pq

    return pq.ParquetFile(folder / "responses.parquet")


def words(table: pa.Table, name: str) -> WordColumn:
    """A column of words, whether it was stored by its spelling or by places of it. None may be missing."""
    import pyarrow as pa

    column = table[name].combine_chunks()
    column.validate(full=True)  # places beyond the words, if its bytes were spoilt
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    if missing := column.null_count or column.dictionary.null_count:
        raise pa.ArrowInvalid(f"column '{name}' lacks {missing} of its {len(column):,} words")
    return WordColumn(np.asarray(column.indices), tuple(column.dictionary.to_pylist()))
