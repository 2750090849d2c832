"""Maps of any number of pictures, a few at a time: what is kept is not drawn again, and memory does not grow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from unseen.explanations import explain
from unseen.explanations.methods import noted
from unseen.studies.explained.album import Album
from unseen.studies.explained.kept_maps import KeptMaps, picture_key
from unseen.studies.explained.looked import Looked, answers, plain_asked
from unseen.studies.explained.usual import NO_MATTER, cost

CHUNK = 8  # pictures at a time, which is what a kill costs
Tell = Callable[[int, int, str], None]


@dataclass(frozen=True, eq=False)
class Maps:
    """Of ``pictures`` ``[n, c, h, w]`` with their ``keys``: maps ``[n, h, w]`` by method, notes by method where a map
    is not to be looked at, and what was answered (``labels``, ``sure``)."""

    places: np.ndarray
    keys: tuple[str, ...]
    pictures: np.ndarray
    labels: np.ndarray
    sure: np.ndarray
    maps: Mapping[str, np.ndarray]
    notes: Mapping[str, tuple[str, ...]]


def described(looked: Looked, method: str, settings: Mapping[str, Any], asked: Any) -> dict[str, Any]:
    """All that decides a map but the picture."""
    return {
        "network": dict(looked.told), "method": method,
        "settings": {key: list(one) if isinstance(one, tuple) else one for key, one in settings.items()
                     if key not in NO_MATTER},
        **plain_asked(asked),
    }  # fmt: skip


def draw(
    looked: Looked,
    album: Album,
    asked: Any,
    settings: Mapping[str, Mapping[str, Any]],
    home: Path | None,
    *,
    chunk: int = CHUNK,
    tell: Tell = lambda done, total, what: None,
) -> Iterator[Maps]:
    """Maps by all methods (the keys of ``settings``), ``chunk`` pictures at a time. With a ``home`` they are kept there
    and found again. ``tell`` hears of work done and in all, in passes of the network."""
    kept = (
        {method: KeptMaps(home, described(looked, method, own, asked)) for method, own in settings.items()}
        if home
        else {}
    )
    there = {method: one.places() for method, one in kept.items()}
    price: dict[str, int] = {}
    done = total = 0
    for start in range(0, len(album), chunk):
        places = np.arange(start, min(start + chunk, len(album)))
        pictures = album.fetch(places.tolist())
        if not price:
            size = (int(pictures.shape[2]), int(pictures.shape[3]))
            price = {method: cost(method, own, size) for method, own in settings.items()}
            total = sum(price.values()) * len(album)
        array = pictures.cpu().numpy()
        keys = tuple(picture_key(one) for one in array)
        labels, sure = answers(looked, pictures)
        maps: dict[str, np.ndarray] = {}
        for method, own in settings.items():
            tell(done, total, method)
            maps[method] = _of(looked, pictures, keys, method, own, asked, kept.get(method), there.get(method, {}))
            done += price[method] * len(places)
            tell(done, total, method)
        notes = {method: noted(found) for method, found in maps.items()}
        yield Maps(places, keys, array, labels, sure, maps, notes)


def _of(
    looked: Looked,
    pictures: Tensor,
    keys: Sequence[str],
    method: str,
    settings: Mapping[str, Any],
    asked: Any,
    kept: KeptMaps | None,
    there: dict[str, tuple[Path, int]],
) -> np.ndarray:
    """Maps of one method, those that are not kept drawn now."""
    new = [at for at, key in enumerate(keys) if key not in there]
    found: np.ndarray | None = None
    if new:
        found = explain(looked.model, pictures[new], method, asked, **settings).maps
        if kept is None:
            return found
        kept.put([keys[at] for at in new], {"maps": found})
        if len(new) == len(keys):
            return found
        there.update(kept.places())
    assert kept is not None
    return kept.get(keys, there)["maps"]


def together(parts: Sequence[Maps]) -> Maps:
    """Parts as one."""
    first = parts[0]
    return Maps(
        np.concatenate([one.places for one in parts]), tuple(key for one in parts for key in one.keys),
        np.concatenate([one.pictures for one in parts]), np.concatenate([one.labels for one in parts]),
        np.concatenate([one.sure for one in parts]),
        {method: np.concatenate([one.maps[method] for one in parts]) for method in first.maps},
        {method: tuple(note for one in parts for note in one.notes[method]) for method in first.notes},
    )  # fmt: skip
