"""Raise a transformation's strength until a network trained on plain images fails (Zaidi et al. 2020, supplement).

The paper raises the σ of blur by 0.5 and that of white noise by 25 until the accuracy of such a network is below 10 %
(ImageNet: 15 %). With few categories chance is there already, so ``target = "relative"`` asks for chance plus a tenth
of the way to the plain accuracy. Ours: the same test images at every strength, with the same draw of noise; a strength
is chosen by the accuracy as it was measured, without regard to its interval.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import nn

from unseen.measures import accuracy, chance
from unseen.recordings import respond
from unseen.studies.execute import Event, Watch, machine
from unseen.studies.learners import finished, learner_of
from unseen.studies.recorded import faults_in_words
from unseen.studies.strengths import Calibration, check_target, curve_text, found_text, possible_strengths
from unseen.studies.study import Study
from unseen.studies.trials import precisions
from unseen.training import Trained, reproducible, train
from unseen.vocabulary.design_facts import Exposed
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import stream
from unseen.vocabulary.target import Target
from unseen.worlds.transforms.transformed import TransformedWorld

RELATIVE = 0.1  # of the way from chance to the plain accuracy
DOUBT = 2.0  # standard errors above chance from which an accuracy is told from it (ours)


@dataclass(frozen=True)
class StrengthCurve:
    """Accuracy at rising strengths up to the first under the target, which is ``chosen``; None where there is none."""

    strengths: tuple[float, ...]
    accuracy: tuple[float, ...]
    n: int
    chosen: float | None
    reason: str = ""


def calibrate(
    study: Study, *, device: torch.device | str = "cpu", watch: Watch | None = None
) -> dict[str, dict[str, Any]]:
    """Do the calibrations that a study lacks, one after the other, and give the records of all, by identity.

    Each record is kept as soon as it is whole; one that was killed is done again. A calibration that finds no strength
    is kept too, with its curve, and raises: no trial can be trained without it. Afterwards the study's trials have
    their strengths.
    """
    tell = watch or (lambda event: None)
    found: dict[str, dict[str, Any]] = {}
    try:
        for name, needed in study.calibrations.items():
            fresh = study.store.calibration(name) is None
            if fresh:
                do_calibration(study, needed, device=device, watch=tell)
            record = study.store.calibration(name)
            assert record is not None
            check_found(study, needed, record)
            if fresh:
                tell(Event("calibrated", needed.label, name, {"text": found_text(record)}))
            found[name] = record
    finally:
        study.refresh()
    return found


def do_calibration(study: Study, needed: Calibration, *, device: torch.device | str, watch: Watch) -> None:
    """Do one calibration and keep its record, whether or not it found its strengths."""
    watch(Event("calibrating", needed.label, needed.identity, {"levels": list(needed.section.steps)}))
    study.store.keep_calibration(needed.identity, _done(study, needed, torch.device(device), watch))
    gc.collect()


def fall(
    ask: Callable[[float], float], strengths: Sequence[float], below: float, n: int, *, most: int | None = None
) -> StrengthCurve:
    """``ask(strength)`` at rising strengths until it is under ``below``; ``n`` images are asked each time.

    >>> fall(lambda strength: 1 - strength, [0.25, 0.5, 0.75, 1.0], 0.5, 100).chosen
    0.75
    """
    seen: list[float] = []
    for strength in strengths:
        seen.append(ask(strength))
        if seen[-1] < below:
            return StrengthCurve(tuple(strengths[: len(seen)]), tuple(seen), n, strength)
    last = f"{strengths[-1]:g}, the last of {len(strengths)} step{'s' * (len(strengths) != 1)}"
    if most is not None and len(strengths) < most:
        last = f"{strengths[-1]:g}, the last step within its range"
    return StrengthCurve(
        tuple(strengths), tuple(seen), n, None, f"accuracy was still {seen[-1]:.3f} at strength {last}"
    )


def accuracy_at(
    network: nn.Module,
    target: Target,
    world: TransformedWorld,
    rows: np.ndarray,
    level: str,
    strength: float | None = None,
    *,
    device: torch.device,
    precision: str = "float32",
) -> float:
    """How often a network is right about rows shown at ``level`` with this strength (None: that of the world), whatever
    level they have now.

    The images are those that a world with this strength shows: noise depends on the row inside, not on the strength.
    """
    place = world.levels.index(level)
    numbers = list(world.strengths)
    numbers[place] = numbers[place] if strength is None else strength
    there = replace(world, strengths=tuple(numbers))
    shown = rows // len(world.levels) * len(world.levels) + place
    answers = respond(network, [target.name], there.images, shown, device=device, precision=precision)
    return accuracy(target.truth(world.samples, rows), answers[target.name][0])


def _done(study: Study, needed: Calibration, device: torch.device, watch: Watch) -> dict[str, Any]:
    """Train the plain network and take its curves; whatever breaks is told in words."""
    section = needed.trial.recipe.training
    with faults_in_words(needed.label, "training.batch", section.batch), reproducible(section.threads):
        return _record(study, needed, device, watch)


def _record(study: Study, needed: Calibration, device: torch.device, watch: Watch) -> dict[str, Any]:
    started = time.perf_counter()
    trial, section = needed.trial, needed.section
    world, (target,) = study.world(trial), study.targets(trial)
    assert isinstance(world, TransformedWorld)
    guess = chance(len(target.classes))
    check_target(section, guess, target.name)
    precision = precisions(trial.recipe, device.type)[0]
    trained, search = _trained(study, needed, precision, device, watch)
    rows = asked_rows(study, needed)
    plain_level = str(Exposed.of(study.split(trial).facts).plain)

    def ask(level: str, strength: float | None = None) -> float:
        right = accuracy_at(
            trained.network, target, world, rows, level, strength, device=device, precision=precision
        )  # fmt: skip
        told = {"level": level, "strength": strength, "accuracy": right, "n": len(rows)}
        watch(Event("strength", needed.label, needed.identity, told))
        return right

    plain = ask(plain_level)
    target_accuracy = guess + RELATIVE * (plain - guess) if section.target == "relative" else section.target
    fault = unlearned(plain, guess, target_accuracy, len(rows), section.target == "relative")
    curves = {}
    for level, step in section.steps.items():
        if fault:
            curves[level] = StrengthCurve((), (), len(rows), None, fault)
            continue
        tried = possible_strengths(level, step, section.most)
        curves[level] = fall(lambda s, at=level: ask(at, s), tried, target_accuracy, len(rows), most=section.most)
    return {
        "identity": needed.identity,
        "label": needed.label,
        "levels": {level: asdict(curve) for level, curve in curves.items()},
        "plain": plain,
        "n": len(rows),
        "chance": guess,
        "target": target_accuracy,
        "asked": section.model_dump(mode="json"),
        "precision": precision,
        "flags": trained.flags,
        "curve": list(trained.curve),
        "search": search,
        "seconds": time.perf_counter() - started,
        "machine": machine(device),
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S"),
    }


def _trained(
    study: Study, needed: Calibration, precision: str, device: torch.device, watch: Watch
) -> tuple[Trained, dict[str, Any] | None]:
    """The plain network, and what a search for its learning rate found, where the recipe asks for one."""
    learner = learner_of(study, needed.trial, precision, device, {})
    (trained,) = train([learner], lambda place, figures: watch(Event("epoch", needed.label, needed.identity, figures)))
    return finished(study, needed.trial, learner, trained), getattr(learner, "search", None)


def asked_rows(study: Study, needed: Calibration) -> np.ndarray:
    """Untransformed test images: all, or as many as the recipe says, drawn by the calibration's seed."""
    trial = needed.trial
    rows = study.split(trial).rows(study.world(trial).samples, "plain")
    if len(rows) > needed.section.images:
        order = stream(needed.section.seed, "calibration", "images").permutation(len(rows))
        rows = rows[np.sort(order[: needed.section.images])]
    return rows


