"""What a study will be able to decide, before it is run: its repeats, its comparisons, the least effect it would find.

The number of comparisons is that of the findings a report of such a study has; it is an estimate where a finding needs
what only the trained networks tell (an encoder that collapsed, a family of transformations).
"""

from __future__ import annotations

from dataclasses import dataclass

from unseen.measures import least_effect
from unseen.measures.verdicts import FEWEST


@dataclass(frozen=True)
class PlannedVerdicts:
    """``n`` repeats, and what they are; ``comparisons`` of the page; ``shared``: why they decide nothing, whatever
    their number; ``spread``: a typical standard deviation of Separate − Shared between repeats in accuracy, 0 where the
    study has no such pair. ``also``: over what else findings are judged, ``less``: which are not, ``apart``: what is
    judged by other numbers than the repeats, whatever these decide."""

    n: int
    over: str
    comparisons: int
    shared: str = ""
    spread: float = 0.0
    also: str = ""
    less: str = ""
    apart: str = ""

    @property
    def decides(self) -> bool:
        """Whether any verdict is possible."""
        return not self.shared and self.n >= FEWEST

    def words(self) -> list[str]:
        """What the plan says, and the check where nothing can be decided.

        >>> PlannedVerdicts(2, "seeds", 5).words()
        ['verdicts: none will be possible, 2 seeds are fewer than 3 repeats']
        >>> PlannedVerdicts(5, "draws of categories", 8).words()[1].partition(" to be ")[0]
        'an effect must be 3.0 times as large as the spread between draws'
        """
        open_ = self.shared or (_few(self.n, self.over) if self.n < FEWEST else "")
        if open_ and self.apart:
            return [f"verdicts: {self.apart}; no others: {open_}"]
        if open_:
            return [f"verdicts: none will be possible, {open_}"]
        many = f"about {self.comparisons} comparison{'s' * (self.comparisons != 1)}"
        also = f", and {self.also}," if self.also else ","
        head = f"verdicts: over {self.n} {self.over}{also} corrected for {many}{self.less}"
        corrected, alone = least_effect(self.n, comparisons=max(1, self.comparisons)), least_effect(self.n)
        told = (
            f"an effect must be {corrected:.1f} times as large as the spread between {self.over.split()[0]} to be "
            f"found in 80 % of such studies ({alone:.1f} times were it the only comparison)"
        )
        points = (
            f"; at a spread of {self.spread:g}, typical of Separate − Shared, that is {self.spread * corrected:.2f} of "
            f"accuracy"
        )
        return [head, told + points if self.spread else told]


def _few(n: int, over: str) -> str:
    """
    >>> _few(1, "draws of the images")
    '1 draw of the images is fewer than 3 repeats'
    """
    first, space, rest = over.partition(" ")
    one = f"{first.removesuffix('s')}{space}{rest} is" if n == 1 else f"{over} are"
    return f"{n} {one} fewer than {FEWEST} repeats"
