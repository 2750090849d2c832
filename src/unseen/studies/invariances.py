"""The invariance of a trained network's units, with τ found by ablation: where recordings meet designs and measures.

**Which images give τ.** The paper's curve is of within-category accuracy (its Fig. 7): transformed test images of the
categories seen transformed. A network that saw none transformed has no such accuracy; its curve is of plain test images
of all categories (ours). At most :data:`MOST` images, drawn by their row numbers, are asked (ours).

**Where the curve gives no τ** (every τ costs too much, or none does) units are scored at τ = 0, and the reason is kept
(ours): a layer is then seen in whole rather than lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.designs import paired_rows, shown_levels
from unseen.measures import tau_from_curve
from unseen.measures.thresholds import check_threshold
from unseen.vocabulary.design_facts import Exposed
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import keyed
from unseen.vocabulary.split import Split
from unseen.vocabulary.target import Target

if TYPE_CHECKING:
    import pyarrow as pa
    import torch

    from unseen.recordings.ablation import AblationCurve
    from unseen.recordings.invariance import LayerInvariance
    from unseen.recordings.pairs import Pairs
    from unseen.recordings.responses import Images
    from unseen.studies.study import Study
    from unseen.studies.trials import Trial

MOST = 1000
LEFT = 0.5  # of the accuracy: more of it than this, once the active units are ablated, is not near chance (ours)
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
NO_TAU = "scored at τ = 0"  # how the reason ends where the curve gives none


@dataclass(frozen=True)
class RecordedInvariance:
    """Tables by file name, and what goes into ``trial.json``."""

    tables: dict[str, pa.Table] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ChosenThreshold:
    """τ of one layer and transformation, and why."""

    threshold: float
    reason: str
    curve: AblationCurve | None


def check_invariance(trial: Trial, split: Split, targets: Sequence[Target]) -> None:
    """What can be known before training: the design pairs images, there are layers, and τ can be found."""
    recordings = trial.recipe.recordings
    if not recordings.invariance:
        return
    if not isinstance(split.facts, Exposed):
        raise UnseenError(
            f"recordings.invariance compares each probe image with itself transformed, which design "
            f"'{trial.recipe.design.name}' does not pair; use design 'expose' on a world wrapped by transformations."
        )
    if recordings.layers == "none":
        raise UnseenError(
            'recordings.invariance = true, but recordings.layers = "none": no layer would be scored. Set it to "last", '
            '"all" or names.'
        )
    if recordings.threshold != "search":
        check_threshold(recordings.threshold)
    elif trial.recipe.task == "regression" or split.factors[0] not in [target.factor for target in targets]:
        raise UnseenError(
            f"recordings.threshold = \"search\" takes τ from the accuracy for '{split.factors[0]}', which this recipe "
            f"does not ask as classes. Add it to targets, or give τ (the paper's are 0.1 and 0.05)."
        )


def check_rectified(study: Study, trial: Trial) -> None:
    """Look for negative activity in an untrained network that is shown noise, so that no training is spent on a layer
    whose scores would be refused. A missing rectifier shows by this, whatever the weights."""
    import torch

    from unseen.recordings.invariance import extremes, refuse_negative
    from unseen.recordings.pairs import Pairs, Passing
    from unseen.studies.asked import layers_to_record
    from unseen.studies.learners import network_of
    from unseen.studies.trials import without_start

    world, recordings = study.world(trial), trial.recipe.recordings
    network = network_of(study, without_start(trial, world.size))
    noise = torch.rand(4, world.channels, *world.size, generator=torch.Generator().manual_seed(0)) * 255
    pairs = Pairs(np.arange(2), {"noise": np.arange(2, 4)}, np.zeros(2, np.int64), ("all",))
    found = extremes(
        network, layers_to_record(recordings.layers, network.layers), lambda rows, device: noise[rows], pairs,
        Passing(negative="keep", activity=recordings.activity, device=torch.device("cpu")),
    )  # fmt: skip
    counts = {layer: (int(one.negative.sum()), one.negative.size) for layer, one in found.items()}
    refuse_negative({layer: both for layer, both in counts.items() if both[0]})


def record_invariance(
    study: Study, trial: Trial, network: Any, layers: Sequence[str], *, device: torch.device, precision: str
) -> RecordedInvariance:
    """The tables ``invariance.parquet`` and ``thresholds.parquet`` of a trained network, and its facts."""
    world, split, recordings = study.world(trial), study.split(trial), trial.recipe.recordings
    samples, targets = world.samples, study.targets(trial)
    pairs = pairs_of(world.samples, split)
    how: dict[str, Any] = {"activity": recordings.activity, "device": device, "precision": precision}
    rows, kind = curve_rows(pairs)
    asked = {} if trial.recipe.task == "regression" else _asked(network, layers, targets, split.factors[0])
    truth = {target.name: target.truth(samples, rows) for target in targets}
    chosen, scores = scored(
        network, layers, world.images, pairs, rows, asked, truth,
        threshold=recordings.threshold, negative=recordings.negative, **how,
    )  # fmt: skip
    images = np.bincount(pairs.group, minlength=2).tolist()
    facts = {
        "negative": recordings.negative,
        "activity": recordings.activity,
        "images": dict(zip(pairs.names, images)),
        "curve": {"images": len(rows), "kind": kind},
        "firing": "" if pairs.wanted else f"the top 1 % of {len(pairs.plain)} images is no image",
        "layers": {layer: _facts(scores[layer], chosen[layer]) for layer in layers},
    }
    return RecordedInvariance({"invariance": invariance_table(scores), "thresholds": thresholds_table(chosen)}, facts)


def pairs_of(samples: Samples, split: Split) -> Pairs:
    """The probe's images plain and at every level asked; group 0 are images of categories seen transformed."""
    from unseen.recordings.pairs import Pairs

    halves = {str(level): paired_rows(samples, split, level=level) for level in shown_levels(split)}
    plain = next(iter(halves.values()))[0]
    seen = np.isin(samples.levels(split.factors[0], plain), Exposed.of(split.facts).exposed_numbers)
    return Pairs(plain, {level: rows for level, (_, rows) in halves.items()}, np.where(seen, 0, 1), ("seen", "unseen"))


