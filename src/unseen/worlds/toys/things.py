"""Several things in every image: what the rendered toy worlds put on a stage made by
:func:`~unseen.worlds.rendering.staging.staged`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unseen.worlds.rendering.scene import Things

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@dataclass(frozen=True, eq=False)
class Thing:
    """One mesh in each of ``n`` images; what is None is the mesh as it stands."""

    mesh: Tensor | int
    position: Tensor | None = None
    rotation: Tensor | None = None
    size: Tensor | None = None
    tint: Tensor | None = None
    label: int = 1


def things(parts: Sequence[Thing], n: int, device: torch.device) -> Things:
    """The same kinds of things in every image, sorted by image."""
    import torch

    def column(values: Sequence[Tensor]) -> Tensor:
        return torch.stack(list(values), 1).flatten(0, 1)

    def of(name: str, usual: Tensor) -> Tensor:
        given = (getattr(part, name) for part in parts)
        return column([usual.expand(n, *usual.shape) if one is None else one for one in given])

    def whole(number: int) -> Tensor:
        return torch.full((n,), number, device=device)

    one = torch.ones((), device=device)
    return Things(
        image=torch.arange(n, device=device).repeat_interleave(len(parts)),
        mesh=column([whole(part.mesh) if isinstance(part.mesh, int) else part.mesh for part in parts]),
        rotation=of("rotation", torch.eye(3, device=device)),
        position=of("position", torch.zeros(3, device=device)),
        size=of("size", one),
        tint=of("tint", one.expand(3)),
        texture=torch.full((n * len(parts),), -1, device=device),
        label=column([whole(part.label) for part in parts]),
    )
