"""Cars in a street, drawn when asked: the stand-in for Biased-Cars (Madan et al. 2022), every factor under control.

Car model × azimuth are the factors, named as in the released images' world ``biased-cars``, so that the same recipes
serve. All else that varies there (zenith, scale, position, colour, light, street, buildings, sky, trees, pedestrians,
street furniture, occlusion) is drawn here from the row's own id. Paper: models, azimuth 0–90° in five bins, zenith
0–50°, what varies. Ours: the cars, the street, and every range.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Block, Samples
from unseen.worlds.cars.bodies import BODIES
from unseen.worlds.cars.fleet import Fleet
from unseen.worlds.cars.scenery import PAINTS, Scenery
from unseen.worlds.circumstances import check_seed
from unseen.worlds.rendered import RenderedWorld, fingerprint_of
from unseen.worlds.rendering import chance
from unseen.worlds.rendering.scene import Scenes

if TYPE_CHECKING:
    import torch
    from torch import Tensor

VERSION = 1  # raise it when any image of this world changes
PER_MODEL, PER_INDIVIDUAL = 1200, 60  # instances of a category by default (ours)
PROVENANCE = {
    "source": "procedural car models and streets, drawn by unseen; no data set is read",
    "licence": "Apache-2.0",
    "stands in for": "Biased-Cars (Madan et al. 2022, doi:10.7910/DVN/F1NQ3R)",
    "ours": "the car models, the street and all ranges besides azimuth 0–90° and zenith 0–50°",
}


@dataclass(frozen=True, eq=False)
class Cars:
    """Rows → scenes. An instance is a car: a mesh of its model and a paint, by its own id. Azimuth within its bin is
    drawn from the row's id; the rest of the scene from the row's id and the draw."""

    samples: Samples
    scenery: Scenery
    span: float
    paint_of: Literal["instance", "model"]

    def __call__(self, rows: np.ndarray, device: torch.device, draw: int) -> Scenes:
        import torch

        _, instance, level = self.samples.locate(rows)
        model = np.asarray(self.samples.blocks[0].stored["model"])[instance]
        ids, instance, model, level = (torch.from_numpy(a).to(device) for a in (rows, instance, model, level))
        fleet = self.scenery.fleet
        mesh = model * fleet.variants + chance.choice(instance, fleet.variants, fleet.seed, "cars", "variant")
        tint = self.paint(instance if self.paint_of == "instance" else model)
        return self.scenery.scenes(ids, mesh, self._azimuth(ids, level), tint, draw)

    def paint(self, ids: Tensor) -> Tensor:
        """sRGB paint of cars: one of the usual ones, a little off."""
        import torch

        usual = torch.from_numpy(PAINTS).to(ids.device)[
            chance.choice(ids, len(PAINTS), self.scenery.seed, "cars", "paint")
        ]
        off = [chance.uniform(ids, self.scenery.seed, "cars", "paint", k, low=-0.06, high=0.06) for k in range(3)]
        return (usual + torch.stack(off, -1)).clamp(0.02, 1.0)

    def azimuth(self, rows: np.ndarray) -> np.ndarray:
        """The azimuth of each row in degrees, somewhere within its bin."""
        import torch

        rows = np.asarray(rows, np.int64)
        level = torch.from_numpy(self.samples.levels("azimuth", rows))
        return self._azimuth(torch.from_numpy(rows), level).numpy()

    def _azimuth(self, ids: Tensor, level: Tensor) -> Tensor:
        within = chance.uniform(ids, self.scenery.seed, "cars", "azimuth")
        return (level.float() + within) * (self.span / len(self.samples.space["azimuth"]))


def cars(
    models: int | Sequence[str] = 5,
    azimuths: int = 5,
    *,
    instances: int | None = None,
    side: int = 128,
    clutter: bool = True,
    zenith: Sequence[float] = (0, 50),
    scale: Sequence[float] = (0.7, 1.0),
    span: float = 90,
    variants: int = 8,
    fine_grained: int | None = None,
    paint: str = "own",
    seed: int = 0,
) -> RenderedWorld:
    """Car models × azimuth bins in streets.

    ``models`` is how many (the first of the table) or their names; any of them may be withheld by a design to ask about
    new models. ``azimuths`` bins divide ``span`` degrees from 0 (the front) towards 90 (the car's left side); 360 goes
    all around. Every model has ``instances`` cars (1,200): one of ``variants`` meshes in a paint of its own. ``zenith``
    is the camera's elevation in degrees, ``scale`` the share of the frame's half that the sphere around a car takes.
    ``clutter=False`` leaves out pedestrians, trees and street furniture, and so all occlusion. With ``fine_grained``
    every category is one car of its own (several hundred, as faces are), each in 60 instances that differ in the scene;
    its paint is its own too, or with ``paint="any"`` that of the instance, so that it does not tell which car it is.

    >>> world = cars(models=["saloon", "van"], instances=3, variants=1)
    >>> world.samples.space.shape, len(world.samples), world.size
    ((2, 5), 30, (128, 128))
    """
    names = _names(models, fine_grained)
    given: dict[str, object] = {"azimuths": azimuths, "side": side, "variants": variants}
    if instances is not None:
        given["instances"] = instances
    _check(given, zenith, scale, span, clutter, seed)
    own_paint = _own_paint(paint, bool(fine_grained))
    per = instances or (PER_INDIVIDUAL if fine_grained else PER_MODEL)
    variants = 1 if fine_grained else variants
    samples = _samples(names, azimuths, per, float(span), bool(fine_grained))
    fleet = Fleet(() if fine_grained else tuple(names), len(names), variants, seed)
    ranges = (float(zenith[0]), float(zenith[1])), (float(scale[0]), float(scale[1]))
    return RenderedWorld(
        name="cars-fine-grained" if fine_grained else "cars",
        samples=samples,
        bank=fleet,
        compose=Cars(
            samples, Scenery(fleet, *ranges, clutter, seed), float(span), "model" if own_paint else "instance"
        ),
        side=side,
        fingerprint=fingerprint_of(
            world="cars",
            version=VERSION,
            models=names,
            azimuths=azimuths,
            instances=per,
            side=side,
            clutter=clutter,
            zenith=ranges[0],
            scale=ranges[1],
            span=float(span),
            variants=variants,
            fine=bool(fine_grained),
            seed=seed,
            **({"paint": "any"} if fine_grained and not own_paint else {}),
        ),
        provenance=PROVENANCE,
    )


def _samples(names: list[str], azimuths: int, instances: int, span: float, fine: bool) -> Samples:
    texts = tuple(name if fine else f"a {name.replace('-', ' ')}" for name in names)
    model = Factor("model", tuple(names), kind="category", texts=texts)
    edges = [span * k / azimuths for k in range(azimuths + 1)]
    levels = tuple(f"{a:.4g}–{b:.4g}" for a, b in itertools.pairwise(edges))
    middles = tuple(((a + b) / 2,) for a, b in itertools.pairwise(edges))
    around = span == 360
    azimuth = Factor(
        "azimuth", levels, kind="circular" if around else "ordinal", coordinates=middles, period=360 if around else None
    )
    stored = np.repeat(np.arange(len(names), dtype=np.int64), instances)
    block = Block(len(stored), {"model": stored}, grid=("azimuth",))
    return Samples(FactorSpace((model, azimuth)), (block,))


def _names(models: object, fine_grained: object) -> list[str]:
    if fine_grained is not None:
        if not _whole(fine_grained):
            raise UnseenError(
                f"`fine_grained` is how many cars are each a category, from 1; {fine_grained!r} was given."
            )
        if models != 5:
            raise UnseenError("`fine_grained` makes its own cars, blends of all models; leave `models` out.")
        return [f"car {k:03d}" for k in range(int(fine_grained))]  # type: ignore[call-overload]
    if isinstance(models, list | tuple):
        for name in models:
            if name not in BODIES:
                raise unknown("car model", name, BODIES, where="world 'cars'")
        if not models or len(set(models)) != len(models):
            raise UnseenError(f"`models` names each car model once; {listed(models)} was given.")
        return list(models)
    if not _whole(models) or models > len(BODIES):  # type: ignore[operator]
        raise UnseenError(
            f"`models` is a number from 1 to {len(BODIES)} or a list of {listed(BODIES, 20)}; {models!r} was given."
        )
    return list(BODIES)[: int(models)]  # type: ignore[call-overload]


def _own_paint(paint: object, fine_grained: bool) -> bool:
    """Whether paint tells categories apart: where each is one car, unless told otherwise."""
    if paint not in ("own", "any"):
        raise UnseenError(f'`paint` is "own" or "any"; {paint!r} was given.')
    if paint == "any" and not fine_grained:
        raise UnseenError('`paint = "any"` is for `fine_grained` cars; those of a model have any paint already.')
    return fine_grained and paint == "own"


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _check(
    given: dict[str, object], zenith: object, scale: object, span: object, clutter: object, seed: object
) -> None:
    for name, value in given.items():
        if not _whole(value):
            raise UnseenError(f"`{name}` is a whole number from 1; {value!r} was given.")
    limits = {"zenith": (zenith, 0, 89), "scale": (scale, 0.05, 1)}
    for name, (pair, low, high) in limits.items():
        numbers = isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(x, int | float) for x in pair)
        if not numbers or not low <= pair[0] <= pair[1] <= high:  # type: ignore[index]
            raise UnseenError(
                f"`{name}` is a range within {low} to {high}, such as [{low}, {high}]; {pair!r} was given."
            )
    if isinstance(span, bool) or not isinstance(span, int | float) or not 0 < span <= 360:
        raise UnseenError(f"`span` is how many degrees the azimuths cover, above 0 to 360; {span!r} was given.")
    if not isinstance(clutter, bool):
        raise UnseenError(f"`clutter` is true or false; {clutter!r} was given.")
    check_seed(seed)
