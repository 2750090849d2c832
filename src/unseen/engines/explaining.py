"""Explain what a network answers: maps over images by several methods, and whether to believe them.

Of a study's trial, by the weights that it kept, or of a model that somebody brings; over the trial's most telling
images, or over images of one's own. What was drawn is kept; asking again draws what is missing.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unseen.engines.map_files import ArrayFiles
from unseen.kinds.maps_page import Explained, answer, page
from unseen.studies.explained.album import Album, of_files, of_rows
from unseen.studies.explained.checked import Check, check, checkable, evenly
from unseen.studies.explained.drawn import Maps, draw, together
from unseen.studies.explained.looked import Looked, asked_of, asked_words, given_looked, trial_looked
from unseen.studies.explained.telling import telling
from unseen.studies.explained.usual import ANSWERS_ALONE, USUAL, drawable, with_given
from unseen.vocabulary.errors import UnseenError, listed, unknown

MOST = 24  # images on a page
CHECKED = 6  # images that checks are made on
FORMS = ("page", "png", "arrays")
Tell = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Wanted:
    """The options of ``unseen explain``. ``methods`` empty: the usual ones that the network allows. ``settings`` by
    method. ``label`` and ``against``: classes by name or number. ``unit``: a layer and a channel, not a class."""

    images: tuple[str, ...] = ()
    trial: str = ""
    rows: tuple[int, ...] = ()
    number: int = 6
    methods: tuple[str, ...] = ()
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    label: str | None = None
    against: str | None = None
    unit: str = ""
    target: str | None = None
    checks: bool = True
    check_images: int = CHECKED
    preprocessing: Mapping[str, Any] = field(default_factory=dict)
    labels: str | None = None
    checkpoint: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    download: bool = False

    def __post_init__(self) -> None:
        if self.number < 1 or self.check_images < 2:
            raise UnseenError(
                f"at least one image is explained and two are checked; given {self.number} and {self.check_images}."
            )
        if self.unit and (self.label is not None or self.against is not None):
            raise UnseenError("a unit and a class were both asked about; a map explains one of them.")


@dataclass(frozen=True, eq=False)
class Subject:
    """What is opened: the network, its images, the folder where results are kept."""

    looked: Looked
    album: Album
    home: Path
    groups: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Made:
    """What came of it: the page's contents, the files that were written."""

    explained: Explained
    files: Mapping[str, Path]
    answer: str


def is_study(name: str) -> bool:
    """Whether a word names a study, by its folder or its recipe, rather than a model."""
    from unseen.vocabulary.recipe import shipped

    path = Path(name)
    return (path / "recipe.toml").is_file() or name.endswith(".toml") or name.removesuffix(".toml") in shipped()


def opened(name: str, wanted: Wanted, *, out: Path | None, device: Any, trust: bool) -> Subject:
    """The network that a word means, and the images to explain."""
    return (
        _of_study(name, wanted, out, device, trust) if is_study(name) else _of_model(name, wanted, out, device)
    )  # fmt: skip


def _of_study(name: str, wanted: Wanted, out: Path | None, device: Any, trust: bool) -> Subject:
    from unseen.engines import open_study
    from unseen.engines.opened_trial import chosen
    from unseen.studies.trusting import settle

    told = [key for key in ("preprocessing", "labels", "checkpoint", "arguments") if getattr(wanted, key)]
    if told:
        raise UnseenError(f"'{name}' is a study, whose recipe says its network; leave out --{listed(told)}.")
    study = open_study(name)
    settle(study.recipe, f"'{name}'", trust=trust)
    if not study.trials:
        raise UnseenError(f"study '{name}' makes no network and asks no model, so there is nothing to look into.")
    if wanted.trial:
        which: Any = int(wanted.trial) if re.fullmatch(r"-?\d{1,6}", wanted.trial) else wanted.trial
        trial = chosen(study.trials, [study.find(one) for one in study.trials], which, {})
    else:
        done = [one for one in study.trials if study.find(one) is not None]
        if not done:
            raise UnseenError(f"no trial of '{name}' is finished yet; `unseen run {name}` first.")
        trial = done[0]
    looked = trial_looked(study, trial, device, wanted.target)
    home = study.path / "explained" if out is None else out
    note = f"Trial: {trial.label}."
    if wanted.images:
        album = of_files(wanted.images, looked.frame, None)
        return Subject(looked, album, home, notes=(note, *_unreadable(album)))
    world = study.world(trial)
    if wanted.rows:
        return Subject(looked, of_rows(world, wanted.rows, looked.frame), home, notes=(note,))
    found = telling(study, trial, looked, _stored_answers(study, trial, looked.target), wanted.number)
    rows = [one.row for one in found]
    titles = [f"{one.truth}" for one in found]
    album = of_rows(world, rows, looked.frame, titles, [one.words for one in found])
    why = (
        "Images: of one object at a seen and at an unseen combination, then those that were surest right on seen and "
        "surest wrong on unseen combinations."
    )
    return Subject(looked, album, home, tuple(one.group for one in found), (note, why))


