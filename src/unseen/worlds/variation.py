"""How much the circumstances of an object vary, by name: a table of ranges.

``first`` is what results before the world was made harder rest on. ``natural`` is meant to be as hard as photos: an
object tumbles, is shown from a quarter of the frame to more than all of it, anywhere in the frame, in light of any
colour, by a camera near the ground, and stands on the ground of its background where there is one. Every number is
ours: seed 003 gives none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from unseen.vocabulary.errors import unknown

VERSION = 2  # raise it when a variation other than the first shows anything otherwise
FOV, DISTANCE = 30.0, 2.8  # of the camera, in degrees and in edges of an object of size 1
FRAME = 1.5005155  # height of the frame at that distance: 2 · DISTANCE · tan(FOV / 2)


@dataclass(frozen=True)
class Variation:
    """``ranges`` say from which value to which a circumstance varies; the canonical value is in the middle.

    ``tumbles``: pose turns each object about an axis of its own, drawn evenly from the sphere; else about the
    vertical. ``plane``: position shifts each object in a direction of its own; else to the left and right.
    ``framed``: sizes are shares of the frame, of its height, that an object takes in its canonical pose; else
    multiples of the canonical size. ``stands``: before a picture with a ground an object stands on it and throws a
    shadow; else it hangs before every picture. ``saturation`` is that of the lamp where its hue varies.
    ``elevation`` is that of the camera where it does not vary, in degrees.
    """

    name: str
    about: str
    ranges: Mapping[str, tuple[float, float]] = field(hash=False)
    saturation: float
    elevation: float = 20.0
    tumbles: bool = False
    plane: bool = False
    framed: bool = False
    stands: bool = False


_ROUND = {
    "pose": (-180.0, 180.0),  # degrees from the canonical three-quarter view
    "light": (-0.5, 0.5),  # hue of the lamp, in turns from the canonical warm one
    "elevation": (0.0, 50.0),  # degrees of the camera above the ground
}
FIRST = Variation(
    "first",
    "about the vertical, to the left and right, half to one and a half times the size, hanging before pictures",
    {**_ROUND, "position": (-0.45, 0.45), "size": (0.5, 1.5)},
    saturation=0.5,
)
NATURAL = Variation(
    "natural",
    "tumbling, anywhere in the frame, from a quarter of the frame to beyond it, standing on the ground of pictures",
    {**_ROUND, "position": (-0.55, 0.55), "size": (0.25, 1.25)},
    saturation=0.85, elevation=10.0, tumbles=True, plane=True, framed=True, stands=True,
)  # fmt: skip
UPRIGHT = Variation(
    "natural-upright",
    "as natural, but turning about the vertical alone",
    NATURAL.ranges,
    saturation=NATURAL.saturation, elevation=NATURAL.elevation, plane=True, framed=True, stands=True,
)  # fmt: skip

VARIATIONS: dict[str, Variation] = {one.name: one for one in (FIRST, NATURAL, UPRIGHT)}


def variation_named(name: str) -> Variation:
    if name not in VARIATIONS:
        raise unknown("variation", name, VARIATIONS, where="`variation`")
    return VARIATIONS[name]


def said_of(variation: Variation) -> dict[str, object]:
    """What a fingerprint holds of it: nothing of the first, so that worlds of before keep theirs."""
    return {} if variation == FIRST else {"variation": [variation.name, VERSION]}
