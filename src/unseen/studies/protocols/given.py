"""A model as it is: nothing is trained, and its own labels answer for a world's categories.

What it says to each picture is kept as its outputs are (:mod:`unseen.studies.kept_features`), so that another class map
needs no picture again. Scored are the categories that have a counterpart among its labels; which have none is told.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.studies.given_models import given_of, model_description, model_told
from unseen.studies.protocol_table import AnsweredTrial, JointAnswering, LearnerData, Protocol, RunPlace
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.answer_spaces import AnswerSpace, answer_space
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.recipe import Recipe
from unseen.vocabulary.target import Target

if TYPE_CHECKING:
    import torch

    from unseen.models import Preprocessed
    from unseen.models.given import GivenModel
    from unseen.training import Learner

CHUNK = 4096  # rows whose outputs are read at a time


@dataclass(frozen=True)
class Question:
    """A target that a model can answer: how its outputs become class numbers of the target."""

    target: Target
    answer: Callable[[np.ndarray], np.ndarray]  # what is kept of rows -> scores of the ``places``
    places: tuple[int, ...]  # the classes that have a counterpart
    told: Mapping[str, Any]


Questions = Callable[["GivenModel", Study, Trial], tuple[list[Question], dict[str, str]]]


def check(trial: Trial) -> None:
    check_as_it_is(trial)


def check_as_it_is(trial: Trial) -> None:
    """A model must be named, and nothing may be asked of a training that there is not."""
    recipe, name = trial.recipe, trial.recipe.protocol_name
    if recipe.network.model is None:
        raise UnseenError(
            f"protocol = '{name}' asks a model that comes with its weights, and none is named; set network.model, e.g. "
            'model = "timm:resnet50.a1_in1k" (`unseen models` lists what is known), "my.onnx" or "module:factory".'
        )
    if recipe.task != "classification":
        raise UnseenError(
            f"protocol = '{name}' names classes, and task = '{recipe.task}' asks for numbers; leave task out."
        )
    if recipe.network.frozen:
        raise UnseenError(
            f"protocol = '{name}' trains nothing, so network.frozen = true does nothing; leave it out, or set "
            'protocol = "probe" to train a head on its features.'
        )


def questions(model: GivenModel, study: Study, trial: Trial) -> tuple[list[Question], dict[str, str]]:
    """The targets that a model's labels have words for, and flags of the others."""
    found, flags, why = [], {}, []
    for target in study.targets(trial):
        space = space_of(model, study, trial, target)
        if isinstance(space, str):
            why.append(space)
            flags[f"{target.name} not answered"] = space
            continue
        places = tuple(target.classes.index(name) for name in space.categories)
        found.append(Question(target, _summed(model, space), places, _told(model, space)))
        if space.without:
            flags[f"{target.name} without counterpart"] = (
                f"{len(space.without)} of {len(target.classes)} are not among this model's answers and are not asked: "
                f"{listed(space.without, 12)}"
            )
    if not found:
        raise UnseenError(
            f"model '{model.name}' has no label for what is asked ({'; '.join(why)}). Give a map from its labels to "
            'these categories by answers.map = "FILE.csv", or set protocol = "probe" to train a head.'
        )
    return found, flags


def space_of(model: GivenModel, study: Study, trial: Trial, target: Target) -> AnswerSpace | str:
    """How a model's labels answer a target, or why they cannot. Its classes go by the names of the factor's levels or
    by their texts, whichever more labels answer to."""
    said, names = trial.recipe.answers, [target.classes]
    levels = tuple(map(str, study.world(trial).samples.space[target.factor].levels))
    if target.class_map is None and levels != target.classes:
        names.insert(0, levels)
    found: list[AnswerSpace] = []
    why: UnseenError | None = None
    for categories in names:
        try:
            space = answer_space(
                categories,
                model.labels,
                model.label_space,
                outputs=model.outputs,
                by=None if said.map == "auto" else said.map,
                how=None if said.how == "auto" else said.how,
            )
            found.append(
                replace(
                    space,
                    categories=tuple(target.classes[categories.index(c)] for c in space.categories),
                    without=tuple(target.classes[categories.index(c)] for c in space.without),
                )
            )
        except UnseenError as error:
            why = why or error
    if not found:
        assert why is not None
        if trial.recipe.targets or said.map != "auto":  # asked for by name
            raise why
        return f"{target.name}: {why}"
    space = max(found, key=lambda one: len(one.categories))
    if len(space.categories) < 2:
        return f"{target.name}: {len(space.categories)} of its {len(target.classes)} classes have a counterpart"
    return space


def _summed(model: GivenModel, space: AnswerSpace) -> Callable[[np.ndarray], np.ndarray]:
    def scores(outputs: np.ndarray) -> np.ndarray:
        return space.scores_of(outputs if model.are_probabilities else softmax(outputs))

    return scores


def softmax(scores: np.ndarray) -> np.ndarray:
    exact = scores.astype(np.float64)
    raised = np.exp(exact - exact.max(1, keepdims=True))
    return raised / raised.sum(1, keepdims=True)


def _told(model: GivenModel, space: AnswerSpace) -> dict[str, Any]:
    """An answer space as a record keeps it: which labels count for which category."""
    labels = model.labels or tuple(str(number) for number in range(model.outputs))
    classes = {name: [labels[n] for n in own] for name, own in zip(space.categories, space.classes)}
    told = {"origin": space.origin, "how": space.how, "words": space.words}
    return {**told, "classes": classes, "without": list(space.without)}


