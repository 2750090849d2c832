"""Labels as a pretext: the category is named. What supervised pretraining of a foundation model is, made small."""

from __future__ import annotations

from torch import Tensor, nn

from unseen.training.objectives.terms import Terms
from unseen.training.pretexts.task import Pretext, PretextBatch, in_full
from unseen.training.pretexts.views import Looks, view


class Supervised(Pretext):
    """Cross-entropy of one Linear layer. Crops keep 8 % of the area or more and half are mirrored; ``colour`` and the
    rest are off."""

    def __init__(self, encoder: nn.Module, features: int, told: Looks, *, classes: int, factor: int) -> None:
        super().__init__(encoder)
        self.head, self.factor, self.recipe = nn.Linear(features, classes), factor, told.recipe()

    def loss(self, asked: PretextBatch) -> Terms:
        images: Tensor = asked.images
        if asked.learns:  # what is asked is shown as it is
            images = view(images, self.recipe, asked.rows, asked.visit, asked.seed, 0)
        logits = self.head(self.features(asked.prepare(images)))
        truth = asked.levels[:, self.factor]
        with in_full(logits):
            losses = nn.functional.cross_entropy(logits.float(), truth, reduction="none")
        return Terms(losses, {"right": (logits.argmax(1) == truth).float()})
