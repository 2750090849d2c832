"""The build of a four-legged animal: lengths in heights of its shoulder, drawn for a breed."""

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
    """An animal of this build: fat or thin, long or short, all its parts following, then each a little by itself."""
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
    length=1.0, depth=0.47, wide=0.66, tuck=0.92, hump=0.02, neck=0.42, neck_angle=42, neck_base=0.74,
    neck_top=0.24, head=0.42, head_deep=0.46, head_wide=0.36, muzzle=0.55, muzzle_deep=0.62, pitch=42,
    ear_size=0.26, tail="skirt", tail_long=0.62, leg=0.09, bend=0.7, foot="hoof", mane=1.0,
)  # fmt: skip
COW = Build(
    length=1.2, depth=0.58, wide=0.74, tuck=1.04, croup=0.02, neck=0.34, neck_angle=12, neck_top=0.34, head=0.42,
    head_deep=0.52, head_wide=0.46, muzzle=0.42, muzzle_deep=0.68, pitch=38, ear="side", ear_size=0.4, tail="tuft",
    tail_long=0.6, leg=0.085, bend=0.6, foot="hoof", horns="ox",
)  # fmt: skip
SHEEP = Build(
    length=1.15, depth=0.6, wide=0.8, tuck=1.02, neck=0.3, neck_angle=38, neck_base=0.66, neck_top=0.4, head=0.36,
    head_deep=0.52, head_wide=0.44, muzzle=0.45, muzzle_deep=0.62, pitch=35, ear="side", ear_size=0.4, tail="short",
    tail_long=0.2, leg=0.065, bend=0.6, foot="hoof", wool=1.0, tile=2,
)  # fmt: skip
PIG = Build(
    length=1.6, depth=0.68, wide=0.84, tuck=1.0, neck=0.1, neck_angle=4, neck_base=0.85, neck_top=0.6, head=0.56,
    head_deep=0.66, head_wide=0.6, muzzle=0.5, muzzle_deep=0.6, pitch=22, ear="flop", ear_size=0.52, tail="curl",
    tail_long=0.3, leg=0.085, bend=0.6, foot="hoof", snout="pig", tile=0,
)  # fmt: skip
ELEPHANT = Build(
    length=1.0, depth=0.6, wide=0.8, tuck=0.98, neck=0.14, neck_angle=25, neck_top=0.45, head=0.42, head_deep=0.85,
    head_wide=0.72, muzzle=0.3, muzzle_deep=0.62, pitch=48, ear="fan", ear_size=0.95, tail="tuft", leg=0.14,
    bend=0.15, foot="pillar", snout="trunk", eye=0.035, tile=0,
)  # fmt: skip
BEAR = Build(
    length=1.25, depth=0.62, wide=0.88, tuck=0.98, hump=0.08, neck=0.16, neck_angle=6, neck_base=0.8, neck_top=0.56,
    head=0.5, head_deep=0.74, head_wide=0.8, muzzle=0.36, muzzle_deep=0.46, pitch=12, ear="round", ear_size=0.3,
    tail="short", tail_long=0.1, leg=0.16, bend=0.5, wool=0.5, eye=0.035, tile=2,
)  # fmt: skip
WOLF = Build(
    length=1.1, depth=0.48, wide=0.78, neck=0.28, neck_angle=30, neck_base=0.8, neck_top=0.5, head=0.42,
    head_deep=0.58, head_wide=0.58, muzzle_deep=0.46, pitch=10, tail_long=0.55, leg=0.075, tile=2,
)  # fmt: skip
FOX = Build(
    length=1.3, wide=0.76, neck=0.26, neck_angle=30, neck_base=0.72, neck_top=0.46, head=0.42, head_deep=0.54,
    head_wide=0.56, muzzle_deep=0.36, pitch=12, ear_size=0.42, tail="brush", tail_long=0.9, leg=0.065, tile=2,
)  # fmt: skip
CAT = Build(
    length=1.4, depth=0.54, wide=0.76, tuck=0.94, neck=0.08, neck_angle=32, neck_base=0.66, neck_top=0.5, head=0.36,
    head_deep=1.0, head_wide=1.08, muzzle=0.22, muzzle_deep=0.34, pitch=4, ear_size=0.55, tail="thin", tail_long=1.0,
    leg=0.085, eye=0.1,
)  # fmt: skip
DOGS: dict[str, Build] = {
    "hound": Build(
        length=1.08, depth=0.47, wide=0.7, tuck=0.76, neck=0.34, neck_angle=42, neck_base=0.64, neck_top=0.4,
        head=0.42, head_deep=0.54, head_wide=0.5, muzzle=0.52, muzzle_deep=0.56, pitch=14, ear="drop",
        ear_size=0.42, tail="thin", tail_long=0.55, leg=0.08,
    ),
    "shepherd": Build(
        length=1.12, depth=0.48, wide=0.74, tuck=0.78, croup=-0.03, neck=0.32, neck_angle=40, neck_base=0.74,
        neck_top=0.46, head=0.42, head_deep=0.54, head_wide=0.54, muzzle=0.52, pitch=12, ear_size=0.34,
        tail_long=0.6, leg=0.08, bend=1.1, tile=2,
    ),
    "retriever": Build(
        length=1.1, depth=0.5, wide=0.76, tuck=0.86, neck=0.32, neck_angle=38, neck_base=0.74, neck_top=0.48,
        head=0.42, head_deep=0.6, head_wide=0.58, muzzle=0.46, muzzle_deep=0.6, pitch=12, ear="drop", ear_size=0.36,
        tail_long=0.6, leg=0.09, bend=0.9, tile=2,
    ),
    "greyhound": Build(
        wide=0.6, tuck=0.56, neck=0.42, neck_angle=50, neck_base=0.52, head=0.42, head_deep=0.42, head_wide=0.38,
        muzzle=0.56, muzzle_deep=0.45, pitch=14, ear="drop", ear_size=0.26, tail="thin", tail_long=0.7, leg=0.06,
        bend=1.2,
    ),
    "dachshund": Build(
        length=2.0, depth=0.66, wide=0.76, tuck=0.88, neck=0.42, neck_angle=42, neck_top=0.44, head=0.66,
        head_deep=0.46, head_wide=0.44, muzzle=0.55, pitch=12, ear="drop", ear_size=0.42, tail="thin",
        tail_long=0.7, leg=0.13, bend=0.7,
    ),
    "bulldog": Build(
        length=1.2, depth=0.58, wide=0.95, neck=0.14, neck_angle=32, neck_base=0.75, neck_top=0.62, head=0.44,
        head_deep=0.86, head_wide=0.86, muzzle=0.24, muzzle_deep=0.74, pitch=5, ear="drop", ear_size=0.26,
        tail="short", tail_long=0.12, leg=0.13, bend=0.8,
    ),
    "terrier": Build(
        length=1.1, depth=0.5, wide=0.74, tuck=0.9, neck=0.32, neck_angle=46, neck_base=0.64, neck_top=0.46,
        head=0.46, head_deep=0.58, head_wide=0.54, muzzle=0.46, muzzle_deep=0.64, pitch=10, ear_size=0.28,
        tail="short", tail_long=0.3, leg=0.09, bend=0.8, tile=2,
    ),
    "spitz": Build(
        depth=0.58, wide=0.85, tuck=0.94, neck=0.24, neck_angle=42, neck_base=0.9, neck_top=0.66, head=0.42,
        head_deep=0.74, head_wide=0.76, muzzle=0.4, muzzle_deep=0.42, pitch=8, tail="curlbush", tail_long=0.6,
        leg=0.085, bend=0.8, tile=2,
    ),
    "mastiff": Build(
        length=1.12, depth=0.53, wide=0.78, tuck=0.84, neck=0.3, neck_angle=38, neck_base=0.76, neck_top=0.54,
        head=0.44, head_deep=0.68, head_wide=0.66, muzzle=0.36, muzzle_deep=0.7, pitch=14, ear="drop",
        ear_size=0.34, tail="thin", tail_long=0.6, leg=0.11, bend=0.8,
    ),
}  # fmt: skip
