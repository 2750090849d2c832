"""The bank of a street: the cars of a world, then everything that may stand around them; made when first needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from unseen.vocabulary.seeds import stream
from unseen.worlds.cars import street, surroundings
from unseen.worlds.cars.bodies import body
from unseen.worlds.cars.individuals import individual
from unseen.worlds.rendering.bank import Bank
from unseen.worlds.rendering.mesh import Mesh

CAR, PAVEMENT, BUILDING, TREE, FURNITURE, PERSON, OCCLUDER = range(7)  # what things are: their labels
SKIES = 10
COUNTS = {PAVEMENT: 4, BUILDING: 12, TREE: 10, FURNITURE: 2 * len(street.FURNITURE), PERSON: 12}


@dataclass(frozen=True)
class Fleet:
    """Which cars a world has: ``variants`` meshes of each model, or (no ``models``) cars that are each a category."""

    models: tuple[str, ...]
    cars: int  # categories
    variants: int
    seed: int

    def __call__(self) -> Bank:
        return _furnished(self)[0]

    @property
    def measures(self) -> Measures:
        return _furnished(self)[1]

    def first(self, kind: int) -> int:
        """Where the meshes of a kind start in the bank."""
        kinds = list(COUNTS)
        return self.cars * self.variants + sum(COUNTS[k] for k in kinds[: kinds.index(kind)])


@dataclass(frozen=True, eq=False)
class Measures:
    """Of every mesh: half its length and width, the radius of the sphere around its middle, its height; in metres."""

    half: np.ndarray  # [meshes, 2]
    radius: np.ndarray  # [meshes]
    height: np.ndarray  # [meshes]


MIDDLE = 0.45  # the middle of a car, as a share of its height


@lru_cache(maxsize=8)  # worlds of one study take turns; a bank of 40 cars has some 10 MB
def _furnished(fleet: Fleet) -> tuple[Bank, Measures]:
    if fleet.models:
        cars = [body(n, stream(fleet.seed, "cars", n, k)) for n in fleet.models for k in range(fleet.variants)]
    else:
        cars = [individual(stream(fleet.seed, "cars", "individual", k)) for k in range(fleet.cars)]
    meshes = (*cars, *props())
    height = np.array([one.extents[2] for one in meshes])
    middles = [np.array([0, 0, MIDDLE * h]) for h in height]
    radius = np.array([np.linalg.norm(one.vertices - c, axis=1).max() for one, c in zip(meshes, middles)])
    half = np.stack([np.abs(one.vertices[:, :2]).max(0) for one in meshes])
    return Bank(meshes, textures=floors(), skies=skies()), Measures(half, radius, height)


@lru_cache(maxsize=1)
def props() -> tuple[Mesh, ...]:
    """The meshes of everything but cars, in the order of ``COUNTS``; the same in every world."""

    def many(name: str, n: int, maker: Callable[[np.random.Generator], Mesh]) -> list[Mesh]:
        return [maker(stream(0, "cars", name, k)) for k in range(n)]

    made = {
        PAVEMENT: many("pavement", 4, surroundings.pavement),
        BUILDING: many("building", 12, surroundings.building),
        TREE: many("tree", 8, surroundings.tree) + many("hedge", 2, surroundings.hedge),
        FURNITURE: [one for name, maker in street.FURNITURE.items() for one in many(name, 2, maker)],
        PERSON: many("pedestrian", 12, street.pedestrian),
    }
    assert {kind: len(ones) for kind, ones in made.items()} == COUNTS
    return tuple(one for kind in COUNTS for one in made[kind])


@lru_cache(maxsize=1)
def floors() -> tuple[np.ndarray, ...]:
    return tuple(surroundings.road(kind, stream(0, "cars", "road", kind)) for kind in surroundings.ROADS)


@lru_cache(maxsize=1)
def skies() -> tuple[np.ndarray, ...]:
    return tuple(surroundings.sky(stream(0, "cars", "sky", k)) for k in range(SKIES))
