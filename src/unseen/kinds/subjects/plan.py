"""What a study of subjects will be judged by: nothing, each number has its own interval."""

from __future__ import annotations

from unseen.kinds.planned import PlannedVerdicts
from unseen.studies.study import Study

WHY = "each subject's accuracy is told with its interval, and nothing is expected of it"


def plan(study: Study) -> PlannedVerdicts:
    return PlannedVerdicts(0, "subjects", 0, WHY)
