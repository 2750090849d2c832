"""Weights and rows become tables: answers, and activity per cell. Torch ends here."""

from unseen.recordings.activity import ACTIVITY, activity_per_cell
from unseen.recordings.responses import respond

__all__ = ["ACTIVITY", "activity_per_cell", "respond"]
