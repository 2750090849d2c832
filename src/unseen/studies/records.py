"""A finished trial as it lies in the store, or the answers of a subject that were made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from unseen.vocabulary.design_facts import facts_of
from unseen.vocabulary.facts import Facts
from unseen.vocabulary.subjects import TRAINED, Subject, subject_from


class Record(NamedTuple):
    """A finished trial: its ``facts`` (``trial.json``, checked) and the ``folder`` with its answers and activity.

    The facts hold ``identity``, ``label``, ``seed``, ``condition`` (the grid's values that led to it), ``description``
    (all that its identity is the hash of), ``facts`` (what its design says of the split; ``split_facts`` has them by
    their type), ``factors``, ``targets`` with their classes, ``sets`` with their numbers of images, ``tasks`` of each
    recorded layer, ``network``, ``curve``, ``flags`` and ``machine``. The record of answers from elsewhere
    (``subject.json``) has a ``subject`` in place of network, curve and machine.
    """

    facts: dict[str, Any]
    folder: Path

    @property
    def identity(self) -> str:
        return self.facts["identity"]

    @property
    def split_facts(self) -> Facts:
        """What its design says of the split."""
        return facts_of(self.facts.get("facts", {}))

    @property
    def subject(self) -> Subject:
        """Whoever answered."""
        told = self.facts.get("subject")
        return Subject(self.facts["label"][:80] or "network", TRAINED) if told is None else subject_from(told)
