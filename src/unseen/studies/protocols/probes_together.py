"""Probes fitted together: hundreds of logistic regressions on features that are computed once and kept.

Each is the solution of one convex problem (:mod:`unseen.training.probes`), so that neither seeds, batches nor epochs
have a part in it, and a probe is the same alone and among hundreds, but for rounding at the end of its descent. Its
penalty is chosen on the validation rows of the split, which it does not learn from; where a split has none, on a share
of the training rows ([search] share) that it then learns, too. Penalties are ``search.weight_decay`` or
:data:`~unseen.training.probes.L2`, for features of unit mean square length: those of a probe's own training rows count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.studies.class_likeness import LIKENESS, nearest_by_features
from unseen.studies.given_models import given_of, model_description, model_told
from unseen.studies.protocol_table import AnsweredTrial, JointAnswering, RunPlace
from unseen.studies.search import held_out
from unseen.studies.study import Study
from unseen.studies.trials import Trial, code_in_identity
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import Recipe
from unseen.vocabulary.target import Target

if TYPE_CHECKING:
    import torch

    from unseen.recordings.features import Features

LBFGS = "lbfgs"
FITTED = {"cpu": 5e8}  # bytes of weights that are fitted at a time
FITTED_ELSEWHERE = 4e9
STARTS = ("checkpoint", "pretrained", "frozen")  # of [network]: the digest of its weights tells what these led to
KEYS = ("optimiser", "normalise")  # of [training]: the others have no part in a fit


@dataclass(frozen=True, eq=False)
class FeatureSource:
    """What features come from: all that decides them, how they are made, and the network as a record describes it.
    ``branch`` of each target, where each has features of its own."""

    told: Mapping[str, Any]
    name: str
    encode: Callable[[torch.Tensor], torch.Tensor]
    description: Mapping[str, Any]
    branch: Mapping[str, int | None]


@dataclass(eq=False)
class ProbeTrial:
    """A trial, the rows it learns, chooses its penalty by and is asked; and what is found of each target."""

    trial: Trial
    source: FeatureSource
    train: np.ndarray
    validation: np.ndarray
    refit: bool
    sets: list[tuple[str, np.ndarray, tuple[str, ...]]]
    targets: tuple[Target, ...]
    answers: dict[str, list[tuple[np.ndarray, np.ndarray]]] = field(default_factory=dict)
    search: dict[str, Any] = field(default_factory=dict)
    flags: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def rows(self) -> np.ndarray:
        return np.concatenate([self.train, self.validation, *(rows for _, rows, _ in self.sets)])


def takes(recipe: Recipe) -> bool:
    return recipe.training.optimiser == LBFGS


def check_fit(trial: Trial) -> None:
    """What a fit cannot follow is refused: it would name the trial by something that it did not do."""
    recipe = trial.recipe
    if recipe.task != "classification":
        raise UnseenError(
            f"training.optimiser = 'lbfgs' fits classes, and task = '{recipe.task}' asks for numbers; set another "
            'optimiser, e.g. training.optimiser = "adam".'
        )
    refused = {
        "training.augment": (recipe.training.augment, "features are computed once for each picture"),
        "search.lr": (recipe.search.lr, "a fit has no learning rate; search.weight_decay lists penalties"),
        "training.loss_weights": (recipe.training.loss_weights, "each target has a probe of its own"),
    }
    for key, (value, why) in refused.items():
        if value:
            raise UnseenError(f"{key} does nothing where training.optimiser = 'lbfgs': {why}. Leave it out.")
    if any(penalty <= 0 for penalty in recipe.search.weight_decay):
        raise UnseenError("search.weight_decay lists penalties of probes, which are above 0; leave 0 out.")


def answer(study: Study, trials: Sequence[Trial], where: RunPlace) -> Iterator[tuple[Trial, AnsweredTrial | Exception]]:
    """Trials whose features come from one source on one world, together."""
    import torch

    sources: dict[str, FeatureSource] = {}
    groups: dict[str, list[ProbeTrial]] = {}
    for trial in trials:
        try:
            key = _source_key(study, trial)
            if key not in sources:
                if len(groups) and len(sources) >= 2:  # networks are large: those before are answered first
                    for group in groups.values():
                        yield from _answered(study, group, where)
                    groups.clear()
                    sources.clear()
                sources[key] = source_of(study, trial, where)
            groups.setdefault(f"{key} {study.world(trial).fingerprint}", []).append(_asked(study, trial, sources[key]))
        except (torch.OutOfMemoryError, KeyboardInterrupt):
            raise
        except Exception as error:
            yield trial, error
    for group in groups.values():
        yield from _answered(study, group, where)


def _source_key(study: Study, trial: Trial) -> str:
    recipe = trial.recipe
    own = "" if recipe.network.start or recipe.network.model else trial.seed  # random weights are each seed's own
    targets = [(target.name, target.outputs) for target in study.targets(trial)]
    needed = study.encoder(trial)
    encoder = needed.identity if needed else recipe.pretraining.model_dump_json(exclude_defaults=True)
    said = recipe.network.model_dump_json(), recipe.training.normalise, study.world(trial).size, own, targets, encoder
    return " ".join(map(str, said))


def source_of(study: Study, trial: Trial, where: RunPlace) -> FeatureSource:
    """What a trial's features come from, on the device."""
    if trial.recipe.network.model:
        model = given_of(trial.recipe.network).to(where.device)
        names = [target.name for target in study.targets(trial)]
        return FeatureSource(
            model_told(model),
            model.name,
            model.features,
            model_description(model),
            dict.fromkeys(names),
        )
    from unseen.studies.protocols.frozen import digest_of, probe_network
    from unseen.training.learner import laid_out

    whole = laid_out(probe_network(study, trial), where.device).eval()
    network: Any = whole.network
    recipe = trial.recipe
    told = {
        "weights": digest_of(network),
        "network": recipe.network.model_dump(mode="json", exclude={*STARTS}, exclude_defaults=True),
        **code_in_identity(recipe.network.backbone),
        "stem": network.description["stem"],
        "normalise": recipe.training.normalise,
        "size": list(study.world(trial).size),
    }

    def encode(images: torch.Tensor) -> torch.Tensor:
        return network.features(whole.prepare(images))

    branches = {name: place if len(network.branches) else None for place, name in enumerate(network.targets)}
    return FeatureSource(told, recipe.network.backbone, encode, network.description, branches)


