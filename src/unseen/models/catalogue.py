"""The table of backbones whose stages are known, so that they can be shared, split, doubled or given another stem.

Every network is timm's own (its names, its code, its weights); what a row adds is where the network may be cut. A stage
is an ordered run of timm's modules, and stages run one after another, so a network can branch between any two of them.
Madan et al. 2022 branch ResNet-18 after its blocks 1 to 3 and the other backbones "similarly": the ResNet family has
four blocks of its own; the cuts of DenseNet and Inception are ours.

timm takes seconds to import, so that happens when a network is built, not here.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

from torch import nn

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.stems import MEDIUM, SMALL, STANDARD, STEMS, side_for

CONCEPTS = ("concepts", "concepts-apart")  # one trunk; the first target's head sees the others' answers alone
SHARING = ("shared", "split-1", "split-2", "split-3", "separate", "shared-wide", *CONCEPTS)


@dataclass(frozen=True)
class Backbone:
    """One row: timm's ``architecture``, how to ``make`` it, and its ``stages`` from the input on (name → timm modules).

    ``width`` is that of the first block where widths can be chosen (the ResNet family), ``smallest`` the smallest image
    side for each stem at which no map shrinks to nothing, ``parameters`` counts the network without its classifier.
    """

    architecture: str
    make: Callable[..., nn.Module]
    stages: Mapping[str, tuple[str, ...]]
    parameters: int
    smallest: Mapping[str, int]
    width: int | None = None
    note: str = ""

    @property
    def sharing(self) -> tuple[str, ...]:
        """The sharing patterns this row can take."""
        return SHARING if self.width else tuple(name for name in SHARING if name != "shared-wide")


def create(
    name: str,
    *,
    channels: int,
    pretrained: bool,
    arguments: Mapping[str, Any],
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> nn.Module:
    """timm's network without its classifier; what goes wrong inside timm comes back as an error that teaches.

    ``arguments`` are the user's and win over our ``defaults``.
    """
    import timm

    ours = {
        "num_classes": "outputs",
        "in_chans": "channels",
        "pretrained": "pretrained",
        "checkpoint_path": "checkpoint",
    }
    for word in arguments:
        if word in ours:
            raise UnseenError(f"argument '{word}' is set by unseen itself; give '{ours[word]}' to the network instead.")
    try:
        return timm.create_model(
            name, pretrained=pretrained, num_classes=0, in_chans=channels, **{**defaults, **arguments}
        )
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        if pretrained:
            raise UnseenError(
                f"timm's weights for '{name}' could not be had ({what}). They come from the Hugging Face hub, which "
                "may not be reachable from here: download the file elsewhere and give its path as 'checkpoint', or set "
                "pretrained = false to train from scratch."
            ) from error
        given = f" with the arguments {listed(f'{k} = {v!r}' for k, v in arguments.items())}" if arguments else ""
        side = "×".join(map(str, defaults.get("img_size", ())))
        size = f" for images of {side} (resize them to a multiple of its patch or window)" if side else ""
        raise UnseenError(f"timm could not build '{name}'{given}{size}: {what}") from error


def resnet(
    name: str, *, channels: int, stem: str, width: int, stem_width: int, pretrained: bool, arguments: Mapping[str, Any]
) -> nn.Module:
    """A ResNet, ResNeXt or WideResNet whose first block is ``width`` wide after a stem of ``stem_width``.

    The last normalisation of a residual block starts at one, as in torchvision, where the networks of the released code
    come from; timm would start it at zero (``arguments = {zero_init_last = true}``). timm's plain stem is always 64
    wide, so another width is put in here, together with the first block's view of it. The small stem (He et al. 2016,
    §4.2, for CIFAR) is a 3×3 convolution of stride 1 and no max-pooling. The medium one (ours) lies between: a 5×5
    convolution of stride 2 and no max-pooling. Each has a kernel of its own, so that a checkpoint tells its stem.
    """
    defaults: dict[str, Any] = {"zero_init_last": False}
    if width != 64:
        defaults["channels"] = tuple(width * times for times in (1, 2, 4, 8))
    net = cast(Any, create(name, channels=channels, pretrained=pretrained, arguments=arguments, defaults=defaults))
    if stem_width != 64:
        net.bn1 = nn.BatchNorm2d(stem_width)
        net.conv1 = nn.Conv2d(channels, stem_width, 7, stride=2, padding=3, bias=False)
        first = net.layer1[0]
        old, out = first.conv1, net.layer1[-1].conv1.in_channels
        first.conv1 = nn.Conv2d(stem_width, old.out_channels, old.kernel_size, padding=old.padding, bias=False)
        same = stem_width == out
        first.downsample = (
            None if same else nn.Sequential(nn.Conv2d(stem_width, out, 1, bias=False), nn.BatchNorm2d(out))
        )
    if stem != STANDARD:
        net.conv1 = _first(stem, channels, stem_width)
        net.maxpool = nn.Identity()
        nn.init.kaiming_normal_(net.conv1.weight, mode="fan_out", nonlinearity="relu")
    if not pretrained and (stem_width != 64 or stem != STANDARD):
        net.init_weights(zero_init_last={**defaults, **arguments}["zero_init_last"])
    return net


def densenet(name: str, *, channels: int, stem: str, pretrained: bool, arguments: Mapping[str, Any]) -> nn.Module:
    """A DenseNet; its medium and small stems are the ResNet's (ours)."""
    net = cast(Any, create(name, channels=channels, pretrained=pretrained, arguments=arguments))
    if stem != STANDARD:
        net.features.conv0 = _first(stem, channels, net.features.conv0.out_channels)
        net.features.pool0 = nn.Identity()
        nn.init.kaiming_normal_(net.features.conv0.weight)
    return net


