"""What rolls, by name: the door to the modules that build it. (Cars have a package of their own.)"""

from unseen.worlds.shapes.cycles import bicycle
from unseen.worlds.shapes.rail import locomotive
from unseen.worlds.shapes.road import bus, truck

__all__ = ["bicycle", "bus", "locomotive", "truck"]
