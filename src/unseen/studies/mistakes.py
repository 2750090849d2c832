"""The images that networks are surest and wrong about, on cells that training did not show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unseen.reports.answered import Gallery, Mistake
from unseen.studies.answered import Told
from unseen.studies.pictures import visible
from unseen.studies.study import Study
from unseen.vocabulary.errors import UnseenError

MOST = 12  # images of one target
MOST_TARGETS = 4
SAME = 2  # images of one true class and one answer: ten of one confusion would show one thing
LOOKED_AT = 400  # the surest mistakes of each network

Key = tuple[str, int]  # an image: its world and its row there


@dataclass(frozen=True)
class Found:
    """One wrong answer: of the network in ``place`` of the list, in row ``at`` of its answers."""

    confidence: float
    place: int
    at: int


def galleries(study: Study, told: Sequence[Told]) -> tuple[tuple[Gallery, ...], str, str]:
    """The surest mistakes about each target, or why there are none; and why they come without pictures."""
    main = [one for one in told if one.main]
    if not any(one.unseen.any() for one in main):
        return (), "The surest mistakes: no cell that training did not show was tested.", ""
    if any(one.confidence is None or one.sample is None for one in main):
        return (), "The surest mistakes: the stored answers lack their confidence, or their images.", ""
    made, why = [], study.absent
    for target in list(dict.fromkeys(name for one in main for name in one.targets.found()))[:MOST_TARGETS]:
        gallery, chosen = _gallery(study, main, target)
        if not gallery.asked:
            continue
        if not why:
            try:
                gallery = _pictured(study, main, gallery, chosen)
            except (UnseenError, OSError) as error:
                why = f"their images cannot be read ({error})"
        made.append(gallery)
    return tuple(made), "", why


def _gallery(study: Study, told: Sequence[Told], target: str) -> tuple[Gallery, list[Found]]:
    wrong: Counter[Key] = Counter()
    asked: Counter[Key] = Counter()
    candidates: list[Found] = []
    for place, one in enumerate(told):
        assert one.confidence is not None
        here = np.flatnonzero(one.tested & one.unseen & one.targets.is_(target))
        right = one.truth.numbered(every := (*one.truth.names, *one.response.names)) == one.response.numbered(every)
        bad = here[~right[here]]
        asked.update(_key(one, at) for at in here)
        wrong.update(_key(one, at) for at in bad)
        surest = bad[np.argsort(-one.confidence[bad], kind="stable")][:LOOKED_AT]
        candidates += [Found(float(one.confidence[at]), place, int(at)) for at in surest]
    candidates.sort(key=lambda found: (-found.confidence, -wrong[_key(told[found.place], found.at)]))
    chosen: dict[Key, Found] = {}
    pairs: Counter[tuple[str, str]] = Counter()
    for found in candidates:
        key, pair = _key(told[found.place], found.at), _answer(told[found.place], found.at)
        if key not in chosen and pairs[pair] < SAME:
            chosen[key] = found
            pairs[pair] += 1
        if len(chosen) == MOST:
            break
    items = tuple(_mistake(study, told[found.place], found, wrong[key], asked[key]) for key, found in chosen.items())
    return Gallery(target, items, sum(wrong.values()), sum(asked.values())), list(chosen.values())


def _key(one: Told, at: int | np.integer) -> Key:
    assert one.sample is not None
    return one.world, int(one.sample[at])


def _answer(one: Told, at: int) -> tuple[str, str]:
    return one.truth.names[one.truth.places[at]], one.response.names[one.response.places[at]]


def _mistake(study: Study, one: Told, found: Found, wrong: int, asked: int) -> Mistake:
    row = _key(one, found.at)[1]
    truth, response = _answer(one, found.at)
    where = ", ".join(f"{name} {one.levels[name][one.places[name][found.at]]}" for name in one.places)
    name = one.image.names[one.image.places[found.at]] if one.image is not None else ""
    if not name and not study.absent:  # trials stored before names were, too
        own = study.world(one.trial).samples.own_names(np.array([row]))
        name = own[1][0] if own is not None else ""
    seed = f"seed {one.facts['seed']}"
    said = ", ".join(filter(None, [one.condition, seed]))
    return Mistake(name or f"row {row}", where, truth, response, found.confidence, said, wrong, asked)


def _pictured(study: Study, told: Sequence[Told], gallery: Gallery, chosen: Sequence[Found]) -> Gallery:
    """The mistakes with what the network was shown."""
    pictures: list[np.ndarray] = []
    for found in chosen:
        one = told[found.place]
        assert one.sample is not None
        image = study.world(one.trial).images(one.sample[found.at : found.at + 1])
        pictures.append(visible(image.cpu().numpy())[0].transpose(1, 2, 0))
    items = [replace(mistake, picture=picture) for mistake, picture in zip(gallery.mistakes, pictures)]
    return replace(gallery, mistakes=tuple(items))
