"""Networks that explain themselves: where a score is the mean of what a linear head says of each place, that is the
map, and it is exact (Brendel & Bethge 2019 for BagNets; class activation maps of Zhou et al. 2016 for any network that
ends in a mean and a linear layer).

A BagNet's place sees one patch and nothing else, so its evidence is evidence of that patch. In other networks a place
sees much of the image: the sum is as exact, and says less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from unseen.explanations.anatomy import Anatomy, as_images, still
from unseen.explanations.asked import Asked, Question, Unit, settled
from unseen.explanations.methods import as_asked
from unseen.vocabulary.errors import UnseenError

TOLERANCE = 1e-3  # of the largest score: rounding, not another formula


@dataclass(frozen=True, eq=False)
class Evidence:
    """Evidence ``[n, h, w]`` at each place, whose mean is the ``scores`` ``[n]`` (up to ``off``, their largest
    difference)."""

    maps: np.ndarray
    scores: np.ndarray
    off: float


def evidence(model: Any, images: Any, asked: Asked | int | None = None, *, batch: int = 64) -> Evidence:
    """The evidence of every place for what is asked. A network whose score is not a mean over places is refused."""
    anatomy, given = Anatomy(model), as_images(images)
    maps, scores = [], []
    with still(anatomy), torch.no_grad():
        question = settled(anatomy, given, as_asked(asked), batch)
        if isinstance(question.asked, Unit):
            raise UnseenError("a unit's own map is its evidence; ask for the score of a class or a difference.")
        for start in range(0, len(given), batch):
            pictures = anatomy.taken(given[start : start + batch])
            which = torch.arange(start, start + len(pictures), device=pictures.device)
            places, score = _at_places(question, pictures)
            one = places.permute(0, 2, 3, 1).flatten(0, 2)
            again = which.repeat_interleave(places.shape[2] * places.shape[3])
            maps.append(question.of(one, again).view(len(pictures), *places.shape[2:]))
            scores.append(question.of(score, which))
    found, whole = torch.cat(maps).float().cpu().numpy(), torch.cat(scores).float().cpu().numpy()
    return Evidence(found, whole, float(abs(found.mean((1, 2)) - whole).max()))


def _at_places(question: Question, pictures: Tensor) -> tuple[Tensor, Tensor]:
    """What the last linear layer says of every place ``[n, classes, h, w]``, and of the image."""
    anatomy, inputs, before = question.anatomy, {}, {}

    def keep(name: str) -> Any:
        def hook(module: nn.Module, given: Any, output: Any) -> None:
            if isinstance(module, nn.Linear):
                inputs[name] = module, given[0], output
            elif isinstance(output, Tensor) and output.ndim == 4:
                before[name] = output

        return hook

    hooks = [module.register_forward_hook(keep(name)) for name, module in anatomy.module.named_modules()]
    target = getattr(question.asked, "target", None)
    try:
        scores = anatomy.scores(pictures, target)
    finally:
        for hook in hooks:
            hook.remove()
    for head, pooled, output in inputs.values():
        if output.shape != scores.shape or not torch.equal(output, scores) or pooled.ndim != 2:
            continue
        for maps in reversed(before.values()):
            if (
                maps.shape[1] == pooled.shape[1]
                and maps.shape[2] * maps.shape[3] > 1
                and _close(maps.mean((2, 3)), pooled)
            ):
                return F.conv2d(maps, head.weight[:, :, None, None], head.bias), scores
    raise UnseenError(
        "the scores of this network are not the mean over places of a linear layer's answers, so it has no exact map; "
        "possible: a BagNet (backbone 'bagnet-33'), any network that ends in a mean and one linear layer, or a method "
        "of explain."
    )


def _close(a: Tensor, b: Tensor) -> bool:
    return bool((a - b).abs().max() <= TOLERANCE * b.abs().max().clamp(min=1e-12))