def _stored_answers(study: Any, trial: Any, target: str | None) -> Any:
    """What the trial answered, as it is stored."""
    import pyarrow.parquet as pq

    from unseen.studies.explained.answered import asked_images

    file = study.store.trials / study.find(trial) / "responses.parquet"
    try:
        table = pq.read_table(file)
    except (OSError, ValueError) as error:
        raise UnseenError(
            f"the answers of trial '{trial.label}' cannot be read ({error}); run the study again."
        ) from None
    if "sample" not in table.column_names:
        raise UnseenError("which image an answer is about was not stored by an old version; name images or --rows.")
    return asked_images(study, trial, table, target or study.targets(trial)[0].name)


def _of_model(name: str, wanted: Wanted, out: Path | None, device: Any) -> Subject:
    from unseen.engines.examining import is_answers
    from unseen.models.given import bring
    from unseen.studies.trusting import is_code
    from unseen.vocabulary.trust import allow

    if is_answers(name):
        raise UnseenError(f"'{name}' is a table of answers; to explain answers the model itself is needed.")
    if Path(name).is_dir() and not (Path(name) / "config.json").is_file():
        raise UnseenError(
            f"'{name}' is a folder and neither a study (it has no recipe.toml) nor a model. To explain a "
            f"model's answers to the images in it: `unseen explain MODEL {name}`."
        )
    if wanted.trial or wanted.rows:
        raise UnseenError(f"--trial and --rows are of a study, and '{name}' is a model; name image files or a folder.")
    if not wanted.images:
        raise UnseenError(
            f"no images to explain: name files or a folder of them, as in `unseen explain {name} photos`."
        )
    if is_code(name):
        allow([name])  # who typed it trusts it
    given = bring(
        name, checkpoint=wanted.checkpoint, preprocessing=dict(wanted.preprocessing) or None, labels=wanted.labels,
        arguments=dict(wanted.arguments) or None, download=wanted.download, device=device,
    )  # fmt: skip
    looked = given_looked(given)
    slug = re.sub(r"[^\w.+-]+", "-", Path(name).name if Path(name).exists() else name).strip("-.")[:80] or "model"
    home = Path("runs") / "explain" / slug if out is None else out
    album = of_files(wanted.images, looked.frame)
    return Subject(looked, album, home, notes=_unreadable(album))


def _unreadable(album: Album) -> tuple[str, ...]:
    if not album.unreadable:
        return ()
    names = listed((f"{name} ({why})" for name, why in album.unreadable), 6)
    return (f"Not read: {names}.",)


def asked_about(subject: Subject, wanted: Wanted) -> Any:
    """The class, the difference or the unit that the options name."""
    from unseen.explanations import Unit

    if not wanted.unit:
        return asked_of(subject.looked, wanted.label, wanted.against)
    layer, sign, channel = wanted.unit.rpartition(":")
    if not sign or not channel.isdigit():
        raise UnseenError(f"--unit {wanted.unit!r} must be LAYER:CHANNEL, as in --unit layer4:7.")
    return Unit(layer, int(channel))


def explain(
    subject: Subject,
    wanted: Wanted,
    *,
    forms: Sequence[str] = ("page",),
    to: Path | None = None,
    command: str = "",
    tell: Tell = lambda what, done, total: None,
) -> Made:
    """Draw, check, write."""
    for form in forms:
        if form not in FORMS:
            raise unknown("format", form, FORMS, where="--format")
    from unseen.explanations.anatomy import Anatomy

    looked, album = subject.looked, subject.album
    asked = asked_about(subject, wanted)
    first = album.fetch([0])
    size = (int(first.shape[2]), int(first.shape[3]))
    usual = USUAL if Anatomy(looked.model).network is not None else ANSWERS_ALONE
    methods = wanted.methods or usual
    settings = with_given(methods, wanted.settings, size)
    able, left = drawable(looked, first, asked, methods, wanted.settings, named=bool(wanted.methods))
    settings = {method: settings[method] for method in able}
    shown, arrays = _drawn(subject, asked, settings, forms, to, tell)
    checks, unchecked = ({}, {})
    if wanted.checks:
        checks, unchecked = _checks(subject, shown, asked, able, wanted, size, tell)
    contents = _contents(subject, shown, asked, settings, checks, unchecked, left)
    files = {**_written(contents, subject.home, forms, to, command), **arrays}
    return Made(contents, files, answer(contents))


