"""How a model's labels answer for a world's categories: by WordNet, by names, by a table, or by a guess.

A model answers with its own labels. Each category of a world gets the probability of the labels that count for it, and
categories without any are not scored, and told. A guess is shown, label by label with its reason, and can be saved as
the table that replaces it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from unseen.vocabulary.class_maps import HOW, ClassMap, How, class_map, own_classes, with_counterpart
from unseen.vocabulary.errors import UnseenError, listed, nearest, unknown
from unseen.vocabulary.label_names import NAME, Match, matched, normal

IMAGENET = "imagenet-1k"
NAMES, GUESS = "names", "guess"
COLUMNS = ("label", "category")


@dataclass(frozen=True)
class AnswerSpace:
    """Which of a model's outputs count for which category of a world.

    ``classes`` are the outputs of each of ``categories``, in the world's order; its categories ``without`` a
    counterpart are not scored. ``why`` tells of each label that counts its category and the reason.
    """

    categories: tuple[str, ...]
    without: tuple[str, ...]
    classes: tuple[tuple[int, ...], ...]
    outputs: int
    origin: str
    how: How = "sum"
    why: tuple[tuple[str, str, str], ...] = ()

    @property
    def words(self) -> str:
        """What it does, in one line."""
        many = len(self.categories) + len(self.without)
        rest = f"; not scored, for want of a counterpart: {listed(self.without, 8)}" if self.without else ""
        used = sum(map(len, self.classes))
        return (
            f"{len(self.categories)} of {many} categories, from {used} of {self.outputs} outputs by {self.origin} "
            f"({self.how} of probabilities){rest}"
        )

    def scores_of(self, probabilities: Float[np.ndarray, "n outputs"]) -> Float[np.ndarray, "n categories"]:
        """Of each category the sum (or mean) of its outputs' probabilities. What counts for none is left out, so that
        rows add up to less than one."""
        probabilities = np.asarray(probabilities)
        if probabilities.ndim != 2 or probabilities.shape[1] != self.outputs:
            raise UnseenError(
                f"this answer space is of a model with {self.outputs} outputs ({self.origin}); probabilities of shape "
                f"{tuple(probabilities.shape)} were given. Was the model trained on another set of classes?"
            )
        if not np.isfinite(probabilities).all() or probabilities.min(initial=0) < 0:
            raise UnseenError("probabilities are finite and at least 0; take the softmax of the model's outputs first.")
        joined = np.zeros((self.outputs, len(self.categories)), probabilities.dtype)
        for place, numbers in enumerate(self.classes):
            joined[list(numbers), place] = 1 / len(numbers) if self.how == "mean" else 1
        return probabilities @ joined

    def table(self) -> str:
        """What counts for what as a CSV, to look at, to change, and to give back as the map."""
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow([*COLUMNS, "why"])
        rows.writerows(self.why)
        return text.getvalue()

    def facts(self) -> dict[str, Any]:
        """For provenance: plain values."""
        return {
            "origin": self.origin,
            "how": self.how,
            "outputs": self.outputs,
            "classes": {name: list(numbers) for name, numbers in zip(self.categories, self.classes)},
            "without": list(self.without),
        }


def answer_space(
    categories: Sequence[str],
    labels: Sequence[str],
    label_space: str = "",
    *,
    outputs: int | None = None,
    by: str | Path | ClassMap | None = None,
    how: How | None = None,
) -> AnswerSpace:
    """The answer space of a model with these labels, on a world with these categories.

    ``by``: a class map that ships ("everyday", "geirhos16") or another one, "names", "guess", or a CSV with the columns
    label and category. By default ImageNet's classes go by "everyday", and all other labels by names.

    >>> answer_space(["mug", "giraffe"], ["Mugs", "kettle"]).words
    '1 of 2 categories, from 1 of 2 outputs by names (sum of probabilities); not scored, for want of a counterpart: \
giraffe'
    """
    if how is not None and how not in ("sum", "mean"):
        raise unknown("way to join probabilities", how, ("sum", "mean"))
    many = len(labels) if outputs is None else outputs
    if labels and len(labels) != many:
        raise UnseenError(f"{len(labels)} labels were given for a model with {many} outputs; give one for each.")
    doubled = sorted({one for one in categories if list(categories).count(one) > 1})
    if doubled or not categories:
        raise UnseenError(
            f"categories that are there twice: {listed(doubled)}." if doubled else "a world without categories has no "
            "answers to score."
        )  # fmt: skip
    if by is None:
        by = "everyday" if label_space == IMAGENET else NAMES
    if isinstance(by, ClassMap):
        return _by_map(by, categories, many, how)
    if str(by) in HOW:
        return _by_map(class_map(str(by)), categories, many, how)
    if str(by) in (NAMES, GUESS):
        return _by_names(categories, labels, many, how, guess=str(by) == GUESS)
    if str(by).lower().endswith(".csv") or Path(by).is_file():
        return _by_table(Path(by).expanduser(), categories, labels, many, how)
    raise unknown("class map", by, [*HOW, NAMES, GUESS, "a .csv file with the columns label and category"])


def _by_map(found: ClassMap, categories: Sequence[str], outputs: int, how: How | None) -> AnswerSpace:
    if outputs != len(found.labels):
        raise UnseenError(
            f"class map '{found.name}' is for models with {len(found.labels)} classes, and this one has {outputs} "
            "outputs. "
            f'Give a map of your own: by names (its labels), a CSV of labels and categories, or a guess ("{GUESS}").'
        )
    known, without = with_counterpart(found, categories)
    own = own_classes(found, known)
    reason = "WordNet" if found.name in HOW else f"class map '{found.name}'"
    why = [(found.labels[number], name, reason) for name, numbers in own.items() for number in numbers]
    return _made(categories, own, without, outputs, f"class map '{found.name}'", how or found.how, why, found.labels)


def _by_names(
    categories: Sequence[str], labels: Sequence[str], outputs: int, how: How | None, *, guess: bool
) -> AnswerSpace:
    if not labels:
        same = f" It has as many as the world has categories: if they are these in their order, give labels = " \
               f"{list(categories)!r:.120}." if outputs == len(categories) else ""  # fmt: skip
        raise UnseenError(
            f"the labels of this model's {outputs} outputs are not known, so that nothing can be matched by names: "
            f"give labels (one for each output), or a CSV with the columns label (or its number) and category.{same}"
        )
    found = matched(categories, labels, guess=guess)
    classes: dict[str, tuple[int, ...]] = {}
    for number, match in sorted(found.items()):
        classes[match.category] = (*classes.get(match.category, ()), number)
    known = {one: classes[one] for one in categories if one in classes}
    without = [one for one in categories if one not in known]
    if not known:
        raise _nothing(categories, labels, guess)
    why = [(labels[number], match.category, match.why) for number, match in sorted(found.items())]
    return _made(categories, known, without, outputs, "a guess" if guess else "names", how or "sum", why, labels)


def _by_table(
    file: Path, categories: Sequence[str], labels: Sequence[str], outputs: int, how: How | None
) -> AnswerSpace:
    names = {normal(label): number for number, label in reversed(list(enumerate(labels)))}
    places = {normal(one): one for one in categories}
    classes: dict[str, tuple[int, ...]] = {}
    why, elsewhere, taken = [], [], {}
    for line, label, category in rows_of_table(file):
        number = names.get(normal(label))
        if number is None and label.isdecimal() and int(label) < outputs:
            number = int(label)
        if number is None:
            close = nearest(label, labels)
            raise UnseenError(
                f"'{file}', line {line}: the model has no label '{label}'"
                + (f"; did you mean '{close}'?" if close else f"; it has {listed(labels, 8)}.")
                + f" The number of an output, 0 to {outputs - 1}, will do too."
            )
        if taken.setdefault(number, category) != category:
            raise UnseenError(
                f"'{file}', line {line}: label '{label}' counts for '{taken[number]}' already; one label counts for "
                "one category."
            )
        own = places.get(normal(category))
        if own is None:
            elsewhere += [category]
        elif number not in classes.get(own, ()):
            classes[own] = (*classes.get(own, ()), number)
            why.append((labels[number] if labels else str(number), own, f"line {line}"))
    if not classes:
        close = nearest(elsewhere[0], categories) if elsewhere else None
        raise UnseenError(
            f"'{file}' names none of the world's categories ({listed(categories, 8)}); it names "
            f"{listed(dict.fromkeys(elsewhere), 8)}." + (f" Did you mean '{close}'?" if close else "")
        )
    known = {one: classes[one] for one in categories if one in classes}
    without = [one for one in categories if one not in known]
    return _made(categories, known, without, outputs, f"the table {file.name}", how or "sum", why, labels)


def rows_of_table(file: Path) -> list[tuple[int, str, str]]:
    """Line, label and category of each row of a table that names a category."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UnseenError(
            f"the table '{file}' could not be read ({getattr(error, 'strerror', None) or error}); it is a CSV in UTF-8 "
            "with the columns label and category."
        ) from None
    rows = csv.DictReader(io.StringIO(text))
    given = [str(name).strip().lower() for name in rows.fieldnames or ()]
    missing = [name for name in COLUMNS if name not in given]
    if missing:
        raise UnseenError(
            f"the table '{file}' has no column {listed(missing)}; its first line names {listed(given)}, and must be "
            "label,category."
        )
    rows.fieldnames = given
    try:
        said = [(rows.line_num, (row["label"] or "").strip(), (row["category"] or "").strip()) for row in rows]
    except csv.Error as error:
        raise UnseenError(f"the table '{file}', line {rows.line_num + 1}, is no CSV: {error}.") from None
    return [row for row in said if row[1] and row[2]]


