"""Finished trials whose network's code cannot be told, found by all else that describes them.

A study that came from elsewhere may name code that is not here, or that was not allowed to run; what it found can be
read all the same. Of several trials that differ in that code alone the newest counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from unseen.studies.identities import identity, without_weights
from unseen.studies.store import Store
from unseen.studies.tables import component_versions
from unseen.studies.trials import Trial, code_in_identity, described, stem_of
from unseen.studies.trusting import code_names
from unseen.vocabulary.recipe import Recipe
from unseen.vocabulary.trust import CodeUnknown
from unseen.vocabulary.world import World


def without_code(description: Mapping[str, Any]) -> dict[str, Any]:
    """A trial's description but for the code of its network, and of the encoder that it starts from; of a model that
    somebody brings also what its outputs are called, which only the opened model tells."""
    told = {**description, "network": _codeless(description["network"])}
    before = description.get("pretraining")
    return told if before is None else {**told, "pretraining": {**before, "network": _codeless(before["network"])}}


def _codeless(network: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in network.items() if key not in ("code", "labels")}


class Codeless:
    """The finished trials of a store that ran code of a user's own."""

    def __init__(self, store: Store) -> None:
        self.store = store

    @cached_property
    def _names(self) -> dict[str, str]:
        told = sorted(self.store.readable().items(), key=lambda one: str(one[1].get("finished", "")))
        told = [(name, facts["description"]) for name, facts in told]
        told = [(name, without_weights(one)) for name, one in told if one["network"].get("code")]
        return {identity(without_code(one)): name for name, one in told}

    def find(self, trial: Trial, world: World, precisions: Sequence[str]) -> str | None:
        versions = component_versions(trial.recipe, world.samples.space)
        stem = stem_of(trial.recipe.network, world.size)
        for precision in precisions:
            description = described(trial, precision, world.fingerprint, versions, stem=stem, code=False)
            if (name := self._names.get(identity(description))) is not None:
                return name
        return None


def unknown_code(recipe: Recipe) -> list[str]:
    """Networks of a recipe whose code cannot be told."""
    found = []
    for name in code_names(recipe):
        try:
            code_in_identity(name)
        except CodeUnknown:
            found.append(name)
    return found


def failures_named(store: Store, trials: Sequence[Trial]) -> dict[str, dict[str, Any]]:
    """Recorded failures by the names of trials, where their identities cannot be told."""
    labels = {trial.label for trial in trials}
    return {name: record for name, record in store.failures().items() if record["label"] in labels}
