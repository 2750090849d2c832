"""The table of answers: one row per asked image and target. Networks and humans share it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from unseen.vocabulary.samples import Samples
from unseen.vocabulary.target import Target

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = ("subject", "trial", "set", "sample", "target", "truth", "response", "confidence")
IMAGE = "image"  # the name of the instance: of a folder's image its path below the root
NO_ANSWER = ""  # the response of a person who gave none


def responses_table(
    samples: Samples,
    targets: Sequence[Target],
    *,
    subject: str,
    trial: str,
    asked: str,
    rows: np.ndarray,
    answers: Mapping[str, tuple[np.ndarray, np.ndarray | None]],
) -> pa.Table:
    """Answers of one subject to one row set; ``answers[target] = (class numbers, confidences)``. A class number of
    −1 is no answer, and confidences may be unknown (None).

    Truth and response are class names, or numbers where the target is a regression (there is no confidence then). The
    factor levels of each image stand beside its answers, under the factors' own names, and its attributes. Confidence
    is the subject's own (a softmax probability), kept to four decimals, which is what keeps 144 networks' answers a few
    megabytes.

    ``sample`` is the row's number in the world, as ``world.images`` and ``unseen render --rows`` take it. Where
    instances have names of their own, ``image`` holds them (a path below the root): a row number means nothing to who
    looks for a file, and another one as soon as a file is added.
    """
    import pyarrow as pa

    n = len(rows)

    def constant(word: str) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int8)), pa.array([word]))

    def named(numbers: np.ndarray, words: Sequence[str]) -> pa.DictionaryArray:
        kind = np.int16 if len(words) < 2**15 else np.int32
        return pa.DictionaryArray.from_arrays(pa.array(numbers.astype(kind)), pa.array([str(w) for w in words]))

    tables = []
    levels = {factor.name: samples.levels(factor.name, rows) for factor in samples.space.factors}
    own = samples.own_names(rows)
    images = {} if own is None else {image_column(samples.space.names): named(own[0], own[1])}
    for target in targets:
        response, confidence = answers[target.name]
        columns: dict[str, pa.Array] = {
            "subject": constant(subject),
            "trial": constant(trial),
            "set": constant(asked),
            "sample": pa.array(np.asarray(rows, dtype=np.int64)),
            **images,
            "target": constant(target.name),
            **_answers(target, target.truth(samples, rows), np.asarray(response), confidence, named),
        }
        for factor in samples.space.factors:
            key = factor.name if factor.name not in COLUMNS else f"factor_{factor.name}"
            columns[key] = named(levels[factor.name], [str(level) for level in factor.levels])
        columns |= {name: pa.array(samples.attribute(name, rows)) for name in samples.attributes}
        tables.append(pa.table(columns))
    return pa.concat_tables(tables, promote_options="permissive").unify_dictionaries() if len(tables) > 1 else tables[0]


def image_column(factors: Sequence[str]) -> str:
    """Where the images' names stand: a factor that is itself called "image" keeps its column.

    >>> image_column(["category", "azimuth"]), image_column(["category", "image"])
    ('image', 'image_name')
    """
    return IMAGE if IMAGE not in factors else f"{IMAGE}_name"


def _answers(
    target: Target, truth: np.ndarray, response: np.ndarray, confidence: np.ndarray | None, named: Callable
) -> dict[str, pa.Array]:
    import pyarrow as pa

    if target.kind == "regression":
        nothing = pa.nulls(len(truth), pa.float32())
        return {"truth": pa.array(truth), "response": pa.array(response.astype(np.float32)), "confidence": nothing}
    said = [*target.classes, NO_ANSWER] if (response < 0).any() else target.classes
    response = np.where(response < 0, len(target.classes), response)
    sure = _sure(confidence, len(truth))
    return {"truth": named(truth, target.classes), "response": named(response, said), "confidence": sure}


def _sure(confidence: np.ndarray | None, n: int) -> pa.Array:
    import pyarrow as pa

    if confidence is None:
        return pa.nulls(n, pa.float32())
    return pa.array(np.round(np.asarray(confidence, dtype=np.float64), 4).astype(np.float32))
