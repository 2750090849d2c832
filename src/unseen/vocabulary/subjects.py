"""Whoever answers: a network trained here, a model that somebody brings, a group of people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from unseen.vocabulary.errors import UnseenError, unknown

TRAINED, MODEL, PEOPLE = "network trained here", "model", "people"
KINDS = (TRAINED, MODEL, PEOPLE)


@dataclass(frozen=True)
class Subject:
    """Whoever answers, and what is known of it. A group of people is one subject, with ``persons`` in it.

    >>> Subject("observers", PEOPLE, persons=10).words
    'observers (10 people)'
    """

    name: str
    kind: str
    persons: int = 0
    source: str = ""
    citation: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise unknown("kind of subject", self.kind, KINDS)
        if not self.name.strip() or len(self.name) > 80 or not self.name.isprintable():
            raise UnseenError(f"a subject's name is a short text, such as 'observers'; {self.name!r:.90} was given.")

    @property
    def words(self) -> str:
        who = f"{self.persons} people" if self.persons > 1 else "one person" if self.persons else self.kind
        return f"{self.name} ({who})"

    def facts(self) -> dict[str, Any]:
        return asdict(self)


def subject_from(facts: Mapping[str, Any]) -> Subject:
    """A subject as its facts tell it."""
    return Subject(**{key: facts[key] for key in Subject.__dataclass_fields__ if key in facts})
