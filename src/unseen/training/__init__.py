"""A network and rows become weights: one loop, data on the device, several trials packed into one process."""

from unseen.training.learner import Learner, laid_out
from unseen.training.loop import Trained, reproducible, train
from unseen.training.visits import LabelledData, labelled_data

__all__ = ["LabelledData", "Learner", "Trained", "labelled_data", "laid_out", "reproducible", "train"]
