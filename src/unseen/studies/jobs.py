"""What there is to do in a study, in pieces that one worker takes at a time: calibrations, encoders, trials.

One piece has one key, the same on every device: trials that learn the same (they differ in what is recorded alone) are
one piece, so that it is learned once, and a GPU and a CPU that would use other precisions do not both do it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unseen.studies.encoders import BadEncoder, encoder_record
from unseen.studies.protocol_table import recipe_goes_together
from unseen.studies.trials import Trial

if TYPE_CHECKING:
    from unseen.studies.study import Study

TRIAL, ENCODER, CALIBRATION = "trial", "encoder", "calibration"


@dataclass(frozen=True, eq=False)
class Job:
    """One piece of work. ``answers``: of each trial the identities under which it may be finished, at any precision
    that answers it; ``needs``: the key of the encoder that comes before it; ``together``: whether many are answered at
    once, without the training loop."""

    key: str
    kind: str
    label: str
    trials: tuple[Trial, ...] = ()
    answers: tuple[frozenset[str], ...] = ()
    needs: str = ""
    together: bool = False

    def finished(self, names: Collection[str]) -> bool:
        """Whether all of it is among the names of what is stored."""
        return all(not one.isdisjoint(names) for one in self.answers)


def jobs_of(study: Study) -> list[Job]:
    """All that a study asks for, finished or not, what others need first. Trials whose strengths are still to be found
    are none yet: look again after the calibrations."""
    calibrations = [Job(name, CALIBRATION, one.label, (one.trial,)) for name, one in study.calibrations.items()]
    encoders = [Job(name, ENCODER, one.label, (one.trial,)) for name, one in study.encoders.items()]
    return [*calibrations, *encoders, *_trial_jobs(study)]


def _trial_jobs(study: Study) -> list[Job]:
    groups: dict[str, list[tuple[Trial, frozenset[str]]]] = {}
    for trial in study.trials:
        if trial.recipe.calibration.steps:
            continue
        learned = study.learned_names(trial)
        key = min(learned, key=lambda name: learned[name])  # that of one precision, whatever device asks
        groups.setdefault(key, []).append((trial, frozenset(study.names(trial))))
    jobs = []
    for key, group in groups.items():
        first = group[0][0]
        needed = study.encoder(first)
        jobs.append(
            Job(
                key, TRIAL, first.label, tuple(trial for trial, _ in group), tuple(names for _, names in group),
                needed.identity if needed is not None else "", recipe_goes_together(first.recipe),
            )
        )  # fmt: skip
    return jobs


def stored(study: Study) -> set[str]:
    """Names of all that is stored: of trials, encoders and calibrations. One listing each, and nothing is opened."""
    found = {name for name in _listed(study.store.trials) if not name.startswith(".")}
    found |= {name for name in _listed(study.path / "encoders") if not name.startswith(".")}
    return found | set(study.store.calibrations())


def _listed(folder: os.PathLike[str]) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def is_finished(study: Study, job: Job) -> bool:
    """Whether a piece of work is done, by a look at its own files."""
    if job.kind == CALIBRATION:
        return study.store.calibration_path(job.key).is_file()
    if job.kind == ENCODER:
        try:
            return encoder_record(study.store, job.key) is not None
        except BadEncoder:
            return False
    return all(any(study.store.has(name) for name in names) for names in job.answers)


def failed_names(study: Study, job: Job) -> list[str]:
    """Names under which failures of a piece of work are recorded."""
    if job.kind != TRIAL:
        names: list[str] = [job.key]
    else:
        names = [name for group in job.answers for name in group]
    return [name for name in names if study.store.failure_path(name).is_file()]


def left_to_do(study: Study, jobs: list[Job]) -> list[Job]:
    """Those of these that are not finished; encoders only where a trial that is left needs them."""
    names = stored(study)
    damaged = {name for name in names if (study.store.trials / name).is_dir() and not study.store.has(name)}
    names -= damaged
    open_trials = [job for job in jobs if job.kind == TRIAL and not job.finished(names)]
    needed = {job.needs for job in open_trials}
    first = [job for job in jobs if job.kind != TRIAL and not is_finished(study, job)]
    return [job for job in first if job.kind == CALIBRATION or job.key in needed] + open_trials


def by_key(jobs: list[Job]) -> Mapping[str, Job]:
    return {job.key: job for job in jobs}
