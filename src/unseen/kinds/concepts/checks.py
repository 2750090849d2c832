"""What a study of concepts must have."""

from __future__ import annotations

from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError


def check(study: Study, trial: Trial) -> None:
    """Some trials read their class from concepts, and all ask for the same class, first."""
    if not any(one.recipe.network.sharing.startswith("concepts") for one in study.trials):
        raise UnseenError(
            'kind = "concepts" sets networks that read the class from concepts beside others, and none does so here; '
            'put "network.sharing" = ["concepts", "shared"] into [grid].'
        )
    first = study.targets(study.trials[0])[0].name
    if (own := study.targets(trial)[0].name) != first:
        raise UnseenError(
            f"kind = 'concepts' compares networks by one class, the first of targets; '{first}' and '{own}' were given."
        )
