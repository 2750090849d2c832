"""Subjects whose answers were made elsewhere: kept in a study's folder, found again, removed.

A subject belongs to a study's images, not to one of its trials. Of each answer the table says in which of the study's
sets its image is asked: it is in a set if the set of any split of the study has it. Another grid or design makes other
sets; they are found anew as long as the images are at hand.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.studies.answer_files import read_files
from unseen.studies.archives import SUBJECT
from unseen.studies.given_answers import GivenAnswers, JoiningRules, SubjectDetails, joined
from unseen.studies.identities import as_hashed
from unseen.studies.records import Record
from unseen.studies.sound import Damaged, check_subject, damaged, read_subject
from unseen.studies.store import disk_error, unwritten
from unseen.studies.study import Study
from unseen.studies.tables import digest, placeless
from unseen.studies.trials import Trial
from unseen.studies.whole_trials import write_folder
from unseen.version import __version__
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.responses import responses_table
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import Split
from unseen.vocabulary.whole_files import put_whole

if TYPE_CHECKING:
    import pyarrow as pa

UNASKED = ""  # the set of answers about images that the study does not ask
PERSON, SESSION, SECONDS, ANSWER = "participant", "session", "response_time", "answer"


def add_answers(
    study: Study,
    files: Sequence[Path],
    about: SubjectDetails,
    *,
    rules: JoiningRules | None = None,
    columns: Mapping[str, str] | None = None,
    target: str = "",
    replace: bool = False,
) -> list[tuple[Record, GivenAnswers]]:
    """Add the answers in these files to a study; gives what was added, with what was found in the files."""
    if study.recipe.task == "regression":
        raise UnseenError("this study asks for numbers (task = 'regression'); answers from elsewhere are classes.")
    point, rules = one_world(study), rules or JoiningRules()
    samples, targets = study.world(point).samples, study.targets(point)
    read = read_files(files, columns or {})
    found = joined(read, samples, targets, about, rules, target)
    sources = [{"name": path.name, "digest": _digest_of(path)} for path in read.files]
    told = {"files": sources, "columns": dict(read.columns), "no_answer": rules.no_answer}
    names = [given.subject.name for given in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UnseenError(f"two subjects are called '{twice[0]}'; add them from files of their own, with --subject.")
    made = []
    with study.store.locked("or add them later"):
        study.store.sweep()
        here = {record.facts["label"]: record for record in subjects_of(study)[0]}
        same = {name: _identity(study, point, given, rules) for name, given in zip(names, found)}
        taken = [name for name in names if name in here and here[name].identity != same[name]]
        if taken and not replace:
            raise UnseenError(
                f"'{study.path}' has other answers of {listed(map(repr, taken))} already; give another name "
                f"(--subject), or put these in their place (--replace)."
            )
        if not (study.path / "recipe.toml").is_file():
            from unseen.studies.recipe_files import recipe_toml

            put_whole(study.path / "recipe.toml", recipe_toml(study.recipe))
        for given in found:
            name = same[given.subject.name]
            facts = {**_facts(study, point, given, name), **told}
            table = _table(study, point, given, name)
            facts["sets"] = _sizes(table)
            try:
                write_folder(study.store.subject_folder(name), partial(_write, table, facts), SUBJECT)
            except OSError as error:
                raise disk_error(error, study.path) from error
            made.append((Record(facts, study.store.subject_folder(name)), given))
        for name in taken:
            shutil.rmtree(here[name].folder)
    return made


def remove_answers(study: Study, name: str) -> Record:
    """Remove the answers of a subject; gives what was there."""
    known: dict[str, Record] = {}
    for one in study.store.subjects():
        folder = study.store.subject_folder(one)
        try:
            facts = read_subject(folder)
        except Damaged:  # it can be removed by its identity
            facts = {"identity": one, "label": one, "counts": {"answers": 0}}
        known[facts["label"]] = known[one] = Record(facts, folder)
    if name not in known:
        labels = dict.fromkeys(record.facts["label"] for record in known.values())
        raise unknown("subject", name, labels, where=f"study '{study.path}'")
    with study.store.locked("or remove them later"):
        shutil.rmtree(known[name].folder)
    return known[name]


def subjects_of(study: Study) -> tuple[list[Record], dict[str, str]]:
    """The subjects of a study whose answers can be read and are about its images, and why others are left out."""
    found, left = [], {}
    world = None if study.absent or not study.store.subjects() else study.world(study.points[0])
    for name in study.store.subjects():
        folder = study.store.subject_folder(name)
        try:
            facts = check_subject(folder)
        except Damaged as error:
            left[name] = str(error)
            continue
        told = facts["description"]["world"]
        if world is not None and told["fingerprint"] != world.fingerprint:
            left[name] = (
                f"the answers of '{facts['label']}' are about other images than this study has now (world "
                f"'{told['name']}', fingerprint {told['fingerprint']}); add them again from their file."
            )
        elif study.absent and facts["asked"] != asked_digest(study):
            left[name] = (
                f"the answers of '{facts['label']}' were sorted into the sets of another design, and the images are "
                f"not at hand to sort them again."
            )
        else:
            found.append(Record(facts, folder))
    return found, left


def answers_of(study: Study, record: Record) -> pa.Table:
    """All answers of a subject, with the sets in which the study asks their images now."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(record.folder / "responses.parquet")
    except (OSError, pa.ArrowException) as error:
        raise damaged(record.folder, error) from error
    if record.facts["asked"] == asked_digest(study) or study.absent:
        return table
    own = extra_column(ANSWER, study.world(study.points[0]).samples.space.names)
    _, first = np.unique(np.asarray(table[own]), return_index=True)
    once = table.take(pa.array(first))
    rows = np.asarray(once["sample"], dtype=np.int64)
    place = once.column_names.index("set")
    parts = []
    for name, here in _sets(study, rows):
        column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(len(here), np.int8)), pa.array([name]))
        parts.append(once.take(pa.array(here)).set_column(place, "set", column))
    return pa.concat_tables(parts, promote_options="permissive").unify_dictionaries()


