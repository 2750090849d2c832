"""What the whole table of a study of replicas holds besides its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from unseen.kinds.collect import REPEAT, varied
from unseen.kinds.replica.read import EASIER, HARDER, of_draw, repeat_of
from unseen.studies.records import Record
from unseen.studies.study import Study

Row = dict[str, Any]


def extra_rows(study: Study, trials: Sequence[Record]) -> Iterator[Row]:
    """Accuracy on the easier and the harder half of the replica: which images these are is told by other trials."""
    drawn, category = REPEAT in varied(study), str(trials[0].facts["factors"][0])
    repeats = {one.identity: repeat_of(one, drawn) for one in trials}
    for repeat in sorted(set(repeats.values())):
        mine = [record for record in trials if repeats[record.identity] == repeat]
        for identity, name, right in of_draw(mine, category):
            if name in (EASIER, HARDER):
                head = {"trial": identity, "set": name, "target": category, "measure": "accuracy"}
                yield {**head, "value": float(right.mean()), "n": len(right)}
