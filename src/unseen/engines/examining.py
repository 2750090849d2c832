"""Examine a model: ask it canonical and changed images, and say where it fails. A study like any other, made from a
model's name: its recipe lies in its folder, what is finished is not asked again."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unseen.designs.vary_each import objects_for
from unseen.studies.study import Study
from unseen.vocabulary.errors import UnseenError, listed, unknown

RECIPE = "examine"  # the one that ships: the world and the design by default
ANSWERS = (".csv", ".tsv", ".parquet")
FACTORS = ("pose", "position", "size", "light", "background")
WORLDS = ("natural-variation", "objects", "meshes", "folder")
HINT = (
    "Give its labels, one per line (--labels FILE), say which label means which category (--map FILE.csv), or examine "
    "it on your own images (--folder PATH)."
)
ENOUGH = 0.9  # of the default classes that a model has words for: then it is asked about all of these (ours)


@dataclass(frozen=True)
class ExamineOptions:
    """What is to be asked, and how models are understood; the options of ``unseen examine``."""

    world: str = ""
    meshes: str | Path | None = None
    folder: str | Path | None = None
    factors: tuple[str, ...] = ()
    canonical: Mapping[str, Any] = field(default_factory=dict)
    images: int = 4000
    map: str = "auto"
    templates: tuple[str, ...] = ()
    preprocessing: Mapping[str, Any] = field(default_factory=dict)
    labels: Any = None
    checkpoint: str | Path | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    download: bool = False
    answers: Mapping[str, str] = field(default_factory=dict)  # of a table: unknown, doubled, no_answer

    def __post_init__(self) -> None:
        if self.world and self.world not in WORLDS:
            raise unknown("world to examine on", self.world, WORLDS, where="--world")
        if sum(one not in (None, "") for one in (self.meshes, self.folder)) > 1:
            raise UnseenError("meshes and a folder of images were both given; examine on one of them.")
        if isinstance(self.images, bool) or self.images < 1:
            raise UnseenError(f"images = {self.images!r} must be a number from 1.")
        if self.world == "folder" and self.folder is None:
            raise UnseenError("--world folder needs the folder: --folder PATH.")
        if self.world == "meshes" and self.meshes is None:
            raise UnseenError("--world meshes needs a folder of 3D models: --meshes PATH.")


@dataclass(frozen=True)
class Examination:
    """A study that is ready to be run: its models are named in its recipe, ``files`` are answers of other programs."""

    study: Study
    models: tuple[str, ...]
    files: tuple[Path, ...]
    notes: tuple[str, ...] = ()
    asked: ExamineOptions = field(default_factory=ExamineOptions)


def examination(
    models: Sequence[Any],
    asked: ExamineOptions,
    *,
    out: str | Path | None = None,
    settings: Any = (),
    trust: bool = False,
    writing: bool = False,
) -> Examination:
    """The study that examines these models: names, files, functions, or tables of answers. ``writing``: also of none,
    since only the images are wanted, for another program."""
    from unseen.engines import open_study
    from unseen.kinds.weaknesses.models_examined import short_name

    files = tuple(Path(one) for one in models if is_answers(one))
    rest = [one for one in models if not is_answers(one)]
    if not models and not writing:
        raise UnseenError("no model was given: a name, a file, a function, or a table of answers.")
    names = [_named(one, asked) for one in rest]
    shown = [*(short_name(name) for name in names), *(file.stem for file in files)]
    tables, notes = _tables(names, asked)
    tables["title"] = (
        f"Where does {listed(shown, 2)} fail?" if len(shown) < 3 else f"Where do {len(shown)} models fail?"
    )
    slug = re.sub(r"[^\w.+-]+", "-", "+".join(shown)).strip("-.")[:80] or "model"
    place = Path("runs") / "examine" / slug if out is None else Path(out)
    study = open_study(tables, out=place, settings=settings, trust=trust)
    return Examination(study, tuple(names), files, notes, asked)


def is_answers(model: Any) -> bool:
    """Whether a model is given by what it answered.

    >>> is_answers("answers.csv"), is_answers("resnet50"), is_answers(len)
    (True, False, False)
    """
    return isinstance(model, str | Path) and str(model).lower().endswith(ANSWERS)


def _named(model: Any, asked: ExamineOptions) -> str:
    """What a recipe calls a model. One that Python holds is brought and held; the code of a name that whoever calls
    wrote may run."""
    from unseen.studies.given_models import hold
    from unseen.studies.trusting import is_code
    from unseen.vocabulary.trust import allow

    if isinstance(model, str | Path):
        if is_code(str(model)):
            allow([str(model)])
        if asked.download:
            from unseen.models.given import bring

            bring(str(model), download=True, checkpoint=None if asked.checkpoint is None else str(asked.checkpoint))
        return str(model)
    from unseen.models.given import GivenModel, bring

    if isinstance(model, GivenModel):
        return hold(model)
    if not callable(model):
        raise UnseenError(
            f"{model!r:.80} is no model: give a name, a file (.onnx, .pt2), a function of images, a torch module, or a "
            f"table of answers ({', '.join(ANSWERS)})."
        )
    said = {"preprocessing": dict(asked.preprocessing) or None, "labels": asked.labels}
    return hold(bring(model, **said))


def _network(name: str, asked: ExamineOptions) -> dict[str, Any]:
    """``[network]`` of one model."""
    held = name.startswith("held:")  # it was brought with its labels and preprocessing
    made: dict[str, Any] = {"model": name}
    if asked.preprocessing and not held:
        made["preprocessing"] = dict(asked.preprocessing)
    if asked.labels is not None and not held:
        made["labels"] = asked.labels if isinstance(asked.labels, str) else list(map(str, asked.labels))
    if asked.checkpoint is not None:
        made["checkpoint"] = str(asked.checkpoint)
    if asked.arguments:
        made["arguments"] = dict(asked.arguments)
    return made


def _tables(names: Sequence[str], asked: ExamineOptions) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The recipe, and what is to be said of it."""
    from unseen.studies.recipe_files import find_recipe
    from unseen.vocabulary.recipe import own_tables

    tables = dict(own_tables(find_recipe(RECIPE)))
    tables["world"], tables["design"] = dict(tables["world"]), dict(tables["design"])
    notes: list[str] = []
    classes = None
    if names:
        tables["network"] = _network(names[0], asked)
        given = [_opened(name, asked) for name in names]
        if any(_by_text(one) for one in given):
            tables["protocol"] = "zero-shot"
        else:
            tables["protocol"] = "given"
        tables["answers"] = {"map": asked.map, **({"templates": list(asked.templates)} if asked.templates else {})}
        if len(names) > 1:
            tables["grid"] = {"network.model": list(names)}
        if asked.folder is None and asked.meshes is None:
            classes = _classes(given, asked, list(tables["world"]["classes"]))
    _settle_world(tables, asked, classes, notes)
    design = tables["design"]
    design["images"] = asked.images
    if asked.factors:
        design["factors"] = list(asked.factors)
    if asked.canonical:
        design["canonical"] = dict(asked.canonical)
    return tables, tuple(notes)