@dataclass(frozen=True)
class Asking:
    """How models that are not trained are asked: ``what`` of them is kept, made by ``encode``, and the questions that
    are answered by it."""

    what: str
    encode: Callable[[GivenModel], Callable[[torch.Tensor], torch.Tensor]]
    questions: Questions

    def answer(
        self, study: Study, trials: Sequence[Trial], where: RunPlace
    ) -> Iterator[tuple[Trial, AnsweredTrial | Exception]]:
        """Trials of one model on one world together: what it makes of a picture is made once."""
        groups: dict[tuple[str, str], list[Trial]] = {}
        for trial in trials:
            key = trial.recipe.network.model_dump_json(), study.world(trial).fingerprint
            groups.setdefault(key, []).append(trial)
        for group in groups.values():
            yield from self._of_one(study, group, where)

    def _of_one(
        self, study: Study, trials: Sequence[Trial], where: RunPlace
    ) -> Iterator[tuple[Trial, AnsweredTrial | Exception]]:
        import torch

        from unseen.studies.kept_features import features_of, keep_features

        asked: list[tuple[Trial, list[Question], dict[str, str], list[tuple[str, np.ndarray, Question]]]] = []
        started = time.perf_counter()
        for trial in trials:
            try:
                model = given_of(trial.recipe.network).to(where.device)
                found, flags = self.questions(model, study, trial)
                sets, few = rows_asked(study, trial, found)
                asked.append((trial, found, {**flags, **few}, sets))
            except (torch.OutOfMemoryError, KeyboardInterrupt):
                raise
            except Exception as error:
                yield trial, error
        if not asked:
            return
        first = asked[0][0]
        model, world = given_of(first.recipe.network).to(where.device), study.world(first)
        kept = features_of(model_told(model), self.what, world, where.precision, {"model": model.name})
        rows = np.unique(np.concatenate([rows for *_, sets in asked for _, rows, _ in sets]))
        try:
            computed = keep_features(kept, world, rows, self.encode(model), where)
        except UnseenError as error:
            for trial, *_ in asked:
                yield trial, error
            return
        looked = (time.perf_counter() - started) / len(asked)
        for trial, found, flags, sets in asked:
            since = time.perf_counter()
            answers = [
                (name, rows, {question.target.name: said(question, kept.read, rows)}) for name, rows, question in sets
            ]
            facts = {"answers": {one.target.name: one.told for one in found}, "images": {"computed": computed}}
            yield (
                trial,
                AnsweredTrial(
                    answers, model_description(model), flags, looked + time.perf_counter() - since, facts=facts
                ),
            )

    def look(self, study: Study, trial: Trial) -> dict[str, Any]:
        """The model, and that it can answer."""
        model = given_of(trial.recipe.network)
        self.questions(model, study, trial)
        return model_description(model)

    def encoder(self, study: Study, trial: Trial, where: RunPlace) -> Callable[[torch.Tensor], torch.Tensor]:
        return self.encode(given_of(trial.recipe.network).to(where.device))


def rows_asked(
    study: Study, trial: Trial, found: Sequence[Question]
) -> tuple[list[tuple[str, np.ndarray, Question]], dict[str, str]]:
    """Of each set and question the rows whose truth is among what the model can say; and how many are left out."""
    samples, split = study.world(trial).samples, study.split(trial)
    sets, out, total = [], 0, 0
    for name in study.asked(trial):
        rows, asks = split.rows(samples, name), split[name].asks
        for question in found:
            if asks is not None and question.target.factor not in asks:
                continue
            answerable = np.isin(question.target.truth(samples, rows), question.places)
            out, total = out + int((~answerable).sum()), total + len(rows)
            if answerable.any():
                sets.append((name, rows[answerable], question))
    if not sets:
        raise UnseenError(
            f"none of the {total:,} images that '{trial.label}' is asked shows a category that the model has an answer "
            "for; give another answers.map, or ask about other categories."
        )
    return sets, {"not asked": f"{out:,} of {total:,} images, whose answer the model has no word for"} if out else {}


def said(
    question: Question, read: Callable[[np.ndarray], np.ndarray], rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The most probable class of each row, and its score, a bounded number at a time."""
    places = np.asarray(question.places)
    responses, confidences = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.float32)
    for start in range(0, len(rows), CHUNK):
        some = slice(start, start + CHUNK)
        scores = question.answer(read(rows[some]))
        best = scores.argmax(1)
        responses[some], confidences[some] = places[best], scores[np.arange(len(best)), best]
    return responses, confidences


def no_network(study: Study, trial: Trial) -> Preprocessed:
    raise UnseenError(
        f"protocol = '{trial.recipe.protocol_name}' makes no network of its own: its answers are those of "
        f"'{trial.recipe.network.name}', as `unseen.models.given.bring` opens it."
    )


def no_learner(study: Study, trial: Trial, brought: LearnerData) -> Learner:
    raise AssertionError("nothing is trained")


def words(study: Study, trial: Trial) -> str:
    return "as it is"


def always(recipe: Recipe) -> bool:
    return True


def asking_protocol(
    name: str, says: str, check: Callable[..., None], words: Callable[[Study, Trial], str], way: Asking
) -> Protocol:
    """A protocol by which a model is asked in a certain way and nothing is trained."""
    return Protocol(
        name, says, check=check, network=no_network, learner=no_learner, words=words, sections=(), trains=False,
        seeded=False, answers=True, together=JointAnswering(always, way.answer, way.encoder, way.look),
    )  # fmt: skip


WAY = Asking("scores", lambda model: model.scores, questions)
PROTOCOL = asking_protocol(
    "given", "a model that comes with its weights is asked as it is (network.model, [answers])", check, words, WAY
)
