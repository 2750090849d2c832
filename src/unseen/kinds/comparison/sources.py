"""What is compared: studies (or one subject of a study, ``STUDY:NAME``) and files of answers, on shared images."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.kinds.comparison.answers import NOT_ASKED, OBJECT, Answers, answers_of
from unseen.kinds.every_answer import KEY, every_answer
from unseen.kinds.trial_answers import NOT_TESTED, UNSEEN, condition_of, keys_that_differ
from unseen.studies.answer_files import SUFFIXES
from unseen.studies.given_answers import JoiningRules, SubjectDetails, joined
from unseen.studies.stored import at_hand
from unseen.studies.study import Study
from unseen.studies.trial_files import read_trials
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.responses import COLUMNS
from unseen.vocabulary.sample_keys import sample_keys
from unseen.vocabulary.subjects import PEOPLE, TRAINED

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class How:
    """How files and studies are read: which question (``target``), which sets, what to do with odd rows.
    ``each_person``: people are subjects of their own."""

    target: str = ""
    sets: tuple[str, ...] = ()
    rules: JoiningRules = field(default_factory=JoiningRules)
    columns: Mapping[str, str] = field(default_factory=dict)
    each_person: bool = False


@dataclass(frozen=True, eq=False)
class Compared:
    """The answers, and the study whose world shows the images (``rows``: where each lies in it), if one is at hand."""

    answers: Answers
    study: Study | None
    rows: Mapping[str, int]


def is_file(text: str) -> bool:
    """Whether an argument names a file of answers, or a folder of them that is no study."""
    path = Path(text)
    if path.is_dir():
        return not (path / "recipe.toml").is_file() and any(one.suffix.lower() in SUFFIXES for one in path.iterdir())
    return path.suffix.lower() in SUFFIXES


def parted_name(text: str) -> tuple[str, str]:
    """A study and the subject of it that is meant, "" for all.

    >>> parted_name("runs/ask:people"), parted_name("runs/ask")
    (('runs/ask', 'people'), ('runs/ask', ''))
    """
    path, sign, name = text.partition(":")
    return (path, name) if sign and not Path(text).exists() else (text, "")


def gathered(given: Sequence[str], open_study: Callable[[str], Study], how: How) -> Compared:
    """The answers of all that is compared, joined by image."""
    studies = [
        (at_hand(open_study(path)), name) for text in given if not is_file(text) for path, name in [parted_name(text)]
    ]
    files = [Path(text) for text in given if is_file(text)]
    base = next((study for study, _ in studies if not study.absent), None)
    frames: list[pl.DataFrame] = []
    notes: list[str] = []
    factors: list[str] = []
    if studies and base is None and (files or len(studies) > 1):
        raise UnseenError(
            f"the images of {listed(str(s.path) for s, _ in studies)} are not at hand, so that nothing can be joined."
        )
    target = _target([study for study, _ in studies], how.target)
    for study, name in studies:
        frame, own, told = _of_study(study, name, target, how, several=len(studies) > 1)
        frames.append(frame)
        factors += [factor for factor in own if factor not in factors]
        notes += told
    for file in files:
        frame, own, told = _of_file(file, base, target, how)
        frames.append(frame)
        factors += [factor for factor in own if factor not in factors]
        notes += told
    return _together(frames, factors, notes, base, how)


def _together(
    frames: list[pl.DataFrame], factors: list[str], notes: list[str], base: Study | None, how: How
) -> Compared:
    import polars as pl

    whole = pl.concat([_told_apart(frame, place, frames) for place, frame in enumerate(frames)], how="diagonal_relaxed")
    if how.each_person:
        alone = pl.col("kind") == PEOPLE
        whole = whole.with_columns(pl.when(alone).then(pl.col("who")).otherwise(pl.col("group")).alias("group"))
    for factor in factors:  # known from any of the subjects
        whole = whole.with_columns(pl.col(factor).drop_nulls().first().over("image").alias(factor))
    rows = {}
    if "row" in whole.columns:
        known = whole.filter(pl.col("row").is_not_null()).unique("image")
        rows = dict(zip(known["image"].to_list(), known["row"].to_list()))
    made = answers_of(whole, factors, notes)
    _check(made)
    return Compared(made, base, rows)


def _told_apart(frame: pl.DataFrame, place: int, frames: Sequence[Any]) -> pl.DataFrame:
    """Subjects of one name in several sources have the source's number behind it."""
    import polars as pl

    others = {name for other in [*frames[:place], *frames[place + 1 :]] for name in other["group"].unique().to_list()}
    names = {name: f"{name} ({place + 1})" if name in others else name for name in frame["group"].unique().to_list()}
    return frame.with_columns(pl.col("group").replace_strict(names, return_dtype=pl.String))