def _asked(study: Study, trial: Trial, source: FeatureSource) -> ProbeTrial:
    world, split, targets = study.world(trial), study.split(trial), study.targets(trial)
    rows = split.rows(world.samples, "train")
    if not len(rows):
        raise UnseenError("row set 'train' is empty: nothing to fit.")
    fresh = getattr(world, "fresh", None)
    if fresh is not None and fresh(rows).any():
        raise UnseenError(
            "training.optimiser = 'lbfgs' computes the features of a picture once, and noise draws these training "
            'images anew at every visit; set another optimiser, e.g. training.optimiser = "adam".'
        )
    validation, refit = np.zeros(0, np.int64), False
    if "validation" in split.sets:
        validation = split.rows(world.samples, "validation")
    if not len(validation) and len(penalties_of(trial.recipe)) > 1:
        out = held_out(world.samples, rows, trial.recipe.search.share, trial.seed)
        rows, validation, refit = rows[~out], rows[out], True
    sets = []
    for name in study.asked(trial):
        asks = split[name].asks
        wanted = tuple(target.name for target in targets if asks is None or target.factor in asks)
        sets.append((name, split.rows(world.samples, name), wanted))
    return ProbeTrial(trial, source, rows, validation, refit, sets, targets)


def penalties_of(recipe: Recipe) -> tuple[float, ...]:
    from unseen.training.probes import L2

    return tuple(sorted(set(recipe.search.weight_decay))) or L2


def _answered(
    study: Study, group: Sequence[ProbeTrial], where: RunPlace
) -> Iterator[tuple[Trial, AnsweredTrial | Exception]]:
    """Features once, then as many probes at a time as memory holds; each trial is done before the next ones begin."""
    from unseen.studies.kept_features import features_of, keep_features

    started, first = time.perf_counter(), group[0]
    world = study.world(first.trial)
    kept = features_of(first.source.told, "features", world, where.precision, {"model": first.source.name})
    rows = np.unique(np.concatenate([one.rows for one in group]))
    try:
        computed = keep_features(kept, world, rows, first.source.encode, where)
    except UnseenError as error:
        for one in group:
            yield one.trial, error
        return
    looked = (time.perf_counter() - started) / len(group)
    read = Reading(kept, rows, where.device)
    for some in _parts(group, int(np.prod(kept.shape() or (1,))), where):
        since = time.perf_counter()
        try:
            _fit(study, some, read)
        except UnseenError as error:
            for one in some:
                yield one.trial, error
            continue
        spent = (time.perf_counter() - since) / len(some)
        where.progress(f"probes on {first.source.name}", group.index(some[-1]) + 1, len(group))
        for one in some:
            answers = []
            for name, asked, wanted in one.sets:
                found = {target: one.answers[target].pop(0) for target in wanted}
                answers.append((name, asked, found))
            description = {**one.source.description, "fitted": LBFGS}
            facts: dict[str, Any] = {"images": {"computed": computed}}
            if likeness := _likeness(study, one, read):
                facts[LIKENESS] = likeness
            yield one.trial, AnsweredTrial(answers, description, one.flags, looked + spent, one.search, facts)


def _likeness(study: Study, one: ProbeTrial, read: Reading) -> dict[str, float]:
    branch = one.source.branch[one.targets[0].name]
    return nearest_by_features(study, one.trial, one.rows, lambda rows: read(rows, branch).float().cpu().numpy())


