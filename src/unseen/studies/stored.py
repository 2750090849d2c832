"""A study whose images are not at hand, told from what is stored: packed on one machine and opened on another, say.

A trial's identity needs its world, so a finished trial is found by all else that it is described by; of several that
differ in the images alone the newest counts. Splits cannot be made, so nothing is drawn of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import product
from typing import Any

from unseen.studies.codeless import failures_named, without_code
from unseen.studies.identities import as_hashed, without_weights
from unseen.studies.strengths import Calibration, plain_trial, with_strengths
from unseen.studies.study import Study
from unseen.studies.tables import component_versions, digest
from unseen.studies.trials import Trial, described, expand, precisions, stem_of
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.sections import CalibrationSection, NamedSection
from unseen.vocabulary.stems import AUTO, LEAST, STANDARD, STEMS
from unseen.vocabulary.trust import CodeUnknown
from unseen.vocabulary.world import World


class StoredStudy(Study):
    """A study as far as its store tells it; ``absent`` says why its images are not at hand."""

    @cached_property
    def _outlined(self) -> dict[str, str]:
        """Finished trials by what describes them apart from their images; of one world's images those of its newest
        trial, since older ones are of a study that has not been run again."""
        trials = list(self.store.readable().items())
        trials.sort(key=lambda one: str(one[1].get("finished", "")))  # stable: the store's order where none is told
        told = [(name, facts["description"]) for name, facts in trials]
        told = [(name, one) for name, one in told if "fingerprint" in one.get("world", {})]
        newest = {_images(description): description["world"]["fingerprint"] for _, description in told}
        found = {}
        for name, description in told:
            if description["world"]["fingerprint"] == newest[_images(description)]:
                found[outline(description)] = found[outline(without_code(description))] = name
        return found

    @cached_property
    def _expanded(self) -> tuple[list[tuple[Trial, str]], dict[str, Calibration]]:
        """Trials, each with the calibration that led to one that is stored, and those calibrations."""
        trials: list[tuple[Trial, str]] = []
        used: dict[str, Calibration] = {}
        records = {name: found for name in self.store.calibrations() if (found := self.store.calibration(name))}
        for trial in expand(self.recipe):
            section = trial.recipe.calibration
            mine = [name for name, record in records.items() if _asked(record, section)]
            led = [name for name in mine if self.find(with_strengths(trial, records[name])) is not None]
            needed = {name: Calibration(name, plain_trial(trial), section) for name in led}
            named = [name for name in led if records[name].get("label") == needed[name].label]
            name = (named or led or [""])[0]
            if name:
                used.setdefault(name, needed[name])
            trials.append((trial, name))
        return trials, used

    def _opened(self, section: NamedSection) -> World:
        raise UnseenError(f"{self.absent}, and this needs them.")

    def find(self, trial: Trial, device: str = "cpu", has: Callable[[str], bool] | None = None) -> str | None:
        """The identity under which a trial is finished, whatever the images were."""
        if trial.recipe.calibration.steps:
            return None
        versions = component_versions(trial.recipe, ())
        asked = trial.recipe.network.stem
        for precision, stem in product(precisions(trial.recipe, device), STEMS if asked == AUTO else (asked,)):
            try:
                name = outline(described(trial, precision, "", versions, stem=stem))
            except CodeUnknown:
                name = outline(described(trial, precision, "", versions, stem=stem, code=False))
            found = self._outlined.get(name)
            if found is not None and (asked != AUTO or self._by_rule(trial, stem, found)):
                return found
        return None

    def _by_rule(self, trial: Trial, stem: str, name: str) -> bool:
        """Whether the rule would have chosen a stored trial's stem. Those of before the rule do not tell the size of
        their images, and may be standard where another stem is chosen now: their last block tells."""
        told = self.store.read(name)["network"]
        if "input_size" in told:
            return stem == stem_of(trial.recipe.network, told["input_size"])
        last = (told.get("maps") or {}).get((told.get("layers") or [""])[-1]) or ()
        return told.get("stem") != STANDARD or len(last) != 3 or min(last[1:]) >= LEAST

    def _settled(self, trial: Trial, device: str) -> tuple[()]:
        return ()

    def failures(self) -> dict[str, dict[str, Any]]:
        """Recorded failures by the names of trials that are not finished."""
        return failures_named(self.store, self.missing()) if self.store.failures() else {}


def _images(description: Mapping[str, Any]) -> str:
    """A world but for what its files hold."""
    return as_hashed({key: value for key, value in description["world"].items() if key != "fingerprint"})


def _asked(record: Mapping[str, Any], section: CalibrationSection) -> bool:
    """Whether a calibration is that of a recipe's section; of records that do not tell, by the levels alone."""
    if "asked" in record:
        return record["asked"] == section.model_dump(mode="json")
    return set(record["levels"]) == set(section.steps)


def outline(description: Mapping[str, Any]) -> str:
    """A hash of a trial's description without what only its world knows: the fingerprint, and whether a factor of its
    space keeps images together."""
    world = {key: value for key, value in description["world"].items() if key != "fingerprint"}
    versions = {key: value for key, value in description.get("versions", {}).items() if key != "pools"}
    told = {**without_weights(description), "world": world, "versions": versions}
    if "pretraining" in told:  # its encoder, but for the images it learned from
        before = told["pretraining"]
        images = {key: value for key, value in before.get("world", {}).items() if key != "fingerprint"}
        told["pretraining"] = {**before, "world": images}
    return digest(as_hashed(told))


def at_hand(study: Study) -> Study:
    """The study, or, where its world cannot be opened, what is stored of it; where nothing is, the error stays."""
    try:
        for trial in study.apart:
            study.world(trial)
    except UnseenError as error:
        why = re.split(r"[;.] ", str(error))[0].rstrip(".")
        stored = StoredStudy(study.recipe, study.path, f"the images are not at hand ({why})")
        if not any(stored.find(trial) for trial in stored.trials) and not study.store.subjects():
            raise
        return stored
    return study
