"""Models that people bring: by a name, a folder, a file, or as a function, each with its preprocessing and labels."""

from unseen.models.given.bring import bring
from unseen.models.given.model import SOURCES, GivenModel
from unseen.models.given.preprocessing import Preprocessing

__all__ = ["SOURCES", "GivenModel", "Preprocessing", "bring"]
