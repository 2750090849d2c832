"""Whether a study keeps its weights: all of them, or none, by a budget.

All or none (ours), decided by the recipe alone, so that it can be told before anything is trained and does not depend
on which trials happened to finish first.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from unseen.studies.protocol_table import recipe_goes_together
from unseen.studies.study import Study
from unseen.studies.trials import Trial, code_in_identity, without_start
from unseen.vocabulary.sizes import size_text

KEY = "recordings.weights"


@dataclass(frozen=True)
class WeightBudget:
    """The weights of all ``networks`` that a study trains take ``bytes``; ``most`` is ``recordings.weights``."""

    networks: int
    bytes: int
    most: bool | float

    @property
    def kept(self) -> bool:
        return self.most if isinstance(self.most, bool) else self.bytes <= self.most * 1e9

    def words(self) -> str:
        """
        >>> WeightBudget(3, 134_000_000, 2.0).words().partition(", so")[0]
        'weights: 134 MB of 3 networks are kept (recordings.weights allows 2 GB)'
        >>> WeightBudget(90, 4_020_000_000, 2.0).words().partition(":")[2].partition(";")[0]
        ' 4.02 GB of 90 networks, more than recordings.weights allows (2 GB), are not kept'
        """
        what = f"{size_text(self.bytes)} of {self.networks} network{'s' * (self.networks != 1)}"
        later = "asking a finished trial for something new trains it again"
        if self.most is False:
            return f"weights: {what} are not kept ({KEY} = false); {later}"
        allowed = "= true" if self.most is True else f"allows {size_text(self.most * 1e9)}"
        if self.kept:
            return f"weights: {what} are kept ({KEY} {allowed}), so that more can be asked of them later"
        wanted = f"--set {KEY}={max(1, -(-self.bytes // 10**9))}"
        limit = allowed.removeprefix("allows ")
        return f"weights: {what}, more than {KEY} allows ({limit}), are not kept; {later}. {wanted} keeps them"


def keeps_weights(study: Study) -> bool:
    """Whether the weights of what is trained are kept: by ``recordings.weights`` and what all would take. Decided once
    for a study, since it takes a look at every network."""
    decided = study.decided if study.decided is not None else study.__dict__.get("_keeps_weights")
    if decided is None:
        decided = study.__dict__["_keeps_weights"] = weight_budget(study).kept
    return decided


def weight_budget(study: Study, trials: Sequence[Trial] | None = None) -> WeightBudget:
    """What the weights of all trials would take, finished or not, or of these. Those that learn the same count once."""
    sizes: dict[str, int] = {}
    some = study.trials if trials is None else trials
    learned = {
        _learned(trial): trial for trial in some if not recipe_goes_together(trial.recipe)
    }  # those keep features instead
    total = 0
    for trial in learned.values():
        key = _network(study, trial)
        if key not in sizes:
            sizes[key] = weight_bytes(study, trial)
        total += sizes[key]
    return WeightBudget(len(learned), total, study.recipe.recordings.weights)


def weight_bytes(study: Study, trial: Trial) -> int:
    """Bytes of a trial's weights, by a network without numbers in it where that can be (a user's own code is run as it
    will be); none of one that cannot be built, which its own trial tells."""
    from unseen.models import without_numbers
    from unseen.studies.learners import network_of

    name, make = (
        trial.recipe.network.backbone,
        partial(network_of, study, without_start(trial, study.world(trial).size)),
    )
    try:
        made = make() if code_in_identity(name) else without_numbers(make, name)
        return sum(tensor.numel() * tensor.element_size() for tensor in made.network.state_dict().values())
    except (Exception, SystemExit):
        return 0


def _learned(trial: Trial) -> str:
    told = trial.recipe.model_dump(mode="json", exclude={"grid", "recordings", "explanations", "measures"})
    return json.dumps([told, trial.seed], sort_keys=True, default=str)


def _network(study: Study, trial: Trial) -> str:
    outputs = [(target.name, target.outputs) for target in study.targets(trial)]
    recipe = trial.recipe
    return f"{recipe.network.model_dump_json()} {recipe.protocol_name} {study.world(trial).size} {outputs}"
