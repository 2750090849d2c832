"""Commands that run a study: from recipe to trials."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.arguments import (
    Device,
    Download,
    Engine,
    NearCopies,
    OneOrAll,
    Out,
    Pack,
    Picture,
    Recipe,
    Set,
    Slurm,
    StudyPath,
    Trust,
    Workers,
)
from unseen.cli.places import given_path, path_option
from unseen.cli.root import app, console
from unseen.cli.steps import (
    fetch_models,
    prepare_worlds,
    run_study_here,
    stored_study,
    study_at,
    trusted_study,
    world_notes,
    write_page,
)
from unseen.cli.terminal import Terminal

PANEL = "Run a study"


@app.command(rich_help_panel=PANEL)
def demo(out: Out = None, workers: Workers = None, device: Device = "cpu") -> None:
    """Run a whole study in a few minutes on a laptop, with no download, and write its report.

    Example: `unseen demo`, and afterwards `unseen results runs/demo`.
    """
    study = study_at("demo", out or Path("runs/demo"))
    run_study_here(study, device, workers, None)
    write_page(study)


@app.command(rich_help_panel=PANEL)
def init(
    path: Annotated[
        Path,
        typer.Argument(parser=given_path, metavar="PATH", help="A folder of images, or a CSV/TSV/Parquet manifest."),
    ],
    to: Annotated[
        Path | None,
        path_option("--to", "PATH", "The recipe to write (default: FOLDER.toml)."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a recipe that is there.")] = False,
    template: Annotated[
        str | None, typer.Option("--template", help="How names are read, e.g. '{category}/{azimuth}/*.png'.")
    ] = None,
    root: Annotated[
        Path | None,
        path_option("--root", "PATH", "The folder where a manifest's paths begin."),
    ] = None,
    category: Annotated[str | None, typer.Option("--category", help="The factor to be named.")] = None,
    across: Annotated[str | None, typer.Option("--across", "--factor", help="The factor to generalise over.")] = None,
    study: Annotated[
        str | None, typer.Option("--study", help="combinations, or domains: leave one level out in turn.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; take the likeliest reading.")] = False,
) -> None:
    """Look at a folder of images, propose its factors, and write a recipe to study it, which runs as it is.

    Example: `unseen init photos`
    """
    from unseen.cli.starting import start_recipe

    start_recipe(
        path, to, force, console, template=template, root=root, category=category, across=across, study=study, yes=yes
    )


@app.command(rich_help_panel=PANEL)
def check(recipe: Recipe, settings: Set = None, trust: Trust = False) -> None:
    """Check a recipe and its splits: every name, argument, cell and layer. Trains nothing.

    Example: `unseen check photos.toml`
    """
    from unseen.cli.planning import show_networks
    from unseen.kinds.checks import check as check_all
    from unseen.kinds.results import planned
    from unseen.reports.console import print_hanging

    study = trusted_study(recipe, Path("runs/check"), settings, trust)
    audits = check_all(study)
    trials, splits = len(study.trials), len(audits)
    count = f"{trials} trial{'s' * (trials != 1)}, {splits} split{'s' * (splits != 1)}"
    console.print(f"{recipe}: {count}.", markup=False, soft_wrap=True)
    for world in {id(world): world for world in map(study.world, study.points)}.values():
        world_notes(world)
    show_networks(study, console, few_only=True)
    if not (told := planned(study)).decides:
        print_hanging(console, f"  {told.words()[0]}")
    problems = 0
    for trial, found in audits:
        for problem in found.problems:
            problems += 1
            print_hanging(console, f"  {trial.label}: {problem}")
    found = f"{problems} thing{'s' * (problems != 1)} to know about the splits; the report shows them too."
    console.print(found if problems else "the splits are sound.")


@app.command(rich_help_panel=PANEL)
def plan(
    recipe: Recipe, settings: Set = None, out: Out = None, device: Device = "auto", trust: Trust = False,
    picture: Picture = None, engine: Engine = "here", workers: Workers = None, slurm: Slurm = None,
    timing: Annotated[bool, typer.Option("--time/--no-time", help="Estimate the time by a few steps.")] = True,
) -> None:  # fmt: skip
    """Show what a study would do: trials, images, splits and estimated time. Trains nothing.

    `--engine slurm` shows the script that would be submitted.

    Example: `unseen plan demo --picture splits.png`
    """
    from unseen.cli.working import engine_named, show_script

    if engine_named(engine) == "slurm":
        return show_script(trusted_study(recipe, out, settings, trust), console, slurm or [], workers, device)
    from unseen.cli.planning import show_plan

    return show_plan(trusted_study(recipe, out, settings, trust), console, device, picture, timing)


@app.command("audit-split", rich_help_panel=PANEL)
def audit_split(recipe: Recipe, settings: Set = None, near: NearCopies = None) -> None:
    """Show what is in each split: images per combination of levels, balance, leakage, distances of held-out ones.

    Of a recipe's images, not of a model: `unseen examine` says where a model fails.

    Example: `unseen audit-split demo`
    """
    from unseen.cli.auditing import show_audit

    show_audit(study_at(recipe, Path("runs/audit"), settings), console, near)


@app.command("audit", hidden=True)
def audit(recipe: Recipe, settings: Set = None, near: NearCopies = None) -> None:
    """The old name of `unseen audit-split`.

    Example: `unseen audit-split demo`
    """
    told = "note: `unseen audit` is called `unseen audit-split` now; to ask where a model fails: `unseen examine`."
    Terminal(stderr=True).print(told, markup=False, soft_wrap=True)
    audit_split(recipe, settings, near)


@app.command(rich_help_panel=PANEL)
def run(
    recipe: Recipe, settings: Set = None, out: Out = None, device: Device = "auto",
    workers: Workers = None, pack: Pack = None, trust: Trust = False, engine: Engine = "here", slurm: Slurm = None,
    report: Annotated[bool, typer.Option("--report/--no-report", help="Write the report at the end.")] = True,
    download: Download = False,
) -> None:  # fmt: skip
    """Run a study. What is finished is not run again; failed trials are recorded and the rest go on.

    `--engine local` starts workers (`unseen work`) on this machine, one for each GPU or each core, and follows them;
    `slurm` and `ray` start them on a cluster.

    Example: `unseen run demo --set training.epochs=5 --out runs/short`
    """
    from unseen.cli.working import engine_named, run_with_workers, starter

    study = trusted_study(recipe, out, settings, trust)
    if download:
        fetch_models(study)
    if engine_named(engine) == "here":
        outcome = run_study_here(study, device, workers, pack)
    else:
        prepare_worlds(study)
        start = starter(engine, slurm or [], workers, device, pack)
        outcome = run_with_workers(
            study, console, engine, device=device, workers=workers, pack=pack, start=start
        )  # fmt: skip
    if not outcome.trials:
        console.print("nothing is to be trained; `unseen answers add` adds answers of models and people", markup=False)
    if report and (outcome.failed < outcome.trials or study.store.subjects()):
        write_page(study)
    if outcome.failed:
        raise typer.Exit(1)


@app.command(rich_help_panel=PANEL)
def work(
    study: StudyPath,
    device: Device = "auto",
    pack: Pack = None,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Stay while other workers finish, to take over if one is lost.")
    ] = True,
    again: Annotated[
        bool, typer.Option("--again", help="Retry trials that failed, or were lost with their workers.")
    ] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Ask all workers of this study to end; start none.")] = False,
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", metavar="MODULE:FACTORY", help="Allow this code of the recipe, this time."),
    ] = None,
    trust: Trust = False,
) -> None:
    """Work on a study: take what is missing, a pack at a time, until nothing is left.

    Any number may work on one study, on any machines that share its folder. One that is killed loses what it had in
    progress, which others take over.

    Example: `unseen work runs/demo --device cpu`
    """
    from unseen.cli.working import stop_workers
    from unseen.cli.working import work as work_on_study
    from unseen.vocabulary.trust import allow as allow_names

    if stop:
        return stop_workers(study_at(study).path, console)
    allow_names(allow or [])
    opened = trusted_study(study, None, None, trust)
    prepare_worlds(opened)
    if left := work_on_study(opened, console, device, pack, wait=wait, again=again):
        raise typer.Exit(left)
    return None


@app.command(rich_help_panel=PANEL)
def status(study: OneOrAll = None, settings: Set = None, out: Out = None) -> None:
    """Show how far a study is, what failed and why; without a name, list the studies in `runs` and here.

    Example: `unseen status runs/demo`
    """
    from unseen.cli.memory import nothing_collected
    from unseen.cli.planning import show_status

    if study is None:
        from unseen.cli.studies_here import list_studies

        return list_studies(console, settings, out)
    with nothing_collected():
        return show_status(stored_study(study_at(study, out, settings)), console)


@app.command(rich_help_panel=PANEL)
def clean(
    study: StudyPath,
    everything: Annotated[
        bool, typer.Option("--everything", help="Also trials that the recipe no longer needs.")
    ] = False,
    weights: Annotated[
        bool,
        typer.Option("--weights", help="Also all weights. Results stay; to ask for more, networks are trained again."),
    ] = False,
    features: Annotated[
        bool, typer.Option("--features", help="Also all kept features and outputs of models, of every study here.")
    ] = False,
    objects: Annotated[
        bool,
        typer.Option("--objects", help="Also all kept objects of drawn worlds: they are made again when asked for."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
) -> None:
    """Remove half-written files of killed runs and records of failures; results stay, unless --everything is given.

    Example: `unseen clean runs/demo`, or `unseen clean runs/demo --weights`
    """
    from unseen.cli.planning import clean_features, clean_objects, clean_study

    clean_study(study_at(study), console, everything, yes, weights)
    if features:
        clean_features(console, yes)
    if objects:
        clean_objects(console)


@app.command(rich_help_panel=PANEL)
def pack(
    study: StudyPath,
    to: Annotated[Path, typer.Argument(parser=given_path, metavar="FILE", help="The file to write.")],
    without_encoders: Annotated[
        bool,
        typer.Option(
            "--without-encoders",
            help="Leave out encoders that were pretrained: results and reports need none, further trials do.",
        ),
    ] = False,
) -> None:
    """Put a study without the weights of its trials into one file, to carry to another machine and add seeds there.

    Example: `unseen pack runs/demo demo.unseen`
    """
    opened = study_at(study)
    count = opened.store.pack(to, encoders=not without_encoders)
    size = f"{to.stat().st_size / 1e6:.1f} MB"
    others = len(opened.store.subjects())
    also = f" and the answers of {others} subject{'s' * (others != 1)}" if others else ""
    if encoders := len(opened.store.encoders()):
        kept = "without" if without_encoders else "with"
        also += f", {kept} {encoders} encoder{'s' * (encoders != 1)},"
    console.print(f"{count} trial{'s' * (count != 1)}{also} in {to} ({size})", markup=False, soft_wrap=True)


@app.command(rich_help_panel=PANEL)
def unpack(
    file: Annotated[Path, typer.Argument(parser=given_path, metavar="FILE", help="A file that `unseen pack` wrote.")],
    into: Annotated[
        Path, typer.Argument(parser=given_path, metavar="FOLDER", help="The study's folder, made if needed.")
    ],
    salvage: Annotated[
        bool, typer.Option("--salvage", help="If the file was cut short, take the trials that are whole.")
    ] = False,
    limit: Annotated[
        float | None, typer.Option("--limit", min=0, metavar="GB", help="Accept a file that unpacks to as many GB.")
    ] = None,
) -> None:
    """Add the trials of a packed study to a study's folder. Trials that are there already stay.

    Example: `unseen unpack demo.unseen runs/demo`
    """
    from unseen.studies.store import Store

    def note(text: str) -> None:
        console.print(f"note: {text}", markup=False, soft_wrap=True)

    new, here = Store(into).unpack(file, salvage=salvage, limit=limit, note=note)
    console.print(
        f"{new} trial{'s' * (new != 1)} added to {into}, {here} were there already", markup=False, soft_wrap=True
    )
