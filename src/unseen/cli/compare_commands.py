"""Commands that set models and people side by side: compare, retest, ask."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.arguments import Meanings, NoAnswer, ResponseColumn, ToFile
from unseen.cli.places import given_text, path_option
from unseen.cli.root import app, console

PANEL = "Models and people, side by side"


@app.command(rich_help_panel=PANEL)
def compare(
    given: Annotated[
        list[str],
        typer.Argument(
            parser=given_text,
            metavar="WHAT…",
            help="Studies, one subject of a study (STUDY:NAME), and files or folders of answers (CSV, TSV, Parquet).",
        ),
    ],
    target: Annotated[str, typer.Option("--target", help="Which question, where studies ask several.")] = "",
    sets: Annotated[
        list[str] | None,
        typer.Option("--of", metavar="SET", help="Which set of a study's images. May be repeated."),
    ] = None,
    each_person: Annotated[
        bool, typer.Option("--each-person", help="Each person is a subject; default: one group.")
    ] = False,
    images: Annotated[
        Path | None,
        path_option("--images", "FOLDER", "Where the pictures of a file's images lie."),
    ] = None,
    meanings: Meanings = None,
    no_answer: NoAnswer = "wrong",
    doubled: Annotated[
        str, typer.Option("--doubled", help="One image answered twice, differently: refuse, or first, last, all.")
    ] = "refuse",
    unknown: Annotated[
        str, typer.Option("--unknown", help="Rows that match no image of the study: refuse, or skip.")
    ] = "refuse",
    truth: Annotated[str | None, typer.Option("--truth", metavar="COLUMN", help="The true class.")] = None,
    image: Annotated[
        str | None, typer.Option("--image", metavar="COLUMN", help="The image's key or file name.")
    ] = None,
    response: ResponseColumn = None,
    out: Annotated[
        Path | None,
        path_option("--out", "PATH", "The page's folder (runs/compare/NAMES)."),
    ] = None,
    form: Annotated[
        str,
        typer.Option("--format", metavar="FORM", help="page, table, or the numbers alone: md, csv, json, parquet."),
    ] = "page",
    to: ToFile = None,
) -> None:
    """Compare networks, models and people on the same images: accuracy, shared errors, where they disagree.

    Files of model-vs-human and texture-vs-shape are read as they are.

    Example: `unseen compare runs/demo answers.csv`, or `unseen compare raw-data/cue-conflict`
    """
    from unseen.cli.answers import words_of
    from unseen.cli.comparing import compare as compare_subjects
    from unseen.engines import open_study
    from unseen.kinds.comparison.sources import How
    from unseen.studies.given_answers import JoiningRules

    named = {"truth": truth, "image": image, "response": response}
    columns = {role: column for role, column in named.items() if column is not None}
    rules = JoiningRules(unknown, doubled, no_answer, words_of(meanings))
    how = How(target, tuple(sets or ()), rules, columns, each_person)
    compare_subjects(console, given, how, open_study, out=out, images=images, form=form, to=to)


@app.command(rich_help_panel=PANEL)
def retest(
    what: Annotated[
        str, typer.Argument(parser=given_text, metavar="WHAT", help="A table with a row per model, or a study.")
    ],
    original: Annotated[
        str,
        typer.Option(
            "--original",
            metavar="SET",
            help="The original test set: a column of the table, or a study's set or FACTOR=LEVEL.",
        ),
    ],
    new: Annotated[str, typer.Option("--new", metavar="SET", help="The new test set, named in the same way.")],
    original_images: Annotated[
        int,
        typer.Option("--original-images", min=0, metavar="N", help="Images of the original set, for intervals."),
    ] = 0,
    new_images: Annotated[
        int, typer.Option("--new-images", min=0, metavar="N", help="Images of the new set, for intervals.")
    ] = 0,
    target: Annotated[str, typer.Option("--target", help="Which question, where a study asks several.")] = "",
    out: Annotated[
        Path | None,
        path_option("--out", "PATH", "The page's folder (runs/retest/NAME)."),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", metavar="FORM", help="page, table, or the numbers alone: md, csv, json.")
    ] = "page",
) -> None:
    """Measure how much accuracy models lose on a new test set, and fit new against original accuracy.

    Example: `unseen retest models.csv --original val --new v2`
    """
    from unseen.cli.retesting import retest as retest_models
    from unseen.engines import open_study

    images = original_images, new_images
    retest_models(console, what, original, new, open_study, images=images, target=target, out=out, form=form)


@app.command(rich_help_panel=PANEL)
def ask(
    study: Annotated[str, typer.Argument(parser=given_text, metavar="STUDY", help="A study's folder, or its recipe.")],
    name: Annotated[str, typer.Option("--subject", help="What these people are called together.")] = "people",
    images: Annotated[int, typer.Option("--images", min=0, help="Images per person, drawn at random (0: all).")] = 0,
    pause: Annotated[int, typer.Option("--pause", help="A pause after every N images.")] = 64,
    duration: Annotated[int, typer.Option("--duration", metavar="MS", help="How long an image is shown.")] = 200,
    within: Annotated[int, typer.Option("--within", metavar="MS", help="Time limit for an answer (0: none).")] = 0,
    consent: Annotated[
        Path | None,
        path_option("--consent", "FILE", "A text file with the consent form."),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", help="0.0.0.0: open to other machines, by a link with a token.")
    ] = "127.0.0.1",
    port: Annotated[int | None, typer.Option("--port", help="Default: the first free one from 8765 on.")] = None,
    browser: Annotated[bool, typer.Option(" /--no-browser", help="Do not open a browser.")] = True,
    collect: Annotated[bool, typer.Option("--collect", help="Only add the answers so far to the study.")] = False,
    partial: Annotated[bool, typer.Option("--partial", help="Also count people who have not finished.")] = False,
    out: Annotated[Path | None, path_option("--out", "PATH", "The study's folder.")] = None,
) -> None:
    """Ask people what is on a study's images: a local page shows each for a moment, and keeps what they say.

    Example: `unseen ask ask.toml`, then `unseen compare runs/ask`
    """
    from unseen.cli.asking import ask as ask_people
    from unseen.engines import open_study

    ask_people(
        console, open_study(study, out=out), name=name, images=images, pause=pause, duration=duration,
        within=within, consent=consent, host=host, port=port, browser=browser, collect_only=collect,
        partial=partial,
    )  # fmt: skip
