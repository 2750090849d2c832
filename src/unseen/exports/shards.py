"""The files of one shard: a folder of pictures, a tar, or a Parquet table. The same rows give the same bytes."""

from __future__ import annotations

import io
import itertools
import json
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.exports.columns import arrow_columns, metadata, records
from unseen.exports.plan import Plan

if TYPE_CHECKING:
    import pyarrow as pa

EncodedImages = Iterator[bytes]  # encoded, in the order of the rows
GROUP = 256  # pictures in a row group of Parquet: what a reader holds at once (ours)
MANIFEST_GROUP = 65_536  # rows of the manifest computed at once


def writer(format: str) -> Callable[[Plan, np.ndarray, EncodedImages, Path], None]:
    return {"webdataset": write_tar, "parquet": write_parquet}.get(format, write_folder)


def write_folder(plan: Plan, rows: np.ndarray, pictures: EncodedImages, to: Path) -> None:
    to.mkdir()
    for row, data in zip(rows.tolist(), pictures):
        (to / f"{plan.key(row)}.{plan.suffix}").write_bytes(data)


def write_tar(plan: Plan, rows: np.ndarray, pictures: EncodedImages, to: Path) -> None:
    """A picture and its JSON under one key are a sample of WebDataset. Headers hold no time and no owner."""
    with tarfile.open(to, "w", format=tarfile.USTAR_FORMAT) as archive:
        for row, data, record in zip(rows.tolist(), pictures, records(plan.world, rows)):
            for suffix, content in ((plan.suffix, data), ("json", record)):
                member = tarfile.TarInfo(f"{plan.key(row)}.{suffix}")
                member.size, member.mode, member.mtime = len(content), 0o644, 0
                archive.addfile(member, io.BytesIO(content))


def write_parquet(plan: Plan, rows: np.ndarray, pictures: EncodedImages, to: Path) -> None:
    """Pictures as a column ``image`` of ``{bytes, path}``, which Hugging Face datasets show as images; numbers that
    are no picture as a column ``pixels`` of lists, whose shape stands in the metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema: pa.Schema | None = None
    target: Any = None
    try:
        for start in range(0, len(rows), GROUP):
            here = rows[start : start + GROUP]
            name, column = _picture_column(plan, here, list(itertools.islice(pictures, len(here))))
            columns = {name: column, **arrow_columns(plan.world, here)}
            if schema is None:
                fields = pa.schema([(key, value.type) for key, value in columns.items()])
                schema = fields.with_metadata({**metadata(plan.world), **_hugging_face(fields)})
                told: Any = [key for key in columns if key != name]  # of pictures neither pays
                target = pq.ParquetWriter(to, schema, use_dictionary=told, write_statistics=told)
            target.write_table(pa.table(columns, schema=schema), row_group_size=GROUP)
    finally:
        if target is not None:
            target.close()


def _picture_column(plan: Plan, rows: np.ndarray, pictures: list[bytes]) -> tuple[str, pa.Array]:
    import pyarrow as pa

    if plan.suffix == "raw":
        kind = np.float32 if plan.world.dtype == "float32" else np.uint8
        numbers = pa.array(np.frombuffer(b"".join(pictures), kind))
        return "pixels", pa.FixedSizeListArray.from_arrays(numbers, len(numbers) // len(rows))
    names = [f"{plan.key(row)}.{plan.suffix}" for row in rows.tolist()]
    fields = [pa.array(pictures, pa.binary()), pa.array(names, pa.string())]
    return "image", pa.StructArray.from_arrays(fields, names=["bytes", "path"])


def _hugging_face(schema: pa.Schema) -> dict[bytes, bytes]:
    """The features that the package ``datasets`` looks for in a Parquet file's own metadata."""
    if "image" not in schema.names:
        return {}
    features = {
        field.name: {"_type": "Image"}
        if field.name == "image"
        else {"dtype": {"double": "float64"}.get(str(field.type), str(field.type)), "_type": "Value"}
        for field in schema
    }
    return {b"huggingface": json.dumps({"info": {"features": features}}).encode()}


def write_manifest(plan: Plan, to: Path) -> None:
    """One row per picture of a folder; the table says of itself what the factors are."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    target: Any = None
    try:
        for start in range(0, len(plan.rows), MANIFEST_GROUP):
            rows = plan.rows.part(start, start + MANIFEST_GROUP)
            shards = (start + np.arange(len(rows))) // plan.shard
            paths = [f"images/{s:06}/{plan.key(row)}.{plan.suffix}" for s, row in zip(shards.tolist(), rows.tolist())]
            table = pa.table({"path": pa.array(paths, pa.string()), **arrow_columns(plan.world, rows)})
            table = table.replace_schema_metadata(metadata(plan.world))
            if target is None:
                target = pq.ParquetWriter(to, table.schema, compression="zstd")
            target.write_table(table)
    finally:
        if target is not None:
            target.close()
