"""The categories of the first collection: a row says where its function lives."""

from __future__ import annotations

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
