"""Conditions: trained on some conditions (distortions, transformations), asked on all (Geirhos et al. 2018)."""

from __future__ import annotations

from unseen.kinds.combinations import numbers
from unseen.kinds.table import Kind, later

KIND = Kind(
    "conditions",
    "Trained on some conditions: which others are known?",
    designs=("matrix",),
    numbers=numbers,
    summary=later("unseen.kinds.conditions.contents:summary_of_matrix"),
    findings=later("unseen.kinds.conditions.contents:findings_of_matrix"),
    contents=later("unseen.kinds.conditions.contents:gather_matrix"),
    page=later("unseen.kinds.conditions.page:conditions_page"),
    show=later("unseen.kinds.conditions.terminal:show_matrix"),
    plan=later("unseen.kinds.conditions.plan:plan_conditions"),
    check=later("unseen.kinds.conditions.checks:check_category"),
)