def one_world(study: Study) -> Trial:
    """A point of the study, if all are of one world: a row is a picture of one world only."""
    prints = {study.world(point).fingerprint for point in study.points}
    if len(prints) > 1:
        keys = listed(key for grid in study.recipe.grid for key in grid if key.startswith("world."))
        raise UnseenError(
            f"this study has {len(prints)} worlds (its grid varies {keys}), and an answer is about an image of one. "
            f"Add the answers to a study of that world alone: choose it with --set, and a folder with --out."
        )
    return study.points[0]


def asked_rows(study: Study) -> np.ndarray:
    """All rows that any split of a study asks, each once: what a subject elsewhere is to be shown."""
    point, found = one_world(study), [np.zeros(0, dtype=np.int64)]
    samples = study.world(point).samples
    for split, names in {id(s := study.split(one)): (s, study.asked(one)) for one in study.points}.values():
        found += [split.rows(samples, name) for name in names]
    return np.unique(np.concatenate(found))


def asked_counts(study: Study) -> dict[str, int]:
    """How many distinct images each set of a study has, over all its splits."""
    by_set: dict[str, list[Split]] = {}
    for split, names in {id(s := study.split(one)): (s, study.asked(one)) for one in study.points}.values():
        for name in names:
            by_set.setdefault(name, []).append(split)
    samples = study.world(study.points[0]).samples
    return {
        name: len(np.unique(np.concatenate([split.rows(samples, name) for split in splits])))
        if len(splits) > 1
        else splits[0].count(samples, name)
        for name, splits in by_set.items()
    }


def unanswered(study: Study, record: Record) -> str:
    """How many of the images that are asked a table says nothing about; "" where none is missing."""
    there, missing = asked_counts(study), {}
    for name, total in there.items():
        if left := total - record.facts["sets"].get(name, 0):
            missing[name] = left
    if not missing:
        return ""
    where = listed((f"{name} ({left:,})" for name, left in missing.items()), 4)
    return f"{sum(missing.values()):,} of {sum(there.values()):,} images that are asked have no answer: {where}"


def asked_digest(study: Study) -> str:
    """By what a study sorts images into sets: its worlds, designs and the sets that it asks."""
    told = {
        as_hashed(
            {
                "world": [point.recipe.world.name, placeless(point.recipe.world.arguments)],
                "design": point.recipe.design.model_dump(mode="json"),
                "sets": list(point.recipe.recordings.sets),
            }
        )
        for point in study.points
    }
    return digest(json.dumps(sorted(told)))


