"""What is known of a network by its name: by what objective, in what architecture, and from how much it learned.

Read from words in names, ours: it serves the paper's models and those called alike, and says nothing of others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

OBJECTIVES = {
    "mae": "reconstruction", "simclr": "contrastive", "clip": "contrastive", "ibot": "self-distillation",
    "dino": "self-distillation", "beit": "reconstruction",
}  # fmt: skip
SELF_SUPERVISED = ("mae", "simclr", "ibot", "dino", "beit")  # clip learns from captions
ARCHITECTURES = {"mixer": "mixer", "vit": "vit", "resnet": "resnet", "efficientnet": "efficientnet"}
BY_DEFAULT = {"simclr": "resnet", "mae": "vit", "ibot": "vit", "dino": "vit", "clip": "vit", "beit": "vit"}
SUPERVISED = "labels"


@dataclass(frozen=True)
class NetworkTraits:
    """``objective``, ``architecture`` and ``data`` ("more", "less"); "" where a name does not say it.
    ``apart_from_data`` is the name without the words for how much data there was."""

    objective: str
    architecture: str
    data: str
    labelled: bool | None
    apart_from_data: str


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