def _made(
    categories: Sequence[str],
    classes: Mapping[str, tuple[int, ...]],
    without: Sequence[str],
    outputs: int,
    origin: str,
    how: How,
    why: Sequence[tuple[str, str, str]],
    labels: Sequence[str],
) -> AnswerSpace:
    if not classes:
        raise UnseenError(
            f"{origin} has no counterpart of any of the world's categories ({listed(categories, 10)}), so that nothing "
            "can be scored; give a CSV with the columns label and category."
        )
    known = tuple(one for one in categories if one in classes)
    return AnswerSpace(known, tuple(without), tuple(classes[one] for one in known), outputs, origin, how, tuple(why))


def _nothing(categories: Sequence[str], labels: Sequence[str], guess: bool) -> UnseenError:
    close = [(label, near) for label in labels if (near := nearest(normal(label), categories))][:3]
    near = "; nearest: " + ", ".join(f"'{a}' and '{b}'" for a, b in close) if close else ""
    more = "" if guess else f', or let it be guessed and look at the guess ("{GUESS}")'
    return UnseenError(
        f"none of the model's {len(labels)} labels ({listed(labels, 5)}) is a name of one of the world's categories "
        f"({listed(categories, 5)}){near}. Give a CSV with the columns label and category{more}."
    )


__all__ = ["GUESS", "NAME", "NAMES", "AnswerSpace", "Match", "answer_space"]
