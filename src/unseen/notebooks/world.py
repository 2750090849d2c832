"""A world in a notebook: its factors as a table, its images as a picture, its rows by their levels."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from unseen.notebooks.handed import handed
from unseen.notebooks.html import card, line, picture, table
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import Factor
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import stream
from unseen.vocabulary.world import World, world_words

if TYPE_CHECKING:
    import polars as pl
    from PIL import Image
    from torch import Tensor

MOST_SHOWN = 100  # images in one picture
STRIP = 8
MOST_ROWS = 10_000_000  # listed at once
MOST_LEVELS = 6  # of a factor that the table names


def open_world(world: object, **arguments: Any) -> OpenedWorld:
    """The world called ``world``, or one of your own, to be looked at."""
    if isinstance(world, OpenedWorld):
        return world
    if not isinstance(world, str):
        if not isinstance(world, World):
            raise UnseenError(f'a world is its name, such as "digits", or a World of your own; {world!r} was given.')
        if arguments:
            raise UnseenError(f"{listed(arguments)} given to a world that is made already; give its name instead.")
        return OpenedWorld(world)
    from unseen.studies.tables import open_world as make
    from unseen.vocabulary.sections import NamedSection

    inner = {key: value.inside if isinstance(value, OpenedWorld) else value for key, value in arguments.items()}
    return OpenedWorld(make(NamedSection.model_validate({**inner, "name": world})))


class OpenedWorld:
    """What :func:`unseen.world` gives: a :class:`~unseen.vocabulary.world.World` that also shows itself. ``inside`` is
    the world as the library has it; whatever that offers besides is offered here too."""

    name: str = handed("inside.name")
    samples: Samples = handed("inside.samples", "The rows and their levels, as the library has them.")
    channels: int = handed("inside.channels")
    size: tuple[int, int] = handed("inside.size", "Height and width of an image.")
    dtype: Literal["uint8", "float32"] = handed("inside.dtype")
    fingerprint: str = handed("inside.fingerprint")
    provenance: Mapping[str, str] = handed("inside.provenance")

    def __init__(self, inside: World) -> None:
        self.inside = inside

    @property
    def factors(self) -> dict[str, Factor]:
        """The factors by name; each has ``levels``, ``kind`` and a length."""
        return {factor.name: factor for factor in self.samples.space.factors}

    def __len__(self) -> int:
        return len(self.samples)

    def __getattr__(self, name: str) -> Any:
        if name == "inside" or name.startswith("__"):  # not there yet (a copy being made), or asked by Python itself
            raise AttributeError(name)
        return getattr(self.inside, name)

    def images(self, rows: Any, device: str = "cpu", draw: int = 0) -> Tensor:
        """The images of some rows: ``[n, channels, height, width]``."""
        return self.inside.images(self._checked(rows), device, draw)

    def rows(self, most: int | None = None, *, seed: int = 0, **levels: Any) -> np.ndarray:
        """The rows at some levels: ``world.rows(category=3)``, or a list of levels of a factor. ``most``: no more than
        so many, drawn at random by ``seed``."""
        if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
            raise UnseenError(f"most = {most!r}; possible: a whole number of rows from 1, or None for all.")
        parts = [self._part(block, levels) for block in range(len(self.samples.blocks))]
        counts = [len(instances) * len(cells) for _, instances, cells in parts]
        total = sum(counts)
        if most is None and total > MOST_ROWS:
            raise UnseenError(f"{total:,} rows have these levels; say how many of them, as in rows(1000).")
        taken = np.arange(total, dtype=np.int64)
        if most is not None and most < total:
            taken = np.sort(stream(seed, "notebooks", "rows").choice(total, most, replace=False)).astype(np.int64)
        found, before = [], 0
        for block, ((start, instances, cells), count) in enumerate(zip(parts, counts)):
            here = taken[(taken >= before) & (taken < before + count)] - before
            before += count
            if count:
                each = self.samples.grid_size(block)
                found.append(start + instances[here // len(cells)] * each + cells[here % len(cells)])
        return np.concatenate(found) if found else taken

    def keys(self, rows: Any) -> list[str]:
        """The names of some rows outside this world, such as ``mug-0007_pose-030``; of a folder's image its path. They
        stand in what ``unseen render`` writes, and answers made elsewhere are joined by them."""
        from unseen.vocabulary.sample_keys import sample_keys

        return sample_keys(self.samples, self._checked(rows))

    def rows_of(self, keys: Sequence[str]) -> np.ndarray:
        """The rows that have these keys."""
        from unseen.vocabulary.sample_keys import rows_of_keys

        return rows_of_keys(self.samples, [keys] if isinstance(keys, str) else list(keys))

    def table(self, rows: Any = None) -> pl.DataFrame:
        """The levels of some rows, by factor; by default of a hundred at random."""
        import polars as pl

        rows = self.rows(MOST_SHOWN) if rows is None else self._checked(rows)
        named = {
            name: pl.Series([factor.levels[level] for level in self.samples.levels(name, rows)], strict=False)
            for name, factor in self.factors.items()
        }
        return pl.DataFrame({"row": rows, **named})

    def show(self, rows: Any = None, *, levels: int = 8, seed: int = 0, device: str = "cpu") -> Image.Image:
        """A picture: of some rows, or of random ones and of what each factor does alone (``levels`` of each)."""
        from unseen.exports import contact_sheet, row_sheet

        if rows is None:
            return contact_sheet(self.inside, levels=levels, seed=seed, device=device)
        rows = self._checked(rows)
        if not 0 < len(rows) <= MOST_SHOWN:
            raise UnseenError(
                f"{len(rows):,} images asked for; one picture shows 1 to {MOST_SHOWN}: rows[:{MOST_SHOWN}] are the "
                f"first, world.rows({MOST_SHOWN}) some at random."
            )
        return row_sheet(self.inside, rows, device=device)

    def __repr__(self) -> str:
        return world_words(self.inside)

    def _repr_html_(self) -> str:
        height, width = self.size
        facts = f"{len(self):,} images, {width} × {height} pixels, " + {1: "grey", 3: "colour"}.get(
            self.channels, f"{self.channels} channels"
        )
        rows = [(f.name, f.kind, len(f), _level_words(f)) for f in self.factors.values()]
        factors = table(("factor", "kind", "levels", ""), rows)
        return card(f"World {self.name}", line(facts, muted=True), factors, self._strip)

    @cached_property
    def _strip(self) -> str:
        """Some images at random. A rendered world may take long to draw its first one, so it waits to be asked."""
        if getattr(self.inside, "drawn", False):
            return line("Rendered when asked: .show() draws some of its images.", muted=True)
        from unseen.exports import row_sheet

        png = io.BytesIO()
        row_sheet(self.inside, self.rows(STRIP), columns=STRIP).save(png, format="PNG")
        return picture(png.getvalue(), f"images of {self.name} at random")

    def _checked(self, rows: Any) -> np.ndarray:
        """Rows as numbers: one, a list, a range, a slice or an array."""
        if isinstance(rows, slice):
            rows = range(len(self))[rows]
        found = np.atleast_1d(np.asarray(rows))
        if found.ndim != 1 or (found.size and not np.issubdtype(found.dtype, np.integer)):
            raise UnseenError(
                f"rows are whole numbers, as in [0, 1, 2], range(8) or world.rows(category=3); {rows!r} was given."
            )
        found = found.astype(np.int64)
        self.samples.locate(found)  # says which row there is not
        return found

    def _part(self, block: int, levels: Mapping[str, Any]) -> tuple[int, np.ndarray, np.ndarray]:
        """Of a block: its first row, and the instances and cells of its grid at these levels."""
        samples, here = self.samples, self.samples.blocks[block]
        start = sum(one.instances * samples.grid_size(place) for place, one in enumerate(samples.blocks[:block]))
        wanted = {name: self._places(name, given) for name, given in levels.items()}
        alike = np.ones(here.instances, dtype=bool)
        for name in (name for name in here.stored if name in wanted):
            alike &= np.isin(here.stored[name], wanted[name])
        if here.cells is not None:
            kept = np.ones(len(here.cells), dtype=bool)
            for name in (name for name in here.grid if name in wanted):
                kept &= np.isin(here.cells[:, here.grid.index(name)], wanted[name])
            return start, np.flatnonzero(alike), np.flatnonzero(kept)
        shape = samples.space.select(here.grid).shape
        each = [np.asarray(wanted.get(name, range(size)), dtype=np.int64) for name, size in zip(here.grid, shape)]
        cells = np.zeros(1, dtype=np.int64)
        if prod(len(one) for one in each) > MOST_ROWS:
            raise UnseenError("too many rows have these levels to be listed; give levels of more factors.")
        for own, size in zip(each, shape):
            cells = (cells[:, None] * size + own[None, :]).reshape(-1)
        return start, np.flatnonzero(alike), cells

    def _places(self, name: str, given: Any) -> list[int]:
        """Level numbers of one level, or of a list of them."""
        factor = self.samples.space[name]
        several = isinstance(given, Sequence | np.ndarray | range) and not isinstance(given, str | bytes)
        chosen = [one.item() if isinstance(one, np.generic) else one for one in (given if several else [given])]
        return sorted({_place(factor, level) for level in chosen})


def _place(factor: Factor, level: Any) -> int:
    """A level by its value, or by the words for it."""
    if isinstance(level, str) and level in factor.texts:
        return factor.texts.index(level)
    return factor.index(level)


def _level_words(factor: Factor) -> str:
    """The first levels of a factor, by their words."""
    first = [str(text) for text in factor.texts[:MOST_LEVELS]]
    return ", ".join([*first, *["…"] * (len(factor) > MOST_LEVELS)])