def unlearned(plain: float, guess: float, target: float, n: int, relative: bool) -> str:
    """Why a network cannot fall, or nothing. "At chance": within two standard errors of it (ours). Nor may a relative
    target be there: what falls under it then, or does not, is luck."""
    doubt = DOUBT * math.sqrt(guess * (1 - guess) / n)
    learned = f"its accuracy on plain images is {plain:.3f}, chance {guess:.3f}"
    if plain <= guess + doubt:
        return f"the plain network has not learned: {learned}"
    if relative and target <= guess + doubt:
        enough = math.ceil(round(n * (doubt / (target - guess)) ** 2, 3))
        return (
            f"the plain network has hardly learned: {learned}. The target lies between them, at {target:.3f}; to tell "
            f"it from chance takes {enough:,} test images or more, not {n:,} (calibration.images is the most that are "
            f"asked)"
        )
    if plain < target and not relative:
        return (
            f"the plain network has not learned: its accuracy on plain images is {plain:.3f}, under the target "
            f"{target:g} before anything is transformed"
        )
    return ""


def check_found(study: Study, needed: Calibration, record: dict[str, Any]) -> None:
    """A calibration without a strength stops the study, with its curve and what may be changed."""
    failed = {level: curve for level, curve in record["levels"].items() if curve["chosen"] is None}
    if not failed:
        return
    where = study.store.calibration_path(needed.identity)
    n, curve = record["n"], next(iter(failed.values()))
    head = f"{record['label']}: "
    if not curve["strengths"]:
        flags = "".join(f" ({flag}: {detail})" for flag, detail in record["flags"].items())
        raise UnseenError(
            f"{head}{curve['reason']} (n = {n}){flags}. Train it longer (training.epochs), with another training.lr or "
            f"on more images. Kept in '{where}'."
        )
    lines = [
        f"{head}{', '.join(failed)} never brought a plainly trained network under {record['target']:.3f} (accuracy on "
        f"plain images {record['plain']:.3f}, chance {record['chance']:.3f}, n = {n}). Accuracy by strength:"
    ]
    for level, found in failed.items():
        lines.append(f"  {level}: {curve_text(found['strengths'], found['accuracy'])} ({found['reason']})")
    asked = ", ".join(f"{level} = {needed.section.steps[level]:g}" for level in failed)
    lines.append(
        f"Take more steps (calibration.most = {needed.section.most}), larger ones (calibration.steps: {asked}) or "
        f"another calibration.target; or give the strength in world.strengths and leave the level out of "
        f"calibration.steps. The curves are kept in '{where}'."
    )
    raise UnseenError("\n".join(lines))
