"""What is told of each exported row: its number, its key, its level of every factor, its instance, its pool."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import Factor, Level
from unseen.vocabulary.sample_keys import sample_keys
from unseen.vocabulary.world import World

if TYPE_CHECKING:
    import pyarrow as pa

INSTANCE = "instance_name"
KEY = "key"  # the row's name outside its world (vocabulary/sample_keys.py): answers made elsewhere are joined by it
RESERVED = ("path", "row", KEY, INSTANCE, "pool", "image", "pixels")


def check_names(world: World) -> None:
    """No factor may take the place of a column of ours."""
    taken = [name for name in world.samples.space.names if name in RESERVED]
    if taken:
        raise UnseenError(
            f"world '{world.name}' has a factor called '{taken[0]}', which is a column of every export; "
            f"rename the factor. Taken names: {listed(RESERVED)}."
        )


def plain(level: Level) -> Level:
    """A level as JSON and Parquet know it; numpy's numbers become Python's."""
    return level.item() if isinstance(level, np.generic) else level


def factor_tables(world: World) -> list[dict[str, Any]]:
    """Every factor as plain data: ``Factor(**table)`` gives it back."""
    return [{**asdict(factor), "levels": [plain(level) for level in factor.levels]} for factor in _factors(world)]


def metadata(world: World) -> dict[bytes, bytes]:
    """What a table of ours says of itself, under the key ``unseen``: factors with all their levels, and the pictures'
    size. The ``folder`` world reads it, so that levels keep their order, kind and coordinates, also those of which
    no row was exported."""
    facts = {"factors": factor_tables(world), "size": list(world.size), "channels": world.channels}
    return {b"unseen": json.dumps(facts, ensure_ascii=False).encode()}


def arrow_columns(world: World, rows: np.ndarray) -> dict[str, pa.Array]:
    """The columns of some rows. Levels are whole numbers, numbers or text, by what all levels of a factor are."""
    import pyarrow as pa

    columns: dict[str, pa.Array] = {"row": pa.array(rows, pa.int64())}
    columns[KEY] = pa.array(sample_keys(world.samples, rows), pa.string())
    for factor in _factors(world):
        levels = pa.array(*_typed(factor))
        columns[factor.name] = levels.take(pa.array(world.samples.levels(factor.name, rows)))
    columns |= {name: pa.array(world.samples.attribute(name, rows)) for name in world.samples.attributes}
    names, pools = _instances(world, rows)
    columns[INSTANCE] = pa.array(names, pa.string())
    if pools is not None:
        columns["pool"] = pa.array(pools, pa.string())
    return columns


def records(world: World, rows: np.ndarray) -> Iterator[bytes]:
    """The same, as one JSON text per row."""
    numbers = {factor.name: world.samples.levels(factor.name, rows) for factor in _factors(world)}
    levels = {factor.name: [plain(level) for level in factor.levels] for factor in _factors(world)}
    further = {name: world.samples.attribute(name, rows).tolist() for name in world.samples.attributes}
    names, pools = _instances(world, rows)
    keys = sample_keys(world.samples, rows)
    for place, row in enumerate(rows.tolist()):
        record: dict[str, Any] = {"row": row, KEY: keys[place]}
        record |= {name: levels[name][number[place]] for name, number in numbers.items()}
        record |= {name: values[place] for name, values in further.items()}
        record[INSTANCE] = names[place]
        if pools is not None:
            record["pool"] = pools[place]
        yield json.dumps(record, ensure_ascii=False).encode()


def _factors(world: World) -> tuple[Factor, ...]:
    return world.samples.space.factors


def _typed(factor: Factor) -> tuple[list[Level], Any]:
    import pyarrow as pa

    levels = [plain(level) for level in factor.levels]
    if all(isinstance(level, int) for level in levels):
        return levels, pa.int64()
    if all(isinstance(level, int | float) for level in levels):
        return [float(level) for level in levels], pa.float64()
    return [str(level) for level in levels], pa.string()


def _instances(world: World, rows: np.ndarray) -> tuple[list[str], list[str] | None]:
    """Name of each row's instance (its number over all blocks where it has none), and pools where any is known."""
    samples = world.samples
    block, instance, _ = samples.locate(rows)
    starts = np.cumsum([0, *(one.instances for one in samples.blocks)])
    named = [one.names for one in samples.blocks]
    own = [
        str(starts[b] + i) if (names := named[b]) is None else str(names[i])
        for b, i in zip(block.tolist(), instance.tolist())
    ]
    if all(one.pool is None for one in samples.blocks):
        return own, None
    return own, samples.pools[starts[block] + instance].tolist()
