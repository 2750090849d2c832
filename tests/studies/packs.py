"""Packed studies made by hand: as they should be, and as they should not."""

from __future__ import annotations

import functools
import io
import json
import tarfile

import pyarrow as pa
import pyarrow.parquet as pq

A1, B2 = "a1" * 8, "b2" * 8  # identities


def facts(identity, **changes):
    """What the file of a trial says at least."""
    network = {"backbone": "resnet18", "sharing": "shared", "parameters": 1}
    said = {
        "identity": identity, "label": "seed 0", "condition": {}, "seed": 0, "facts": {}, "factors": ["a", "b"],
        "description": {"network": network, "training": {"precision": "float32"}}, "network": network, "tasks": {},
        "targets": {"a": ["x", "y"]}, "sets": {"train": 9}, "curve": [], "best_epoch": 0, "flags": {}, "packed": 1,
        "seconds_together": 1.0, "machine": {"device": "cpu"},
    }  # fmt: skip
    return json.dumps(said | changes)


@functools.cache
def answers():
    """A table of answers, as bytes."""
    out = pa.BufferOutputStream()
    pq.write_table(pa.table({name: ["x"] for name in ("set", "target", "truth", "response")}), out)
    return out.getvalue().to_pybytes()


def packed_trial(identity=A1, **changes):
    """The members of a packed trial."""
    place = f"unseen-study/trials/{identity}"
    return {f"{place}/responses.parquet": answers(), f"{place}/trial.json": facts(identity, **changes)}


def archive(path, files):
    with tarfile.open(path, "w:xz") as tar:
        for name, text in files.items():
            data = text.encode() if isinstance(text, str) else text
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path
