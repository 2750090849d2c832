"""A trial whose answers are numbers becomes rows of the tidy table: R² per factor, modularity, towards the mean,
and, of an encoder, how disentangled its latents are.

The sets are those of the design: ``one-out-<factor>`` holds images with that factor alone out of range.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from unseen.designs.levels import MODES
from unseen.kinds.in_domain.disentangled import SCORES, disentangled
from unseen.kinds.in_domain.meanings import meanings
from unseen.measures import (
    OneOut,
    Pull,
    TowardsMean,
    by_kind,
    factor_scores,
    kept_to_range,
    modularity,
    pull,
    share_far_outside,
    share_towards_mean,
)
from unseen.studies.answers import read_answers, words
from unseen.studies.records import Record

if TYPE_CHECKING:
    import polars as pl

R2, OUT, OTHERS = "R²", "R² of the factor out of range", "R² of the other factors"
BY_KIND = "R² by kind of factor"
TOWARDS = "share towards the mean"
OPPOSITE = f"{TOWARDS}: on the other side of it"
DISTANCE = "distance from the mean, 1 at the edge of what was trained"
SPREAD = "variance of the answers, 1 for draws from the trained levels"
OF_DRAWS, OF_EDGE, OF_TRUTH = ": of draws from the trained levels", ": of answers at the edge", ": of the truth"
# What a network's pull is measured by: tidy name, and name in ``measures.Pull``.
PULLS = {
    DISTANCE: "distance",
    SPREAD: "spread",
    f"{DISTANCE}{OF_DRAWS}": "distance_of_draws",
    f"{DISTANCE}{OF_TRUTH}": "distance_of_truth",
    f"{TOWARDS}{OF_DRAWS}": "share_of_draws",
    f"{TOWARDS}{OF_EDGE}": "share_of_edge",
}
KEPT = " (answers kept to the range)"  # after the name of a measure
WILD = "share of answers far outside the range"
MEAN = "mean over factors"
ONE_OUT = "one-out-"
MODE = "design.mode"  # the grid's key that names the splits to compare
STARTS = ("pretrained", "frozen")  # of a network's settings, by their names: from what it starts
IN_THE_NAME = {f"network.{key}" for key in ("backbone", "pretrained", "frozen", "sharing", "channels")}
IN_THE_NAME |= {"protocol", "training.objective", "training.normalise", "world.name", "design.share", "design.protect"}

Answers = Mapping[str, tuple[np.ndarray, np.ndarray]]  # by set: (predicted, true), each [images, factors]


def answered(facts: Mapping[str, Any], folder: Path) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """(predicted, true) ``[images, factors]`` of each asked set, factors in the order of the trial's targets."""
    table = read_answers(folder, "set", "target", "sample", "truth", "response")
    sets, targets = words(table, "set"), words(table, "target")
    numbers = {name: np.asarray(table[name], dtype=np.float64) for name in ("truth", "response")}
    sample = np.asarray(table["sample"])
    found = {}
    for asked in sets.found():
        columns: dict[str, list[np.ndarray]] = {"response": [], "truth": []}
        for target in facts["targets"]:
            here = np.flatnonzero(sets.is_(asked) & targets.is_(target))
            here = here[np.argsort(sample[here], kind="stable")]
            for name, values in columns.items():
                values.append(numbers[name][here])
        found[asked] = np.stack(columns["response"], axis=1), np.stack(columns["truth"], axis=1)
    return found


def regressed(record: Record) -> Iterator[dict[str, Any]]:
    """All numbers of one trial that regresses factors."""
    facts, folder = record
    names, levels = _factors(facts)
    kinds = list(meanings(facts["description"]["world"]["name"], names).values())
    answers = answered(facts, folder)
    for asked, (predicted, true) in answers.items():
        for variance in ("grid", "test"):
            scores = factor_scores(predicted, true, names=names, levels=levels, variance=variance)
            measure = R2 if variance == "grid" else f"{R2} (variance of the set)"
            for name, value in zip(names, scores.r2):
                yield {"measure": measure, "set": asked, "target": name, "value": value, "n": scores.n}
            yield {"measure": measure, "set": asked, "target": MEAN, "value": scores.mean, "n": scores.n}
            if variance == "grid":
                yield {"measure": "factors without R²", "set": asked, "value": len(scores.undefined), "n": len(names)}
                for kind, mean in by_kind(scores.r2, kinds).items():
                    yield {"measure": BY_KIND, "set": asked, "target": kind, "value": mean.value, "n": scores.n}
        yield from _kept(names, levels, asked, predicted, true)
    yield from _one_out(one_out(facts, answers), len(names) == 1)
    kept = {asked: (kept_to_range(predicted), true) for asked, (predicted, true) in answers.items()}
    yield from _one_out(one_out(facts, kept), len(names) == 1, KEPT)
    yield from _towards_mean(ratios(record, answers), answers)
    yield from _pulled(pulls(record, answers))
    yield from disentangled(facts, folder)


