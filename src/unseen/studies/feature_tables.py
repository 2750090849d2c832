"""Features of a given model on a world as a recording by themselves: what they tell untrained, and as a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from unseen.measures.neighbours import MeanSimilarity, alike, neighbour_accuracy
from unseen.recordings.features import Features
from unseen.studies.given_models import given_of, model_told
from unseen.studies.kept_features import features_of, keep_features
from unseen.studies.protocol_table import RunPlace
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.sample_keys import sample_keys
from unseen.vocabulary.sections import NetworkSection
from unseen.vocabulary.seeds import stream
from unseen.vocabulary.whole_files import written_aside
from unseen.vocabulary.world import World

FORMS = (".parquet", ".safetensors")
CHUNK = 8192  # rows written at a time


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Features of ``rows`` of a world, kept on disk; read when asked for."""

    world: World
    rows: np.ndarray
    kept: Features
    told: Mapping[str, Any]
    computed: int  # of these rows, now

    @cached_property
    def features(self) -> np.ndarray:
        """``[n, features]``, float32."""
        found = self.kept.read(self.rows)
        return found.reshape(len(found), -1)

    @property
    def category(self) -> str:
        """The factor that says what an image is of."""
        space = self.world.samples.space
        return next((factor.name for factor in space.factors if factor.kind == "category"), space.names[0])

    def neighbours(self, factor: str = "") -> tuple[float, int]:
        """How many images their nearest neighbours of other instances name right, and of how many."""
        samples = self.world.samples
        labels = samples.levels(factor or self.category, self.rows)
        return neighbour_accuracy(self.features, labels, samples.instance_numbers(self.rows))

    def alike(self) -> MeanSimilarity:
        samples = self.world.samples
        return alike(self.features, samples.levels(self.category, self.rows), samples.instance_numbers(self.rows))

    def write(self, path: Path) -> None:
        """A Parquet table (key, row, the level of every factor, the features as a list), or safetensors (``features``,
        ``rows`` and the level numbers of each factor)."""
        if path.suffix not in FORMS:
            raise UnseenError(f"features are written as {listed(FORMS)}; '{path.name}' ends otherwise.")
        with written_aside(path) as aside:
            (self._parquet if path.suffix == ".parquet" else self._safetensors)(aside)

    def _parquet(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        samples, writer = self.world.samples, None
        try:
            for start in range(0, len(self.rows), CHUNK):
                rows = self.rows[start : start + CHUNK]
                made = self.kept.read(rows).reshape(len(rows), -1)
                columns: dict[str, Any] = {"key": sample_keys(samples, rows), "row": rows}
                for factor in samples.space.factors:
                    words = [str(level) for level in factor.levels]
                    columns[factor.name] = [words[level] for level in samples.levels(factor.name, rows)]
                flat = pa.array(made.reshape(-1), pa.float32())
                columns["features"] = pa.FixedSizeListArray.from_arrays(flat, made.shape[1])
                table = pa.table(columns)
                writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
                writer.write_table(table)
        finally:
            if writer is not None:
                writer.close()

    def _safetensors(self, path: Path) -> None:
        from safetensors.numpy import save_file

        samples = self.world.samples
        levels = {f"levels.{name}": samples.levels(name, self.rows).astype(np.int32) for name in samples.space.names}
        words = {key: str(value) for key, value in self.told.items()}
        save_file({"features": self.features, "rows": self.rows.astype(np.int64), **levels}, path, metadata=words)


def feature_table(
    network: NetworkSection, world: World, where: RunPlace, *, sample: int | None = None, seed: int = 0
) -> FeatureTable:
    """Features of a world's rows, or of a ``sample`` of them drawn by chance; those that are kept are not computed."""
    model = given_of(network).to(where.device)
    count = len(world.samples)
    rows = np.arange(count)
    if sample is not None and sample < count:
        rows = np.sort(stream(seed, "features", "sample").choice(count, sample, replace=False))
    kept = features_of(model_told(model), "features", world, where.precision, {"model": model.name})
    computed = keep_features(kept, world, rows, model.features, where)
    told = {"model": model.name, "digest": model.digest, "world": world.name, "input": model.preprocessing.words}
    return FeatureTable(world, rows, kept, told, computed)
