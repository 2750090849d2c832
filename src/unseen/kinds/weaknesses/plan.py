"""Over what a study of weaknesses will be judged."""

from __future__ import annotations

from unseen.kinds.planned import PlannedVerdicts
from unseen.studies.study import Study
from unseen.vocabulary.design_facts import EachVaried


def plan(study: Study) -> PlannedVerdicts:
    """Over objects: what a factor costs is judged by what it costs each of them."""
    facts = study.split(study.points[0]).facts
    if not isinstance(facts, EachVaried) or not facts.varied:
        return PlannedVerdicts(0, "objects", 0, "no factor has a canonical level, from which a gap is measured")
    if not facts.objects:
        return PlannedVerdicts(0, "objects", 0, "it is not known which images show one object")
    return PlannedVerdicts(facts.objects, "objects", len(facts.varied) + 1)
