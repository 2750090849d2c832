"""Commands about answers that were made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.arguments import (
    Meanings,
    NoAnswer,
    Out,
    ResponseColumn,
    Set,
    StudyPath,
)
from unseen.cli.places import given_path, path_option
from unseen.cli.root import app, console
from unseen.cli.steps import (
    stored_study,
    study_at,
)

answers_app = typer.Typer(
    help=(
        "Add, list or remove answers that another program or people gave.\n\n"
        "`add` joins them to a study's images by key, row or file name; `results` and `report` then show them beside "
        "the networks. docs/guide/answers-from-elsewhere.md walks through it.\n\n"
        "Example: `unseen answers add runs/demo answers.csv --subject my-model`"
    ),
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


app.add_typer(answers_app, name="answers", rich_help_panel="Models and people, side by side")


@answers_app.command("add")
def answers_add(
    study: StudyPath,
    files: Annotated[
        list[Path],
        typer.Argument(parser=given_path, metavar="FILE…", help="CSV, TSV or Parquet, or a folder of them."),
    ],
    subject: Annotated[str, typer.Option("--subject", help="Name of the model or group. Default: the file's.")] = "",
    kind: Annotated[str, typer.Option("--kind", help="people or model. Default: by the names in the file.")] = "",
    image: Annotated[
        str | None, typer.Option("--image", metavar="COLUMN", help="The image's key, row number or file name.")
    ] = None,
    response: ResponseColumn = None,
    confidence: Annotated[str | None, typer.Option("--confidence", metavar="COLUMN", help="0 to 1.")] = None,
    participant: Annotated[str | None, typer.Option("--participant", metavar="COLUMN", help="Which person.")] = None,
    session: Annotated[str | None, typer.Option("--session", metavar="COLUMN", help="Which sitting.")] = None,
    truth: Annotated[
        str | None, typer.Option("--truth", metavar="COLUMN", help="The true class, to check the join ('': none).")
    ] = None,
    target: Annotated[str, typer.Option("--target", help="Which question is answered, if there are several.")] = "",
    meanings: Meanings = None,
    no_answer: NoAnswer = "wrong",
    unknown: Annotated[str, typer.Option("--unknown", help="Rows that match no image: refuse, or skip.")] = "refuse",
    doubled: Annotated[
        str, typer.Option("--doubled", help="One image answered twice, differently: refuse, or first, last, all.")
    ] = "refuse",
    source: Annotated[str, typer.Option("--source", help="Where the answers come from.")] = "",
    citation: Annotated[str, typer.Option("--citation", help="How to cite the answers.")] = "",
    replace: Annotated[bool, typer.Option("--replace", help="Replace the answers stored under that name.")] = False,
    settings: Set = None, out: Out = None,
) -> None:  # fmt: skip
    """Add answers of a model or of people to a study.

    Columns are recognised by their names (`key`, `imagename`, `response`, `object_response`, `subj`, `session`, `rt` …)
    and listed. Files of model-vs-human and texture-vs-shape are read as they are.

    Example: `unseen answers add runs/demo answers.csv --subject my-model`
    """
    from unseen.cli.answers import add, words_of
    from unseen.studies.given_answers import JoiningRules, SubjectDetails

    named = {"image": image, "response": response, "confidence": confidence, "participant": participant}
    named |= {"session": session, "truth": truth}
    about, rules = (
        SubjectDetails(subject, kind, source, citation),
        JoiningRules(unknown, doubled, no_answer, words_of(meanings)),
    )
    columns = {role: column for role, column in named.items() if column is not None}
    add(study_at(study, out, settings), console, files, about, rules, columns, target=target, replace=replace)


@answers_app.command("list")
def answers_list(study: StudyPath, settings: Set = None, out: Out = None) -> None:
    """List the subjects whose answers were added.

    Example: `unseen answers list runs/demo`
    """
    from unseen.cli.answers import show

    show(stored_study(study_at(study, out, settings)), console)


@answers_app.command("export")
def answers_export(
    study: StudyPath,
    to: Annotated[Path, path_option("--to", "FILE", "A .csv or .parquet to write.")],
    subject: Annotated[str | None, typer.Option("--subject", help="Of this subject alone.")] = None,
    layout: Annotated[
        str, typer.Option("--layout", help="unseen (every column), or model-vs-human (subj, session, trial, rt, …).")
    ] = "unseen",
    settings: Set = None, out: Out = None,
) -> None:  # fmt: skip
    """Write every answer, of networks and of subjects, with the key of its image.

    Example: `unseen answers export runs/demo --to answers.csv`
    """
    from unseen.cli.answers import export

    export(stored_study(study_at(study, out, settings)), console, to, subject, layout)


@answers_app.command("remove")
def answers_remove(
    study: StudyPath,
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="Its name, as `unseen answers list` has it.")],
    settings: Set = None, out: Out = None,
) -> None:  # fmt: skip
    """Remove the answers of a subject from a study.

    Example: `unseen answers remove runs/demo my-model`
    """
    from unseen.studies.subjects import remove_answers

    gone = remove_answers(stored_study(study_at(study, out, settings)), subject)
    console.print(f"removed {gone.facts['counts']['answers']:,} answers of {subject}", markup=False, soft_wrap=True)
