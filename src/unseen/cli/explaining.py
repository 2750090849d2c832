"""`unseen explain`: what a network looks at, as a page, pictures or arrays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from unseen.reports.console import print_hanging
from unseen.vocabulary.errors import UnseenError, unknown


def settings_of(given: Sequence[str] | None) -> dict[str, dict[str, Any]]:
    """``--set METHOD.KEY=VALUE`` by method.

    >>> settings_of(["occlusion.patch=16", "occlusion.stride=8", "grad-cam++.layer=layer3"])
    {'occlusion': {'patch': 16, 'stride': 8}, 'grad-cam++': {'layer': 'layer3'}}
    """
    from unseen.vocabulary.recipe import setting

    found: dict[str, dict[str, Any]] = {}
    for text in given or ():
        key, sign, _ = text.partition("=")
        method, dot, name = key.strip().rpartition(".")
        if not sign or not dot or not method or not name:
            raise UnseenError(f"--set {text!r} must be METHOD.SETTING=VALUE, as in --set occlusion.patch=16.")
        value = setting(text)[1]
        found.setdefault(method, {})[name] = tuple(value) if isinstance(value, list) else value
    return found


def methods_of(given: Sequence[str] | None) -> tuple[str, ...]:
    """Methods by their names, each refused at once if it is none."""
    from unseen.cli.examining import listed_names
    from unseen.explanations import METHODS

    names = listed_names(given)
    if names == ("all",):
        return tuple(METHODS)
    for name in names:
        if name not in METHODS:
            raise unknown("method", name, METHODS)
    return names


def rows_given(given: Sequence[str] | None) -> tuple[int, ...]:
    """Rows of a world, repeated or with commas."""
    from unseen.cli.examining import listed_names

    found = []
    for word in listed_names(given):
        if not word.isdigit():
            raise UnseenError(f"--rows {word!r} is no row; rows are numbers from 0, as in --rows 3,17.")
        found.append(int(word))
    return tuple(found)


def show_methods(console: Console) -> None:
    """The table of methods: what each needs, where it is from, what can be set."""
    from unseen.explanations import METHODS

    for name, row in METHODS.items():
        settings = ", ".join(f"{key}={value}" for key, value in row.settings.items() if key not in ("batch", "seed"))
        needs = "needs nothing of the network" if row.needs == "nothing" else f"needs {row.needs}"
        console.print(f"[bold]{name}[/]", highlight=False)
        print_hanging(console, f"  {needs}; {row.source}{f'; {row.note}' if row.note else ''}")
        if settings:
            print_hanging(console, f"  --set {name}.…: {settings}")


def show_explained(
    console: Console,
    name: str,
    wanted: Any,
    *,
    forms: Sequence[str],
    out: Path | None,
    to: Path | None,
    device: str,
    trust: bool,
) -> None:
    """Explain, with progress, and say what was found and where it lies."""
    from unseen.cli import faults
    from unseen.cli.rendering import Progress
    from unseen.engines.explaining import explain, opened, verdicts
    from unseen.engines.local import find_device
    from unseen.studies.commands import typed_command

    with console.status("opening"):
        subject = opened(name, wanted, out=out, device=find_device(device), trust=trust)
    faults.place.append(subject.home)
    many = len(subject.album)
    console.print(f"{subject.looked.name}: {many:,} image{'s' * (many != 1)}; fed: {subject.looked.fed}", markup=False)
    for note in subject.notes:
        print_hanging(console, f"  {note}")
    bars: dict[str, Any] = {}

    def tell(what: str, done: int, total: int) -> None:
        if what not in bars:
            for bar in bars.values():
                bar.__exit__(None, None, None)
            bars[what] = Progress(console, f"passes for {what}").__enter__()
        bars[what](done, total)

    try:
        made = explain(subject, wanted, forms=forms, to=to, command=typed_command(), tell=tell)
    finally:
        for bar in bars.values():
            bar.__exit__(None, None, None)
    print_hanging(console, made.answer)
    for method, words, number in verdicts(made):
        print_hanging(console, f"  {method}: {words}{f' ({number})' if number else ''}")
    for method, why in made.explained.left.items():
        print_hanging(console, f"  {method} left out: {why}")
    for form, path in made.files.items():
        console.print(f"{form}: {path.resolve()}", markup=False, soft_wrap=True)