def _opened(name: str, asked: ExamineOptions) -> Any:
    from unseen.studies.given_models import given_of
    from unseen.vocabulary.sections import NetworkSection

    return given_of(NetworkSection(**_network(name, asked)))


def _by_text(model: Any) -> bool:
    """Whether a model answers by texts alone."""
    return not model.outputs and model.source == "open_clip"


def _classes(given: Sequence[Any], asked: ExamineOptions, usual: list[str]) -> list[str]:
    """Of our everyday categories those that every model has words for; the usual ones, if nearly all of these are."""
    from unseen.vocabulary.answer_spaces import answer_space
    from unseen.worlds.collections import table_of

    every = list(table_of("everyday"))
    known = list(every)
    for model in given:
        if _by_text(model):
            continue
        by = None if asked.map == "auto" else asked.map
        try:
            space = answer_space(every, model.labels, model.label_space, outputs=model.outputs, by=by)
        except UnseenError as error:
            raise UnseenError(f"{error} {HINT}") from None
        known = [name for name in known if name in space.categories]
    if len(set(known) & set(usual)) >= ENOUGH * len(usual):
        return usual
    if len(known) < 2:
        names = f"'{given[0].name}'" if len(given) == 1 else "these models"
        raise UnseenError(
            f"{names} {'has' if len(given) == 1 else 'have'} words for {len(known)} of our {len(every)} everyday "
            f"categories ({listed(every, 6)}), and two are needed. {HINT}"
        )
    return known


def _settle_world(tables: dict[str, Any], asked: ExamineOptions, classes: list[str] | None, notes: list[str]) -> None:
    """The world that is asked, its objects as many as the number of images is enough for."""
    world, design = tables["world"], tables["design"]
    if asked.folder is not None:
        from unseen.worlds.propose import propose

        found = propose(asked.folder)
        if not found.rows:
            raise UnseenError(f"'{asked.folder}': {found.missing or 'no factor says what an image shows'}.")
        tables["world"] = {"name": "folder", **found.world}
        design["category"] = found.rows
        others = [one.name for one in found.factors if one.name != found.rows and one.kind != "instance"]
        if not asked.canonical:
            notes.append(
                f"no canonical level was chosen, so answers are told by the levels of {listed(others) or 'nothing'}; "
                f"--canonical FACTOR=LEVEL makes gaps and curves from it"
            )
        return
    many = len(asked.factors) or len(FACTORS)
    if asked.world == "objects":
        tables["world"] = world = {
            "name": "objects", "categories": classes or world["classes"], "pose": 13, "position": 13, "size": 13,
            "light": 13, "backgrounds": 10, "collection": "everyday", "variation": "natural", "side": world["side"],
        }  # fmt: skip
        world["instances"] = objects_for(asked.images, len(world["categories"]), many)
        return
    if asked.meshes is not None:
        del world["classes"], world["collection"]
        world["meshes"] = str(asked.meshes)
        world["instances"] = max(3, objects_for(asked.images, 50, many))
        return
    if classes is not None:
        world["classes"] = classes
    # The design takes fewer objects where images are few, so that `unseen render examine --asked` draws the same world.
    world["instances"] = max(int(world["instances"]), objects_for(asked.images, len(world["classes"]), many))


