"""What the report of a study of two cues shows."""

from __future__ import annotations

from dataclasses import dataclass

from unseen.kinds.cues.read import Cues
from unseen.reports.contents import Contents


@dataclass(frozen=True, eq=False, kw_only=True)
class CuesContents(Contents):
    """A series is a model, ``x`` how many per cent of the training images lost their own cue, a set what was asked."""

    models: tuple[Cues, ...]
    category: str
    cue: str
    over: str