def _kept(
    names: Sequence[str], levels: Sequence[int], asked: str, predicted: np.ndarray, true: np.ndarray
) -> Iterator[dict[str, Any]]:
    """R² of answers kept to the range, and how many had left it far."""
    scores = factor_scores(kept_to_range(predicted), true, names=names, levels=levels)
    wild = share_far_outside(predicted)
    for name, value, share in zip((*names, MEAN), (*scores.r2, scores.mean), (*wild, wild.mean())):
        yield {"measure": f"{R2}{KEPT}", "set": asked, "target": name, "value": value, "n": scores.n}
        yield {"measure": WILD, "set": asked, "target": name, "value": share, "n": scores.n}


def one_out(facts: Mapping[str, Any], answers: Answers) -> tuple[OneOut, ...]:
    """R² of the factor that is out of range and of the others, for each set in which one factor is out alone."""
    names, levels = _factors(facts)
    alone = {asked: pair for asked, pair in answers.items() if asked.removeprefix(ONE_OUT) in names}
    return modularity(alone, names=names, levels=levels, out={asked: asked.removeprefix(ONE_OUT) for asked in alone})


def ratios(record: Record, answers: Answers) -> dict[str, TowardsMean]:
    """For each factor out of range: are its answers nearer to the mean of the levels trained on than the truth is?"""
    names, _ = _factors(record.facts)
    found = {}
    for factor in record.split_facts.withheld:
        if f"{ONE_OUT}{factor}" not in answers or factor not in names:  # not asked, or not among the targets
            continue
        if (mean := seen_mean(record, factor)) is not None:
            predicted, true = answers[f"{ONE_OUT}{factor}"]
            place = names.index(factor)
            found[factor] = share_towards_mean(predicted[:, place], true[:, place], mean)
    return found


def pulls(record: Record, answers: Answers) -> dict[str, Pull]:
    """For each factor out of range: how its answers lie between the mean of the trained levels and their edge."""
    names, _ = _factors(record.facts)
    found = {}
    for factor in record.split_facts.withheld:
        if f"{ONE_OUT}{factor}" in answers and factor in names and len(seen := seen_levels(record, factor)):
            predicted, true = (part[:, names.index(factor)] for part in answers[f"{ONE_OUT}{factor}"])
            found[factor] = pull(predicted, true, seen)
    return found


def seen_levels(record: Record, factor: str) -> np.ndarray:
    """The levels of a factor that training shows, scaled to [0, 1] as the targets are; none if it shows all."""
    n, withheld = len(record.facts["targets"][factor]), record.split_facts.withheld.get(factor, ())
    seen = [level for level in range(n) if level not in withheld]
    return np.array(seen) / (n - 1) if len(seen) < n else np.zeros(0)


def seen_mean(record: Record, factor: str) -> float | None:
    """Mean of the levels of a factor that training shows; None if it shows all."""
    seen = seen_levels(record, factor)
    return float(seen.mean()) if len(seen) else None


def _factors(facts: Mapping[str, Any]) -> tuple[list[str], list[int]]:
    return list(facts["targets"]), [len(classes) for classes in facts["targets"].values()]


def _one_out(rows: tuple[OneOut, ...], alone: bool, how: str = "") -> Iterator[dict[str, Any]]:
    """``alone``: one factor is asked, which has no others beside it."""
    out, others = f"{OUT}{how}", f"{OTHERS}{how}"
    for row in rows:
        yield {"measure": out, "set": row.name, "target": row.factor, "value": row.out, "n": row.n}
        if not alone:
            yield {"measure": others, "set": row.name, "target": row.factor, "value": row.others, "n": row.n}
    if rows:
        at = {"set": f"{ONE_OUT}*", "target": MEAN, "n": sum(row.n for row in rows)}
        yield {"measure": out, **at, "value": float(np.mean([row.out for row in rows]))}
        if not alone:
            yield {"measure": others, **at, "value": float(np.mean([row.others for row in rows]))}


