"""Commands of `unseen`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from unseen.cli.compare_commands import add_to as add_comparison
from unseen.cli.places import given_path, given_text
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
    typer.Option("--out", parser=given_path, metavar="PATH", help="The study's folder (default: runs/RECIPE)."),
]
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
        "--slurm", metavar="KEY=VALUE", help="Of --engine slurm, e.g. --slurm partition=gpu. May be repeated."
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
Picture = Annotated[
    Path | None, typer.Option("--picture", parser=given_path, metavar="PATH", help="Write the splits as a PNG.")
]
Trust = Annotated[
    bool, typer.Option("--trust", help="Let Python code that the recipe names run, from now on until it changes.")
]


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


def _study(name: str, out: Path | None = None, settings: list[str] | None = None) -> Any:
    """A study by its folder, or by recipe."""
    from unseen.cli import faults
    from unseen.engines import open_study

    found = open_study(name, out=out, settings=settings or [])
    faults.place.append(found.path)
    return found


def _trusting(name: str, out: Path | None, settings: list[str] | None, trust: bool) -> Any:
    """A study whose code may run: named here by the user, trusted before, or trusted now."""
    from unseen.studies.trusting import said_names, settle
    from unseen.vocabulary.trust import said_on

    study = _study(name, out, settings)
    note = settle(study.recipe, f"'{name}'", trust=trust, said=said_names(settings or []), how=said_on())
    if note:
        console.print(f"note: {note}", markup=False, soft_wrap=True)
    return study


def _told(study: Any, *, aside: bool = False) -> Any:
    """The study, or what is stored of it where its images are not at hand, which is said (``aside``: not among the
    numbers, which a file may take)."""
    from unseen.studies.codeless import unknown_code
    from unseen.studies.stored import at_hand

    found = at_hand(study)
    if found.absent:
        place = Terminal(stderr=True) if aside else console
        place.print(f"{found.absent}; these numbers come from the stored answers", markup=False, soft_wrap=True)
    for name in unknown_code(found.recipe):
        told = f"the code of '{name}' is not here, or was not imported; trials are found by their other settings"
        (Terminal(stderr=True) if aside else console).print(told, markup=False, soft_wrap=True)
    return found


def _run(study: Any, device: str, workers: int | None, pack: int | None, console: Terminal = console) -> Any:
    from unseen.cli.progress import Progress
    from unseen.engines.local import find_device, run_study
    from unseen.engines.progress import to_follow
    from unseen.kinds.checks import check
    from unseen.studies.commands import typed_command
    from unseen.studies.missing_trials import missing_trials

    place = find_device(device)
    _prepare(study, console)
    check(study)
    left = missing_trials(study, place.type)
    todo, first = to_follow(study, left)
    total = len(study.trials)
    console.print(f"[bold]{escape(study.recipe.title)}[/]")
    count = f"{total} trial{'s' * (total != 1)}"
    console.print(f"{count}, {total - len(todo)} finished already; on {place}", markup=False)
    console.print(f"kept in {study.path}", markup=False, soft_wrap=True)
    with Progress(console, todo, first) as progress:
        outcome = run_study(study, device=device, workers=workers, pack=pack, watch=progress, command=typed_command())
    if outcome.failed:
        console.print(f"{outcome.failed} failed. The same command tries them again; the reasons once more:")
        console.print(f"  unseen status {study.path}", markup=False, soft_wrap=True)
    return outcome


def _prepare(study: Any, console: Terminal = console) -> None:
    """Decode folders of pictures once, with progress, before anything else, and tell what is wrong with any world."""
    from rich.progress import Progress as Bar

    for world in {id(world): world for world in map(study.world, study.points)}.values():
        if hasattr(world, "prepare"):
            with Bar(console=console, transient=True) as bar:
                task = bar.add_task("reading pictures", total=None)
                world.prepare(progress=lambda done, total, at=task: bar.update(at, completed=done, total=total))
        _notes(world, console)


def _notes(world: Any, console: Terminal = console) -> None:
    """What a world wants known: unreadable files, copies."""
    from unseen.reports.console import print_hanging

    for line in getattr(getattr(world, "problems", None), "lines", list)():
        print_hanging(console, f"  note: {line}")


def _damage(study: Any, place: Terminal) -> None:
    """Trials that could not be read, or lost a part, are said beside the numbers."""
    from unseen.kinds.collect import damage, finished_trials
    from unseen.reports.console import print_hanging

    for line in damage(study, finished_trials(study)):
        print_hanging(place, line)


def _report(study: Any) -> Path:
    from unseen.kinds.results import gather, page_of, show_end
    from unseen.reports import write_report

    with console.status("writing the report"):
        contents = gather(study)
        page = write_report(page_of(study, contents), study.path / "report")
    console.print(contents.answer, markup=False)
    show_end(study, console, contents)
    _damage(study, console)
    console.print(f"report: {page.resolve()}", markup=False, soft_wrap=True)
    return page


@app.command()
def examine(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            parser=given_text,
            metavar="MODEL…",
            help="A name (efficientnet-lite0, timm:resnet50.a1_in1k, open_clip:ARCH/TAG), a .onnx or .pt2 file, "
            "a folder of Hugging Face, module:factory, or a table of answers (.csv, .parquet). "
            "Several stand side by side.",
        ),
    ] = None,
    world: Annotated[
        str, typer.Option("--world", metavar="NAME", help="natural-variation (default), objects, meshes or folder.")
    ] = "",
    meshes: Annotated[
        Path | None, typer.Option("--meshes", parser=given_path, metavar="PATH", help="3D models in place of ours.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", parser=given_path, metavar="PATH", help="Your images, or their manifest."),
    ] = None,
    factors: Annotated[
        list[str] | None,
        typer.Option("--factors", metavar="NAMES", help="What to change, e.g. pose,size (default: all)."),
    ] = None,
    canonical: Annotated[
        list[str] | None,
        typer.Option("--canonical", metavar="FACTOR=LEVEL", help="Of your images: from which level gaps count."),
    ] = None,
    images: Annotated[
        int, typer.Option("--images", min=1, metavar="N", help="How many images are asked in all.")
    ] = 4000,
    meanings: Annotated[
        str,
        typer.Option(
            "--map", metavar="MAP", help="From its labels to categories: everyday, names, or a CSV or TOML file."
        ),
    ] = "auto",
    preprocessing: Annotated[
        list[str] | None,
        typer.Option("--preprocessing", metavar="KEY=VALUE", help="How it is fed, e.g. crop=1.0."),
    ] = None,
    labels: Annotated[
        Path | None, typer.Option("--labels", parser=given_path, metavar="FILE", help="Its labels, one per line.")
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option("--checkpoint", parser=given_path, metavar="FILE", help="Weights to load into it.")
    ] = None,
    arguments: Annotated[
        list[str] | None,
        typer.Option("--argument", metavar="KEY=VALUE", help="What a module:factory is called with."),
    ] = None,
    settings: Set = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", parser=given_path, metavar="PATH", help="The study's folder (runs/examine/MODEL)."),
    ] = None,
    device: Device = "auto",
    form: Annotated[
        str, typer.Option("--format", metavar="FORM", help="page, or the numbers alone: md, csv, json, parquet.")
    ] = "page",
    to: Annotated[
        Path | None,
        typer.Option("--to", parser=given_path, metavar="FILE", help="The file for --format parquet."),
    ] = None,
    closing: Annotated[
        bool, typer.Option("--closing", help="Also ask how much variation a new last layer needs to close the gaps.")
    ] = False,
    write: Annotated[
        Path | None,
        typer.Option(
            "--write", parser=given_path, metavar="PATH", help="Write the images that are asked, for another program."
        ),
    ] = None,
    feeding: Annotated[
        bool, typer.Option(" /--no-feeding-check", help="Do not try other usual preprocessing on 100 images.")
    ] = True,
    trust: Trust = False,
    download: Annotated[
        bool, typer.Option("--download", help="Fetch the weights of a name from its hub, if they are not here.")
    ] = False,
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
    )  # fmt: skip
    if write is not None:
        write_asked(console, models or [], asked, to=write, settings=settings or [], device=device)
        return
    left = examine_models(
        console, models or [], asked, out=out, settings=settings or [], device=device, trust=trust, feeding=feeding,
        run=lambda study, place: _run(study, device, None, None, place),
        report=lambda study, place: _report(study), form=shown, to=to, closing=closing,
    )  # fmt: skip
    if left:
        raise typer.Exit(left)


@app.command()
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
        str | None, typer.Option("--against", metavar="CLASS", help="Less the score of this class: why not that one?")
    ] = None,
    unit: Annotated[
        str, typer.Option("--unit", metavar="LAYER:CHANNEL", help="The activity of a unit in place of a class.")
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
        bool, typer.Option("--checks/--no-checks", help="Whether maps depend on the weights, and answers on the maps.")
    ] = True,
    form: Annotated[
        list[str] | None,
        typer.Option("--format", metavar="FORM", help="page (default), png, arrays; several with commas."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", parser=given_path, metavar="PATH", help="Where results go (STUDY/explained, runs/explain/MODEL)."
        ),
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--to", parser=given_path, metavar="PATH", help="Another folder for png and arrays.")
    ] = None,
    preprocessing: Annotated[
        list[str] | None,
        typer.Option("--preprocessing", metavar="KEY=VALUE", help="Of a model: how it is fed, e.g. crop=1.0."),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option("--labels", parser=given_path, metavar="FILE", help="Of a model: its labels, one per line."),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option("--checkpoint", parser=given_path, metavar="FILE", help="Of a model: weights to load."),
    ] = None,
    arguments: Annotated[
        list[str] | None, typer.Option("--argument", metavar="KEY=VALUE", help="What a module:factory is called with.")
    ] = None,
    device: Device = "auto",
    trust: Trust = False,
    download: Annotated[
        bool, typer.Option("--download", help="Fetch the weights of a name, if they are not here.")
    ] = False,
    listing: Annotated[
        bool, typer.Option("--list", help="List the methods, what each needs and what can be set.")
    ] = False,
) -> None:
    """Show what a network looks at: maps over images by several methods, and whether to believe them.

    A map is evidence for a class, pixel by pixel. Many look like the edges of the image whatever the network learned,
    so each method is checked: layers are drawn anew, from the scores down, and a map that hardly changes "does not
    depend on the weights". A study's network is taken from its kept weights; nothing is trained. The same command again
    draws only what is missing.

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