def curve_rows(pairs: Pairs) -> tuple[np.ndarray, str]:
    """The images whose accuracy gives τ, and which they are."""
    seen = pairs.group == 0
    if seen.any():
        rows, kind = next(iter(pairs.transformed.values()))[seen], "transformed images of seen-transformed categories"
    else:
        rows, kind = pairs.plain, "plain images of all categories"
    order = np.argsort(keyed(0, "ablation", rows))[:MOST]
    return np.sort(rows[order]), kind


def scored(
    network: Any,
    layers: Sequence[str],
    fetch: Images,
    pairs: Pairs,
    rows: np.ndarray,
    asked: Mapping[str, str],
    truth: Mapping[str, np.ndarray],
    *,
    threshold: float | str = "search",
    negative: str = "error",
    **how: Any,
) -> tuple[dict[str, dict[str, ChosenThreshold]], dict[str, LayerInvariance]]:
    """Maxima, then τ by layer and transformation, then scores. ``rows``, ``asked`` and ``truth`` are those of
    :func:`unseen.recordings.threshold_curves`; a τ that is given is looked at by the same ablations, at that τ alone.
    """
    from unseen.recordings.ablation import THRESHOLDS, threshold_curves
    from unseen.recordings.invariance import extremes, score
    from unseen.recordings.pairs import KeptActivity, Passing

    passing = Passing(negative=negative, kept=KeptActivity(), **how)
    found = extremes(network, layers, fetch, pairs, passing)
    maxima = {
        level: {layer: one.maxima[place] for layer, one in found.items()}
        for place, level in enumerate(pairs.transformed)
    }
    grid = THRESHOLDS if threshold == "search" else (float(threshold),)
    curves = threshold_curves(network, asked, fetch, rows, truth, maxima, thresholds=grid, **how) if asked else {}
    chosen = {
        layer: {level: _chosen(curves.get(level, {}).get(layer), threshold) for level in pairs.transformed}
        for layer in found
    }
    taus = {layer: {level: one.threshold for level, one in levels.items()} for layer, levels in chosen.items()}
    return chosen, score(network, fetch, pairs, found, taus, passing)


