"""By what a trial is found: the hash of its description, and of the part of it that decides what is learned."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unseen.studies.tables import digest

RECORDED = ("recordings", "explanations")  # parts of a description that are read once training is over
_ANY_SEED = 170_141_183_460_469_231_731  # stands for a seed in a text; none is as large
KEPT = {"weights"}  # of [recordings]: whether weights are kept changes neither what is learned nor what is recorded


def identity(description: Mapping[str, Any]) -> str:
    """Sixteen hexadecimal digits.

    >>> identity({"a": 1}) == identity({"a": 1}) != identity({"a": 2})
    True
    """
    return digest(as_hashed(description))


def identities(description: Mapping[str, Any]) -> tuple[str, str]:
    """Under which a trial may be finished: its own, and that of the same trial when ``recordings.weights = true`` was
    a part of it (results of before weights were kept by default still hold)."""
    return identity(description), identity(with_weights(description))


class OfSeeds:
    """The identities of a description for any seed: what is before the seed in its text is hashed once, which makes a
    study of many seeds quick to look at.

    >>> description = {"a": 1, "seed": 3, "versions": {"training": 1}}
    >>> OfSeeds(description)(7) == identity({**description, "seed": 7})
    True
    """

    def __init__(self, description: Mapping[str, Any]) -> None:
        before, _, self.after = as_hashed({**description, "seed": _ANY_SEED}).partition(str(_ANY_SEED))
        assert str(_ANY_SEED) not in self.after
        self.begun = hashlib.blake2b(before.encode(), digest_size=8)

    def __call__(self, seed: int) -> str:
        told = self.begun.copy()
        told.update(f"{seed}{self.after}".encode())
        return told.hexdigest()


@dataclass(frozen=True)
class TrialNames:
    """By what the trials of one point of a grid are named, at one precision: ``plain`` and ``with_weights`` as finished
    ones, ``learned`` by what they learn."""

    precision: str
    plain: OfSeeds
    with_weights: OfSeeds
    learned: OfSeeds


def with_weights(description: Mapping[str, Any]) -> dict[str, Any]:
    """The same trial when ``recordings.weights = true`` was a part of what it is."""
    return {**description, "recordings": {**description.get("recordings", {}), "weights": True}}


def without_weights(description: Mapping[str, Any]) -> dict[str, Any]:
    """A stored description as one is made now, whether or not weights were asked for at the time."""
    recordings = {key: value for key, value in description.get("recordings", {}).items() if key not in KEPT}
    return {**description, "recordings": recordings} if "recordings" in description else dict(description)


def learned_part(description: Mapping[str, Any]) -> dict[str, Any]:
    """All of a trial's description that could change its weights.

    No key of ``[recordings]`` or ``[explanations]`` can: sets, layers, cells, invariance and the like are read once
    training is over. ``[measures]`` is in no description. What a design's arguments decide (how many test images
    there are, say) stays, since whether it moves the training rows is the design's own affair.

    >>> learned_part({"seed": 1, "recordings": {"layers": "all"}, "versions": {"training": 1, "recordings": 2}})
    {'seed': 1, 'versions': {'training': 1}}
    """
    versions = {name: number for name, number in description.get("versions", {}).items() if name != "recordings"}
    kept = {key: value for key, value in description.items() if key not in (*RECORDED, "versions")}
    return {**kept, "versions": versions}


def learned_identity(description: Mapping[str, Any]) -> str:
    """The identity of what was learned: trials that differ in their recordings alone share it, and their weights."""
    return identity(learned_part(description))


def as_hashed(description: Mapping[str, Any]) -> str:
    """A description as text, the same however its keys are ordered, read from a file or made anew."""
    return json.dumps(description, sort_keys=True, default=str)
