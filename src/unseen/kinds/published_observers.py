"""Accuracy of human observers at every level of the twelve data sets of model-vs-human that are made by a formula.

Counted here from the trials released with Geirhos et al. 2021 (bethgelab/model-vs-human, raw-data/ at 93ee6766): a
trial without an answer counts as wrong. Columns: data set, condition as released, mean over observers in per cent, the
lowest and the highest observer, observers, trials.
"""

from __future__ import annotations

from dataclasses import dataclass

from unseen.kinds.published_distortions import HUMAN
from unseen.worlds.transforms.published_levels import DATA_SETS

OBSERVERS = "geirhos2021/observers"  # the name that a recipe gives
SOURCE = (
    "human observers, counted from the released trials of model-vs-human (Geirhos et al. 2018, 2021: photographs of 16 "
    "classes shown for 200 ms, chance .0625; mean over 4 to 10 observers; what is rendered here shows other pictures)"
)
TABLE = """
colour cr 90.9 89.8 92.5 4 2560
colour bw 88.7 87.0 91.4 4 2560
contrast c100 85.6 82.5 89.4 4 640
contrast c50 82.7 80.6 87.5 4 640
contrast c30 79.5 75.0 88.1 4 640
contrast c15 73.4 69.4 80.0 4 640
contrast c10 59.5 52.5 68.1 4 640
contrast c05 35.3 27.5 46.9 4 640
contrast c03 15.0 10.0 18.8 4 640
contrast c01 6.2 5.0 7.5 4 640
high-pass inf 88.3 80.0 92.5 4 640
high-pass 3 80.8 71.9 86.9 4 640
high-pass 1.5 73.9 65.6 79.4 4 640
high-pass 1 61.6 48.1 70.6 4 640
high-pass 0.7 35.3 19.4 41.9 4 640
high-pass 0.55 17.8 12.5 23.1 4 640
high-pass 0.45 7.3 5.0 10.0 4 640
high-pass 0.4 6.4 5.6 7.5 4 640
low-pass 0 92.0 90.0 93.8 4 640
low-pass 1 91.4 89.4 93.1 4 640
low-pass 3 79.5 76.2 82.5 4 640
low-pass 5 63.0 60.6 65.0 4 640
low-pass 7 58.8 56.2 62.5 4 640
low-pass 10 38.0 33.8 43.8 4 640
low-pass 15 20.0 15.0 26.2 4 640
low-pass 40 6.1 5.0 8.1 4 640
phase-scrambling 0 89.8 89.4 90.6 4 640
phase-scrambling 30 88.0 86.2 89.4 4 640
phase-scrambling 60 79.5 76.9 81.2 4 640
phase-scrambling 90 68.6 64.4 70.6 4 640
phase-scrambling 120 39.1 37.5 40.6 4 640
phase-scrambling 150 10.6 5.6 15.0 4 640
phase-scrambling 180 10.2 8.1 14.4 4 640
power-equalisation 0 90.0 89.6 90.7 4 2240
power-equalisation pow 75.9 71.2 79.3 4 2240
false-colour true 90.3 88.4 91.2 4 2240
false-colour false 87.4 81.6 91.1 4 2240
rotation 0 89.1 87.5 90.9 4 1280
rotation 90 84.1 81.6 88.1 4 1280
rotation 180 80.2 78.4 81.6 4 1280
rotation 270 84.6 82.2 87.8 4 1280
eidolonI 1-10-10 79.2 67.5 88.1 4 640
eidolonI 2-10-10 87.3 79.4 95.6 4 640
eidolonI 4-10-10 81.2 73.8 88.8 4 640
eidolonI 8-10-10 69.2 61.3 80.6 4 640
eidolonI 16-10-10 43.8 33.8 48.1 4 640
eidolonI 32-10-10 22.2 18.8 28.7 4 640
eidolonI 64-10-10 12.2 8.8 14.4 4 640
eidolonI 128-10-10 7.5 6.2 9.4 4 640
eidolonII 1-3-10 81.4 77.5 86.2 4 640
eidolonII 2-3-10 77.5 73.1 80.0 4 640
eidolonII 4-3-10 76.6 68.8 82.5 4 640
eidolonII 8-3-10 56.1 51.2 59.4 4 640
eidolonII 16-3-10 23.0 18.8 27.5 4 640
eidolonII 32-3-10 8.0 5.0 10.0 4 640
eidolonII 64-3-10 7.0 4.4 8.1 4 640
eidolonII 128-3-10 6.7 5.6 7.5 4 640
eidolonIII 1-0-10 81.9 75.0 87.5 4 640
eidolonIII 2-0-10 80.0 74.4 83.1 4 640
eidolonIII 4-0-10 71.1 59.4 79.4 4 640
eidolonIII 8-0-10 40.6 27.5 46.9 4 640
eidolonIII 16-0-10 15.2 9.4 19.4 4 640
eidolonIII 32-0-10 10.5 5.6 13.1 4 640
eidolonIII 64-0-10 7.0 6.2 8.1 4 640
eidolonIII 128-0-10 5.8 3.8 8.8 4 640
uniform-noise 0.00 79.7 78.1 82.5 4 640
uniform-noise 0.03 83.4 81.9 85.0 4 640
uniform-noise 0.05 76.4 72.5 80.0 4 640
uniform-noise 0.10 77.0 71.9 81.2 4 640
uniform-noise 0.20 64.7 61.9 68.8 4 640
uniform-noise 0.35 39.8 35.6 43.8 4 640
uniform-noise 0.60 14.8 11.9 18.1 4 640
uniform-noise 0.90 7.0 2.5 10.6 4 640
"""


@dataclass(frozen=True)
class Observed:
    """Observers at one level: shares correct, and how many observers and trials there were."""

    mean: float
    low: float
    high: float
    observers: int
    trials: int


def observed() -> dict[str, Observed]:
    """By level. Plain pictures (colour, grey) are in several data sets; the first that has them counts, "colour"."""
    found: dict[str, Observed] = {}
    for line in TABLE.strip().split("\n"):
        data_set, condition, mean, low, high, observers, trials = line.split()
        level = DATA_SETS[data_set][condition]
        middle, lowest, highest = (round(float(number) / 100, 4) for number in (mean, low, high))
        found.setdefault(level, Observed(middle, lowest, highest, int(observers), int(trials)))
    return found


def observer_table() -> dict[tuple[str, str, str], dict[str, float]]:
    """The means in the form of ``published.PUBLISHED``."""
    return {(HUMAN, HUMAN, f"test-{level}"): {HUMAN: one.mean} for level, one in observed().items()}
