"""Arrays in, numbers out: accuracy, regression, units, codes, statistics. No torch, no files; NaN where undefined."""

from unseen.measures.accuracy import CellAccuracy, accuracy, cell_accuracy, chance, confusion_matrix, geometric_mean
from unseen.measures.comparisons import (
    PairedTest,
    RankCorrelation,
    paired_test,
    partial_rank_correlation,
    rank_correlation,
)
from unseen.measures.disentanglement import DCI, MIG, dci, mig
from unseen.measures.distance import level_distances, nearest_seen_distance
from unseen.measures.learning import epochs_to_reach, learning_lead
from unseen.measures.populations import TypeSummary, UnitSummary, unit_summary
from unseen.measures.regression import (
    FactorScores,
    KindMean,
    OneOut,
    SeedSummary,
    TowardsMean,
    asked_variance,
    by_kind,
    factor_kinds,
    factor_scores,
    grid_variance,
    modularity,
    r2,
    seed_summary,
    share_towards_mean,
    towards_mean,
    undefined_factors,
)
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
    "DCI",
    "MIG",
    "CellAccuracy",
    "FactorScores",
    "Interval",
    "KindMean",
    "OneOut",
    "PairedTest",
    "RankCorrelation",
    "SeedSummary",
    "TowardsMean",
    "TypeSummary",
    "UnitScores",
    "UnitSummary",
    "accuracy",
    "asked_variance",
    "by_kind",
    "cell_accuracy",
    "chance",
    "confusion_matrix",
    "dci",
    "epochs_to_reach",
    "factor_kinds",
    "factor_scores",
    "geometric_mean",
    "grid_variance",
    "invariance",
    "learning_lead",
    "level_distances",
    "mean_interval",
    "median_interval",
    "mig",
    "modularity",
    "nearest_seen_distance",
    "paired_test",
    "partial_rank_correlation",
    "proportion_interval",
    "r2",
    "rank_correlation",
    "scaled",
    "seed_summary",
    "selectivity",
    "share_towards_mean",
    "specialization",
    "towards_mean",
    "undefined_factors",
    "unit_scores",
    "unit_summary",
    "unit_types",
]
