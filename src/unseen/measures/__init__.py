"""Arrays in, numbers out: accuracy, units, statistics. No torch, no files; NaN where a quantity is undefined."""

from unseen.measures.accuracy import CellAccuracy, accuracy, cell_accuracy, chance, confusion_matrix, geometric_mean
from unseen.measures.comparisons import (
    PairedTest,
    RankCorrelation,
    paired_test,
    partial_rank_correlation,
    rank_correlation,
)
from unseen.measures.distance import level_distances, nearest_seen_distance
from unseen.measures.learning import epochs_to_reach, learning_lead
from unseen.measures.populations import TypeSummary, UnitSummary, unit_summary
from unseen.measures.scaling import scaled
from unseen.measures.statistics import Interval, mean_interval, median_interval, proportion_interval
from unseen.measures.units import (
    UnitScores,
    invariance,
    selectivity,
    specialization,
    unit_scores,
    unit_types,
)

__all__ = [
    "CellAccuracy",
    "Interval",
    "PairedTest",
    "RankCorrelation",
    "TypeSummary",
    "UnitScores",
    "UnitSummary",
    "accuracy",
    "cell_accuracy",
    "chance",
    "confusion_matrix",
    "epochs_to_reach",
    "geometric_mean",
    "invariance",
    "learning_lead",
    "level_distances",
    "mean_interval",
    "median_interval",
    "nearest_seen_distance",
    "paired_test",
    "partial_rank_correlation",
    "proportion_interval",
    "rank_correlation",
    "scaled",
    "selectivity",
    "specialization",
    "unit_scores",
    "unit_summary",
    "unit_types",
]
