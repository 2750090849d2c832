"""Weights and images become maps and pictures: what a network looks at, what excites its units, and whether to believe
it."""

from unseen.explanations.asked import Difference, Score, Unit
from unseen.explanations.methods import METHODS, Explanation, Method, explain, explain_rows, possible

__all__ = ["METHODS", "Difference", "Explanation", "Method", "Score", "Unit", "explain", "explain_rows", "possible"]
