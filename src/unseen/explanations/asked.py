"""What a map explains: the score of a class, the difference of two, or the activity of a unit.

Scores are unnormalised: a posterior could be raised by lowering the other classes (the lecture, after Simonyan et al.
2013). A class that is not named is the one the network answers; it is settled once, on the images as they are, so that
a perturbed image or a randomised network is asked about the same class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from unseen.vocabulary.errors import UnseenError, unknown

if TYPE_CHECKING:
    from unseen.explanations.anatomy import Anatomy

Labels = int | Sequence[int] | None


@dataclass(frozen=True)
class Score:
    """The unnormalised score of a class: one for all images, one for each, or (``None``) the one that is answered.
    ``target`` names what is asked, where a network has several."""

    label: Labels = None
    target: str | None = None


@dataclass(frozen=True)
class Difference:
    """The score of one class less that of another; ``None`` stands for what is answered, and for the runner-up."""

    label: Labels = None
    other: Labels = None
    target: str | None = None


@dataclass(frozen=True)
class Unit:
    """The activity of a unit: the mean over places of a channel of a named layer."""

    layer: str
    channel: int


Asked = Score | Difference | Unit


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked, settled for given images: called with pictures made from them and with which images these are, it
    gives one number each, ``[n]``."""

    anatomy: Anatomy
    asked: Asked
    labels: Tensor | None = None
    others: Tensor | None = None
    largest: int = -1  # the last class that was named, where nobody looked yet whether it exists

    def __call__(self, pictures: Tensor, which: Tensor, *, probability: bool = False) -> Tensor:
        if isinstance(self.asked, Unit):
            return self.anatomy.activity(pictures, self.asked.layer, self.asked.channel)
        return self.of(self.anatomy.scores(pictures, self.asked.target), which, probability=probability)

    def of(self, scores: Tensor, which: Tensor, *, probability: bool = False) -> Tensor:
        """The same from scores ``[n, classes]`` that are there already."""
        scores = scores.softmax(1) if probability else scores
        assert self.labels is not None
        if self.largest >= scores.shape[1]:
            raise _no_class(self.largest, scores.shape[1])
        found = scores.gather(1, self.labels[which, None]).squeeze(1)
        if self.others is not None:
            found = found - scores.gather(1, self.others[which, None]).squeeze(1)
        return found

    def batches(self, images: Tensor, batch: int) -> Iterator[tuple[Tensor, Tensor]]:
        """So many images at a time, as the network takes them, and which they are."""
        for start in range(0, len(images), batch):
            pictures = self.anatomy.taken(images[start : start + batch])
            yield pictures, torch.arange(start, start + len(pictures), device=pictures.device)

    def part(self, start: int, stop: int) -> Question:
        """The same of some of the images."""
        return Question(
            self.anatomy,
            self.asked,
            None if self.labels is None else self.labels[start:stop],
            None if self.others is None else self.others[start:stop],
            self.largest,
        )

    def of_others(self, anatomy: Anatomy) -> Question:
        """The same classes, asked of another network."""
        return Question(anatomy, self.asked, self.labels, self.others, self.largest)


def settled(anatomy: Anatomy, images: Tensor, asked: Asked, batch: int, *, look: bool = True) -> Question:
    """Look at the images once: settle the classes that are not named, and refuse what is not there. Where all are named
    and the first answer comes soon, it can be left to that one to refuse (``look=False``)."""
    if isinstance(asked, Unit):
        anatomy.check_unit(images[:1], asked.layer, asked.channel)
        return Question(anatomy, asked)
    given = [one for one in (asked.label, getattr(asked, "other", None)) if one is not None]
    named = len(given) == (1 if isinstance(asked, Score) else 2)
    if named and not look:
        found = [_placed(one, len(images), anatomy.device) for one in given]
        return Question(anatomy, asked, *(one for one, _ in found), largest=max(last for _, last in found))
    with torch.no_grad():
        seen = images[:1] if named else images  # a class that is named needs no look at every image
        parts = seen.split(batch)
        scores = torch.cat([anatomy.scores(anatomy.taken(part), asked.target).float() for part in parts])
    n, classes = len(images), scores.shape[1]
    best = scores.argmax(1)
    labels = _chosen(asked.label, best, n, classes)
    if isinstance(asked, Score):
        return Question(anatomy, asked, labels)
    if classes < 2:
        raise UnseenError("a difference needs two classes, and this network has one output; ask for its score.")
    if asked.other is None:
        scores = scores.scatter(1, labels[:, None], -torch.inf)
        best = scores.argmax(1)
    return Question(anatomy, asked, labels, _chosen(asked.other, best, n, classes))


def _chosen(given: Labels, best: Tensor, n: int, classes: int) -> Tensor:
    if given is None:
        return best
    found, largest = _placed(given, n, best.device)
    if largest >= classes:
        raise _no_class(largest, classes)
    return found


def _placed(given: int | Sequence[int], n: int, device: torch.device) -> tuple[Tensor, int]:
    """A class for each image, and the last class among them."""
    numbers = [given] * n if isinstance(given, int) else [int(one) for one in given]
    if len(numbers) != n:
        raise UnseenError(f"{len(numbers)} classes were given for {n} images; give one for all, or one for each.")
    if min(numbers) < 0:
        raise UnseenError(f"classes are counted from 0; given {min(numbers)}.")
    return torch.tensor(numbers, dtype=torch.long).to(device, non_blocking=True), max(numbers)


def _no_class(label: int, classes: int) -> UnseenError:
    return unknown("class", label, range(classes), where=f"what this network answers ({classes} classes)")
