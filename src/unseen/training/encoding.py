"""An encoder in training: the same loop and captured step as any learner, with an objective in place of labels.

Partners are drawn among the training rows on the device, for a whole epoch at once (drawing is hundreds of small
kernels, which would outlast the rest of a step), and gathered from the same resident pictures, so that pairs cost a
step one gather. Draws are keyed by (seed, row, visit). So packed is what it is alone here too.

Both images of a pair are augmented, by one draw or each by its own, as the objective can bear it (``Objective.alike``):
with one image plain, which of the two is the partner would be plain to see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from unseen.training.augment import augment
from unseen.training.learner import Learner
from unseen.training.objectives import OBJECTIVES, Objective, normal
from unseen.training.pairs import PAIRS, PairGrid
from unseen.training.visits import LabelledData
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.sections import TrainingSection
from unseen.vocabulary.seeds import seed_of

CHUNK = 32_768  # rows whose partners are drawn at once: bounds the memory of it
LOSS = "objective"  # the name of its one loss in the curves


class EncodingLearner(Learner):
    """``prepare`` turns pictures into what the encoder sees (0 to 1); ``grid`` holds the rows that pairs come from."""

    labelled = False

    def __init__(
        self,
        encoder: nn.Module,
        name: str,
        prepare: Callable[[Tensor], Tensor],
        train: LabelledData,
        validation: LabelledData,
        settings: TrainingSection,
        *,
        grid: PairGrid | None,
        options: Mapping[str, Any] | None = None,
        **where: Any,
    ) -> None:
        self.objective: Objective = OBJECTIVES[name]
        if self.objective.pairs and (grid is None or train.held is None):
            raise UnseenError(
                f"objective '{name}' learns from pairs, which need a world of one whole grid and training pictures "
                f"that fit on the device ({len(train):,} images here); give design.images fewer."
            )
        device = where["device"]
        self.prepare, self.grid, self.options = prepare, grid, dict(options or {})
        self.row_numbers = {
            id(source): torch.as_tensor(source.rows, device=device) for source in (train, validation)
        }  # a captured step reads them
        first = torch.from_numpy(np.unique(train.rows, return_index=True)[1]).to(device)
        self.partner_slots = first if train.slots is None else train.slots[first]  # of each training row, in order
        self.seed, self.train, self.validation = where["seed"], train, validation
        self.partners = {id(source): self._partners(source) for source in (train, validation) if self.objective.pairs}
        super().__init__(encoder, (LOSS,), train, validation, settings, **where)

    def _partners(self, source: LabelledData, visits: Tensor | None = None) -> Tensor:
        """Where the partner of each image lies among the held pictures, at these visits (the first). An image of
        validation may find no partner but itself, which is not held: −1."""
        assert self.grid is not None
        rows, training = self.row_numbers[id(source)], source is self.train
        visits = torch.zeros_like(rows) if visits is None else visits
        draw = partial(PAIRS[str(self.objective.pairs)], seed=seed_of(self.seed, "training", "pairs", training))
        slots = []
        for some, at in zip(rows.split(CHUNK), visits.split(CHUNK)):
            found = draw(self.grid, some, at)
            _, there = self.grid.places(found.rows)
            slots.append(torch.where(there, self.partner_slots.index_select(0, found.places), -1))
        return torch.cat(slots)

    def begin_epoch(self, epoch: int) -> None:
        super().begin_epoch(epoch)
        if self.objective.pairs:
            with self._on_stream():
                visits = torch.zeros_like(self.row_numbers[id(self.train)])
                steps = torch.arange(len(self.order), device=self.device) // self.batch
                visits[self.order] = epoch * self.steps_per_epoch + steps
                self.partners[id(self.train)].copy_(self._partners(self.train, visits))

    def _losses(self, images: Tensor, labels: Tensor, picks: Tensor, source: LabelledData) -> tuple[Tensor, Tensor]:
        """The objective of each image (or pair), and nothing that could be right ``[n, 1]``."""
        del labels
        rows = self.row_numbers[id(source)].index_select(0, picks)
        training = source is self.train
        visit = self.step_number if training else torch.zeros_like(self.step_number)
        partners = None
        if self.objective.pairs:
            assert self.train.held is not None
            slots = self.partners[id(source)].index_select(0, picks)
            other = self._augmented_partners(self.train.held.index_select(0, slots.clamp(min=0)), picks)
            partners = self.prepare(torch.where((slots >= 0)[:, None, None, None], other, images))
        noise = None
        if self.objective.noisy:
            draws = self.objective.noisy * self.latents
            drawn = normal(rows, visit, seed_of(self.seed, "training", "latents", training), draws)
            noise = torch.cat(drawn.chunk(self.objective.noisy, dim=1))
        with self._autocast():
            terms = self.objective.loss(self.network, self.prepare(images), partners, noise, **self.options)
        return terms.loss[:, None], torch.zeros_like(terms.loss, dtype=torch.bool)[:, None]

    def _augmented_partners(self, images: Tensor, picks: Tensor) -> Tensor:
        """Partners, in training, augmented as ``picks`` themselves are or by draws of their own."""
        if not self.settings.augment or not self.network.training:  # rows of training may be asked, too: plain
            return images
        words = ("training", "augment") if self.objective.alike else ("training", "augment", "partners")
        return augment(images, self.settings.augment, picks, self.step_number, seed_of(self.seed, *words))

    @property
    def latents(self) -> int:
        return int(self.network.latents)  # type: ignore[arg-type]
