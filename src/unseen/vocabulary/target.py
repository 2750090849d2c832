"""What is asked of an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Samples


@dataclass(frozen=True)
class Target:
    """A question about an image: which level of ``factor``? Answered among ``classes``.

    ``class_map`` sends each level of the factor to its class (1000 → 16); by default each level is its own class.
    """

    name: str
    factor: str
    classes: tuple[str, ...]
    kind: Literal["classification", "regression"] = "classification"
    class_map: tuple[int, ...] | None = None

    @property
    def outputs(self) -> int:
        return len(self.classes) if self.kind == "classification" else 1

    def truth(self, samples: Samples, rows: np.ndarray) -> np.ndarray:
        """The right answer at each row: a class number."""
        levels = samples.levels(self.factor, rows)
        return levels if self.class_map is None else np.asarray(self.class_map)[levels]


def target_of(factor: Factor) -> Target:
    """The plain question "which level?"."""
    return Target(factor.name, factor.name, factor.texts)


def targets_of(space: FactorSpace, names: tuple[str, ...]) -> tuple[Target, ...]:
    return tuple(target_of(space[name]) for name in names)