@app.command()
def demo(out: Out = None, workers: Workers = None, device: Device = "cpu") -> None:
    """Run a whole study in a few minutes on a laptop, with no download, and write its report.

    Example: `unseen demo`, and afterwards `unseen results runs/demo`.
    """
    study = _study("demo", out or Path("runs/demo"))
    _run(study, device, workers, None)
    _report(study)


@app.command()
def run(
    recipe: Recipe, settings: Set = None, out: Out = None, device: Device = "auto",
    workers: Workers = None, pack: Pack = None, trust: Trust = False, engine: Engine = "here", slurm: Slurm = None,
    report: Annotated[bool, typer.Option("--report/--no-report", help="Write the report at the end.")] = True,
) -> None:  # fmt: skip
    """Run a study. What is finished is not run again; failed trials are recorded and the rest go on.

    `--engine local` starts workers (`unseen work`) on this machine, one for each GPU or each core, and follows them;
    `slurm` and `ray` start them on a cluster.

    Example: `unseen run demo --set training.epochs=5 --out runs/short`
    """
    from unseen.cli.working import engine_named, run_with_workers, starter

    study = _trusting(recipe, out, settings, trust)
    if engine_named(engine) == "here":
        outcome = _run(study, device, workers, pack)
    else:
        _prepare(study)
        start = starter(engine, slurm or [], workers, device, pack)
        outcome = run_with_workers(
            study, console, engine, device=device, workers=workers, pack=pack, start=start
        )  # fmt: skip
    if not outcome.trials:
        console.print("nothing is to be trained; `unseen answers add` adds answers of models and people", markup=False)
    if report and (outcome.failed < outcome.trials or study.store.subjects()):
        _report(study)
    if outcome.failed:
        raise typer.Exit(1)


