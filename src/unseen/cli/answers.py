"""`unseen answers`: answers that were made elsewhere, added to a study, listed, written out, removed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from unseen.reports.console import bare_table, print_hanging, print_table
from unseen.vocabulary.errors import UnseenError, unknown


def words_of(given: list[str] | None) -> dict[str, str]:
    """What responses mean, as ``--map`` has it.

    >>> words_of(["aeroplane=airplane", "?="])
    {'aeroplane': 'airplane', '?': ''}
    """
    found = {}
    for text in given or ():
        word, sign, meaning = text.rpartition("=")
        if not sign or not word:
            raise UnseenError(f"--map {text!r} must be RESPONSE=CLASS, e.g. --map aeroplane=airplane.")
        found[word] = meaning
    return found


def add(
    study: Any, console: Console, files: list[Path], about: Any, rules: Any, columns: dict[str, str], **how: Any
) -> None:
    """Add the answers in files, and say what was found in them."""
    from unseen.studies.subjects import add_answers

    found = add_answers(study, files, about, rules=rules, columns=columns, **how)
    record, given = found[0]
    read = ", ".join(f"{role}: {name}" for role, name in record.facts["columns"].items())
    print_hanging(console, f"columns read as {read}")
    shared = [note for note in given.notes if len(found) > 1 and all(note in one.notes for _, one in found)]
    for note in shared:
        print_hanging(console, note)
    for record, given in found:
        counts = given.counts
        told = f"{counts['answers']:,} answers about {counts['images']:,} images"
        console.print(f"[bold]{escape(given.subject.words)}[/]: {told}", highlight=False)
        for note in given.notes:
            if note not in shared:
                print_hanging(console, f"  {note}")
        _sets(study, console, record)
    console.print(f"kept in {study.path}; `unseen results` and `unseen report` show them", markup=False, soft_wrap=True)


def _sets(study: Any, console: Console, record: Any) -> None:
    """How much of each set is answered."""
    from unseen.studies.subjects import asked_counts

    found = record.facts["sets"]
    for name, total in asked_counts(study).items():
        print_hanging(console, f"  set '{name}': {found.get(name, 0):,} of {total:,} images are answered")
    if found.get(""):
        print_hanging(console, f"  {found['']:,} images are in no set that this study asks; kept, and not counted")


def show(study: Any, console: Console) -> None:
    """A line for each subject, and why one is left out."""
    from unseen.studies.subjects import subjects_of

    found, left = subjects_of(study)
    if not found and not left:
        print_hanging(console, f"no answers from elsewhere in {study.path}.")
        print_hanging(console, "`unseen answers add STUDY FILE` adds those of a model or of people.")
        return
    table = bare_table("subject", "kind", "people", "answers", "images", "no answer", "added")
    for record in found:
        one, counts = record.subject, record.facts["counts"]
        none = counts.get("no answer", 0)
        missing = f"{none:,} ({record.facts['no_answer']})" if none else ""
        table.add_row(
            escape(one.name), one.kind, str(one.persons or ""), f"{counts['answers']:,}", f"{counts['images']:,}",
            missing, record.facts["added"][:10],
        )  # fmt: skip
    print_table(console, table)
    for why in left.values():
        print_hanging(console, f"left out: {why}")


LAYOUTS = ("unseen", "model-vs-human")


def export(study: Any, console: Console, to: Path, subject: str | None, layout: str = "unseen") -> None:
    """Every answer with the key of its image, as CSV or Parquet."""
    if layout not in LAYOUTS:
        raise unknown("layout", layout, LAYOUTS, where="--layout")
    from unseen.kinds.every_answer import every_answer
    from unseen.vocabulary.whole_files import remove_leftovers, written_aside

    if to.suffix.lower() not in (".csv", ".parquet"):
        raise UnseenError(f"'{to}' must end in .csv or .parquet.")
    if not to.parent.is_dir() or to.is_dir():
        raise UnseenError(f"'{to}' cannot be written: name a file in a folder that is there.")
    frame = every_answer(study, keys=True)
    if subject is not None:
        names = frame["subject"].unique(maintain_order=True).cast(str).to_list()
        if subject not in names:
            raise unknown("subject", subject, names, where=f"'{study.path}'")
        frame = frame.filter(frame["subject"].cast(str) == subject)
    if layout != "unseen":
        frame = _in_their_layout(frame)
    remove_leftovers(to.parent, to.name)
    with written_aside(to) as aside:
        frame.write_parquet(aside) if to.suffix.lower() == ".parquet" else frame.write_csv(aside)
    console.print(f"{frame.height:,} answers in {to}", markup=False, soft_wrap=True)


def _in_their_layout(frame: Any) -> Any:
    """One question's answers as model-vs-human and texture-vs-shape have them; a person is a subject there."""
    import polars as pl

    from unseen.studies.trial_files import layout_of

    targets = frame["target"].unique(maintain_order=True).to_list()
    frame = frame.filter(pl.col("target") == targets[0]).unique(["trial", "subject", "key", *_persons(frame)])
    who = pl.col("subject").cast(pl.String)
    if frame["seed"].is_not_null().any():
        trained = pl.concat_str("label", pl.col("trial").str.slice(0, 8), separator=" ")
        who = pl.when(pl.col("seed").is_not_null()).then(trained).otherwise(who)
    if _persons(frame):
        who = pl.coalesce(pl.col("participant").cast(pl.String), who)
    frame = frame.with_columns(who.alias("who")).sort("who", "sample", maintain_order=True)
    return layout_of(frame, {"image": "key", "seconds": "response_time"})


def _persons(frame: Any) -> list[str]:
    return [name for name in ("participant", "session") if name in frame.columns]
