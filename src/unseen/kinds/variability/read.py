"""All gaps of a study: what training showed, what was asked, by which network, in which repeat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from unseen.kinds.collect import REPEAT, finished_trials, nothing_finished, tidy_rows, varied
from unseen.kinds.variability.numbers import ENDS, GAP, OF_CLASS, TRAINED
from unseen.kinds.variability.traits import NetworkTraits, amount_of, encoder_traits, traits_of
from unseen.studies.records import Record
from unseen.studies.study import Study
from unseen.studies.trials import setting_text
from unseen.vocabulary.design_facts import Varied
from unseen.vocabulary.protocol_names import NO_PRETRAINING

if TYPE_CHECKING:
    import polars as pl

FOLD = "design.fold"
ENCODER = "pretraining.seed"  # of a study's own encoders
ANEW = "encoders made anew"
SHOWN = ("design.regime", "design.vary", "design.share", "design.class_share")  # what training shows
OWN = (*SHOWN, FOLD, REPEAT, ENCODER, "protocol")
PROTOCOLS = {"probe": "linear", "finetune": "finetune", "scratch": "from scratch", "zero-shot": "zero-shot"}
CANONICAL, SAMPLES, INSTANCES, CLASSES = "canonical", "samples", "instances", "classes"
ACCURACY = "accuracy"
Off = tuple[str, ...]


@dataclass(frozen=True)
class Point:
    """One number of one trial. ``group``: "", or the classes "exposed" and "others"; ``trained``: of objects that were
    trained on."""

    model: str
    protocol: str
    regime: str
    vary: Off
    share: float
    tested: Off
    group: str
    trained: bool
    repeat: Any
    measure: str
    value: float
    n: int
    level: str = ""


Network = tuple[str, str]  # model and protocol


@dataclass(frozen=True, eq=False)
class Gaps:
    """Every point, and over what repeats are. Values by repeat are NaN where there is none; training seeds of one
    choice of objects are averaged, and where encoders are made anew so are folds. ``controls`` are networks whose
    features are of random weights."""

    points: tuple[Point, ...]
    repeats: tuple[Any, ...]
    over: str
    factors: Off
    controls: frozenset[Network] = frozenset()
    encoders: Mapping[str, NetworkTraits] = field(default_factory=dict)  # of models that were pretrained here

    def traits(self, network: Network) -> NetworkTraits:
        return self.encoders.get(network[0]) or traits_of(network[0])

    @cached_property
    def networks(self) -> tuple[Network, ...]:
        return tuple(dict.fromkeys((one.model, one.protocol) for one in self.points))

    @cached_property
    def judged(self) -> tuple[Network, ...]:
        """Networks that findings speak of: controls are shown beside, and judged only where there is nothing else. A
        network that hardly knows anything has no gap to show."""
        return tuple(network for network in self.networks if network not in self.controls) or self.networks

    @cached_property
    def protocols(self) -> tuple[str, ...]:
        found = dict.fromkeys(one.protocol for one in self.points)
        return tuple(sorted(found, key=lambda name: (name not in PROTOCOLS.values(), list(found).index(name))))

    @cached_property
    def _index(self) -> Mapping[tuple[Any, ...], dict[Any, list[float]]]:
        found: dict[tuple[Any, ...], dict[Any, list[float]]] = {}
        for one in self.points:
            if one.level:
                continue
            key = (
                one.model,
                one.protocol,
                one.regime,
                one.vary,
                one.share,
                one.tested,
                one.group,
                one.trained,
                one.measure,
            )
            found.setdefault(key, {}).setdefault(one.repeat, []).append(one.value)
        return found

    def of(
        self,
        network: Network,
        regime: str,
        tested: Off,
        *,
        vary: Off = (),
        share: float = 0.0,
        group: str = "",
        trained: bool = False,
        measure: str = GAP,
    ) -> Float[np.ndarray, " repeats"]:
        """One number of one network by repeat."""
        found = self._index.get((*network, regime, vary, share, tested, group, trained, measure), {})
        return np.array([np.mean(found[repeat]) if repeat in found else np.nan for repeat in self.repeats])

    def alone(self, network: Network) -> dict[str, Float[np.ndarray, " repeats"]]:
        """The gap of each factor alone, of a network that was shown canonical pictures only; those that were asked."""
        found = {factor: self.of(network, CANONICAL, (factor,)) for factor in self.factors}
        return {factor: values for factor, values in found.items() if np.isfinite(values).any()}

    def shares(self, regime: str) -> tuple[float, ...]:
        return tuple(sorted({one.share for one in self.points if one.regime == regime}))

    def shown(self, regime: str) -> tuple[Off, ...]:
        """What varied in training in a regime: single factors in the world's order, then more."""
        found = {one.vary for one in self.points if one.regime == regime}
        return tuple(sorted(found, key=lambda off: (len(off), [self.factors.index(name) for name in off])))

    def has(self, regime: str) -> bool:
        return any(one.regime == regime for one in self.points)


def has_random_features(description: Mapping[str, Any]) -> bool:
    """Whether a trial, as it is described, probes features of weights that never learned.

    >>> has_random_features({"network": {"frozen": True}}), has_random_features({"network": {"pretrained": True}})
    (True, False)
    """
    network, encoder = description.get("network", {}), description.get("pretraining", {}).get("pretraining", {})
    learned = any(network.get(key) for key in ("pretrained", "checkpoint", "model"))
    learned = learned or encoder.get("objective", NO_PRETRAINING) != NO_PRETRAINING
    return bool(network.get("frozen")) and not learned


