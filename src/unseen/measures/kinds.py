"""What kind of thing a factor is (colour, position, size, …), and means of a number by kind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from unseen.vocabulary.errors import UnseenError, unknown

KINDS = {  # a word in a factor's name -> what kind of thing varies (ours)
    "colour": ("color", "colour", "hue"),
    "shape": ("shape", "category"),
    "size": ("scale", "size"),
    "position": ("position", "x", "y", "posx", "posy"),
    "orientation": ("orientation", "azimuth", "rotation", "angle", "axis"),
    "viewpoint": ("camera", "viewpoint", "elevation", "zenith"),
}


def factor_kinds(names: Sequence[str], given: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """What kind of thing each factor is: as given, else guessed from the words of its name, else ``"other"`` (ours).

    >>> factor_kinds(["floor_hue", "position_x", "horizontal_axis", "camera_height", "mood"], {"mood": "weather"})
    ('colour', 'position', 'orientation', 'viewpoint', 'weather')
    """
    given = given or {}
    if strange := [name for name in given if name not in names]:
        raise unknown("factor", strange[0], names, where="the kinds of factors")
    words = [set(re.split(r"[^a-z]+", name.lower())) for name in names]
    guessed = (next((kind for kind, marks in KINDS.items() if mine & set(marks)), "other") for mine in words)
    return tuple(given.get(name, guess) for name, guess in zip(names, guessed))


@dataclass(frozen=True)
class KindMean:
    """Mean over the factors of one kind: ``n`` of them have a value, ``undefined`` have none."""

    value: float
    n: int
    undefined: int


def by_kind(values: Float[np.ndarray, " factors"], kinds: Sequence[str]) -> dict[str, KindMean]:
    """Mean by kind of factor (colour, position, shape …), in the order in which the kinds appear.

    >>> by_kind(np.array([0.9, 0.5, 0.7, np.nan]), ["colour", "size", "colour", "size"])["size"]
    KindMean(value=0.5, n=1, undefined=1)
    """
    values = np.asarray(values, np.float64)
    if values.shape != (len(kinds),):
        raise UnseenError(f"each factor needs one value and one kind; given {values.shape} and {len(kinds)} kinds.")
    found = {}
    for kind in dict.fromkeys(kinds):
        mine = values[[k == kind for k in kinds]]
        kept = mine[~np.isnan(mine)]
        mean = float(kept.mean()) if len(kept) else float("nan")
        found[kind] = KindMean(mean, len(kept), len(mine) - len(kept))
    return found
