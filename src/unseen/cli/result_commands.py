"""Commands that show what was found."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.arguments import (
    Out,
    Set,
    StudyPath,
    ToFile,
)
from unseen.cli.places import given_path
from unseen.cli.root import app, console
from unseen.cli.steps import (
    stored_study,
    study_at,
    tell_damage,
    write_page,
)
from unseen.cli.terminal import Terminal

PANEL = "Look at the results"


@app.command(rich_help_panel=PANEL)
def results(
    study: StudyPath, settings: Set = None, out: Out = None,
    form: Annotated[str, typer.Option("--format", help="table, csv, json, markdown or parquet.")] = "table",
    summary: Annotated[bool, typer.Option("--summary/--tidy", help="Means with intervals, or a row per trial.")] = True,
    rules: Annotated[bool, typer.Option("--rules", help="When does it fail? Rules over the images' factors.")] = False,
    to: ToFile = None,
) -> None:  # fmt: skip
    """Print a study's numbers: means with 95 % intervals, or the tidy table (one row per trial and number).

    `--format parquet` writes one small file with all that findings and figures rest on: the tidy table, held-out
    cells with their distances, flags, settings of every trial, calibrations.

    `--rules` finds short rules that tell wrong answers from right ones on half of the objects, and judges them on the
    other half; where nothing tells them apart, it says so.

    Example: `unseen results runs/demo --tidy --format csv > numbers.csv`, `unseen results runs/demo --rules`, or
    `unseen results runs/demo --format parquet --to demo.parquet`
    """
    from unseen.cli.listing import show_results, show_rules, write_parquet

    if rules:
        opened = stored_study(study_at(study, out, settings), aside=True)
        show_rules(opened, console, form, to)
    elif form == "parquet" or to is not None:
        opened = write_parquet(lambda: stored_study(study_at(study, out, settings), aside=True), console, form, to)
    else:
        opened = stored_study(study_at(study, out, settings), aside=True)
        show_results(opened, console, form, summary)
    tell_damage(opened, Terminal(stderr=True))


@app.command(rich_help_panel=PANEL)
def report(study: StudyPath, settings: Set = None, out: Out = None) -> None:
    """Write a study's report: one HTML file, and its figures as SVG and PNG.

    Example: `unseen report runs/demo`
    """
    write_page(stored_study(study_at(study, out, settings)))


@app.command(rich_help_panel=PANEL)
def view(
    path: Annotated[
        Path | None,
        typer.Argument(
            parser=given_path, metavar="PATH", help="A folder with studies, or one study's (default: runs)."
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Default: this machine alone; 0.0.0.0: others too.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option("--port", help="The port (default: the first free one from 8765).")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open it in a browser.")] = True,
) -> None:
    """Look at studies in a browser: trials as they run, numbers, images, two subjects side by side, units, splits.

    It changes nothing, reads no other folder, and is for this machine alone unless --host says otherwise.

    Example: `unseen view`, or `unseen view runs/demo`
    """
    from unseen.cli.viewing import serve

    serve(console, path, host=host, port=port, browser=browser)
