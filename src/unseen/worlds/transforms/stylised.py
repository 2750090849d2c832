"""Any world, stylised: a wrapper that shows every row as it is and painted in a style that tells nothing of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import Factor
from unseen.vocabulary.plain_numbers import is_whole
from unseen.vocabulary.seeds import keyed
from unseen.vocabulary.world import World
from unseen.worlds import inner_world
from unseen.worlds.transforms.styles import Styles, styles_of
from unseen.worlds.transforms.transformed import FACTOR, NONE, TransformedWorld
from unseen.worlds.wrapped import hash_of

if TYPE_CHECKING:
    from torch import Tensor

VERSION = 1  # raise it when any picture is painted otherwise
STYLISED = "stylised"


@dataclass(frozen=True, eq=False, repr=False)
class StylisedWorld(TransformedWorld):
    """Level "none" is the picture, "stylised" the picture in a style drawn by its row alone."""

    done = "stylised"
    styles: Styles = field(kw_only=True)

    @cached_property
    def factor(self) -> Factor:
        texts = {NONE: "as it is", STYLISED: f"in one of {len(self.styles.names)} styles, drawn for each picture"}
        plain = self.levels.index(NONE) if NONE in self.levels else None
        return Factor(FACTOR, self.levels, kind="nominal", canonical=plain, texts=tuple(map(texts.get, self.levels)))  # pyright: ignore[reportArgumentType]

    @cached_property
    def fingerprint(self) -> str:
        said = ["stylised", VERSION, self.inner.fingerprint, self.levels, self.seed, self.styles.content]
        return hash_of(said)

    def fresh(self, rows: np.ndarray) -> np.ndarray:
        """A picture keeps its style, as in Stylized-ImageNet; what the inner world draws anew is drawn anew."""
        inside = getattr(self.inner, "fresh", None)
        rows = np.asarray(rows, dtype=np.int64)
        return np.zeros(len(rows), dtype=bool) if inside is None else inside(rows // len(self.levels))

    def style(self, inner: np.ndarray) -> np.ndarray:
        """The number of the style of each inner row."""
        return (keyed(self.seed, "style", np.asarray(inner)) % np.uint64(len(self.styles.names))).astype(np.int64)

    def _at(self, level: int, images: Tensor, inner: np.ndarray, draw: int) -> Tensor:
        if self.levels[level] == NONE:
            return images.float()
        return self.styles.painted(images, self.style(inner))


def stylised(of: World | Mapping[str, Any], root: str | Path, *, plain: bool = True, seed: int = 0) -> StylisedWorld:
    """Any world with a further factor "transformation": every row as it is ("none") and "stylised", painted by a small
    network in a style drawn for each row, so that texture and colours tell nothing of what it shows (after
    Stylized-ImageNet, Geirhos et al. 2019, who take paintings and AdaIN).

    ``of`` is a world, or its table in a recipe. ``root`` is an .npz file of feed-forward style networks, or a folder
    that holds one. ``plain = false`` leaves the pictures as they are out. ``seed`` draws the styles.
    """
    if not is_whole(seed):
        raise UnseenError(f"`seed` of a stylised world is a whole number; {seed!r} was given.")
    if not isinstance(plain, bool):
        raise UnseenError(f"`plain` is true or false (is the picture as it is a level too?); {plain!r} was given.")
    inner = inner_world(of, "stylise")
    if FACTOR in inner.samples.space:
        raise UnseenError(f"world '{inner.name}' has a factor '{FACTOR}' already; stylise the world inside it instead.")
    if inner.channels != 3:
        raise UnseenError(f"world '{inner.name}' has {inner.channels} channels; styles are painted on colour pictures.")
    if min(inner.size) < 16:
        raise UnseenError(
            f"pictures of {inner.size[0]}×{inner.size[1]} are too small for a style network, which halves them twice; "
            f"16 pixels are the least."
        )
    levels = (NONE, STYLISED) if plain else (STYLISED,)
    return StylisedWorld(inner, levels, (0.0,) * len(levels), int(seed), styles=styles_of(str(root)))
