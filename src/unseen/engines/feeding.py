"""Feed a model in other usual ways, on some canonical images: is it fed as it was trained?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from unseen.kinds.weaknesses.feeding import Feeding, FeedingCheck
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.seeds import keyed
from unseen.vocabulary.varied_sets import ASKED, CANONICAL

if TYPE_CHECKING:
    import torch

    from unseen.models.given import GivenModel, Preprocessing

MOST = 100  # canonical images that are tried
ALIKE = 0.01  # mean and spread of two feedings that differ by less, on a scale of 0 to 1, are one


def feeding_of(
    study: Study, trial: Trial, device: torch.device, known: Mapping[str, FeedingCheck], tell: Callable[[str], None]
) -> FeedingCheck | None:
    """How a model was fed and what else was tried; None where its preprocessing is its own affair (a function that
    takes pictures as they are)."""
    from unseen.studies.given_models import given_of, model_told
    from unseen.studies.identities import as_hashed
    from unseen.studies.protocols import given, zero_shot
    from unseen.studies.tables import digest

    if trial.recipe.protocol_name not in ("given", "zero-shot"):
        return None
    way = given.WAY if trial.recipe.protocol_name == "given" else zero_shot.WAY
    model = given_of(trial.recipe.network)
    own = model.preprocessing
    if own.dtype == "uint8" or own.channels not in ("RGB", "BGR"):
        return None
    rows = _canonical_rows(study, trial)
    told = {
        **model_told(model),
        "world": study.world(trial).fingerprint,
        "rows": digest(rows.tobytes().hex()),
    }
    mark = digest(as_hashed(told))
    name = _name(model, trial)
    if mark in known:
        return known[mark]
    model = model.to(device)
    found, _ = way.questions(model, study, trial)
    question = found[0]
    truth = question.target.truth(study.world(trial).samples, rows)
    kept = np.isin(truth, question.places)
    rows, truth = rows[kept], truth[kept]
    if not len(rows):
        return None
    images = study.world(trial).images(rows, str(device))
    tried: list[tuple[str, str, np.ndarray]] = []
    try:
        for title, words, how in [("its own", "", own), *usual(own)]:
            tell(f"checking the preprocessing: {title}")
            model.preprocessing = how
            outputs = way.encode(model)(images).float().cpu().numpy()
            said = np.asarray(question.places)[question.answer(outputs).argmax(1)]
            tried.append((title, words, said == truth))
    finally:
        model.preprocessing = own
    first = tried[0][2]
    claim = model.known.get("claim") or {}
    return FeedingCheck(
        name,
        Feeding(own.words, int(first.sum()), len(rows)),
        tuple(
            Feeding(title, int(right.sum()), len(rows), int((right != first).sum()), int((right & ~first).sum()), words)
            for title, words, right in tried[1:]
        ),
        claim.get("top1"),
        str(claim.get("of", "")),
        mark,
    )


def _name(model: GivenModel, trial: Trial) -> str:
    from unseen.kinds.weaknesses.models_examined import network_name

    return network_name(trial) or model.name


def _canonical_rows(study: Study, trial: Trial) -> np.ndarray:
    """Some canonical images, or of what is asked where nothing is canonical."""
    split, samples = study.split(trial), study.world(trial).samples
    name = CANONICAL if CANONICAL in split.sets else ASKED if ASKED in split.sets else next(iter(split.sets))
    rows = split.rows(samples, name)
    return np.sort(rows[np.argsort(keyed(0, "feeding", rows), kind="stable")][:MOST])


def usual(own: Preprocessing) -> Iterator[tuple[str, str, Preprocessing]]:
    """Other usual ways: what to call each, as options, and itself."""
    from dataclasses import replace

    from unseen.models.given.preprocessing import IMAGENET_MEAN, IMAGENET_STD

    ways: list[tuple[str, float, tuple[float, ...], tuple[float, ...]]] = [
        ("ImageNet's mean and std", 1.0, IMAGENET_MEAN, IMAGENET_STD),
        ("mean .5 and std .5", 1.0, (0.5,), (0.5,)),
        ("0 to 1 as they are", 1.0, (0.0,), (1.0,)),
        ("0 to 255 as they are", 255.0, (0.0,), (1.0,)),
    ]
    for title, scale, mean, std in ways:
        if _alike(own, scale, mean, std):
            continue
        words = f"--preprocessing range={scale:g} --preprocessing mean={list(mean)} --preprocessing std={list(std)}"
        yield title, words, replace(own, range=scale, mean=mean, std=std)
    other = "BGR" if own.channels == "RGB" else "RGB"
    yield f"channels as {other}", f"--preprocessing channels={other}", replace(own, channels=other)


def _alike(own: Preprocessing, scale: float, mean: tuple[float, ...], std: tuple[float, ...]) -> bool:
    """Whether pictures come out the same, but for a hundredth; what leaves the range 0 to 1 is another scale."""
    mine = [np.broadcast_to(np.array(part) / own.range, 3) for part in (own.mean, own.std)]
    theirs = [np.broadcast_to(np.array(part) / scale, 3) for part in (mean, std)]
    return all(np.allclose(a, b, atol=ALIKE) for a, b in zip(mine, theirs))
