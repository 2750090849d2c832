"""DINO: a student's answer to a small part of a picture is to be its teacher's to a large one, without labels."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from unseen.training.objectives.terms import Terms
from unseen.training.pretexts.task import Pretext, PretextBatch, in_full
from unseen.training.pretexts.views import Looks, view


def distillation(
    student: Sequence[Float[Tensor, "n d"]],
    teacher: Sequence[Float[Tensor, "n d"]],
    centre: Float[Tensor, "1 d"],
    *,
    student_temperature: float,
    teacher_temperature: float,
) -> Float[Tensor, " n"]:
    """Caron et al. 2021, Eq. 3 and 4: cross-entropy of each student's view with the teacher's of every other view, the
    teacher's answers centred and sharpened; the mean over pairs of views, per picture. ``student`` begins with the
    views that the teacher has seen."""
    with in_full(centre):
        told = [((one.float() - centre) / teacher_temperature).softmax(1).detach() for one in teacher]
        said = [(one.float() / student_temperature).log_softmax(1) for one in student]
        pairs = [-(q * p).sum(1) for i, q in enumerate(told) for j, p in enumerate(said) if i != j]
        return torch.stack(pairs).mean(0)


class Head(nn.Module):
    """Three layers, a narrow one of length one, and prototypes of length one (the released code's ``DINOHead`` with
    ``norm_last_layer``)."""

    def __init__(self, features: int, hidden: int, narrow: int, prototypes: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(features, hidden), nn.GELU(), nn.Linear(hidden, hidden), nn.GELU(), nn.Linear(hidden, narrow)
        )
        self.prototypes = nn.Linear(narrow, prototypes, bias=False)
        for one in self.layers:
            if isinstance(one, nn.Linear):
                nn.init.trunc_normal_(one.weight, std=0.02)
                nn.init.zeros_(one.bias)

    def forward(self, features: Tensor, learns: Tensor | float = 1.0) -> Tensor:
        """``learns``: 0 keeps the prototypes as they are, 1 lets them learn."""
        narrow = self.layers(features)
        with in_full(narrow):
            weight = self.prototypes.weight
            weight = weight.detach() + learns * (weight - weight.detach())
            unit = nn.functional.normalize(narrow.float(), dim=1)
            return unit @ nn.functional.normalize(weight, dim=1).T


@dataclass(frozen=True)
class DINOOptions(Looks):
    """``local`` small views keep from ``local_crop`` to ``crop`` of the area, large ones ``crop`` or more; ``freeze``:
    for which share of training the prototypes stay."""

    prototypes: int = 1024
    momentum: float = 0.99
    centre_momentum: float = 0.9
    student_temperature: float = 0.1
    teacher_temperature: float = 0.04
    freeze: float = 0.1
    local: int = 2
    crop: float = 0.4
    local_crop: float = 0.05
    colour: float = 0.5
    grey: float = 0.2
    blur: float = 0.5
    solarize: float = 0.2


class DINO(Pretext):
    """Caron et al. 2021. The teacher, a running mean of the student, is what is kept.

    From the released code: temperatures 0.1 and 0.04, the centre's momentum 0.9, large views of 40 % of the area or
    more, small ones of 5 to 40 %, prototypes that do not learn in the first stretch. Ours, for small pictures: two
    small views rather than eight, of the size of large ones (a mixer takes one size only); 1,024 prototypes behind 512
    hidden and 128 narrow units rather than 65,536, 2,048 and 256; a teacher's momentum of 0.99 at first, since
    thousands rather than hundreds of thousands of steps are taken; prototypes stay for the first tenth of training
    (there: the first of a hundred epochs).
    """

    def __init__(self, encoder: nn.Module, features: int, told: DINOOptions) -> None:
        super().__init__(encoder)
        self.told, self.head = told, Head(features, 512, 128, told.prototypes)
        self.teacher = copy.deepcopy(encoder).requires_grad_(False)
        self.teacher_head = copy.deepcopy(self.head).requires_grad_(False)
        first = told.recipe(blur=1.0 if told.blur else 0.0)  # the released code: always, .1, and .5
        second = told.recipe(blur=0.2 * told.blur, solarize=told.solarize)
        small = told.recipe(crop=told.local_crop, most=told.crop)
        self.temperatures = {
            "student_temperature": told.student_temperature,
            "teacher_temperature": told.teacher_temperature,
        }
        self.recipes = (first, second, *[small] * told.local)
        self.register_buffer("centre", torch.zeros(1, told.prototypes))
        self.register_buffer("shown", torch.zeros_like(self.centre), persistent=False)  # the batch's mean, until a step

    centre: Tensor
    shown: Tensor

    def loss(self, asked: PretextBatch) -> Terms:
        views = [
            asked.prepare(view(asked.images, recipe, asked.rows, asked.visit, asked.seed, k))
            for k, recipe in enumerate(self.recipes)
        ]
        learns = (asked.progress >= self.told.freeze).float()
        with torch.no_grad():
            teacher: Tensor = self.teacher_head(self.teacher.features(torch.cat(views[:2])))  # type: ignore[operator]
            if asked.learns:
                self.shown.copy_(teacher.float().mean(0, keepdim=True))
        student = self.head(self.features(torch.cat(views)), learns)
        said, told = student.chunk(len(views)), teacher.chunk(2)
        return Terms(distillation(said, told, self.centre, **self.temperatures), {})

    @torch.no_grad()
    def after_step(self, progress: Tensor) -> None:
        """The centre goes on, and the teacher after its student; its momentum rises to 1 along half a cosine."""
        self.centre.mul_(self.told.centre_momentum).add_(self.shown * (1 - self.told.centre_momentum))
        keep = 1 - (1 - self.told.momentum) * (torch.cos(math.pi * progress.clamp(max=1)) + 1) / 2
        for mine, own in ((self.teacher, self.encoder), (self.teacher_head, self.head)):
            for old, new in zip(mine.parameters(), own.parameters(), strict=True):
                old.lerp_(new.to(old.dtype), (1 - keep).to(old.dtype))

    @property
    def delivered(self) -> nn.Module:
        return self.teacher
