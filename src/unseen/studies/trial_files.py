"""Answers of people and models as they lie in files, without a study: the layout of model-vs-human and texture-vs-shape
(Geirhos et al.), or any table with an image, a response and whose it is. Also the other way: answers in that layout.

Stimuli are joined by the picture's own name: ``0001_cop_s01_c30_knife_10_n03041632_7380.png``, trial 1 of observer 1,
is the image that a network was shown as ``n03041632_7380.png`` (:data:`~unseen.studies.answer_names.FORMS`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from unseen.studies.answer_files import (
    IMAGE,
    PARTICIPANT,
    RESPONSE,
    SECONDS,
    SESSION,
    SUBJECT,
    TRUTH,
    read_frame,
)
from unseen.studies.answer_names import FORMS
from unseen.studies.given_answers import NOTHING, PERSON_NAME, JoiningRules
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.subjects import MODEL, PEOPLE
from unseen.vocabulary.words import counted

if TYPE_CHECKING:
    import polars as pl

CONDITION = "condition"
STEM, OWN_NAME = "without folder and ending", "by the picture's own name"
PEOPLE_NAME = "people"  # what persons of a file are called together
LAYOUT = ("subj", "session", "trial", "rt", "object_response", "category", "condition", "imagename")
_CUES = re.compile(r"([a-z]+)\d+-([a-z]+)\d+")
FEWEST = 10  # answers of an observer; of fewer nothing is told (ours)


@dataclass(frozen=True, eq=False)
class Trials:
    """Answers of one or more subjects, a row each: ``subject`` (a model, or what the persons are called together),
    ``kind``, ``who`` (a model or one person), ``image``, ``truth``, ``response`` ("" for none), and if the file has
    them ``confidence``, ``seconds``, ``session`` and the ``factors`` of an image. ``notes`` tell what was found."""

    frame: pl.DataFrame
    factors: tuple[str, ...]
    notes: tuple[str, ...]


def read_trials(
    files: Sequence[Path],
    rules: JoiningRules | None = None,
    columns: Mapping[str, str] | None = None,
    *,
    name: str = "",
) -> Trials:
    """The answers in files, or in folders of them. ``name``: what their persons are called together."""
    import polars as pl

    rules = rules or JoiningRules()
    found, used, paths = read_frame(files, columns or {}, {CONDITION: ("condition",)})
    if TRUTH not in used:
        raise UnseenError(
            f"{_files(paths)}: no column says what an image shows (category, truth); name it: --truth COLUMN, or add "
            f"the answers to a study of these images (`unseen answers add`), which knows."
        )
    if SUBJECT not in used and PARTICIPANT not in used:
        stem = name or paths[0].stem
        found = found.with_columns(pl.lit(stem).alias(SUBJECT))
    if nameless := int((found[IMAGE] == "").sum()):
        raise UnseenError(
            f"{_files(paths)}: {counted(nameless, 'answer does', 'answers do')} not say which image was asked: column "
            f"'{used[IMAGE]}' is empty there. Name another: --image COLUMN, or leave these rows out."
        )
    frame = _who(found, name)
    frame, how = _own_names(frame)
    frame, told = _conditions(frame)
    frame = frame.with_columns(_said(frame, rules))
    subjects = counted(frame["who"].n_unique(), "subject")
    notes = [f"{counted(frame.height, 'answer')} of {subjects} in {_files(paths)}", *how, *told]
    frame, more = _once(frame, rules)
    frame, missing = _missing(frame, rules)
    frame, factors = _factors(frame)
    _enough(frame)
    _one_truth(frame)
    return Trials(frame, factors, (*notes, *more, *missing))


def _files(paths: Sequence[Path]) -> str:
    return f"'{paths[0].name}'" if len(paths) == 1 else f"{len(paths)} files of '{paths[0].parent.name}'"


def _who(found: pl.DataFrame, name: str) -> pl.DataFrame:
    """Whose each answer is: persons of a file are one subject, each model one of its own."""
    import polars as pl

    one = pl.col(PARTICIPANT) if PARTICIPANT in found.columns else pl.col(SUBJECT)
    if PARTICIPANT in found.columns and SUBJECT in found.columns:
        one = pl.when(pl.col(PARTICIPANT) == "").then(pl.col(SUBJECT)).otherwise(pl.col(PARTICIPANT))
    names = found.select(one.alias("who"))["who"]
    person = {text: bool(PERSON_NAME.fullmatch(text)) for text in names.unique().to_list()}
    if PARTICIPANT in found.columns:
        person |= dict.fromkeys(found[PARTICIPANT].unique().to_list(), True) | {"": False}
    is_person = names.replace_strict(person, return_dtype=pl.Boolean)
    group = (
        pl.col(SUBJECT) if PARTICIPANT in found.columns and SUBJECT in found.columns else pl.lit(name or PEOPLE_NAME)
    )
    return found.with_columns(
        names.alias("who"),
        pl.when(is_person).then(group).otherwise(names).alias("group"),
        pl.when(is_person).then(pl.lit(PEOPLE)).otherwise(pl.lit(MODEL)).alias("kind"),
    )


def _own_names(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Images by their names, or by ever less of these where that lets subjects meet on more of them: as long as no
    subject's images become one."""
    import polars as pl

    names = frame[IMAGE].unique(maintain_order=True).to_list()
    asked = frame.select(pl.struct("who", IMAGE).n_unique()).item()
    best, fewest, how = frame[IMAGE], len(names), ""
    for way, form in FORMS.items():
        short = {name: form(name) for name in names}
        stimuli = way == OWN_NAME and any(one != FORMS[STEM](name) for name, one in short.items())
        if len(set(short.values())) >= fewest + stimuli:  # a stimulus has its picture's name, even if nobody needs it
            continue
        shorter = frame[IMAGE].replace_strict(short, return_dtype=pl.String)
        if frame.select(pl.struct("who", shorter.alias("n")).n_unique()).item() == asked:
            best, fewest, how = shorter, len(set(short.values())), way
    return frame.with_columns(best.alias(IMAGE)), [f"images are joined {how}"] if how else []


