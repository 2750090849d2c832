"""Commands that list what there is, and write worlds to files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.arguments import (
    Device,
    SampleSeed,
    WorldSet,
)
from unseen.cli.places import given_path, path_option
from unseen.cli.root import app, console

PANEL = "Worlds, networks, pictures"


@app.command(rich_help_panel=PANEL)
def worlds(
    action: Annotated[str | None, typer.Argument(metavar="show", help="The word `show`: draw a contact sheet.")] = None,
    world: Annotated[str | None, typer.Argument(metavar="NAME", help="A world, or a recipe, for its world.")] = None,
    settings: WorldSet = None,
    out: Annotated[
        Path | None,
        path_option("--out", "PATH", "The PNG to write (default: NAME.png)."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the random images in the first strip.")] = 0,
    levels: Annotated[int, typer.Option("--levels", min=2, help="Pictures per strip at most.")] = 8,
    device: Device = "cpu",
) -> None:
    """List the worlds: where images with known factors come from.

    `unseen worlds show NAME` writes a contact sheet: some images at random, then each factor varying alone.

    Example: `unseen worlds show cars --out cars.png`
    """
    from unseen.cli.rendering import list_or_show

    list_or_show(console, action, world, settings, out, seed, levels, device)


@app.command(rich_help_panel=PANEL)
def render(
    world: Annotated[str, typer.Argument(help="A world (`unseen worlds`), or a recipe, for its world.")],
    out: Annotated[Path, path_option("--out", "PATH", "The folder to write, made if needed.")],
    settings: WorldSet = None,
    form: Annotated[str, typer.Option("--format", help="png, webp, webdataset or parquet.")] = "png",
    rows: Annotated[str, typer.Option("--rows", help="all, or a range such as 0:1000.")] = "all",
    sample: Annotated[int | None, typer.Option("--sample", help="This many random images instead of --rows.")] = None,
    asked: Annotated[
        bool, typer.Option("--asked", help="The images that a recipe's study asks, for answers made elsewhere.")
    ] = False,
    seed: SampleSeed = 0,
    shard: Annotated[int, typer.Option("--shard", help="Images per folder or file.")] = 10_000,
    device: Device = "auto",
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Threads that encode the files.")] = None,
    batch: Annotated[int | None, typer.Option("--batch", help="Images drawn at a time.")] = None,
) -> None:
    """Write a world's images to files, with the level of every factor.

    `png` and `webp` give a folder with a manifest that the world `folder` reads back, `webdataset` tar files,
    `parquet` tables with the images inside. The same command again goes on where it was stopped.

    Example: `unseen render digits --out digits --sample 100`
    """
    from unseen.cli.rendering import render_world

    render_world(
        console, world, settings, out=out, format=form, rows=rows, sample=sample, seed=seed, shard=shard,
        device=device, workers=workers, batch=batch, questions=asked,
    )  # fmt: skip


@app.command(rich_help_panel=PANEL)
def designs() -> None:
    """List the designs: which combinations of factor levels are trained on, and which are tested.

    Example: `unseen designs`
    """
    from unseen.cli.listing import list_designs

    list_designs(console)


@app.command(rich_help_panel=PANEL)
def models(
    network: Annotated[str | None, typer.Argument(metavar="NETWORK", help="Show the layers of this one.")] = None,
) -> None:
    """List what can be trained or asked: backbones, ways to share them, encoders, protocols, and given models.

    A protocol is how a network comes to its weights. A given model comes with its own: the list says which are on
    this machine and what the others weigh.

    Example: `unseen models resnet18`
    """
    from unseen.cli.listing import list_models

    list_models(console, network)


@app.command(rich_help_panel=PANEL)
def recipes(name: Annotated[str | None, typer.Argument(metavar="NAME", help="Print this recipe.")] = None) -> None:
    """List the recipes that ship, or print one (to save it and make it your own).

    Example: `unseen recipes demo > mine.toml`
    """
    from unseen.cli.listing import list_recipes

    list_recipes(console, name)


@app.command(rich_help_panel=PANEL)
def restore(
    images: Annotated[list[Path], typer.Argument(parser=given_path, metavar="IMAGE...", help="Pictures to restore.")],
    task: Annotated[
        str, typer.Option("--task", help="denoise, inpaint, jpeg, super-resolve, or curves (how fast each is learned).")
    ] = "denoise",
    amount: Annotated[
        float | None,
        typer.Option(
            "--amount", help="σ of the noise (25), share missing (0.5), JPEG quality (10), times smaller (4)."
        ),
    ] = None,
    mask: Annotated[
        str, typer.Option("--mask", help='With inpaint: a picture whose black pixels are missing, or "text".')
    ] = "",
    as_is: Annotated[bool, typer.Option("--as-is", help="The pictures are damaged already.")] = False,
    network: Annotated[str, typer.Option("--network", help="skip, plain or resnet.")] = "skip",
    steps: Annotated[int, typer.Option("--steps", help="Steps of fitting.")] = 3000,
    scales: Annotated[int, typer.Option("--scales", help="Scales (resnet: blocks).")] = 5,
    width: Annotated[int, typer.Option("--width", help="Channels at each scale.")] = 128,
    size: Annotated[int, typer.Option("--size", help="Larger pictures are shrunk to this many pixels.")] = 256,
    seed: Annotated[int, typer.Option("--seed", help="Of the damage, the weights and the input.")] = 0,
    out: Annotated[
        Path | None,
        path_option("--out", "FOLDER", "Where pictures and numbers go (restored)."),
    ] = None,
    device: Device = "auto",
) -> None:
    """Restore pictures by a network that has learned nothing: its architecture is the prior (Ulyanov et al. 2018).

    Pictures are damaged first, so that PSNR is known, beside classical ways; --as-is restores what is damaged already.
    Several pictures of one size are fitted at once.

    Example: `unseen restore photo.png --task inpaint --mask text --size 64 --scales 3 --width 32 --steps 500`
    """
    from unseen.cli.restoring import restore_pictures
    from unseen.engines.restoring import Fit

    fit = Fit(network, steps, scales, width, seed=seed)
    restore_pictures(
        console,
        images,
        task,
        fit,
        amount=amount,
        mask=mask,
        size=size,
        as_is=as_is,
        out=out or Path("restored"),
        device=device,
    )


@app.command(rich_help_panel=PANEL)
def generator(
    world: Annotated[str, typer.Argument(help="A recipe whose world draws by itself, such as goodfellow2014/small.")],
    settings: WorldSet = None,
    images: Annotated[int, typer.Option("--images", help="Pictures to judge (as many as there are at most).")] = 1000,
    features: Annotated[
        str, typer.Option("--features", help='Whose features are compared (`unseen models`); "" compares pixels.')
    ] = "efficientnet-lite0",
    out: Annotated[
        Path | None,
        path_option("--out", "FOLDER", "Where its pictures go (generator)."),
    ] = None,
    device: Device = "auto",
) -> None:
    """Look at a generator: its pictures, how far they are from real ones, and whether they are from memory.

    It is learned first, where that has not been done, and kept for studies of the same world.

    Example: `unseen generator goodfellow2014/small --out digits`
    """
    from unseen.cli.generating import look_at_generator

    look_at_generator(
        console, world, settings, images=images, features=features, out=out or Path("generator"), device=device
    )
