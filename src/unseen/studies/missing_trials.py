"""What is missing of a study, by what it takes: a look at weights that are kept, or training.

A trial may be missing because it was never trained, or because something else is asked of it than was recorded. Where
its weights are kept, asking is enough.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from unseen.studies.glances import Looked, glances
from unseen.studies.identities import learned_identity
from unseen.studies.kept_weights import KeptWeights, all_kept, taken, weights_folder
from unseen.studies.protocol_table import protocol_of
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.studies.weight_budget import keeps_weights
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.trust import CodeUnknown

MOST = 6  # trials named one by one


@dataclass(frozen=True)
class MissingTrials:
    """Trials to ``ask`` from weights that are kept; to train ``again``, since something new is asked of them and their
    weights are gone; and to train for the first time (``new``)."""

    ask: tuple[Trial, ...]
    again: tuple[Trial, ...]
    new: tuple[Trial, ...]

    def words(self) -> list[str]:
        """What a run says before it starts, where it is not the usual."""
        found = []
        if n := len(self.ask):
            whose = "its weights are kept, and it is" if n == 1 else "their weights are kept, and they are"
            found.append(f"{_trials(n)}: {whose} asked without training")
        given = [trial for trial in self.again if not protocol_of(trial.recipe).trains]
        if n := len(given):
            is_, whose = ("is", "its model is") if n == 1 else ("are", "their models are")
            found.append(
                f"{n} finished trial{'s' * (n != 1)} {is_} asked for something new: {whose} asked again, and nothing "
                "is trained"
            )
        trained = [trial for trial in self.again if protocol_of(trial.recipe).trains]
        if n := len(trained):
            is_, whose, they = ("is", "its", "it is") if n == 1 else ("are", "their", "they are")
            names = listed((trial.label for trial in trained), MOST)
            found.append(
                f"{n} finished trial{'s' * (n != 1)} {is_} asked for something new, and {whose} weights are not kept: "
                f"{they} trained again: {names}"
            )
        return found


def _trials(n: int) -> str:
    return f"{n} trial{'s' * (n != 1)}"


def missing_trials(
    study: Study,
    device: str = "cpu",
    missing: Sequence[Trial] | None = None,
    looked: Looked | None = None,
) -> MissingTrials:
    """What is missing, as far as it can be told: trials whose strengths are to be calibrated are new. ``missing`` and
    ``looked``: where it is known what is missing, and what there is (:func:`~unseen.studies.glances.glances`)."""
    looked = glances(study.path) if looked is None else looked
    ask, rest = _parted(study, study.missing(device) if missing is None else missing, device, looked)
    before = _learned_before(study, looked) if rest else set()
    again = [bool(before & set(_learned(study, trial, device))) for trial in rest]
    trained = [tuple(trial for trial, known in zip(rest, again) if known is wanted) for wanted in (True, False)]
    return MissingTrials(tuple(ask), *trained)


def _parted(
    study: Study, trials: Sequence[Trial], device: str, looked: Looked | None = None
) -> tuple[list[Trial], list[Trial]]:
    """Those whose weights are kept, and the others."""
    if looked is not None and not any(taken(study.store, looked)):
        return [], list(trials)
    kept = [kept_of(study, trial, device) is not None for trial in trials]
    return [trial for trial, one in zip(trials, kept) if one], [trial for trial, one in zip(trials, kept) if not one]


def kept_of(study: Study, trial: Trial, device: str = "cpu") -> KeptWeights | None:
    """The weights that a trial would learn, if they are kept, at any precision that answers the recipe."""
    for identity, precision in _learned(study, trial, device).items():
        folder = weights_folder(study.store, identity) or study.weights_inside.get(identity)
        if folder is not None:
            return KeptWeights(identity, folder, precision)
    return None


def without_weights(study: Study, device: str = "cpu") -> str:
    """That finished trials have no weights although they are to be kept, or nothing: they stay finished, since what was
    found of them holds."""
    done = [trial for trial in study.trials if study.find(trial, device) is not None]
    n = sum(kept_of(study, trial, device) is None for trial in done) if keeps_weights(study) else 0
    whose = f"{n} finished trial{'s' * (n != 1)}"
    return f"{whose} kept no weights; a run with another --out trains and keeps them" if n else ""


def turns(study: Study, trials: Sequence[Trial], device: str) -> list[list[Trial]]:
    """The same trials, those that can be asked first, and such as learn what another one learns after that one."""
    ask, rest = _parted(study, trials, device)
    first, after, met = list(ask), list[Trial](), set[str]()
    for trial in rest:
        learned = set(_learned(study, trial, device))
        (after if learned & met else first).append(trial)
        met |= learned
    return [first, after]


def _learned(study: Study, trial: Trial, device: str) -> dict[str, str]:
    """The identities of what a trial learns, with the precision of each, the one this device uses first; none where
    that cannot be told yet (strengths to be calibrated), or not here (images or code that are not at hand)."""
    if trial.recipe.calibration.steps or study.absent:
        return {}
    try:
        return study.learned_names(trial, device)
    except CodeUnknown:
        return {}


def left_behind(study: Study) -> list[str]:
    """What is kept in ``weights/`` that no trial of the recipe would learn, on any device."""
    needed = {identity for trial in study.trials for identity in _learned(study, trial, "cpu")}
    return [identity for identity in all_kept(study.store) if identity not in needed]


def _learned_before(study: Study, looked: Looked) -> set[str]:
    found = set(looked.whole.values())
    for name in looked.others:  # those whose facts at least can be read
        with contextlib.suppress(UnseenError):
            found.add(learned_identity(study.store.read(name)["description"]))
    return found
