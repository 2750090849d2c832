"""The answers of all networks of a study that leaves a domain out. No polars: a machine that only trains reads them."""

from __future__ import annotations

from collections.abc import Sequence

from unseen.kinds.collect import REPEAT, finished_trials, nothing_finished, varied
from unseen.kinds.domains.numbers import DomainAnswers, read_trial
from unseen.studies.records import Record
from unseen.studies.study import Study

LEFT_OUT = "design.left_out"
Trials = Sequence[Record]


def read(study: Study) -> tuple[Trials, dict[str, str], list[DomainAnswers]]:
    """Finished trials, the model of each by its identity, and their answers."""
    trials, keys = finished_trials(study), varied(study)
    if not trials:
        raise nothing_finished(study)
    named = [key for key in keys if key not in (LEFT_OUT, REPEAT)]
    models, answered = {}, []
    for record in trials:
        facts = record.facts
        values = (facts["condition"].get(key) for key in named)
        model = " ".join(str(value) for value in values if value is not None)
        repeat = facts["description"].get("design", {}).get("seed", 0) if REPEAT in keys else facts["seed"]
        models[facts["identity"]] = model
        answered.append(read_trial(record, model, int(repeat)))
    return trials, models, answered
