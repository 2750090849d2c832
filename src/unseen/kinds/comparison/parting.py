"""The images on which two subjects part most, with what each said and their pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unseen.kinds.comparison.answers import NONE, NOT_ASKED, Answers, Group
from unseen.kinds.comparison.pairs import parted
from unseen.kinds.comparison.sources import Compared
from unseen.kinds.comparison.tables import Numbers
from unseen.kinds.stretched import visible
from unseen.studies.answer_names import FORMS
from unseen.vocabulary.errors import UnseenError

MOST = 12  # images of a pair
MOST_PAIRS = 4
PICTURES = (".png", ".webp", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff")


@dataclass(frozen=True, eq=False)
class Parting:
    """Some images of a pair: what they show, what each subject said of them, and the pictures where these are here."""

    first: str
    second: str
    images: tuple[str, ...]
    truths: tuple[str, ...]
    said: tuple[tuple[str, str], ...]
    pictures: tuple[np.ndarray | None, ...]


def partings(compared: Compared, found: Numbers, folder: Path | None = None) -> tuple[Parting, ...]:
    """Of the reference and each other subject (the first few of them)."""
    one = compared.answers
    others = [group for group in one.groups if group is not found.reference][:MOST_PAIRS]
    chosen = [(group, parted(one, found.reference, group, MOST)) for group in others]
    names = list(dict.fromkeys(one.images[place] for _, places in chosen for place, _, _ in places))
    pictures = _from_folder(names, folder) if folder is not None else _from_world(compared, names)
    made = []
    for group, places in chosen:
        if places:
            made.append(_parting(one, found.reference, group, [place for place, _, _ in places], pictures))
    return tuple(made)


def _parting(one: Answers, a: Group, b: Group, places: list[int], pictures: Mapping[str, np.ndarray]) -> Parting:
    images = tuple(one.images[place] for place in places)
    truths = tuple(one.classes[one.truth[place]] for place in places)
    said = tuple((_said(one, a, place), _said(one, b, place)) for place in places)
    return Parting(a.name, b.name, images, truths, said, tuple(pictures.get(name) for name in images))


def _said(one: Answers, group: Group, place: int) -> str:
    """What the members said, the most frequent first."""
    counted = Counter(one.response[list(group.members), place].tolist())
    counted.pop(NOT_ASKED, None)
    told = [("no answer" if number == NONE else one.classes[number], times) for number, times in counted.most_common(3)]
    if len(group.members) == 1:
        return told[0][0] if told else "not asked"
    return ", ".join(f"{word} {times}×" for word, times in told)


def _from_world(compared: Compared, names: list[str]) -> dict[str, np.ndarray]:
    if compared.study is None or compared.study.absent or not names:
        return {}
    known = [name for name in names if name in compared.rows]
    try:
        world = compared.study.world(compared.study.points[0])
        drawn = world.images(np.array([compared.rows[name] for name in known], dtype=np.int64)).cpu().numpy()
    except UnseenError:
        return {}
    return {name: np.moveaxis(picture, 0, -1) for name, picture in zip(known, visible(drawn))}


def _from_folder(names: list[str], folder: Path) -> dict[str, np.ndarray]:
    """Pictures of a folder by the same parts of their names that answers are joined by."""
    if not folder.is_dir():
        raise UnseenError(f"--images: there is no folder '{folder}'.")
    form = FORMS["by the picture's own name"]
    paths = {form(path.name): path for path in sorted(folder.rglob("*")) if path.suffix.lower() in PICTURES}
    from PIL import Image

    found = {}
    for name in names:
        if (path := paths.get(form(name))) is not None:
            with Image.open(path) as image:
                found[name] = np.asarray(image.convert("RGB"))
    if names and not found:
        raise UnseenError(f"--images: no picture in '{folder}' is named like the images, '{names[0]}' for one.")
    return found
