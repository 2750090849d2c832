"""Subjects: who knows what? Of models that are given as they are, and of people: accuracy by set, level and cell."""

from __future__ import annotations

from unseen.kinds.combinations import numbers
from unseen.kinds.table import Kind, later

KIND = Kind(
    "subjects",
    "How well does each subject know what is asked, and where does it fail?",
    designs=("ask",),
    numbers=numbers,
    summary=later("unseen.kinds.subjects.contents:summary_of_subjects"),
    findings=later("unseen.kinds.subjects.contents:findings_of_subjects"),
    contents=later("unseen.kinds.subjects.contents:gather_subjects"),
    page=later("unseen.kinds.subjects.page:subjects_page"),
    show=later("unseen.kinds.subjects.terminal:show_subjects"),
    plan=later("unseen.kinds.subjects.plan:plan_subjects"),
)
