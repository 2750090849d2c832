"""Any world beside pictures that a generator draws after it: a factor "origin" (Goodfellow et al. 2014)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.seeds import keyed
from unseen.vocabulary.world import World
from unseen.worlds import inner_world
from unseen.worlds.generators.adversarial import Fit, Learned, generator_for, learn_from_noise, unsigned
from unseen.worlds.generators.kept import kept_or_learned
from unseen.worlds.generators.learned_world import LearnedWorld, as_bytes
from unseen.worlds.generators.parted import GENERATED, REAL, check_numbers, origin
from unseen.worlds.wrapped import hash_of

if TYPE_CHECKING:
    from torch import Tensor, nn

VERSION = 1  # raise it when any picture, or how a generator learns, changes
CHUNK = 512  # pictures drawn at a time


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GeneratedWorld(LearnedWorld):
    """Real pictures of ``inner`` that the generator never saw, and its own. Two factors are left: category, origin."""

    done = "generated"
    per_category: int

    @cached_property
    def samples(self) -> Samples:
        factor = self.inner.samples.space[self.category]
        left, n = self.parted.left, len(factor)
        stored = [np.asarray(block.stored[self.category]) for block in left.blocks]
        known = [block.content for block in left.blocks]
        content = None if any(one is None for one in known) else np.concatenate(known)  # pyright: ignore
        pool = left.pools
        names = [f"real {place}" for place in range(left.instances)]
        if all(block.names is not None for block in left.blocks):
            names = [name for block in left.blocks for name in block.names or ()]
        real = Block(left.instances, {self.category: np.concatenate(stored), "origin": np.zeros(left.instances, int)},
                     pool=pool if (pool != "").any() else None, names=names, content=content)  # fmt: skip
        made = n * self.per_category
        labels = np.repeat(np.arange(n), self.per_category)
        drawn = Block(made, {self.category: labels, "origin": np.ones(made, int)},
                      names=[f"generated {place}" for place in range(made)])  # fmt: skip
        return Samples(FactorSpace((factor, origin(REAL, GENERATED))), (real, drawn))

    @cached_property
    def identity(self) -> str:
        """Of the generator: what it learned from, and how."""
        said = ["generated", VERSION, self.inner.fingerprint, self.category, self.learn_from, self.views,
                asdict(self.fit)]  # fmt: skip
        return hash_of(said)

    @cached_property
    def fingerprint(self) -> str:
        said = [self.identity, self.per_category]
        return hash_of(said)

    @property
    def provenance(self) -> Mapping[str, str]:
        how = (
            f"a class-conditional generator, {self.fit.steps:,} steps on {len(self.parted.learned):,} pictures of "
            f"{self.learn_from:.0%} of the instances, none of which are among the real ones"
        )
        return {**self.inner.provenance, "generated": how}

    def learned(self, device: str = "cpu") -> Learned:
        """The generator, learned where it is not yet kept."""

        def learn(watch) -> Learned:
            rows = self.parted.learned
            levels = self.inner.samples.levels(self.category, rows)
            import torch

            pictures = as_bytes(self.inner.images(rows, device))
            n = len(self.inner.samples.space[self.category])
            return learn_from_noise(pictures, torch.from_numpy(levels), n, self.fit, str(device), watch)

        return kept_or_learned(self.identity, f"a generator of {self.inner.name}", learn)

    def images(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> Tensor:
        """Pictures ``[n, c, h, w]`` uint8. A generated one depends on its own number only; no ``draw`` changes it."""
        import torch

        rows = np.asarray(rows, dtype=np.int64)
        block, number, _ = self.samples.locate(rows)
        found = torch.empty((len(rows), self.channels, *self.size), dtype=torch.uint8, device=device)
        for place, show in ((0, self._real), (1, self._drawn)):
            here = np.flatnonzero(block == place)
            if len(here):
                found[torch.from_numpy(here).to(device)] = show(number[here], device)
        return found

    def _real(self, numbers: np.ndarray, device: str) -> Tensor:
        """One picture of each instance, by its own key, where the inner world shows several."""
        left = self.parted.left
        starts = np.cumsum([0, *(block.instances for block in left.blocks)])
        rows, row_start = np.empty(len(numbers), dtype=np.int64), 0
        for place in range(len(left.blocks)):
            here, size = (numbers >= starts[place]) & (numbers < starts[place + 1]), left.grid_size(place)
            cell = (keyed(self.fit.seed, "shown", numbers[here]) % np.uint64(size)).astype(np.int64)
            rows[here] = row_start + (numbers[here] - starts[place]) * size + cell
            row_start += left.blocks[place].instances * size
        return as_bytes(self.inner.images(self.parted.inner_rows(rows), device))

    def _drawn(self, numbers: np.ndarray, device: str) -> Tensor:
        import torch

        from unseen.worlds.rendering import chance
        from unseen.worlds.transforms.noise import normal, sixteen

        generator = self.generator(device)
        found = []
        for start in range(0, len(numbers), CHUNK):
            here = torch.from_numpy(numbers[start : start + CHUNK]).to(device)
            keys = chance.bits(here, self.fit.seed, "generated")
            bits = chance.counted(keys, self.fit.latents, 0, "latents")
            z = normal(here.device)[sixteen(bits, 0)]
            with torch.no_grad():
                found.append(unsigned(generator(z, here // self.per_category)))
        return torch.cat(found)

    def network(self) -> nn.Module:
        n = len(self.inner.samples.space[self.category])
        return generator_for(self.size, self.channels, n, self.fit)


def generated(
    of: World | Mapping[str, Any], *, category: str = "category", learn_from: float = 0.5, views: int = 16,
    per_category: int = 500, steps: int = 4000, batch: int = 64, lr: float = 2e-4, width: int = 32, latents: int = 64,
    critic_steps: int = 2, seed: int = 0,
) -> GeneratedWorld:  # fmt: skip
    """Any world beside what a generator draws after it, as a factor "origin": real, generated.

    A class-conditional generator learns from a share ``learn_from`` of the instances (up to ``views`` pictures of
    each); the real pictures of this world are of the others, one of each, so that what is asked was never learned from.
    The generator draws ``per_category`` pictures of each category. It is learned for ``steps`` steps when a generated
    picture is first asked for, and kept in the cache. Other factors of the world are not kept: a generator draws a
    category, in a view of its own choice.

    >>> world = generated({"name": "digits", "viewpoint": "none"}, per_category=10)
    >>> world.samples.space.names, world.samples.space["origin"].levels, len(world.samples)
    (('category', 'origin'), ('real', 'generated'), 996)
    """
    inner = inner_world(of, "draw after")
    check_numbers(inner, learn_from, lr, seed, views=views, per_category=per_category, steps=steps, batch=batch,
                  width=width, latents=latents, critic_steps=critic_steps)  # fmt: skip
    inner.samples.space[category]
    fit = Fit(
        int(steps), int(batch), float(lr), int(width), int(latents), critic_steps=int(critic_steps), seed=int(seed)
    )
    world = GeneratedWorld(inner=inner, category=category, fit=fit, learn_from=float(learn_from), views=int(views),
                           per_category=int(per_category))  # fmt: skip
    world.parted  # noqa: B018 what cannot be parted is told at once
    return world
