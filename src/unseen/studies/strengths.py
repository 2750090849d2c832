"""Strengths that a study finds before it trains: which calibrations a recipe needs, and trials with what they found.

A calibration belongs to a world without its strengths, a network, its training and a ``[calibration]``; trials that
share these share it, whatever their design. Its identity leaves out the precision where the recipe says "auto": what
was found on a GPU serves the same study on a CPU. Importing this module loads no torch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unseen.studies.identities import identity
from unseen.studies.trials import Trial, describe
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.recipe import Recipe
from unseen.vocabulary.sections import (
    CalibrationSection,
    DesignSection,
    NamedSection,
    RecordingsSection,
    TrainingSection,
)
from unseen.vocabulary.world import World
from unseen.worlds.transforms import TRANSFORMATIONS, level_of
from unseen.worlds.transforms.transformed import FACTOR, NONE, TransformedWorld

VERSION = 1  # raise it when a calibration would choose otherwise
WORLD = "transformed"
CARRIED = ("category", "balance", "images_per_category", "shares", "disjoint_by")  # of a design, by the plain split
FALLING = ("geirhos-contrast", "geirhos-high-pass")  # a larger number changes the picture less


@dataclass(frozen=True, eq=False)
class Calibration:
    """A plain network to train, and the strengths to find with it."""

    identity: str
    trial: Trial
    section: CalibrationSection

    @property
    def label(self) -> str:
        return " · ".join(["calibration", self.trial.label])


def plain_trial(trial: Trial) -> Trial:
    """The network a calibration trains: that of the trial, on untransformed images, asked for the category.

    Its split is that of :func:`unseen.designs.expose` with nothing seen transformed, whatever the design of the trial;
    what the design says about categories and numbers of images holds here too. ``calibration.seed`` is the seed of the
    split and of the training (ours), so that a grid over splits has one calibration.
    """
    recipe, section = trial.recipe, trial.recipe.calibration
    if recipe.world.name != WORLD:
        raise UnseenError(
            f"[calibration] finds strengths of transformations, and world '{recipe.world.name}' has none; wrap it: "
            f'[world] name = "{WORLD}" and [world.of] name = "{recipe.world.name}".'
        )
    if recipe.task != "classification":
        raise UnseenError(
            f"[calibration] needs a network that names categories; task = '{recipe.task}' gives none. Leave "
            "[calibration] out and give world.strengths."
        )
    given = recipe.design.arguments
    first = NONE if recipe.world.arguments.get("plain", True) else "geirhos-colour"
    category = given.get("category", given.get("rows", "category"))
    design = {key: given[key] for key in CARRIED if key in given} | {
        "category": category,
        "transformation": FACTOR,
        "level": min(section.steps),
        "plain": given.get("plain", first) if recipe.design.name == "expose" else first,
        "seen": 0,
    }
    changes = {
        "world": without_strengths(recipe.world),
        "design": DesignSection.model_validate({"name": "expose", "seed": section.seed, **design}),
        "targets": (category,),
        "training": _for_one(recipe.training, category),
        "readout": _for_one(recipe.readout, category),
        "calibration": CalibrationSection(),  # pyright: ignore[reportCallIssue]
        "recordings": RecordingsSection(sets=("plain",), layers="none"),
        "grid": ({},),
    }
    own = ("protocol", "world.", "network.", "training.", "pretraining.", *(f"design.{key}" for key in CARRIED))
    condition = {key: value for key, value in trial.condition.items() if key.startswith(own)}
    return replace(trial, recipe=recipe.model_copy(update=changes), seed=section.seed, condition=condition)


def _for_one(training: TrainingSection, target: str) -> TrainingSection:
    weights = {name: weight for name, weight in training.loss_weights.items() if name == target}
    return training.model_copy(update={"loss_weights": weights})


def without_strengths(section: NamedSection) -> NamedSection:
    """A world's section with every transformation at its default strength."""
    if section.name != WORLD or "strengths" not in section.arguments:
        return section
    arguments = {key: value for key, value in section.arguments.items() if key != "strengths"}
    return NamedSection.model_validate({"name": section.name, **arguments})


def calibration_identity(trial: Trial, section: CalibrationSection, world: World) -> str:
    """Of a plain trial and what is to be found with it; ``world`` is opened without strengths."""
    what = {
        "calibration": section.model_dump(mode="json", exclude_defaults=True, exclude={"seed"}),
        "version": VERSION,
        "trial": describe(trial, world, trial.recipe.training.precision),
    }
    return identity(what)


def check_steps(recipe: Recipe, plain: str, world: World) -> None:
    """Every level to calibrate is one of the world, has a strength that grows with its number, and is not given too;
    the ``plain`` level has none."""
    section = recipe.calibration
    assert isinstance(world, TransformedWorld)
    if plain != NONE and (plain not in world.levels or level_of(plain)[0].strength is not None):
        raise UnseenError(
            f"[calibration] trains on plain images, and this world shows none at level '{plain}'; leave world.plain = "
            f"false and design.plain out, so that level '{NONE}' is there."
        )
    given = recipe.world.arguments.get("strengths") or {}
    for level, step in section.steps.items():
        if level == NONE or level not in world.levels:
            raise unknown("level", level, [name for name in world.levels if name != NONE], where="calibration.steps")
        if level in given:
            raise UnseenError(
                f"'{level}' is in world.strengths ({given[level]!r}) and in calibration.steps; its strength is either "
                f"given or found: leave one out."
            )
        possible_strengths(level, step, section.most, among=world.levels)
    target = section.target
    if target != "relative" and not 0 < target < 1:
        raise UnseenError(
            f'calibration.target = {target!r} is an accuracy between 0 and 1, such as 0.1, or "relative".'
        )


