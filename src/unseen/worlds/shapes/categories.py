"""The categories of things made by rule: a visible table for each collection, and the one door to their instances.

A row says where its function lives; a function takes a random generator and gives one instance, its front towards +x.
Instances are without end: the generator is the stream of (seed, category, instance), so that instance 7 of the mugs is
the same whoever asks, and a new category shifts no other. ``first`` is the collection that worlds had from the start,
``everyday`` has 54 classes of several sub-types with confusable neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.plain_numbers import is_whole
from unseen.vocabulary.seeds import stream
from unseen.worlds.everyday.table import EVERYDAY
from unseen.worlds.rendering.mesh import Mesh, upright
from unseen.worlds.shapes.category import Category

FOLDER = "unseen.worlds.shapes"


def _rows(*rows: tuple[str, str, str]) -> dict[str, Category]:
    return {
        name: Category(name, f"{FOLDER}.{place}" if "." not in place else place, text) for name, place, text in rows
    }


CATEGORIES: dict[str, Category] = _rows(
    # furniture
    ("chair", "seats:chair", "with slats, rungs, a bow or pads, or on castors; its seat opens to the front"),
    ("table", "furniture:table", "square or round, on legs, trestles or one foot"),
    ("sofa", "seats:sofa", "two or three seats, which look to the front, perhaps with a chaise longue"),
    ("bed", "furniture:bed", "made, single or double; its foot points to the front"),
    ("shelf", "furniture:shelf", "a bookcase with books and ornaments, open to the front"),
    ("lamp", "household:lamp", "for a table or a floor, or for a desk, bending to the front"),
    # household
    ("mug", "vessels:mug", "banded, dipped, dotted or plain; its handle is on its left (+y)"),
    ("bottle", "vessels:bottle", "of wine, beer, soda, water or milk; its label looks to the front"),
    ("teapot", "vessels:teapot", "its spout points to the front, its handle to the back or over the top"),
    ("wine glass", "vessels:wine_glass", "for red or white wine, a flute or a coupe, partly filled"),
    ("book", "household:book", "open before a reader in front, fanned, standing or lying"),
    # buildings
    ("house", "buildings:house", "one or two storeys, gable or hip roof; its door is in front"),
    ("windmill", "buildings:windmill", "Dutch with four sails or Aegean with jibs, which turn in front"),
    # vehicles
    ("car", "unseen.worlds.cars.bodies:car", "any of the car bodies; it drives to the front"),
    ("bus", "road:bus", "one or two decks, or a school bus; it drives to the front"),
    ("truck", "road:truck", "with a box, a tank or gravel; it drives to the front"),
    ("locomotive", "rail:locomotive", "under steam, some with a tender; it drives to the front"),
    ("bicycle", "cycles:bicycle", "racing, upright or step-through; it rides to the front"),
    ("aeroplane", "aircraft:aeroplane", "an airliner, or small with a propeller; its nose points to the front"),
    ("helicopter", "aircraft:helicopter", "with two to five blades; its cockpit looks to the front"),
    ("boat", "boats:boat", "under sail; its bow points to the front"),
    # animals
    ("dog", "dogs:dog", "plain, saddled, patched or spotted; it looks to the front"),
    ("horse", "beasts:horse", "bay, chestnut, grey, black or pinto; it looks to the front"),
    ("elephant", "beasts:elephant", "trunk down or raised, which points to the front"),
    ("giraffe", "beasts:giraffe", "brown blotches on cream; it looks to the front"),
    ("fish", "fishes:fish", "slim or tall, plain or banded; it swims to the front"),
    ("duck", "birds:duck", "white, yellow, brown, or a drake; it looks to the front"),
    ("flamingo", "birds:flamingo", "on one leg or two; it looks to the front"),
    ("penguin", "birds:penguin", "flippers down or spread; its belly is in front"),
    # plants
    ("tree", "trees:tree", "broad-leaved, conifer, poplar or palm; without a front"),
    ("cactus", "potted:cactus", "a column with arms, or a tower of pads; without a front"),
    ("flower", "potted:flower", "daisies, sunflowers or tulips in a pot"),
    # tools and instruments
    ("hammer", "tools:hammer", "on the end of its handle; it strikes to the front"),
    ("scissors", "tools:scissors", "open, points up; the flat side is in front"),
    ("umbrella", "tools:umbrella", "open, on its handle, a little askew"),
    ("guitar", "instruments:guitar", "acoustic or electric, neck up; its strings are in front"),
    ("piano", "instruments:piano", "grand or upright; its keyboard is in front"),
    ("drum", "instruments:drum", "with hoops and cords or rods, two sticks on it; without a front"),
)


COLLECTIONS: Mapping[str, Mapping[str, Category]] = {"first": CATEGORIES, "everyday": EVERYDAY}


def table_of(collection: str) -> Mapping[str, Category]:
    """The categories of a collection, by its name."""
    if not isinstance(collection, str) or collection not in COLLECTIONS:
        raise unknown("collection", str(collection), COLLECTIONS, where="the table of collections")
    return COLLECTIONS[collection]


def place_of(collection: str) -> str:
    """How an error calls the collection's table."""
    return "the table of objects" if collection == "first" else f"the collection '{collection}'"


def make_object(category: str, instance: int, seed: int = 0, collection: str = "first") -> Mesh:
    """An instance of a category: upright, its front towards +x, its longest edge 1; the same for the same arguments.

    >>> len(make_object("mug", 3).faces) == len(make_object("mug", 3).faces)
    True
    """
    table = table_of(collection)
    if category not in table:
        raise unknown("category", category, table, where=place_of(collection))
    if not is_whole(instance) or instance < 0:
        raise UnseenError(f"an instance of '{category}' is a whole number from 0 on; given: {instance!r}.")
    named = () if collection == "first" else (collection,)  # the first set keeps the streams that it always had
    return upright(table[category].make(stream(seed, "shapes", *named, category, int(instance))))
