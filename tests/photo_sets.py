"""Photo sets in the shapes that users have, made from rendered objects: the first hour can be tried without photos.

    uv run python -m tests.photo_sets coil photos/coil      # 20 objects × 72 views, obj7__355.png in one folder
    uv run python -m tests.photo_sets pacs photos/pacs      # 4 domains × 7 categories, sketch/dog/0012.jpg

COIL-100 names its views by degrees (0 to 355), COIL-20 by their number (0 to 71): ``--views numbers``. PACS has 9,991
photos, unequally many in each combination (Li et al. 2017, their table); ``--share`` takes a part of them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter, ImageOps

CATEGORIES = ("horse", "elephant", "guitar", "chair", "car", "mug", "tree")
COUNTS = {  # images of each category in PACS (dog, elephant, giraffe, guitar, horse, house, person)
    "art_painting": (379, 255, 285, 184, 201, 295, 449),
    "cartoon": (389, 457, 346, 135, 324, 288, 405),
    "photo": (189, 202, 182, 186, 199, 280, 432),
    "sketch": (772, 740, 753, 608, 816, 80, 160),
}


def coil(folder: Path, objects: int = 20, views: int = 72, side: int = 128, numbered: bool = False) -> Path:
    """One photo of each object at each view, all in one folder, as PNG."""
    from unseen.worlds.objects import objects as world_of

    world = world_of(objects, 1, pose=views, side=side)
    folder.mkdir(parents=True, exist_ok=True)
    rows = np.arange(len(world.samples))
    things = world.samples.levels("category", rows) + 1
    turns = world.samples.levels("pose", rows)
    for some in np.array_split(rows, max(1, len(rows) // 64)):
        for row, picture in zip(some, world.images(some).numpy()):
            view = turns[row] if numbered else round(turns[row] * 360 / views)
            grain = np.random.default_rng([3, int(row)]).integers(-2, 3, picture.shape)  # no two photos are the same
            picture = np.clip(picture.astype(np.int64) + grain, 0, 255).astype(np.uint8)
            Image.fromarray(picture.transpose(1, 2, 0)).save(folder / f"obj{things[row]}__{view}.png")
    return folder


def pacs(folder: Path, share: float = 1.0, side: int = 160, categories: tuple[str, ...] = CATEGORIES) -> Path:
    """Four domains, the category below each, as JPEG of differing sizes; every image is another object."""
    from unseen.worlds.objects import objects as world_of

    most = max(1, round(max(max(counts) for counts in COUNTS.values()) * share))
    for number, (domain, counts) in enumerate(COUNTS.items()):
        world = world_of(
            list(categories), most, pose=8, light=3, backgrounds=12, drawn=["position", "size"], side=side, seed=number
        )
        for place, (category, count) in enumerate(zip(categories, counts)):
            n = max(1, round(count * share))
            rng = np.random.default_rng([number, place])
            space = world.samples.space
            levels = {name: rng.integers(0, len(space[name]), n) for name in world.samples.blocks[0].grid}
            rows = world.samples.rows_at(place * most + np.arange(n), levels)
            where = folder / domain / category
            where.mkdir(parents=True, exist_ok=True)
            for some in np.array_split(np.arange(n), max(1, n // 64)):
                for one, picture in zip(some, world.images(rows[some]).numpy()):
                    image = styled(Image.fromarray(picture.transpose(1, 2, 0)), domain)
                    height, width = rng.integers(side, side * 3 // 2, 2)
                    image.resize((int(width), int(height))).save(where / f"{one:04}.jpg", quality=85)
    return folder


def styled(image: Image.Image, domain: str) -> Image.Image:
    """A photo as another domain would show it."""
    if domain == "sketch":
        return ImageOps.autocontrast(image.convert("L").filter(ImageFilter.CONTOUR)).convert("RGB")
    if domain == "cartoon":
        return ImageOps.posterize(image.filter(ImageFilter.ModeFilter(5)), 2)
    if domain == "art_painting":
        return image.filter(ImageFilter.MedianFilter(7)).filter(ImageFilter.EDGE_ENHANCE_MORE)
    return image


def main() -> None:
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("shape", choices=["coil", "pacs"])
    said.add_argument("folder", type=Path)
    said.add_argument("--share", type=float, default=1.0, help="of PACS's 9,991 images")
    said.add_argument("--views", choices=["degrees", "numbers"], default="degrees", help="how COIL names them")
    given = said.parse_args()
    if given.shape == "coil":
        coil(given.folder, numbered=given.views == "numbers")
    else:
        pacs(given.folder, given.share)
    print(f"{sum(1 for path in given.folder.rglob('*') if path.is_file()):,} images in {given.folder}")


if __name__ == "__main__":
    main()