def network_name(network: Network, *, several: bool = True) -> str:
    """
    >>> network_name(("resnet18", "linear")), network_name(("", "linear"))
    ('resnet18, linear', 'linear')
    """
    model, protocol = network
    return ", ".join(part for part in (model, protocol if several or not model else "") if part)


def said_of(key: str, value: object) -> str:
    """What a network is called by a key of the grid: names speak for themselves, all else with the key.

    >>> said_of("network.backbone", "resnet18"), said_of("network.pretrained", False), said_of("training.lr", 0.1)
    ('resnet18', 'not pretrained', 'lr 0.1')
    """
    if isinstance(value, bool):
        return f"{'' if value else 'not '}{key.rpartition('.')[2]}"
    return value if isinstance(value, str) else setting_text(key, value)


@dataclass(frozen=True, eq=False)
class StudyGaps:
    """Finished trials of a study, their gaps, and the name that each trial's network and training have."""

    trials: Sequence[Record]
    gaps: Gaps
    named: Mapping[str, str]  # network, by identity
    shows: Mapping[str, str]  # what training showed, by identity
    rows: list[dict[str, Any]]  # of the tidy table, with what summaries need

    @property
    def tidy(self) -> pl.DataFrame:
        import polars as pl

        return pl.DataFrame(self.rows, infer_schema_length=None)


def read(study: Study) -> StudyGaps:
    trials, keys = finished_trials(study), varied(study)
    if not trials:
        raise nothing_finished(study)
    named_by = _naming(trials, [key for key in keys if key not in OWN])
    repeat_key, over = repeats_of(keys, {record.facts["condition"].get(ENCODER) for record in trials})
    amounts = [amount for one in trials if (amount := amount_of(one.facts["description"])) is not None]
    abouts, named, shows, controls, encoders = {}, {}, {}, set(), {}
    for record in trials:
        facts, own = record.facts, Varied.of(record.split_facts)
        said = facts["condition"]
        words = {key: said_of(key, said[key]) for key in named_by if said.get(key) is not None}
        model = " ".join(words.values())
        how = str(facts["protocol"])
        protocol = PROTOCOLS.get(how, how)
        design = facts["description"].get("design", {})
        repeats = {FOLD: own.fold, REPEAT: design.get("seed", 0), ENCODER: said.get(ENCODER)}
        repeat = repeats.get(repeat_key, facts["seed"])
        share, regime = (own.share, own.regime) if own.share else (0.0, CANONICAL)
        abouts[record.identity] = (model, protocol, regime, own.vary if share else (), share, int(repeat), own)
        named[record.identity] = network_name((model, protocol))
        shows[record.identity] = own.name
        if has_random_features(facts["description"]):
            controls.add((model, protocol))
        elif (traits := encoder_traits(facts["description"], words, amounts)) is not None:
            encoders[model] = traits
    rows = tidy_rows(study)
    points = tuple(_points(rows, abouts))
    found = {one.repeat for one in points}
    factors = next(iter(abouts.values()))[-1].factors
    several = len(set(named.values())) > 1
    ready = [
        {
            **row,
            "x": shows[row["trial"]],
            "series": named[row["trial"]] if several else "all networks",
            "repeat": abouts[row["trial"]][5],
        }
        for row in rows
        if row["trial"] in abouts and row["measure"] != OF_CLASS
    ]
    gaps = Gaps(points, tuple(sorted(found)), over, factors, frozenset(controls), encoders)
    return StudyGaps(trials, gaps, named, shows, ready)


def _naming(trials: Sequence[Record], keys: Sequence[str]) -> list[str]:
    """The grid's keys that tell networks apart. One that has one value in each of several protocols (their learning
    rates) belongs to these: a network finetuned and linear is the same one."""
    found = []
    for key in keys:
        values: dict[str, set[str]] = {}
        for record in trials:
            values.setdefault(record.facts["protocol"], set()).add(repr(record.facts["condition"].get(key)))
        if len(values) < 2 or any(len(own) > 1 for own in values.values()):
            found.append(key)
    return found


def repeats_of(keys: Iterable[str], encoders: Set[Any] = frozenset()) -> tuple[str, str]:
    """What a repeat is, by the grid's keys and the seeds of encoders, and over what it is, in words: encoders that were
    made anew, since what is claimed is about their training; else other objects, if the study has any.

    >>> repeats_of([FOLD], {0, 1}), repeats_of([FOLD], {0})
    (('pretraining.seed', 'encoders made anew'), ('design.fold', 'folds of the objects'))
    """
    if len(encoders) > 1:
        return ENCODER, ANEW
    if FOLD in keys:
        return FOLD, "folds of the objects"
    if REPEAT in keys:
        return REPEAT, "draws of the objects"
    return "", "seeds of one choice of objects"


def _points(rows: Sequence[Mapping[str, Any]], abouts: Mapping[str, tuple[Any, ...]]) -> Iterable[Point]:
    for row in rows:
        if row["trial"] not in abouts or row["measure"] not in (ACCURACY, GAP, OF_CLASS) or row["value"] is None:
            continue
        model, protocol, regime, vary, share, repeat, own = abouts[row["trial"]]
        name = row["set"]
        if name not in own.asked or row["target"] != own.targets[0]:
            continue
        end = next((end for end in ENDS if name.endswith(end)), "")
        yield Point(
            model, protocol, regime, vary, share, own.asked[name], end.removeprefix("-"), name.startswith(TRAINED),
            repeat, row["measure"], float(row["value"]), int(row["n"] or 0), row.get("level") or "",
        )  # fmt: skip
