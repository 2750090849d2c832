"""A network in pretraining: the same loop and captured step as any learner, with a pretext in place of labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from unseen.training.learner import Learner
from unseen.training.narrow_strides import meets_fault
from unseen.training.pretexts import Pretext, PretextBatch
from unseen.training.visits import LabelledData
from unseen.vocabulary.sections import TrainingSection
from unseen.vocabulary.seeds import seed_of

LOSS = "objective"  # the name of its one loss in the curves


class PretrainingLearner(Learner):
    """``prepare`` turns pictures into what the encoder sees. The labels of ``train`` and ``validation`` are the levels
    of all factors. Pictures of validation are seen at visit 0, so that their loss is comparable between epochs; it
    depends on how many they are where pictures of a batch are told apart."""

    labelled = False

    def __init__(
        self,
        pretext: Pretext,
        prepare: Callable[[Tensor], Tensor],
        train: LabelledData,
        validation: LabelledData,
        settings: TrainingSection,
        **where: Any,
    ) -> None:
        device = where["device"]
        self.prepare = prepare
        self.row_numbers = {id(source): torch.as_tensor(source.rows, device=device) for source in (train, validation)}
        steps = settings.epochs * (len(train) // max(1, min(settings.batch, len(train))))
        self.steps = max(1, steps)
        super().__init__(pretext, (LOSS,), train, validation, settings, **where)

    @property
    def pretext(self) -> Pretext:
        assert isinstance(self.network, Pretext)
        return self.network

    def _meets_fault(self) -> bool:
        """The encoder may be anybody's; what learns beside it has no convolution of its own."""
        first = self.train.held[:1] if self.train.held is not None else self.train.fetch(self.train.rows[:1], "cpu")
        return meets_fault(_Looked(self.pretext, self.prepare), first)

    def _losses(self, images: Tensor, labels: Tensor, picks: Tensor, source: LabelledData) -> tuple[Tensor, Tensor]:
        rows, training = self.row_numbers[id(source)].index_select(0, picks), source is self.train
        visit = self.step_number + 1 if training else torch.zeros_like(self.step_number)
        seed = seed_of(self.seed, "pretraining", "views")
        progress = self.step_number.float() / self.steps
        learns = training and self.network.training
        asked = PretextBatch(images, rows, labels, visit, progress, seed, self.prepare, learns)
        with self._autocast():
            terms = self.pretext.loss(asked)
        right = terms.parts.get("right")
        right = torch.zeros_like(terms.loss) if right is None else right
        return terms.loss.float()[:, None], right.bool()[:, None]

    def _step(self) -> None:
        super()._step()
        self.pretext.after_step(self.step_number.float() / self.steps)


class _Looked(nn.Module):
    """Pictures in, features out."""

    def __init__(self, pretext: Pretext, prepare: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.pretext, self.prepare = pretext, prepare

    def forward(self, images: Tensor) -> Tensor:
        return self.pretext.features(self.prepare(images))