@app.command()
def work(
    study: StudyPath,
    device: Device = "auto",
    pack: Pack = None,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Stay while others are at what is left, in case they are lost.")
    ] = True,
    again: Annotated[
        bool, typer.Option("--again", help="Try again what failed, or was lost with its workers.")
    ] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Ask all workers of this study to end, and do nothing.")] = False,
    allow: Annotated[
        list[str] | None, typer.Option("--allow", metavar="MODULE:FACTORY", help="Code of the recipe that may run now.")
    ] = None,
    trust: Trust = False,
) -> None:
    """Be one of a study's workers: take what is missing, a pack at a time, until nothing is left.

    Any number may work on one study, on any machines that share its folder. One that is killed loses what it had in
    progress, which others take over.

    Example: `unseen work runs/demo --device cpu`
    """
    from unseen.cli.working import stop_workers
    from unseen.cli.working import work as work_on_study
    from unseen.vocabulary.trust import allow as allow_names

    if stop:
        return stop_workers(_study(study).path, console)
    allow_names(allow or [])
    opened = _trusting(study, None, None, trust)
    _prepare(opened)
    if left := work_on_study(opened, console, device, pack, wait=wait, again=again):
        raise typer.Exit(left)
    return None


@app.command()
def check(recipe: Recipe, settings: Set = None, trust: Trust = False) -> None:
    """Check a recipe and its splits: every name, argument, cell and layer. Trains nothing.

    Example: `unseen check photos.toml`
    """
    from unseen.cli.planning import show_networks
    from unseen.kinds.checks import check as check_all
    from unseen.kinds.results import planned
    from unseen.reports.console import print_hanging

    study = _trusting(recipe, Path("runs/check"), settings, trust)
    audits = check_all(study)
    trials, splits = len(study.trials), len(audits)
    count = f"{trials} trial{'s' * (trials != 1)}, {splits} split{'s' * (splits != 1)}"
    console.print(f"{recipe}: {count}.", markup=False, soft_wrap=True)
    for world in {id(world): world for world in map(study.world, study.points)}.values():
        _notes(world)
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


