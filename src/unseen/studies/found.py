"""The findings of a study alone, for the terminal: as the report has them, without its figures and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unseen.reports.contents import Finding
    from unseen.studies.study import Study


def findings_of(study: Study) -> tuple[Finding, ...]:
    """All findings, corrected for their number."""
    if study.recipe.task == "regression":
        from unseen.studies.regression_contents import findings_of_regression

        return findings_of_regression(study)
    from unseen.studies.domains import is_domains
    from unseen.studies.exposures import is_exposure
    from unseen.studies.matrices import findings_of_matrix, is_matrix

    if is_exposure(study.recipe):
        from unseen.studies.exposure_contents import findings_of_exposure

        return findings_of_exposure(study)
    if is_matrix(study.recipe):
        return findings_of_matrix(study)
    if is_domains(study.recipe):
        from unseen.studies.domain_contents import findings_of_domains

        return findings_of_domains(study)
    from unseen.studies.contents import findings_of_combinations

    return findings_of_combinations(study)
