"""The rules of everyone in a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from unseen.kinds.failures.subject_answers import SubjectAnswers, all_answers
from unseen.measures import holm
from unseen.measures.rules import NOTHING, FailureRules, failure_rules
from unseen.measures.verdicts import ALPHA
from unseen.studies.study import Study
from unseen.vocabulary.errors import UnseenError


@dataclass(frozen=True, eq=False)
class SubjectRules:
    """The rules about failures of ``name`` at one ``target``; what its objects are (``over``). ``corrected``: p for how
    many were asked in one study."""

    name: str
    target: str
    over: str
    found: FailureRules
    corrected: float = float("nan")

    @property
    def tells(self) -> bool:
        """Whether failures are told apart, with as many tests as the study has."""
        return self.found.tells and self.corrected <= ALPHA

    @property
    def why(self) -> str:
        """Why not, if they are not."""
        if self.tells:
            return ""
        return self.found.why or f"{NOTHING}, corrected for how many were tested (p = {self.corrected:.2f})"


def rules_of(study: Study, *, longest: int = 5, conditions: int = 2, compare: bool = True) -> tuple[SubjectRules, ...]:
    """Rules about the failures of everyone who answered in a study; regressions have no wrong answers."""
    if study.recipe.task == "regression":
        raise UnseenError("rules tell wrong answers from right ones, and this study's networks answer with numbers.")
    made = [_of(one, longest, conditions, compare) for one in all_answers(study)]
    if not made:
        raise UnseenError(f"study '{study.path}' has no answers yet: `unseen run` trains and asks its networks.")
    return corrected(made)


def _of(one: SubjectAnswers, longest: int, conditions: int, compare: bool) -> SubjectRules:
    found = failure_rules(one.wrong, one.columns, one.objects, longest=longest, conditions=conditions, compare=compare)
    return SubjectRules(one.name, one.target, one.over, found)


def corrected(made: Sequence[SubjectRules]) -> tuple[SubjectRules, ...]:
    """With p corrected for how many lists were tested (Holm 1979)."""
    return tuple(replace(one, corrected=p) for one, p in zip(made, holm([one.found.p for one in made])))
