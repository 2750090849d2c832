"""A whole grid that is drawn: a toy world without its official file."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unseen.vocabulary.factors import FactorSpace
from unseen.worlds.rendered import Compose, RenderedWorld, fingerprint_of
from unseen.worlds.rendering.bank import Bank
from unseen.worlds.toys.grid import whole


def rendered_grid(
    name: str,
    space: FactorSpace,
    bank: Callable[[], Bank],
    compose: Compose,
    side: int,
    version: int,
    provenance: Mapping[str, str],
) -> RenderedWorld:
    """Every cell of ``space`` once, as ``compose`` shows it. The hash of the ``bank`` is part of the fingerprint."""
    fingerprint = fingerprint_of(world=name, version=version, side=side, bank=bank().fingerprint)
    return RenderedWorld(name, whole(space), bank, compose, side, fingerprint, provenance)
