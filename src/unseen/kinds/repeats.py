"""What a study repeats: draws of its design, training seeds, settings that its grid varies."""

from __future__ import annotations

from collections.abc import Sequence

from unseen.kinds.collect import REPEAT, varied
from unseen.studies.study import Study
from unseen.studies.trials import setting_text


def distinct(study: Study, keys: Sequence[str]) -> int:
    return len({tuple(setting_text(key, trial.condition.get(key)) for key in keys) for trial in study.trials})


def repeats(study: Study) -> tuple[int, int]:
    """Draws of the design that the grid varies (0: none), and training seeds."""
    draws = len({repr(trial.condition.get(REPEAT)) for trial in study.trials}) if REPEAT in varied(study) else 0
    return draws, len(study.recipe.seeds)
