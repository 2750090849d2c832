"""Given models by their timm names, with what timm knows of their preprocessing, labels and licence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

import torch
from torch import nn

from unseen.models.given.backends import Network
from unseen.models.given.digests import of_module
from unseen.models.given.hub import Published, facts_of, obtained
from unseen.models.given.labels import labels_of_many
from unseen.models.given.layouts import Layout, load_layout, tensors_in, without_prefix
from unseen.models.given.model import GivenModel
from unseen.models.given.preprocessing import Preprocessing
from unseen.models.given.random_weights import at_random
from unseen.models.given.ways import Ways
from unseen.models.weights import read
from unseen.vocabulary.errors import UnseenError, listed, nearest


def is_timm(name: str) -> bool:
    """Whether timm has this architecture; a tag after a dot is looked at later."""
    import timm

    return bool(name) and timm.is_model(name.partition(".")[0])


def from_timm(name: str, architecture: str, ways: Ways) -> GivenModel:
    """timm's network with its published weights, with those of a file, or with random ones from a seed."""
    config = tagged(architecture)
    settings = dict(ways.arguments)
    known: dict[str, Any] = {"licence": config.license} if config and config.license else {}
    if ways.random is not None:
        net = at_random(ways.random, known, lambda: _made(name, architecture, settings))
    elif ways.checkpoint is not None:
        net = _from_file(name, architecture, ways.checkpoint, ways.layout, settings, config, known)
    else:
        one = published(architecture, config)
        file = obtained(one, download=ways.download)
        known |= facts_of(file, one)
        net = _made(name, architecture, settings, read(str(file)))
    known["parameters"] = sum(value.numel() for value in net.parameters())
    outputs = int(cast(Any, net).num_classes)
    labels, space = labels_of_many(outputs)
    return GivenModel(
        name,
        "timm",
        Network(name, net, ways.features),
        outputs=outputs,
        preprocessing=preprocessing_of(net),
        digest=of_module(net, "timm", architecture.partition(".")[0], sorted(settings.items())),
        labels=labels if ways.random is None else (),
        label_space=space if ways.random is None else "",
        known=known,
    )


def tagged(architecture: str) -> Any:
    """timm's configuration of a name, or an error that says what is possible: timm's own names neither."""
    import timm

    base, _, tag = architecture.partition(".")
    if not timm.is_model(base):
        close = nearest(base, timm.list_models())
        raise UnseenError(
            f"timm has no '{base}'." + (f" Did you mean '{close}'?" if close else " `timm.list_models()` lists them.")
        )
    tags = [one.partition(".")[2] for one in timm.list_pretrained(f"{base}.*")]
    if tag and tag not in tags:
        close = nearest(tag, tags)
        raise UnseenError(
            f"timm's '{base}' has no weights called '{tag}'; possible: {listed(tags)}."
            + (f" Did you mean '{base}.{close}'?" if close else "")
        )
    return timm.get_pretrained_cfg(architecture)


def published(architecture: str, config: Any) -> Published:
    """Where timm's weights of a name come from."""
    if config is None or not (config.hf_hub_id or config.url):
        raise UnseenError(
            f"timm has no weights for '{architecture}'; give a file as checkpoint, or ask for random ones (random = 0)."
        )
    where, _, revision = str(config.hf_hub_id or "").partition("@")
    names = (config.hf_hub_filename,) if config.hf_hub_filename else Published("").names
    return Published(
        architecture, where, names, revision or None, config.url or "", config.license or "",
        4 * parameters_of(architecture),
    )  # fmt: skip


def parameters_of(architecture: str) -> int:
    """How many weights a network of timm has; none of them is made."""
    import timm

    with torch.device("meta"):
        return sum(value.numel() for value in timm.create_model(architecture).parameters())


def _made(name: str, architecture: str, settings: Mapping[str, Any], tensors: Any = None) -> nn.Module:
    """timm's network; with tensors, what timm does to them on the way (its filters) is done here too."""
    import timm

    more = {} if tensors is None else {"pretrained": True, "pretrained_cfg_overlay": {"state_dict": tensors}}
    try:
        return timm.create_model(architecture, **more, **settings)
    except Exception as error:
        given = f" with {listed(f'{key} = {value!r}' for key, value in settings.items())}" if settings else ""
        raise UnseenError(
            f"timm could not build '{name}'{given}: {type(error).__name__}: {str(error)[:300]}"
            + ("" if tensors is None else ". Are the weights complete, and of this network?")
        ) from error


def _from_file(
    name: str, architecture: str, checkpoint: str, layout: Layout, settings: dict[str, Any], config: Any,
    known: dict[str, Any],
) -> nn.Module:  # fmt: skip
    """The network with a file's weights; it has as many outputs as the file's classifier."""
    from pathlib import Path

    bare = _made(name, architecture, settings)
    head = str((config.classifier if config else "") or "")
    if "num_classes" not in settings and head:
        tensors = without_prefix(tensors_in(checkpoint, layout.part), bare.state_dict())
        found = tensors.get(f"{head}.weight")
        many = 0 if found is None or f"{head}.weight".startswith(layout.left or ("\0",)) else len(found)
        if many != int(cast(Any, bare).num_classes):
            bare = _made(name, architecture, {**settings, "num_classes": many})
    known |= facts_of(Path(checkpoint).expanduser())
    known["notes"] = load_layout(bare, checkpoint, layout)
    known.pop("licence", None)  # of timm's own weights
    return bare


def preprocessing_of(net: nn.Module) -> Preprocessing:
    """What timm's own transform for evaluation does, from the configuration of the network."""
    from timm.data.config import resolve_data_config

    said: Any = resolve_data_config(model=net, pretrained_cfg=getattr(net, "pretrained_cfg", {}))
    channels, height, width = said["input_size"]
    crop, mode = said["crop_pct"], said.get("crop_mode", "center")
    way = said["interpolation"]
    return Preprocessing(
        size=(height, width),
        resize="exact" if mode == "squash" else "longer" if mode == "border" else "shorter",
        resize_to=math.floor(min(height, width) / crop),
        crop=crop,
        interpolation=way if way in ("nearest", "bilinear", "bicubic") else "bilinear",
        mean=tuple(said["mean"]),
        std=tuple(said["std"]),
        channels="grey" if channels == 1 else "RGB",
        fill=tuple(round(255 * value) for value in said["mean"]) if mode == "border" else (0,),
    )