def _chosen(curve: AblationCurve | None, threshold: float | str) -> ChosenThreshold:
    if threshold != "search":
        return ChosenThreshold(float(threshold), "", curve)
    assert curve is not None
    tau = tau_from_curve(curve.thresholds, curve.kept, curve.full, without_active=curve.removed)
    if not (np.isfinite(tau.tau) and tau.tau < curve.thresholds.max()):
        return ChosenThreshold(0.0, f"{tau.reason}; {NO_TAU}", curve)
    left = (
        f"ablating the active units leaves {tau.without_active:.3f} of {curve.full:.3f}: others know the category too"
    )
    reasons = [tau.reason, left if tau.without_active > LEFT * curve.full else ""]
    return ChosenThreshold(tau.tau, "; ".join(filter(None, reasons)), curve)


def _asked(network: Any, layers: Sequence[str], targets: Sequence[Target], category: str) -> dict[str, str]:
    """The target by which an ablation of each layer is judged: the category's, or else one that the layer serves."""
    names = {target.name: target.factor for target in targets}
    asked = {}
    for layer in layers:
        serves = list(network.tasks_of(layer))
        asked[layer] = next((name for name in serves if names.get(name) == category), serves[0])
    return asked


def _facts(scores: LayerInvariance, chosen: Mapping[str, ChosenThreshold]) -> dict[str, Any]:
    facts = {}
    for place, level in enumerate(scores.levels):
        shares = scores.units_per_image[place]
        facts[level] = {
            "threshold": chosen[level].threshold,
            "reason": chosen[level].reason,
            **_accuracies(chosen[level]),
            "units_per_image": float(shares.mean()),
            "units_per_image_quantiles": dict(zip(map(str, QUANTILES), np.quantile(shares, QUANTILES).tolist())),
            "units": scores.coefficient.shape[2],
            "states": scores.counts(level),
        }
    return facts


def _accuracies(chosen: ChosenThreshold) -> dict[str, float]:
    """What the ablations cost at the τ that was chosen."""
    curve = chosen.curve
    if curve is None:
        return {}
    at = int(np.argmin(np.abs(curve.thresholds - chosen.threshold)))
    return {"full": curve.full, "kept": float(curve.kept[at]), "removed": float(curve.removed[at])}


def invariance_table(scores: Mapping[str, LayerInvariance]) -> pa.Table:
    """One row per transformation, layer, group and unit; null where a unit has no score."""
    import pyarrow as pa

    from unseen.recordings.invariance import STATES

    parts = []
    for layer, one in scores.items():
        level, group, unit = (axis.ravel() for axis in np.indices(one.coefficient.shape))
        firing = np.full(one.coefficient.shape, np.nan)
        firing[:, -1] = one.firing
        columns = {
            "level": _words(one.levels, level),
            "layer": _words((layer,), np.zeros(len(unit), np.int64)),
            "group": _words(one.groups, group),
            "unit": pa.array(unit, pa.int32()),
            "coefficient": pa.array(one.coefficient.ravel(), pa.float32(), from_pandas=True),
            "images_active": pa.array(one.images_active.ravel(), pa.float32(), from_pandas=True),
            "firing": pa.array(firing.ravel(), pa.float32(), from_pandas=True),
            "state": _words(STATES, one.state.ravel()),
        }
        parts.append(pa.table(columns))
    return pa.concat_tables(parts)


def thresholds_table(chosen: Mapping[str, Mapping[str, ChosenThreshold]]) -> pa.Table:
    """One row per transformation, layer and τ tried."""
    import pyarrow as pa

    rows: dict[str, list[Any]] = {
        name: [] for name in ("level", "layer", "threshold", "kept", "removed", "full", "images", "chosen")
    }
    for layer, levels in chosen.items():
        for level, one in levels.items():
            for step, tau in enumerate(() if one.curve is None else one.curve.thresholds):
                assert one.curve is not None
                said = (level, layer, tau, one.curve.kept[step], one.curve.removed[step], one.curve.full)
                for name, value in zip(rows, (*said, one.curve.images, bool(tau == one.threshold))):
                    rows[name].append(value)
    types = [pa.string(), pa.string(), *[pa.float32()] * 4, pa.int32(), pa.bool_()]
    return pa.table({name: pa.array(values, kind) for (name, values), kind in zip(rows.items(), types)})


def _words(names: Sequence[str], at: np.ndarray) -> pa.Array:
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(pa.array(at, pa.int32()), pa.array(names, pa.string())).cast(pa.string())
