"""A network and rows become weights: one loop, data on the device, several trials packed into one process."""

from unseen.training.learner import Learner
from unseen.training.loop import Trained, reproducible, train
from unseen.training.narrow_strides import avoid_narrow_strides
from unseen.training.visits import Pictures, pictures

__all__ = ["Learner", "Pictures", "Trained", "avoid_narrow_strides", "pictures", "reproducible", "train"]
