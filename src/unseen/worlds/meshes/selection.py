"""Which meshes of a folder are shown: some categories, so many of each, no copies, and none of a category with few.

Files are read in rounds: as many as are wanted, then others in place of those that show nothing or show it again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.seeds import stream
from unseen.worlds.circumstances import whole_number
from unseen.worlds.meshes.converted import MeshFacts
from unseen.worlds.meshes.forms import alike
from unseen.worlds.meshes.layouts.entries import Entry

DUPLICATES = ("keep", "drop", "together")


@dataclass(frozen=True)
class Wanted:
    """What was asked for. ``per_category`` needs that many of each, ``instances`` takes up to that many; a category
    with fewer than ``minimum`` is left out. ``duplicates``: see :data:`DUPLICATES`."""

    categories: int | Sequence[str] | None = None
    per_category: int | None = None
    instances: int | None = None
    minimum: int = 1
    duplicates: str = "keep"
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("per_category", "instances"):
            if getattr(self, name) is not None:
                whole_number(name, getattr(self, name), 1)
        whole_number("minimum", self.minimum, 1)
        if self.per_category is not None and self.instances is not None:
            raise UnseenError("give `per_category` (exactly so many of each) or `instances` (up to so many), not both.")
        if self.most is not None and self.most < self.minimum:
            raise UnseenError(f"`minimum` is {self.minimum}, but at most {self.most} of each category are taken.")
        if self.duplicates not in DUPLICATES:
            raise unknown("way with duplicates", self.duplicates, DUPLICATES)

    @property
    def most(self) -> int | None:
        return self.per_category or self.instances


def candidates(found: Sequence[Entry], wanted: Wanted) -> dict[str, list[Entry]]:
    """Entries by category, in the order in which they are taken: by path, or by chance where only some are."""
    groups: dict[str, list[Entry]] = {}
    for one in found:
        groups.setdefault(one.category, []).append(one)
    groups = _named(groups, wanted.categories)
    few = [f"{name} has {len(group)}" for name, group in groups.items() if len(group) < (wanted.per_category or 0)]
    if few:
        raise UnseenError(
            f"`per_category` is {wanted.per_category}, but {listed(few, 10)}. Ask for fewer, or name categories; "
            "`instances` takes up to so many of each."
        )
    if wanted.most is None:
        return groups
    return {
        name: [group[n] for n in stream(wanted.seed, "meshes", name).permutation(len(group))]
        for name, group in groups.items()
    }


def _named(groups: dict[str, list[Entry]], categories: int | Sequence[str] | None) -> dict[str, list[Entry]]:
    if categories is None:
        return groups
    if isinstance(categories, int):
        if isinstance(categories, bool) or not 1 <= categories <= len(groups):
            raise UnseenError(
                f"these meshes have {len(groups)} categories; {categories} were asked for. Name some, or say how many."
            )
        every = list(groups)
        return {name: groups[name] for name in (every[n * len(every) // categories] for n in range(categories))}
    if isinstance(categories, str) or not all(isinstance(name, str) for name in categories) or not categories:
        raise UnseenError(f"`categories` takes a list of names, such as ['car', 'chair']; {categories!r} was given.")
    for name in categories:
        if name not in groups:
            raise unknown("category", name, groups, where="these meshes")
    return {name: groups[name] for name in categories}


def picked(
    groups: Mapping[str, Sequence[Entry]], known: Mapping[str, MeshFacts | None], wanted: Wanted
) -> tuple[list[Entry], list[Entry]]:
    """Those that are shown as far as is ``known`` (by path; None: it shows no mesh), and those to be read first."""
    again = copies([one for group in groups.values() for one in group], known) if wanted.duplicates == "drop" else {}
    shown, unread = [], []
    for group in groups.values():
        if len(group) < wanted.minimum:
            continue
        taken = 0
        for one in group:
            if wanted.most is not None and taken == wanted.most:
                break
            if one.path not in known:
                unread.append(one)
            elif known[one.path] is not None and one.path not in again:
                shown.append(one)
            else:
                continue
            taken += 1
    return shown, unread


def copies(entries: Iterable[Entry], known: Mapping[str, MeshFacts | None]) -> dict[str, str]:
    """Files that have the form of another one before them: path → the first one's."""
    read = [(one.path, facts.form) for one in entries if (facts := known.get(one.path)) is not None]
    first = alike([form for _, form in read])
    return {read[n][0]: read[at][0] for n, at in enumerate(first.tolist()) if at != n}


def enough(
    shown: Sequence[Entry], groups: Mapping[str, Sequence[Entry]], wanted: Wanted
) -> tuple[list[Entry], list[str]]:
    """Those of categories with at least the ``minimum``, sorted by category and path, and a line on the others."""
    have = Counter(one.category for one in shown)
    count = {name: len(group) if len(group) < wanted.minimum else have[name] for name, group in groups.items()}
    order = {name: place for place, name in enumerate(groups) if count[name] >= wanted.minimum}
    few = [f"{name} ({count[name]})" for name in groups if name not in order]
    bare = "of which no file shows a mesh" if wanted.minimum == 1 else f"with fewer than {wanted.minimum} objects"
    if not order:
        raise UnseenError(
            f"no category has {wanted.minimum} objects or more, which `minimum` asks for: {listed(few, 30)}. "
            "Ask for fewer, or add meshes."
        )
    told = [f"left out: categories {bare}: {listed(few, 30)}"] if few else []
    kept = [one for one in shown if one.category in order]
    return sorted(kept, key=lambda one: (order[one.category], one.path)), told


def forms(shown: Sequence[Entry], known: Mapping[str, MeshFacts | None]) -> np.ndarray:
    """A number per mesh, the same for copies, without gaps."""
    told = [known[one.path] for one in shown]
    return np.unique(alike([facts.form for facts in told if facts is not None]), return_inverse=True)[1]