@app.command()
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
        return show_script(_trusting(recipe, out, settings, trust), console, slurm or [], workers, device)
    from unseen.cli.planning import show_plan

    return show_plan(_trusting(recipe, out, settings, trust), console, device, picture, timing)


NearCopies = Annotated[
    bool | None,
    typer.Option("--near-copies/--no-near-copies", help="Compare pictures. Default: where they are files."),
]


@app.command("audit-split")
def audit_split(recipe: Recipe, settings: Set = None, near: NearCopies = None) -> None:
    """Show what is in each split: images per combination of levels, balance, leakage, distances of held-out ones.

    Of a recipe's images, not of a model: `unseen examine` says where a model fails.

    Example: `unseen audit-split demo`
    """
    from unseen.cli.auditing import show_audit

    show_audit(_study(recipe, Path("runs/audit"), settings), console, near)


@app.command("audit", hidden=True)
def audit(recipe: Recipe, settings: Set = None, near: NearCopies = None) -> None:
    """The old name of `unseen audit-split`.

    Example: `unseen audit-split demo`
    """
    told = "note: `unseen audit` is called `unseen audit-split` now; to ask where a model fails: `unseen examine`."
    Terminal(stderr=True).print(told, markup=False, soft_wrap=True)
    audit_split(recipe, settings, near)


@app.command()
def status(study: OneOrAll = None, settings: Set = None, out: Out = None) -> None:
    """Show how far a study is, what failed and why; without a name, list the studies in `runs` and here.

    Example: `unseen status runs/demo`
    """
    from unseen.cli.planning import show_status

    if study is None:
        from unseen.cli.studies_here import list_studies

        return list_studies(console, settings, out)
    return show_status(_told(_study(study, out, settings)), console)


