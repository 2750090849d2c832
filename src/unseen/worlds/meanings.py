"""Words in the names of folders, files and columns, and what they tell of a factor. Ours, from sets in common use."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from itertools import pairwise

from unseen.vocabulary.factors import Level

MEANINGS = {
    "obj": "object", "object": "object", "model": "model", "class": "category", "cat": "category",
    "category": "category", "label": "category", "az": "azimuth", "azi": "azimuth", "azimuth": "azimuth",
    "el": "elevation", "elev": "elevation", "elevation": "elevation",
    "ze": "zenith", "zenith": "zenith", "rot": "rotation", "rotation": "rotation",
    "angle": "angle", "ang": "angle", "view": "view", "v": "view", "pose": "pose", "cam": "camera", "camera": "camera",
    "light": "light", "l": "light", "scale": "scale", "size": "size", "bg": "background", "background": "background",
    "b": "background", "c": "camera", "r": "rotation",
    "inst": "instance", "instance": "instance", "i": "instance", "color": "colour", "colour": "colour",
    "dom": "domain", "loc": "location",
}  # fmt: skip
CATEGORIES = ("category", "object", "model", "label", "class", "shape")
THINGS = ("object", "instance")
VIEWS = ("azimuth", "view", "rotation", "angle", "pose", "camera", "elevation", "zenith", "position", "scale")
DOMAINS = (
    "domain", "style", "dataset", "source", "site", "location", "place", "hospital", "scanner", "weather", "season",
    "environment", "context", "scene",
)  # fmt: skip
COUNTERS = frozenset((
    "img", "image", "im", "pic", "picture", "photo", "photograph", "frame", "frames", "dsc", "dscn", "dscf", "file",
    "sample", "example", "id", "idx", "index", "num", "number", "no", "nr", "item", "shot", "scan", "crop", "seq",
    "snapshot", "screenshot", "untitled", "copy", "pxl", "vid", "video", "imgs", "images", "pics", "pictures", "photos",
    "foto", "fotos", "bild", "bilder", "imagen", "immagine", "afbeelding", "capture", "grab", "still", "snap", "mvi",
    "dji", "gopr",
))  # fmt: skip
# Before a number they name what it measures or which one it is; another word may stand before a running number.
MEASURES = frozenset((
    "brightness", "lighting", "illumination", "illum", "contrast", "blur", "noise", "level", "severity", "strength",
    "exposure", "distance", "dist", "height", "width", "depth", "zoom", "focus", "tilt", "pitch", "yaw", "roll", "time",
    "day", "week", "month", "year", "age", "dose", "speed", "temperature", "step", "stage", "grade", "session",
    "subject", "patient", "person", "user", "specimen", "plate", "texture", "material", "style", "shape", "identity",
    "orientation", "elev", "phase", "condition", "site", "scene", "room", "position", "pos", "lens", "sensor",
))  # fmt: skip
_PLACES = frozenset((
    "grass", "sand", "snow", "ice", "water", "land", "sky", "indoor", "indoors", "outdoor", "outdoors", "forest",
    "wood", "woods", "jungle", "bamboo", "beach", "street", "road", "rock", "rocks", "stone", "mud", "soil", "dirt",
    "ground", "field", "lawn", "meadow", "desert", "mountain", "mountains", "lake", "ocean", "sea", "river", "pond",
    "city", "town", "village", "park", "garden", "yard", "home", "kitchen", "office", "room", "studio", "wall", "floor",
    "carpet", "night", "day", "dusk", "dawn", "morning", "noon", "evening", "sunset", "sunrise", "sunny", "rain",
    "rainy", "fog", "foggy", "cloudy", "dark", "dim", "bright", "shade", "shadow", "background", "bg", "plain",
    "white", "black", "grey", "gray",
))  # fmt: skip
# Of PACS, Office-Home, Office-31, VLCS, DomainNet, VisDA, NICO, digits, camera traps and weather sets.
_DOMAIN_WORDS = frozenset((
    "photo", "photos", "photograph", "photographs", "picture", "pictures", "real", "realworld", "sketch", "sketches",
    "quickdraw", "drawing", "drawings", "doodle", "art", "arts", "artpainting", "painting", "paintings", "cartoon",
    "cartoons", "clipart", "cliparts", "product", "products", "infograph", "infographic", "webcam", "dslr", "amazon",
    "caltech", "labelme", "sun", "voc", "pascal", "imagenet", "coco", "mnist", "mnistm", "usps", "svhn", "syndigits",
    "synthetic", "rendered", "rendition", "renditions", "render", "renders", "renderings", "simulated", "simulation",
    "watercolor", "watercolour", "comic", "anime", "toy", "toys", "sculpture", "origami", "embroidery", "graffiti",
    "tattoo", "game", "videogame", "day", "daytime", "night", "nighttime", "dusk", "dawn", "sunny", "rainy", "rain",
    "snow", "snowy", "fog", "foggy", "cloudy", "clear", "overcast", "summer", "winter", "spring", "autumn", "fall",
    "indoor", "indoors", "outdoor", "outdoors", "city", "rural", "urban", "highway", "rgb", "depth", "infrared",
    "thermal", "greyscale", "grayscale", "silhouette", "silhouettes", "edge", "edges", "stylized", "stylised",
))  # fmt: skip
_PLACE = re.compile(r"(in|on|at|near|under|with)[ _-].+", re.IGNORECASE)  # NICO: "on grass", "in water"
FULL_TURNS = frozenset((8, 12, 16, 18, 20, 24, 30, 36, 45, 60, 72, 90, 100, 120, 180, 360))  # views of turntables
MANY = 12  # numbers: more are seldom levels that someone chose
SURE_TURNS = frozenset((36, 72, 180, 360))  # numbers of files that are seldom a running number


def meaning(word: str) -> str:
    """The factor that a word before a number names, "*" for a running number, "" if it says nothing.

    >>> meaning("az"), meaning("pic"), meaning("x"), meaning("brightness")
    ('azimuth', '*', '', 'brightness')
    """
    low = word.lower()
    if low in COUNTERS:
        return "*"
    if low in MEANINGS:
        return MEANINGS[low]
    return low if low.isidentifier() and len(low) > 2 and low != "pool" else ""


def are_domains(name: str, levels: Sequence[Level]) -> bool:
    """Whether a factor is a domain, a style, a dataset or a place, by its name or by most of its levels.

    >>> are_domains("factor", ["art_painting", "cartoon", "photo", "sketch"]), are_domains("factor", ["dog", "house"])
    (True, False)
    >>> are_domains("factor", ["Caltech101", "LabelMe", "SUN09", "VOC2007"]), are_domains("location", [38, 43])
    (True, True)
    """
    if any(name == word or name == f"{word}s" for word in DOMAINS):
        return True
    texts = [level for level in levels if isinstance(level, str)]
    known = [text for text in texts if _plain(text) in _DOMAIN_WORDS or _PLACE.fullmatch(text)]
    return len(texts) > 1 and len(texts) == len(levels) and 2 * len(known) > len(texts)


def are_places(levels: Sequence[Level]) -> bool:
    """Whether most of these say where or in which light something is shown, not what it is.

    >>> are_places(["grass", "tall_grass", "snow"]), are_places(["landbird", "waterbird"])
    (True, False)
    """
    texts = [level for level in levels if isinstance(level, str)]
    known = [text for text in texts if (words := re.findall(r"[^\W\d_]+", text.lower())) and words[-1] in _PLACES]
    return len(texts) > 1 and len(texts) == len(levels) and 2 * len(known) > len(texts)


def is_running(word: str, levels: Sequence[Level]) -> bool:
    """Whether a word says nothing of the numbers behind it, which come in a row, or are many and uneven.

    >>> is_running("kuva", [3, 4, 5]), is_running("brightness", [3, 4, 5]), is_running("kuva", [0, 30, 60])
    (True, False, False)
    """
    low = word.lower()
    known = not low or low in MEANINGS or low in MEASURES
    whole = all(isinstance(level, int) for level in levels)
    uneven = len(levels) > MANY and not are_spaced(levels)
    return not known and whole and (are_spaced(levels, (1,)) or uneven)


def are_spaced(levels: Sequence[Level], steps: Sequence[float] = ()) -> bool:
    """Whether numbers have one distance: of those given, or any but 1.

    >>> are_spaced([0, 30, 60]), are_spaced([1, 2, 3]), are_spaced([1, 2, 3], [1])
    (True, False, True)
    """
    values = [level for level in levels if isinstance(level, int | float)]
    found = {b - a for a, b in pairwise(values)} if len(values) == len(levels) else set()
    return len(found) == 1 and (found <= set(steps) if steps else found != {1})


def _plain(text: str) -> str:
    return re.sub(r"[\W\d_]+", "", text).lower()


def turns(levels: Sequence[Level]) -> bool:
    """Whether these are evenly spaced degrees of a full circle; the first may come again as the last.

    >>> turns([0, 90, 180, 270]), turns([0, 10, 20]), turns([0, 5, 5]), turns([-180, -90, 0, 90, 180])
    (True, False, False, True)
    """
    values = [float(level) for level in levels if isinstance(level, int | float)]
    if len(values) < 3 or len(values) != len(levels):
        return False
    steps = [b - a for a, b in pairwise(values)]
    even = max(steps) - min(steps) < 1e-6 * max(steps)
    span = values[-1] - values[0]
    closed = len(values) > 3 and abs(span - 360) < 1e-6
    return even and steps[0] > 1 and (closed or abs(span + steps[0] - 360) < 0.01 * 360)


def is_thing(name: str, category: str, names: Container[str]) -> bool:
    """Whether a factor's name says that its levels are single objects: beside a category, which else they may be.

    >>> is_thing("object", "category", ("category", "object")), is_thing("object", "object", ("object", "view"))
    (True, False)
    """
    return name in THINGS and name != category and category in names


def is_counted(levels: Sequence[Level]) -> bool:
    """Whether these are numbers in a row, from 0 or 1.

    >>> is_counted([0, 1, 2]), is_counted([1, 2, 4])
    (True, False)
    """
    whole = all(isinstance(level, int) for level in levels)
    return whole and levels[0] in (0, 1) and all(b - a == 1 for a, b in pairwise(map(int, levels)))


def is_turn(name: str, levels: Sequence[Level]) -> bool:
    """Whether a factor goes round: degrees, or views that are counted round a turntable (0 to 71).

    >>> is_turn("view", range(72)), is_turn("size", range(72)), is_turn("view", range(7))
    (True, False, False)
    """
    counted = any(name.startswith(word) for word in VIEWS[:5]) and is_counted(levels) and len(levels) in FULL_TURNS
    return turns(levels) or counted
