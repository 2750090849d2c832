"""What is asked of an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Samples


@dataclass(frozen=True)
class Target:
    """A question about an image: which level of ``factor``? Answered among ``classes``, or, in regression, as a number:
    the level's place between the first (0) and the last (1).

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
        """The right answer at each row: a class number, or level / (levels − 1) (seed 001)."""
        levels = samples.levels(self.factor, rows)
        if self.kind == "regression":
            return (levels / max(len(self.classes) - 1, 1)).astype(np.float32)
        return levels if self.class_map is None else np.asarray(self.class_map)[levels]


Kind = Literal["classification", "regression"]


def target_of(factor: Factor, kind: Kind = "classification") -> Target:
    """The plain question "which level?"."""
    return Target(factor.name, factor.name, factor.texts, kind)


def targets_of(space: FactorSpace, names: tuple[str, ...], kind: Kind = "classification") -> tuple[Target, ...]:
    return tuple(target_of(space[name], kind) for name in names)
