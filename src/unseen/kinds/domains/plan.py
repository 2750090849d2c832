"""What a study that leaves a domain out will be judged by."""

from __future__ import annotations

from unseen.kinds.collect import REPEAT, varied
from unseen.kinds.domains.findings import repeat_words
from unseen.kinds.domains.numbers import NOTHING
from unseen.kinds.planned import PlannedVerdicts
from unseen.kinds.repeats import distinct, repeats
from unseen.measures.verdicts import FEWEST
from unseen.studies.study import Study

ON_AXES = ("design.left_out",)


def plan(study: Study) -> PlannedVerdicts:
    """Two claims of each domain over its repeats, and two over domains, which one repeat can decide."""
    draws, seeds = repeats(study)
    models = distinct(study, [key for key in varied(study) if key not in (REPEAT, *ON_AXES)])
    left = len({str(trial.recipe.design.arguments.get("left_out", NOTHING)) for trial in study.trials} - {NOTHING})
    n, over = draws or seeds, repeat_words(draws, 2)
    if n >= FEWEST:
        both = left >= FEWEST
        return PlannedVerdicts(n, over, 2 * (left + both) * models, also=f"over {left} domains" if both else "")
    if left >= FEWEST:
        return PlannedVerdicts(left, "domains", 2 * models, less="; none of a single domain")
    return PlannedVerdicts(n, over, 0)
