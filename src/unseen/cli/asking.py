"""`unseen ask`: people answer a study's questions in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unseen.cli.interrupts import stopped_with
from unseen.cli.terminal import Terminal
from unseen.cli.viewing import say_started
from unseen.reports.console import print_hanging
from unseen.vocabulary.errors import UnseenError


def ask(
    console: Terminal,
    study: Any,
    *,
    name: str,
    images: int,
    pause: int,
    duration: int,
    within: int,
    consent: Path | None,
    host: str,
    port: int | None,
    browser: bool,
    collect_only: bool,
    partial: bool,
) -> None:
    """Serve the experiment until Ctrl-C, then put the answers into the study."""
    from unseen.viewer.people.serving import served_experiment
    from unseen.viewer.people.sessions import CONSENT, Experiment, Timing

    words = CONSENT if consent is None else _read(consent)
    timing = Timing(image=duration, within=within)
    experiment = Experiment(study, name, images, pause, timing, words)
    total = len(experiment.rows)
    if not total:
        raise UnseenError(f"'{study.path}' asks no image.")
    if images > total:
        raise UnseenError(f"--images {images}: this study asks {total} images.")
    if not collect_only:
        page = served_experiment(experiment, host=host, port=port)

        what = [f"{images or total} of {total} images for each person: {page.address}"]
        known = "whoever has this address can take part"
        end = "Ctrl-C ends it. Start it again, and whoever has not finished can go on."
        with stopped_with("the page is closed."):
            try:
                page.run(lambda: say_started(console, page, what, known, end, browser))
            except KeyboardInterrupt:  # the usual end: what was answered is told before the last words
                _collected(console, experiment, partial)
                raise
    _collected(console, experiment, partial)


def _collected(console: Terminal, experiment: Any, partial: bool) -> None:
    from unseen.viewer.people.sessions import collect

    people, unfinished = collect(experiment, partial=partial)
    _told(console, experiment, people, unfinished, partial)


def _told(console: Terminal, experiment: Any, people: int, unfinished: int, partial: bool) -> None:
    from unseen.viewer.people.sessions import timing_of

    who = f"{people} {'person' if people == 1 else 'people'}"
    kept = f"answers of {who} are in {experiment.study.path} as '{experiment.name}'"
    print_hanging(console, kept if people else "nobody has finished yet; no answers were added.")
    if unfinished:
        later = "their answers are kept, and counted once they are (or with --partial)"
        more = "their answers are counted too" if partial else later
        print_hanging(console, f"{unfinished} not finished: {more}.")
    found = timing_of(experiment)
    if found["shown"]:
        refresh = f", frames of {found['refresh']:.1f} ms" if found["refresh"] else ""
        print_hanging(
            console,
            f"images were shown for {found['median']:.0f} ms (median; 90 % of {found['shown']:,} trials "
            f"{found['low']:.0f} to {found['high']:.0f}){refresh}; frames were dropped in {found['dropped']:,} trials.",
        )


def _read(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError) as error:
        raise UnseenError(f"the consent text '{file}' cannot be read: {error}.") from None
    if not text:
        raise UnseenError(f"the consent text '{file}' is empty.")
    return text
