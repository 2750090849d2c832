r"""How little each unit changes when the image is transformed, for all layers in two passes over pairs of images.

The definitions are those of :mod:`unseen.measures.transformations` and :mod:`unseen.measures.thresholds`, which are
the oracles of this module in tests: Zaidi et al. 2020 (section 2.2), and Goodfellow et al. 2009 for the top 1 %. Here
sums are kept on the device where the network runs. The first pass (:func:`extremes`) finds the maximum of each unit,
the second (:func:`score`) adds up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor, nn

from unseen.recordings.pairs import KEPT, KeptActivity, Pairs, Passing, paired_activity
from unseen.recordings.responses import Images
from unseen.vocabulary.errors import UnseenError, listed

STATES = ("scored", "dead", "silent", "not finite")


@dataclass(frozen=True, eq=False)
class Extremes:
    """Of one layer, by transformation and unit: the largest activity among plain and transformed images (the paper's
    normaliser), whether all activity is finite, and whether some is negative before any rectifying.

    ``fires_above`` is the activity that the top 1 % of plain images exceed; None where 1 % is no image."""

    maxima: Float[np.ndarray, "levels units"]
    finite: Bool[np.ndarray, "levels units"]
    negative: Bool[np.ndarray, "levels units"]
    fires_above: Float[np.ndarray, " units"] | None


@dataclass(frozen=True, eq=False)
class LayerInvariance:
    """Of one layer, by transformation, group and unit; the last group is "all". NaN where there is no score.

    ``firing`` is Goodfellow's score, of all images; ``units_per_image`` the share of units that an image, plain or
    transformed, makes active. ``state`` numbers :data:`STATES`.
    """

    levels: tuple[str, ...]
    groups: tuple[str, ...]
    thresholds: tuple[float, ...]
    coefficient: Float[np.ndarray, "levels groups units"]
    images_active: Float[np.ndarray, "levels groups units"]
    state: Int[np.ndarray, "levels groups units"]
    firing: Float[np.ndarray, "levels units"]
    units_per_image: Float[np.ndarray, "levels images"]

    def counts(self, level: str, group: str = "all") -> dict[str, int]:
        """Units by state."""
        at = self.state[self.levels.index(level), self.groups.index(group)]
        return dict(zip(STATES, np.bincount(at, minlength=len(STATES)).tolist()))


def unit_invariance(
    network: nn.Module,
    layers: Sequence[str],
    fetch: Images,
    pairs: Pairs,
    threshold: float,
    *,
    keep: int = KEPT,
    **how: Any,
) -> dict[str, LayerInvariance]:
    """Both passes, at one τ for all layers and transformations. ``keep`` bytes of activity are held for the second,
    which runs only the images beyond them again. ``how``: the device, and what else :class:`Passing` takes."""
    passing = Passing(**how, kept=KeptActivity(keep))
    found = extremes(network, layers, fetch, pairs, passing)
    thresholds = {layer: dict.fromkeys(pairs.transformed, threshold) for layer in found}
    return score(network, fetch, pairs, found, thresholds, passing)


@torch.inference_mode()
def extremes(
    network: nn.Module, layers: Sequence[str], fetch: Images, pairs: Pairs, how: Passing
) -> dict[str, Extremes]:
    """First pass. Memory holds a batch, a few numbers per unit, per unit the top 1 % of its plain activity, and what is
    kept for the second."""
    wanted = pairs.wanted
    found: dict[str, _Extremes] = {}
    for _, layer, raw in paired_activity(network, layers, fetch, pairs, how):
        if layer not in found:
            found[layer] = _Extremes(raw, wanted + 1 if wanted else 0)
        found[layer].see(raw, how.negative == "rectify")
    result = {layer: one.result() for layer, one in found.items()}
    if how.negative == "error":
        below = {layer: int(one.negative.any(axis=0).sum()) for layer, one in result.items()}
        refuse_negative({layer: (many, result[layer].maxima.shape[1]) for layer, many in below.items() if many})
    return result


def refuse_negative(layers: Mapping[str, tuple[int, int]]) -> None:
    """Say of which layers how many units have negative activity, if any has."""
    if not layers:
        return
    said = listed(f"{layer} ({many} of {units} units)" for layer, (many, units) in layers.items())
    raise UnseenError(
        f"activity is negative in {said}, where the invariance coefficient leaves [0, 1]. Name layers that end in a "
        f'rectifier (recordings.layers), or set recordings.negative = "rectify" (negative activity counts as 0) or '
        f'"keep" (the formula as it is).'
    )


class _Extremes:
    """What a layer's first pass adds up on the device."""

    def __init__(self, raw: Tensor, top: int) -> None:
        levels, units = raw.shape[0] - 1, raw.shape[2]
        where: dict[str, Any] = {"device": raw.device}
        self.maxima = torch.full((levels, units), -torch.inf, **where)
        self.finite = torch.ones(levels, units, dtype=torch.bool, **where)
        self.negative = torch.zeros(levels, units, dtype=torch.bool, **where)
        self.top = torch.full((top, units), -torch.inf, **where) if top else None

    def see(self, raw: Tensor, rectify: bool) -> None:
        values = raw.clamp_min(0) if rectify else raw
        below, finite = (raw < 0).any(1), values.isfinite().all(1)
        self.negative |= below[:1] | below[1:]
        self.finite &= finite[:1] & finite[1:]
        largest = values.amax(1)  # NaN where one is
        self.maxima = torch.maximum(self.maxima, torch.maximum(largest[:1], largest[1:]))
        if self.top is not None:
            self.top = torch.cat([self.top, values[0]]).topk(len(self.top), dim=0, sorted=True).values

    def result(self) -> Extremes:
        maxima = self.maxima.cpu().numpy().astype(np.float64)
        above = None if self.top is None else self.top[-1].cpu().numpy().astype(np.float64)
        return Extremes(maxima, self.finite.cpu().numpy(), self.negative.cpu().numpy(), above)


