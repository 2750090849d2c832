"""What a repeat of a study of combinations is."""

from __future__ import annotations

from unseen.kinds.collect import REPEAT, varied
from unseen.kinds.combinations.findings import CHOICE, SEED
from unseen.studies.study import Study

DRAWN = ("hold_out_combinations",)  # designs that draw the cells they hold out


def repeats_of(study: Study) -> tuple[tuple[str, str], bool]:
    """What repeats of a study of combinations are called, and whether they all share one choice of held-out cells.
    Where a list gives the cells there is nothing to choose, and seeds repeat the study."""
    if REPEAT in varied(study):
        return CHOICE, False
    return SEED, study.recipe.design.name in DRAWN
