"""What is known of a network: by what objective, in what architecture, from how much and from what it learned.

Of models that people bring it is read from words in names, ours: it serves the paper's and those called alike, and says
nothing of others. Of encoders that a study pretrains it is what the recipe says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unseen.vocabulary.protocol_names import NO_PRETRAINING

OBJECTIVES = {
    "mae": "reconstruction", "simclr": "contrastive", "clip": "contrastive", "ibot": "self-distillation",
    "dino": "self-distillation", "beit": "reconstruction",
}  # fmt: skip
SELF_SUPERVISED = ("mae", "simclr", "ibot", "dino", "beit")  # clip learns from captions
ARCHITECTURES = {"mixer": "mixer", "vit": "vit", "resnet": "resnet", "efficientnet": "efficientnet"}
BY_DEFAULT = {"simclr": "resnet", "mae": "vit", "ibot": "vit", "dino": "vit", "clip": "vit", "beit": "vit"}
SUPERVISED = "labels"
WORLD = "pretraining.world."
COUNTS = {"pose": "pose", "position": "position", "size": "size", "light": "light", "elevation": "elevation",
          "background": "backgrounds"}  # the argument that makes a circumstance a factor of the world  # fmt: skip
VARYING = tuple(WORLD + name for name in ("drawn", *COUNTS.values()))
AMOUNTS = (f"{WORLD}instances", "pretraining.images")


@dataclass(frozen=True)
class NetworkTraits:
    """``objective``, ``architecture`` and ``data`` ("more", "less"); "" where a name does not say it.
    ``apart_from_data`` is the name without the words for how much data there was. ``varied``: what varied among the
    pictures it learned from, where the study made them; ``apart_from_varied`` is the name without the words for it."""

    objective: str
    architecture: str
    data: str
    labelled: bool | None
    apart_from_data: str
    varied: frozenset[str] | None = None
    apart_from_varied: str = ""


def traits_of(name: str) -> NetworkTraits:
    """
    >>> traits_of("ViT-21k").data, traits_of("MLPMixer1k").architecture
    ('more', 'mixer')
    >>> traits_of("iBot-1k").objective, traits_of("CLIP").labelled
    ('self-distillation', None)
    >>> {traits_of(f"vit_base_patch16_224.augreg_in{size}k").apart_from_data for size in (1, 21)}
    {'vit_base_patch16_224.augreg_in'}
    """
    low = name.lower()
    word = next((word for word in OBJECTIVES if word in low), "")
    architecture = next((kind for part, kind in ARCHITECTURES.items() if part in low), BY_DEFAULT.get(word, ""))
    size = re.search(r"(?<!\d)(21|22|1)k", low)
    more = "" if size is None else "less" if size[1] == "1" else "more"
    objective = OBJECTIVES.get(word, SUPERVISED if architecture else "")
    labelled = None if not objective or word == "clip" else word not in SELF_SUPERVISED
    return NetworkTraits(objective, architecture, more, labelled, re.sub(r"(?<!\d)(21|22|1)k", "", low))


def encoder_traits(
    description: Mapping[str, Any], words: Mapping[str, str], amounts: Sequence[int]
) -> NetworkTraits | None:
    """Of the encoder that a trial, as it is described, starts from; None where it pretrains none. ``words``: what the
    network is called, by key of the grid; ``amounts``: how many objects of a class the study's encoders learn from.

    >>> world = {"arguments": {"instances": 10, "size": 5, "drawn": ["light"]}}
    >>> said = {"world": world, "network": {"backbone": "vit-tiny-p8"}, "pretraining": {"objective": "mae"}}
    >>> found = encoder_traits({"pretraining": said}, {"pretraining.objective": "mae", "seed": "b"}, [10, 300])
    >>> found.objective, found.architecture, found.data, found.labelled, sorted(found.varied)
    ('mae', 'vit', 'less', False, ['light', 'size'])
    """
    encoder = description.get("pretraining", {})
    objective = encoder.get("pretraining", {}).get("objective", NO_PRETRAINING)
    if objective == NO_PRETRAINING or "world" not in encoder:
        return None
    backbone, given = encoder.get("network", {}).get("backbone", "resnet18"), encoder["world"].get("arguments", {})
    architecture = next((kind for part, kind in ARCHITECTURES.items() if part in backbone), backbone)
    amount, ends = amount_of(description), sorted(set(amounts))
    data = "" if amount is None or len(ends) != 2 else ("less", "more")[ends.index(amount)]
    counted = {name for name, key in COUNTS.items() if given.get(key, 0) not in (0, 1)}
    labelled = {"supervised": True, "clip": None}.get(objective, False)
    apart = (" ".join(word for key, word in words.items() if key not in keys) for keys in (AMOUNTS, VARYING))
    from_data, from_varied = apart
    # backgrounds that are drawn at random are no factor of the world, and vary all the same
    varied = frozenset(counted | set(given.get("drawn", ())))
    return NetworkTraits(
        SUPERVISED if objective == "supervised" else objective,
        architecture,
        data,
        labelled,
        from_data,
        varied,
        from_varied,
    )


def amount_of(description: Mapping[str, Any]) -> int | None:
    """How many objects of a class the encoder of a trial learns from."""
    return description.get("pretraining", {}).get("world", {}).get("arguments", {}).get("instances")
