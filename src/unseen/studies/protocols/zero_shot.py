"""A model that knows texts names the text that is nearest to a picture: no training, no labels of its own.

Texts are the classes' own words put into templates (Radford et al. 2021, §3.1.4), and the mean of their normalised
features, normalised again, stands for the class. Answers are by cosine; confidence is the softmax of a hundred times
that, which is where CLIP's learned scale ends (§2.5), or of the model's own scale where it is known.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.studies.protocols.given import Asking, Question, asking_protocol, check_as_it_is, softmax
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.captions import phrase
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.target import Target

if TYPE_CHECKING:
    from unseen.models.given import GivenModel

SCALE = 100.0
ARTICLE = re.compile(r"^(a|an|the) ", re.IGNORECASE)
PREPOSITIONS = ("of", "with", "in", "on", "at", "from", "by", "and", "is", "shows")  # what has no article after it yet
MOST_TEXTS = 10_000  # of one class
TEMPLATES: dict[str, tuple[str, ...]] = {
    "photo": ("a photo of a {}.",),  # Radford et al. 2021, §3.1.4
    "seven": (  # chosen for ImageNet with CLIP's release (its notebook on prompts); open_clip calls them simple
        "itap of a {}.", "a bad photo of the {}.", "a origami {}.", "a photo of the large {}.",
        "a {} in a video game.", "art of the {}.", "a photo of the small {}.",
    ),
    "word": ("{}",),
    "factors": ("a photo of a {}.",),  # and the same with each level of each other factor said after it (ours)
}  # fmt: skip
FACTORS = "factors"


def templates(said: Sequence[str]) -> tuple[str, ...]:
    """Templates written out: sets of them have names.

    >>> templates(["photo", "a drawing of a {}."])
    ('a photo of a {}.', 'a drawing of a {}.')
    """
    found: dict[str, None] = {}
    for one in said:
        if "{" not in one and one not in TEMPLATES:
            raise unknown(
                "templates", one, TEMPLATES, where='answers.templates (or write one with {}: "a photo of a {}.")'
            )
        found |= dict.fromkeys(TEMPLATES.get(one, (one,)))
    if not found:
        raise UnseenError('answers.templates is empty; give e.g. ["photo"], or one of your own: "a photo of a {}."')
    return tuple(found)


def texts_of(target: Target, space: FactorSpace, said: Sequence[str]) -> list[list[str]]:
    """The texts of each class. ``{}`` or the target's own name in braces is the class, another factor's name every
    level of that factor in turn: "a {color} {category}" has as many texts as there are colours.

    >>> space = FactorSpace({"animal": ("cat", "sea_lion"), "hue": ("red", "blue")})
    >>> texts_of(Target("animal", "animal", ("cat", "sea_lion")), space, ["a {hue} {}"])
    [['a red cat', 'a blue cat'], ['a red sea lion', 'a blue sea lion']]
    >>> texts_of(Target("animal", "animal", ("a cat",)), space, ["photo", "a drawing of {}"])
    [['a photo of a cat.', 'a drawing of a cat']]

    "factors" says each level of each other factor once, as captions do.

    >>> texts_of(Target("animal", "animal", ("cat",)), space, ["factors"])
    [['a photo of a cat.', 'a photo of a cat, hue red.', 'a photo of a cat, hue blue.']]
    """
    found: list[list[str]] = []
    for name in target.classes:
        texts: dict[str, None] = {}
        if FACTORS in said:
            put = {"": name}
            texts |= {_filled(one, put): None for one in TEMPLATES[FACTORS]}
            texts |= {_filled(f"a photo of a {{}}, {words}.", put): None for words in _circumstances(target, space)}
        for template in templates(said):
            keys = dict.fromkeys(re.findall(r"{([^{}]*)}", template))
            own = {"", target.name, target.factor}
            if not own & set(keys):
                raise UnseenError(
                    f"template {template!r} has no place for the class of '{target.name}'; write {{}} where it stands."
                )
            others = [key for key in keys if key not in own]
            for key in others:
                if key not in space.names:
                    raise unknown("factor", key, space.names, where=f"template {template!r}")
            levels = [space[key].texts for key in others]
            for values in itertools.product(*levels):
                if len(texts) >= MOST_TEXTS:
                    raise UnseenError(f"template {template!r} makes more than {MOST_TEXTS:,} texts of a class.")
                put = {**dict.fromkeys(own, name), **dict(zip(others, values))}
                texts[_filled(template, put)] = None
        found.append(list(texts))
    return found


def _circumstances(target: Target, space: FactorSpace) -> tuple[str, ...]:
    """What captions say of every factor but the target's own, each of its phrases once."""
    others = [one for one in space.factors if one.name != target.factor and one.kind not in ("instance", "category")]
    return tuple(dict.fromkeys(phrase(one, level) for one in others for level in range(len(one))))


