"""A split in a notebook: its grid drawn with an example of each cell, its sets as a table, what its audit found."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.designs import Audit, audit
from unseen.notebooks.handed import handed
from unseen.notebooks.html import card, drawing, line, table
from unseen.notebooks.world import OpenedWorld, open_world
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.facts import Facts
from unseen.vocabulary.recipe import recipe_from
from unseen.vocabulary.split import Split
from unseen.vocabulary.world import World

if TYPE_CHECKING:
    import polars as pl
    from PIL import Image


def open_split(world: object, design: str, *, seed: int = 0, **arguments: Any) -> OpenedSplit:
    """A world divided by the design of that name; its arguments are checked as a recipe's are."""
    from unseen.studies.tables import check_call, designs

    opened = open_world(world)
    if design not in designs():
        raise unknown("design", design, designs())
    check_call(design, designs()[design], arguments, ("samples", "seed"))
    return OpenedSplit(opened, designs()[design](opened.samples, **arguments, seed=seed), design)


class OpenedSplit:
    """What :func:`unseen.split` gives: the row sets of a world. ``inside`` is the split as the library has it."""

    factors: tuple[str, ...] = handed("inside.factors", "The factors it divides.")
    facts: Facts = handed(
        "inside.facts",
        "What the design chose: ``facts.combinations``, ``facts.withheld`` and what else its design says.",
    )

    def __init__(self, world: OpenedWorld, inside: Split, design: str = "") -> None:
        self.world, self.inside, self.design = world, inside, design

    @property
    def sets(self) -> tuple[str, ...]:
        """The names of its row sets."""
        return tuple(self.inside.sets)

    def rows(self, name: str) -> np.ndarray:
        """The rows of a set: what ``world.images`` and ``world.show`` take."""
        return self.inside.rows(self.world.samples, name)

    def table(self) -> pl.DataFrame:
        """One row per set: its images, its cells, and why it is there."""
        import polars as pl

        heads = {"set": pl.String, "images": pl.Int64, "cells": pl.Int64, "reason": pl.String}
        return pl.DataFrame(self._sizes, schema=heads, orient="row")

    def counts(self, name: str | None = None) -> pl.DataFrame:
        """Images of a set (by default of ``train``, without one of the first) in each cell that it has: a column per
        factor, and ``images``."""
        import polars as pl

        name = name or ("train" if self.inside.trains else self.sets[0])
        samples, rows = self.world.samples, self.rows(name)
        cells, images = np.unique(samples.cells(rows, self.factors), axis=0, return_counts=True)
        named = {
            factor: pl.Series([samples.space[factor].levels[level] for level in cells[:, place]], strict=False)
            for place, factor in enumerate(self.factors)
        }
        return pl.DataFrame({**named, "images": images})

    @cached_property
    def audit(self) -> Audit:
        """What the sets hold and share, with ``problems`` in words."""
        return audit(self.inside, self.world.samples)

    def show(self) -> Image.Image:
        """The grid as a picture: cells seen in training are framed, those asked at test dashed."""
        from unseen.reports import contact_sheet

        if not self._pictures:
            raise UnseenError(f"this split is over {listed(self.factors)}: there is no grid of two factors to draw.")
        return contact_sheet(self._pictures[0])

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {images:,}" for name, images, _, _ in self._sizes)
        return f"<split of world '{self.world.name}' over {' × '.join(self.factors)}: {sizes}>"

    def _repr_html_(self) -> str:
        from unseen.reports.palette import role
        from unseen.reports.pictures import split_sheet

        title = f"Split of {self.world.name} over {' × '.join(self.factors)}" + (f", {self.design}" * bool(self.design))
        drawn = drawing(split_sheet(self._pictures).svg(background=role("paper"))) if self._pictures else ""
        sets = table(("set", "images", "cells", "what for"), [(n, f"{i:,}", c, why) for n, i, c, why in self._sizes])
        told = "Framed: seen in training, with its number of images. Dashed: asked at test."
        told = told if self.inside.trains else "Dashed: asked, with the number of images. Nothing is trained on."
        key, found = line(told, muted=True), "; ".join(self.audit.verdicts)
        return card(title, drawn, key if drawn else "", sets, line(f"Audit: {found}.", muted=True))

    @cached_property
    def _sizes(self) -> list[tuple[str, int, int, str]]:
        """Name, images, cells and reason of each set."""
        samples = self.world.samples
        cells = {name: size.cells for name, size in self.audit.sizes.items()}
        return [
            (name, self.inside.count(samples, name), cells.get(name, 0) or self._cells(name), rows.reason)
            for name, rows in self.inside.sets.items()
        ]

    def _cells(self, name: str) -> int:
        """Cells of a set that audits leave out (the probe)."""
        return len(np.unique(self.world.samples.cells(self.rows(name), self.factors), axis=0))

    @cached_property
    def _pictures(self) -> tuple[Any, ...]:
        from unseen.kinds.pictures import splits

        return splits(self.as_study())

    def as_study(self, **tables: Any) -> GivenStudy:
        """A study of this split alone, with such sections of a recipe: what draws, makes and trains for studies can
        then do so for it."""
        given = {"title": "one split", "world": {"name": "given"}, "design": {"name": self.design or "given"}}
        return GivenStudy(recipe_from({"seeds": [0], **given, **tables}, "settings"), Path(), opened=self)

    @classmethod
    def of(cls, study: Study, trial: Trial) -> OpenedSplit:
        """The split of a study's trial."""
        return cls(OpenedWorld(study.world(trial)), study.split(trial), trial.recipe.design.name)


@dataclass(frozen=True, eq=False, repr=False)
class GivenStudy(Study):
    """A study of one split that is there already, without a folder."""

    opened: OpenedSplit | None = None

    def changed(self, **tables: Any) -> GivenStudy:
        """The same with other sections."""
        assert self.opened is not None
        own = self.recipe.model_dump(mode="python", include={"network", "targets", "seeds", "training"})
        return self.opened.as_study(**{**own, **tables})

    def world(self, trial: Trial) -> World:
        assert self.opened is not None
        return self.opened.world.inside

    def split(self, trial: Trial) -> Split:
        assert self.opened is not None
        return self.opened.inside
