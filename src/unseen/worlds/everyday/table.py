"""The table of the everyday things, in groups of neighbours."""

from __future__ import annotations

from unseen.worlds.shapes.category import Category

FOLDER = "unseen.worlds.everyday"
VERSION = 2  # raise it when any thing of the collection changes


def _rows(*rows: tuple[str, str, str]) -> dict[str, Category]:
    return {name: Category(name, f"{FOLDER}.{place}", text) for name, place, text in rows}


EVERYDAY: dict[str, Category] = _rows(
    # vessels
    ("mug", "vessels:mug", "straight, tapered, barrel, bell, tankard, round; its handle is on its left"),
    ("cup", "vessels:cup", "wide and low, mostly on a saucer; a few without a handle"),
    ("bowl", "vessels:bowl", "for soup, mixing, deep, conical, footed, rimmed"),
    ("vase", "vessels:vase", "amphora, trumpet, gourd, urn and others, some with flowers"),
    ("jug", "vessels:jug", "pear, tall, bellied, conical, ewer; its lip points to the left"),
    ("teapot", "vessels:teapot", "globe, pear, low, tall, drum, footed; its spout points to the left"),
    ("pot", "vessels:pot", "for stock, a casserole, a caldron, a crock; two handles, some with a lid"),
    ("pan", "vessels:pan", "for frying, a wok, a saucepan; its handle points to the left or back"),
    ("bottle", "vessels:bottle", "of wine, beer, water, cola, spirits, pills, lotion, sport"),
    ("wine glass", "vessels:wine_glass", "red, white, flute, goblet, coupe, martini; empty or filled"),
    ("bucket", "vessels:bucket", "of tin, plastic or staves; its bail up or down"),
    # furniture
    ("chair", "seats:chair", "dining, ladder-back, windsor, office, folding, shell, cantilever, rocking"),
    ("armchair", "seats:armchair", "club, wing, tub, or a wooden frame with cushions"),
    ("stool", "seats:stool", "for a bar, low, square, turning, with a step"),
    ("bench", "seats:bench", "in a park, a plank, with a back, with a pad"),
    ("sofa", "seats:sofa", "for two to four, plain, rolled, slim, around a corner"),
    ("table", "cases:table", "for dining, coffee, the side, on trestles"),
    ("desk", "cases:desk", "drawers on one or both sides, panels, a secretary; its user sits in front"),
    ("bed", "cases:bed", "panel, bars, pad, divan, four-poster, bunk; its foot points to the front"),
    ("bookcase", "cases:bookcase", "open or closed at the sides, more or less full"),
    ("wardrobe", "cases:wardrobe", "doors, doors and drawers, a mirror, or a chest of drawers"),
    # animals
    ("dog", "animals:dog", "nine breeds, from greyhound to bulldog; standing, walking, sitting, lying"),
    ("wolf", "animals:wolf", "grey, black, brown or white"),
    ("fox", "animals:fox", "red, grey, arctic, or a kit with large ears"),
    ("cat", "animals:cat", "tabby, patched, plain, pointed; short or long hair"),
    ("horse", "animals:horse", "of many coats, its head up or grazing"),
    ("cow", "animals:cow", "plain or patched, with or without horns"),
    ("sheep", "animals:sheep", "shorn or woolly, ewes and rams"),
    ("pig", "animals:pig", "pink, dark, patched, or a boar"),
    ("elephant", "animals:elephant", "small or large ears, trunk down or raised"),
    ("bear", "animals:bear", "brown, black, white"),
    # vehicles; all drive to the front
    ("car", "coaches:car", "ten forms, each varied, with a face of its own"),
    ("van", "coaches:van", "for goods, for people, for a family, a camper, with a high roof"),
    ("bus", "coaches:bus", "in town, a coach, for school, with two decks, small"),
    ("truck", "trucks:truck", "a pickup, a box, a flatbed, a tanker, a tipper, with a trailer"),
    ("tractor", "trucks:tractor", "with a cab, a bar or an open seat, some with a shovel"),
    (
        "locomotive",
        "rail:locomotive",
        "under steam, diesel, electric, a bullet train, a tram; most on a piece of track",
    ),
    ("bicycle", "cycles:bicycle", "for mountains, racing, the city, step-through, a tandem"),
    ("motorbike", "cycles:motorbike", "a scooter, a moped, a cruiser, for sport, without a fairing"),
    ("boat", "craft:boat", "under sail, a rowing boat, a canoe, a speedboat, a fishing boat"),
    ("aeroplane", "craft:aeroplane", "an airliner, a light aircraft, a fighter, a biplane"),
    # birds and fish
    ("duck", "birds:duck", "a drake, a duck, a goose; on its feet or afloat"),
    ("hen", "birds:hen", "hens and cocks of many colours"),
    ("fish", "birds:fish", "a carp, a goldfish, a coral fish, a perch, a long one; it swims to the front"),
    # things
    ("guitar", "strings:guitar", "three acoustic and three electric forms; its strings look to the front"),
    ("violin", "strings:violin", "a violin or a cello, some with a bow; its strings look to the front"),
    ("book", "desktop:book", "standing, lying, a stack, open; its cover looks to the front or up"),
    ("laptop", "desktop:laptop", "open; its screen looks to the front"),
    ("umbrella", "carried:umbrella", "held, laid down, closed, a parasol"),
    ("lamp", "desktop:lamp", "for a table, a desk, the floor, a globe"),
    ("clock", "desktop:clock", "for a wall, an alarm clock, for a mantel, a tall case; its dial looks to the front"),
    ("hat", "wear:hat", "cowboy, sombrero, fedora, top hat, bowler, sun hat"),
    ("shoe", "wear:shoe", "for running, a loafer, a boot, a clog, a sandal, a pump; its toe points to the front"),
    ("bag", "carried:bag", "a backpack, a handbag, a tote, a satchel, a duffel"),
)
