"""The texts of a model's outputs, where they are known."""

from __future__ import annotations

from unseen.vocabulary.class_maps import imagenet_classes

IMAGENET = "imagenet-1k"


def imagenet_labels() -> tuple[str, ...]:
    return tuple(one.names[0] for one in imagenet_classes())


def labels_of_many(outputs: int) -> tuple[tuple[str, ...], str]:
    """Labels and label space of a model trained on ImageNet or a part of its 21k classes, by how many it has.

    timm has the lists of the larger ones; which is meant it tells by their number, and so does this.
    """
    if outputs == 1000:
        return imagenet_labels(), IMAGENET
    return (), ""
