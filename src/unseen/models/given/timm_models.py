"""Given models by their timm names, with what timm knows of their preprocessing and labels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from torch import nn

from unseen.models.given.bodies import Network
from unseen.models.given.digests import of_module
from unseen.models.given.labels import labels_of_many
from unseen.models.given.model import Given
from unseen.models.given.preprocessing import Preprocessing
from unseen.models.weights import fit, read
from unseen.vocabulary.errors import UnseenError, nearest


def is_timm(name: str) -> bool:
    """Whether timm has this architecture; a tag after a dot is looked at later."""
    import timm

    return timm.is_model(name.partition(".")[0])


def from_timm(
    name: str, architecture: str, *, checkpoint: str | None, random: int | None, download: bool,
    arguments: Mapping[str, Any],
) -> Given:  # fmt: skip
    import timm

    check_tag(architecture)
    config: Any = timm.get_pretrained_cfg(architecture)
    outputs = int(config.num_classes) if config else 1000
    net = timm.create_model(architecture, pretrained=checkpoint is None and random is None, **arguments)
    known: dict[str, Any] = {}
    if checkpoint is not None:
        fit(net, read(checkpoint), checkpoint)
    labels, space = labels_of_many(outputs) if random is None else ((), "")
    return Given(
        name, "timm", Network(name, net), outputs=outputs, preprocessing=preprocessing_of(net), labels=labels,
        label_space=space, digest=of_module(net, "timm", architecture, dict(arguments)), known=known,
    )  # fmt: skip


def check_tag(architecture: str) -> None:
    """timm's own errors name neither what is possible nor the likely name."""
    import timm

    base, _, tag = architecture.partition(".")
    if not timm.is_model(base):
        close = nearest(base, timm.list_models())
        raise UnseenError(f"timm has no '{base}'." + (f" Did you mean '{close}'?" if close else ""))
    tags = [one.partition(".")[2] for one in timm.list_pretrained(f"{base}.*")]
    if tag and tag not in tags:
        raise UnseenError(f"timm's '{base}' has no tag '{tag}'; possible: {', '.join(tags) or 'none'}.")


def preprocessing_of(net: nn.Module) -> Preprocessing:
    """What timm's own transform for evaluation does, from the configuration of the network."""
    from timm.data.config import resolve_data_config

    said: Any = resolve_data_config(model=net, pretrained_cfg=getattr(net, "pretrained_cfg", {}))
    channels, height, width = said["input_size"]
    crop = said["crop_pct"]
    mode = said.get("crop_mode", "center")
    return Preprocessing(
        size=(height, width),
        resize={"squash": "exact", "border": "longer"}.get(mode, "shorter")
        if crop < 1 or mode != "squash"
        else "exact",  # type: ignore[arg-type]
        resize_to=math.floor(min(height, width) / crop),
        crop=crop,
        interpolation=said["interpolation"] if said["interpolation"] != "random" else "bilinear",
        mean=tuple(said["mean"]),
        std=tuple(said["std"]),
        channels="grey" if channels == 1 else "RGB",
    )
