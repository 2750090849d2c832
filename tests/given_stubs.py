"""Models that somebody brings, small enough for a test: they look at brightness, or know what a text is of."""

import torch
from torch import nn

from unseen.models.given import Preprocessing
from unseen.models.given.model import GivenModel
from unseen.studies.given_models import hold

PLAIN = Preprocessing(size=None, resize="none", channels="any", mean=(0.0,), std=(1.0,))


class Patches(nn.Module):
    """Nine numbers of a picture, how bright each ninth of it is, and a Linear layer on them."""

    def __init__(self, outputs=1000, seed=0):
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.head = nn.Linear(9, outputs)
        self.head.weight.data *= 30

    def features(self, images):
        return nn.functional.adaptive_avg_pool2d(images.float(), 3).mean(1).flatten(1)

    def forward(self, images):
        return self.head(self.features(images))


class Body:
    """As `unseen.models.given` has one: pictures it looked at are counted."""

    def __init__(self, module, texts=None):
        self.module, self.of_text, self.seen = module, texts, 0

    def outputs(self, images):
        self.seen += len(images)
        return self.module(images)

    def features(self, images):
        self.seen += len(images)
        return self.module.features(images)

    def texts(self, texts):
        return torch.stack([self.of_text(text) for text in texts])

    def to(self, device):
        self.module.to(device)


def patches(outputs=1000, labels=None, space="imagenet-1k", digest="patches", seed=0):
    """A model of nine numbers, ImageNet's labels if none are given."""
    from unseen.vocabulary.class_maps import imagenet_classes

    labels = [one.names[0] for one in imagenet_classes()] if labels is None else labels
    body = Body(Patches(outputs, seed).eval())
    return GivenModel(
        f"patches-{outputs}", "module", body, outputs=outputs, preprocessing=PLAIN, digest=digest, labels=labels,
        label_space=space,
    )  # fmt: skip


PLACES = ("top left", "top centre", "top right", "middle left", "middle centre", "middle right",
          "bottom left", "bottom centre", "bottom right")  # fmt: skip


def knows_places(text):
    """What a text is of: the ninth of the picture that it names."""
    return torch.tensor([1.0 * (place in text) for place in PLACES]) + 1e-3


def text_model(digest="places"):
    """A model that finds where in a picture it is bright, and knows the words for it."""
    return GivenModel(
        "places", "open_clip", Body(Patches().eval(), knows_places), outputs=0, preprocessing=PLAIN, digest=digest
    )


def held(model):
    return {"model": hold(model)}
