"""The texts of a model's outputs, where they are known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unseen.vocabulary.class_maps import imagenet_classes
from unseen.vocabulary.errors import UnseenError

IMAGENET = "imagenet-1k"
LARGER = {
    11221: ("imagenet-21k-miil", "imagenet-21k-p"),
    11821: ("imagenet-12k", "imagenet-12k"),
    21841: ("imagenet-22k", "imagenet-21k"),
    21843: ("imagenet-21k-goog", "imagenet-21k-goog"),
}  # outputs → timm's name of the list, ours of the label space


def imagenet_labels() -> tuple[str, ...]:
    """The first name of each class of ImageNet-1k."""
    return tuple(one.names[0] for one in imagenet_classes())


def labels_of_many(outputs: int) -> tuple[tuple[str, ...], str]:
    """Labels and label space of a model of timm, by how many outputs it has: timm tells its parts of ImageNet apart by
    that number, and has their lists."""
    if outputs == 1000:
        return imagenet_labels(), IMAGENET
    if outputs in LARGER:
        from timm.data.imagenet_info import ImageNetInfo

        theirs, ours = LARGER[outputs]
        return tuple(ImageNetInfo(theirs).label_descriptions()), ours
    return (), ""


def given_labels(labels: Sequence[str] | str | Path, where: str) -> tuple[str, ...]:
    """Labels as a user gives them: texts, or a file with one a line, or a JSON list or table of them by number."""
    if not isinstance(labels, str | Path):
        found = tuple(map(str, labels))
    else:
        file = Path(labels).expanduser()
        if not file.is_file():
            raise UnseenError(
                f"{where}: no file of labels '{labels}'; give a text file with one label a line, or texts."
            )
        try:
            text = file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is no text in UTF-8"
            raise UnseenError(f"{where}: the labels in '{labels}' could not be read: {why}.") from None
        found = _json_labels(text, where, labels) if file.suffix == ".json" else tuple(text.splitlines())
        found = tuple(one.strip() for one in found if one.strip())
    if not found:
        raise UnseenError(f"{where}: no labels were given; leave them out, or give one for each output.")
    return found


def _json_labels(text: str, where: str, labels: object) -> tuple[str, ...]:
    try:
        table: Any = json.loads(text)
        if isinstance(table, dict):
            table = [table[key] for key in sorted(table, key=int)]
        # Of an id and a name, as Keras lists ImageNet's classes, the name.
        return tuple(str(one[-1] if isinstance(one, list) and one else one) for one in table)
    except (ValueError, TypeError) as error:
        raise UnseenError(
            f"{where}: '{labels}' is no list of labels ({error}); possible: a JSON list, or a table from numbers "
            '("0", "1", …) to labels.'
        ) from None
