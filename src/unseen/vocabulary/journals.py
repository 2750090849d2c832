"""Records of equal size on disk, and a journal of what is there: a kill costs at most what was being added.

Records are appended and synced first, their keys go into the journal after: what the journal does not name does not
exist. A record never changes once it is there, so that readers need no lock; who adds holds one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int, UInt64

from unseen.vocabulary.errors import UnseenError

KEY = 8  # bytes of a key


@dataclass(frozen=True)
class Journal:
    """``record`` bytes for each key: the records in ``file``, the keys in ``keys``, by slot. ``what``: in words."""

    file: Path
    keys: Path
    record: int
    what: str

    def there(self) -> UInt64[np.ndarray, " slots"]:
        """The keys of what is there, by slot."""
        try:
            data = self.keys.read_bytes()
            whole = self.file.stat().st_size // self.record
        except (FileNotFoundError, NotADirectoryError):
            return np.zeros(0, dtype="<u8")
        return np.frombuffer(data[: len(data) // KEY * KEY], dtype="<u8")[:whole]

    def slots(self, wanted: UInt64[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
        """Where each key's record lies; -1 where there is none."""
        there = self.there()
        if not len(there):
            return np.full(len(wanted), -1, dtype=np.int64)
        order = np.argsort(there, kind="stable")
        place = np.minimum(np.searchsorted(there[order], wanted), len(there) - 1)
        return np.where(there[order[place]] == wanted, order[place], -1).astype(np.int64)

    def read_into(self, out: np.ndarray, slots: Int[np.ndarray, " n"]) -> None:
        """Records in the order asked, read in file order; memory is that of ``out``, whatever the file's size."""
        try:
            with self.file.open("rb", buffering=0) as file:
                for place in np.argsort(slots, kind="stable"):
                    got = os.preadv(file.fileno(), [out[place].data], int(slots[place]) * self.record)
                    if got != self.record:
                        raise UnseenError(
                            f"the {self.what} {self.file.parent} was cut short; delete that folder and run again."
                        )
        except FileNotFoundError:
            raise UnseenError(
                f"the {self.what} {self.file.parent} was removed while it was read, perhaps to make room; run again."
            ) from None

    def append(self, keys: UInt64[np.ndarray, " n"], records: Iterable[np.ndarray]) -> None:
        """Add records, after cutting off what a killed process left beyond the journal."""
        slots = len(self.there())
        with self.file.open("r+b" if self.file.exists() else "wb") as file:
            file.truncate(slots * self.record)
            file.seek(0, os.SEEK_END)
            for record in records:
                file.write(np.ascontiguousarray(record).data)
            file.flush()
            os.fsync(file.fileno())
        with self.keys.open("r+b" if self.keys.exists() else "wb") as file:
            file.truncate(slots * KEY)
            file.seek(0, os.SEEK_END)
            file.write(np.ascontiguousarray(keys, dtype="<u8").tobytes())
            file.flush()
            os.fsync(file.fileno())
