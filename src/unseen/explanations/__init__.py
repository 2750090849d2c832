"""Weights and images become maps and pictures: what a network looks at, what excites its units, and whether to believe
it."""

from unseen.explanations.asked import Difference, Score, Unit
from unseen.explanations.dreams import dream
from unseen.explanations.evidence import Evidence, evidence
from unseen.explanations.exciting import Patch, exciting_patches
from unseen.explanations.faithful import curves, infidelity, sensitivity
from unseen.explanations.maximised import Excited, excite_layer, maximise
from unseen.explanations.methods import METHODS, Explanation, Method, explain, explain_rows, possible
from unseen.explanations.randomised import Randomised, of_other_network, under_randomisation
from unseen.explanations.unit_sheets import patch_sheets, unit_sheets

__all__ = [
    "METHODS",
    "Difference",
    "Evidence",
    "Excited",
    "Explanation",
    "Method",
    "Patch",
    "Randomised",
    "Score",
    "Unit",
    "curves",
    "dream",
    "evidence",
    "excite_layer",
    "exciting_patches",
    "explain",
    "explain_rows",
    "infidelity",
    "maximise",
    "of_other_network",
    "patch_sheets",
    "possible",
    "sensitivity",
    "under_randomisation",
    "unit_sheets",
]
