"""The lecture's table of distortions (seed 004, after Geirhos et al. 2018, Fig. 4): accuracy in per cent of human
observers and of ResNet-50 trained on 16 classes of ImageNet, by what was trained on and what was asked.

A1 to A9 are trained on one condition, B1 to B9 on one and on uniform noise (so B9 on uniform noise alone, twice as
long: 200 epochs instead of 100, as all B and C), C1 on all but uniform noise, C2 on all but salt-and-pepper noise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

HUMAN = "human observers"
ONE, PLUS, ALL_BUT = "one", "one plus uniform-noise", "all but one"
SOURCE = (
    "the lecture's table after Geirhos et al. 2018, Fig. 4 (human observers saw an image for 200 ms; ResNet-50 on 16 "
    "classes of ImageNet photographs, chance .0625; what is rendered here shows other pictures)"
)
CONDITIONS = (
    "colour", "grey", "contrast", "low-pass", "high-pass", "phase-noise", "rotation", "salt-and-pepper",
    "uniform-noise",
)  # fmt: skip
# Other forms of a condition, by the name they have on a page: what is published of it stands beside them, too.
FORMS = {"phase-noise-released": "phase-noise"}
LEVEL = "geirhos-"  # how levels of the world begin
# asked: human, A1 … A9, B1 … B9, C1, C2
TABLE = """
colour          88.5 96.7 90.6 50.0 83.1 86.1 84.2 90.8 10.4 8.1 97.9 95.4 72.3 93.0 91.1 92.4 94.9 10.2 11.2 95.5 95.9
grey            86.6 87.8 95.6 94.1 86.2 93.2 87.8 90.5 10.3 9.8 94.0 96.8 96.2 93.3 95.7 94.3 90.9 11.4 12.8 94.8 95.1
contrast        47.6 13.1 14.2 89.4 19.6 39.8 17.1 10.2 28.6 29.0 46.3 51.7 95.1 50.5 79.1 59.4 45.2 34.6 37.9 90.9 88.2
low-pass        48.5 18.9 16.1 16.4 78.4 11.9 16.0 9.8 6.9 6.6 16.0 18.6 14.4 87.2 20.5 13.8 13.5 7.1 9.3 74.7 74.9
high-pass       49.8 21.1 24.7 29.9 11.7 92.6 27.7 8.3 10.4 20.6 25.1 22.8 29.2 25.0 94.3 27.5 28.3 18.9 19.8 91.4 90.7
phase-noise     57.4 23.3 28.3 31.2 27.0 46.6 81.4 24.4 7.4 8.9 30.8 31.4 30.6 31.4 43.4 87.4 24.1 7.8 7.6 82.9 82.6
rotation        78.5 36.5 43.3 39.9 31.8 40.4 37.7 89.0 8.5 8.0 38.5 41.9 40.3 35.2 40.1 40.5 89.0 8.3 8.8 80.1 80.5
salt-and-pepper NA 6.1 6.4 5.8 7.9 6.2 6.2 6.4 79.4 6.2 6.2 6.1 6.3 5.4 5.8 5.7 6.2 89.6 6.2 78.6 13.6
uniform-noise   45.6 6.2 7.3 6.9 9.0 7.3 6.2 6.0 10.2 80.3 84.6 83.3 85.0 84.6 83.7 82.5 83.8 85.4 89.8 11.0 71.5
"""


def networks() -> list[tuple[str, str, str]]:
    """Label, what it was trained on as a report names it, and its group, in the order of the table's columns."""
    last = CONDITIONS[-1]
    plus = [f"{name} + {last}" for name in CONDITIONS[:-1]] + [f"{last}, 2 visits per image"]
    found = [("", HUMAN, HUMAN)]
    found += [(f"A{place}", name, ONE) for place, name in enumerate(CONDITIONS, 1)]
    found += [(f"B{place}", name, PLUS) for place, name in enumerate(plus, 1)]
    return [*found, ("C1", f"all but {last}", ALL_BUT), ("C2", "all but salt-and-pepper", ALL_BUT)]


def lecture_table() -> dict[tuple[str, str, str], dict[str, float]]:
    """The numbers in the form of ``published.PUBLISHED``: network, what it was trained on, what was asked; group."""
    found = {}
    for line in TABLE.split("\n"):
        asked, *numbers = line.split() or [""]
        for (label, trained, group), number in zip(networks(), numbers):
            if number != "NA":
                found[label or HUMAN, trained, f"test-{LEVEL}{asked}"] = {group: round(float(number) / 100, 4)}
    return found


def in_their_form(words: str, levels: Sequence[str]) -> str:
    """A published name, of what was trained on or asked, as a study with these levels names it: the numbers are of
    phase noise as released, so they stand beside that form wherever it is asked.

    >>> in_their_form("phase-noise + uniform-noise", ["geirhos-grey", "geirhos-phase-noise-released"])
    'phase-noise-released + uniform-noise'
    >>> in_their_form("test-geirhos-phase-noise", ["geirhos-phase-noise"])
    'test-geirhos-phase-noise'
    """
    for form, of in FORMS.items():
        if f"{LEVEL}{form}" in levels:
            words = re.sub(rf"\b{of}$|\b{of}(?= )", form, words)
    return words


def told_of_form(levels: Sequence[str]) -> str:
    """What a page says about the phase noise beside which the numbers stand; nothing where there is none."""
    if f"{LEVEL}phase-noise-released" in levels:
        return "; phase noise is that of their released code"
    if f"{LEVEL}phase-noise" in levels:
        return (
            "; phase noise here is harsher than that of their released code, which pairs frequencies otherwise: "
            "level geirhos-phase-noise-released is theirs"
        )
    return ""