class Reading:
    """Features of rows on the device: all of them there where they fit in half of its free memory."""

    def __init__(self, kept: Features, rows: np.ndarray, device: torch.device) -> None:
        from unseen.training.feed import fits

        self.kept, self.rows, self.device = kept, rows, device
        self.held: torch.Tensor | None = None
        if fits(len(rows), 4 * int(np.prod(kept.shape() or (1,))), device):
            self.held = self._read(rows)

    def _read(self, rows: np.ndarray) -> torch.Tensor:
        import torch

        return torch.from_numpy(self.kept.read(rows)).to(self.device)

    def __call__(self, rows: np.ndarray, branch: int | None) -> torch.Tensor:
        import torch

        if self.held is None:
            found = self._read(rows)
        else:
            found = self.held[torch.from_numpy(np.searchsorted(self.rows, rows)).to(self.device)]
        return found if branch is None else found[:, branch]


def _parts(group: Sequence[ProbeTrial], features: int, where: RunPlace) -> Iterator[list[ProbeTrial]]:
    """So many at a time that the weights tried take a bounded number of bytes; alike ones (whether they learn their
    validation rows, penalties, targets) together."""
    alike: dict[Any, list[ProbeTrial]] = {}
    for one in group:
        alike.setdefault((one.refit, penalties_of(one.trial.recipe), one.targets), []).append(one)
    for (_, penalties, targets), some in alike.items():
        each = 4 * len(penalties) * features * max(target.outputs for target in targets)
        each += 8 * len(np.unique(np.concatenate([one.rows for one in some[:1]])))
        size = max(1, int(FITTED.get(where.device.type, FITTED_ELSEWHERE) // each))
        for start in range(0, len(some), size):
            yield some[start : start + size]


def _fit(study: Study, some: Sequence[ProbeTrial], read: Reading) -> None:
    """Fit the probes of these trials, target by target, and note their answers."""
    import torch

    from unseen.training.probes import fit_probes, fit_validated_probes

    penalties, refit = penalties_of(some[0].trial.recipe), some[0].refit
    samples = study.world(some[0].trial).samples
    union = np.unique(np.concatenate([rows for one in some for rows in (one.train, one.validation)]))
    places = [(np.searchsorted(union, one.train), np.searchsorted(union, one.validation)) for one in some]
    train, validation = (
        torch.from_numpy(np.stack([np.bincount(at[k], minlength=len(union)) for at in places]).astype(np.float32))
        for k in (0, 1)
    )
    for target in some[0].targets:
        x = read(union, some[0].source.branch[target.name])
        labels = torch.from_numpy(np.asarray(target.truth(samples, union))).to(x.device)
        own, asked = train.to(x.device), validation.to(x.device)
        length = (own @ x.square().sum(1)) / own.sum(1)  # the mean square length of each problem's rows
        l2 = torch.tensor(penalties, device=x.device)[None] * length.clamp(min=1e-30)[:, None]
        if len(penalties) > 1:
            fitted = fit_validated_probes(x, labels, own, asked, l2, classes=target.outputs, refit=refit)
        else:
            fitted = fit_probes(x, labels, own, l2, classes=target.outputs)
        _note(some, target, penalties, fitted, (fitted.l2 / length[:, None])[:, 0].tolist())
        for number, one in enumerate(some):
            weight, bias = fitted.weight[number, 0], fitted.bias[number, 0]
            for _, rows, wanted in one.sets:
                if target.name in wanted:
                    scores = read(rows, one.source.branch[target.name]) @ weight + bias
                    sure, said = scores.softmax(1).max(1)
                    one.answers.setdefault(target.name, []).append((said.cpu().numpy(), sure.float().cpu().numpy()))


def _note(
    some: Sequence[ProbeTrial], target: Target, penalties: Sequence[float], fitted: Any, chosen: Sequence[float]
) -> None:
    """How each penalty was chosen, and what a reader must know."""
    converged, steps = fitted.converged[:, 0].tolist(), fitted.steps[:, 0].tolist()
    right = fitted.tried[1].tolist() if fitted.tried else None
    for number, one in enumerate(some):
        best = min(range(len(penalties)), key=lambda at: abs(np.log(penalties[at] / chosen[number])))
        told: dict[str, Any] = {"chosen": {"weight_decay": penalties[best]}, "steps": steps[number]}
        if right is not None:
            told["tries"] = [
                {"weight_decay": penalty, "accuracy": share, "n": len(one.validation)}
                for penalty, share in zip(penalties, right[number])
            ]
            told |= {"by": "accuracy", "refit": one.refit}
            if best in (0, len(penalties) - 1):
                told["at_edge"] = ["weight_decay"]
        one.search[target.name] = told
        if not converged[number]:
            one.flags[f"unconverged {target.name}"] = f"its probe had not converged after {steps[number]} steps"


def encode(study: Study, trial: Trial, where: RunPlace) -> Callable[[torch.Tensor], torch.Tensor]:
    return source_of(study, trial, where).encode


def look(study: Study, trial: Trial) -> Mapping[str, Any]:
    """The network's description; of a backbone without numbers in it where that can be."""
    if trial.recipe.network.model:
        return model_description(given_of(trial.recipe.network))
    from unseen.studies.protocols.labelled import labelled_tried

    return labelled_tried(study, trial, False).description


TOGETHER = JointAnswering(takes, answer, encode, look, KEYS)