@torch.inference_mode()
def score(
    network: nn.Module,
    fetch: Images,
    pairs: Pairs,
    found: Mapping[str, Extremes],
    thresholds: Mapping[str, Mapping[str, float]],
    how: Passing,
) -> dict[str, LayerInvariance]:
    """Second pass, with τ of each layer and transformation."""
    for layer, levels in thresholds.items():
        for level, tau in levels.items():
            if not 0 <= tau <= 1:
                raise UnseenError(
                    f"τ is a share of a unit's maximal activity, from 0 to 1; given {tau} ({layer}, {level})."
                )
    member = torch.nn.functional.one_hot(torch.from_numpy(np.asarray(pairs.group, np.int64)), len(pairs.names)).T
    member = member.to(how.device, _precise(how.device))
    sums = {
        layer: _Sums(one, [thresholds[layer][level] for level in pairs.transformed], len(member), pairs, how.device)
        for layer, one in found.items()
    }
    for places, layer, raw in paired_activity(network, tuple(found), fetch, pairs, how):
        sums[layer].add(raw.clamp_min(0) if how.negative == "rectify" else raw, member[:, places], places)
    return {layer: one.result(found[layer], pairs) for layer, one in sums.items()}


class _Sums:
    """What a layer's second pass adds up on the device."""

    def __init__(
        self, found: Extremes, thresholds: Sequence[float], groups: int, pairs: Pairs, device: torch.device
    ) -> None:
        where: dict[str, Any] = {"device": device, "dtype": _precise(device)}
        (levels, units), self.thresholds = found.maxima.shape, tuple(thresholds)
        usable = (found.maxima > 0) & np.isfinite(found.maxima)
        self.scale = torch.as_tensor(np.where(usable, found.maxima, np.nan)[:, None]).to(**where)
        self.tau = torch.tensor(self.thresholds, dtype=torch.float64).to(**where)[:, None, None]
        self.sums = torch.zeros(3, levels, groups, units, **where)  # of h, of pairs that have one, of active images
        self.shares = torch.zeros(levels, len(pairs.plain), device=device)
        above = found.fires_above
        self.above = None if above is None else torch.as_tensor(above).to(**where)
        self.fires = torch.zeros(units, **where)
        self.stays = torch.zeros(levels, units, **where)

    def add(self, values: Tensor, member: Tensor, places: slice) -> None:
        """``values`` are [versions, images, units], ``member`` [groups, images]."""
        values = values.to(self.scale.dtype)
        f, g = values[:1] / self.scale, values[1:] / self.scale
        on = (f > self.tau) | (g > self.tau)
        total = (f + g).abs()
        counted = on & (total > 0)  # zero only for opposite activities, where negative ones are kept
        h = torch.where(counted, 1 - (g - f).abs() / total, 0)
        terms = torch.stack([h, counted.to(h.dtype), on.to(h.dtype)])
        self.sums += member @ terms
        self.shares[:, places] = on.float().mean(2)
        if self.above is not None:
            fires = values[0] > self.above
            self.fires += fires.sum(0)
            self.stays += ((values[1:] > self.above) & fires).sum(1)

    def result(self, found: Extremes, pairs: Pairs) -> LayerInvariance:
        sums = self.sums.cpu().numpy().astype(np.float64)
        images = np.bincount(pairs.group, minlength=len(pairs.names))
        there = np.flatnonzero(images)  # a group without images has no rows
        h, counted, on = (np.concatenate([one[:, there], one.sum(axis=1, keepdims=True)], axis=1) for one in sums)
        finite, alive = found.finite[:, None], (found.maxima > 0)[:, None]
        state = np.select([~finite, ~alive, on == 0, counted == 0], [3, 1, 2, 3], 0)
        coefficient = _ratio(h, np.where(state == 0, counted, 0))
        active = np.where(finite, on, np.nan) / np.append(images[there], len(pairs.plain))[:, None]
        fires, stays = (one.cpu().numpy().astype(np.float64) for one in (self.fires, self.stays))
        fires = np.where(found.finite, fires, 0)
        return LayerInvariance(
            levels=tuple(pairs.transformed),
            groups=(*(pairs.names[place] for place in there), "all"),
            thresholds=self.thresholds,
            coefficient=coefficient,
            images_active=active,
            state=state,
            firing=_ratio(stays * len(pairs.plain), fires**2),  # (stays / fires) / (fires / images)
            units_per_image=self.shares.cpu().numpy(),
        )


def _precise(device: torch.device) -> torch.dtype:
    return torch.float32 if device.type == "mps" else torch.float64


def _ratio(above: Shaped[np.ndarray, "..."], below: Shaped[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    return np.divide(above, below, where=below > 0, out=np.full(np.broadcast(above, below).shape, np.nan))
