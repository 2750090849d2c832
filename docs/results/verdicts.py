"""The library's verdicts as the pages tell them, and the check that a sentence says what the library says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from docs.results.numbers import MARKS, holm, number
from unseen.reports.finding import Finding


class WithFindings:
    """Tables of a study, with what the library ``found`` in them."""

    found: Any

    def agrees(self, holds: bool | None, begins: str, *parts: str) -> str:
        """Nothing, or an error where the library's verdict is not what the sentence beside it says."""
        one = pick(self.found, begins, *parts)
        if one.holds is not holds:
            raise AssertionError(f"the page says {MARKS[holds]} of '{begins}', the library {MARKS[one.holds]}: {one}")
        return ""

    def verdict(self, begins: str, *parts: str, digits: int = 3) -> str:
        one = pick(self.found, begins, *parts)
        ends = f" [{number(one.low, digits)}, {number(one.high, digits)}]" if np.isfinite(one.low) else ""
        return f"{MARKS[one.holds] if one.judged else 'not judged'}: {number(one.value, digits)}{ends}{corrected(one)}"


def pick(found: Sequence[Finding], begins: str, *parts: str) -> Finding:
    mine = [one for one in found if one.name.startswith(begins) and all(part in one.statement for part in parts)]
    if len(mine) != 1:
        names = "; ".join(f"{one.name} | {one.statement[:70]}" for one in found)
        raise LookupError(f"{len(mine)} findings are named '{begins}' with {parts}: {names}")
    return mine[0]


def corrected(one: Finding) -> str:
    p = one.corrected if getattr(one, "corrected", None) is not None else one.p
    if p is None or not np.isfinite(p):
        return f" ({one.why})" if one.why else ""
    shown = "p < .001" if p < 0.0005 else f"p = {number(p)}"
    doubt = one.why and not one.why.startswith(("the interval includes", "corrected for"))
    words = f" ({one.why})" if doubt and one.holds is None and one.judged else ""
    return f", {shown} corrected for {one.comparisons}{words}" if one.comparisons else f", {shown}{words}"


def told(one: Finding) -> str:
    ends = f" [{number(one.low, 2)}, {number(one.high, 2)}]" if np.isfinite(one.low) else ""
    mark = MARKS[one.holds] if one.judged else "not judged"
    return f"{mark}: {number(one.value, 2)}{ends}{corrected(one)}"


def check_holm(found: Sequence[Finding]) -> None:
    """The library's corrected p and verdicts, by the other Holm: of claims, and of what an answer may speak of."""
    tested = [one for one in found if one.p is not None and (one.judged or one.key)]
    for one, p in zip(tested, holm([float(one.p or 0) for one in tested])):
        assert one.corrected is not None
        assert np.isclose(one.corrected, p, atol=1e-9), (one.name, one.corrected, p)
        assert not (p > 0.05 and one.holds is not None), one.name
