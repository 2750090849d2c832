"""What a study of where networks look must record."""

from __future__ import annotations

from unseen.kinds.category_asked import check_category
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError


def check(study: Study, trial: Trial) -> None:
    """Methods, and images whose maps are compared with the rendered object."""
    section = trial.recipe.explanations
    if not section.methods or not section.scored:
        raise UnseenError(
            'kind = "looking" compares maps with the rendered object; name explanations.methods, and set '
            "explanations.scored to a number of images of each set, e.g. 40."
        )
    check_category(study, trial, " of images whose maps are compared with the rendered object")
