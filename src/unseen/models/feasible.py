"""Whether a network can be built, loaded and shown images of a world, found out before anything is trained.

A network is built on torch's "meta" device where possible: shapes without numbers, so that the largest takes a fraction
of a second and no memory. What needs its weights (a checkpoint, a user's own code, which may do anything) is built as
it will be; so is what the meta device cannot do, and then that error counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import torch
from torch import nn

from unseen.models.at_hand import weights_at_hand
from unseen.models.factories import factory_of
from unseen.models.network import Network
from unseen.models.sharing import build
from unseen.models.small import SMALL
from unseen.models.staged_backbones import check_has_weights, row_of
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.stems import AUTO, settled

Made = TypeVar("Made", bound=nn.Module)
MOST = 20_000_000_000  # weights: 80 GB before a single image is seen, more than any machine trains (ours)


def feasible(
    backbone: str,
    outputs: Mapping[str, int],
    *,
    sharing: str,
    checkpoint: str | None,
    pretrained: bool,
    channels: int,
    input_size: tuple[int, int],
    stem: str = AUTO,
    alone: bool = False,
    trust: bool = True,
    **options: Any,
) -> Network:
    """The network that :func:`unseen.models.build` would give, perhaps without numbers in it, or the error that it
    would raise. ``alone``: it is to learn from one image at a time, which batch normalisation may not allow."""
    stem = settled(stem, backbone, input_size, weights=pretrained or checkpoint is not None)
    known = {
        "stem": stem,
        "sharing": sharing,
        "channels": channels,
        "input_size": input_size,
        "seed": 0,
        "trust": trust,
        **options,
    }
    own = row_of(backbone) is None and backbone not in SMALL and factory_of(backbone, trust=trust) is not None
    here = pretrained and (own or _at_hand(backbone, wide=sharing == "shared-wide"))

    def bare() -> Network:
        return build(backbone, outputs, **known)

    network = bare() if own else without_numbers(bare, backbone)
    if checkpoint or here:
        network = build(backbone, outputs, checkpoint=checkpoint, pretrained=pretrained, **known)
    if alone:
        _check_alone(network, backbone, channels, input_size)
    return network


def without_numbers(make: Callable[[], Made], name: str) -> Made:
    """What ``make`` gives, on the meta device where that can be; refused where it is too large for any machine."""
    try:
        with torch.device("meta"):
            made = make()
    except Exception:  # of the network, or of the meta device: made as it is to be, it shows which
        made = make()
    count = sum(parameter.numel() for parameter in made.parameters())
    if count > MOST:
        raise UnseenError(
            f"'{name}' would have {count:,} weights for these images, which no machine can train ({MOST:,} at most): "
            "make it narrower (network.arguments), or the images smaller."
        )
    return made


def _at_hand(backbone: str, wide: bool) -> bool:
    """Whether pretrained weights lie here, so that they can be tried; the networks of our own table try theirs."""
    row = row_of(backbone)
    if row is not None:
        check_has_weights(backbone, row, wide)
        return weights_at_hand(backbone if "." in backbone else row.architecture)
    return backbone in SMALL or weights_at_hand(backbone)


def _check_alone(network: nn.Module, name: str, channels: int, size: tuple[int, int]) -> None:
    """A first step of training with one image."""
    device = next(iter([*network.parameters(), *network.buffers()]), torch.empty(0)).device
    before = network.training
    try:
        with torch.no_grad():
            network.train()(torch.zeros(1, channels, *size, device=device))
    except ValueError as error:
        raise UnseenError(
            f"'{name}' cannot learn from one image at a time ({error}): its normalisation needs more than one value. "
            "Set training.batch to 2 or more, with as many images to train on."
        ) from error
    finally:
        network.train(before)
