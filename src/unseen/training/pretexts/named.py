"""Labels as a pretext: the category is named. What supervised pretraining of a foundation model is, made small."""

from __future__ import annotations

from torch import Tensor, nn

from unseen.training.objectives.terms import Terms
from unseen.training.pretexts.task import Pretext, PretextBatch, in_full
from unseen.training.pretexts.views import ViewRecipe, view


class Supervised(Pretext):
    """Cross-entropy of one Linear layer. Crops keep 8 % of the area or more and half are mirrored, as ImageNet networks
    are trained (He et al. 2016 after Szegedy et al. 2015); ``colour`` and the rest are off."""

    def __init__(
        self,
        encoder: nn.Module,
        features: int,
        *,
        classes: int,
        factor: int,
        crop: float = 0.08,
        flip: float = 0.5,
        colour: float = 0.0,
        grey: float = 0.0,
        blur: float = 0.0,
    ) -> None:
        super().__init__(encoder)
        self.head, self.factor = nn.Linear(features, classes), factor
        self.recipe = ViewRecipe(crop, 1.0, flip, colour, grey, blur)

    def loss(self, asked: PretextBatch) -> Terms:
        images: Tensor = asked.images
        if asked.learns:  # what is asked is shown as it is
            images = view(images, self.recipe, asked.rows, asked.visit, asked.seed, 0)
        logits = self.head(self.features(asked.prepare(images)))
        truth = asked.levels[:, self.factor]
        with in_full(logits):
            losses = nn.functional.cross_entropy(logits.float(), truth, reduction="none")
        return Terms(losses, {"right": (logits.argmax(1) == truth).float()})