def _check(one: Answers) -> None:
    if len(one.groups) < 2:
        name = next(group.name for group in one.groups)
        raise UnseenError(
            f"there is one subject, '{name}', and nothing to compare it with. Name another study or file of answers, "
            f"or compare people with each other (--each-person)."
        )
    asked = np.array([one.asked[list(group.members)].any(0) for group in one.groups])
    shared = asked.astype(np.float32) @ asked.T.astype(np.float32)
    np.fill_diagonal(shared, 0)
    if not shared.any():
        parts = listed(
            (f"'{group.name}' {one.images[int(np.argmax(own))]}" for group, own in zip(one.groups, asked)), 3
        )
        raise UnseenError(f"the subjects have no image in common, by their names: {parts}. Are these the same images?")


def _target(studies: Sequence[Study], named: str) -> str:
    known = [[target.name for target in study.targets(study.points[0])] for study in studies]
    if named:
        if strange := [names for names in known if named not in names]:
            raise unknown("target", named, strange[0], where="--target")
        return named
    shared = [name for name in known[0] if all(name in names for names in known)] if known else []
    if known and not shared:
        raise UnseenError(f"these studies ask different questions: {listed(', '.join(names) for names in known)}.")
    return shared[0] if shared else ""


def _of_study(
    study: Study, name: str, target: str, how: How, *, several: bool
) -> tuple[pl.DataFrame, list[str], list[str]]:
    import polars as pl

    frame = every_answer(study, keys=not study.absent)
    frame = frame.with_columns(
        pl.col(column).cast(pl.String) for column in ("subject", "set", "target", "truth", "response")
    )
    sets = frame["set"].unique(maintain_order=True).to_list()
    if strange := [one for one in how.sets if one not in sets]:
        raise unknown("set", strange[0], sets, where=f"'{study.path}'")
    tested = [one for one in sets if not one.startswith(NOT_TESTED)]
    kept = list(how.sets) or [one for one in tested if one.startswith(UNSEEN)] or tested
    frame = frame.filter(pl.col("set").is_in(kept) & (pl.col("target") == target))
    if frame.is_empty():
        raise UnseenError(f"'{study.path}' has no answers about '{target}' in {listed(kept)}.")
    names, kinds = _names(study, several)
    strip = {text: names.get(text, text) for text in frame["trial"].unique().to_list()}
    person = pl.col("participant") if "participant" in frame.columns else pl.lit(None, pl.String)
    frame = frame.with_columns(
        pl.when(pl.col("trial").is_in(list(kinds)))
        .then(pl.col("trial").replace(strip))
        .otherwise(pl.col("subject"))
        .alias("group"),
        pl.coalesce(person.cast(pl.String), "trial").alias("who"),
        pl.when(pl.col("trial").is_in(list(kinds))).then(pl.lit(TRAINED)).otherwise(pl.lit("")).alias("kind"),
    )
    frame = frame.with_columns(pl.when(pl.col("kind") != "").then("kind").otherwise(_kind_of(study)).alias("kind"))
    if name:
        groups = frame["group"].unique(maintain_order=True).to_list()
        if name not in groups:
            raise unknown("subject", name, groups, where=f"'{study.path}'")
        frame = frame.filter(pl.col("group") == name)
    image = KEY if KEY in frame.columns else "sample"
    if not study.absent:
        samples = study.world(study.points[0]).samples
        rows = frame["sample"].to_numpy()
        frame = frame.with_columns(
            pl.Series(OBJECT, samples.instance_numbers(rows)).cast(pl.String), pl.col("sample").alias("row")
        )
    frame = frame.with_columns(pl.col(image).cast(pl.String).alias("image"))
    frame = frame.unique(["group", "who", "image"], keep="first", maintain_order=True)
    factors = (
        [one for one in study.world(study.points[0]).samples.space.names if one in frame.columns]
        if not study.absent
        else []
    )
    factors = [one for one in factors if one not in COLUMNS]
    frame = frame.with_columns(pl.col(one).cast(pl.String) for one in factors)
    extra = [one for one in (OBJECT, "row") if one in frame.columns]
    found = frame.select("group", "kind", "who", "image", "truth", "response", *factors, *extra)
    return found, factors, [_told(study, found.height, target, kept, tested)]


