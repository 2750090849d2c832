"""Trials that need no training loop, answered many at once: probes fitted together, models as they are.

What a model makes of pictures is kept (:mod:`unseen.studies.kept_features`), so that no picture is seen twice, whatever
is asked, and a kill costs the rows of a few seconds. Each trial is stored by itself as soon as it has its answers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from unseen.studies.encoders import encoder_flags
from unseen.studies.identities import learned_identity
from unseen.studies.protocol_table import AnsweredTrial, RunPlace, protocol_of, recipe_goes_together
from unseen.studies.recorded import Event, Watch, facts_before, fail, machine, write_files
from unseen.studies.store import DiskTrouble
from unseen.studies.study import Study
from unseen.studies.trials import Trial, precisions
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.responses import responses_table
from unseen.vocabulary.spans import clock

if TYPE_CHECKING:
    import pyarrow as pa

RecordMaps = Callable[[Study, Trial, "pa.Table", torch.device], Any]  # its answers are told; gives RecordedMaps

PACK = 512  # trials at a time (ours): a probe of 1,280 features and 54 classes takes megabytes, a network more
OFTEN = 10.0  # seconds between two words of progress


def goes_together(trial: Trial) -> bool:
    """Whether a trial is answered with others, rather than trained."""
    return recipe_goes_together(trial.recipe)


def check_together(trial: Trial) -> None:
    """Units are not looked at where no network is in training: what asks for them would do nothing."""
    recordings, name = trial.recipe.recordings, trial.recipe.protocol_name
    if recordings.layers not in ("last", "none"):  # "last" is the default
        raise UnseenError(
            f"recordings.layers = {recordings.layers!r} keeps the activity of units, and protocol = '{name}' answers "
            'from features and outputs that are kept, not from layers; set recordings.layers = "none".'
        )
    if recordings.invariance:
        raise UnseenError(
            f"recordings.invariance = true needs the activity of units, which protocol = '{name}' does not record; "
            f"leave it out."
        )


def answer_together(
    study: Study, trials: Sequence[Trial], device: torch.device, watch: Watch, record: RecordMaps
) -> None:
    """Answer trials, those of one protocol and one precision together, and store each. One that fails is recorded, and
    the others go on. ``record`` gives the maps that a recipe asks for."""
    groups: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        key = trial.recipe.protocol_name, precisions(trial.recipe, device.type)[0]
        groups.setdefault(key, []).append(trial)
    for (_, precision), group in groups.items():
        _answer(study, group, device, precision, watch, record)


def _answer(
    study: Study, trials: Sequence[Trial], device: torch.device, precision: str, watch: Watch, record: RecordMaps
) -> None:
    ready: list[Trial] = []
    for trial in trials:
        name = study.identity(trial, precision)
        try:
            protocol_of(trial.recipe).check(trial)
            check_together(trial)
            ready.append(trial)
            watch(Event("started", trial.label, name))
        except Exception as error:
            fail(study, trial, name, error, watch)
    if not ready:
        return
    together = protocol_of(ready[0].recipe).together
    assert together is not None
    where = RunPlace(device, precision, _telling(watch))
    started, left = time.perf_counter(), {id(trial): trial for trial in ready}
    try:
        for trial, found in together.answer(study, ready, where):
            left.pop(id(trial))
            name = study.identity(trial, precision)
            if isinstance(found, Exception):
                fail(study, trial, name, found, watch)
                continue
            spent = time.perf_counter() - started
            try:
                _store(study, trial, name, precision, found, len(ready), spent, device, record)
            except DiskTrouble:
                raise
            except Exception as error:  # of this trial, and of no other
                fail(study, trial, name, error, watch)
                continue
            watch(Event("finished", trial.label, name, {"seconds": found.seconds, "flags": dict(found.flags)}))
    except (torch.OutOfMemoryError, DiskTrouble):
        raise
    except (Exception, SystemExit) as error:  # what all of those that are left need failed
        for trial in left.values():
            fail(study, trial, study.identity(trial, precision), error, watch)


def _store(
    study: Study,
    trial: Trial,
    name: str,
    precision: str,
    found: AnsweredTrial,
    packed: int,
    together: float,
    device: torch.device,
    record: RecordMaps,
) -> None:
    known = facts_before(study, trial, precision)
    facts = {
        "identity": name,
        "learned": learned_identity(known["description"]),
        **known,
        "tasks": {},
        "network": dict(found.network),
        "curve": [],
        "best_epoch": -1,
        "seconds": found.seconds,
        "packed": packed,
        "seconds_together": together,
        "machine": machine(device),
        **({"search": found.search} if found.search else {}),
        "flags": {**encoder_flags(study, trial), **found.flags},
        **found.facts,
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S"),
    }
    tables = {"responses": _responses(study, trial, name, found)}
    maps = record(study, trial, tables["responses"], device)
    facts["flags"] = {**facts["flags"], **maps.flags}
    if maps.facts:
        facts["explanations"] = dict(maps.facts)
    study.store.save(name, partial(write_files, {**tables, **maps.tables}, {"maps": maps.arrays}, facts))


def _responses(study: Study, trial: Trial, name: str, found: AnsweredTrial) -> pa.Table:
    import pyarrow as pa

    samples, targets = study.world(trial).samples, study.targets(trial)
    tables = []
    for asked, rows, answers in found.answers:
        wanted = [target for target in targets if target.name in answers]
        said: Mapping[str, Any] = {"subject": trial.label, "trial": name, "asked": asked, "rows": rows}
        tables.append(responses_table(samples, wanted, **said, answers=answers))
    if not tables:
        raise UnseenError(f"'{trial.label}' has no image to answer in any set it is asked.")
    return pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()


def _telling(watch: Watch) -> Any:
    """Progress of what takes long, with the time left, now and then."""
    told: dict[str, tuple[float, float, int]] = {}  # when it began, when last told, rows done then

    def progress(what: str, done: int, total: int) -> None:
        now = time.perf_counter()
        began, last, first = told.setdefault(what, (now, now, done))
        if now - (last if done < total else began) < OFTEN:
            return
        told[what] = began, now, first
        rate = (done - first) / (now - began) if now > began and done > first else 0.0
        left = f", {clock((total - done) / rate)} left" if rate and done < total else ""
        watch(Event("computing", f"{what}: {done:,} of {total:,}{left}", figures={"done": done, "of": total}))

    return progress
