"""What a study will be able to decide, before it is run: its repeats, its comparisons, the least effect it would find.

The number of comparisons is that of the findings a report of such a study has; it is an estimate where a finding needs
what only the trained networks tell (an encoder that collapsed, a family of transformations).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unseen.kinds.collect import REPEAT, varied
from unseen.kinds.combinations.findings import MOST_CURVES
from unseen.kinds.conditions.contents import OWN, is_matrix
from unseen.kinds.contents import SPLIT, axis, repeats_of
from unseen.kinds.domains.findings import repeat_words
from unseen.kinds.domains.numbers import NOTHING, is_domains
from unseen.kinds.exposure.numbers import is_exposure
from unseen.measures import least_effect
from unseen.measures.verdicts import FEWEST, FEWEST_SIGNS
from unseen.studies.trials import setting_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unseen.studies.study import Study

# Standard deviation of Separate − Shared between choices of held-out cells, each averaged over diversities: .022, .014
# and .021 in the tables mnist-position-choices, mnist-scale-choices and rendered-cars-choices (n = 4 each).
SPREAD = 0.02
ONE_CHOICE = 'all repeats share one choice of categories: give grid."design.seed" several values'


@dataclass(frozen=True)
class Planned:
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

        >>> Planned(2, "seeds", 5).words()
        ['verdicts: none will be possible, 2 seeds are fewer than 3 repeats']
        >>> Planned(5, "draws of categories", 8).words()[1].partition(" to be ")[0]
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


def planned(study: Study) -> Planned:
    """What a study of this kind will be judged by."""
    recipe, keys = study.recipe, varied(study)
    draws = len({repr(trial.condition.get(REPEAT)) for trial in study.trials}) if REPEAT in keys else 0
    seeds = len(recipe.seeds)
    if recipe.task == "regression":
        return _regression(study, seeds)
    models = _distinct(study, [key for key in keys if key not in (REPEAT, *_AXES)])
    if is_exposure(recipe):
        return _exposures(study, draws, seeds, models)
    if is_matrix(recipe):
        groups = min(4, _distinct(study, [key for key in keys if key in OWN]))
        return Planned(draws or seeds, "draws of the images" if draws else "seeds", (groups + 2) * models)
    if is_domains(recipe):
        return _domains(study, draws, seeds, models)
    unit, one_choice = repeats_of(study)
    shared = 'all seeds share one choice of held-out cells: give grid."design.seed" several values'
    compared = {"separate", "shared"} <= {trial.recipe.network.sharing for trial in study.trials}
    spread = SPREAD if compared else 0.0
    return Planned(draws or seeds, unit[1], _combinations(study), shared if one_choice else "", spread)


def _exposures(study: Study, draws: int, seeds: int, models: int) -> Planned:
    """Trends of both accuracies and of invariance, where there are numbers to compare; the lowest family and the cue;
    invariance beside both accuracies; what is near chance, over transformations, where τ is searched for."""
    asked = [trial.recipe.design.arguments for trial in study.trials]
    recorded = study.recipe.recordings
    rising = len({one.get("seen") or 0 for one in asked} - {0}) > 1
    given = [one.get("level") for one in [one for one in asked if one.get("seen")] or asked]
    levels = len({str(level) for one in given for level in (one if isinstance(one, list | tuple) else [one])})
    near = recorded.invariance and recorded.threshold == "search" and levels >= FEWEST_SIGNS
    each = 2 * rising + 2 + (2 + rising) * recorded.invariance + near
    over = f"over {levels} transformations"
    return Planned(
        draws or seeds, "draws of categories" if draws else "seeds", each * models, "" if draws else ONE_CHOICE,
        also=over if near else "",
        apart=f"{over}, whether accuracy is near chance without the active units" if near else "",
    )  # fmt: skip


def _domains(study: Study, draws: int, seeds: int, models: int) -> Planned:
    """Two claims of each domain over its repeats, and two over domains, which one repeat can decide."""
    left = len({str(trial.recipe.design.arguments.get("left_out", NOTHING)) for trial in study.trials} - {NOTHING})
    n, over = draws or seeds, repeat_words(draws, 2)
    if n >= FEWEST:
        both = left >= FEWEST
        return Planned(n, over, 2 * (left + both) * models, also=f"over {left} domains" if both else "")
    if left >= FEWEST:
        return Planned(left, "domains", 2 * models, less="; none of a single domain")
    return Planned(n, over, 0)


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
    keys = axis(study)[2]
    targets = len(study.targets(study.trials[0]))
    curves = _distinct(study, keys)
    along = [key for key in varied(study) if key not in (*keys, REPEAT)]  # what is on the x axis
    more = _distinct(study, along) > 1
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
