"""How a model's labels answer for a world's categories: by WordNet, by names, by a table, or by a guess that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float

from unseen.vocabulary.class_maps import ClassMap, How, class_map, counterparts, with_counterpart
from unseen.vocabulary.errors import UnseenError, listed


@dataclass(frozen=True)
class AnswerSpace:
    """Which of a model's outputs count for which category of a world.

    ``classes`` are the outputs of each of ``categories``; a world's categories ``without`` a counterpart are not
    scored. ``why`` tells, for each label that counts, its category and the reason.
    """

    categories: tuple[str, ...]
    without: tuple[str, ...]
    classes: tuple[tuple[int, ...], ...]
    outputs: int
    origin: str
    how: How = "sum"
    why: tuple[tuple[str, str, str], ...] = ()

    @property
    def words(self) -> str:
        known = f"{len(self.categories)} of {len(self.categories) + len(self.without)} categories"
        rest = f"; no counterpart of {listed(self.without, 8)}" if self.without else ""
        return f"{known} by {self.origin}, {self.how}s of probabilities{rest}"

    def scores_of(self, probabilities: Float[np.ndarray, "n outputs"]) -> Float[np.ndarray, "n categories"]:
        """Of each category the sum (or mean) of its outputs' probabilities."""
        probabilities = np.asarray(probabilities)
        if probabilities.ndim != 2 or probabilities.shape[1] != self.outputs:
            raise UnseenError(
                f"this answer space is of a model with {self.outputs} outputs; probabilities of shape "
                f"{tuple(probabilities.shape)} were given."
            )
        joined = np.zeros((self.outputs, len(self.categories)), probabilities.dtype)
        for place, numbers in enumerate(self.classes):
            joined[list(numbers), place] = 1 / len(numbers) if self.how == "mean" else 1
        return probabilities @ joined


def answer_space(
    categories: Sequence[str],
    labels: Sequence[str],
    label_space: str = "",
    *,
    outputs: int | None = None,
    by: str | Path | ClassMap | None = None,
    how: How | None = None,
) -> AnswerSpace:
    """The answer space of a model with these labels on a world with these categories.

    ``by``: a class map that ships ("everyday", "geirhos16"), "names", "guess", or a CSV file of labels and categories.
    """
    if by is None:
        by = "everyday" if label_space == "imagenet-1k" else "names"
    if not isinstance(by, ClassMap):
        by = class_map(str(by))
    known, without = with_counterpart(by, categories)
    own = counterparts(by, known)
    return AnswerSpace(
        known,
        without,
        tuple(own[one] for one in known),
        outputs or len(labels),
        f"class map '{by.name}'",
        how or by.how,
    )
