"""Rules about failures: short lists of conditions on factors that tell wrong answers from right ones, found on one half
of the objects and judged on the other."""

from unseen.measures.rules.conditions import KINDS, Column, Condition
from unseen.measures.rules.found import Rule, RuleList, rule_list
from unseen.measures.rules.judged import NOTHING, FailureRules, JudgedRule, Length, failure_rules, score_test

__all__ = [
    "KINDS",
    "NOTHING",
    "Column",
    "Condition",
    "FailureRules",
    "JudgedRule",
    "Length",
    "Rule",
    "RuleList",
    "failure_rules",
    "rule_list",
    "score_test",
]
