"""A split read from lists: files that name the rows of each set, as released with many papers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from unseen.designs.combinations import two_factors
from unseen.designs.quotas import plain_sizes
from unseen.vocabulary.design_facts import Listed
from unseen.vocabulary.errors import UnseenError, listed, nearest
from unseen.vocabulary.pools import POOLS, Pools
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import Part, RowSet, Split, available, part_rows

VERSION = 2  # 2: no training image is in the probe


def from_lists(
    samples: Samples,
    *,
    lists: Mapping[str, Sequence[str | int]],
    rows: str = "category",
    columns: str,
    probe_per_cell: int = 100,
    seed: int = 0,
) -> Split:
    """Row sets as given: each list holds row numbers, or the names of images (paths below the world's root).

    ``lists`` needs ``train`` and at least one set to ask; ``validation`` chooses the epoch. In a recipe the values are
    paths of text files with one name per line. Released lists carry labels after the name and folders of their
    authors' machines before it: where the whole entry names no image, leading folders are left out, then what follows
    a comma, tab or space. Pools are not drawn, so nothing guarantees that lists share no image: the audit says so.
    An image that a list names twice counts once. Where no ``probe`` is listed, it is drawn from images not trained on.
    """
    two_factors(samples, rows, columns)
    if "train" not in lists or len(lists) < 2:
        raise UnseenError(
            f"design.lists has {listed(lists)}; it needs 'train' and at least one set to ask, e.g. 'unseen'."
        )
    plain_sizes(probe_per_cell=probe_per_cell, least=0)
    numbers = _numbers(samples)
    sets = {}
    for name, entries in lists.items():
        found = np.array([_row(entry, samples, numbers, name) for entry in entries], dtype=np.int64)
        if not len(found):
            raise UnseenError(f"list '{name}' is empty.")
        once = np.unique(found)
        twice = f" ({len(found) - len(once)} of them named again)" if len(once) < len(found) else ""
        pool = name if name in POOLS else "test"
        sets[name] = RowSet(f"{len(once)} images listed as '{name}'{twice}", pool, listed=once)
    pools, bare = Pools(by="nothing", seed=seed), 0
    if "probe" not in sets:
        sets["probe"], bare = _probe(samples, Split((rows, columns), sets, pools), int(probe_per_cell))
    split = Split((rows, columns), sets, pools)
    seen = split.mask(samples, "train")
    facts = Listed(
        combinations=int(seen.sum()),
        grid=seen.shape,
        balance="as listed",
        disjoint_by="as listed",
        cells_of_training_images_only=bare,
    )
    return Split((rows, columns), sets, pools, facts)


def _probe(samples: Samples, split: Split, per_cell: int) -> tuple[RowSet, int]:
    """Up to ``per_cell`` rows of every cell that are not trained on, and how many cells have only such that are."""
    supply = available(samples, split.pools, "test", split.factors)
    train, found, bare = split.rows(samples, "train"), [np.zeros(0, dtype=np.int64)], 0
    for cell in np.argwhere(supply).tolist():
        rows = part_rows(samples, split, "test", Part(tuple(cell)))
        free = rows[~np.isin(rows, train)]
        found.append(free[:per_cell])
        bare += not len(free)
    reason = "all combinations, images not trained on, for the activity of units"
    return RowSet(reason, "test", listed=np.concatenate(found)), bare


def _numbers(samples: Samples) -> dict[str, int]:
    """Row numbers by name: of worlds whose rows are named images."""
    names: dict[str, int] = {}
    start = 0
    for number, block in enumerate(samples.blocks):
        if block.names is not None and not block.grid:
            names |= {str(name): start + place for place, name in enumerate(block.names)}
        start += block.instances * samples.grid_size(number)
    return names


def _row(entry: str | int, samples: Samples, numbers: Mapping[str, int], where: str) -> int:
    number = re.match(r"-?\d+(?=$|[,\t ])", str(entry)) if not numbers or isinstance(entry, int | np.integer) else None
    if number is not None:
        if not 0 <= int(number[0]) < len(samples):
            raise UnseenError(f"list '{where}' names row {entry}; this world has rows 0 to {len(samples) - 1}.")
        return int(number[0])
    for name in _readings(str(entry)):
        if name in numbers:
            return numbers[name]
    guess = nearest(entry, list(numbers)[:2000])
    hint = f" Did you mean '{guess}'?" if guess else ""
    raise UnseenError(
        f"list '{where}' names '{entry}', which is not in this world of {len(numbers)} named images.{hint}"
    )


def _readings(entry: str) -> Iterator[str]:
    """What an entry may name: all of it, without leading folders, without a label.

    >>> list(_readings("car/1.png 3"))
    ['car/1.png 3', '1.png 3', 'car/1.png', '1.png']
    """
    for name in dict.fromkeys((entry, entry.strip(), re.split(r"[,\t ]", entry.strip())[0])):
        while name:
            yield name
            name = name.partition("/")[2]
