"""Commands about models, one's own or trained here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.arguments import (
    Checkpoint,
    Device,
    Download,
    FactoryArguments,
    Labels,
    NoAnswer,
    Preprocessing,
    SampleSeed,
    Set,
    ToFile,
    Trust,
    WorldSet,
)
from unseen.cli.places import given_text, path_option
from unseen.cli.root import app, console
from unseen.cli.steps import (
    run_study_here,
    write_page,
)

PANEL = "Models and what they look at"


@app.command(rich_help_panel=PANEL)
def examine(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            parser=given_text,
            metavar="MODEL…",
            help="A name (efficientnet-lite0, timm:resnet50.a1_in1k, open_clip:ARCH/TAG), a .onnx or .pt2 file, "
            "a folder of Hugging Face, module:factory, or a table of answers (.csv, .parquet). "
            "Several are compared side by side.",
        ),
    ] = None,
    world: Annotated[
        str, typer.Option("--world", metavar="NAME", help="natural-variation (default), objects, meshes or folder.")
    ] = "",
    meshes: Annotated[Path | None, path_option("--meshes", "PATH", "3D models in place of ours.")] = None,
    folder: Annotated[
        Path | None,
        path_option("--folder", "PATH", "Your images, or their manifest."),
    ] = None,
    factors: Annotated[
        list[str] | None,
        typer.Option("--factors", metavar="NAMES", help="What to change, e.g. pose,size (default: all)."),
    ] = None,
    canonical: Annotated[
        list[str] | None,
        typer.Option(
            "--canonical", metavar="FACTOR=LEVEL", help="Of your images: the level that gaps are measured from."
        ),
    ] = None,
    images: Annotated[
        int, typer.Option("--images", min=1, metavar="N", help="How many images are asked in all.")
    ] = 4000,
    meanings: Annotated[
        str,
        typer.Option(
            "--map",
            metavar="MAP",
            help="From the model's labels (or a table's responses) to categories: everyday, names, or a CSV or "
            "TOML file.",
        ),
    ] = "auto",
    no_answer: NoAnswer = "wrong",
    unknown: Annotated[
        str, typer.Option("--unknown", help="Rows of a table without an image: refuse, or skip.")
    ] = "refuse",
    doubled: Annotated[
        str, typer.Option("--doubled", help="One image answered twice, differently: refuse, or first, last, all.")
    ] = "refuse",
    preprocessing: Preprocessing = None,
    labels: Labels = None,
    checkpoint: Checkpoint = None,
    arguments: FactoryArguments = None,
    settings: Set = None,
    out: Annotated[
        Path | None,
        path_option("--out", "PATH", "The study's folder (runs/examine/MODEL)."),
    ] = None,
    device: Device = "auto",
    form: Annotated[
        str, typer.Option("--format", metavar="FORM", help="page, or the numbers alone: md, csv, json, parquet.")
    ] = "page",
    to: ToFile = None,
    closing: Annotated[
        bool, typer.Option("--closing", help="Also ask how much variation a new last layer needs to close the gaps.")
    ] = False,
    write: Annotated[
        Path | None,
        path_option("--write", "PATH", "Write the images that are asked, for another program."),
    ] = None,
    feeding: Annotated[
        bool,
        typer.Option(
            " /--no-feeding-check",
            show_default=False,
            help="Skip the check of preprocessing: other usual ways to feed the model, on 100 images.",
        ),
    ] = True,
    trust: Trust = False,
    download: Download = False,
) -> None:
    """Ask a model canonical and changed images, and write a page that says where it fails. Nothing is trained.

    Example: `unseen examine efficientnet-lite0`, and for another program
    `unseen examine --write images`, then `unseen examine answers.csv`
    """
    from unseen.cli.examining import examine as examine_models
    from unseen.cli.examining import form_of, listed_names, pairs
    from unseen.cli.examining import write as write_asked
    from unseen.engines.examining import ExamineOptions

    shown = form_of(form)
    asked = ExamineOptions(
        world=world, meshes=meshes, folder=folder, factors=listed_names(factors),
        canonical=pairs(canonical, "--canonical"), images=images, map=meanings,
        preprocessing=pairs(preprocessing, "--preprocessing"), labels=None if labels is None else str(labels),
        checkpoint=checkpoint, arguments=pairs(arguments, "--argument"), download=download,
        answers={"unknown": unknown, "doubled": doubled, "no_answer": no_answer},
    )  # fmt: skip
    if write is not None:
        write_asked(console, models or [], asked, to=write, settings=settings or [], device=device)
        return
    left = examine_models(
        console, models or [], asked, out=out, settings=settings or [], device=device, trust=trust, feeding=feeding,
        run=lambda study, place: run_study_here(study, device, None, None, place),
        report=lambda study, place: write_page(study), form=shown, to=to, closing=closing,
    )  # fmt: skip
    if left:
        raise typer.Exit(left)


@app.command(rich_help_panel=PANEL)
def explain(
    subject: Annotated[
        str | None,
        typer.Argument(
            parser=given_text,
            metavar="STUDY|MODEL",
            help="A study (runs/demo), or a model: a name (efficientnet-lite0, timm:resnet50.a1_in1k), a .onnx or .pt2 "
            "file, module:factory.",
        ),
    ] = None,
    images: Annotated[
        list[str] | None,
        typer.Argument(
            parser=given_text,
            metavar="IMAGES…",
            help="Image files or folders. Of a study, default: its most telling test images.",
        ),
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option("--methods", metavar="NAMES", help="E.g. grad-cam,occlusion, or all. Default: the usual ones."),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            "--class", metavar="CLASS", help="Whose score is explained, by name or number (default: answered)."
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against", metavar="CLASS", help="Explain the score minus that of this class: why not that one?"
        ),
    ] = None,
    unit: Annotated[
        str, typer.Option("--unit", metavar="LAYER:CHANNEL", help="Explain a unit's activity, not a class.")
    ] = "",
    trial: Annotated[
        str,
        typer.Option(
            "--trial", metavar="TRIAL", help="Of a study: its number, label or identity (default: the first)."
        ),
    ] = "",
    target: Annotated[
        str | None, typer.Option("--target", metavar="NAME", help="Of a study: which question, if there are several.")
    ] = None,
    rows: Annotated[
        list[str] | None, typer.Option("--rows", metavar="NUMBERS", help="Of a study: rows of its world, e.g. 3,17.")
    ] = None,
    number: Annotated[
        int, typer.Option("--images", min=1, metavar="N", help="Of a study: how many telling images.")
    ] = 6,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="METHOD.KEY=VALUE", help="A method's setting, e.g. occlusion.patch=16."),
    ] = None,
    checks: Annotated[
        bool,
        typer.Option(
            "--checks/--no-checks", help="Test whether maps depend on the weights, and answers on the mapped pixels."
        ),
    ] = True,
    form: Annotated[
        list[str] | None,
        typer.Option("--format", metavar="FORM", help="page (default), png, arrays; several with commas."),
    ] = None,
    out: Annotated[
        Path | None,
        path_option("--out", "PATH", "Where results go (STUDY/explained, runs/explain/MODEL)."),
    ] = None,
    to: Annotated[Path | None, path_option("--to", "PATH", "Another folder for png and arrays.")] = None,
    preprocessing: Preprocessing = None,
    labels: Labels = None,
    checkpoint: Checkpoint = None,
    arguments: FactoryArguments = None,
    device: Device = "auto",
    trust: Trust = False,
    download: Download = False,
    listing: Annotated[
        bool, typer.Option("--list", help="List the methods, what each needs and what can be set.")
    ] = False,
) -> None:
    """Show what a network looks at: maps over images by several methods, and whether to believe them.

    A map is evidence for a class, pixel by pixel. Many look like the edges of the image whatever the network learned,
    so each method is checked: layers get new random weights, from the scores down, and a map that hardly changes "does
    not depend on the weights". A study's network is taken from its kept weights; nothing is trained. The same command
    again draws only what is missing.

    Example: `unseen explain efficientnet-lite0 photos`, or of a study `unseen explain runs/demo --methods
    grad-cam,occlusion --format page,png`
    """
    from unseen.cli import explaining
    from unseen.cli.examining import listed_names, pairs

    if listing:
        return explaining.show_methods(console)
    if subject is None:
        raise typer.BadParameter("name a study or a model; `unseen explain --help` shows how.")
    from unseen.engines.explaining import Wanted

    wanted = Wanted(
        images=tuple(images or ()), trial=trial, rows=explaining.rows_given(rows), number=number,
        methods=explaining.methods_of(methods), settings=explaining.settings_of(settings), label=label, against=against,
        unit=unit, target=target, checks=checks, preprocessing=pairs(preprocessing, "--preprocessing"),
        labels=None if labels is None else str(labels), checkpoint=None if checkpoint is None else str(checkpoint),
        arguments=pairs(arguments, "--argument"), download=download,
    )  # fmt: skip
    forms = listed_names(form) or ("page",)
    return explaining.show_explained(console, subject, wanted, forms=forms, out=out, to=to, device=device, trust=trust)


@app.command(rich_help_panel=PANEL)
def features(
    model: Annotated[
        str, typer.Argument(parser=given_text, metavar="MODEL", help="A model with weights, by name or file.")
    ],
    world: Annotated[str, typer.Option("--world", help="A world (`unseen worlds`), or a recipe, for its world.")],
    settings: WorldSet = None,
    checkpoint: Checkpoint = None,
    preprocessing: Preprocessing = None,
    sample: Annotated[
        int | None, typer.Option("--sample", min=2, help="This many random images (default: all).")
    ] = None,
    seed: SampleSeed = 0,
    out: Annotated[
        Path | None,
        path_option("--out", "FILE", "A .parquet or .safetensors to write."),
    ] = None,
    device: Device = "auto",
    precision: Annotated[str, typer.Option("--precision", help="auto, float32 or bf16.")] = "auto",
) -> None:
    """Tell what a model's features know of a world's images: classes by nearest neighbours, similarity; save them.

    Features are kept (UNSEEN_CACHE, at most UNSEEN_FEATURES GB), so that probes and other commands share them.

    Example: `unseen features timm:resnet18.a1_in1k --world objects --sample 2000 --out features.parquet`
    """
    from unseen.cli.features import show_features

    show_features(
        console, model, world, settings, checkpoint=None if checkpoint is None else str(checkpoint),
        preprocessing=preprocessing, sample=sample, seed=seed, out=out, device=device, precision=precision,
    )  # fmt: skip