def inception(name: str, *, channels: int, stem: str, pretrained: bool, arguments: Mapping[str, Any]) -> nn.Module:
    """An Inception v3 without its auxiliary head. Its medium stem drops the first pooling, its small one also the
    second and the first stride (ours)."""
    net = cast(Any, create(name, channels=channels, pretrained=pretrained, arguments=arguments))
    if stem in (MEDIUM, SMALL):
        net.Pool1 = nn.Identity()
    if stem == SMALL:
        net.Conv2d_1a_3x3.conv.stride = (1, 1)
        net.Pool2 = nn.Identity()
    return net


def _first(stem: str, channels: int, width: int) -> nn.Conv2d:
    """The convolution that a medium or a small stem is made of."""
    kernel, stride = {MEDIUM: (5, 2), SMALL: (3, 1)}[stem]
    return nn.Conv2d(channels, width, kernel, stride=stride, padding=kernel // 2, bias=False)


def cut(net: nn.Module, stages: Mapping[str, tuple[str, ...]]) -> dict[str, nn.Module]:
    """The stages of a network, each one module; a stage of several keeps timm's names inside."""
    pieces = {}
    for stage, paths in stages.items():
        parts = OrderedDict((path.rpartition(".")[2], net.get_submodule(path)) for path in paths)
        pieces[stage] = nn.Sequential(parts) if len(parts) > 1 else next(iter(parts.values()))
    return pieces


_RESNET = MappingProxyType(
    {"stem": ("conv1", "bn1", "act1", "maxpool"), **{f"layer{k}": (f"layer{k}",) for k in (1, 2, 3, 4)}}
)
_DENSENET = MappingProxyType(
    {
        "stem": ("features.conv0", "features.norm0", "features.pool0"),
        **{f"block{k}": (f"features.denseblock{k}", f"features.transition{k}") for k in (1, 2, 3)},
        "block4": ("features.denseblock4", "features.norm5"),
    }
)
_INCEPTION = MappingProxyType(
    {
        "stem": ("Conv2d_1a_3x3", "Conv2d_2a_3x3", "Conv2d_2b_3x3", "Pool1", "Conv2d_3b_1x1", "Conv2d_4a_3x3", "Pool2"),
        "block1": ("Mixed_5b", "Mixed_5c", "Mixed_5d"),
        "block2": ("Mixed_6a", "Mixed_6b", "Mixed_6c"),
        "block3": ("Mixed_6d", "Mixed_6e"),
        "block4": ("Mixed_7a", "Mixed_7b", "Mixed_7c"),
    }
)
_ANY_SIZE = MappingProxyType({STANDARD: 1, MEDIUM: 1, SMALL: 1})


def _resnet(architecture: str, parameters: int, width: int = 64, note: str = "") -> Backbone:
    return Backbone(architecture, resnet, _RESNET, parameters, _ANY_SIZE, width, note)


BACKBONES: dict[str, Backbone] = {
    "resnet18": _resnet("resnet18", 11_176_512, note="the paper's main network"),
    "resnext50_32x4d": _resnet("resnext50_32x4d", 22_979_904),
    "wide_resnet50_2": _resnet("wide_resnet50_2", 66_834_240),
    "inception_v3": Backbone(
        "inception_v3",
        inception,
        _INCEPTION,
        21_785_568,
        MappingProxyType({STANDARD: 75, MEDIUM: 39, SMALL: 13}),
        note="no auxiliary head; blocks by map size, the 17×17 one in two (ours)",
    ),
    "densenet121": Backbone(
        "densenet121",
        densenet,
        _DENSENET,
        6_953_856,
        MappingProxyType({STANDARD: 29, MEDIUM: 15, SMALL: 8}),
        note="a block is a dense block and its transition (ours)",
    ),
    "resnet18-w8": _resnet("resnet18", 176_712, width=8, note="an eighth of the width, for CPUs (ours)"),
    "resnet18-w16": _resnet("resnet18", 702_096, width=16, note="a quarter of the width, for CPUs (ours)"),
    "resnet18-w32": _resnet("resnet18", 2_798_880, width=32, note="half of the width, for CPUs (ours)"),
}


def describe_models() -> list[dict[str, Any]]:
    """One line per backbone of the table, for ``unseen models``; nothing is built."""
    return [
        {
            "name": name,
            "parameters": round(row.parameters / 1e6, 2),  # millions, without heads
            "stages": list(row.stages),
            "sharing": list(row.sharing),
            "smallest": dict(row.smallest),
            "sides": {stem: side_for(name, stem) for stem in STEMS},
            "note": row.note,
        }
        for name, row in BACKBONES.items()
    ]
