"""Looking: does what a network rests its answer on lie on the object, where it saw the combination and where not?"""

from __future__ import annotations

from unseen.kinds.table import kind_in
from unseen.kinds.trial_numbers import classifier_numbers_and

KIND = kind_in(
    __name__,
    "Do networks look at the object, on what they saw and on what they did not?",
    numbers=classifier_numbers_and(f"{__name__}.numbers:truth_numbers"),
    check="checks:check",
)
