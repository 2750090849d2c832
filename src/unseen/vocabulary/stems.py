"""Stems: how a backbone of the table begins, chosen by the size of the images that enter it.

ImageNet's stem shrinks a side by four before the first block, and the ResNet behind it by eight more. Of a picture of
28 pixels one position is left: the last block sees what is there and not where. That decided a study. With the shipped
``zaidi2020/mnist`` on one H200 (n = 3 draws, 500 images a digit), across-category accuracy with 4 and 7 digits seen was
.03 and .12 for inversion behind the standard stem and .90 and .95 behind the small one; horizontal .20 and .41 against
.53 and .84; salt-and-pepper .06 and .11 against .33 and .47.

So ``stem = "auto"`` takes the first of standard, medium, small that leaves the last block 3×3 positions or more; the
shorter side decides. The standard one costs least. Behind each later one maps are twice as wide and high: 3.8 and 15
times the multiply-adds of the standard one for ResNet-18 at 64 pixels. That it should be 3×3, the extent of a kernel,
is ours. A network with weights of its own (``pretrained``, ``checkpoint``) keeps the standard stem unless another is
named: the weights were learnt behind it.

What a stem does is built in :mod:`unseen.models.catalogue`; here is its arithmetic, which needs no torch, because a
trial's identity has the stem that was chosen. Tests hold the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import Any

from unseen.vocabulary.errors import unknown

AUTO, STANDARD, MEDIUM, SMALL = "auto", "standard", "medium", "small"
STEMS = (STANDARD, MEDIUM, SMALL)  # from the one that shrinks most on
SCRATCH = "from scratch"  # what a description says of weights that are a network's own
LEAST = 3  # positions a side that the last block should see


def _resnet(stem: str, side: int) -> int:
    """Every halving is padded, so it rounds up."""
    return -(-side // {STANDARD: 32, MEDIUM: 16, SMALL: 8}[stem])


def _densenet(stem: str, side: int) -> int:
    """The stem rounds up, the three transitions down."""
    return -(-side // {STANDARD: 4, MEDIUM: 2, SMALL: 1}[stem]) // 8


def _inception(stem: str, side: int) -> int:
    """Convolutions and poolings are not padded but for one: each takes two positions, and those of stride 2 halve."""
    side = side - 2 if stem == SMALL else _strided(side)
    side -= 2
    side = _strided(side) if stem == STANDARD else side
    side -= 2
    side = side if stem == SMALL else _strided(side)
    return max(0, _strided(_strided(side)))


def _strided(side: int) -> int:
    return (side - 3) // 2 + 1


FAMILIES: Mapping[str, Callable[[str, int], int]] = MappingProxyType(
    {
        "resnet18": _resnet,
        "resnext50_32x4d": _resnet,
        "wide_resnet50_2": _resnet,
        "inception_v3": _inception,
        "densenet121": _densenet,
        "resnet18-w8": _resnet,
        "resnet18-w16": _resnet,
        "resnet18-w32": _resnet,
    }
)  # the backbones whose stem can be chosen


def positions(backbone: str, stem: str, size: Sequence[int]) -> tuple[int, int] | None:
    """How many positions the last block sees; None for a network whose stem is its own.

    >>> positions("resnet18", "standard", (28, 40)), positions("mlp", "small", (28, 40))
    ((1, 2), None)
    """
    left = _family(backbone)
    return None if left is None else (left(stem, size[0]), left(stem, size[1]))


def settled(stem: str, backbone: str, size: Sequence[int] | None, *, weights: bool = False) -> str:
    """The stem that a network gets: as asked, or by the rule. ``size``: (height, width) of the images that enter it,
    None where it is not known; ``weights``: it starts from weights of its own.

    >>> [settled("auto", "resnet18", (side, 200)) for side in (28, 32, 33, 64, 65, 96)]
    ['small', 'small', 'medium', 'medium', 'standard', 'standard']
    >>> settled("auto", "resnet18", (28, 28), weights=True), settled("small", "resnet18", (224, 224))
    ('standard', 'small')
    """
    if stem != AUTO:
        if stem not in STEMS:
            raise unknown("stem", stem, (AUTO, *STEMS))
        return stem
    left = _family(backbone)
    if weights or size is None or left is None:
        return STANDARD
    return next((one for one in STEMS if left(one, min(size)) >= LEAST), SMALL)


def side_for(backbone: str, stem: str) -> int:
    """The shortest side from which a stem leaves the last block 3×3 positions.

    >>> [side_for("resnet18", stem) for stem in STEMS], [side_for("inception_v3", stem) for stem in STEMS]
    ([65, 33, 17], [139, 71, 21])
    """
    return next(side for side in count(1) if FAMILIES[backbone](stem, side) >= LEAST)


def few_positions(found: Sequence[int], backbone: str, size: Sequence[int]) -> str:
    """A warning where the last block sees fewer than 3×3 positions, with what would leave it more; else nothing."""
    if min(found) >= LEAST:
        return ""
    left = {one: positions(backbone, one, size) or (0,) for one in STEMS}
    better = next((one for one in STEMS if min(left[one]) >= LEAST), None)
    advice = f'stem = "{better}" would leave {_times(left[better])}' if better else "larger images would leave more"
    last = "last convolution" if _family(backbone) is None else "last block"
    return (
        f"at {_times(size)} pixels the {last} sees {_times(found)} positions, fewer than {LEAST}×{LEAST}: little "
        f"is left of where things are; {advice}"
    )


def stem_text(network: Mapping[str, Any], asked: str | None) -> str:
    """How a network begins, in a few words, from its description; ``asked``: the recipe's word, if it is one for all.

    >>> net = {"stem": "medium", "input_size": [64, 64], "positions": [4, 4], "weights": "from scratch"}
    >>> stem_text(net, "auto")
    'medium stem, chosen for 64×64 pixels: the last block sees 4×4 positions'
    >>> stem_text(net, "medium"), stem_text({"stem": "its own"}, "auto"), stem_text({"backbone": "an encoder"}, "auto")
    ('medium stem: the last block sees 4×4 positions', 'its own stem', '')
    """
    stem, size = network.get("stem"), network.get("input_size")
    if stem is None:
        return ""
    scratch = network.get("weights", SCRATCH) == SCRATCH
    by_rule = asked == AUTO and scratch and stem in STEMS and size
    chosen = f", chosen for {_times(size)} pixels" if by_rule else ""
    seen = network.get("positions") or _told(network)
    last = "last block" if stem in STEMS else "last convolution"
    sees = f": the {last} sees {_times(seen)} positions" if seen else ""
    return f"{stem} stem{chosen}{sees}"


def _told(network: Mapping[str, Any]) -> Sequence[int]:
    """The last block's positions by the maps of a description from before they were told by themselves."""
    last = (network.get("maps") or {}).get((network.get("layers") or [""])[-1]) or ()
    return last[1:] if network.get("stem") in STEMS and len(last) == 3 else ()


def _times(size: Sequence[int] | None) -> str:
    return "×".join(map(str, size or ()))


def _family(backbone: str) -> Callable[[str, int], int] | None:
    """With or without timm's weight tag (``resnet18.tv_in1k``), which only timm's own widths have."""
    base, _, tag = backbone.partition(".")
    return None if tag and "-w" in base else FAMILIES.get(base)
