"""Trials become results: build, train side by side, record, store."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from unseen.recordings import activity_per_cell, respond
from unseen.studies.asked import layers_to_record
from unseen.studies.concepts import interventions
from unseen.studies.encoders import encoder_flags
from unseen.studies.identities import identity, learned_identity
from unseen.studies.invariances import RecordedInvariance, record_invariance
from unseen.studies.kept_weights import KeptWeights, TrainingRecord, Unusable, keep, read, remove
from unseen.studies.latents import latents_recorded
from unseen.studies.learners import finished, learner_of, with_weights
from unseen.studies.missing_trials import kept_of
from unseen.studies.recorded import Event, Watch, facts_before, fail, machine, write_files
from unseen.studies.store import DiskTrouble
from unseen.studies.study import Study
from unseen.studies.together import answer_together, goes_together
from unseen.studies.trials import Trial, describe, precisions
from unseen.studies.weight_budget import keeps_weights
from unseen.training import LabelledData, Learner, Trained, reproducible, train
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.responses import responses_table

if TYPE_CHECKING:
    import pyarrow as pa


FAULTS = (Exception, SystemExit)  # a user's network that leaves has failed; the others go on


def execute(study: Study, trials: Sequence[Trial], device: torch.device, watch: Watch) -> None:
    """Train these trials together on one device and store each; those whose weights are kept are asked, not trained,
    and those that need no training loop are answered together. A trial that cannot be built or trained is recorded as
    failed and the others go on; running out of the device's memory is the caller's to handle (fewer at a time)."""
    with reproducible(trials[0].recipe.training.threads):
        if together := [trial for trial in trials if goes_together(trial)]:
            answer_together(study, together, device, watch, _given_maps)
        left = [trial for trial in trials if not goes_together(trial) and not _ask(study, trial, device, watch)]
        _execute(study, left, device, watch)


def _ask(study: Study, trial: Trial, device: torch.device, watch: Watch) -> bool:
    """Record a trial from the weights it would learn, if they are kept; False where it is to be trained."""
    kept = kept_of(study, trial, device.type)
    if kept is None:
        return False
    name = study.identity(trial, kept.precision)
    try:
        started = time.perf_counter()
        learned, state = read(kept)
        network = with_weights(study, trial, state, device)
        watch(Event("started", trial.label, name))
        how = {"machine": machine(device), "weights": kept.identity}
        flags = _record(study, trial, name, kept.precision, network, learned, device, how)
    except (torch.OutOfMemoryError, DiskTrouble):
        raise
    except Unusable as error:
        _discard(study, kept)
        watch(Event("note", f"{trial.label}: its kept weights cannot be used, so it is trained again: {error}"))
        return False
    except FAULTS as error:
        fail(study, trial, name, error, watch)
        return True
    spent = time.perf_counter() - started
    watch(Event("finished", trial.label, name, {"seconds": spent, "flags": flags, "asked": True}))
    return True


def _discard(study: Study, kept: KeptWeights) -> None:
    """Weights that cannot be used give way to those that are learned anew; a trial that holds its own stays."""
    if study.weights_inside.get(kept.identity) == kept.folder:
        del study.weights_inside[kept.identity]
    else:
        remove(study.store, [kept.identity])


def _execute(study: Study, trials: Sequence[Trial], device: torch.device, watch: Watch) -> None:
    ready: list[tuple[Trial, str, str]] = []
    learners: list[Learner] = []
    held: dict[Any, LabelledData] = {}
    for trial in trials:
        precision = precisions(trial.recipe, device.type)[0]
        name = identity(describe(trial, study.world(trial), precision))
        try:
            learners.append(learner_of(study, trial, precision, device, held))
            ready.append((trial, name, precision))
            watch(Event("started", trial.label, name))
        except (torch.OutOfMemoryError, DiskTrouble):
            raise
        except FAULTS as error:
            fail(study, trial, name, error, watch)
    if not learners:
        return
    started = time.perf_counter()
    done: list[Trained] | None = None
    try:
        done = train(learners, lambda place, f: watch(Event("epoch", ready[place][0].label, ready[place][1], f)))
    except (torch.OutOfMemoryError, DiskTrouble):
        raise
    except FAULTS as error:
        if len(ready) == 1:
            fail(study, ready[0][0], ready[0][1], error, watch)
            return
    if done is None:  # one of them broke the pack: let each show whether it is the one
        del learners, held  # the error is gone by now, and with it what it held of the device's memory
        for trial, _, _ in ready:
            execute(study, [trial], device, watch)
        return
    together = time.perf_counter() - started + sum(learner.spent for learner in learners)
    for (trial, name, precision), learner, trained in zip(ready, learners, done):
        if "validation" not in study.split(trial).sets:
            trained = replace(trained, flags={**trained.flags, "no validation": _without(trial)})
        trained = replace(trained, flags={**encoder_flags(study, trial), **trained.flags})
        try:
            started = time.perf_counter()
            trained = finished(study, trial, learner, trained)
            alone = time.perf_counter() - started  # counts whole for this trial, as if all had taken it
            seconds = together + alone * len(ready)
            learned = _learned(trained, len(ready), seconds, device)
            if keeps_weights(study):
                _keep(study, trial, precision, learned, trained.network, watch)
            flags = _record(study, trial, name, precision, trained.network, learned, device)
        except (torch.OutOfMemoryError, DiskTrouble):
            raise
        except FAULTS as error:
            fail(study, trial, name, error, watch)
            continue
        watch(Event("finished", trial.label, name, {"seconds": trained.seconds, "flags": flags}))


def _without(trial: Trial) -> str:
    """What it means that a split has no rows for validation."""
    chosen = "the epoch was chosen on training images; " if trial.recipe.training.select == "best" else ""
    return f"{chosen}the curves named validation are of training images"


def _learned(trained: Trained, packed: int, together: float, device: torch.device) -> TrainingRecord:
    return TrainingRecord(
        list(trained.curve), trained.best_epoch, trained.flags, trained.seconds, packed, together, machine(device),
        trained.search,
    )  # fmt: skip


def _keep(study: Study, trial: Trial, precision: str, learned: TrainingRecord, network: Any, watch: Watch) -> None:
    """Keep the weights before anything is asked of them: whoever is killed while asking need not train again."""
    description = describe(trial, study.world(trial), precision)
    if why := keep(study.store, description, learned, network.network.state_dict()):
        watch(Event("note", f"{trial.label}: its weights are not kept: {why}"))


def _record(
    study: Study,
    trial: Trial,
    name: str,
    precision: str,
    network: Any,
    learned: TrainingRecord,
    device: torch.device,
    asked: Mapping[str, Any] | None = None,
) -> dict[str, str]:
    """Answers, activity and facts of a trained network, into the store; gives what a reader of them must know.
    ``asked``: how, where this was not right after training."""
    recordings = trial.recipe.recordings
    layers = layers_to_record(recordings.layers, network.layers)
    tables = {"responses": _answers(study, trial, name, network, device, precision)}
    if (told := interventions(study, trial, network, device, precision)) is not None:
        tables["concepts"] = told
    arrays = {
        "activity": _activity(study, trial, network, layers if recordings.cells else (), device, precision),
        "latents": latents_recorded(study, trial, network, device),
    }
    invariance, flags = RecordedInvariance(), learned.flags
    if recordings.invariance:
        try:
            invariance = record_invariance(study, trial, network, layers, device=device, precision=precision)
        except UnseenError as error:  # the network is trained: keep what there is, say what there is not
            flags = {**flags, "no invariance": str(error)}
    maps = _maps(study, trial, network, tables["responses"])
    tables, arrays, flags = {**tables, **maps.tables}, {**arrays, "maps": maps.arrays}, {**flags, **maps.flags}
    known = facts_before(study, trial, precision)
    facts = {
        "identity": name,
        "learned": learned_identity(known["description"]),
        **known,
        "tasks": {layer: list(network.tasks_of(layer)) for layer in layers},
        "network": network.description,
        **learned.facts(),
        "flags": flags,
        **({"invariance": invariance.facts} if invariance.facts else {}),
        **({"explanations": dict(maps.facts)} if maps.facts else {}),
        **({"asked": asked} if asked else {}),
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S"),
    }
    study.store.save(name, partial(write_files, {**tables, **invariance.tables}, arrays, facts))
    return flags


def _maps(study: Study, trial: Trial, network: Any, answers: pa.Table) -> Any:
    """Maps of what the network looks at, where the recipe asks for them; the network is trained, and what cannot be
    drawn of it is told."""
    from unseen.studies.explained.recorded_maps import RecordedMaps, record_maps

    if not trial.recipe.explanations.methods:
        return RecordedMaps()
    try:
        return record_maps(study, trial, network, answers)
    except UnseenError as error:
        return RecordedMaps(flags={"no maps": str(error)})


def _given_maps(study: Study, trial: Trial, answers: pa.Table, device: torch.device) -> Any:
    """Maps of a model as it is, where the recipe asks for them."""
    from unseen.studies.explained.looked import trial_looked
    from unseen.studies.explained.recorded_maps import RecordedMaps, asked_images, record_of

    if not trial.recipe.explanations.methods:
        return RecordedMaps()
    try:
        if trial.recipe.network.model is None or trial.recipe.protocol_name != "given":
            raise UnseenError(f"protocol = '{trial.recipe.protocol_name}' keeps no network that could be looked into")
        looked = trial_looked(study, trial, device)
        target = study.targets(trial)[0].name
        return record_of(study, trial, looked, asked_images(study, trial, answers, target))
    except UnseenError as error:
        return RecordedMaps(flags={"no maps": str(error)})


def _answers(
    study: Study, trial: Trial, name: str, network: torch.nn.Module, device: torch.device, precision: str
) -> pa.Table:
    """What the network says to every row it is asked, of every target that the row set asks."""
    import pyarrow as pa

    world, split, targets = study.world(trial), study.split(trial), study.targets(trial)
    tables = []
    for asked in study.asked(trial):
        rows, asks = split.rows(world.samples, asked), split[asked].asks
        wanted = [target for target in targets if asks is None or target.factor in asks]
        answers = respond(
            network, [target.name for target in wanted], world.images, rows,
            device=device, precision=precision, numbers=trial.recipe.task == "regression",
        )  # fmt: skip
        said = {"subject": trial.label, "trial": name, "asked": asked, "rows": rows, "answers": answers}
        tables.append(responses_table(world.samples, wanted, **said))
    return pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()


def _activity(
    study: Study, trial: Trial, network: torch.nn.Module, layers: Sequence[str], device: torch.device, precision: str
) -> dict[str, np.ndarray]:
    """Mean activity of every unit in every cell of the design's two factors, and the images of each; none asked: {}."""
    if not layers:
        return {}
    world, split = study.world(trial), study.split(trial)
    space, rows = world.samples.space.select(split.factors), split.rows(world.samples, "probe")
    cells = space.numbers(world.samples.cells(rows, split.factors))
    means, counts = activity_per_cell(
        network, layers, world.images, rows, cells, space.size,
        activity=trial.recipe.recordings.activity, device=device, precision=precision,
    )  # fmt: skip
    found = {layer: m.reshape(len(m), *space.shape).astype(np.float32) for layer, m in means.items()}
    return {**found, "images": counts.reshape(space.shape).astype(np.int32)}