def _drawn(
    subject: Subject,
    asked: Any,
    settings: Mapping[str, Mapping[str, Any]],
    forms: Sequence[str],
    to: Path | None,
    tell: Tell,
) -> tuple[Maps, dict[str, Path]]:
    """Maps of all images; those of the first ones for the page, all of them as arrays where these are wanted."""
    kept: list[Maps] = []
    place = (to or subject.home) / "arrays"
    wanted = "arrays" in forms
    with ArrayFiles(place, subject.album, tuple(settings)) if wanted else nullcontext() as writer:
        for part in draw(
            subject.looked, subject.album, asked, settings, subject.home,
            tell=lambda done, total, what: tell("maps", done, total),
        ):  # fmt: skip
            if int(part.places[0]) < MOST:
                kept.append(part)
            if writer is not None:
                writer.add(part, [subject.looked.class_name(int(one)) for one in part.labels])
    return together(kept), {"arrays": place} if wanted else {}


def _checks(
    subject: Subject, shown: Maps, asked: Any, able: Sequence[str], wanted: Wanted, size: tuple[int, int], tell: Tell
) -> tuple[dict[str, Check], dict[str, str]]:
    import torch

    unchecked = {method: why for method in able if (why := checkable(subject.looked, method))}
    given = {method: own for method, own in wanted.settings.items() if method in able}
    coarse = with_given(able, given, size, checks=True)
    coarse = {method: own for method, own in coarse.items() if method not in unchecked}
    if len(shown.places) < 2:
        few = "one image is too few to judge a method by"
        return {}, {**dict.fromkeys(coarse, few), **unchecked}
    places = evenly(len(shown.places), wanted.check_images)
    pictures = torch.from_numpy(shown.pictures[places])
    found = check(
        subject.looked,
        pictures,
        asked,
        coarse,
        subject.home,
        tell=lambda done, total, what: tell("checks", done, total),
    )
    return found, unchecked


def _contents(
    subject: Subject, shown: Maps, asked: Any, settings: Mapping[str, Mapping[str, Any]], checks: Mapping[str, Check],
    unchecked: Mapping[str, str], left: Mapping[str, str],
) -> Explained:  # fmt: skip
    looked, album = subject.looked, subject.album
    names = [looked.class_name(int(one)) for one in shown.labels]
    words = tuple(
        album.words[at] or f"answered {name} ({sure:.2f})"
        for at, name, sure in zip(shown.places.tolist(), names, shown.sure)
    )
    titles = tuple(album.titles[at] for at in shown.places.tolist())
    groups = tuple(subject.groups[at] for at in shown.places.tolist()) if subject.groups else ()
    return Explained(
        looked.name, asked_words(looked, asked), shown, titles, words, settings, groups, checks, unchecked, left,
        subject.notes, len(album) - len(titles), looked.facts,
    )  # fmt: skip


def _written(contents: Explained, home: Path, forms: Sequence[str], to: Path | None, command: str) -> dict[str, Path]:
    from unseen.engines.map_files import write_pictures
    from unseen.reports import write_report

    found: dict[str, Path] = {}
    if "page" in forms:
        when = time.strftime("%Y-%m-%d %H:%M")
        found["page"] = write_report(page(contents, command, when), home)
    if "png" in forms:
        found["png"] = write_pictures(contents, (to or home) / "png")
    return found


def verdicts(made: Made) -> list[tuple[str, str, str]]:
    """Method, verdict and number, for a terminal."""
    from unseen.kinds.maps_page import column

    rows = [column(made.explained, method) for method in made.explained.methods]
    return [(one.name, one.words or "not checked", one.number) for one in rows]


__all__ = ["FORMS", "Made", "Subject", "Wanted", "explain", "is_study", "opened", "verdicts"]
