"""Draw the contact sheets of this folder: `python docs/images/worlds/draw.py [MESHES]` (minutes on a CPU).

With the path of a folder or index of meshes the sheet of the `meshes` world is drawn too.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from unseen.exports import contact_sheet
from unseen.worlds import make
from unseen.worlds.cars.bodies import BODIES
from unseen.worlds.collections import COLLECTIONS
from unseen.worlds.shapes.categories import CATEGORIES
from unseen.worlds.transforms import HENDRYCKS, SETS, TRANSFORMATIONS
from unseen.worlds.transforms.transformed import transformed

HERE = Path(__file__).parent
SHEETS = {
    "objects": {"instances": 4, "pose": 8, "position": 5, "size": 5, "light": 7, "elevation": 5},
    "cars": {"models": 13, "instances": 40},
    "natural-variation": {"classes": 24, "instances": 4},
    "dsprites": {},
    "shapes3d": {"side": 96},
    "mpi3d": {"side": 96},
}


def labelled(pictures: np.ndarray, names: list[str], columns: int) -> Image.Image:
    """Pictures in a table, a name under each."""
    n, side = pictures.shape[0], pictures.shape[1]
    rows = -(-n // columns)
    page = Image.new("RGB", (columns * (side + 6) + 6, rows * (side + 24) + 6), "white")
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(size=13)
    for place, (picture, name) in enumerate(zip(pictures, names)):
        x, y = place % columns * (side + 6) + 6, place // columns * (side + 24) + 6
        page.paste(Image.fromarray(picture), (x, y))
        pen.text((x + side / 2, y + side + 2), name, fill="#444", font=font, anchor="ma")
    return page


def categories() -> Image.Image:
    """Three instances of every category."""
    world = make("objects", instances=3, pose=1, side=128)
    rows = np.arange(len(world.samples))
    names = [f"{name} {i}" for name in CATEGORIES for i in range(3)]
    return labelled(world.images(rows).permute(0, 2, 3, 1).numpy(), names, 12)


def everyday(part: int, parts: int) -> Image.Image:
    """Twelve instances of each class of one part of the everyday collection: canonical, and below each tumbled."""
    names = list(COLLECTIONS["everyday"])
    own = names[part * len(names) // parts : (part + 1) * len(names) // parts]
    tiles, shown = [], {"categories": own, "instances": 12, "pose": 1, "collection": "everyday", "side": 96}
    for drawn in ([], ["pose"]):
        world = make("objects", **shown, drawn=drawn, variation="natural")
        tiles.append(world.images(np.arange(len(world.samples))).permute(0, 2, 3, 1).numpy())
    pictures = np.stack([one.reshape(len(own), 12, 96, 96, 3) for one in tiles], 1).reshape(-1, 96, 96, 3)
    labels = [text for name in own for text in [f"{name} {i}" for i in range(12)] + ["tumbled"] * 12]
    return labelled(pictures, labels, 12)


def textures() -> Image.Image:
    """Shapes × textures: the diagonal agrees, the rest conflicts."""
    names = ["chair", "mug", "car", "house", "dog", "fish", "tree", "guitar"]
    world = make("objects", categories=names, instances=1, pose=1, textures="categories", side=128)
    pictures = world.images(np.arange(64)).permute(0, 2, 3, 1).numpy()
    return labelled(pictures, [f"{shape}, as {texture}" for shape in names for texture in names], 8)


def car_models() -> Image.Image:
    """Every model at five azimuths in its street."""
    world = make("cars", models=13, instances=40, side=128)
    chosen = np.arange(13)[:, None] * 40 + np.array([0, 7, 13, 21, 33])[None]
    rows = world.samples.rows_at(chosen.ravel(), {"azimuth": np.tile(np.arange(5), 13)})
    names = [f"{name}, {azimuth}°" for name in BODIES for azimuth in ("0–18", "18–36", "36–54", "54–72", "72–90")]
    return labelled(world.images(rows).permute(0, 2, 3, 1).numpy(), [n.replace("–", "-") for n in names], 10)


def transforms() -> Image.Image:
    """Every transformation on objects, cars and digits; what is signed or large is shown about mid grey, or scaled."""
    shown = {"horizontal": (1 / 6, 127.5), "vertical": (1 / 6, 127.5), "high-pass": (1 / 36, 0.0),
             "high-pass-zero-sum": (1 / 8, 127.5)}  # fmt: skip
    worlds = (
        (make("objects", categories=["dog", "mug"], instances=1, pose=8, side=112), 10),
        (make("cars", models=13, instances=4, side=112), 98),
        (make("digits", viewpoint="none", cell=28), 4),
    )
    blank, tiles, names = np.full((112, 112, 3), 245, np.uint8), [], []
    for group in (SETS["zaidi2020"], (*SETS["geirhos2018"], "geirhos-phase-noise-released", "high-pass-zero-sum")):
        for inner, row in worlds:
            apply = [name for name in group if inner.channels == 3 or not TRANSFORMATIONS[name].needs_colour]
            world = transformed(inner, apply)
            images = world.images(row * len(world.levels) + np.arange(len(world.levels))).numpy()
            for name in ("none", *group, *[""] * (12 - len(group))):
                short = name.removeprefix("geirhos-").replace("-zero-sum", ", sum 0")
                names.append(short.replace("phase-noise-released", "phases, released"))
                if name not in world.levels:
                    tiles.append(blank)
                    continue
                scale, middle = shown.get(name, (1.0, 0.0))
                pixels = np.clip(np.rint(images[world.levels.index(name)] * scale + middle), 0, 255).astype(np.uint8)
                enlarged = pixels.repeat(112 // pixels.shape[1], 1).repeat(112 // pixels.shape[2], 2)
                tiles.append(np.broadcast_to(enlarged, (3, 112, 112)).transpose(1, 2, 0))
    return labelled(np.stack(tiles), names, 13)


def experiments() -> Image.Image:
    """Experiments of Geirhos et al. 2018 that are not among the nine, and levels of some."""
    levels = ["geirhos-opponent-colour", "geirhos-power-equalisation"]
    levels += [f"geirhos-eidolon-{number}@{reach}" for number in (1, 2, 3) for reach in (4, 16)]
    tiles, names = [], []
    for category in ("mug", "car"):
        inner = make("objects", categories=[category], instances=1, pose=8, side=128)
        world = transformed(inner, levels)
        pictures = world.images(1 * len(world.levels) + np.arange(len(world.levels)))
        tiles += list(np.clip(np.rint(pictures.permute(0, 2, 3, 1).numpy()), 0, 255).astype(np.uint8))
        names += [name.removeprefix("geirhos-") for name in world.levels]
    return labelled(np.stack(tiles), names, len(levels) + 1)


def corruptions() -> Image.Image:
    """The fifteen corruptions of ImageNet-C at severities 1, 3 and 5, of one object."""
    inner = make("objects", categories=["mug"], instances=1, pose=8, side=224)
    levels = [f"{row.name}@{severity}" for row in HENDRYCKS for severity in (1, 3, 5)]
    world = transformed(inner, levels, plain=False)
    pictures = world.images(1 * len(levels) + np.arange(len(levels))).permute(0, 2, 3, 1).numpy()
    small = [np.asarray(Image.fromarray(one.astype(np.uint8)).resize((120, 120))) for one in pictures]
    return labelled(np.stack(small), [name.removeprefix("hendrycks-") for name in levels], 9)


def strip() -> Image.Image:
    """Cars at random, for the README."""
    world = make("cars", models=13, instances=40, side=112)
    rows = np.random.default_rng(3).choice(len(world.samples), 18, replace=False)
    pictures = world.images(rows).permute(0, 2, 3, 1).numpy()
    return Image.fromarray(pictures.reshape(2, 9, 112, 112, 3).transpose(0, 2, 1, 3, 4).reshape(224, 1008, 3))


def main() -> None:
    for name, arguments in SHEETS.items():
        contact_sheet(make(name, **arguments)).save(HERE / f"{name}.png", optimize=True)
    transforms().save(HERE / "transforms.png", optimize=True)
    experiments().save(HERE / "experiments.png", optimize=True)
    corruptions().quantize(256).save(HERE / "corruptions.png", optimize=True)
    textures().save(HERE / "textures.png", optimize=True)
    strip().save(HERE / "cars-strip.png", optimize=True)
    categories().save(HERE / "categories.png", optimize=True)
    for part in range(6):
        everyday(part, 6).quantize(256).save(HERE / f"everyday-{part + 1}.png", optimize=True)
    car_models().quantize(256).save(HERE / "car-models.png", optimize=True)  # a third of the bytes
    if len(sys.argv) > 1:
        contact_sheet(make("meshes", root=sys.argv[1])).save(HERE / "meshes.png", optimize=True)


if __name__ == "__main__":
    main()
