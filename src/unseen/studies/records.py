"""A finished trial as it lies in the store."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from unseen.vocabulary.design_facts import facts_of
from unseen.vocabulary.facts import Facts


class Record(NamedTuple):
    """A finished trial: its ``facts`` (``trial.json``, checked) and the ``folder`` with its answers and activity.

    The facts hold ``identity``, ``label``, ``seed``, ``condition`` (the grid's values that led to it), ``description``
    (all that its identity is the hash of), ``facts`` (what its design says of the split; ``split_facts`` has them by
    their type), ``factors``, ``targets`` with their classes, ``sets`` with their numbers of images, ``tasks`` of each
    recorded layer, ``network``, ``curve``, ``flags`` and ``machine``.
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