def _conditions(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Each image's condition. One that a subject has throughout is no property of its images where others differ from
    it; an image under several conditions is several images."""
    import polars as pl

    if CONDITION not in frame.columns:
        return frame, []
    unknown = pl.col(CONDITION).str.to_lowercase().is_in(list(NOTHING))
    frame = frame.with_columns(pl.when(unknown).then(None).otherwise(CONDITION).alias(CONDITION))
    notes = []
    if _several(frame).height:
        alone = pl.col(CONDITION).n_unique().over("who") == 1
        frame = frame.with_columns(pl.when(alone).then(None).otherwise(CONDITION).alias(CONDITION))
        notes.append("conditions of subjects that have one throughout are not told: others name another")
    if (odd := _several(frame)).height:
        if frame.filter(pl.col(IMAGE).is_in(odd[IMAGE].implode()) & pl.col(CONDITION).is_null()).height:
            raise UnseenError(
                f"{odd.height:,} images have several conditions, '{odd[IMAGE][0]}' for one, and some subjects have "
                f"none: their names do not tell what was shown. Give each image of a condition its own name."
            )
        several = pl.col(IMAGE).is_in(odd[IMAGE].implode())
        named = pl.concat_str(IMAGE, CONDITION, separator=" @ ")
        frame = frame.with_columns(pl.when(several).then(named).otherwise(IMAGE).alias(IMAGE))
        notes.append(f"{odd.height:,} images were shown under several conditions: each is an image of its own")
    return frame, notes


def _several(frame: pl.DataFrame) -> pl.DataFrame:
    """Images with more than one condition."""
    import polars as pl

    return (
        frame.group_by(IMAGE, maintain_order=True)
        .agg(pl.col(CONDITION).drop_nulls().n_unique().alias("k"))
        .filter(pl.col("k") > 1)
    )


def _said(frame: pl.DataFrame, rules: JoiningRules) -> pl.Series:
    """Responses as categories of the file; what is none of them is refused, or what ``--map`` says."""
    import polars as pl

    classes = {text.lower(): text for text in frame[TRUTH].unique(maintain_order=True).to_list()}
    if "" in classes:
        raise UnseenError("some answers do not say what their image shows (an empty category).")
    counts = frame[RESPONSE].value_counts()
    words, strange = {}, []
    for text, number in zip(counts[RESPONSE].to_list(), counts["count"].to_list()):
        meant = rules.words.get(text, text)
        known = classes.get(meant.lower())
        if known is None and meant.lower() not in NOTHING:
            strange.append((text if meant == text else f"{text}, which is to mean {meant}", number))
        words[text] = known or ""
    if strange:
        shown = listed((f"{text} ({number:,})" for text, number in strange), 5)
        raise UnseenError(
            f"{counted(sum(number for _, number in strange), 'response is', 'responses are')} no category of these "
            f"images: {shown}. Categories: "
            f"{listed(classes.values())}. Say what they mean with --map RESPONSE=CATEGORY, or --map RESPONSE= for no "
            f"answer."
        )
    return frame[RESPONSE].replace_strict(words, return_dtype=pl.String).alias(RESPONSE)


def _once(frame: pl.DataFrame, rules: JoiningRules) -> tuple[pl.DataFrame, list[str]]:
    """Each person's (and session's) answer to an image once."""
    import polars as pl

    keys = ["who", IMAGE, *([SESSION] if SESSION in frame.columns and rules.doubled == "all" else [])]
    again = frame.select(pl.struct(keys).is_duplicated()).to_series()
    if not again.any():
        return frame, []
    several = (
        frame.filter(again).group_by(keys, maintain_order=True).agg(pl.col(RESPONSE).n_unique().alias("k"), pl.len())
    )
    odd = several.filter(pl.col("k") > 1)
    if odd.height and rules.doubled == "refuse":
        first = odd.row(0, named=True)
        raise UnseenError(
            f"{counted(odd.height, 'image was', 'images were')} answered twice by the same subject, differently: "
            f"'{first[IMAGE]}' by "
            f"'{first['who']}'. Which counts? --doubled first, last or all."
        )
    if rules.doubled == "all":
        return frame, [
            f"{int(several['len'].sum()):,} answers are about an image that the same subject answered before"
        ]
    keep = "last" if rules.doubled == "last" else "first"
    further = int(several["len"].sum()) - several.height
    return frame.unique(keys, keep=keep, maintain_order=True), [
        f"{counted(further, 'further answer')} to the same image: {keep} kept"
    ]


def _missing(frame: pl.DataFrame, rules: JoiningRules) -> tuple[pl.DataFrame, list[str]]:
    import polars as pl

    none = int((frame[RESPONSE] == "").sum())
    if none and rules.no_answer == "skip":
        return frame.filter(pl.col(RESPONSE) != ""), [
            f"{counted(none, 'answer is', 'answers are')} missing, and left out"
        ]
    return frame, [
        f"{counted(none, 'answer is missing, and counts', 'answers are missing, and count')} as wrong"
    ] if none else []


def _factors(frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """What varies over images: the condition, and of cue conflicts shape and texture, as their names tell."""
    import polars as pl

    found: list[str] = []
    if CONDITION in frame.columns:
        levels = frame.group_by(IMAGE).agg(pl.col(CONDITION).drop_nulls().first().alias("level"))
        frame = frame.drop(CONDITION).join(levels.rename({"level": CONDITION}), on=IMAGE, how="left")
        found += [CONDITION] if levels["level"].drop_nulls().n_unique() > 1 else []
    cues = cue_words(frame[IMAGE].unique(maintain_order=True).to_list(), frame[TRUTH].unique().to_list())
    if cues:
        for place, factor in enumerate(("shape", "texture")):
            levels = {name: pair[place] for name, pair in cues.items()}
            frame = frame.with_columns(frame[IMAGE].replace_strict(levels, return_dtype=pl.String).alias(factor))
        found += ["shape", "texture"]
    return frame, tuple(found)


def cue_words(images: Sequence[str], categories: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Shape and texture of cue-conflict stimuli by their names; {} where the names are not such.

    >>> cue_words(["cat/cat7-elephant1.png"], ["cat", "elephant"])
    {'cat/cat7-elephant1.png': ('cat', 'elephant')}
    >>> cue_words(["boat-0068-sketch-23"], ["boat"])
    {}
    """
    found = {}
    for name in images:
        stem = FORMS[OWN_NAME](name)
        match = _CUES.fullmatch(stem)
        if match is None or not {match[1], match[2]} <= set(categories):
            return {}
        found[name] = match[1], match[2]
    return found


