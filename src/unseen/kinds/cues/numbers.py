"""By which of two conflicting cues a network decided, pooled and by category. No polars: a machine that only trains
reads them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unseen.designs.decorrelate import CONFLICTING
from unseen.kinds.table import Row
from unseen.measures import ShapeBias, shape_bias
from unseen.studies.answers import read_answers, words
from unseen.studies.records import Record
from unseen.studies.sound import damaged
from unseen.vocabulary.design_facts import Decorrelated
from unseen.vocabulary.responses import COLUMNS

BIAS, FOLLOWED, OF_CATEGORY = "shape bias", "follows a cue", "shape bias by category"


def biases(record: Record) -> dict[str, ShapeBias]:
    """Pooled ("") and by category, of the images whose cues conflict. Those of one trial: answers of one network."""
    from pyarrow import ArrowException

    about, category = Decorrelated.of(record.split_facts), record.facts["factors"][0]
    column = about.cue if about.cue not in COLUMNS else f"factor_{about.cue}"
    try:
        table = read_answers(record.folder, "set", "target", "truth", "response", column)
        asked, targets, truth, response, cue = (words(table, name) for name in table.column_names)
    except (OSError, KeyError, ArrowException) as error:
        raise damaged(record.folder, error) from error
    every = list(dict.fromkeys((*about.agrees, *truth.names, *response.names)))
    own = {level: place for place, name in enumerate(every) if (level := about.agrees.get(name)) is not None}
    kept = asked.is_(CONFLICTING) & targets.is_(category)
    shape, said = (np.asarray(one.numbered(every))[kept].astype(np.int64) for one in (truth, response))
    texture = np.array([own.get(name, -1) for name in cue.names], np.int64)[cue.places[kept]]
    found = {"": shape_bias(shape, texture, said)}
    for name in truth.names:
        here = shape == every.index(name)
        if here.any():
            found[name] = shape_bias(shape[here], texture[here], said[here])
    return found


def bias_numbers(record: Record) -> Iterator[Row]:
    """Shape bias of one trial, pooled and by category (``level``), over its decisions for either cue; and the share of
    images that had one. Without any such decision it is undefined, and n is 0."""
    head = {"set": CONFLICTING, "target": record.facts["factors"][0]}
    found = biases(record)
    for name, one in found.items():
        row = {**head, "measure": OF_CATEGORY, "level": name} if name else {**head, "measure": BIAS}
        yield {**row, "value": one.bias.value, "n": one.shape + one.texture}
    whole = found[""]
    yield {**head, "measure": FOLLOWED, "value": whole.followed, "n": whole.conflicting}