def _towards_mean(found: Mapping[str, TowardsMean], answers: Answers) -> Iterator[dict[str, Any]]:
    for factor, one in found.items():
        at = {"set": f"{ONE_OUT}{factor}", "target": factor}
        yield {"measure": TOWARDS, **at, "value": one.share.value, "n": one.share.n}
        lost = one.undefined + one.non_finite
        yield {"measure": f"{TOWARDS}: undefined", **at, "value": lost, "n": len(answers[at["set"]][1])}
        if one.share.n:
            yield {"measure": OPPOSITE, **at, "value": one.opposite / one.share.n, "n": one.share.n}
    told = [one for one in found.values() if one.share.n]  # where the truth is the mean of what was seen, there is none
    if told:
        at = {"set": f"{ONE_OUT}*", "target": MEAN, "n": sum(one.share.n for one in told)}
        yield {"measure": TOWARDS, **at, "value": float(np.mean([one.share.value for one in told]))}
        yield {"measure": OPPOSITE, **at, "value": float(np.mean([one.opposite / one.share.n for one in told]))}


def _pulled(found: Mapping[str, Pull]) -> Iterator[dict[str, Any]]:
    for name, key in PULLS.items():
        values = {factor: float(getattr(one, key)) for factor, one in found.items() if one.n}
        for factor, value in values.items():
            yield {"measure": name, "set": f"{ONE_OUT}{factor}", "target": factor, "value": value, "n": found[factor].n}
        if values:
            at = {"set": f"{ONE_OUT}*", "target": MEAN, "n": sum(found[factor].n for factor in values)}
            yield {"measure": name, **at, "value": float(np.mean(list(values.values())))}


def model_of(condition: Mapping[str, Any], facts: Mapping[str, Any], keys: Sequence[str]) -> tuple[str, str]:
    """World and model of a trial: the world only where the grid ``keys`` vary it, the model with what else they vary.

    What goes with a model or a world by necessity (channels, normalisation, share) is not said again.

    >>> network = {"network": {"backbone": "cnn", "sharing": "shared"}, "world": {"name": "dsprites"}}
    >>> model_of({"training.lr": 0.1}, {"description": network}, ["network.backbone", "training.lr"])
    ('', 'cnn lr 0.1')
    """
    network, training = facts["description"]["network"], facts["description"].get("training", {})
    words = [training.get("objective") or network["backbone"]]  # an objective without labels names its encoder too
    words += [word for word in STARTS if network.get(word)]
    words += [str(facts["description"]["protocol"])] if "protocol" in facts["description"] else []  # of other packages
    words += [network["sharing"]] if network["sharing"] != "shared" else []
    for key in keys:
        value = condition.get(key)
        if key not in IN_THE_NAME and value is not None:
            words.append(value if isinstance(value, str) else f"{key.rpartition('.')[2]} {value}")
    world = facts["description"]["world"]["name"] if "world.name" in keys else ""
    return world, " ".join(words)


class Transfer(NamedTuple):
    """A network that starts from weights of other images: the series of the same network from scratch, and whether all
    but its head is kept as it was."""

    scratch: str
    frozen: bool


def transfers(trials: Sequence[Record], keys: Sequence[str]) -> dict[str, Transfer]:
    """The series that start from weights of other images and have their like from scratch in the study."""
    names = dict.fromkeys(series_of(record.facts, keys) for record in trials)
    found = {}
    for facts, _ in trials:
        network = facts["description"]["network"]
        bare = {key: value for key, value in network.items() if key not in STARTS}
        scratch = series_of({**facts, "description": {**facts["description"], "network": bare}}, keys)
        if network.get("pretrained") and scratch in names:
            found[series_of(facts, keys)] = Transfer(scratch, bool(network.get("frozen")))
    return {name: found[name] for name in names if name in found}


def series_of(facts: Mapping[str, Any], keys: Sequence[str]) -> str:
    """The series of a trial: its world, where there are several, and its model."""
    return " ".join(model_of(facts["condition"], facts, keys)).strip()


def in_order(summary: pl.DataFrame, series: Sequence[str]) -> pl.DataFrame:
    """The summary as a person reads it: what matters most first, models and splits as the recipe and the paper have
    them."""
    import polars as pl

    plain = (R2, OUT, OTHERS)
    measures = (*plain, TOWARDS, DISTANCE, SPREAD, BY_KIND, *SCORES, *(f"{one}{KEPT}" for one in plain), WILD)

    def rank(column: str, first: Sequence[str]) -> pl.Expr:
        known = list(dict.fromkeys([*first, *summary[column].to_list()]))
        return pl.col(column).replace_strict({name: place for place, name in enumerate(known)})

    ranks = [rank("measure", measures), rank("set", ("test",)), rank("target", (MEAN,)), rank("series", series)]
    return summary.sort(*ranks, rank("x", MODES), maintain_order=True)
