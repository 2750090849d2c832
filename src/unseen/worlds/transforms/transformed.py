"""Any world, transformed: a wrapper that adds a factor whose levels are transformations."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.plain_numbers import is_whole
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.world import World
from unseen.worlds import inner_world
from unseen.worlds.transforms import SETS, TRANSFORMATIONS, Transformation, level_of, transformation
from unseen.worlds.wrapped import WrappedWorld, hash_of

if TYPE_CHECKING:
    import torch
    from torch import Tensor

VERSION = 1  # raise it when any transformation shows anything otherwise
FACTOR, NONE = "transformation", "none"
# Numbers (pixels × channels) transformed at a time: bounds the memory besides the output, a few times this in float64.
CHUNK = {"cpu": 2**19, "cuda": 2**26}


@dataclass(frozen=True, eq=False, repr=False)
class TransformedWorld(WrappedWorld):
    """``inner`` with every row once per level. Row r shows the inner row r // levels at level r % levels: the factor
    comes last and runs fastest."""

    done = "transformed"
    levels: tuple[str, ...]  # "none", or a name of the table
    strengths: tuple[float, ...]  # one per level
    seed: int
    dtype: Literal["uint8", "float32"] = "float32"

    @property
    def out_of_frame(self) -> Callable[..., np.ndarray] | None:
        """Which rows show nothing of what they are about, where the inner world can tell."""
        ask = getattr(self.inner, "out_of_frame", None)
        return None if ask is None else partial(_outside, ask, len(self.levels))

    @cached_property
    def samples(self) -> Samples:
        return multiplied(self.inner.samples, self.factor)

    @cached_property
    def factor(self) -> Factor:
        texts = tuple(
            "as it is" if name == NONE else level_of(name)[0].said(strength)
            for name, strength in zip(self.levels, self.strengths)
        )
        plain = next((self.levels.index(name) for name in (NONE, "geirhos-colour") if name in self.levels), None)
        return Factor(FACTOR, self.levels, kind="nominal", canonical=plain, texts=texts)

    @cached_property
    def fingerprint(self) -> str:
        said = [VERSION, self.inner.fingerprint, self.levels, self.strengths, self.seed]
        return hash_of(said)

    @property
    def provenance(self) -> Mapping[str, str]:
        return {**self.inner.provenance, "transformations": "; ".join(self.factor.texts)}

    def images(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> Tensor:
        """Pictures of rows, ``[n, c, h, w]`` float32 on the 0–255 scale, not clipped unless the transformation does.

        What chance decides is drawn from (seed, inner row, transformation, ``draw``): draw 0 is the fixed one of a
        test, another draw is another noise. The inner world is given the draw too. A level more or less among
        ``levels`` changes no other image.
        """
        return self._shown(rows, device, draw, self.inner.images)

    def fresh(self, rows: np.ndarray) -> np.ndarray:
        """Which rows are decided by chance, so that training draws them anew at every visit."""
        rows = np.asarray(rows, dtype=np.int64)
        by_chance = np.array([name != NONE and level_of(name)[0].chance for name in self.levels])
        found = by_chance[rows % len(self.levels)]
        inside = getattr(self.inner, "fresh", None)
        return found if inside is None else found | inside(rows // len(self.levels))

    def again(
        self, rows: np.ndarray, device: str = "cpu", draw: int = 0, show: Callable[..., Tensor] | None = None
    ) -> Tensor:
        """The same pictures under other noise: unlike in ``images``, what the inner world shows stays that of draw 0,
        where a rendered world would show another scene. Draw 0 is that of a test here too. ``show(inner rows, device,
        draw)`` gives the inner pictures where the caller keeps them."""

        def fixed(inner: np.ndarray, device: str, draw: int) -> Tensor:
            return self.inner.images(inner, device)

        return self._shown(rows, device, draw, show or getattr(self.inner, "again", fixed))

    def _shown(self, rows: np.ndarray, device: str, draw: int, show: Callable[..., Tensor]) -> Tensor:
        import torch

        rows = np.asarray(rows, dtype=np.int64)
        self.samples.locate(rows)  # refuses rows that do not exist
        inner, level = rows // len(self.levels), rows % len(self.levels)
        asked, place = np.unique(inner, return_inverse=True)  # a row asked at several levels is drawn once
        if len(asked) == len(inner):
            asked, place = inner, np.arange(len(inner))
        pictures = show(asked, device, draw)
        step = max(1, CHUNK.get(pictures.device.type, CHUNK["cpu"]) // max(1, pictures[:1].numel()))
        parts = [
            (int(number), here[start : start + step])
            for number in np.unique(level)
            for here in (np.flatnonzero(level == number),)
            for start in range(0, len(here), step)
        ]
        if len(parts) == 1:  # nothing to put together; what is the inner world's own is not given away
            found = self._at(parts[0][0], _picked(pictures, place), inner, draw)
            return found.clone() if found.data_ptr() == pictures.data_ptr() else found
        found = torch.empty((len(rows), *pictures.shape[1:]), dtype=torch.float32, device=pictures.device)
        for number, chosen in parts:
            _put(found, chosen, self._at(number, _picked(pictures, place[chosen]), inner[chosen], draw))
        return found

    def _at(self, level: int, images: Tensor, inner: np.ndarray, draw: int) -> Tensor:
        import torch

        from unseen.worlds.rendering import chance

        if self.levels[level] == NONE:
            return images.float()
        row = level_of(self.levels[level])[0]
        keys = torch.empty(0, dtype=torch.long, device=images.device)
        if row.chance:
            keys = chance.bits(_there(inner, images.device), self.seed, FACTOR, row.name, draw)
        return row.function(images if images.dtype == torch.uint8 else images.float(), self.strengths[level], keys)


def transformed(
    of: World | Mapping[str, Any],
    levels: Sequence[str] | str,
    *,
    strengths: Mapping[str, float] | None = None,
    seed: int = 0,
    plain: bool = True,
) -> TransformedWorld:
    """Any world with a further factor "transformation": every row as it is, and at each of ``levels``.

    ``of`` is a world, or its table in a recipe (``name`` and its arguments). ``levels`` lists names of the table of
    transformations, or names a set: "zaidi2020-zero-sum" (twelve) or "geirhos2018-released" (nine), or, by the
    papers' letter, "zaidi2020" and "geirhos2018"; "geirhos2018-all" has every experiment of that paper,
    "model-vs-human/contrast" and the like the levels of one data set. Level "none" comes first and shows the picture as
    it is; ``plain = false`` leaves it out (the nine have "geirhos-colour"). A level may name its strength, as in
    "geirhos-contrast@0.1", and then be there several times; all strengths of a row see the same draw. ``strengths``
    gives a transformation another strength than its default; ``seed`` is that of its noise.

    >>> world = transformed({"name": "digits", "viewpoint": "none"}, ["blur", "inversion"])
    >>> world.samples.space.names, world.factor.levels, len(world.samples)
    (('category', 'transformation'), ('none', 'blur', 'inversion'), 5391)
    """
    rows = _chosen(levels)
    if not is_whole(seed):
        raise UnseenError(f"`seed` of a transformed world is a whole number; {seed!r} was given.")
    if not isinstance(plain, bool):
        raise UnseenError(f"`plain` is true or false (is the picture as it is a level too?); {plain!r} was given.")
    if not plain and not rows:
        raise UnseenError("`levels` names no transformation and `plain` is false, so nothing would be shown.")
    numbers = _strengths(rows, strengths)
    inner = inner_world(of, "transform")
    _check_fit(inner, {name: level_of(name)[0] for name in rows})
    first = ((NONE, 0.0),) if plain else ()
    pairs = (*first, *zip(rows, numbers))
    return TransformedWorld(inner, tuple(name for name, _ in pairs), tuple(number for _, number in pairs), int(seed))


def _chosen(levels: object) -> tuple[str, ...]:
    """Names of levels, each a row of the table, perhaps with a strength."""
    if isinstance(levels, str):
        if levels not in SETS:
            hint = f" For a single one write a list, [{levels!r}]." if levels in TRANSFORMATIONS else ""
            raise UnseenError(str(unknown("set of transformations", levels, SETS)) + hint)
        levels = SETS[levels]
    if not isinstance(levels, list | tuple):
        raise UnseenError(f"`levels` takes a list of transformations, such as ['blur']; {levels!r} was given.")
    names = [name for name in levels if name != NONE]
    if not names:
        raise UnseenError(
            f"`levels` needs at least one transformation besides '{NONE}'; possible: {', '.join(TRANSFORMATIONS)}."
        )
    twice = sorted({str(name) for name in names if names.count(name) > 1})
    if twice:
        raise UnseenError(f"`levels` names {', '.join(twice)} more than once; each is one level.")
    for name in names:
        level_of(name)
    return tuple(names)


def _strengths(levels: Sequence[str], given: object) -> list[float]:
    if given is not None and not isinstance(given, Mapping):
        raise UnseenError(
            f"`strengths` takes a table of names and numbers, such as {{blur = 3.0}}; {given!r} was given."
        )
    numbers = dict(given or {})
    for name in numbers:
        if name not in levels or "@" in name:
            transformation(name.partition("@")[0] if isinstance(name, str) else name)
            raise UnseenError(
                f"`strengths` names '{name}', which is not among `levels` without a strength of its own; add it "
                f"there or leave it out."
            )
    pairs = {name: level_of(name) for name in levels}
    return [row.check(numbers.get(name) if own is None else own) for name, (row, own) in pairs.items()]


def _check_fit(inner: World, rows: Mapping[str, Transformation]) -> None:
    if FACTOR in inner.samples.space:
        raise UnseenError(
            f"world '{inner.name}' has a factor '{FACTOR}' already; transform the world inside it instead."
        )
    if inner.channels not in (1, 3):
        raise UnseenError(f"world '{inner.name}' has {inner.channels} channels; transformations take 1 or 3.")
    idle = [name for name, row in rows.items() if row.needs_colour]
    grey = _grey(inner) if idle else ""
    if grey:
        apply = [name for name in rows if name not in idle]
        raise UnseenError(
            f"world '{inner.name}' {grey}, and {', '.join(idle)} would do nothing; leave "
            f"{'it' if len(idle) == 1 else 'them'} out"
            + (f": levels = {json.dumps(apply)}." if apply else ', and name what needs no colour: levels = ["blur"].')
        )


def _grey(inner: World) -> str:
    """How a world is grey, in words, or nothing: by its one channel, or by what it tells of its files."""
    if inner.channels == 1:
        return "is grey"
    colourless = getattr(inner, "colourless", None)
    return "is grey in all files looked at" if colourless is not None and colourless() else ""


def multiplied(samples: Samples, factor: Factor) -> Samples:
    """All rows times the levels of one more factor, the last and fastest; instances keep pool, name and content."""
    blocks = []
    for block in samples.blocks:
        cells = block.cells
        if cells is not None:
            every = np.tile(np.arange(len(factor)), len(cells))[:, None]
            cells = np.concatenate([np.repeat(cells, len(factor), axis=0), every], axis=1)
        grid = (*block.grid, factor.name)
        blocks.append(replace(block, grid=grid, cells=cells))
    return Samples(FactorSpace((*samples.space.factors, factor)), tuple(blocks))


def _outside(ask: Callable[..., np.ndarray], levels: int, rows: np.ndarray, *more: Any, **named: Any) -> np.ndarray:
    return ask(np.asarray(rows, dtype=np.int64) // levels, *more, **named)


def _picked(pictures: Tensor, numbers: np.ndarray) -> Tensor:
    """Numbered pictures, not copied where the numbers follow each other. Indexing goes pixel by pixel on a CPU."""
    if _in_turn(numbers):
        return pictures[int(numbers[0]) : int(numbers[0]) + len(numbers)]
    return pictures.index_select(0, _there(numbers, pictures.device))


def _put(found: Tensor, numbers: np.ndarray, images: Tensor) -> None:
    """Write pictures to their places."""
    if _in_turn(numbers):
        found[int(numbers[0]) : int(numbers[0]) + len(numbers)] = images
    elif found.device.type == "cpu":
        for number, image in zip(numbers.tolist(), images):
            found[number] = image
    else:
        found.index_copy_(0, _there(numbers, found.device), images)


def _in_turn(numbers: np.ndarray) -> bool:
    return len(numbers) > 0 and bool((np.diff(numbers) == 1).all())


def _there(numbers: np.ndarray, device: torch.device) -> Tensor:
    """Whole numbers on a device, without waiting for it."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(numbers, dtype=np.int64)).to(device, non_blocking=True)
