"""Maps that a study records of a network, as its recipe's ``[explanations]`` asks: of the most telling images for the
report, of some images of each set beside what a rendered world knows of them, and how maps change when layers are drawn
anew. A few images at a time; only the telling ones keep their maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from unseen.explanations import METHODS, Score, explain
from unseen.explanations.methods import noted
from unseen.measures import energy_gain, energy_on, pointing_game, rank_by_region
from unseen.studies.explained.album import of_rows
from unseen.studies.explained.answered import AskedImages, asked_images
from unseen.studies.explained.checked import MEASURES, check, checkable, evenly
from unseen.studies.explained.drawn import CHUNK, draw, together
from unseen.studies.explained.looked import Looked, sized
from unseen.studies.explained.telling import telling
from unseen.studies.explained.usual import drawable, with_given
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.seeds import keyed, stream

if TYPE_CHECKING:
    import pyarrow as pa

REGIONS = {"object": 0, "background": -1, "floor": -2}  # labels of a rendered pixel
SHUFFLED = "shuffled"  # the world of random labels


@dataclass(frozen=True, eq=False)
class RecordedMaps:
    """``tables`` and ``arrays`` by the names of their files, ``facts`` for the trial's record, ``flags`` to be told."""

    tables: Mapping[str, pa.Table] = field(default_factory=dict)
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    flags: Mapping[str, str] = field(default_factory=dict)


def check_explanations(study: Study, trial: Trial) -> None:
    """Names and settings are refused before anything is trained."""
    section = trial.recipe.explanations
    if not section.methods:
        return
    for method in section.methods:
        if method not in METHODS:
            raise unknown("method", method, METHODS, where="explanations.methods")
    size = study.world(trial).size
    with_given(section.methods, section.settings, (int(size[0]), int(size[1])))
    if trial.recipe.task != "classification":
        raise UnseenError(
            f'task = "{trial.recipe.task}" answers with numbers, and maps are of the score of a class; leave '
            "[explanations] out."
        )
    if section.scored and not is_rendered(study, trial):
        raise UnseenError(
            f"explanations.scored = {section.scored} compares maps with what each pixel shows, which rendered worlds "
            f"know and '{trial.recipe.world.name}' does not; leave it out."
        )


def is_rendered(study: Study, trial: Trial) -> bool:
    """Whether it is known what each pixel of its images shows. To look at ``furnished`` itself would make objects."""
    world = study.world(trial)
    return hasattr(world, "scenes") and (hasattr(type(world), "furnished") or "furnished" in world.__dict__)


def record_maps(study: Study, trial: Trial, network: Any, table: pa.Table) -> RecordedMaps:
    """What ``[explanations]`` asks of a trained network, given its answers."""
    target = study.targets(trial)[0]
    world = study.world(trial)
    looked = Looked(
        trial.label, network, {}, tuple(map(str, target.classes)), sized(world.size, world.channels), "", target.name
    )
    return record_of(study, trial, looked, asked_images(study, trial, table, target.name))


def record_of(study: Study, trial: Trial, looked: Looked, asked: AskedImages) -> RecordedMaps:
    """The same, of whatever can be looked into."""
    section, world = trial.recipe.explanations, study.world(trial)
    if not len(asked):
        return RecordedMaps(flags={"no maps": "no test image was asked that they could be drawn for"})
    first = of_rows(world, asked.rows[:1], looked.frame).fetch([0])
    size = (int(first.shape[2]), int(first.shape[3]))
    able, left = drawable(looked, first, Score(None, looked.target), section.methods, section.settings, named=False)
    given = {method: own for method, own in section.settings.items() if method in able}
    settings = with_given(able, given, size)
    tables, facts = {}, {"methods": list(able), "left": dict(left), "settings": _plain(settings), "size": list(size)}
    arrays, told = _shown(study, trial, looked, asked, settings)
    facts["shown"] = told
    if section.scored:
        tables["explanations"] = _scored(study, trial, looked, asked, settings)
    if section.checked >= 2:
        coarse = with_given(able, given, size, checks=True)
        weighed = {method: checkable(looked, method) for method in able if METHODS[method].needs != "nothing"}
        unchecked = {method: why for method, why in weighed.items() if why}
        facts["unchecked"] = unchecked
        coarse = {method: own for method, own in coarse.items() if method not in unchecked}
        found, more = _checked(study, trial, looked, asked, coarse)
        tables["map_similarity"] = found
        arrays = {**arrays, **more}
    flags = {"maps left out": listed(f"{method} ({why})" for method, why in left.items())} if left else {}
    return RecordedMaps(tables, arrays, facts, flags)


def _plain(settings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        method: {key: list(one) if isinstance(one, tuple) else one for key, one in own.items() if key != "batch"}
        for method, own in settings.items()
    }


def _shown(
    study: Study, trial: Trial, looked: Looked, asked: AskedImages, settings: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, np.ndarray], list[dict[str, Any]]]:
    """Pictures and maps of the most telling images, and what is to be said of each."""
    images = trial.recipe.explanations.images
    chosen = telling(study, trial, looked, asked, images) if images else ()
    if not chosen:
        return {"rows": np.zeros(0, np.int64), "pictures": np.zeros((0, 1, 1, 1), np.uint8)}, []
    album = of_rows(study.world(trial), [one.row for one in chosen], looked.frame)
    made = together(list(draw(looked, album, Score(None, looked.target), settings, None)))
    arrays: dict[str, np.ndarray] = {"rows": np.array([one.row for one in chosen]), "pictures": made.pictures}
    for method, maps in made.maps.items():
        arrays[f"maps.{method}"] = _halved(maps)
    told = [
        {"title": one.truth, "words": one.words, "group": one.group, "right": one.right,
         "notes": {method: made.notes[method][at] for method in made.notes if made.notes[method][at]}}
        for at, one in enumerate(chosen)
    ]  # fmt: skip
    return arrays, told


