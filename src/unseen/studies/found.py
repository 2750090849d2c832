"""The findings of a study alone, for the terminal: as the report has them, without its figures and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unseen.reports.contents import Finding
    from unseen.studies.study import Study


def findings_of(study: Study) -> tuple[Finding, ...]:
    """All findings, corrected for their number."""
    if study.recipe.task == "regression":
        from unseen.kinds.in_domain.contents import findings_of_regression

        return findings_of_regression(study)
    from unseen.kinds.conditions.contents import findings_of_matrix, is_matrix
    from unseen.kinds.domains.numbers import is_domains
    from unseen.kinds.exposure.numbers import is_exposure

    if is_exposure(study.recipe):
        from unseen.kinds.exposure.contents import findings_of_exposure

        return findings_of_exposure(study)
    if is_matrix(study.recipe):
        return findings_of_matrix(study)
    if is_domains(study.recipe):
        from unseen.kinds.domains.contents import findings_of_domains

        return findings_of_domains(study)
    from unseen.kinds.contents import findings_of_combinations

    return findings_of_combinations(study)
