"""Serving an experiment: to this machine alone, unless told otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unseen.viewer.people.sessions import Experiment
from unseen.viewer.serving import ServedPage, address_of


@dataclass
class ServedExperiment(ServedPage):
    """An experiment that is about to be served. ``address``: what people open."""

    experiment: Experiment

    def app(self) -> Any:
        from unseen.viewer.people.app import make_experiment

        return make_experiment(self.experiment, names=self.names, token=self.token)


def served_experiment(experiment: Experiment, *, host: str = "127.0.0.1", port: int | None = None) -> ServedExperiment:
    """An experiment, ready to be served: only to this machine, unless another ``host`` is named; then a token is asked
    for."""
    return ServedExperiment(*address_of(host, port), experiment)
