"""What whole networks are pretrained by: SimCLR, MAE, DINO, CLIP, and labels.

A *pretext* is a module that holds the encoder and what it takes beside it (a projection, a decoder, a teacher, a text
transformer), and gives a loss per example. Nothing in it waits for the device or changes shapes, so that a step can be
captured as a CUDA graph. Draws are keyed by (seed, row, visit): packed is what it is alone.
"""

from unseen.training.pretexts.table import NONE, PRETEXTS, PretextRow, check_options, pretext_row
from unseen.training.pretexts.task import Pretext, PretextBatch, in_full

__all__ = ["NONE", "PRETEXTS", "Pretext", "PretextBatch", "PretextRow", "check_options", "in_full", "pretext_row"]
