"""Domains: photos of several collections, one left out; is the category known in it?"""

from __future__ import annotations

from unseen.kinds.table import kind_in
from unseen.kinds.trial_numbers import classifier_numbers_and

KIND = kind_in(
    __name__,
    "Is a category known in a domain that was never seen?",
    designs=("leave_one_out",),
    task="",
    numbers=classifier_numbers_and(f"{__name__}.numbers:by_domain"),
    check="checks:check",
    extra_rows="extra_rows:extra_rows",
)
