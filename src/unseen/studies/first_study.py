"""A first study as `unseen init` proposes it, and what its makers share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unseen.studies.first_training import Training, plan_training
from unseen.studies.tables import make_split
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.sections import DesignSection

if TYPE_CHECKING:
    from unseen.vocabulary.split import Split
    from unseen.worlds.propose import Proposal

COMBINATIONS, DOMAINS = "combinations", "domains"
STUDIES = (COMBINATIONS, DOMAINS)
LEARNABLE = 100  # training images: with fewer, a study is a rehearsal
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Start:
    """A first study. ``missing`` says why there is none; ``guessed``, ``left_out`` and ``notes`` are
    sentences."""

    found: Proposal
    study: str
    world: Mapping[str, Any] = field(default_factory=dict)
    design: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    training: Training | None = None
    augment: Mapping[str, float] = field(default_factory=dict)
    guessed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    used: str = ""
    missing: str = ""


def opened(world: Mapping[str, Any], progress: Progress | None = None) -> Samples:
    from unseen.worlds.folder import folder

    arguments = {**world, "size": 64}  # nothing is decoded here
    return folder(**arguments, progress=progress).samples


def split_of(design: Mapping[str, Any], samples: Samples) -> Split:
    return make_split(DesignSection.model_validate(dict(design)), samples)


def rehearsal(images: int) -> Iterator[str]:
    if images < LEARNABLE:
        yield f"{images} training images are too few to learn much from: take the numbers as a rehearsal"


def training_of(
    found: Proposal, samples: Samples, splits: Sequence[Split], branches: Sequence[int], least: int
) -> Training:
    rows = max(split.count(samples, "train") for split in splits)
    looked = max(split.count(samples, "validation") if "validation" in split.sets else 0 for split in splits)
    return plan_training(found.own_size, rows, looked, branches, least)
