"""Arguments and options that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.places import given_text, path_option

Recipe = Annotated[
    str,
    typer.Argument(
        parser=given_text,
        metavar="RECIPE",
        help="A shipped recipe (`unseen recipes`), a TOML file, or a study's folder.",
    ),
]

Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a key, e.g. --set training.epochs=5. May be repeated."),
]

WorldSet = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="world.ARG=VALUE", help="An argument of the world, e.g. --set world.viewpoint=scale."
    ),
]

Out = Annotated[
    Path | None,
    path_option("--out", "PATH", "The study's folder (default: runs/RECIPE)."),
]

ToFile = Annotated[Path | None, path_option("--to", "FILE", "The file for --format parquet.")]

Device = Annotated[str, typer.Option("--device", help="auto, cpu, cuda or mps.")]

Workers = Annotated[
    int | None, typer.Option("--workers", min=1, help="Processes on a CPU (default: cores / training.threads).")
]

Engine = Annotated[
    str,
    typer.Option("--engine", help="here (this process and its own), local, slurm or ray: who starts workers."),
]

Slurm = Annotated[
    list[str] | None,
    typer.Option(
        "--slurm",
        metavar="KEY=VALUE",
        help="An option of sbatch with --engine slurm, e.g. --slurm partition=gpu. May be repeated.",
    ),
]

Pack = Annotated[int | None, typer.Option("--pack", min=1, help="Trials trained together on one GPU (default 4).")]

StudyPath = Annotated[
    str,
    typer.Argument(
        parser=given_text, metavar="STUDY", help="A study's folder (runs/demo), or the recipe it was run from."
    ),
]

OneOrAll = Annotated[
    str | None,
    typer.Argument(
        parser=given_text, metavar="STUDY", help="A study's folder (runs/demo), or its recipe. Default: all."
    ),
]

Picture = Annotated[Path | None, path_option("--picture", "PATH", "Write the splits as a PNG.")]

Preprocessing = Annotated[
    list[str] | None,
    typer.Option("--preprocessing", metavar="KEY=VALUE", help="A model's preprocessing, e.g. crop=1.0."),
]

Labels = Annotated[
    Path | None,
    path_option("--labels", "FILE", "A model's labels, one per line."),
]

Checkpoint = Annotated[
    Path | None,
    path_option("--checkpoint", "FILE", "Weights to load into the model."),
]

FactoryArguments = Annotated[
    list[str] | None,
    typer.Option("--argument", metavar="KEY=VALUE", help="What a module:factory is called with."),
]

Download = Annotated[
    bool, typer.Option("--download", help="Fetch the weights of a name from its hub, if they are not here.")
]

Trust = Annotated[
    bool, typer.Option("--trust", help="Let Python code that the recipe names run, from now on until it changes.")
]

NearCopies = Annotated[
    bool | None,
    typer.Option("--near-copies/--no-near-copies", help="Compare pictures. Default: where they are files."),
]

Meanings = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="RESPONSE=CLASS", help="What a response means; RESPONSE= is no answer."),
]

NoAnswer = Annotated[str, typer.Option("--no-answer", help="What a missing answer counts as: wrong, or skip.")]

ResponseColumn = Annotated[str | None, typer.Option("--response", metavar="COLUMN", help="What was answered.")]

SampleSeed = Annotated[int, typer.Option("--seed", help="Seed of --sample.")]