def check_target(section: CalibrationSection, chance: float, category: str) -> None:
    """Refuse a target at or below chance: a network falls below chance only by luck."""
    if section.target != "relative" and section.target <= chance:
        raise UnseenError(
            f"calibration.target = {section.target:g}, but guessing among the levels of '{category}' is right with "
            f'{chance:.3g} already; set calibration.target = "relative" (chance + a tenth of the way to the plain '
            f"accuracy) or a number above chance."
        )


def grows(level: str) -> bool:
    """Whether a larger number makes a transformation stronger, so that it can be raised until a network fails.

    >>> grows("blur"), grows("inversion"), grows("geirhos-contrast"), grows("geirhos-rotation")
    (True, False, False, False)
    """
    strength = TRANSFORMATIONS[level].strength if level in TRANSFORMATIONS else None
    return strength is not None and not strength.only and level not in FALLING


def possible_strengths(
    level: str, step: float, most: int, among: Iterable[str] = tuple(TRANSFORMATIONS)
) -> list[float]:
    """The strengths tried in turn: step, 2·step, …, at most so many, as far as the transformation goes. An error names
    those ``among`` some levels that can be raised.

    >>> possible_strengths("blur", 0.1, 3), possible_strengths("salt-and-pepper", 0.4, 20)
    ([0.1, 0.2, 0.3], [0.4, 0.8])
    """
    row, own = level_of(level)
    able = [name for name in among if grows(name)]
    hint = f"Levels that can be raised: {listed(able)}." if able else "No level of this world can be raised."
    if own is not None:
        raise UnseenError(
            f"calibration.steps names '{level}', which has its strength in its name; name a level without an @. {hint}"
        )
    if row.strength is None:
        raise UnseenError(f"calibration.steps names '{level}', which has no strength; leave it out. {hint}")
    if not grows(level):
        why = f"whose effect weakens as its number ({row.strength.meaning}) rises"
        if row.strength.only:
            why = f"whose numbers ({row.strength.possible}, the {row.strength.meaning}) are no scale of strength"
        raise UnseenError(
            f"calibration.steps names '{level}', {why}, so that raising it finds nothing; give it in world.strengths. "
            f"{hint}"
        )
    if not step > 0:
        raise UnseenError(f"calibration.steps.{level} = {step!r} must be above 0: strengths are step, 2·step, ….")
    found = []
    for number in range(1, most + 1):
        strength = round(step * number, 10)  # 3 · 0.1 is 0.3
        if strength > row.strength.high:
            break
        found.append(row.check(strength))
    if not found:
        raise UnseenError(
            f"calibration.steps.{level} = {step:g} leaves the range of '{level}' at once; its strength is the "
            f"{row.strength.meaning}: {row.strength.possible}."
        )
    return found


def chosen_strengths(record: Mapping[str, Any]) -> dict[str, float] | None:
    """The strength of every level of a calibration; None where one never fell under the target."""
    chosen = {level: curve["chosen"] for level, curve in record["levels"].items()}
    return None if None in chosen.values() else chosen


def with_strengths(trial: Trial, record: Mapping[str, Any] | None) -> Trial:
    """The trial with the strengths that were found in its world, as if the recipe had given them; then nothing is left
    to calibrate. Without a record, or with one that found nothing, the trial as it is."""
    chosen = chosen_strengths(record) if record else None
    if chosen is None:
        return trial
    arguments = trial.recipe.world.arguments
    strengths = {**(arguments.get("strengths") or {}), **chosen}
    world = NamedSection.model_validate({"name": trial.recipe.world.name, **arguments, "strengths": strengths})
    changes = {"world": world, "calibration": CalibrationSection()}  # pyright: ignore[reportCallIssue]
    return replace(trial, recipe=trial.recipe.model_copy(update=changes))


def curve_text(strengths: Sequence[float], accuracy: Sequence[float]) -> str:
    """
    >>> curve_text([0.5, 1.0], [0.9, 0.0499])
    '0.5: 0.900, 1: 0.050'
    """
    return ", ".join(f"{strength:g}: {value:.3f}" for strength, value in zip(strengths, accuracy))


def found_text(record: Mapping[str, Any]) -> str:
    """What a calibration found, on one line.

    >>> levels = {"blur": {"strengths": [1.0, 2.0], "accuracy": [0.7, 0.15], "chosen": 2.0, "n": 50, "reason": ""}}
    >>> found_text({"levels": levels, "plain": 0.9, "target": 0.18, "n": 50})
    'blur 2 (accuracy 0.150; plain 0.900, target 0.180, n = 50)'
    """
    against = f"plain {record['plain']:.3f}, target {record['target']:.3f}, n = {record['n']}"
    told = []
    for level, curve in record["levels"].items():
        if curve["chosen"] is None:
            told.append(f"{level} none ({curve['reason']}; {against})")
        else:
            told.append(f"{level} {curve['chosen']:g} (accuracy {curve['accuracy'][-1]:.3f}; {against})")
        against = f"n = {curve['n']}"
    return ", ".join(told)
