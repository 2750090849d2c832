"""What worlds share that show pictures of a generator: who it learned from, its network where it draws, and bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from unseen.vocabulary.world import World
from unseen.worlds.generators.parted import Parted, parted
from unseen.worlds.on_devices import OnDevices
from unseen.worlds.wrapped import WrappedWorld

if TYPE_CHECKING:
    from torch import Tensor, nn

    from unseen.worlds.generators.adversarial import Fit, Learned


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LearnedWorld(WrappedWorld):
    """Instances of ``inner`` that a generator never saw, beside what it makes after the others."""

    category: str
    fit: Fit
    learn_from: float
    views: int
    dtype: Literal["uint8", "float32"] = "uint8"
    _held: OnDevices[nn.Module] = field(default_factory=OnDevices, repr=False)

    @cached_property
    def parted(self) -> Parted:
        return parted(self.inner, category=self.category, learn_from=self.learn_from, views=self.views,
                      seed=self.fit.seed)  # fmt: skip

    @cached_property
    def identity(self) -> str:
        """Of the generator: what it learns from, and how."""
        raise NotImplementedError

    def network(self) -> nn.Module:
        """The generator before it has learned."""
        raise NotImplementedError

    def learned(self, device: str = "cpu") -> Learned:
        """The generator, learned where it is not yet kept."""
        raise NotImplementedError

    def generator(self, device: str) -> nn.Module:
        """On its device, loaded once."""
        return self._held.get(device, lambda: self._loaded(device))

    def _loaded(self, device: str) -> nn.Module:
        network = self.network()
        network.load_state_dict(dict(self.learned(device).weights))
        return network.to(device).eval().requires_grad_(False)


def learned_first(world: World) -> list[LearnedWorld]:
    """Worlds, this one or one inside it, whose generator is not kept yet: who first asks for its pictures waits."""
    from unseen.worlds.generators.kept import generator_file

    found, here = [], world
    while here is not None:
        if isinstance(here, LearnedWorld) and not generator_file(here.identity).is_file():
            found.append(here)
        here = getattr(here, "inner", None)
    return found


def as_bytes(pictures: Tensor) -> Tensor:
    import torch

    return pictures if pictures.dtype == torch.uint8 else pictures.round().clamp(0, 255).to(torch.uint8)
