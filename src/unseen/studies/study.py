"""A study: a recipe, its trials and the store they go to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from unseen.designs import Audit, audit
from unseen.studies.asked import named_sets
from unseen.studies.codeless import Codeless, failures_named
from unseen.studies.encoders import Encoder, encoder_of, needs_encoder, pretraining_world
from unseen.studies.identities import OfSeeds, TrialNames, identity, learned_part, with_weights
from unseen.studies.protocol_table import protocol_of
from unseen.studies.store import Store
from unseen.studies.strengths import (
    Calibration,
    calibration_identity,
    check_steps,
    plain_trial,
    with_strengths,
    without_strengths,
)
from unseen.studies.tables import make_split, open_world, trains
from unseen.studies.trials import Trial, describe, expand, precisions
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.recipe import Recipe
from unseen.vocabulary.sections import NamedSection
from unseen.vocabulary.split import Split
from unseen.vocabulary.target import Target, targets_of
from unseen.vocabulary.trust import CodeUnknown
from unseen.vocabulary.world import World


@dataclass(frozen=True, eq=False)
class Study:
    """A recipe and where its results are kept. ``absent``: why its images are not at hand, where this is known.
    ``decided``: whether weights are kept, where this was found out before (in the process that runs the study)."""

    recipe: Recipe
    path: Path
    absent: str = ""
    decided: bool | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.recipe.title[:60]!r} in {self.path}>"

    @property
    def store(self) -> Store:
        return Store(self.path)

    @cached_property
    def left_out(self) -> dict[str, UnseenError]:
        """Finished trials that could not be read when they were last asked for, and why."""
        return {}

    @cached_property
    def sound(self) -> dict[str, tuple[str, dict[str, Any]]]:
        """The facts of trials that were found whole, by the state of their files (`collect`)."""
        return {}

    @cached_property
    def numbers(self) -> dict[str, tuple[str, list[dict[str, Any]]]]:
        """What was measured of trials, by the state of their files (`collect`)."""
        return {}

    @cached_property
    def points(self) -> list[Trial]:
        """Every point of the grid for every seed, with its world, its split and its questions, also where nothing is
        trained; with the strengths that calibrations found so far. ``refresh`` after another one."""
        found = {name: self.store.calibration(name) for name in self.calibrations}
        return [with_strengths(trial, found[name]) if name else trial for trial, name in self._expanded[0]]

    @cached_property
    def trials(self) -> list[Trial]:
        """All trials: the points at which a network is made, or a model asked as it is. A design that only asks has
        those of such models alone."""
        made = {id(one.recipe): trains(one.recipe) or not protocol_of(one.recipe).trains for one in self.apart}
        return [point for point in self.points if made[id(point.recipe)]]

    @property
    def apart(self) -> list[Trial]:
        """A trial of each recipe without a grid: what is asked of recipes alone is asked of these. Seeds share one."""
        return list({id(point.recipe): point for point in self.points}.values())

    @property
    def calibrations(self) -> dict[str, Calibration]:
        """The distinct calibrations that the recipe's trials need, by identity."""
        return self._expanded[1]

    @cached_property
    def _expanded(self) -> tuple[list[tuple[Trial, str]], dict[str, Calibration]]:
        """Trials as the recipe says them, each with the identity of the calibration it needs ("": none)."""
        trials: list[tuple[Trial, str]] = []
        names: dict[str, str] = {}
        needed: dict[str, Calibration] = {}
        for trial in map(self._with_images, expand(self.recipe)):
            section = trial.recipe.calibration
            if not section.steps:
                trials.append((trial, ""))
                continue
            plain = plain_trial(trial)
            world = self.world(plain)
            check_steps(trial.recipe, plain.recipe.design.arguments["plain"], world)
            key = plain.recipe.model_dump_json()
            if key not in names:
                names[key] = calibration_identity(plain, section, world)
                needed.setdefault(names[key], Calibration(names[key], plain, section))
            trials.append((trial, names[key]))
        return trials, needed

    def _with_images(self, trial: Trial) -> Trial:
        """The trial, told what images its encoder learns from."""
        section = pretraining_world(trial)
        return trial if section is None else replace(trial, learned_from=self._opened(section).fingerprint)

    @cached_property
    def encoders(self) -> dict[str, Encoder]:
        """The distinct encoders that the recipe's trials need, by identity."""
        found: dict[str, Encoder] = {}
        for trial in self.trials:
            if (needed := self.encoder(trial)) is not None:
                found.setdefault(needed.identity, needed)
        return found

    def encoder(self, trial: Trial) -> Encoder | None:
        """The encoder that a trial starts from, if something is learned before it."""
        return encoder_of(trial, self.learned_world(trial)) if needs_encoder(trial) else None

    def learned_world(self, trial: Trial) -> World:
        """The world that a trial's encoder learns from."""
        section = pretraining_world(trial)
        assert section is not None
        return self._opened(section)

    def refresh(self) -> None:
        """Look at the calibrations again: trials may have their strengths now."""
        for name in ("points", "trials", "audits", "_points_named"):
            self.__dict__.pop(name, None)

    @cached_property
    def _worlds(self) -> dict[str, World]:
        return {}

    def world(self, trial: Trial) -> World:
        """A trial's world, opened once for the whole study."""
        return self._opened(trial.recipe.world)

    @cached_property
    def _spelt(self) -> dict[int, tuple[Any, str]]:
        """Sections and pairs of them as text, by the object (kept, so that no other gets its number): spelling them out
        for each of ten thousand trials, which share a few, takes seconds."""
        return {}

    def _key(self, of: Any, *sections: NamedSection) -> str:
        if id(of) not in self._spelt:
            told = [section.model_dump() for section in sections]
            self._spelt[id(of)] = of, json.dumps(told, sort_keys=True, default=str)
        return self._spelt[id(of)][1]

    def _opened(self, section: NamedSection) -> World:
        key = self._key(section, section)
        if key not in self._worlds:
            plain = without_strengths(section)
            if plain is not section:  # the world inside is the same at all strengths
                inside = getattr(self._opened(plain), "inner")  # noqa: B009
                section = NamedSection.model_validate({"name": section.name, **section.arguments, "of": inside})
            self._worlds[key] = open_world(section)
        return self._worlds[key]

    @cached_property
    def _splits(self) -> dict[str, Split]:
        return {}

    def split(self, trial: Trial) -> Split:
        """A trial's split; trials that share world and design share it."""
        recipe = trial.recipe
        key = self._key(recipe, recipe.world, recipe.design)
        if key not in self._splits:
            self._splits[key] = make_split(recipe.design, self.world(trial).samples)
        return self._splits[key]

    def targets(self, trial: Trial) -> tuple[Target, ...]:
        """The questions asked: as the recipe says, else what the design says, else its factors."""
        space, split = self.world(trial).samples.space, self.split(trial)
        named = trial.recipe.targets or split.facts.targets or split.factors
        return targets_of(space, named, trial.recipe.task)

    def asked(self, trial: Trial) -> tuple[str, ...]:
        """The row sets a trial is asked on: ``recordings.sets`` with its patterns filled in from the trial's split."""
        return named_sets(trial.recipe.recordings.sets, self.split(trial))

    def identity(self, trial: Trial, precision: str) -> str:
        return identity(describe(trial, self.world(trial), precision))

    @cached_property
    def weights_inside(self) -> dict[str, Path]:
        """Finished trials of this store that hold their weights themselves, as those of before do, by what they
        learned."""
        from unseen.studies.kept_weights import inside_trials

        return inside_trials(self.store)

    def find(self, trial: Trial, device: str = "cpu", has: Callable[[str], bool] | None = None) -> str | None:
        """The identity under which a trial is finished, at any precision that answers the recipe. ``has``: whether one
        is stored, where that is known without a look at its file."""
        if trial.recipe.calibration.steps:  # its strengths are to be found, and decide what it is
            return None
        try:
            return next(filter(has or self.store.has, self._names(trial, device)), None)
        except CodeUnknown:  # that of its network: found by all else that describes it
            return self._without_code.find(trial, self.world(trial), precisions(trial.recipe, device))

    def found(self, device: str = "cpu", has: Callable[[str], bool] | None = None) -> list[str | None]:
        """The same for every trial, after one listing of the store."""
        has = has or self.store.whole().__contains__
        found: list[str | None] = []
        last, names = None, ()
        for trial in self.trials:
            if trial.recipe is not last:
                last, names = trial.recipe, self._settled(trial, device)
            if names:
                found.append(next((name for one in names if has(name := one(trial.seed))), None))
            else:
                found.append(self.find(trial, device, has))
        return found

    def _settled(self, trial: Trial, device: str) -> Sequence[OfSeeds]:
        """The names of all seeds of a trial's point; none where each is to be asked for."""
        if trial.recipe.calibration.steps or _may_change(trial.recipe):
            return ()
        return [name for one in self._named(trial, device) for name in (one.plain, one.with_weights)]

    def names(self, trial: Trial, device: str = "cpu") -> list[str]:
        """The identities under which a trial may be finished, those that this device would give first."""
        return list(self._names(trial, device))

    def _names(self, trial: Trial, device: str) -> Iterator[str]:
        return (name(trial.seed) for one in self._named(trial, device) for name in (one.plain, one.with_weights))

    def learned_names(self, trial: Trial, device: str = "cpu") -> dict[str, str]:
        """The identities of what a trial learns, with the precision of each, the one this device uses first."""
        return {one.learned(trial.seed): one.precision for one in self._named(trial, device)}

    def _named(self, trial: Trial, device: str) -> list[TrialNames]:
        """By what trials are named: the same for all seeds of one point of the grid, so found once for each; but for
        what may be written again meanwhile, files and code of a user's own."""
        key = (id(trial.recipe), trial.learned_from, device)
        if key not in self._points_named or _may_change(trial.recipe):
            world = self.world(trial)
            told = {one: describe(trial, world, one) for one in precisions(trial.recipe, device)}
            found = [
                TrialNames(one, OfSeeds(each), OfSeeds(with_weights(each)), OfSeeds(learned_part(each)))
                for one, each in told.items()
            ]
            self._points_named[key] = trial.recipe, found  # the recipe too: while it is there its number is its own
        return self._points_named[key][1]

    @cached_property
    def _points_named(self) -> dict[tuple[int, str, str], tuple[Recipe, list[TrialNames]]]:
        return {}

    @cached_property
    def _without_code(self) -> Codeless:
        return Codeless(self.store)

    def missing(self, device: str = "cpu", has: Callable[[str], bool] | None = None) -> list[Trial]:
        return [trial for trial, name in zip(self.trials, self.found(device, has)) if name is None]

    def failures(self) -> dict[str, dict[str, Any]]:
        """Recorded failures of this recipe's unfinished trials; the store may also hold some of other settings."""
        if not (recorded := self.store.failures()):
            return {}
        known = [trial for trial in self.missing() if not trial.recipe.calibration.steps]
        try:
            mine = {self.identity(trial, p) for trial in known for p in precisions(trial.recipe, "cpu")}
        except CodeUnknown:
            return failures_named(self.store, known)
        return {name: record for name, record in recorded.items() if name in mine}

    @cached_property
    def networks(self) -> dict[str, dict[str, str]]:
        """How networks begin, by backbone, and the warning where the last block sees few positions ("": none). Known
        once a check has built them."""
        return {}

    @cached_property
    def audits(self) -> list[tuple[Trial, Audit]]:
        """One trial per distinct split with the audit of that split: what plans and reports show. Unlike
        a check it asks nothing that only training needs, such as weights to start from."""
        found: dict[int, tuple[Trial, Audit]] = {}
        for trial in self.points:
            if id(split := self.split(trial)) not in found:
                found[id(split)] = trial, audit(split, self.world(trial).samples)
        return list(found.values())


def _may_change(recipe: Recipe) -> bool:
    """Whether files or code of a user's own are a part of its network, which may be written again meanwhile."""
    network = recipe.network
    return bool(network.checkpoint or network.model) or ":" in network.backbone


def load_study(path: Path) -> Study:
    """A study from its folder, for results and reports without the recipe at hand."""
    from unseen.vocabulary.recipe import read_recipe

    if not path.is_dir():
        raise UnseenError(f"no study in '{path}'. `unseen run RECIPE --out {path}` makes one.")
    if not (path / "recipe.toml").is_file():
        beside = sorted(one.name for one in path.glob("*.toml"))
        images = f"For a folder of images: `unseen init {path}`."
        hint = f"If a recipe in it is meant, name that: {listed(beside)}." if beside else images
        raise UnseenError(f"'{path}' is not a study: it has no recipe.toml. {hint}")
    return Study(read_recipe(path / "recipe.toml"), path)
