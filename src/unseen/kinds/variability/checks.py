"""What a study of variability must ask."""

from __future__ import annotations

from unseen.kinds.category_asked import check_category
from unseen.kinds.collect import REPEAT, varied
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.design_facts import Varied
from unseen.vocabulary.errors import UnseenError, listed

FOLD, CLASS_SHARE = "design.fold", "design.class_share"


def check(study: Study, trial: Trial) -> None:
    """A gap needs the same objects canonical and varying; folds ask every object once, and draws would ask it again."""
    split = study.split(trial)
    facts = Varied.of(split.facts)
    check_category(study, trial, " of objects that were never shown")
    asked = [name for name in study.asked(trial) if name in facts.asked]
    home = [name for name in asked if not facts.asked[name] and name not in facts.on_training]
    if not home or not any(facts.asked[name] and name not in facts.on_training for name in asked):
        raise UnseenError(
            f"a gap is accuracy off the canonical view less accuracy at it, and recordings.sets asks "
            f'{listed(study.asked(trial)) or "nothing"}; name both, e.g. recordings.sets = ["canonical*", '
            f'"varying-*", "trained-canonical*"].'
        )
    if CLASS_SHARE in varied(study):
        raise UnseenError(
            f"the grid varies {CLASS_SHARE}, and gaps at several shares of the classes would be averaged as if they "
            "were repeats; run a study for each."
        )
    if {FOLD, REPEAT} <= set(varied(study)):
        raise UnseenError(
            f"the grid varies {FOLD} and {REPEAT}: folds ask every object once, and other draws would ask the same "
            f"objects again, which are no new repeats. Vary {FOLD} for one design.seed, or design.seed without folds."
        )
