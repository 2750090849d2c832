"""Animals by name: the door to the modules that build them."""

from unseen.worlds.shapes.beasts import elephant, giraffe, horse
from unseen.worlds.shapes.birds import duck, flamingo, penguin
from unseen.worlds.shapes.dogs import dog
from unseen.worlds.shapes.fishes import fish

__all__ = ["dog", "duck", "elephant", "fish", "flamingo", "giraffe", "horse", "penguin"]