@app.command()
def results(
    study: StudyPath, settings: Set = None, out: Out = None,
    form: Annotated[str, typer.Option("--format", help="table, csv, json, markdown or parquet.")] = "table",
    summary: Annotated[bool, typer.Option("--summary/--tidy", help="Means with intervals, or a row per trial.")] = True,
    rules: Annotated[bool, typer.Option("--rules", help="When does it fail? Rules over the images' factors.")] = False,
    to: Annotated[
        Path | None,
        typer.Option("--to", parser=given_path, metavar="FILE", help="The file for --format parquet."),
    ] = None,
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
        opened = _told(_study(study, out, settings), aside=True)
        show_rules(opened, console, form, to)
    elif form == "parquet" or to is not None:
        opened = write_parquet(lambda: _told(_study(study, out, settings), aside=True), console, form, to)
    else:
        opened = _told(_study(study, out, settings), aside=True)
        show_results(opened, console, form, summary)
    _damage(opened, Terminal(stderr=True))


@app.command()
def report(study: StudyPath, settings: Set = None, out: Out = None) -> None:
    """Write a study's report: one HTML file, and its figures as SVG and PNG.

    Example: `unseen report runs/demo`
    """
    _report(_told(_study(study, out, settings)))


@app.command()
def view(
    path: Annotated[
        Path | None,
        typer.Argument(
            parser=given_path, metavar="PATH", help="A folder with studies, or one study's (default: runs)."
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Who may look: this machine alone, or 0.0.0.0 for others.")
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


@app.command()
def clean(
    study: StudyPath,
    everything: Annotated[
        bool, typer.Option("--everything", help="Also trials that the recipe no longer needs.")
    ] = False,
    weights: Annotated[
        bool, typer.Option("--weights", help="Also all weights: results stay, asking for more trains again.")
    ] = False,
    features: Annotated[
        bool, typer.Option("--features", help="Also all kept features and outputs of models, of every study here.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
) -> None:
    """Remove half-written files of killed runs and records of failures; results stay, unless --everything is given.

    Example: `unseen clean runs/demo`, or `unseen clean runs/demo --weights`
    """
    from unseen.cli.planning import clean_features, clean_study

    clean_study(_study(study), console, everything, yes, weights)
    if features:
        clean_features(console, yes)


@app.command()
def pack(
    study: StudyPath, to: Annotated[Path, typer.Argument(parser=given_path, metavar="FILE", help="The file to write.")]
) -> None:
    """Put a study without weights into one file, to carry to another machine and add seeds there.

    Example: `unseen pack runs/demo demo.unseen`
    """
    opened = _study(study)
    count = opened.store.pack(to)
    size = f"{to.stat().st_size / 1e6:.1f} MB"
    others = len(opened.store.subjects())
    also = f" and the answers of {others} subject{'s' * (others != 1)}" if others else ""
    console.print(f"{count} trial{'s' * (count != 1)}{also} in {to} ({size})", markup=False, soft_wrap=True)


@app.command()
def unpack(
    file: Annotated[Path, typer.Argument(parser=given_path, metavar="FILE", help="A file that `unseen pack` wrote.")],
    into: Annotated[
        Path, typer.Argument(parser=given_path, metavar="FOLDER", help="The study's folder, made if needed.")
    ],
    salvage: Annotated[
        bool, typer.Option("--salvage", help="If the file was cut short, take the trials that are whole.")
    ] = False,
    limit: Annotated[
        float | None, typer.Option("--limit", min=0, metavar="GB", help="Take a file that unpacks to so much.")
    ] = None,
) -> None:
    """Add the trials of a packed study to a study's folder. Trials that are there already stay.

    Example: `unseen unpack demo.unseen runs/demo`
    """
    from unseen.studies.store import Store

    def note(text: str) -> None:
        console.print(f"note: {text}", markup=False, soft_wrap=True)

    new, here = Store(into).unpack(file, salvage=salvage, limit=limit, note=note)
    console.print(f"{new} trials added to {into}, {here} were there already", markup=False, soft_wrap=True)


add_comparison(app, console)

answers_app = typer.Typer(
    help=(
        "Answers that were made elsewhere: of a model, or of people.\n\n"
        "`add` joins them to a study's images by key, row or file name; `results` and `report` then show them beside "
        "the networks. docs/guide/answers-from-elsewhere.md walks through it.\n\n"
        "Example: `unseen answers add runs/demo answers.csv --subject my-model`"
    ),
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
app.add_typer(answers_app, name="answers")


@answers_app.command("add")
def answers_add(
    study: StudyPath,
    files: Annotated[
        list[Path],
        typer.Argument(parser=given_path, metavar="FILE…", help="CSV, TSV or Parquet, or a folder of them."),
    ],
    subject: Annotated[str, typer.Option("--subject", help="Whose answers they are. Default: as the file says.")] = "",
    kind: Annotated[str, typer.Option("--kind", help="people or model. Default: by the names in the file.")] = "",
    image: Annotated[str | None, typer.Option("--image", metavar="COLUMN", help="Its key, row or name.")] = None,
    response: Annotated[str | None, typer.Option("--response", metavar="COLUMN", help="What was answered.")] = None,
    confidence: Annotated[str | None, typer.Option("--confidence", metavar="COLUMN", help="0 to 1.")] = None,
    participant: Annotated[str | None, typer.Option("--participant", metavar="COLUMN", help="Which person.")] = None,
    session: Annotated[str | None, typer.Option("--session", metavar="COLUMN", help="Which sitting.")] = None,
    truth: Annotated[
        str | None, typer.Option("--truth", metavar="COLUMN", help="What an image shows, to check the join ('': none).")
    ] = None,
    target: Annotated[str, typer.Option("--target", help="Which question is answered, if there are several.")] = "",
    meanings: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="RESPONSE=CLASS", help="What a response means; RESPONSE= is no answer."),
    ] = None,
    no_answer: Annotated[str, typer.Option("--no-answer", help="A missing answer is wrong, or skip it.")] = "wrong",
    unknown: Annotated[str, typer.Option("--unknown", help="Rows that name no image: refuse, or skip.")] = "refuse",
    doubled: Annotated[
        str, typer.Option("--doubled", help="Answers that differ: refuse, or first, last, all.")
    ] = "refuse",
    source: Annotated[str, typer.Option("--source", help="Where they come from.")] = "",
    citation: Annotated[str, typer.Option("--citation", help="How to cite them.")] = "",
    replace: Annotated[bool, typer.Option("--replace", help="In place of other answers of that name.")] = False,
    settings: Set = None, out: Out = None,
) -> None:  # fmt: skip
    """Add answers of a model or of people to a study.

    Columns are found by their names (`key`, `imagename`, `response`, `object_response`, `subj`, `session`, `rt` …) and
    told. Files of model-vs-human and texture-vs-shape are read as they are.

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
    add(_study(study, out, settings), console, files, about, rules, columns, target=target, replace=replace)


@answers_app.command("list")
def answers_list(study: StudyPath, settings: Set = None, out: Out = None) -> None:
    """List the subjects whose answers were added.

    Example: `unseen answers list runs/demo`
    """
    from unseen.cli.answers import show

    show(_told(_study(study, out, settings)), console)


@answers_app.command("export")
def answers_export(
    study: StudyPath,
    to: Annotated[Path, typer.Option("--to", parser=given_path, metavar="FILE", help="A .csv or .parquet to write.")],
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

    export(_told(_study(study, out, settings)), console, to, subject, layout)


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

    gone = remove_answers(_told(_study(study, out, settings)), subject)
    console.print(f"removed {gone.facts['counts']['answers']:,} answers of {subject}", markup=False, soft_wrap=True)


@app.command()
def init(
    path: Annotated[
        Path,
        typer.Argument(parser=given_path, metavar="PATH", help="A folder of images, or a CSV/TSV/Parquet manifest."),
    ],
    to: Annotated[
        Path | None,
        typer.Option("--to", parser=given_path, metavar="PATH", help="The recipe to write (default: FOLDER.toml)."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a recipe that is there.")] = False,
    template: Annotated[
        str | None, typer.Option("--template", help="How names are read, e.g. '{category}/{azimuth}/*.png'.")
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option("--root", parser=given_path, metavar="PATH", help="The folder where a manifest's paths begin."),
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


@app.command()
def worlds(
    action: Annotated[str | None, typer.Argument(metavar="show", help="The word `show`: draw a contact sheet.")] = None,
    world: Annotated[str | None, typer.Argument(metavar="NAME", help="A world, or a recipe, for its world.")] = None,
    settings: WorldSet = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", parser=given_path, metavar="PATH", help="The PNG to write (default: NAME.png)."),
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


@app.command()
def render(
    world: Annotated[str, typer.Argument(help="A world (`unseen worlds`), or a recipe, for its world.")],
    out: Annotated[
        Path, typer.Option("--out", parser=given_path, metavar="PATH", help="The folder to write, made if needed.")
    ],
    settings: WorldSet = None,
    form: Annotated[str, typer.Option("--format", help="png, webp, webdataset or parquet.")] = "png",
    rows: Annotated[str, typer.Option("--rows", help="all, or a range such as 0:1000.")] = "all",
    sample: Annotated[int | None, typer.Option("--sample", help="This many random images instead of --rows.")] = None,
    asked: Annotated[
        bool, typer.Option("--asked", help="The images that a recipe's study asks, for answers made elsewhere.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Seed of --sample.")] = 0,
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


@app.command()
def features(
    model: Annotated[
        str, typer.Argument(parser=given_text, metavar="MODEL", help="A model with weights, by name or file.")
    ],
    world: Annotated[str, typer.Option("--world", help="A world (`unseen worlds`), or a recipe, for its world.")],
    settings: WorldSet = None,
    checkpoint: Annotated[
        str | None, typer.Option("--checkpoint", metavar="FILE", help="Weights in place of the model's own.")
    ] = None,
    preprocessing: Annotated[
        list[str] | None, typer.Option("--preprocessing", metavar="KEY=VALUE", help="Feed it otherwise than it says.")
    ] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", min=2, help="This many random images (default: all).")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of --sample.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", parser=given_path, metavar="FILE", help="A .parquet or .safetensors to write."),
    ] = None,
    device: Device = "auto",
    precision: Annotated[str, typer.Option("--precision", help="auto, float32 or bf16.")] = "auto",
) -> None:
    """What a model makes of a world's images: its features, how well their neighbours name them, how alike they are.

    Features are kept (UNSEEN_CACHE, at most UNSEEN_FEATURES GB), so that probes and other commands share them.

    Example: `unseen features timm:resnet18.a1_in1k --world objects --sample 2000 --out features.parquet`
    """
    from unseen.cli.features import show_features

    show_features(
        console, model, world, settings, checkpoint=checkpoint, preprocessing=preprocessing, sample=sample, seed=seed,
        out=out, device=device, precision=precision,
    )  # fmt: skip


@app.command()
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
        Path, typer.Option("--out", parser=given_path, metavar="FOLDER", help="Where pictures and numbers go.")
    ] = Path("restored"),
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
        console, images, task, fit, amount=amount, mask=mask, size=size, as_is=as_is, out=out, device=device
    )


@app.command()
def designs() -> None:
    """List the designs: which combinations of factor levels are trained on, and which are tested.

    Example: `unseen designs`
    """
    from unseen.cli.listing import list_designs

    list_designs(console)


@app.command()
def models(
    network: Annotated[str | None, typer.Argument(metavar="NETWORK", help="Show the layers of this one.")] = None,
) -> None:
    """List the backbones, how tasks may share them, the encoders that learn without labels, the protocols (how a
    network comes to its weights), and the models that come with theirs: which are on this machine, what others weigh.

    Example: `unseen models resnet18`
    """
    from unseen.cli.listing import list_models

    list_models(console, network)


@app.command()
def recipes(name: Annotated[str | None, typer.Argument(metavar="NAME", help="Print this recipe.")] = None) -> None:
    """List the recipes that ship, or print one (to save it and make it your own).

    Example: `unseen recipes demo > mine.toml`
    """
    from unseen.cli.listing import list_recipes

    list_recipes(console, name)
