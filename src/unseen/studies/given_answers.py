"""Answers that were made elsewhere, joined to a study's images: each row of a file is an image, a question and a class.

Nothing is left out silently. What names no image, answers no class, contradicts itself or disagrees with the world
about what an image shows is counted and named, and refused unless whoever adds it says what to do with it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from unseen.studies.answer_files import (
    CONFIDENCE,
    IMAGE,
    PARTICIPANT,
    RESPONSE,
    SECONDS,
    SESSION,
    SUBJECT,
    TARGET,
    TRUTH,
    AnswerRows,
)
from unseen.studies.answer_names import SEVERAL, UNKNOWN, rows_named
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.subjects import MODEL, PEOPLE, Subject
from unseen.vocabulary.target import Target
from unseen.vocabulary.words import counted

NOTHING = frozenset({"", "na", "n/a", "nan", "none", "null", "no answer", "no response", "missing", "timeout"})
PERSON_NAME = re.compile(r"(subject|subj|participant|person|observer|vp|p|s)[-_ ]?\d+", re.IGNORECASE)
CHOICES = {
    "unknown": ("refuse", "skip"),
    "doubled": ("refuse", "first", "last", "all"),
    "no_answer": ("wrong", "skip"),
}


class UnclearAnswers(UnseenError):
    """Answers that cannot be taken as they are; ``found`` says which."""

    def __init__(self, found: str, way: str) -> None:
        self.found = found
        super().__init__(found + way)


class UnknownImages(UnclearAnswers):
    """Names that mean no image of the study."""


class UnknownResponses(UnclearAnswers):
    """Responses that are no class of the question."""


@dataclass(frozen=True)
class JoiningRules:
    """What to do with rows that cannot be taken as they are. ``unknown``: those that name no image. ``doubled``:
    further answers of the same person (and session) to the same image. ``no_answer``: what a missing answer counts as;
    it is kept either way. ``words`` sends a response to a class, or to "" for no answer."""

    unknown: str = "refuse"
    doubled: str = "refuse"
    no_answer: str = "wrong"
    words: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for key, possible in CHOICES.items():
            if getattr(self, key) not in possible:
                raise unknown(f"value for {key.replace('_', '-')}", getattr(self, key), possible)


@dataclass(frozen=True)
class SubjectDetails:
    """What whoever adds answers says of their subject; "" where the file tells."""

    name: str = ""
    kind: str = ""
    source: str = ""
    citation: str = ""

    def __post_init__(self) -> None:
        if self.kind not in ("", MODEL, PEOPLE):
            raise unknown("kind of subject", self.kind, (PEOPLE, MODEL), where="answers from elsewhere")


@dataclass(frozen=True, eq=False)
class GivenAnswers:
    """The answers of one subject, an entry per answer: row of the world, place of the target, class number (−1: none).
    ``person`` and ``session`` are "" where none is told, ``confidence`` and ``seconds`` NaN. ``counts`` and ``notes``
    tell what was found in the file."""

    subject: Subject
    rows: np.ndarray
    target: np.ndarray
    response: np.ndarray
    confidence: np.ndarray
    person: np.ndarray
    session: np.ndarray
    seconds: np.ndarray
    counts: Mapping[str, int]
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.rows)


def joined(
    read: AnswerRows,
    samples: Samples,
    targets: Sequence[Target],
    about: SubjectDetails,
    rules: JoiningRules,
    target: str = "",
) -> list[GivenAnswers]:
    """The answers of each subject of a file. ``about``: whose they are; ``target``: which question is answered, where
    the file does not tell."""
    names = read.texts[IMAGE]
    matched = rows_named(samples, names)
    kept = _known(read, matched.rows, rules)
    notes = [f"{count:,} rows joined {way}" for way, count in matched.how.items()]
    asked, which = _targets(read, samples, targets, target, kept)
    notes += [which] if which else []
    response = _responses(read, samples, targets, asked, kept, rules)
    _check_truth(read, samples, targets, asked, matched.rows, kept)
    confidence, seconds = (_numbers(read, role, kept) for role in (CONFIDENCE, SECONDS))
    left = int((~kept).sum())
    found = []
    for subject, here, persons, told in _subjects(read, kept, about):
        once, doubled = _once(here, matched.rows, asked, response, persons, _texts(read, SESSION), names, rules)
        counts = {
            "answers": len(once),
            "images": len(np.unique(matched.rows[once])),
            "no answer": int((response[once] < 0).sum()),
            "doubled": doubled,
            "unknown images left out": left,
        }
        own = [*notes, *told]
        own += [f"{counted(left, 'row names', 'rows name')} no image of this world: left out"] if left else []
        own += [f"{counted(doubled, 'further answer')} to the same image: {_DOUBLED[rules.doubled]}"] if doubled else []
        none = "counted as wrong" if rules.no_answer == "wrong" else "left out of accuracies"
        own += (
            [f"{counts['no answer']:,} answers are missing; they are kept, and {none}"] if counts["no answer"] else []
        )
        found.append(
            GivenAnswers(
                subject, matched.rows[once], asked[once], response[once], confidence[once], persons[once],
                np.array(_texts(read, SESSION), dtype=object)[once], seconds[once], counts, tuple(own),
            )
        )  # fmt: skip
    return found


_DOUBLED = {"refuse": "they say the same, and one is kept", "first": "the first is kept", "last": "the last is kept"}
_DOUBLED["all"] = "all are kept"


def _texts(read: AnswerRows, role: str) -> list[str]:
    return list(read.texts[role]) if role in read.texts else [""] * len(read)


def _known(read: AnswerRows, rows: np.ndarray, rules: JoiningRules) -> np.ndarray:
    """Which rows of the file name an image."""
    names, column = read.texts[IMAGE], read.columns[IMAGE]
    several = dict.fromkeys(names[place] for place in np.flatnonzero(rows == SEVERAL).tolist())
    if several:
        raise UnseenError(
            f"column '{column}': {len(several):,} names mean several images of this world each: {listed(several, 3)}. "
            f"Give keys or paths that tell them apart (`unseen render` writes the keys)."
        )
    strange = Counter(names[place] for place in np.flatnonzero(rows == UNKNOWN).tolist())
    if len(strange) and (rules.unknown == "refuse" or not (rows >= 0).any()):
        way = "" if not (rows >= 0).any() else " To leave these rows out: --unknown skip."
        raise UnknownImages(
            f"column '{column}': {len(strange):,} of {len(set(names)):,} names mean no image of this world "
            f"({strange.total():,} rows): {listed(strange, 3)}.",
            f"{way} Names are keys, row numbers or file names.",
        )
    return rows >= 0


def _targets(
    read: AnswerRows, samples: Samples, targets: Sequence[Target], named: str, kept: np.ndarray
) -> tuple[np.ndarray, str]:
    """Which question each row answers: as said, as its column tells, else the one that knows the answers."""
    names = [target.name for target in targets]
    if named and named not in names:
        raise unknown("target", named, names, where="this study")
    if not named and TARGET in read.texts:
        given = read.texts[TARGET]
        if strange := [text for text in dict.fromkeys(given) if text not in names]:
            raise unknown("target", strange[0], names, where=f"this study (column '{read.columns[TARGET]}')")
        return np.array([names.index(text) for text in given], dtype=np.int64), ""
    place = names.index(named) if named else 0
    note = ""
    if not named and len(names) > 1:
        said = [text for text in _said(read, kept) if text.lower() not in NOTHING]
        fits = [place for place, one in enumerate(targets) if set(said) <= set(_classes(samples, one))]
        place = fits[0] if fits else 0
        note = f"taken as answers about '{names[place]}' (--target names another of {listed(names)})"
    return np.full(len(read), place, dtype=np.int64), note


def _said(read: AnswerRows, kept: np.ndarray) -> list[str]:
    given = read.texts[RESPONSE]
    return list(dict.fromkeys(given[place] for place in np.flatnonzero(kept).tolist()))


def _classes(samples: Samples, target: Target) -> dict[str, int]:
    """The class that each spelling means: its text, or the level it stands for, as it is in the world's tables; upper
    and lower case do not matter where that tells classes apart."""
    levels = samples.space[target.factor].levels
    places = range(len(levels)) if target.class_map is None else target.class_map
    exact = {str(level): place for level, place in zip(levels, places) if target.class_map is None}
    exact |= {name: place for place, name in enumerate(target.classes)}
    lower: dict[str, set[int]] = {}
    for name, place in exact.items():
        lower.setdefault(name.lower(), set()).add(place)
    return {**{name: min(own) for name, own in lower.items() if len(own) == 1}, **exact}


def _responses(
    read: AnswerRows,
    samples: Samples,
    targets: Sequence[Target],
    asked: np.ndarray,
    kept: np.ndarray,
    rules: JoiningRules,
) -> np.ndarray:
    """Class numbers, −1 where nothing was answered."""
    found, strange = np.full(len(read), -1, dtype=np.int64), Counter()
    classes = [_classes(samples, target) for target in targets]
    for text in rules.words:
        if text not in read.texts[RESPONSE]:
            raise UnseenError(f"--map {text}=…: no response is '{text}'; there are {listed(_said(read, kept))}.")
    for place in np.flatnonzero(kept).tolist():
        text = read.texts[RESPONSE][place]
        word, known = rules.words.get(text, text), classes[asked[place]]
        number = known.get(word, known.get(word.lower(), -1))
        if number < 0 and word.lower() not in NOTHING:
            strange[text] += 1
        found[place] = number
    if strange:
        one = targets[int(asked[0])]
        raise UnknownResponses(
            f"column '{read.columns[RESPONSE]}': {strange.total():,} responses are no class of '{one.name}': "
            f"{listed((f'{word} ({n:,})' for word, n in strange.most_common()), 5)}. Classes: {listed(one.classes)}.",
            " Say what they mean with --map RESPONSE=CLASS, or --map RESPONSE= for no answer.",
        )
    return found


def _check_truth(
    read: AnswerRows, samples: Samples, targets: Sequence[Target], asked: np.ndarray, rows: np.ndarray, kept: np.ndarray
) -> None:
    """Where the file says what an image shows, the world must agree: else its names lead to other images."""
    if TRUTH not in read.texts:
        return
    for place, target in enumerate(targets):
        here = np.flatnonzero(kept & (asked == place))
        classes = _classes(samples, target)
        said = np.array([classes.get(text, classes.get(text.lower(), -1)) for text in read.texts[TRUTH]])[here]
        if not len(here) or (said < 0).any():  # a column of that name that says something else
            continue
        wrong = here[said != target.truth(samples, rows[here])]
        if len(wrong):
            names = dict.fromkeys(read.texts[IMAGE][one] for one in wrong.tolist())
            first = int(wrong[0])
            shows = target.classes[int(target.truth(samples, rows[first : first + 1])[0])]
            raise UnseenError(
                f"column '{read.columns[TRUTH]}' says '{read.texts[TRUTH][first]}' of '{read.texts[IMAGE][first]}', "
                f"and this world shows '{shows}' there; so for {len(names):,} images. The answers are about other "
                f"images, or '{read.columns[TRUTH]}' is something else (then give --truth '')."
            )


def _numbers(read: AnswerRows, role: str, kept: np.ndarray) -> np.ndarray:
    found = np.full(len(read), math.nan)
    for place in np.flatnonzero(kept).tolist() if role in read.texts else ():
        text = read.texts[role][place]
        if text.lower() in NOTHING:
            continue
        try:
            found[place] = float(text)
        except ValueError:
            raise UnseenError(f"column '{read.columns[role]}' has '{text[:40]}', which is no number.") from None
    if role == CONFIDENCE and np.isfinite(found).any() and not ((found >= 0) | np.isnan(found)).all():
        raise UnseenError(f"column '{read.columns[role]}' has negative confidences; they are probabilities, 0 to 1.")
    if role == CONFIDENCE and (found > 1).any():
        raise UnseenError(
            f"column '{read.columns[role]}' has confidences up to {np.nanmax(found):g}; they are probabilities, 0 to 1."
        )
    return found


def _subjects(
    read: AnswerRows, kept: np.ndarray, about: SubjectDetails
) -> Iterator[tuple[Subject, np.ndarray, np.ndarray, list[str]]]:
    """Each subject of the file, its rows, the person of every row, and what was guessed."""
    name, kind = about.name, about.kind
    names, persons = _texts(read, SUBJECT), _texts(read, PARTICIPANT)
    told_persons = PARTICIPANT in read.texts
    groups: dict[tuple[str, str], list[int]] = {}
    for place in np.flatnonzero(kept).tolist():
        one = names[place]
        if told_persons:
            group = one, kind or (PEOPLE if persons[place] else MODEL)
        else:
            group = one, kind or (PEOPLE if PERSON_NAME.fullmatch(one) else MODEL)
        groups.setdefault((group[0] if told_persons or group[1] == MODEL else "", group[1]), []).append(place)
    if name and len(groups) > 1:
        there = listed((f"{one or 'people'} ({what})" for one, what in groups), 6)
        raise UnseenError(
            f"the file has answers of {len(groups)} subjects: {there}. Leave the name out to add each under its "
            f"own, or give --kind people if they are persons of one group."
        )
    for (one, what), places in groups.items():
        here = np.array(places, dtype=np.int64)
        own = persons if told_persons else names
        who = np.array(own if what == PEOPLE else [""] * len(read), dtype=object)
        called = name or one or ("people" if what == PEOPLE else "")
        if not called:
            raise UnseenError("whose answers are these? Give the subject a name: --subject NAME.")
        number = len({text for text in who[here].tolist() if text}) or (1 if what == PEOPLE else 0)
        taken, other = ("people", MODEL) if what == PEOPLE else ("a model", PEOPLE)
        notes = [] if kind else [f"'{called}' is taken as {taken}; if it is not: --kind {other}"]
        yield Subject(called, what, number, about.source, about.citation), here, who, notes


def _once(
    here: np.ndarray, rows: np.ndarray, asked: np.ndarray, response: np.ndarray, persons: np.ndarray,
    sessions: Sequence[str], names: Sequence[str], rules: JoiningRules,
) -> tuple[np.ndarray, int]:  # fmt: skip
    """The rows of the file that count, in order, and how many come again."""
    first: dict[tuple, int] = {}
    doubled, odd = 0, []
    for place in here.tolist():
        key = int(rows[place]), int(asked[place]), persons[place], sessions[place]
        if key not in first:
            first[key] = place
            continue
        doubled += 1
        if response[place] != response[first[key]]:
            odd.append(names[place])
        if rules.doubled == "last":
            first[key] = place
    if rules.doubled == "all":
        return here, doubled
    if odd and rules.doubled == "refuse":
        raise UnseenError(
            f"{len(odd):,} image{'s are' if len(odd) > 1 else ' is'} answered twice by the same subject, differently: "
            f"{listed(dict.fromkeys(odd), 3)}. Say which counts: --doubled first, last or all."
        )
    return np.array(sorted(first.values()), dtype=np.int64), doubled
