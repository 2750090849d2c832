"""A toy world with pictures of its own or of its official file: a whole grid that is drawn, or read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path

from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.world import World
from unseen.worlds.rendered import Compose, RenderedWorld, fingerprint_of
from unseen.worlds.rendering.bank import Bank
from unseen.worlds.rendering.mesh import Mesh
from unseen.worlds.toys.grid import check_side, whole
from unseen.worlds.toys.official import official

Meshes = Callable[[], tuple[Mesh, ...]]


@lru_cache(maxsize=2)
def bank_of(meshes: Meshes) -> Bank:
    """All meshes of a toy, made once: a few hundred faces each."""
    return Bank(meshes())


def rendered_grid(
    root: str | Path | None, side: int, space: FactorSpace, meshes: Meshes, compose: Compose, version: int, *,
    published: str, files: Sequence[str], citation: str, licence: str, name: str, whose: str, ours: str,
) -> World:  # fmt: skip
    """Every cell of ``space`` once: as ``compose`` shows it with ``meshes``, or, where there is a ``root``, as it was
    ``published`` in one of ``files``. ``ours``: what the release does not say. Meshes are built from solids that others
    may improve, so their hash is part of the fingerprint."""
    check_side(side, root)
    if root is not None:
        return official(published, root, files, "images", space, (64, 64, 3), citation=citation, licence=licence)
    bank = partial(bank_of, meshes)
    source = f"{whose} grid of factors; the pictures are a re-render, ours; named so"
    fingerprint = fingerprint_of(world=name, version=version, side=side, bank=bank().fingerprint)
    told = {"source": source, "citation": citation, "ours": ours}
    return RenderedWorld(name, whole(space), bank, compose, side, fingerprint, told)
