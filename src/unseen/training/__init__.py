"""A network and rows become weights: one loop, data on the device, several trials packed into one process."""

from unseen.training.learner import Learner, Pictures, pictures
from unseen.training.loop import Trained, reproducible, train

__all__ = ["Learner", "Pictures", "Trained", "pictures", "reproducible", "train"]
