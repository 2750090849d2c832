"""The table of our own networks: those of in-domain generalisation (Schott et al. 2022) that timm does not have, the
AlexNet of Zaidi et al. 2020, and vision transformers and mixers for small pictures.

A row's ``make`` takes the channels and the size of the images, and arguments of its own, and gives a network whose
children, in their order, are its layers. They are shared or separate, as any network that is not cut.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import nn

from unseen.models.alexnet import alexnet_no_early_pools
from unseen.models.bagnet import bagnet9, bagnet17, bagnet33
from unseen.models.catalogue import CONCEPTS
from unseen.models.convolutional import cnn, coordconv
from unseen.models.efficientnet_lite import PACKAGE, efficientnet_lite0
from unseen.models.equivariant import equivariant_c4, equivariant_c8
from unseen.models.patches import mixer_nano, mixer_small, mixer_tiny, vit_nano, vit_small, vit_tiny
from unseen.models.perceptrons import coordinate_based, mlp, set_encoder
from unseen.models.spatial_transformer import spatial_transformer
from unseen.vocabulary.errors import UnseenError, listed, unknown

SIZE = (64, 64)  # of all worlds of Schott et al. 2022; taken where no size is given


@dataclass(frozen=True)
class Small:
    """One row: how to ``make`` it, its ``parameters`` at 64×64 with three channels and without heads, where its table
    of layers is from (``source``), and the package its ``pretrained`` weights come in, if there are any."""

    make: Callable[..., nn.Module]
    parameters: int
    source: str
    pretrained: str | None = None


SMALL: Mapping[str, Small] = {
    "mlp": Small(mlp, 6_751_744, "ours"),
    "cnn": Small(cnn, 378_816, "Schott et al. 2022, released code"),
    "coordconv": Small(coordconv, 379_840, "Liu et al. 2018 on the CNN of Schott et al. 2022"),
    "coordinate-based": Small(coordinate_based, 395_008, "ours, after Sitzmann et al. 2020"),
    "equivariant-c4": Small(equivariant_c4, 377_824, "ours, after Cohen & Welling 2016"),
    "equivariant-c8": Small(equivariant_c8, 261_072, "ours, after Cohen & Welling 2016"),
    "spatial-transformer": Small(spatial_transformer, 535_766, "Jaderberg et al. 2015 on the CNN of Schott et al."),
    "set-encoder": Small(set_encoder, 247_296, "ours, after Zaheer et al. 2017"),
    "alexnet-no-early-pools": Small(
        alexnet_no_early_pools, 70_499_712, "Zaidi et al. 2020, after Krizhevsky et al. 2012"
    ),
    "bagnet-9": Small(bagnet9, 13_639_744, "Brendel & Bethge 2019, released code"),
    "bagnet-17": Small(bagnet17, 14_164_032, "Brendel & Bethge 2019, released code"),
    "bagnet-33": Small(bagnet33, 16_261_184, "Brendel & Bethge 2019, released code"),
    "efficientnet-lite0": Small(efficientnet_lite0, 3_371_008, "timm's tf_efficientnet_lite0", PACKAGE),
    "vit-nano-p8": Small(vit_nano, 472_416, "timm's VisionTransformer, ours in size"),
    "vit-tiny-p8": Small(vit_tiny, 5_388_480, "timm's VisionTransformer, DeiT-Ti's width"),
    "vit-small-p8": Small(vit_small, 21_393_792, "timm's VisionTransformer, DeiT-S's width"),
    "mixer-nano-p8": Small(mixer_nano, 342_112, "timm's MlpMixer, ours in size"),
    "mixer-tiny-p8": Small(mixer_tiny, 4_395_264, "timm's MlpMixer, ours in size"),
    "mixer-small-p8": Small(mixer_small, 17_178_624, "timm's MlpMixer, Mixer-S's width"),
}


def made(
    name: str, *, channels: int, size: tuple[int, int], pretrained: bool, arguments: Mapping[str, Any]
) -> nn.Module:
    """The network called ``name``; a wrong argument is told with those that are possible."""
    row = SMALL[name]
    possible = [key for key in inspect.signature(row.make).parameters if key not in ("channels", "size", "pretrained")]
    for word in arguments:
        if word not in possible:
            raise unknown("argument", word, possible, where=f"network '{name}'")
    if pretrained and row.pretrained is None:
        able = ", ".join(key for key, other in SMALL.items() if other.pretrained)
        raise UnseenError(f"nobody has published weights for '{name}'; set pretrained = false, or take {able}.")
    weights = {"pretrained": pretrained} if row.pretrained else {}
    try:
        return row.make(channels, size, **weights, **arguments)
    except (TypeError, ValueError, RuntimeError) as error:
        given = listed(f"{key} = {value!r}" for key, value in arguments.items()) if arguments else "no arguments"
        raise UnseenError(
            f"'{name}' cannot be built for images of {size[0]}×{size[1]} with {given}: {error}"
        ) from error


def describe_small() -> list[dict[str, Any]]:
    """One line per network of this table, in the form of ``describe_models``; nothing is built."""
    return [
        {
            "name": name,
            "parameters": round(row.parameters / 1e6, 2),
            "sharing": ["shared", "separate", *CONCEPTS],
            "note": row.source,
        }
        for name, row in SMALL.items()
    ]
