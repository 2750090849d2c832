"""What a study will be able to decide, before it is run: its repeats, its comparisons, the least effect it would find.

The number of comparisons is that of the findings a report of such a study has; it is an estimate where a finding needs
what only the trained networks tell (an encoder that collapsed, a family of transformations).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unseen.measures import least_effect
from unseen.measures.verdicts import FEWEST
from unseen.studies.collect import REPEAT, varied
from unseen.studies.contents import SPLIT, axis, repeats_of
from unseen.studies.domains import is_domains
from unseen.studies.exposures import is_exposure
from unseen.studies.findings import MOST_CURVES
from unseen.studies.matrices import OWN, is_matrix
from unseen.studies.trials import setting_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unseen.studies.study import Study

# Standard deviation of Separate − Shared between choices of held-out cells, each averaged over diversities: .022, .014
# and .021 in the tables mnist-position-choices, mnist-scale-choices and rendered-cars-choices (n = 4 each).
SPREAD = 0.02


@dataclass(frozen=True)
class Planned:
    """``n`` repeats, and what they are; ``comparisons`` of the page; ``shared``: why they decide nothing, whatever
    their number; ``spread``: a typical standard deviation of the repeats in accuracy, 0 where none is known."""

    n: int
    over: str
    comparisons: int
    shared: str = ""
    spread: float = 0.0

    @property
    def decides(self) -> bool:
        """Whether any verdict is possible."""
        return not self.shared and self.n >= FEWEST

    def words(self) -> list[str]:
        """What the plan says, and the check where nothing can be decided.

        >>> Planned(2, "seeds", 5).words()
        ['verdicts: none will be possible, 2 seeds are fewer than 3 repeats']
        >>> Planned(5, "draws of categories", 8).words()[1].partition(": ")[2]
        'an effect of 3.0 standard deviations of the repeats (1.7 were it the only comparison)'
        """
        many = f"about {self.comparisons} comparison{'s' * (self.comparisons != 1)}"
        head = f"verdicts: over {self.n} {self.over}, corrected for {many}"
        if self.shared:
            return [f"verdicts: none will be possible, {self.shared}"]
        if self.n < FEWEST:
            return [f"verdicts: none will be possible, {self.n} {self.over} are fewer than {FEWEST} repeats"]
        corrected, alone = least_effect(self.n, comparisons=max(1, self.comparisons)), least_effect(self.n)
        points = (
            f"; about {self.spread * corrected:.2f} of accuracy at a spread of {self.spread:g}" if self.spread else ""
        )
        told = f"found in 80 % of such studies: an effect of {corrected:.1f} standard deviations of the repeats"
        return [head, f"{told} ({alone:.1f} were it the only comparison){points}"]


def planned(study: Study) -> Planned:
    """What a study of this kind will be judged by."""
    recipe, keys = study.recipe, varied(study)
    draws = len({repr(trial.condition.get(REPEAT)) for trial in study.trials}) if REPEAT in keys else 0
    seeds = len(recipe.seeds)
    if recipe.task == "regression":
        return _regression(study, seeds)
    models = _distinct(study, [key for key in keys if key not in (REPEAT, *_AXES)])
    if is_exposure(recipe):
        shared = "" if draws else 'all repeats share one choice of categories: give grid."design.seed" several values'
        each = 8 if recipe.recordings.invariance else 5
        return Planned(draws or seeds, "draws of categories" if draws else "seeds", each * models, shared)
    if is_matrix(recipe):
        groups = min(4, _distinct(study, [key for key in keys if key in OWN]))
        return Planned(draws or seeds, "draws of the images" if draws else "seeds", (groups + 2) * models)
    if is_domains(recipe):
        left = _distinct(study, ["design.left_out"])
        over = "draws of the images" if draws else "seeds of one split"
        return Planned(draws or seeds, over, 2 * (left + 1) * models)
    unit, one_choice = repeats_of(study)
    shared = 'all seeds share one choice of held-out cells: give grid."design.seed" several values'
    return Planned(draws or seeds, unit[1], _combinations(study), shared if one_choice else "", SPREAD)


_AXES = ("design.seen", "design.level", "design.left_out", "world.levels", "world.strengths", *OWN)


def _regression(study: Study, seeds: int) -> Planned:
    """Over models, each by the mean of its seeds; of one model, over its seeds."""
    assert axis(study)[0] == SPLIT
    keys = axis(study)[2]
    worlds = [key for key in keys if key.startswith("world")]
    models = _distinct(study, [key for key in keys if key not in worlds])
    encoders = any(trial.recipe.training.objective != "supervised" for trial in study.trials)
    comparisons = (5 + 3 * encoders) * _distinct(study, worlds)
    return Planned(models, "models", comparisons) if models > 1 else Planned(seeds, "seeds", comparisons)


def _combinations(study: Study) -> int:
    """Trends of each curve (or of all together), pairs of architectures, specialization of each target."""
    column, _, keys = axis(study)
    targets = len(study.targets(study.trials[0]))
    curves = _distinct(study, keys)
    more = column == "combinations" and _distinct(study, ["design.seen_per_level"]) > 1
    told = 1 + (targets > 1)
    trends = 2 * told * (curves if curves <= MOST_CURVES else 1) if more else 0
    sharing = {trial.recipe.network.sharing for trial in study.trials}
    groups = curves // max(1, len(sharing))
    others = sharing - {"shared"} if "shared" in sharing else set()
    pairs = groups * sum(1 + targets * (one == "separate" and targets > 1) for one in others)
    units = targets if study.recipe.recordings.layers != "none" else 0
    return max(1, trends + pairs + units)


def _distinct(study: Study, keys: Sequence[str]) -> int:
    return len({tuple(setting_text(key, trial.condition.get(key)) for key in keys) for trial in study.trials})
