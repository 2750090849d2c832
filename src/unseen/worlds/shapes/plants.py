"""Plants by name: the door to the modules that build them."""

from unseen.worlds.shapes.potted import cactus, flower
from unseen.worlds.shapes.trees import tree

__all__ = ["cactus", "flower", "tree"]
