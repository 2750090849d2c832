"""What a report shows of subjects."""

from __future__ import annotations

from dataclasses import dataclass

from unseen.kinds.subjects.scores import SubjectAnswers
from unseen.reports.contents import Contents
from unseen.reports.words import interval, number


@dataclass(frozen=True)
class SubjectAccuracy:
    """Accuracy of a subject, or of the networks of one condition, about ``target`` in the set ``asked``: ``n`` counts
    what ``over`` says (people, images, repeats), ``answers`` the answers behind it."""

    name: str
    kind: str
    asked: str
    target: str
    value: float
    low: float
    high: float
    n: int
    over: str
    answers: int
    chance: float

    @property
    def words(self) -> str:
        spread = interval(self.low, self.high, self.n)
        return f"{number(self.value)} {spread}" if spread.startswith("[") else number(self.value)

    @property
    def counted(self) -> str:
        return f"n = {self.n:,} {self.over}"


@dataclass(frozen=True, eq=False, kw_only=True)
class SubjectContents(Contents):
    """``accuracies``: those of subjects from elsewhere first, then of networks; ``answers``: the answers of the
    former. ``networks_left``: conditions of networks that are not drawn; ``left``: why subjects are left out."""

    accuracies: tuple[SubjectAccuracy, ...]
    answers: tuple[SubjectAnswers, ...]
    networks_left: int = 0
    left: tuple[str, ...] = ()