def _sets(study: Study, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Each set of the study, and which of these rows it has; last those that no set has."""
    found: dict[str, np.ndarray] = {}
    seen: set[int] = set()
    for point in study.points:
        split, samples = study.split(point), study.world(point).samples
        if id(split) in seen:
            continue
        seen.add(id(split))
        for name in study.asked(point):
            found[name] = found.get(name, np.zeros(len(rows), dtype=bool)) | _members(split, samples, name, rows)
    for name, inside in found.items():
        if inside.any():
            yield name, np.flatnonzero(inside)
    none = ~np.any([*found.values(), np.zeros(len(rows), dtype=bool)], axis=0)
    if none.any():
        yield UNASKED, np.flatnonzero(none)


def _members(split: Split, samples: Samples, name: str, rows: np.ndarray) -> np.ndarray:
    rule = split[name].rule
    return rule.holds(samples, rows) if rule is not None else np.isin(rows, split.rows(samples, name))


def _table(study: Study, point: Trial, given: GivenAnswers, name: str) -> pa.Table:
    """The answers as all subjects have them, a row per set and answer, with who gave each, when and how fast."""
    import pyarrow as pa

    samples, targets = study.world(point).samples, study.targets(point)
    known = np.isfinite(given.confidence).any()
    parts = []
    for asked, inside in _sets(study, given.rows):
        for place, target in enumerate(targets):
            here = inside[given.target[inside] == place]
            if not len(here):
                continue
            sure = given.confidence[here] if known else None
            said = {target.name: (given.response[here], sure)}
            part = responses_table(
                samples,
                [target],
                subject=given.subject.name,
                trial=name,
                asked=asked,
                rows=given.rows[here],
                answers=said,
            )
            more: dict[str, pa.Array] = {ANSWER: pa.array(here.astype(np.int64))}
            for column, texts in ((PERSON, given.person), (SESSION, given.session)):
                if any(texts):
                    more[column] = pa.array(texts[here].tolist(), pa.string()).dictionary_encode()
            if np.isfinite(given.seconds).any():
                more[SECONDS] = pa.array(given.seconds[here].astype(np.float32), from_pandas=True)
            for column, values in more.items():
                part = part.append_column(extra_column(column, samples.space.names), values)
            parts.append(part)
    return pa.concat_tables(parts, promote_options="permissive").unify_dictionaries()


def extra_column(name: str, factors: Sequence[str]) -> str:
    """What a column is called that only subjects from elsewhere have; a factor keeps its name.

    >>> extra_column("session", ["category"]), extra_column("session", ["session"])
    ('session', 'given_session')
    """
    return f"given_{name}" if name in factors else name


def _sizes(table: pa.Table) -> dict[str, int]:
    """Distinct images of each set."""
    sets, rows = table["set"].to_pylist(), np.asarray(table["sample"])
    names = np.array(sets, dtype=object)
    return {name: len(np.unique(rows[names == name])) for name in dict.fromkeys(sets)}


def _facts(study: Study, point: Trial, given: GivenAnswers, name: str) -> dict[str, Any]:
    split, subject = study.split(point), given.subject.facts()
    return {
        "identity": name,
        "label": given.subject.name,
        "seed": 0,
        "condition": {},
        "subject": subject,
        "description": {"subject": subject, "world": _world(study, point)},
        "facts": {},
        "factors": list(split.factors),
        "targets": {target.name: list(target.classes) for target in study.targets(point)},
        "tasks": {},
        "flags": {},
        "asked": asked_digest(study),
        "counts": dict(given.counts),
        "notes": list(given.notes),
        "added": time.strftime("%Y-%m-%dT%H:%M:%S"),
        "unseen": __version__,
    }


def _world(study: Study, point: Trial) -> dict[str, Any]:
    section = point.recipe.world
    return {
        "name": section.name,
        "arguments": json.loads(json.dumps(placeless(section.arguments), default=str)),
        "fingerprint": study.world(point).fingerprint,
    }


def _identity(study: Study, point: Trial, given: GivenAnswers, rules: JoiningRules) -> str:
    """A hash of whose answers they are, about which images, what they are and how a missing one counts."""
    about = {"subject": given.subject.facts(), "world": study.world(point).fingerprint, "no_answer": rules.no_answer}
    found = hashlib.blake2b(as_hashed(about).encode(), digest_size=8)
    for numbers in (given.rows, given.target, given.response, given.confidence, given.seconds):
        found.update(np.ascontiguousarray(numbers).tobytes())
    for texts in (given.person, given.session):
        found.update("\0".join(texts.tolist()).encode())
    return found.hexdigest()


def _digest_of(path: Path) -> str:
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "blake2b").hexdigest()[:16]


def _write(table: pa.Table, facts: Mapping[str, Any], folder: Path) -> None:
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    try:
        pq.write_table(table, folder / "responses.parquet", compression="zstd")
    except ArrowException as error:
        raise unwritten(error) from error
    (folder / SUBJECT).write_text(json.dumps(facts, default=str, ensure_ascii=False, indent=1), encoding="utf-8")
