"""How a model is to be brought: the weights that it gets, what is made of its code, and where its features are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from unseen.models.given.layouts import Layout
from unseen.vocabulary.errors import UnseenError


@dataclass(frozen=True)
class Ways:
    """``checkpoint``: a file of weights in place of the published ones, laid out by ``layout``; ``random``: a seed, for
    weights that learned nothing; ``features``: the layer, or the output of a file, that features are taken at. Nothing
    is fetched unless ``download``."""

    checkpoint: str | None = None
    layout: Layout = field(default_factory=Layout)
    features: str = ""
    random: int | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    download: bool = False
    trust: bool = True

    @property
    def part(self) -> str:
        """Which of several networks in the file."""
        return self.layout.part

    def no(self, name: str, *keys: str) -> None:
        """Refuse what a sort of model cannot take."""
        given = [key for key in keys if getattr(self, key) not in (None, "", {})]
        if given:
            raise UnseenError(f"model '{name}' takes no {' and no '.join(given)}: it comes with its weights as it is.")
