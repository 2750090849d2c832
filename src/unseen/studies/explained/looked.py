"""Whose answers are explained: a trial's network, or a model that somebody brings, with what it is known by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from unseen.studies.given_models import given_of, model_told
from unseen.studies.kept_weights import Unusable, read
from unseen.studies.learners import with_weights
from unseen.studies.missing_trials import kept_of
from unseen.vocabulary.errors import UnseenError, listed, unknown

if TYPE_CHECKING:
    from unseen.models.given import GivenModel
    from unseen.studies.study import Study
    from unseen.studies.trials import Trial


@dataclass(frozen=True, eq=False)
class Looked:
    """A network to look into. ``model`` takes pictures ``[n, c, h, w]`` on the 0–255 scale; ``told`` is all that
    decides its answers, for identities; ``classes`` name the outputs of ``target``, as far as they have names;
    ``frame`` brings pictures of any size to what it takes."""

    name: str
    model: Any
    told: Mapping[str, Any]
    classes: tuple[str, ...]
    frame: Callable[[Tensor], Tensor]
    fed: str
    target: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)

    def class_name(self, number: Any) -> str:
        return self.classes[number] if number < len(self.classes) else f"class {number}"

    def class_number(self, said: str | int) -> int:
        """A class by its name or its number; its number decides where a name is one."""
        text = str(said).strip()
        lowered = [name.lower() for name in self.classes]
        if text.lower() in lowered:
            return lowered.index(text.lower())
        parts = [
            number for number, name in enumerate(lowered) if text.lower() in [one.strip() for one in name.split(",")]
        ]
        if len(parts) == 1:
            return parts[0]
        if text.lstrip("-").isdigit():
            number = int(text)
            if self.classes and not 0 <= number < len(self.classes):
                raise UnseenError(
                    f"no class {number} in what {self.name} answers; it has {len(self.classes)}, from 0 to "
                    f"{len(self.classes) - 1} ({listed(self.classes, 6)})."
                )
            return number
        raise unknown("class", said, self.classes or ["its number"], where=f"what {self.name} answers")


def given_looked(given: GivenModel) -> Looked:
    """A model with its weights."""
    from unseen.models.given.looked_into import framed, looked_into

    model = looked_into(given)
    told = {"model": given.name, **model_told(given)}
    weights = "its answers alone are known" if given.module is None else ""
    return Looked(
        given.name, model, told, given.labels, lambda images: framed(given, images), given.preprocessing.words,
        facts={"model": given.name, "fed": given.preprocessing.words, **({"note": weights} if weights else {})},
    )  # fmt: skip


def trial_looked(study: Study, trial: Trial, device: torch.device, target: str | None = None) -> Looked:
    """A finished trial's network, from the weights that were kept; nothing is trained."""
    if trial.recipe.network.model is not None and trial.recipe.protocol_name in ("given", "zero-shot"):
        found = given_looked(given_of(trial.recipe.network).to(device))
        return Looked(**{**vars(found), "name": trial.label if study.recipe.grid != ({},) else found.name})
    kept = kept_of(study, trial, device.type)
    if kept is None:
        done = study.find(trial) is not None
        raise UnseenError(
            f"trial '{trial.label}' of {study.path} "
            + (
                "kept no weights, so there is no network to look into; run the study with another --out and "
                "--set recordings.weights=true."
                if done
                else "is not finished; `unseen run` it first."
            )
        )
    try:
        learned, state = read(kept)
        network = with_weights(study, trial, state, device)
    except Unusable as error:
        raise UnseenError(f"the weights of trial '{trial.label}' cannot be used: {error}.") from None
    del learned
    targets = {one.name: one for one in study.targets(trial)}
    if trial.recipe.task != "classification":
        raise UnseenError(
            f"trial '{trial.label}' answers with numbers (task = \"{trial.recipe.task}\"), and maps are of the score "
            "of a class; explain a unit of it in Python (unseen.explanations.Unit)."
        )
    name = next(iter(targets)) if target is None else target
    if name not in targets:
        raise unknown("target", name, targets, where=f"trial '{trial.label}'")
    world = study.world(trial)
    told = {"learned": kept.identity, "precision": "float32", "target": name}
    return Looked(
        trial.label, network, told, tuple(map(str, targets[name].classes)),
        sized(world.size, world.channels), f"{world.size[0]}×{world.size[1]}, as its world draws them", name,
        facts={"study": str(study.recipe.title), "trial": trial.label, "network": str(network.description["backbone"])},
    )  # fmt: skip


def sized(size: tuple[int, int], channels: int) -> Callable[[Tensor], Tensor]:
    """Photos for a network that was trained on a world: the middle square, in the world's size and channels."""
    return _Sized(size, channels)


@dataclass(frozen=True)
class _Sized:
    size: tuple[int, int]
    channels: int

    def __call__(self, images: Tensor) -> Tensor:
        if tuple(images.shape[1:]) == (self.channels, *self.size):
            return images
        from unseen.models.given.preprocessing import Preprocessing, shaped

        how = Preprocessing(
            size=self.size, crop=1.0, channels="grey" if self.channels == 1 else "RGB",
            mean=(0.0,), std=(1.0,),
        )  # fmt: skip
        return shaped(images, how)


def answers(looked: Looked, pictures: Tensor, batch: int = 32) -> tuple[np.ndarray, np.ndarray]:
    """What it answers to pictures, and how sure it is (the softmax of its scores)."""
    from unseen.explanations.anatomy import Anatomy, still

    anatomy = Anatomy(looked.model)
    with still(anatomy), torch.no_grad():
        scores = torch.cat(
            [anatomy.scores(anatomy.taken(part), looked.target).float() for part in pictures.split(batch)]
        )
    shares = scores.softmax(1)
    sure, best = shares.max(1)
    return best.cpu().numpy(), sure.cpu().numpy()


def asked_of(looked: Looked, said: str | int | None = None, against: str | int | None = None) -> Any:
    """What is asked: the class that is answered, one that is named, or one less another."""
    from unseen.explanations import Difference, Score

    label = None if said is None else looked.class_number(said)
    if against is None:
        return Score(label, looked.target)
    return Difference(label, looked.class_number(against), looked.target)


def asked_words(looked: Looked, asked: Any) -> str:
    """What is asked, for people."""
    from unseen.explanations import Difference, Unit

    if isinstance(asked, Unit):
        return f"unit {asked.channel} of layer {asked.layer}"
    name = "the class that is answered" if asked.label is None else f"'{looked.class_name(asked.label)}'"
    if isinstance(asked, Difference):
        other = "the runner-up" if asked.other is None else f"'{looked.class_name(asked.other)}'"
        return f"the score of {name} less that of {other}"
    return f"the score of {name}"


def plain_asked(asked: Any) -> dict[str, Any]:
    """The same as plain values, for identities."""
    values = {key: list(one) if isinstance(one, Sequence) and not isinstance(one, str) else one
              for key, one in vars(asked).items()}  # fmt: skip
    return {"asked": type(asked).__name__, **values}
