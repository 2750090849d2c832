"""Weights and rows become tables: answers, activity per cell, what ablating units changes, and units' invariance.
Torch ends here."""

from unseen.recordings.ablation import Ablation, inactive, respond_ablated, threshold_curves
from unseen.recordings.activity import ACTIVITY, activity_per_cell
from unseen.recordings.invariance import unit_invariance
from unseen.recordings.pairs import Pairs
from unseen.recordings.responses import respond

__all__ = [
    "ACTIVITY",
    "Ablation",
    "Pairs",
    "activity_per_cell",
    "inactive",
    "respond",
    "respond_ablated",
    "threshold_curves",
    "unit_invariance",
]
