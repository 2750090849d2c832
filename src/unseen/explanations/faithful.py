"""Does the answer follow the map? Deletion and insertion, infidelity, sensitivity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from unseen.explanations.anatomy import Anatomy, as_images, passes, still
from unseen.explanations.asked import Asked, settled
from unseen.explanations.gradients import Reference, reference_of
from unseen.explanations.methods import as_asked, checked, explained
from unseen.explanations.seen import blurred
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.seeds import seed_of

CURVES = ("deletion", "insertion")
BLUR = 5.0  # σ in pixels at 224, as Petsiuk et al. 2018 released; elsewhere by the image's side (ours)


def curves(
    model: nn.Module | Callable[[Tensor], Any],
    images: Any,
    maps: np.ndarray,
    asked: Asked | int | None = None,
    *,
    steps: int = 28,
    probability: bool = True,
    fill: Reference = None,
    batch: int = 128,
    missing: bool = False,
) -> Mapping[str, np.ndarray]:
    """The answer while pixels go, most important first (``deletion``), and while they come into a blurred image
    (``insertion``), ``{name: [n, steps + 1]}`` (Petsiuk et al. 2018): equal numbers of pixels at each step, softmax
    probability unless ``probability`` is off. Pixels that tie go in the order of the image. A map that puts no pixel
    before another (a saturated score), or is no number, has no curve: it is refused, or NaN if it may be ``missing``.
    """
    if steps < 1:
        raise UnseenError(f"a curve has at least one step; given {steps}.")
    anatomy, given = Anatomy(model), as_images(images)
    if maps.shape != (len(given), *given.shape[2:]):
        raise UnseenError(f"maps {list(maps.shape)} are not those of images {list(given.shape)}.")
    flat = maps.reshape(len(maps), -1)
    ranked = np.isfinite(flat).all(1) & (flat != flat[:, :1]).any(1)
    if not ranked.all() and not missing:
        places = listed(np.flatnonzero(~ranked).tolist())
        raise UnseenError(
            f"map {places} puts no pixel before another (all are equal: a saturated score) or is no number, so there "
            "is no order to take pixels away in; leave it out."
        )
    with still(anatomy), torch.no_grad():
        question = settled(anatomy, given, as_asked(asked), batch)
        pictures = anatomy.taken(given)
        order = (
            torch.from_numpy(np.nan_to_num(maps))
            .to(pictures.device)
            .flatten(1)
            .argsort(dim=1, descending=True, stable=True)
        )
        place = torch.empty_like(order).scatter_(
            1, order, torch.arange(order.shape[1], device=order.device).expand_as(order)
        )
        place = place.view(len(given), 1, *given.shape[2:])
        shares = torch.linspace(0, 1, steps + 1, device=pictures.device, dtype=torch.float64)
        counts = (shares * order.shape[1]).round().long()
        empty = reference_of(question, pictures, fill).expand_as(pictures)
        soft = blurred(pictures, BLUR * min(given.shape[2:]) / 224)
        found = {name: pictures.new_zeros(len(given), steps + 1) for name in CURVES}
        for name, (taken_away, left) in {"deletion": (empty, pictures), "insertion": (pictures, soft)}.items():
            for some, these in passes(len(given), steps + 1, batch):
                gone = place[some][None] < counts[these].reshape(-1, 1, 1, 1, 1)
                mixed = torch.where(gone, taken_away[some][None], left[some][None])
                which = torch.arange(some.start, some.stop, device=pictures.device).repeat(len(mixed))
                answer = question(mixed.flatten(0, 1), which, probability=probability)
                found[name][some, these] = answer.unflatten(0, (len(mixed), -1)).T.to(pictures)
    drawn = {name: one.float().cpu().numpy() for name, one in found.items()}
    for one in drawn.values():
        one[~ranked] = np.nan
    return drawn


def infidelity(
    model: nn.Module | Callable[[Tensor], Any],
    images: Any,
    attributions: Tensor | np.ndarray,
    asked: Asked | int | None = None,
    *,
    steps: int = 50,
    noise: float = 0.1,
    perturbations: Tensor | None = None,
    seed: int = 0,
    batch: int = 128,
) -> np.ndarray:
    r"""How badly attributions to pixels foretell what a perturbation does, ``[n]`` (Yeh et al. 2019, Eq. 1):
    :math:`E_I (I^\top \Phi - (S(x) - S(x - I)))^2`, :math:`I` normal noise of ``noise`` times the image's range, or
    ``perturbations`` ``[steps, n or 1, c, h, w]``. Small is faithful; it grows with the scores, so compare methods of
    one network only."""
    anatomy, given = Anatomy(model), as_images(images)
    phi = torch.as_tensor(attributions)
    if phi.shape != given.shape:
        raise UnseenError(f"attributions to pixels {list(given.shape)} are needed; given {list(phi.shape)}.")
    with still(anatomy), torch.no_grad():
        question = settled(anatomy, given, as_asked(asked), batch)
        pictures, phi = anatomy.taken(given), anatomy.taken(phi)
        spread = pictures.amax((1, 2, 3), keepdim=True) - pictures.amin((1, 2, 3), keepdim=True)
        steps = steps if perturbations is None else len(perturbations)
        plain = torch.cat(
            [
                question(part, torch.arange(start, start + len(part), device=part.device))
                for start, part in zip(range(0, len(pictures), batch), pictures.split(batch))
            ]
        )
        total = torch.zeros(len(pictures), dtype=torch.float64, device="cpu")
        for some, these in passes(len(pictures), steps, batch):
            if perturbations is None:
                moved = _noise(pictures.shape[1:], these, seed).to(pictures)[:, None] * (noise * spread[some])[None]
            else:
                moved = perturbations[these].to(pictures)
                moved = moved[:, some] if moved.shape[1] != 1 else moved.expand(-1, some.stop - some.start, -1, -1, -1)
            which = torch.arange(some.start, some.stop, device=pictures.device).repeat(len(moved))
            after = question((pictures[some][None] - moved).flatten(0, 1), which).unflatten(0, (len(moved), -1))
            foretold = (moved * phi[some][None]).sum((2, 3, 4))
            total[some] += (foretold - (plain[some][None] - after)).square().sum(0).double().cpu()
    return (total / steps).numpy()


def _noise(shape: torch.Size, these: slice, seed: int) -> Tensor:
    drawn = []
    for step in range(these.start, these.stop):
        generator = torch.Generator().manual_seed(seed_of(seed, "infidelity", step))
        drawn.append(torch.randn(shape, generator=generator))
    return torch.stack(drawn)


def sensitivity(
    model: Any,
    images: Any,
    method: str,
    asked: Asked | int | None = None,
    *,
    steps: int = 10,
    radius: float = 0.02,
    seed: int = 0,
    batch: int = 64,
    **settings: Any,
) -> np.ndarray:
    r"""How much a map changes under changes too small to see, ``[n]`` (the largest of Yeh et al. 2019, §4):
    :math:`\max_\delta \lVert \Phi(x + \delta) - \Phi(x) \rVert / \lVert \Phi(x) \rVert`, δ uniform within ``radius``
    times the image's range, the class that of the image as it is. NaN where the map is zero."""
    row = checked(method, settings)
    anatomy, given = Anatomy(model), as_images(images)
    with still(anatomy):
        question = settled(anatomy, given, as_asked(asked), batch)
        pictures = anatomy.taken(given)
        spread = pictures.amax((1, 2, 3), keepdim=True) - pictures.amin((1, 2, 3), keepdim=True)
        own = explained(question, pictures, method, row, "sum", settings).maps
        length = np.sqrt(np.square(own, dtype=np.float64).sum((1, 2)))
        worst = np.zeros(len(own))
        for step in range(steps):
            generator = torch.Generator().manual_seed(seed_of(seed, "sensitivity", step))
            delta = torch.rand(pictures.shape[1:], generator=generator).to(pictures) * 2 - 1
            moved = explained(question, pictures + radius * spread * delta, method, row, "sum", settings).maps
            off = np.sqrt(np.square(moved - own, dtype=np.float64).sum((1, 2)))
            worst = np.maximum(worst, np.divide(off, length, out=np.full(len(off), np.nan), where=length > 0))
    return worst
