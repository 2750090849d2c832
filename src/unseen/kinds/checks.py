"""All that `unseen run` would refuse, found without training: what any study must have, then what its kind asks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from unseen.kinds.published import check_published
from unseen.kinds.table import kind_of
from unseen.studies.checks import check_study
from unseen.studies.study import Study
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import parse, recipe_from

if TYPE_CHECKING:
    from unseen.designs import Audit
    from unseen.studies.trials import Trial


def check(study: Study) -> list[tuple[Trial, Audit]]:
    """Everything a recipe names exists and fits together, for every point of its grid; no network is trained.

    Gives one trial per distinct split with the audit of that split."""
    check_published(study.recipe.published)
    kind = kind_of(study.recipe)
    check_study(study)
    for trial in study.points:
        kind.check(study, trial)
    return study.audits


def proven(text: str, where: Path) -> str:
    """Why ``unseen check`` would refuse a recipe, "" where it passes."""
    try:
        check(Study(recipe_from(parse(text, str(where)), str(where)), Path("runs/check")))
    except UnseenError as fault:
        return str(fault)
    return ""
