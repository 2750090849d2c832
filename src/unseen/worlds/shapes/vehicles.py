"""Vehicles by name: the door to the modules that build them. (Cars have a package of their own.)"""

from unseen.worlds.shapes.aircraft import aeroplane, helicopter
from unseen.worlds.shapes.boats import boat
from unseen.worlds.shapes.land import bicycle, bus, locomotive, truck

__all__ = ["aeroplane", "bicycle", "boat", "bus", "helicopter", "locomotive", "truck"]
