"""Make the encoders that a study's trials need: drawn pictures, a pretext, the training loop, and a folder each.

Ours: rows are drawn at random among the world's; as many as a batch has, at most a fifth, are set aside to watch the
loss on. No epoch is chosen by it, the last weights are kept: what a pretext's loss is has no bearing on how well its
features serve. A teacher is kept in place of its student where there is one.
"""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from unseen.models import Network, Preprocessed
from unseen.studies.encoders import Encoder, encoder_folder, keep_encoder
from unseen.studies.execute import Event, Watch, machine
from unseen.studies.needed import encoders_to_make
from unseen.studies.protocols.labelled import first_network
from unseen.studies.recorded import faults_in_words
from unseen.studies.store import DiskTrouble
from unseen.studies.study import Study
from unseen.studies.trials import Trial, precisions
from unseen.studies.whole_trials import set_aside
from unseen.training import LabelledData, Trained, labelled_data, reproducible, train
from unseen.training.pretexts import Pretext, pretext_row
from unseen.training.pretraining import LOSS, PretrainingLearner
from unseen.vocabulary.captions import phrases_of
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import Factor
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import seed_of, stream
from unseen.vocabulary.world import World

MOST_WATCHED = 1024  # pictures that the loss is watched on
LOOKED = 256  # of them whose features are looked at
ALIKE = 1e-3  # mean spread of features, each picture's of length one, under which they are all alike (ours)


@dataclass(frozen=True, eq=False)
class PretrainingRows:
    """Rows to learn from and rows to watch the loss on."""

    train: np.ndarray
    watched: np.ndarray


def pretrain(study: Study, *, device: torch.device | str = "cpu", watch: Watch | None = None) -> list[str]:
    """Make the encoders that a study's missing trials need and that are not here, one after the other; gives their
    identities. One that was killed is made again, one that is damaged too. One that cannot be made is told and left
    out, since trials that need another one, or none, can do without: those that need it fail, and a next run tries it
    again."""
    tell = watch or (lambda event: None)
    found = encoders_to_make(study, torch.device(device).type, lambda text: tell(Event("note", text)))
    return [needed.identity for needed in found if make_encoder(study, needed, device=device, watch=tell)]


def make_encoder(study: Study, needed: Encoder, *, device: torch.device | str, watch: Watch) -> bool:
    """Make one encoder and keep it; False where it cannot be made, which is told. A damaged one that is in its place is
    moved out of the way."""
    if (there := encoder_folder(study.store, needed.identity)).is_dir():
        set_aside(there)
    epochs = needed.trial.recipe.pretraining.epochs
    watch(Event("pretraining", needed.label, needed.identity, {"epochs": epochs}))
    try:
        record, network = _done(study, needed, torch.device(device), watch)
    except DiskTrouble:
        raise
    except UnseenError as error:
        watch(Event("note", f"{error} The trials that need it will fail."))
        return False
    finally:
        gc.collect()
    keep_encoder(study.store, needed.identity, record, network.trunk.state_dict())
    watch(Event("pretrained", needed.label, needed.identity, {"text": pretrained_text(record)}))
    del network
    gc.collect()
    return True


def rows_for(samples: Samples, trial: Trial) -> PretrainingRows:
    """Which pictures an encoder learns from, and which its loss is watched on; by its own seed."""
    section, every = trial.recipe.pretraining, len(samples)
    wanted = min(section.images or every, every)
    chosen = stream(section.seed, "pretraining", "images").choice(every, wanted, replace=False)
    watched = watched_of(wanted, section.batch)
    return PretrainingRows(np.sort(chosen[watched:]), np.sort(chosen[:watched]))


