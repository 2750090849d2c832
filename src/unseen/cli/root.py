"""The command `unseen`: what its help says first, and where it prints."""

from __future__ import annotations

from typing import Annotated

import typer

from unseen.cli.terminal import Terminal
from unseen.version import __version__

app = typer.Typer(
    name="unseen",
    help=(
        "Does a vision model work on what it has not seen, when will it, and why?\n\n"
        "Start with `unseen demo` (a few minutes, no download), then `unseen recipes` for the studies that ship, or "
        "`unseen init FOLDER` to study your own images. The same command again does only what is missing.\n\n"
        "Words: a *world* is a source of images whose factors are known (which digit, at which position). A *design* "
        "says which combinations of factor levels are trained on and which are tested. A *recipe* is a TOML file that "
        "names world, design, networks and seeds. A *trial* is one trained network; a *study* is the folder with all "
        "trials of a recipe."
    ),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


console = Terminal()


def _version(value: bool) -> bool:
    if value:
        typer.echo(f"unseen {__version__}")
        raise typer.Exit
    return value


@app.callback()
def start(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass
