"""The build of a four-legged animal: lengths in heights of its shoulder, drawn for a breed, and the names of its parts."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from unseen.worlds.everyday.turned import Rng


@dataclass(frozen=True)
class Build:
    """All lengths in shoulder heights. A new animal is a new row of numbers."""

    length: float = 1.05  # chest to rump
    depth: float = 0.44  # of the chest
    wide: float = 0.72  # width over depth of the chest
    tuck: float = 0.8  # depth of the loin over that of the chest
    hump: float = 0.0  # withers above the back
    croup: float = 0.0  # rump above the back
    neck: float = 0.4
    neck_angle: float = 45.0  # degrees above level
    neck_base: float = 0.62  # its depth over that of the chest
    neck_top: float = 0.3
    head: float = 0.38  # length
    head_deep: float = 0.45  # over its length
    head_wide: float = 0.42
    muzzle: float = 0.5  # its length over the head's
    muzzle_deep: float = 0.5  # over the head's depth
    pitch: float = 25.0  # degrees below level that the head looks
    ear: str = "point"  # point, drop, round, side, long, fan
    ear_size: float = 0.3  # over the head's length
    tail: str = "bushy"  # bushy, thin, tuft, skirt, curl, short, brush
    tail_long: float = 0.5
    leg: float = 0.1  # thickness of a forearm
    bend: float = 1.0  # how much the hind leg is angled
    foot: str = "paw"  # paw, hoof, pillar
    horns: str = ""  # ox, ram
    mane: float = 0.0
    wool: float = 0.0
    snout: str = ""  # pig, trunk
    eye: float = 0.05  # over the head's length
    tile: int = 1  # of the coat: 0 skin, 1 short hair, 2 long hair


def drawn(rng: Rng, mean: Build, loose: float = 0.1) -> Build:
    """An animal of this build: fat or thin, long or short, with all its parts following, then each a little by itself."""
    fat, tall, young = rng.normal(0, loose, 3)
    together = {
        "depth": fat, "wide": 0.6 * fat, "leg": 0.6 * fat - 0.5 * tall, "neck_base": 0.5 * fat, "tuck": 0.4 * fat,
        "length": -0.7 * tall, "neck": 0.7 * tall - young, "head": -0.4 * tall + 0.8 * young, "muzzle": -0.8 * young,
        "neck_top": 0.4 * fat, "ear_size": 0.3 * young, "head_wide": 0.4 * fat,
    }  # fmt: skip
    new = {}
    for field in fields(mean):
        value = getattr(mean, field.name)
        if isinstance(value, float):
            if field.name in ("neck_angle", "pitch"):
                new[field.name] = value + rng.normal(0, 9)
            elif field.name in ("hump", "croup", "mane", "wool"):
                new[field.name] = value
            else:
                new[field.name] = value * float(np.exp(together.get(field.name, 0.0) + rng.normal(0, 0.5 * loose)))
    new["tuck"] = float(np.clip(new["tuck"], 0.5, 1.12))
    return replace(mean, **new)


HORSE = Build(
    1.0,
    0.47,
    0.66,
    0.92,
    0.02,
    0.0,
    0.42,
    42,
    0.74,
    0.24,
    0.42,
    0.46,
    0.36,
    0.55,
    0.62,
    42,
    "point",
    0.26,
    "skirt",
    0.62,
    0.09,
    0.7,
    "hoof",
    mane=1.0,
)
COW = Build(
    1.2,
    0.58,
    0.74,
    1.04,
    0.0,
    0.02,
    0.34,
    12,
    0.62,
    0.34,
    0.42,
    0.52,
    0.46,
    0.42,
    0.68,
    38,
    "side",
    0.4,
    "tuft",
    0.6,
    0.085,
    0.6,
    "hoof",
    "ox",
)
SHEEP = Build(
    1.15,
    0.6,
    0.8,
    1.02,
    0.0,
    0.0,
    0.3,
    38,
    0.66,
    0.4,
    0.36,
    0.52,
    0.44,
    0.45,
    0.62,
    35,
    "side",
    0.4,
    "short",
    0.2,
    0.065,
    0.6,
    "hoof",
    wool=1.0,
    tile=2,
)
PIG = Build(
    1.6,
    0.68,
    0.84,
    1.0,
    0.0,
    0.0,
    0.1,
    4,
    0.85,
    0.6,
    0.56,
    0.66,
    0.6,
    0.42,
    0.52,
    22,
    "flop",
    0.42,
    "curl",
    0.3,
    0.1,
    0.6,
    "hoof",
    snout="pig",
    tile=0,
)
ELEPHANT = Build(
    1.0,
    0.6,
    0.8,
    0.98,
    0.0,
    0.0,
    0.14,
    25,
    0.62,
    0.45,
    0.42,
    0.85,
    0.72,
    0.3,
    0.62,
    48,
    "fan",
    0.95,
    "tuft",
    0.5,
    0.14,
    0.15,
    "pillar",
    snout="trunk",
    tile=0,
    eye=0.035,
)
BEAR = Build(
    1.3,
    0.6,
    0.84,
    0.98,
    0.06,
    0.0,
    0.18,
    12,
    0.72,
    0.42,
    0.44,
    0.74,
    0.7,
    0.4,
    0.5,
    10,
    "round",
    0.26,
    "short",
    0.1,
    0.15,
    0.5,
    "paw",
    tile=2,
    eye=0.035,
)
WOLF = Build(
    1.1,
    0.48,
    0.78,
    0.8,
    0.0,
    0.0,
    0.28,
    30,
    0.8,
    0.5,
    0.42,
    0.58,
    0.58,
    0.5,
    0.46,
    10,
    "point",
    0.3,
    "bushy",
    0.55,
    0.075,
    1.0,
    "paw",
    tile=2,
)
FOX = Build(
    1.3,
    0.44,
    0.76,
    0.8,
    0.0,
    0.0,
    0.26,
    30,
    0.72,
    0.46,
    0.42,
    0.54,
    0.56,
    0.5,
    0.36,
    12,
    "point",
    0.42,
    "brush",
    0.9,
    0.065,
    1.0,
    "paw",
    tile=2,
)
CAT = Build(
    1.4,
    0.54,
    0.76,
    0.94,
    0.0,
    0.0,
    0.08,
    32,
    0.66,
    0.5,
    0.36,
    1.0,
    1.08,
    0.22,
    0.34,
    4,
    "point",
    0.4,
    "thin",
    1.0,
    0.085,
    1.0,
    "paw",
    eye=0.1,
)
DOGS: dict[str, Build] = {
    "hound": Build(1.08, 0.47, 0.7, 0.76, 0.0, 0.0, 0.34, 42, 0.64, 0.4, 0.42, 0.54, 0.5, 0.52, 0.56, 14, "drop", 0.42, "thin", 0.55, 0.08),
    "shepherd": Build(1.12, 0.48, 0.74, 0.78, 0.0, -0.03, 0.32, 40, 0.74, 0.46, 0.42, 0.54, 0.54, 0.52, 0.5, 12, "point", 0.34, "bushy", 0.6, 0.08, 1.1, tile=2),
    "retriever": Build(1.1, 0.5, 0.76, 0.86, 0.0, 0.0, 0.32, 38, 0.74, 0.48, 0.42, 0.6, 0.58, 0.46, 0.6, 12, "drop", 0.36, "bushy", 0.6, 0.09, 0.9, tile=2),
    "greyhound": Build(1.05, 0.44, 0.6, 0.56, 0.0, 0.0, 0.42, 50, 0.52, 0.3, 0.42, 0.42, 0.38, 0.56, 0.45, 14, "drop", 0.26, "thin", 0.7, 0.06, 1.2),
    "dachshund": Build(2.0, 0.66, 0.76, 0.88, 0.0, 0.0, 0.42, 42, 0.62, 0.44, 0.66, 0.46, 0.44, 0.55, 0.5, 12, "drop", 0.42, "thin", 0.7, 0.13, 0.7),
    "bulldog": Build(1.2, 0.58, 0.95, 0.8, 0.0, 0.0, 0.14, 32, 0.75, 0.62, 0.44, 0.86, 0.86, 0.24, 0.74, 5, "drop", 0.26, "short", 0.12, 0.13, 0.8),
    "terrier": Build(1.1, 0.5, 0.74, 0.9, 0.0, 0.0, 0.32, 46, 0.64, 0.46, 0.46, 0.58, 0.54, 0.46, 0.64, 10, "point", 0.28, "short", 0.3, 0.09, 0.8, tile=2),
    "spitz": Build(1.05, 0.58, 0.85, 0.94, 0.0, 0.0, 0.24, 42, 0.9, 0.66, 0.42, 0.74, 0.76, 0.4, 0.42, 8, "point", 0.3, "curlbush", 0.6, 0.085, 0.8, tile=2),
    "mastiff": Build(1.12, 0.53, 0.78, 0.84, 0.0, 0.0, 0.3, 38, 0.76, 0.54, 0.44, 0.68, 0.66, 0.36, 0.7, 14, "drop", 0.34, "thin", 0.6, 0.11, 0.8),
}  # fmt: skip