def _told(study: Study, answers: int, target: str, kept: Sequence[str], tested: Sequence[str]) -> str:
    left = [one for one in tested if one not in kept]
    more = f"; others with --of: {listed(left, 6)}" if left else ""
    return f"{study.path}: {answers:,} answers about '{target}', sets {listed(kept, 6)}{more}"


def _kind_of(study: Study) -> Any:
    import polars as pl

    from unseen.studies.subjects import subjects_of

    kinds = {record.subject.name: record.subject.kind for record in subjects_of(study)[0]}
    return pl.col("subject").replace_strict(kinds, default="model", return_dtype=pl.String)


def _names(study: Study, several: bool) -> tuple[dict[str, str], set[str]]:
    """What the networks of each condition are called, by trial; repeats share a name."""
    by_name = {study.find(trial): trial for trial in study.trials}
    from unseen.kinds.collect import finished_trials

    found, trained = {}, set()
    keys = keys_that_differ(list(by_name.values()))
    for record in finished_trials(study, numbers=False):
        trial = by_name.get(record.identity)
        words = condition_of(trial, record.split_facts, keys) if trial is not None else ""
        network = record.facts["description"].get("network", {}).get("backbone", "network")
        head = f"{study.path.name}: " if several else ""
        found[record.identity] = head + (words or str(network))
        trained.add(record.identity)
    return found, trained


def _of_file(file: Path, base: Study | None, target: str, how: How) -> tuple[pl.DataFrame, list[str], list[str]]:
    """Answers of a file: joined to a study's images where there is one, else by what the file says."""
    import polars as pl

    if base is None:
        trials = read_trials([file], how.rules, how.columns)
        frame = trials.frame.select("group", "kind", "who", "image", "truth", "response", *trials.factors)
        return frame, list(trials.factors), list(trials.notes)
    from unseen.studies.answer_files import read_files

    point = base.points[0]
    samples, targets = base.world(point).samples, base.targets(point)
    frames, notes = [], []
    for given in joined(read_files([file], how.columns), samples, targets, SubjectDetails(), how.rules, target):
        here = given.target == [one.name for one in targets].index(target)
        classes = np.array([*targets[[one.name for one in targets].index(target)].classes, ""], dtype=object)
        rows = given.rows[here]
        truth = targets[[one.name for one in targets].index(target)].truth(samples, rows)
        own = given.person[here]
        frames.append(
            pl.DataFrame(
                {
                    "group": [given.subject.name] * len(rows),
                    "kind": [given.subject.kind] * len(rows),
                    "who": [text or given.subject.name for text in own.tolist()],
                    "image": sample_keys(samples, rows),
                    "truth": classes[truth].tolist(),
                    "response": classes[given.response[here]].tolist(),
                    OBJECT: [str(number) for number in samples.instance_numbers(rows).tolist()],
                    "row": rows,
                }
            )
        )
        notes += [f"{given.subject.words}: {note}" for note in given.notes]
    return pl.concat(frames), [], [f"{file.name}: joined to the images of {base.path}", *notes]


__all__ = ["NOT_ASKED", "Compared", "How", "gathered", "is_file", "parted_name"]
