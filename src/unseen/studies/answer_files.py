"""Files of answers that were made elsewhere, read as text: CSV, TSV or Parquet, and which of their columns is what."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.visible import visible

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".csv", ".tsv", ".parquet")
IMAGE, RESPONSE, CONFIDENCE, SUBJECT, PARTICIPANT, SESSION, SECONDS, TARGET, TRUTH = (
    "image", "response", "confidence", "subject", "participant", "session", "seconds", "target", "truth"
)  # fmt: skip
# What columns are called, letters and digits alone, the likeliest first. Those of model-vs-human and texture-vs-shape
# (Geirhos et al.): subj, session, trial, rt, object_response, category, condition, imagename.
NAMES: dict[str, tuple[str, ...]] = {
    IMAGE: ("key", "samplekey", "imagename", "imagekey", "imageid", "image", "stimulus", "stimulusname", "path",
            "imagepath", "filepath", "filename", "file", "sample", "row"),
    RESPONSE: ("response", "objectresponse", "answer", "prediction", "predicted", "predictedclass", "pred", "choice"),
    CONFIDENCE: ("confidence", "probability", "prob", "certainty"),
    SUBJECT: ("subject", "subj", "model", "network", "modelname", "subjectname"),
    PARTICIPANT: ("participant", "participantid", "person", "observer", "observerid", "subjectid", "workerid"),
    SESSION: ("session", "sessionid"),
    SECONDS: ("rt", "responsetime", "reactiontime", "seconds"),
    TARGET: ("target", "question"),
    TRUTH: ("truth", "category", "groundtruth", "truecategory", "trueclass"),
}  # fmt: skip
NEEDED = (IMAGE, RESPONSE)


@dataclass(frozen=True, eq=False)
class AnswerRows:
    """Rows of text as given: the columns found, by what they are, and of each row its file and line."""

    columns: Mapping[str, str]  # what a column is, and what it is called
    texts: Mapping[str, list[str]]
    files: tuple[Path, ...]

    def __len__(self) -> int:
        return len(self.texts[RESPONSE])


def read_files(files: Sequence[Path], named: Mapping[str, str]) -> AnswerRows:
    """Files (or folders of them) as one table; ``named`` says what columns are called where that is not guessed."""
    whole, columns, paths = read_frame(files, named)
    return AnswerRows(columns, {role: whole[role].to_list() for role in whole.columns}, paths)


def read_frame(
    files: Sequence[Path], named: Mapping[str, str], more: Mapping[str, tuple[str, ...]] | None = None
) -> tuple[pl.DataFrame, dict[str, str], tuple[Path, ...]]:
    """The rows of files as text, a column for each role; what the columns are called; and the files. ``more``: roles to
    look for besides, and what their columns may be called."""
    import polars as pl

    paths = [path for file in files for path in _paths(file)]
    columns: dict[str, str] = {}
    parts = []
    for path in paths:
        frame = _frame(path)
        own = columns_of(frame.columns, named, path, more)
        columns = {**own, **columns}
        parts.append(frame.select(**{role: pl.col(name) for role, name in own.items()}))
    whole = pl.concat(parts, how="diagonal").fill_null("").with_columns(pl.all().str.strip_chars())
    if whole.is_empty():
        raise UnseenError(f"{listed(map(str, paths), 3)}: no row of answers below the header.")
    return whole, columns, tuple(paths)


def columns_of(
    names: Sequence[str], named: Mapping[str, str], file: Path | str, more: Mapping[str, tuple[str, ...]] | None = None
) -> dict[str, str]:
    """Which column is what: as named, else as columns are called.

    >>> header = "subj,session,trial,rt,object_response,category,condition,imagename".split(",")
    >>> found = columns_of(header, {}, "x.csv")
    >>> found["image"], found["response"], found["subject"], found["truth"]
    ('imagename', 'object_response', 'subj', 'category')
    """
    plain = {re.sub(r"[\W_]+", "", name).lower(): name for name in reversed(names)}
    found = {}
    for role, known in {**NAMES, **(more or {})}.items():
        if role in named:
            if named[role] and named[role] not in names:
                raise unknown("column", named[role], names, where=f"'{Path(file).name}'")
            if named[role]:  # "" : there is no such column, whatever its name is like
                found[role] = named[role]
            continue
        name = next((plain[word] for word in known if word in plain and plain[word] not in named.values()), None)
        if name is not None and name not in found.values():
            found[role] = name
    for role in NEEDED:
        if role not in found:
            what = "which image was asked (its key, its name or its row)" if role == IMAGE else "what was answered"
            raise UnseenError(
                f"'{Path(file).name}' has no column that says {what}; it has {listed(names)}. Name it: --{role} COLUMN."
            )
    return found


def _paths(file: Path) -> list[Path]:
    if file.is_dir():
        found = sorted(path for path in file.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())
        if not found:
            raise UnseenError(f"no table of answers in folder '{file}'; possible: {listed(SUFFIXES)}.")
        return found
    if not file.is_file():
        raise UnseenError(f"no file '{file}' with answers here ({Path.cwd()}).")
    if file.suffix.lower() not in SUFFIXES:
        raise UnseenError(f"'{file}' is no table of answers; possible: {listed(SUFFIXES)}.")
    return [file]


_MENDS = {  # what polars says, and what helps
    "utf-8": " Save it as text in UTF-8.",
    "more fields": " A row has more fields than the header: put commas inside a field between quotes.",
}


def _frame(path: Path) -> pl.DataFrame:
    """All columns as text."""
    import polars as pl

    try:
        if path.suffix.lower() == ".parquet":
            frame = pl.read_parquet(path).fill_nan(None)
            return frame.with_columns(pl.all().cast(pl.String))
        data = path.read_bytes()
        if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            data = data.decode("utf-16").encode()
        if not data.strip():
            raise UnseenError(f"'{path}' is empty; it should have a header and a row for each answer.")
        separator = max(",;\t", key=data.partition(b"\n")[0].decode(errors="replace").count)
        return pl.read_csv(data, separator=separator, infer_schema=False)
    except (pl.exceptions.PolarsError, OSError, UnicodeError) as error:
        first = visible(str(error).splitlines()[0]) if str(error) else type(error).__name__
        fix = next((fix for words, fix in _MENDS.items() if words in first), "")
        raise UnseenError(f"'{path}' cannot be read as {path.suffix[1:].upper()}: {first}.{fix}") from None
