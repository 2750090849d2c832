"""Given models by their torchvision names: torchvision says preprocessing, labels, size and accuracy of each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import nn

from unseen.models.given.backends import Network
from unseen.models.given.digests import of_module
from unseen.models.given.hub import Published, facts_of, obtained
from unseen.models.given.labels import IMAGENET
from unseen.models.given.layouts import load_layout
from unseen.models.given.model import GivenModel
from unseen.models.given.preprocessing import Preprocessing
from unseen.models.given.random_weights import at_random
from unseen.models.given.ways import Ways
from unseen.models.weights import fit, last_linear, read
from unseen.vocabulary.errors import UnseenError, unknown

LICENCE = "not stated by torchvision; its code is BSD-3-Clause"


def from_torchvision(name: str, said: str, ways: Ways) -> GivenModel:
    """``said`` is an architecture, or one and its weights (resnet50/IMAGENET1K_V2); their newest otherwise."""
    architecture, _, tag = said.partition("/")
    weights = _weights(architecture, tag)
    known: dict[str, Any] = {}
    if ways.random is not None:
        net = at_random(ways.random, known, lambda: _made(name, architecture, ways.arguments))
    elif ways.checkpoint is not None:
        net = _made(name, architecture, ways.arguments)
        known |= facts_of(Path(ways.checkpoint).expanduser())
        known["notes"] = load_layout(net, ways.checkpoint, ways.layout)
    else:
        one = published(said, weights)
        file = obtained(one, download=ways.download)
        net = _made(name, architecture, ways.arguments)
        fit(net, read(str(file)), str(file))
        known |= {**facts_of(file, one), **_claim(weights)}
    known["parameters"] = sum(value.numel() for value in net.parameters())
    last = last_linear(net)
    outputs = net.get_submodule(last[0]).out_features if last else len(weights.meta["categories"])
    labels = (
        tuple(weights.meta["categories"]) if outputs == len(weights.meta["categories"]) and ways.random is None else ()
    )
    return GivenModel(
        name,
        "torchvision",
        Network(name, net, ways.features),
        outputs=int(outputs),  # type: ignore[arg-type]
        preprocessing=preprocessing_of(weights),
        digest=of_module(net, "torchvision", architecture, sorted(ways.arguments.items())),
        labels=labels,
        label_space=IMAGENET if len(labels) == 1000 else "",
        known=known,
    )


def _weights(architecture: str, tag: str) -> Any:
    from torchvision import models

    possible = models.list_models(module=models)
    if architecture not in possible:
        raise unknown("classifier", architecture, possible, where="torchvision")
    table = models.get_model_weights(architecture)
    if tag and tag not in table.__members__:
        raise unknown("weights", tag, table.__members__, where=f"torchvision's '{architecture}'")
    return table[tag] if tag else table.DEFAULT  # type: ignore[attr-defined]


def published(said: str, weights: Any) -> Published:
    """Where torchvision's weights come from."""
    size = int(weights.meta.get("_file_size", 0) * 1e6) or None
    return Published(said, url=weights.url, licence=LICENCE, size=size)


def _claim(weights: Any) -> dict[str, Any]:
    found = weights.meta.get("_metrics", {}).get("ImageNet-1K", {}).get("acc@1")
    return {"claim": {"top1": found / 100, "of": "ImageNet-1k validation", "by": "torchvision"}} if found else {}


def _made(name: str, architecture: str, arguments: Mapping[str, Any]) -> nn.Module:
    from torchvision import models

    quick = {"init_weights": False} if architecture in ("googlenet", "inception_v3") else {}
    try:
        return models.get_model(architecture, weights=None, **{**quick, **arguments})
    except Exception as error:
        raise UnseenError(f"torchvision could not build '{name}': {type(error).__name__}: {error}") from error


def preprocessing_of(weights: Any) -> Preprocessing:
    """What ``weights.transforms()`` does."""
    said = weights.transforms()
    crop, resize = said.crop_size[0], said.resize_size[0]
    return Preprocessing(
        size=(crop, crop),
        resize_to=resize,
        crop=min(crop / resize, 1.0),
        interpolation=said.interpolation.value,
        antialias=bool(said.antialias),
        mean=tuple(said.mean),
        std=tuple(said.std),
    )
