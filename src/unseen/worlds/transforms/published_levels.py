"""Levels at which people were asked: the data sets of model-vs-human (Geirhos et al. 2021, NeurIPS 34) that are made
from photographs by a formula. The released trials name each condition by the word on the left.

The five others are pictures of another origin and have no such formula: sketch (drawn by people), stylized (style
transfer), edge, silhouette and cue-conflict.
"""

from __future__ import annotations

from collections.abc import Sequence


def _levels(name: str, labels: Sequence[str], *, plain: str = "", suffix: str = "") -> dict[str, str]:
    """Conditions whose word is a strength; the one called ``plain`` shows the grey picture."""
    return {
        f"{label}{suffix}": "geirhos-grey" if label == plain else f"geirhos-{name}@{float(label):g}" for label in labels
    }


REACHES = ("1", "2", "4", "8", "16", "32", "64", "128")
DATA_SETS: dict[str, dict[str, str]] = {
    "colour": {"cr": "geirhos-colour", "bw": "geirhos-grey"},
    "contrast": {
        f"c{percent:02d}": "geirhos-grey" if percent == 100 else f"geirhos-contrast@{percent / 100:g}"
        for percent in (100, 50, 30, 15, 10, 5, 3, 1)
    },
    "high-pass": _levels("high-pass", ("inf", "3", "1.5", "1", "0.7", "0.55", "0.45", "0.4"), plain="inf"),
    "low-pass": _levels("low-pass", ("0", "1", "3", "5", "7", "10", "15", "40"), plain="0"),
    "phase-scrambling": _levels(
        "phase-noise-released", ("0", "30", "60", "90", "120", "150", "180"), plain="0"
    ),
    "power-equalisation": {"0": "geirhos-grey", "pow": "geirhos-power-equalisation"},
    "false-colour": {"true": "geirhos-colour", "false": "geirhos-opponent-colour"},
    "rotation": _levels("rotation", ("0", "90", "180", "270"), plain="0"),
    "eidolonI": _levels("eidolon-1", REACHES, suffix="-10-10"),
    "eidolonII": _levels("eidolon-2", REACHES, suffix="-3-10"),
    "eidolonIII": _levels("eidolon-3", REACHES, suffix="-0-10"),
    "uniform-noise": _levels("uniform-noise", ("0.00", "0.03", "0.05", "0.10", "0.20", "0.35", "0.60", "0.90")),
}  # fmt: skip
