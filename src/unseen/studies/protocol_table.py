"""How a network comes to its weights: one table. A package of your own adds rows by the entry point
``unseen.protocols``:

```toml
[project.entry-points."unseen.protocols"]
last-block = "my_package.last_block:PROTOCOL"
```

A protocol's module is light to import: torch is imported where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from unseen.vocabulary.errors import unknown
from unseen.vocabulary.places import added, row_at
from unseen.vocabulary.recipe import Recipe

if TYPE_CHECKING:
    import numpy as np
    import torch

    from unseen.models import Network, Preprocessed
    from unseen.training import LabelledData, Learner, Trained

Study = Trial = Any  # those of studies/study.py and studies/trials.py, which look protocols up


@dataclass(frozen=True, eq=False)
class LearnerData:
    """What a learner is made of, beside its network: pictures to train on and to be asked in validation, and where.
    ``held``: what others of the same pack brought to the device, to be shared."""

    train: LabelledData
    validation: LabelledData
    device: torch.device
    precision: str
    held: dict[Any, LabelledData] = field(default_factory=dict)


@dataclass(frozen=True)
class RunPlace:
    """Where trials are answered together: on a ``device`` at a ``precision``; ``progress`` is told what is being
    computed, rows done and of how many."""

    device: torch.device
    precision: str
    progress: Callable[[str, int, int], None] = lambda what, done, total: None


@dataclass(frozen=True, eq=False)
class AnsweredTrial:
    """A trial that is finished: the sets it was asked, their rows and ``{target: (class numbers, confidences)}``; the
    network as a record describes it; flags; seconds of it alone; what was searched; and further facts to be kept."""

    answers: Sequence[tuple[str, np.ndarray, Mapping[str, tuple[np.ndarray, np.ndarray | None]]]]
    network: Mapping[str, Any]
    flags: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    search: Mapping[str, Any] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class JointAnswering:
    """How trials are finished without the training loop, many at once, by what their models make of pictures.

    ``takes(recipe)``: whether a trial goes this way. ``answer(study, trials, where)``: each with its answers, or why it
    has none; those that are at hand first. ``encode(study, trial, where)``: what its model makes of pictures on the
    device, for an estimate. ``look(study, trial)``: its network's description, for a plan; raises what a run would.
    ``keys`` of ``[training]`` that count.
    """

    takes: Callable[[Recipe], bool]
    answer: Callable[[Study, Sequence[Trial], RunPlace], Iterator[tuple[Trial, AnsweredTrial | Exception]]]
    encode: Callable[[Study, Trial, RunPlace], Callable[[torch.Tensor], torch.Tensor]]
    look: Callable[[Study, Trial], Mapping[str, Any]]
    keys: tuple[str, ...] = ()


def _nothing(trial: Trial) -> None:
    """Any recipe will do."""


def _as_trained(study: Study, trial: Trial, learner: Learner, trained: Trained) -> Trained:
    """What was trained is the whole."""
    return trained


def _no_words(study: Study, trial: Trial) -> str:
    """Its name says it."""
    return ""


def _never(study: Study, trial: Trial) -> bool:
    return False


@dataclass(frozen=True)
class Protocol:
    """How a network comes to its weights.

    ``does``: what a list says of it.

    ``check(trial)``: refuse what a recipe says against it, before anything is trained.
    ``network(study, trial)``: the whole network, pictures in and answers out, with its first weights. Weights that were
    kept are put into it.
    ``learner(study, trial, brought)``: what the training loop trains, perhaps a part of that network.
    ``finish(study, trial, learner, trained)``: from what was trained to the whole network.
    ``words(study, trial)``: how a plan says it of one network ("probe on pretrained features"); its name if nothing.
    ``tried(study, trial, alone)``: the network as far as it can be built without training, or the error that it meets;
    ``alone``: it is to learn from one image at a time. If not given, the network without numbers in it.
    ``once(study, trial)``: whether training looks at its pictures once, rather than in every epoch.
    ``sections``: those of the recipe, of the form of ``[training]``, by which it trains.
    ``latents``: whether its network has a layer of that name whose codes are recorded.
    ``together``: how trials are finished without the training loop, where some are.
    ``trains``: whether it needs rows to train on; else every point of a grid is a trial, also of a design that only
    asks. ``seeded``: whether chance has a part in it; else one seed is enough.
    ``answers``: whether ``[answers]`` decides what is answered.
    ``version``: raise it when results would change; then finished trials are not taken for the new ones.
    """

    name: str
    does: str
    network: Callable[[Study, Trial], Preprocessed]
    learner: Callable[[Study, Trial, LearnerData], Learner]
    check: Callable[[Trial], None] = _nothing
    finish: Callable[[Study, Trial, Learner, Trained], Trained] = _as_trained
    words: Callable[[Study, Trial], str] = _no_words
    tried: Callable[[Study, Trial, bool], Network | Preprocessed] | None = None
    once: Callable[[Study, Trial], bool] = _never
    sections: tuple[str, ...] = ("training",)
    latents: bool = False
    together: JointAnswering | None = None
    trains: bool = True
    seeded: bool = True
    answers: bool = False
    version: int = 1

    def feasible(self, study: Study, trial: Trial, alone: bool) -> Network | Preprocessed:
        """``tried``, or the network without numbers in it where that can be."""
        if self.tried is not None:
            return self.tried(study, trial, alone)
        from unseen.models import without_numbers

        return without_numbers(partial(self.network, study, trial), trial.recipe.network.backbone)

    def told(self, study: Study, trial: Trial) -> str:
        """What a plan says of a trial's network."""
        return f"{trial.recipe.network.name}, {self.words(study, trial) or self.name}"


# Name, and where it is: loaded when a trial needs it.
PROTOCOLS: dict[str, str] = {
    "scratch": "unseen.studies.protocols.scratch:PROTOCOL",
    "finetune": "unseen.studies.protocols.finetune:PROTOCOL",
    "probe": "unseen.studies.protocols.probe:PROTOCOL",
    "readout": "unseen.studies.protocols.readout:PROTOCOL",
    "given": "unseen.studies.protocols.given:PROTOCOL",
    "zero-shot": "unseen.studies.protocols.zero_shot:PROTOCOL",
}


def places() -> dict[str, str]:
    """Every protocol and where it is, those of installed packages too; ours keep their names."""
    return {**PROTOCOLS, **added("unseen.protocols"), **PROTOCOLS}  # ours first, and not to be replaced


def _loaded(name: str, place: str) -> Protocol:
    return row_at(name, place, Protocol, "protocol")


def protocol_of(recipe: Recipe) -> Protocol:
    """The protocol of a recipe without a grid: as it says, else as its other keys do."""
    name, there = recipe.protocol_name, PROTOCOLS
    if name not in there:
        there = places()
    if name not in there:
        raise unknown("protocol", name, there, where="recipe key 'protocol'")
    return _loaded(name, there[name])


def recipe_goes_together(recipe: Recipe) -> bool:
    """Whether trials of a recipe are answered many at once, without the training loop, rather than trained."""
    together = protocol_of(recipe).together
    return together is not None and together.takes(recipe)


def protocols() -> list[Protocol]:
    """The whole table."""
    return [_loaded(name, place) for name, place in places().items()]
