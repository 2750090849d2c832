"""Lists and tables on the terminal, within 80 columns."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from unseen.cli.terminal import Terminal
from unseen.reports.console import bare_table, print_hanging, print_table
from unseen.vocabulary.errors import UnseenError, listed, unknown

if TYPE_CHECKING:
    from unseen.reports.finding import Finding

FORMATS = ("table", "csv", "json", "markdown", "parquet")
TIDY_ROWS = 40


def list_worlds(console: Console) -> None:
    from unseen.worlds import describe_worlds

    print_hanging(console, "A world is a source of images whose factors are known: which digit, at which position.")
    console.print()
    table = bare_table("world", "what it is", "arguments")
    for row in describe_worlds():
        names = [f"{name}!" for name in row["required"]] + list(row["arguments"])
        table.add_row(row["name"], row["summary"], ", ".join(names))
    print_table(console, table)
    console.print("\nAn argument with ! must be given. In a recipe:")
    console.print('  world = { name = "digits", viewpoint = "scale" }', markup=False)
    console.print("`unseen worlds show NAME` writes a picture of one.", markup=False)


def list_designs(console: Console) -> None:
    from unseen.studies.tables import designs

    print_hanging(console, "A design says which combinations of factor levels are trained on, and which are tested.")
    console.print()
    for name, function in designs().items():
        doc = inspect.getdoc(function) or ""
        console.print(f"[bold]{name}[/]")
        print_hanging(console, f"  {doc.partition(chr(10))[0].replace('``', '')}")
        for key, parameter in inspect.signature(function).parameters.items():
            if key in ("samples", "seed"):
                continue
            console.print(f"    {key}: {_default(parameter)}", markup=False)
        console.print("    seed: default 0")


def _default(parameter: inspect.Parameter) -> str:
    """A default as a recipe would write it."""
    if parameter.default is parameter.empty:
        return "must be given"
    return "optional" if parameter.default is None else f"default {json.dumps(parameter.default)}"


def list_models(console: Console, network: str | None) -> None:
    from unseen.models import ENCODERS, describe_models, describe_small, layer_names
    from unseen.models.factories import factory_of
    from unseen.vocabulary.stems import LEAST, STEMS

    if network is not None:
        if network in ENCODERS and factory_of(network) is None:  # a package may give the name to a network of its own
            _show_encoder(console, network)
            return
        for sharing in ("shared", "separate"):
            names = layer_names(network, ["category", "viewpoint"], sharing)
            console.print(f"[bold]{sharing}[/]: {', '.join(names)}")
        return
    table = bare_table("backbone", "million\nweights", "sharing", "standard\nstem", "medium", "small")
    for row in describe_models():
        table.add_row(
            row["name"], f"{row['parameters']:.2f}", ", ".join(row["sharing"]),
            *(f"{row['sides'][stem]}+" for stem in STEMS),
        )  # fmt: skip
    for row in describe_small():
        table.add_row(row["name"], f"{row['parameters']:.2f}", ", ".join(row["sharing"]), "its own", "", "")
    print_table(console, table)
    console.print("\nAny other timm name, or your own module:factory, works as shared or separate.")
    print_hanging(
        console,
        "Sharing: shared is one network for all questions, separate one for each, split-2 shares the first two blocks, "
        "shared-wide is shared with twice the width.",
    )
    print_hanging(
        console,
        f"Stem: the shorter side of images, in pixels, from which each leaves the last block {LEAST}×{LEAST} positions "
        'or more; stem = "auto" takes the first that does. The others begin as they do: `unseen check` tells how many '
        "positions are left.",
    )
    _list_encoders(console)
    _list_protocols(console)
    _list_given(console)


def _list_protocols(console: Console) -> None:
    """How a network comes to its weights."""
    from unseen.studies.protocol_table import protocols

    console.print("\nHow a network comes to its weights, by `protocol` in a recipe:\n", markup=False)
    table = bare_table("protocol", "what happens")
    for one in protocols():
        table.add_row(one.name, escape(one.does))
    print_table(console, table)
    print_hanging(
        console,
        "A recipe that names none is settled by its keys: training.objective other than supervised is a readout, "
        "network.frozen a probe, network.pretrained or network.checkpoint a finetune, else scratch.",
    )


def _list_given(console: Console) -> None:
    """Models that come with their weights: which are here, what the others weigh, under which licence."""
    from unseen.models.given.listing import also_here, describe_given
    from unseen.vocabulary.sizes import size_text

    console.print("\nModels that come with their weights:\n")
    table = bare_table("model", "million\nweights", "size", "licence", "here", "weights come from")
    for row in describe_given():
        here = "yes" if row.file else "no"
        table.add_row(
            row.name, f"{row.parameters / 1e6:.1f}", size_text(row.size), row.licence, here, escape(row.origin)
        )
    print_table(console, table)
    console.print()
    print_hanging(
        console,
        "Here: on this machine, so that nothing is fetched. What is not is fetched from its hub once a download is "
        "asked for, or given as a file (checkpoint). Sizes are those of 32-bit weights.",
    )
    if others := also_here():
        print_hanging(console, f"Also on this machine: {listed(others, 20)}")
    print_hanging(
        console,
        "As well: any name of timm, torchvision:NAME, open_clip:ARCH/TAG, a Hugging Face folder, a .pt2 or .onnx file, "
        "your own module:factory, and in Python any network or function (docs/guide/your-own-model.md).",
    )


def _list_encoders(console: Console) -> None:
    from unseen.models import describe_encoders

    console.print("\nEncoders, which learn without labels and are read out by a small network:\n")
    table = bare_table("encoder", "million\nweights", "training.objective", "image\nside", "layers as in")
    for row in describe_encoders():
        table.add_row(
            row["name"], f"{row['parameters']:.2f}", ", ".join(_objectives(row["name"])), str(row["side"]), row["note"]
        )
    print_table(console, table)


def _show_encoder(console: Console, name: str) -> None:
    """The layers of an encoder with its readout, and what it is asked for by."""
    from unseen.models import describe_encoders, encoder_layers

    row = next(row for row in describe_encoders() if row["name"] == name)
    console.print(f"[bold]encoder and readout[/]: {', '.join(encoder_layers(name))}")
    print_hanging(console, f"training.objective: {', '.join(_objectives(name))}")
    print_hanging(console, f'images: {row["side"]}×{row["side"]}, from 0 to 1 (training.normalise = "none")')
    print_hanging(console, f"latents: {row['latents']} (network.arguments = {{ latents = ... }} for others)")
    print_hanging(console, f"layer table: {row['note']}")


def _objectives(encoder: str) -> list[str]:
    from unseen.training.objectives import OBJECTIVES

    return [name for name, objective in OBJECTIVES.items() if objective.encoder == encoder]


def list_recipes(console: Terminal, name: str | None) -> None:
    from unseen.studies.recipe_files import find_recipe, summary_of
    from unseen.vocabulary.recipe import shipped

    if name is not None:
        console.data(find_recipe(name).read_text(encoding="utf-8"))
        return
    table = bare_table("recipe", "what it asks")
    for key, path in shipped().items():
        table.add_row(key, summary_of(path))
    print_table(console, table)
    console.print("\n`unseen recipes NAME` prints one; `unseen plan NAME` shows what it would do.")


def show_results(study: Any, console: Terminal, form: str, summary: bool) -> None:
    """Numbers of a study in the form asked for."""
    if form not in FORMATS:
        raise unknown("format", form, FORMATS)
    from unseen.kinds.results import findings_of, summary_of, tidy_of

    frame = (summary_of(study) if summary else tidy_of(study)).fill_nan(None)
    _show_numbers(study, console, frame, form, summary)
    if form == "table" and summary:
        show_findings(console, findings_of(study))


def show_rules(study: Any, console: Terminal, form: str, to: Path | None) -> None:
    """Rules about the failures of everyone who answered, in the form asked for."""
    if to is not None:
        raise UnseenError(f"--rules goes to the screen, or into a file with > {to}; --to is for --format parquet.")
    forms = [one for one in FORMATS if one != "parquet"]
    if form not in forms:
        raise unknown("format", form, forms, where="--rules")
    from unseen.kinds.failures.sentences import frame_of
    from unseen.kinds.failures.shown import show
    from unseen.kinds.failures.subject_rules import rules_of

    found = rules_of(study)
    if form == "table":
        show(console, found)
    else:
        _show_numbers(study, console, frame_of(found), form, summary=False)


def show_findings(console: Console, found: Sequence[Finding]) -> None:
    """Every finding that says something: its verdict, its name, its numbers, and why it is open."""
    from unseen.reports.words import finding_numbers, verdict_words

    judged = [one for one in found if one.judged]
    if not judged:
        return
    console.print("\n[bold]Findings[/]")
    for one in judged:
        mark = verdict_words(one)[1]
        print_hanging(console, f"{mark}: {one.name}")
        print_hanging(console, f"    {finding_numbers(one)}")
        if one.judged and one.why:
            print_hanging(console, f"    open: {one.why}")
    print_hanging(console, "The report has each in a sentence; docs/guide/verdicts.md has the rules.")


def _show_numbers(study: Any, console: Terminal, frame: Any, form: str, summary: bool) -> None:
    if form == "csv":
        console.data(frame.write_csv())
    elif form == "json":
        console.data(frame.write_json())
    elif form == "markdown":
        console.data(markdown(frame))
    elif summary:
        from unseen.kinds.results import show_summary

        show_summary(study, console, frame)
    else:
        _tidy_table(console, frame)


def write_parquet(opened: Callable[[], Any], console: Terminal, form: str, to: Path | None) -> Any:
    """The whole table of a study into a file, which appears whole or not at all; gives the study."""
    if form != "parquet":
        raise UnseenError(f"--to is for --format parquet; {form} goes to the screen, or into a file with > {to}.")
    if to is None:
        raise UnseenError("--format parquet writes a file: say which, as in --to numbers.parquet.")
    if to.is_dir() or not to.parent.is_dir():
        why = "is a folder" if to.is_dir() else f"would lie in '{to.parent}', which is not there"
        raise UnseenError(f"'{to}' {why}; name the file to write, e.g. numbers.parquet.")
    if to.exists() and to.stat().st_size and to.read_bytes()[:4] != b"PAR1":
        raise UnseenError(f"'{to}' is there already and is no Parquet file; name another one, e.g. numbers.parquet.")
    from unseen.kinds.whole_table import write_whole_table
    from unseen.vocabulary.whole_files import remove_leftovers, written_aside

    study = opened()
    remove_leftovers(to.parent, to.name)
    with written_aside(to) as aside:
        rows = write_whole_table(study, aside)
    console.print(f"{rows:,} rows in {to} ({to.stat().st_size / 1e3:.0f} kB)", markup=False, soft_wrap=True)
    return study


def markdown(frame: Any) -> str:
    """A frame as a Markdown table."""
    lines = ["| " + " | ".join(frame.columns) + " |", "|" + "---|" * len(frame.columns)]
    for row in frame.iter_rows():
        cells = ["" if v is None else f"{v:.4g}" if isinstance(v, float) else str(v) for v in row]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _tidy_table(console: Console, frame: Any) -> None:
    """The first rows for a person; the other forms hold every row and column."""
    table = bare_table("trial", "seed", "of what", "measure", "value", "n")
    for row in frame.head(TIDY_ROWS).iter_rows(named=True):
        of = ", ".join(filter(None, [row["target"], row["set"], row["layer"], row["unit_type"]]))
        value = "" if row["value"] is None else f"{row['value']:.4g}"
        n = "" if row["n"] is None else str(row["n"])
        table.add_row(
            row["trial"][:8], "" if row.get("seed") is None else str(row["seed"]), of, row["measure"], value, n
        )
    print_table(console, table)
    if frame.height > TIDY_ROWS:
        console.print(f"… {frame.height - TIDY_ROWS} more rows; all of them with --format csv, json or markdown.")