def _halved(maps: np.ndarray) -> np.ndarray:
    """Maps in half precision, each by its largest value: what is drawn knows no scale."""
    finite = np.where(np.isfinite(maps), maps, 0)
    most = abs(finite).max((1, 2), keepdims=True)
    return np.divide(finite, most, out=np.zeros_like(finite), where=most > 0).astype(np.float16)


def _chosen(asked: AskedImages, each: int) -> AskedImages:
    """So many images of each set, the same ones for every network that is asked about them."""
    order = np.argsort(keyed(0, "explained", asked.rows), kind="stable")
    kept = [at for name in dict.fromkeys(asked.sets.tolist()) for at in order[asked.sets[order] == name][:each]]
    return asked.part(np.array(kept, dtype=np.int64))


def _scored(
    study: Study, trial: Trial, looked: Looked, asked: AskedImages, settings: Mapping[str, Mapping[str, Any]]
) -> pa.Table:
    """One row for each image and method: how much of its evidence lies on the object, and how regions rank. The score
    is that of the class that is answered."""
    import pyarrow as pa

    from unseen.worlds.rendering.renderer import layers

    world: Any = study.world(trial)
    mine = _chosen(asked, trial.recipe.explanations.scored)
    columns: dict[str, list[Any]] = {}
    for start in range(0, len(mine), CHUNK):
        part = mine.part(np.arange(start, min(start + CHUNK, len(mine))))
        pictures = looked.frame(world.images(part.rows))
        labels = layers(world.scenes(part.rows), world.furnished, world.side).label.cpu().numpy()
        labels = _as_seen(looked, labels, pictures.shape[2:])
        mask = labels == REGIONS["object"]
        for method, own in settings.items():
            found = explain(looked.model, pictures, method, Score(None, looked.target), **own)
            told = {
                "energy on object": energy_on(found.maps, mask), "energy over area": energy_gain(found.maps, mask),
                "pointing game": pointing_game(found.maps, mask), "area of object": mask.mean((1, 2)),
                **{f"rank of {name}": one for name, one in rank_by_region(found.maps, labels, REGIONS).items()},
            }  # fmt: skip
            rows = {
                "method": [method] * len(part), "set": part.sets, "sample": part.rows, "right": part.right,
                "unseen": part.unseen, "note": list(noted(found.maps)), **told,
            }  # fmt: skip
            for name, values in rows.items():
                columns.setdefault(name, []).extend(np.asarray(values).tolist())
    return pa.table(columns)


def _as_seen(looked: Looked, labels: np.ndarray, size: Sequence[int]) -> np.ndarray:
    """Labels ``[n, h, w]`` framed as the network's pictures are."""
    if tuple(labels.shape[1:]) == tuple(size):
        return labels
    colours = torch.from_numpy(np.stack([labels + 10] * 3, 1).astype(np.uint8) * 20)
    framed = looked.frame(colours)[:, 0].numpy()
    return np.round(framed / 20).astype(np.int64) - 10


def _checked(
    study: Study, trial: Trial, looked: Looked, asked: AskedImages, settings: Mapping[str, Mapping[str, Any]]
) -> tuple[pa.Table, dict[str, np.ndarray]]:
    """How alike maps are before and after each step; and the maps before, so that networks can be compared. The
    pictures are those of the world itself where it deals them to other rows (random labels), and the score is that of
    what they show, so that all networks of a study are asked the same (pictures of any pool then)."""
    import pyarrow as pa

    section = trial.recipe.explanations
    world: Any = study.world(trial)
    plain = world.inner if hasattr(world, "shown") else world  # a shuffled world shows other rows' pictures
    if trial.recipe.world.name == SHUFFLED:  # its splits hold other pictures: the same ones for all networks
        rows = np.unique(stream(0, "checked").integers(len(plain.samples), size=4 * section.checked))
    else:
        seen = asked.part(np.flatnonzero(~asked.unseen)) if (~asked.unseen).any() else asked
        rows = np.unique(seen.rows)
    rows = rows[np.argsort(keyed(0, "checked", rows), kind="stable")]
    rows = np.sort(rows[evenly(len(rows), section.checked)])
    pictures = looked.frame(plain.images(rows))
    factor = study.targets(trial)[0].factor
    truth = Score(tuple(int(one) for one in plain.samples.levels(factor, rows)), looked.target)
    columns: dict[str, list[Any]] = {}
    for order in section.orders:
        for method, one in check(looked, pictures, truth, settings, None, order=order, faithful=False).items():
            for step, name in enumerate(one.steps):
                count = len(rows)
                told: dict[str, Any] = {
                    "method": [method] * count, "order": [order] * count, "step": [step] * count,
                    "layer": [name] * count, "sample": rows.tolist(),
                    **{key: one.alike[key][step].tolist() for key in MEASURES},
                }  # fmt: skip
                for key, values in told.items():
                    columns.setdefault(key, []).extend(values)
    before = {
        f"checked.{method}": _halved(explain(looked.model, pictures, method, truth, **own).maps)
        for method, own in settings.items()
    }
    return pa.table(columns), {**before, "checked rows": rows}
