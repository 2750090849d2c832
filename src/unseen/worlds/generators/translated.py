"""Any world beside what a generator makes of plainer pictures of it: image-to-image translation (Isola et al. 2017)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.world import World
from unseen.worlds import inner_world
from unseen.worlds.generators.adversarial import Fit, Learned, learn_from_pictures, signed, translator_for, unsigned
from unseen.worlds.generators.kept import kept_or_learned
from unseen.worlds.generators.learned_world import LearnedWorld, as_bytes
from unseen.worlds.generators.parted import GENERATED, GIVEN, REAL, check_numbers, origin
from unseen.worlds.transforms import TRANSFORMATIONS, level_of
from unseen.worlds.wrapped import hash_of

if TYPE_CHECKING:
    from torch import Tensor, nn

VERSION = 1  # raise it when any picture, or how a generator learns, changes
CHUNK = 64  # pictures translated at a time
LEVELS = (REAL, GENERATED, GIVEN)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TranslatedWorld(LearnedWorld):
    """Instances of ``inner`` that the generator never saw, each as it is, as the generator makes it of what it is
    given, and what it is given: row r shows the inner row of r // 3 at level r % 3."""

    done = "translated"
    given: World | str  # a world with the same rows, or the name of a transformation

    @cached_property
    def samples(self) -> Samples:
        from unseen.worlds.transforms.transformed import multiplied

        return multiplied(self.parted.left, origin(*LEVELS))

    @cached_property
    def identity(self) -> str:
        """Of the generator: what it learned from, and how."""
        given = self.given if isinstance(self.given, str) else self.given.fingerprint
        said = ["translated", VERSION, self.inner.fingerprint, given, self.category, self.learn_from, self.views,
                asdict(self.fit)]  # fmt: skip
        return hash_of(said)

    @property
    def fingerprint(self) -> str:
        return self.identity

    @property
    def provenance(self) -> Mapping[str, str]:
        what = self.given if isinstance(self.given, str) else f"world '{self.given.name}'"
        how = (
            f"a U-Net from {what} to the real picture, against a PatchGAN, {self.fit.steps:,} steps on "
            f"{len(self.parted.learned):,} pairs, of {self.learn_from:.0%} of the instances, none of which are shown"
        )
        return {**self.inner.provenance, "translated": how}

    def plain(self, rows: np.ndarray, device: str = "cpu") -> Tensor:
        """What the generator is given for rows of the inner world, with as many channels as the real picture."""
        if isinstance(self.given, str):
            pictures = self.inner.images(rows, device)
            row, strength = level_of(self.given)
            import torch

            keys = torch.from_numpy(rows).to(pictures.device)
            found = row.function(pictures, row.check(strength), keys)
        else:
            found = self.given.images(rows, device)
        return as_bytes(found.expand(-1, self.channels, -1, -1) if found.shape[1] == 1 else found)

    def learned(self, device: str = "cpu") -> Learned:
        """The generator, learned where it is not yet kept."""

        def learn(watch) -> Learned:
            rows = self.parted.learned
            return learn_from_pictures(self.plain(rows, device), self._real(rows, device), self.fit, str(device), watch)

        return kept_or_learned(self.identity, f"to translate into {self.inner.name}", learn)

    def images(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> Tensor:
        """Pictures ``[n, c, h, w]`` uint8; no ``draw`` changes them."""
        import torch

        rows = np.asarray(rows, dtype=np.int64)
        self.samples.locate(rows)
        level, inner = rows % len(LEVELS), self.parted.inner_rows(rows // len(LEVELS))
        shown = {REAL: self._real, GENERATED: self._made, GIVEN: self.plain}
        found = torch.empty((len(rows), self.channels, *self.size), dtype=torch.uint8, device=device)
        for place, name in enumerate(LEVELS):
            here = np.flatnonzero(level == place)
            if len(here):
                found[torch.from_numpy(here).to(device)] = shown[name](inner[here], device)
        return found

    def _real(self, rows: np.ndarray, device: str) -> Tensor:
        return as_bytes(self.inner.images(rows, device))

    def _made(self, rows: np.ndarray, device: str) -> Tensor:
        import torch

        generator = self.generator(device)
        found = []
        for start in range(0, len(rows), CHUNK):
            with torch.no_grad():
                found.append(unsigned(generator(signed(self.plain(rows[start : start + CHUNK], device)))))
        return torch.cat(found)

    def network(self) -> nn.Module:
        return translator_for(self.size, self.channels, self.channels, self.fit)


def translated(
    of: World | Mapping[str, Any], given: World | Mapping[str, Any] | str, *, category: str = "category",
    learn_from: float = 0.5, views: int = 16, steps: int = 4000, batch: int = 4, lr: float = 2e-4, width: int = 32,
    seed: int = 0,
) -> TranslatedWorld:  # fmt: skip
    """Any world beside what a generator makes of plainer pictures of it, as a factor "origin": real, generated, given.

    ``given`` is what the generator sees: a transformation of the real picture by its name ("geirhos-grey",
    "horizontal", …), or another world with the same rows (its table, or a world), such as the same objects without
    textures. It learns from a share ``learn_from`` of the instances (up to ``views`` pictures of each) and shows the
    others. The loss is that of Isola et al. (2017): adversarial, and 100 × L1; noise comes from dropout while it
    learns, and there is none when it draws, so that a row's picture is one picture. It is learned when first asked for,
    and kept in the cache.

    >>> world = translated({"name": "digits", "viewpoint": "none"}, "blur")
    >>> world.samples.space.names, world.samples.space["origin"].levels
    (('category', 'origin'), ('real', 'generated', 'given'))
    """
    inner = inner_world(of, "translate into")
    check_numbers(inner, learn_from, lr, seed, views=views, steps=steps, batch=batch, width=width)
    inner.samples.space[category]
    if isinstance(given, str):
        row, _ = level_of(given)
        if row.needs_colour and inner.channels == 1:
            raise UnseenError(f"world '{inner.name}' is grey, and '{given}' would do nothing; name another `given`.")
    else:
        given = inner_world(given, "be given")
        _check_same(inner, given)
    fit = Fit(int(steps), int(batch), float(lr), int(width), 0, seed=int(seed))
    world = TranslatedWorld(inner=inner, given=given, category=category, fit=fit, learn_from=float(learn_from),
                            views=int(views))  # fmt: skip
    world.parted  # noqa: B018 what cannot be parted is told at once
    return world


def _check_same(inner: World, given: World) -> None:
    if len(inner.samples) != len(given.samples) or inner.size != given.size:
        raise UnseenError(
            f"`given` has {len(given.samples):,} rows of {given.size[1]}×{given.size[0]} pixels, and the world "
            f"{len(inner.samples):,} of {inner.size[1]}×{inner.size[0]}; row by row they show the same, so use the "
            f"same arguments for both but what makes one plainer. Or name a transformation: "
            f"{', '.join(TRANSFORMATIONS)}."
        )
    if given.channels not in (1, inner.channels):
        raise UnseenError(f"`given` has {given.channels} channels and the world {inner.channels}; both need the same.")
