"""Texture against shape: which of two conflicting cues a response follows (Geirhos et al. 2019)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from unseen.measures.statistics import NAN, Interval, proportion_interval
from unseen.vocabulary.errors import UnseenError


@dataclass(frozen=True)
class ShapeBias:
    """Decisions on images whose cues conflict. ``bias`` is shape / (shape + texture), with an interval; images whose
    shape and texture are of one category are ``agreeing`` and not counted, as published."""

    bias: Interval
    shape: int
    texture: int
    neither: int
    agreeing: int

    @property
    def conflicting(self) -> int:
        return self.shape + self.texture + self.neither

    @property
    def followed(self) -> float:
        """Share of conflicting images whose response is one of the two cues."""
        return (self.shape + self.texture) / self.conflicting if self.conflicting else NAN


def shape_bias(
    shape: Int[np.ndarray, " n"], texture: Int[np.ndarray, " n"], response: Int[np.ndarray, " n"],
    person: Int[np.ndarray, " n"] | None = None, *, level: float = 0.95,
) -> ShapeBias:  # fmt: skip
    r"""Shape bias, pooled over trials (Geirhos et al. 2019, Fig. 4; released code: agreeing images are dropped first).

    Of one subject the interval is exact binomial over decisions. Of several people (``person``) decisions are pooled as
    published, and the interval is Student's t over people, for the ratio :math:`r = \sum s_i / \sum d_i` of sums
    with :math:`\mathrm{var}(r) = \frac{k}{k-1} \sum (s_i - r d_i)^2 / (\sum d_i)^2` (Cochran 1977, section 6.5).

    >>> found = shape_bias(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 1]), np.array([0, 1, 1, 1]))
    >>> round(found.bias.value, 3), found.shape, found.texture, found.agreeing
    (0.667, 2, 1, 1)
    """
    if len({len(shape), len(texture), len(response)}) > 1:
        raise UnseenError("shape, texture and response have an entry each per trial.")
    conflict = shape != texture
    by_shape, by_texture = conflict & (response == shape), conflict & (response == texture)
    s, t = int(by_shape.sum()), int(by_texture.sum())
    if person is not None and len(np.unique(person[conflict])) > 1:
        bias = _over_people(by_shape, by_texture, person, level)
    else:
        bias = proportion_interval(s, s + t, level)
    return ShapeBias(bias, s, t, int(conflict.sum()) - s - t, int((~conflict).sum()))


def _over_people(by_shape: np.ndarray, by_texture: np.ndarray, person: np.ndarray, level: float) -> Interval:
    _, place = np.unique(person, return_inverse=True)
    s = np.bincount(place, weights=by_shape)
    d = s + np.bincount(place, weights=by_texture)
    s, d = s[d > 0], d[d > 0]
    k, dropped = len(d), len(np.unique(person)) - len(d)
    if not k:
        return Interval(NAN, NAN, NAN, 0, "t over people", dropped, level)
    ratio = float(s.sum() / d.sum())
    if k == 1:
        return Interval(ratio, NAN, NAN, 1, "t over people", dropped, level)
    from scipy.special import stdtrit

    error = float(np.sqrt(k / (k - 1) * ((s - ratio * d) ** 2).sum()) / d.sum())
    half = float(stdtrit(k - 1, (1 + level) / 2)) * error
    return Interval(ratio, ratio - half, ratio + half, k, "t over people", dropped, level).cut(0, 1)