def watched_of(images: int, batch: int) -> int:
    """
    >>> watched_of(1000, 64), watched_of(100, 64), watched_of(4, 64)
    (64, 20, 2)
    """
    return min(max(2, min(batch, images // 5, MOST_WATCHED)), images // 2)


def category_of(samples: Samples) -> Factor | None:
    """The factor of categories, which labels name."""
    return next((factor for factor in samples.space.factors if factor.kind == "category"), None)


def without_words(world: World) -> set[str]:
    """Circumstances that captions say by their values: under a variation where objects turn about an axis of their own,
    none is seen "from the left", and where each is shifted in a direction of its own, none is "at the left"."""
    inner: Any = world
    while (within := getattr(inner, "inner", None)) is not None:
        inner = within
    variation = getattr(getattr(inner, "compose", None), "variation", None)
    told = {"pose": getattr(variation, "tumbles", False), "position": getattr(variation, "plane", False)}
    return {name for name, own in told.items() if own}


def build_pretext(trial: Trial, network: Network, world: World) -> Pretext:
    """What a network learns by; its own first weights depend on the seed of pretraining alone."""
    section, row, samples = trial.recipe.pretraining, pretext_row(trial.recipe.pretraining.objective), world.samples
    shown: dict[str, Any] = {}
    if section.objective == "clip":
        shown["phrases"] = phrases_of(samples.space, without_words(world))
    if section.objective == "supervised":
        factor = category_of(samples)
        assert factor is not None
        shown |= {"classes": len(factor), "factor": samples.space.names.index(factor.name)}
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed_of(section.seed, "pretraining", "beside"))
        return row.make(network, network.description["features"], section.objective_arguments, **shown)


def pretraining_learner(
    trial: Trial, world: World, device: torch.device, precision: str
) -> tuple[PretrainingLearner, PretrainingRows]:
    """An encoder's learner, with its pictures on the device where they fit."""
    recipe, samples = trial.recipe, world.samples
    network = first_network(trial, world.size)
    pretext = build_pretext(trial, network, world)
    prepare = (
        Preprocessed(network, normalise=recipe.training.normalise, channels=recipe.network.channels).to(device).prepare
    )
    images, drawn = rows_for(samples, trial), bool(getattr(world, "drawn", False))

    def bring(rows: np.ndarray) -> LabelledData:
        return labelled_data(rows, samples.cells(rows), world.images, device, None, drawn)

    learner = PretrainingLearner(
        pretext, prepare, bring(images.train), bring(images.watched), recipe.pretraining.settings(),
        seed=recipe.pretraining.seed, device=device, precision=precision,
    )  # fmt: skip
    return learner, images


def _done(study: Study, needed: Encoder, device: torch.device, watch: Watch) -> tuple[dict[str, Any], Network]:
    """Train one encoder; whatever breaks is told in words."""
    section = needed.trial.recipe.pretraining
    with faults_in_words(needed.label, "pretraining.batch", section.batch), reproducible(section.threads):
        return _record(study, needed, device, watch)


def _record(study: Study, needed: Encoder, device: torch.device, watch: Watch) -> tuple[dict[str, Any], Network]:
    started = time.perf_counter()
    trial, world = needed.trial, study.learned_world(needed.trial)
    precision = precisions(trial.recipe, device.type, trial.recipe.pretraining.precision)[0]
    learner, images = pretraining_learner(trial, world, device, precision)
    (trained,) = train([learner], lambda place, figures: watch(Event("epoch", needed.label, needed.identity, figures)))
    network: Any = learner.pretext.delivered
    spread = spread_of(learner)
    flags = {**trained.flags, **({"collapsed": _collapsed(spread)} if spread < ALIKE else {})}
    return _told(needed, trained, flags, images, precision, spread, device, started), network


def _told(
    needed: Encoder,
    trained: Trained,
    flags: dict[str, str],
    images: PretrainingRows,
    precision: str,
    spread: float,
    device: torch.device,
    started: float,
) -> dict[str, Any]:
    return {
        "identity": needed.identity,
        "label": needed.label,
        "objective": needed.trial.recipe.pretraining.objective,
        "description": dict(needed.description),
        "images": {"train": len(images.train), "watched": len(images.watched)},
        "precision": precision,
        "curve": list(trained.curve),
        "flags": flags,
        "spread": spread,
        "seconds": time.perf_counter() - started,
        "machine": machine(device),
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S"),
    }


@torch.no_grad()
def spread_of(learner: PretrainingLearner) -> float:
    """How far features of different pictures are apart: their variance, each vector of length one, summed over its
    numbers: 0 where all are alike, 1 at most."""
    source, network = learner.validation, learner.pretext.delivered.eval()
    visits = np.arange(min(len(source), LOOKED))
    images = source.tested(visits, str(learner.device)).to(learner.device)
    features: Any = network.features(learner.prepare(images))  # type: ignore[operator]
    unit = torch.nn.functional.normalize(features.float(), dim=1)
    return float(unit.var(0, correction=0).sum())


def _collapsed(spread: float) -> str:
    return f"its features are nearly the same for all pictures (spread {spread:.2g} of 1)"


def pretrained_text(record: dict[str, Any]) -> str:
    """What pretraining did, on one line.

    >>> curve = [{"train loss objective": 4.0, "validation loss objective": 4.1}] * 2
    >>> pretrained_text({"curve": curve, "images": {"train": 900}, "flags": {}, "spread": 0.5})
    '900 images, 2 epochs, loss 4 (watched 4.1)'
    """
    last = record["curve"][-1]
    told = f"{record['images']['train']:,} images, {len(record['curve'])} epochs, loss {last[f'train loss {LOSS}']:.3g}"
    told += f" (watched {last[f'validation loss {LOSS}']:.3g})"
    return told + "".join(f"; {flag}: {detail}" for flag, detail in record["flags"].items())
