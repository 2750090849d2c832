"""What varies around an object: the arguments that ``objects``, ``natural-variation`` and ``meshes`` share.

Scalar circumstances (pose, position, size, light, elevation) are numbers of levels; backgrounds are made or a folder's
photos; textures are patterns laid over the objects. Each is a factor, drawn from row to row, or canonical.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.factors import Factor
from unseen.vocabulary.seeds import stream
from unseen.worlds.shapes.backgrounds import KINDS, background
from unseen.worlds.shapes.patterns import PATTERNS
from unseen.worlds.stage import CIRCUMSTANCES as SCALARS
from unseen.worlds.stage import with_levels
from unseen.worlds.variation import FIRST, Variation, said_of, variation_named

CIRCUMSTANCES = (*SCALARS, "background", "texture")
GROUNDS = ("city", "home", "grass")  # kinds of made backgrounds that things can stand in


@dataclass(frozen=True)
class Surroundings:
    """The pictures and patterns of a bank, to be made when it is furnished: so many of our own, or the photos of a
    ``folder`` with the hash of their ``content``."""

    backgrounds: int = 0
    textures: int = 0
    seed: int = 0
    folder: str = ""
    content: str = ""
    natural: bool = False  # made backgrounds as a camera shows them

    def pictures(self) -> tuple[np.ndarray, ...]:
        if self.folder:
            from unseen.worlds.rendering.skies import folder_of_pictures

            return tuple(folder_of_pictures(self.folder)[0].values())
        kinds = _turns(KINDS, self.backgrounds)
        if self.natural:
            from unseen.worlds.shapes.scenery import natural_background

            return tuple(natural_background(kind, stream(self.seed, "scenery", i)) for i, kind in enumerate(kinds))
        return tuple(background(kind, stream(self.seed, "background", i)) for i, kind in enumerate(kinds))

    def grounds(self) -> tuple[bool, ...]:
        """Whether things can stand in each picture; taken to be so of photos."""
        if self.folder:
            return (True,) * self.backgrounds
        return tuple(kind in GROUNDS for kind in _turns(KINDS, self.backgrounds))

    def patterns(self) -> tuple[np.ndarray, ...]:
        kinds = _turns(PATTERNS, self.textures)
        return tuple(PATTERNS[kind](stream(self.seed, "texture", i)) for i, kind in enumerate(kinds))

    @property
    def said(self) -> str | int:
        """The backgrounds, for a fingerprint: what photos hold, not where they lie."""
        return self.content if self.folder else self.backgrounds


@dataclass(frozen=True)
class Circumstances:
    """``grid`` are those that are factors, ``drawn`` those that vary by row; ``problems`` is what is to be told."""

    grid: tuple[Factor, ...]
    drawn: tuple[str, ...]
    around: Surroundings
    problems: tuple[str, ...] = ()
    variation: Variation = FIRST

    def said(self) -> dict[str, object]:
        """What decides the images, for a fingerprint."""
        return {
            "factors": [[f.name, [str(level) for level in f.levels]] for f in self.grid],
            "drawn": sorted(self.drawn),
            "backgrounds": self.around.said,
            **said_of(self.variation),
        }


def circumstances(
    categories: Sequence[str],
    counts: Mapping[str, int],
    backgrounds: int | str,
    textures: int | str,
    drawn: Sequence[str],
    seed: int,
    variation: str = FIRST.name,
) -> Circumstances:
    """The arguments, checked. ``counts`` are the levels of the scalar circumstances."""
    how = variation_named(variation)
    check_drawn(drawn, backgrounds, textures)
    check_seed(seed)
    scalars = with_levels(counts, how)
    behind, photos = background_factor(backgrounds)
    cover = texture_factor(textures, categories)
    grid = tuple(f for f in (*scalars, behind, cover) if f is not None and f.name not in drawn)
    around = Surroundings(
        backgrounds=0 if behind is None else len(behind),
        textures=0 if cover is None else len(cover),
        seed=seed,
        folder=photos.folder,
        content=photos.content,
        natural=how.stands,
    )
    return Circumstances(grid, tuple(drawn), around, photos.problems, how)


def check_drawn(drawn: Sequence[str], backgrounds: object, textures: object) -> None:
    if isinstance(drawn, str) or not isinstance(drawn, Sequence):
        raise UnseenError(f"`drawn` takes a list of circumstances, such as ['light']; {drawn!r} was given.")
    for name in drawn:
        if name not in CIRCUMSTANCES:
            raise unknown("circumstance", name, CIRCUMSTANCES, where="`drawn`")
    for name, argument, given in (("background", "backgrounds", backgrounds), ("texture", "textures", textures)):
        if name in drawn and given == 0:
            raise UnseenError(
                f"`drawn` names '{name}', but there is none to draw from; give `{argument}` a number as well."
            )


def whole_number(name: str, given: object, least: int) -> None:
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        raise UnseenError(f"`{name}` is a whole number from {least}; {given!r} was given.")


def check_seed(seed: object) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise UnseenError(f"`seed` is a whole number; {seed!r} was given.")


@dataclass(frozen=True)
class Photos:
    """What is known of a folder of photos without holding them."""

    folder: str = ""
    content: str = ""
    problems: tuple[str, ...] = ()


def background_factor(backgrounds: int | str) -> tuple[Factor | None, Photos]:
    """Pictures as levels, named by kind and number, or by the photos of a folder; the first is canonical."""
    if isinstance(backgrounds, str | Path):
        from unseen.worlds.rendering.skies import described

        names, content, unread = described(backgrounds)
        told = [f"{name} ({reason})" for name, reason in unread]
        problems = (f"backgrounds left out: {len(told)} files: {listed(told, 10)}",) if told else ()
        return Factor("background", names, canonical=0), Photos(str(backgrounds), content, problems)
    whole_number("backgrounds", backgrounds, 0)
    names = tuple(f"{kind} {i // len(KINDS) + 1}" for i, kind in enumerate(_turns(KINDS, backgrounds)))
    return (Factor("background", names, canonical=0) if names else None), Photos()


def texture_factor(textures: int | str, categories: Sequence[str]) -> Factor | None:
    """Patterns as levels: named by themselves, or one per category and named by it."""
    if textures == "categories":
        return Factor("texture", tuple(categories))
    if isinstance(textures, str):
        raise UnseenError(f'`textures` is a number of patterns or "categories"; {textures!r} was given.')
    whole_number("textures", textures, 0)
    rounds = [i // len(PATTERNS) + 1 for i in range(textures)]
    names = [f"{kind} {n}" if n > 1 else kind for kind, n in zip(_turns(PATTERNS, textures), rounds)]
    return Factor("texture", tuple(names)) if names else None


def _turns(kinds: Mapping[str, object], n: int) -> list[str]:
    """``n`` kinds, each in turn."""
    names = list(kinds)
    return [names[i % len(names)] for i in range(n)]