def _enough(frame: pl.DataFrame) -> None:
    import polars as pl

    few = frame.group_by("who", maintain_order=True).len().filter(pl.col("len") < FEWEST)
    if few.height:
        who = listed((f"'{name}' ({number})" for name, number in few.iter_rows()), 4)
        raise UnseenError(
            f"too few answers to say anything of {who}; at least {FEWEST} are needed. Leave their rows out of the "
            f"file, or add the answers that are missing."
        )


def _one_truth(frame: pl.DataFrame) -> None:
    import polars as pl

    odd = frame.group_by(IMAGE, maintain_order=True).agg(pl.col(TRUTH).unique(maintain_order=True))
    odd = odd.filter(pl.col(TRUTH).list.len() > 1)
    if odd.height:
        says = " and ".join(repr(text) for text in odd[TRUTH][0].to_list()[:2])
        raise UnseenError(
            f"{odd.height:,} images are said to show several things, '{odd[IMAGE][0]}' {says}: names of different "
            f"images are alike. Give paths or keys that tell them apart."
        )


def layout_of(frame: pl.DataFrame, names: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Answers in the layout of model-vs-human and texture-vs-shape: the columns of :data:`LAYOUT`, all as text, ``na``
    where nothing was answered and ``NaN`` where a time or a condition is not known. ``frame`` is as :class:`Trials`
    has it; ``names``: what its columns are called, if otherwise."""
    import polars as pl

    called = names or {}

    def column(role: str, otherwise: str) -> pl.Expr:
        name = called.get(role, role)
        if name not in frame.columns:
            return pl.lit(otherwise)
        return pl.col(name).cast(pl.String).fill_null(otherwise)

    number = pl.int_range(1, pl.len() + 1).over(called.get("who", "who")).cast(pl.String)
    said = column(RESPONSE, "")
    return frame.select(
        column("who", "").alias("subj"),
        column(SESSION, "1").alias("session"),
        number.alias("trial"),
        column(SECONDS, "NaN").alias("rt"),
        pl.when(said == "").then(pl.lit("na")).otherwise(said).alias("object_response"),
        column(TRUTH, "").alias("category"),
        column(CONDITION, "NaN").alias("condition"),
        column(IMAGE, "").alias("imagename"),
    )
