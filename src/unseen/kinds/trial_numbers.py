"""Numbers that trials of many kinds have: accuracy of every set and target, what units prefer, what is learned
first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from unseen.kinds.table import Row, later
from unseen.measures import accuracy, chance, geometric_mean, learning_lead, unit_summary
from unseen.studies.answers import read_answers, words
from unseen.studies.records import Record

BOTH = "geometric mean"
DEGENERATE = "degenerate units"  # without a type or without a score


def classifier_numbers(record: Record, options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """All of them, of a network that tells classes; ``options``: how units are scored."""
    yield from accuracies(record.facts, record.folder)
    yield from unit_numbers(record.facts, record.folder, options)
    yield from learning_order(record.facts)


def classifier_numbers_and(place: str) -> Callable[[Record, Mapping[str, Any]], Iterator[Row]]:
    """The same, and then the kind's own: a function of a record, by where it is."""
    own = later(place)

    def numbers(record: Record, options: Mapping[str, Any]) -> Iterator[Row]:
        yield from classifier_numbers(record, options)
        yield from own(record)

    return numbers


def accuracies(facts: Mapping[str, Any], folder: Path) -> Iterator[dict[str, Any]]:
    table = read_answers(folder, "set", "target", "truth", "response")
    sets, targets, truth, response = (words(table, name) for name in table.column_names)
    right = truth.numbered(every := (*truth.names, *response.names)) == response.numbered(every)
    for asked in sets.found():
        values = {}
        for target in targets.found():
            here = right[sets.is_(asked) & targets.is_(target)]
            if not len(here):
                continue
            values[target] = accuracy(np.ones(len(here), dtype=int), here.astype(int))
            yield {"measure": "accuracy", "set": asked, "target": target, "value": values[target], "n": len(here)}
        if len(values) > 1:
            both = float(geometric_mean(np.array(list(values.values()))))
            n = int(sets.is_(asked).sum() // len(values))
            yield {"measure": "accuracy", "set": asked, "target": BOTH, "value": both, "n": n}
    levels = {name: len(classes) for name, classes in facts["targets"].items()}
    for target, n in levels.items():
        yield {"measure": "chance", "target": target, "value": chance(n)}
    yield {"measure": "chance", "target": BOTH, "value": chance(*levels.values())}


def read_activity(folder: Path) -> dict[str, np.ndarray]:
    """Mean activity ``[units, rows, columns]`` by layer; empty where none was recorded."""
    path = folder / "activity.safetensors"
    if not path.is_file():
        return {}
    from safetensors.numpy import load_file

    return {name: grid for name, grid in load_file(path).items() if name != "images"}


def of_units(options: Mapping[str, Any]) -> dict[str, Any]:
    """What ``[measures]`` says of units; it says other things of classes.

    >>> of_units({"variant": "paper", "scaling": "max", "similarity": "wordnet"})
    {'variant': 'paper', 'scaling': 'max'}
    """
    return {key: value for key, value in options.items() if key in ("variant", "scaling")}


def unit_numbers(facts: Mapping[str, Any], folder: Path, options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for layer, activity in read_activity(folder).items():
        summary = unit_summary(activity.astype(np.float64), **of_units(options))
        for factor, kind in zip(facts["factors"], (summary.rows, summary.columns)):
            numbers = {
                "share of units": kind.share,
                "median specialization": kind.specialization,
                "median selectivity": kind.selectivity,
                "median invariance": kind.invariance,
            }
            for name, value in numbers.items():
                n = kind.n if name == "share of units" else kind.scored
                yield {"measure": name, "layer": layer, "unit_type": factor, "value": value, "n": n}
        bad = {"untyped": summary.untyped, "constant": summary.constant, "non-finite": summary.non_finite}
        bad |= {"unscored": summary.unscored, "negative": summary.negative, "tied": summary.ties}
        yield {"measure": DEGENERATE, "layer": layer, "value": summary.untyped + summary.unscored, "n": summary.units}
        for name, count in bad.items():
            yield {"measure": f"{DEGENERATE}: {name}", "layer": layer, "value": count, "n": summary.units}


def learning_order(facts: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Which task is learned first (supplement D.6): epochs by which the first target leads to 90 % of its best."""
    names = list(facts["targets"])
    if len(names) != 2 or not facts["curve"]:
        return
    told = [[point.get(f"validation accuracy {name}") for point in facts["curve"]] for name in names]
    if any(value is None for values in told for value in values):
        return
    curves = [np.array(values, dtype=np.float64) for values in told]
    guesses = [chance(len(facts["targets"][name])) for name in names]
    lead = learning_lead(curves[0], curves[1], 0.9, chance=(guesses[0], guesses[1]))
    yield {"measure": "epochs by which it is learned first", "target": names[0], "value": lead, "n": len(curves[0])}
