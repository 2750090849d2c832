"""The numbers of a comparison as tidy tables, for files and for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unseen.kinds.comparison.answers import Answers, Group
from unseen.kinds.comparison.pairs import (
    ALPHA,
    Counted,
    Own,
    Pair,
    by_level,
    every_pair,
    own_accuracy,
    ties,
    within,
)
from unseen.measures import Interval, ShapeBias, shape_bias
from unseen.vocabulary.subjects import PEOPLE

if TYPE_CHECKING:
    import polars as pl

MOST_LEVELS = 40


@dataclass(frozen=True, eq=False)
class Numbers:
    """All that is told of a comparison. ``reference`` is the subject that levels are compared against: people, if there
    are any, else the first."""

    answers: Answers
    owns: tuple[Own, ...]
    pairs: tuple[Pair, ...]
    groups: tuple[tuple[str, ...], ...]
    inside: dict[str, Interval]
    reference: Group
    levels: dict[tuple[str, str], tuple[tuple[str, Pair], ...]]  # by factor and the other subject
    biases: dict[str, dict[str, ShapeBias]]  # by subject, then by shape category; "" pooled

    @property
    def undefined(self) -> int:
        """Pairs of subjects without a κ."""
        return sum(pair.undefined == pair.pairs for pair in self.pairs)


def numbers_of(one: Answers) -> Numbers:
    owns = tuple(own_accuracy(one, group) for group in one.groups)
    reference = next((group for group in one.groups if group.kind == PEOPLE), one.groups[0])
    others = [group for group in one.groups if group is not reference]
    pairs = every_pair(one, [reference, *others])
    counted = Counted(one)
    inside = {group.name: found for group in one.groups if (found := within(one, group, counted)) is not None}
    levels = {
        (factor, name): tuple(found)
        for factor, (names, _) in one.factors.items()
        if len(names) <= MOST_LEVELS
        for name, found in by_level(one, factor, reference, others).items()
    }
    return Numbers(
        one, owns, pairs, tuple(ties(one, pairs, owns)), inside, reference, levels, _biases(one),
    )  # fmt: skip


def _biases(one: Answers) -> dict[str, dict[str, ShapeBias]]:
    """Shape bias of each subject, pooled and by category, where images have a shape and a texture."""
    import numpy as np

    if not {"shape", "texture"} <= set(one.factors):
        return {}
    cues = []
    for name in ("shape", "texture"):
        levels, places = one.factors[name]
        if not set(levels) <= set(one.classes):
            return {}
        cues.append(np.array([one.classes.index(level) for level in levels] + [-1])[places])
    shape, texture = cues
    found: dict[str, dict[str, ShapeBias]] = {}
    for group in one.groups:
        who, image = np.nonzero(one.asked[list(group.members)])
        said = one.response[list(group.members)][who, image].astype(np.int64)
        person = who if len(group.members) > 1 else None
        own = {"": shape_bias(shape[image], texture[image], said, person)}
        for place in np.unique(shape).tolist():
            here = shape[image] == place
            part = None if person is None else person[here]
            own[one.classes[place]] = shape_bias(shape[image][here], texture[image][here], said[here], part)
        found[group.name] = own
    return found


def tidy(found: Numbers) -> pl.DataFrame:
    """A row for each number: ``measure``, of which subjects, at which factor and level, with its interval and n."""
    import polars as pl

    rows: list[dict[str, Any]] = []
    for own in found.owns:
        rows.append(_row("accuracy", own.accuracy, first=own.group.name, over=own.over))
        if own.silent:
            rows.append(_plain("answers missing", own.silent, own.answers, first=own.group.name))
    for name, interval in found.inside.items():
        rows.append(_row("error consistency among members", interval, first=name, second=name, over="members"))
    for pair in found.pairs:
        rows += _of_pair(pair)
    for (factor, _), levels in found.levels.items():
        for level, pair in levels:
            rows += _of_pair(pair, factor=factor, level=level)
    for name, biases in found.biases.items():
        for category, bias in biases.items():
            where = {"factor": "shape", "level": category} if category else {}
            rows.append(_row("shape bias", bias.bias, first=name, over="decisions", **where))
    empty = {
        "second": "",
        "factor": "",
        "level": "",
        "over": "",
        "p": None,
        "adjusted p": None,
        "low": None,
        "high": None,
    }
    order = ("measure", "first", "second", "factor", "level", "value", "low", "high", "n", "over", "p", "adjusted p")
    return pl.DataFrame([{**empty, **row} for row in rows], infer_schema_length=None).select(order).fill_nan(None)


def _row(measure: str, of: Interval, **more: Any) -> dict[str, Any]:
    return {"measure": measure, "value": of.value, "low": of.low, "high": of.high, "n": of.n, **more}


def _plain(measure: str, value: float, n: int, **more: Any) -> dict[str, Any]:
    return {"measure": measure, "value": float(value), "n": n, **more}


def _of_pair(pair: Pair, **where: Any) -> list[dict[str, Any]]:
    head = {"first": pair.first, "second": pair.second, "over": pair.over, **where}
    return [
        {**_row("difference of accuracies", pair.difference, **head), "p": pair.p, "adjusted p": pair.adjusted},
        _row("error consistency", pair.kappa, **head),
        *(
            _plain(name, value, pair.images, **head)
            for name, value in (
                ("observed consistency", pair.observed),
                ("expected consistency", pair.expected),
                ("least error consistency", pair.least),
                ("most error consistency", pair.most),
                ("same response", pair.same),
                ("only the first right", pair.only_first),
                ("only the second right", pair.only_second),
            )
        ),
    ]


def answer(found: Numbers) -> str:
    """What came out, in two or three sentences."""
    ranked = sorted(found.owns, key=lambda own: -own.accuracy.value)
    told = ", ".join(f"{own.group.name} {own.accuracy.value:.3f}" for own in ranked[:4])
    more = f" and {len(ranked) - 4} more" if len(ranked) > 4 else ""
    images = len(found.answers.images)
    apart = sum(pair.adjusted <= ALPHA for pair in found.pairs)
    words = f"On {images:,} images: accuracy {told}{more}."
    if len(found.pairs) == 1:
        pair = found.pairs[0]
        d, k = pair.difference, pair.kappa
        words += f" They {'differ' if pair.p <= ALPHA else 'do not differ significantly'}: {d.value:+.3f}{_span(d)}."
        words += f" Error consistency κ = {k.value:.3f}{_span(k)}." if k.value == k.value else " κ is undefined."
        return words
    return f"{words} {apart} of {len(found.pairs)} pairs differ after correction for their number."


def _span(of: Interval) -> str:
    return f" [{of.low:.3f}, {of.high:.3f}]" if of.low == of.low else ""


def subjects_words(groups: Sequence[Group]) -> str:
    return ", ".join(group.words for group in groups)