def _filled(template: str, put: Mapping[str, object]) -> str:
    """A template with its words. A word's own article goes where the template has one, or an adjective, before it."""

    def word(found: re.Match[str]) -> str:
        text = str(put[found[1]]).replace("_", " ")
        before = template[: found.start()].split()
        bare = before and before[-1].lower() not in PREPOSITIONS
        return ARTICLE.sub("", text) if bare else text

    return re.sub(r"{([^{}]*)}", word, template)


def check(trial: Trial) -> None:
    check_as_it_is(trial)
    templates(trial.recipe.answers.templates)
    if trial.recipe.answers.map != "auto":
        raise UnseenError(
            f"answers.map = '{trial.recipe.answers.map}' is for a model with labels of its own, and protocol = "
            "'zero-shot' asks by the texts of categories; leave it out."
        )


def questions(model: GivenModel, study: Study, trial: Trial) -> tuple[list[Question], dict[str, str]]:
    """Every target can be asked: its classes have texts."""
    space = study.world(trial).samples.space
    found = []
    for target in study.targets(trial):
        texts = texts_of(target, space, trial.recipe.answers.templates)
        meant = mean_texts(model, texts)
        scale = float(getattr(model.body, "logit_scale", SCALE))
        told: Mapping[str, Any] = {
            "origin": f"texts: {listed(templates(trial.recipe.answers.templates), 8)}",
            "how": "cosine",
            "texts": {name: some[:3] for name, some in zip(target.classes, texts)},
            "scale": scale,
        }
        found.append(Question(target, partial(_nearest, meant, scale), tuple(range(len(target.classes))), told))
    return found, {}


def mean_texts(model: GivenModel, texts: Sequence[Sequence[str]]) -> np.ndarray:
    """One direction for each class: the mean of its texts' directions, of length one."""
    every = list(dict.fromkeys(text for some in texts for text in some))
    made: Callable[[Sequence[str]], Any] = model.text_features
    features = dict(zip(every, _unit(made(every).cpu().numpy().astype(np.float64))))
    return _unit(np.stack([np.mean([features[text] for text in some], axis=0) for some in texts]))


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-12)


def _nearest(meant: np.ndarray, scale: float, features: np.ndarray) -> np.ndarray:
    if features.shape[1] != meant.shape[1]:
        raise UnseenError(
            f"features of pictures have {features.shape[1]} numbers and those of texts {meant.shape[1]}: this model "
            "does not compare the two."
        )
    return softmax(scale * _unit(features.astype(np.float64)) @ meant.T)


def words(study: Study, trial: Trial) -> str:
    count = len(templates(trial.recipe.answers.templates))
    return f"asked by texts ({count} template{'s' * (count != 1)})"


WAY = Asking("features", lambda model: model.features, questions)
PROTOCOL = asking_protocol(
    "zero-shot", "a model that knows texts answers with the nearest one (network.model, answers.templates)", check,
    words, WAY,
)  # fmt: skip
