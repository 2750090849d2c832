"""Whose answers a study of weaknesses has: models that were asked here, and subjects from elsewhere."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from unseen.kinds.collect import finished_trials
from unseen.kinds.trial_answers import condition_of, keys_that_differ
from unseen.kinds.weaknesses.examined import ExaminedModel, of_subject, of_trial
from unseen.studies.given_models import HELD
from unseen.studies.study import Study
from unseen.studies.subjects import subjects_of
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError

FILES = (".onnx", ".pt2", ".safetensors")


def models_examined(study: Study) -> tuple[tuple[ExaminedModel, ...], tuple[str, ...]]:
    """All whose answers can be read, models asked here first, and why others are left out."""
    trials = finished_trials(study)
    by_name = {study.find(trial): trial for trial in study.trials}
    keys = [key for key in keys_that_differ([by_name[one.identity] for one in trials]) if key != "network.model"]
    found = []
    for record in trials:
        trial = by_name[record.identity]
        words = condition_of(trial, record.split_facts, keys)
        found.append(of_trial(study, trial, record, ", ".join(filter(None, [network_name(trial), words]))))
    subjects, left = subjects_of(study)
    found += [of_subject(study, record) for record in subjects]
    return _told_apart(found), tuple(left.values())


def network_name(trial: Trial) -> str:
    """What the model of a trial is called."""
    return short_name(trial.recipe.network.name)


def short_name(given: str) -> str:
    """A model's name for people: of a file or folder without what it lies in, of one that Python holds its own.

    >>> short_name("held:mine-0123456789ab"), short_name("exports/net.onnx"), short_name("./my-vit/")
    ('mine', 'net.onnx', 'my-vit')
    >>> short_name("open_clip:ViT-B-32/openai")
    'open_clip:ViT-B-32/openai'
    """
    if given.startswith(HELD):
        return given.removeprefix(HELD).rpartition("-")[0]
    is_place = Path(given).suffix.lower() in FILES or given.startswith((".", "/", "~"))
    return (Path(given).name or given) if is_place else given


def _told_apart(found: list[ExaminedModel]) -> tuple[ExaminedModel, ...]:
    """Two of one name are numbered: figures tell models apart by their names."""
    often = Counter(one.name for one in found)
    seen: Counter[str] = Counter()
    made = []
    for one in found:
        seen[one.name] += 1
        made.append(replace(one, name=f"{one.name} ({seen[one.name]})") if often[one.name] > 1 else one)
    return tuple(made)


def some_models_examined(study: Study) -> tuple[tuple[ExaminedModel, ...], tuple[str, ...]]:
    """The same; none is an error."""
    found, left = models_examined(study)
    if found:
        return found, left
    if left:
        raise UnseenError(left[0])
    raise UnseenError(
        f"study '{study.path}' has no answers yet: `unseen examine MODEL --out {study.path}` asks a model; "
        f"`unseen answers add {study.path} FILE` adds what another program answered, and `unseen render {study.path} "
        f"--asked --out IMAGES` writes the images and their keys."
    )