def add_files(found: Examination, names: Mapping[Path, str] | None = None) -> list[Any]:
    """Add what other programs answered, under the names of their files; an answer that was there gives way."""
    from unseen.studies.given_answers import SubjectDetails, UnknownImages, UnknownResponses
    from unseen.studies.subjects import add_answers

    added = []
    for file in found.files:
        name, rules = (names or {}).get(file, "") or _subject(file), _joining(found.asked, file)
        try:
            added += add_answers(
                found.study, [file], SubjectDetails(name, "model" if name else ""), rules=rules, replace=True
            )
        except UnknownImages as error:
            raise UnseenError(
                f"{error.found} Were the images written with the same options? `unseen examine --write images`, with "
                f"--images, --factors and --set as here, writes exactly those that are asked; --unknown skip leaves "
                f"such rows out."
            ) from None
        except UnknownResponses as error:
            raise UnseenError(
                f"{error.found} Say what they mean in a table with the columns label and category, --map FILE.csv."
            ) from None
    return added


def _joining(asked: ExamineOptions, file: Path) -> Any:
    """What becomes of rows of a table that cannot be taken as they are, and what its responses mean."""
    from unseen.studies.answer_files import RESPONSE, read_files
    from unseen.studies.given_answers import CHOICES, JoiningRules
    from unseen.vocabulary.answer_spaces import rows_of_table

    for key in asked.answers:
        if key not in CHOICES:
            raise unknown("key of answers", key, CHOICES)
    words = {}
    if asked.map.lower().endswith(".csv"):
        said = set(read_files([file], {}).texts[RESPONSE])
        words = {label: meant for _, label, meant in rows_of_table(Path(asked.map)) if label in said}
    return JoiningRules(**asked.answers, words=words)


def _subject(file: Path) -> str:
    """The name of a file, unless it tells its subjects itself."""
    from unseen.studies.answer_files import SUBJECT, read_files

    read = read_files([file], {})
    return "" if SUBJECT in read.texts else file.stem[:80]


def feed(found: Examination, device: str = "auto", tell: Callable[[str], None] = lambda words: None) -> list[Any]:
    """Whether each model is fed as it was trained: what it knows of some canonical images, fed in other usual ways."""
    from unseen.engines.feeding import feeding_of
    from unseen.engines.local import find_device
    from unseen.kinds.weaknesses.feeding import feedings, note_feeding

    study, made = found.study, []
    for trial in study.trials:
        known = {one.digest: one for one in feedings(study.path)}
        one = feeding_of(study, trial, find_device(device), known, tell)
        if one is not None:
            note_feeding(study.path, one)
            made.append(one)
    return made


def remember_all(study: Study) -> None:
    """Keep the numbers of the models that were asked here, for pages about other models."""
    import time

    from unseen.kinds.weaknesses.models_examined import models_examined
    from unseen.kinds.weaknesses.references import keep_reference, question_digest, reference_of

    question = question_digest(study)
    for one in models_examined(study)[0]:
        machine = one.record.facts.get("machine", {}).get("device", "")
        if one.has_canonical and (machine or one.record.subject.kind == "model"):
            keep_reference(question, reference_of(one, machine, time.strftime("%Y-%m-%dT%H:%M:%S")))


def examine(
    models: Any,
    asked: ExamineOptions,
    *,
    out: str | Path | None = None,
    settings: Any = (),
    device: str = "auto",
    trust: bool = False,
    check_feeding: bool = True,
    closing: bool = False,
    progress: bool | None = None,
) -> Any:
    """Examine from Python: run what is missing, and give the study. ``closing``: also what would close the gaps."""
    from unseen.engines import run_watched
    from unseen.engines.opened import OpenedStudy
    from unseen.studies.commands import called

    several = list(models) if isinstance(models, list | tuple) else [models]
    found = examination(several, asked, out=out, settings=settings, trust=trust)
    study = found.study
    from unseen.studies.subjects import unanswered

    for record, _ in add_files(found):
        if words := unanswered(study, record):
            warn(words)
    if found.models:
        if check_feeding:
            feed(found, device)
        outcome = run_watched(study, device=device, progress=progress, command=_called(several, out, called))
        if outcome.failed == outcome.trials:
            reasons = dict.fromkeys(str(record["error"]) for record in study.failures().values())
            raise UnseenError(listed(reasons, 3))
        remember_all(study)
        if closing:
            from unseen.engines.closing import close

            close(study, found.models, lambda one: run_watched(one, device=device, progress=progress), tell=warn)
    return OpenedStudy(study)


def warn(words: str) -> None:
    import warnings

    warnings.warn(words, stacklevel=4)


def _called(models: Sequence[Any], out: Any, called: Callable[..., str]) -> str:
    del called
    first = ", ".join(
        repr(str(one)) if isinstance(one, str | Path) else getattr(one, "__name__", "model") for one in models
    )
    return f"unseen.examine({first}{f', out={str(out)!r}' if out is not None else ''})"
