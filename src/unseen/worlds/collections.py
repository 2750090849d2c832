"""Collections of things made by rule, each a table of categories, and the one door to their instances.

A row of a table says where its function lives; a function takes a random generator and gives one instance, its front
towards +x. Instances are without end: the generator is the stream of (seed, category, instance), so that instance 7 of
the mugs is the same whoever asks, and a new category shifts no other. ``first`` is the collection that worlds had from
the start, ``everyday`` has 54 classes of several sub-types with confusable neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.plain_numbers import is_whole
from unseen.vocabulary.seeds import stream
from unseen.worlds.everyday.table import EVERYDAY
from unseen.worlds.everyday.table import VERSION as EVERYDAY_VERSION
from unseen.worlds.rendering.mesh import Mesh, upright
from unseen.worlds.shapes.categories import CATEGORIES
from unseen.worlds.shapes.category import Category

FIRST_COLLECTION = "first"
COLLECTIONS: Mapping[str, Mapping[str, Category]] = {FIRST_COLLECTION: CATEGORIES, "everyday": EVERYDAY}


def table_of(collection: str) -> Mapping[str, Category]:
    """The categories of a collection, by its name."""
    if not isinstance(collection, str) or collection not in COLLECTIONS:
        raise unknown("collection", str(collection), COLLECTIONS, where="the table of collections")
    return COLLECTIONS[collection]


def place_of(collection: str) -> str:
    """How an error calls the collection's table."""
    return "the table of objects" if collection == FIRST_COLLECTION else f"the collection '{collection}'"


def make_object(category: str, instance: int, seed: int = 0, collection: str = FIRST_COLLECTION) -> Mesh:
    """An instance of a category: upright, its front towards +x, its longest edge 1; the same for the same arguments.

    >>> len(make_object("mug", 3).faces) == len(make_object("mug", 3).faces)
    True
    """
    table = table_of(collection)
    if category not in table:
        raise unknown("category", category, table, where=place_of(collection))
    if not is_whole(instance) or instance < 0:
        raise UnseenError(f"an instance of '{category}' is a whole number from 0 on; given: {instance!r}.")
    named = (
        () if collection == FIRST_COLLECTION else (collection,)
    )  # the first set keeps the streams that it always had
    return upright(table[category].make(stream(seed, "shapes", *named, category, int(instance))))


def said(collection: str) -> dict[str, str]:
    """What identifies a collection; nothing for the first, whose worlds keep the names they always had."""
    return {} if collection == FIRST_COLLECTION else {"collection": f"{collection} {EVERYDAY_VERSION}"}
