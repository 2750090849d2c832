"""A recipe names a world, a design, a network, its training and a grid over them; checked before any work starts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from unseen.vocabulary.errors import UnseenError, listed, nearest, unknown
from unseen.vocabulary.grids import check_overruled, grids_of, setting_value, varied
from unseen.vocabulary.plain_numbers import is_number
from unseen.vocabulary.plain_values import DEEPEST, NoTruth, Number, Truth, Whole, check_plain, shown
from unseen.vocabulary.protocol_names import PROBE, SUPERVISED, implied
from unseen.vocabulary.recipe_text import is_file, parse, text_of
from unseen.vocabulary.unfilled import check_filled_in
from unseen.vocabulary.unused_keys import UNUSED, check_unused

RECIPES = Path(str(files("unseen") / "recipes"))
SETS = ("seen", "unseen")


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)


class NamedSection(BaseModel):
    """A section that names a row of a table and gives its arguments; those are checked against its signature."""

    model_config = ConfigDict(extra="allow", frozen=True)
    name: str

    @property
    def arguments(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


class DesignSection(NamedSection):
    seed: Whole = 0


class NetworkSection(Section):
    backbone: str = "resnet18"
    sharing: str = "shared"
    stem: Literal["auto", "standard", "medium", "small"] = "auto"  # see vocabulary/stems.py
    channels: Annotated[Literal[1, 3], NoTruth] = 3
    as_released: Truth = False
    checkpoint: str | None = None
    pretrained: Truth = False
    frozen: Truth = False
    arguments: dict[str, Any] = {}
    model: str | None = None  # one that comes with its weights, in place of a backbone
    labels: str | tuple[str, ...] | None = None  # texts of its outputs, or the file that lists them
    preprocessing: dict[str, Any] = {}  # what to feed it otherwise than it says
    part: str = ""  # which network in its checkpoint, where there are several
    features: str = ""  # the layer or output that its features are taken at

    @property
    def name(self) -> str:
        """What it is called: the model that is given, else its backbone."""
        return self.model or self.backbone

    @property
    def start(self) -> str:
        """The key that gives it weights to start from, "" where it starts from random ones."""
        return "pretrained" if self.pretrained else "checkpoint" if self.checkpoint is not None else ""


class TrainingSection(Section):
    """How weights come to be. Adam, 1e-3, lowest validation loss: Madan et al. 2022; the other defaults are ours."""

    epochs: Whole = Field(default=10, ge=1)
    batch: Whole = Field(default=256, ge=1)
    optimiser: Literal["adam", "adamw", "sgd", "lbfgs"] = "adam"
    lr: Number = Field(default=1e-3, gt=0)
    momentum: Number = Field(default=0.9, ge=0, lt=1)
    weight_decay: Number = Field(default=0.0, ge=0)
    decays: Literal["all", "weights"] = "all"  # weights: neither norms nor biases, nor what a network says is not to
    layer_decay: Number = Field(default=1.0, gt=0, le=1)  # of the learning rate, from each layer to the one below it
    schedule: Literal["constant", "cosine", "linear"] = "constant"
    warmup: Number = Field(default=0.0, ge=0)
    loss_weights: dict[str, Number] = {}
    augment: dict[str, Number] = {}
    normalise: Literal["imagenet", "mnist", "half", "none", "lite", "per-image"] = "imagenet"
    select: Literal["best", "last"] = "best"
    patience: Whole | None = Field(default=None, ge=1)
    precision: Literal["auto", "float32", "bf16"] = "auto"
    compile: Truth = False
    threads: Whole = Field(default=1, ge=1)
    objective: str = SUPERVISED
    objective_arguments: dict[str, Any] = {}

    @model_validator(mode="after")
    def _stops_for_the_best(self) -> TrainingSection:
        if self.patience is not None and self.select == "last":
            raise ValueError(
                f'patience = {self.patience} stops training once no epoch was better for so long, and select = "last" '
                'does not ask which is the best; leave patience out or set select = "best"'
            )
        return self


class PretrainingSection(Section):
    """What a network learns before its trials, on a ``world`` of its own (none: nothing): an encoder that all trials
    which say the same share. ``images``: so many of the world's, drawn at random (none: all). ``objective``: see
    :mod:`unseen.training.pretexts`; "none" leaves the first weights as they are. ``overlap``: categories may be those
    that are asked later. AdamW and half a cosine are of all papers of the table; the other defaults are ours."""

    world: NamedSection | None = None
    images: Whole | None = Field(default=None, ge=1)
    objective: str = SUPERVISED
    objective_arguments: dict[str, Any] = {}
    epochs: Whole = Field(default=50, ge=1)
    batch: Whole = Field(default=256, ge=1)
    optimiser: Literal["adam", "adamw", "sgd"] = "adamw"
    lr: Number = Field(default=1e-3, gt=0)
    momentum: Number = Field(default=0.9, ge=0, lt=1)
    weight_decay: Number = Field(default=0.05, ge=0)
    schedule: Literal["constant", "cosine", "linear"] = "cosine"
    warmup: Number = Field(default=0.0, ge=0)
    augment: dict[str, Number] = {}
    precision: Literal["auto", "float32", "bf16"] = "auto"
    threads: Whole = Field(default=1, ge=1)
    seed: Whole = 0
    overlap: Truth = False

    def settings(self) -> TrainingSection:
        """As the training loop takes them; the last weights are kept, since a pretext has no validation to choose by
        that would mean anything for what comes after."""
        own = {key for key in PretrainingSection.model_fields if key in TrainingSection.model_fields}
        taken = self.model_dump(include=own - {"objective", "objective_arguments"})
        return TrainingSection.model_validate({**taken, "select": "last"})


class SearchSection(Section):
    """Learning rate and weight decay by a grid, each tried on the training rows without a ``share`` of them that is
    then asked; the best is trained on all (Zaidi et al. 2020: 10 %). Both lists empty: no search."""

    lr: tuple[Annotated[Number, Field(gt=0)], ...] = ()
    weight_decay: tuple[Annotated[Number, Field(ge=0)], ...] = ()
    share: Number = Field(default=0.1, gt=0, lt=1)


class CalibrationSection(Section):
    """Strengths of transformations, raised in ``steps`` (one per level; none: no calibration) until a network trained
    on plain images falls under ``target``: accuracy, or "relative": a tenth of the way from chance to the plain one."""

    steps: dict[str, Number] = {}
    target: Number | Literal["relative"] = 0.1
    most: Whole = Field(default=20, ge=1)
    images: Whole = Field(default=2000, ge=1)
    seed: Whole = 0


def _truth_or_size(given: Any) -> Any:
    """One message for both kinds of value: a union would tell of each that it is not."""
    if isinstance(given, bool) or (is_number(given) and given >= 0):
        return given
    raise ValueError(f"{given!r:.40}: give true (keep weights), false, or the GB that they may take, at least 0")


class RecordingsSection(Section):
    """What is kept of a trained network. ``layers``: "last", "all", "none" or names.

    ``cells`` keeps the mean activity of their units in every cell of the design's two factors. ``invariance`` keeps the
    score of every unit on the probe's images plain and transformed; a unit is active above ``threshold``, which
    "search" finds by ablation. ``negative``: what to do with activity below 0. ``weights``: GB that those of all trials
    may take; they are kept if they take no more (true: always, false: never), and can then be recorded anew."""

    sets: tuple[str, ...] = SETS
    layers: Literal["last", "all", "none"] | tuple[str, ...] = "last"
    activity: Literal["mean", "max"] = "mean"
    cells: Truth = True
    weights: Annotated[bool | float, BeforeValidator(_truth_or_size)] = 2.0
    invariance: Truth = False
    threshold: Number | Literal["search"] = "search"
    negative: Literal["error", "rectify", "keep"] = "error"


class AnswersSection(Section):
    """What a model that is not trained here is understood to say. ``map``: from its classes to the categories: one that
    ships ("everyday", "geirhos16"), "names", a CSV or TOML file of your own, or "auto": whichever is right for its
    labels. ``how`` probabilities are joined: by default as the map does. ``templates``: what a category's text is put
    into, by name or written out with {} in its place; several are averaged."""

    map: str = "auto"
    how: Literal["auto", "sum", "mean"] = "auto"
    templates: tuple[str, ...] = ("photo",)


class ExplanationsSection(Section):
    """Maps over images that are recorded of a network (none: no ``methods``). ``images``: how many of the most telling
    ones are drawn for the report. ``scored``: how many of each set asked are compared with what a rendered world knows
    of its pixels. ``checked``: how many the checks are made on, under each of the ``orders`` in which layers are drawn
    anew. ``settings``: by method, over the usual ones."""

    methods: tuple[str, ...] = ()
    images: Whole = Field(default=6, ge=0, le=48)
    scored: Whole = Field(default=0, ge=0)
    checked: Whole = Field(default=6, ge=0)
    orders: tuple[Literal["cascading", "independent"], ...] = ("cascading",)
    settings: dict[str, dict[str, Any]] = {}


class MeasuresSection(Section):
    variant: Literal["paper", "as_released"] = "paper"
    scaling: Literal["min-max", "max", "none"] = "min-max"
    similarity: Literal["wordnet", "sentences"] = "wordnet"  # of classes, where some were seen varying and others not


class Recipe(Section):
    """A study. ``grid`` maps dotted keys to lists of values; several grids (``[[grid]]``) are joined."""

    title: str
    question: str = ""
    shows: str = ""
    world: NamedSection
    design: DesignSection
    targets: tuple[str, ...] = ()
    task: Literal["classification", "regression"] = "classification"
    protocol: str = ""  # how weights come to be; "": as the other keys say
    network: NetworkSection = NetworkSection()
    training: TrainingSection = TrainingSection()  # pyright: ignore[reportCallIssue]
    readout: TrainingSection = TrainingSection()  # pyright: ignore[reportCallIssue]
    pretraining: PretrainingSection = PretrainingSection()  # pyright: ignore[reportCallIssue]
    search: SearchSection = SearchSection()  # pyright: ignore[reportCallIssue]
    calibration: CalibrationSection = CalibrationSection()  # pyright: ignore[reportCallIssue]
    answers: AnswersSection = AnswersSection()
    recordings: RecordingsSection = RecordingsSection()
    explanations: ExplanationsSection = ExplanationsSection()  # pyright: ignore[reportCallIssue]
    measures: MeasuresSection = MeasuresSection()
    seeds: tuple[Whole, ...] = Field(default=(0, 1, 2), min_length=1)
    grid: tuple[dict[str, list[Any]], ...] = ({},)
    kind: str = ""  # of question; "": that of the design
    published: str = ""
    citation: str = ""

    @property
    def protocol_name(self) -> str:
        """How weights come to be: as the recipe says, else by its other keys."""
        return self.protocol or self._implied(self.network.frozen)

    @property
    def start(self) -> str:
        """The key that gives the network weights to start from, "" where it starts from random ones of its own."""
        return self.network.start or ("pretraining" if self.pretraining.world is not None else "")

    @property
    def is_implied(self) -> bool:
        """Whether other keys say the protocol, too, so that its name adds nothing; of a probe, frozen says it."""
        return self.protocol_name == self._implied(self.network.frozen or self.protocol == PROBE)

    def _implied(self, frozen: bool) -> str:
        return implied(
            objective=self.training.objective,
            frozen=frozen,
            start=bool(self.start),
            given=self.network.model is not None,
        )


SECTIONS: dict[str, type[Section]] = {
    "network": NetworkSection,
    "training": TrainingSection,
    "readout": TrainingSection,
    "pretraining": PretrainingSection,
    "search": SearchSection,
    "calibration": CalibrationSection,
    "answers": AnswersSection,
    "recordings": RecordingsSection,
    "explanations": ExplanationsSection,
}


def override(tables: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:
    """The same tables with one dotted key set; quotes keep a dotted name together, as in TOML.

    >>> override({"a": {"b": 1}}, "a.b", 2), override({}, 'grid."a.b"', [1])
    ({'a': {'b': 2}}, {'grid': {'a.b': [1]}})
    """
    return _override(tables, _path(key), value, key)


def _path(key: str) -> list[str]:
    path = [quoted or plain.strip() for quoted, plain in re.findall(r'"([^"]*)"|([^".]+)', key)]
    bare = key.strip()
    if not 0 < len(path) <= DEEPEST or key.count('"') % 2 or bare[:1] == "." or bare[-1:] == "." or ".." in key:
        raise UnseenError(f"{key!r} is not a key; write it as section.key, e.g. training.epochs.")
    return path


def _override(tables: Mapping[str, Any], path: Sequence[str], value: Any, key: str) -> dict[str, Any]:
    first, *rest = path
    if not rest:
        return {**tables, first: value}
    inner = tables.get(first, {})
    if not isinstance(inner, Mapping):
        raise UnseenError(f"'{key}': '{first}' is a value ({shown(inner)}), not a section.")
    return {**tables, first: _override(inner, rest, value, key)}


def setting(text: str) -> tuple[str, Any]:
    """One ``--set key=value``: the value is read as TOML, or as plain text where it is none.

    >>> setting("training.epochs=3"), setting("world.name=digits")
    (('training.epochs', 3), ('world.name', 'digits'))
    """
    key, equals, _ = text.partition("=")
    if not equals or not key.strip():
        raise UnseenError(f"--set {text!r} has no key and value; write it as --set training.epochs=5.")
    return key.strip(), setting_value(text)


def recipe_from(tables: Mapping[str, Any], where: str = "recipe") -> Recipe:
    """Check nested tables and give the recipe, or an error that names the key, what was given and what is possible."""
    check_plain(tables, where)
    check_filled_in(tables, where)
    tables = dict(tables)
    tables["grid"] = grids_of(tables, where)
    for one in tables["grid"]:
        for key, values in one.items():
            if not isinstance(values, list) or not values:
                raise UnseenError(
                    f'{where}: grid "{key}" = {shown(values)} must be a list of values to try, e.g. [1, 2, 4].'
                )
    try:
        return Recipe.model_validate(tables)
    except ValidationError as error:
        problems = error.errors()
        numbers = {_key_of(problem) for problem in problems if problem["loc"][-1] == "float"}  # or a word
        told = {}  # a key that may be one of two kinds is complained of twice: once is enough
        for problem in problems:
            key = _key_of(problem)
            if key not in numbers or problem["type"] == "literal_error":
                told.setdefault(key, _explain(problem, where, "a number" if key in numbers else "a list of names"))
        raise UnseenError("\n".join(told.values())) from None


def read_recipe(path: Path, settings: Sequence[str] = ()) -> Recipe:
    """A recipe file, with ``--set`` changes applied. Relative paths in it are relative to the working directory."""
    return recipe_from(changed(read_tables(path), settings, str(path)), str(path))


def read_tables(path: Path) -> dict[str, Any]:
    """A recipe file's tables, laid over those of the recipe it ``extends`` (a neighbour's name, or a shipped one's)."""
    return extended(own_tables(path), path)


def own_tables(path: Path) -> dict[str, Any]:
    """A recipe file's tables as they are written there."""
    tables = parse(text_of(path), str(path))
    check_plain(tables, str(path))
    return tables


def check_own(own: Mapping[str, Any], resolved: Sequence[Mapping[str, Any]], where: str) -> None:
    """What a recipe writes itself must do something, before or after ``--set``: see
    :mod:`unseen.vocabulary.unused_keys`. What is written as it would be anyway says nothing, and a section with every
    key is a study's own file, which has what its recipe inherited."""
    for section in dict.fromkeys(one.section for one in UNUSED):
        given, fields = own.get(section), SECTIONS[section].model_fields
        if isinstance(given, Mapping) and not {key for key in fields if fields[key].default is not None} <= set(given):
            chosen = {key: value for key, value in given.items() if key in fields and value != fields[key].default}
            check_unused(section, chosen, resolved, where)


def extended(tables: Mapping[str, Any], path: Path = Path("recipe")) -> dict[str, Any]:
    """Tables laid over those of the recipe they extend, if any; ``path`` is the file they stand in."""
    check_plain(tables, str(path))
    layers, above = [dict(tables)], [path.resolve()]
    while (name := layers[-1].pop("extends", None)) is not None:
        path = _extended_file(name, path)
        if path.resolve() in above:
            first = above[-1]
            raise UnseenError(f"{first} extends '{name}', which extends it in turn; one of them must stand alone.")
        above.append(path.resolve())
        layers.append(own_tables(path))
    return reduce(laid_over, reversed(layers))


def _extended_file(name: object, path: Path) -> Path:
    """The file of the recipe that the one in ``path`` extends."""
    if not isinstance(name, str) or not name:
        raise UnseenError(f'{path}: extends = {shown(name)} must be the name of one recipe, e.g. extends = "demo".')
    places = [path.parent / f"{name}.toml", RECIPES / f"{name}.toml"]
    for place in places:
        if is_file(place):
            return place
    beside = sorted(place.stem for place in path.parent.glob("*.toml") if place != path)
    raise unknown("recipe", name, [*beside, *shipped()], where=f"{path}: extends")


def laid_over(base: Mapping[str, Any], own: Mapping[str, Any], *, sections: bool = True) -> dict[str, Any]:
    """Sections joined key by key, own values winning; a grid is taken whole, and an empty table in a section empties
    that of the base.

    >>> laid_over({"training": {"epochs": 10, "lr": 0.1}, "grid": {"a": [1]}}, {"training": {"lr": 0.2}, "grid": {}})
    {'training': {'epochs': 10, 'lr': 0.2}, 'grid': {}}
    >>> laid_over({"calibration": {"steps": {"blur": 1}, "target": 0.1}}, {"calibration": {"steps": {}}})
    {'calibration': {'steps': {}, 'target': 0.1}}
    """
    joined = dict(base)
    for key, value in own.items():
        both = isinstance(value, Mapping) and isinstance(base.get(key), Mapping) and key != "grid"
        joined[key] = laid_over(base[key], value, sections=False) if both and (value or sections) else value
    return joined


def shipped() -> dict[str, Path]:
    """Names and files of the recipes that come with the package."""
    return {path.relative_to(RECIPES).with_suffix("").as_posix(): path for path in sorted(RECIPES.rglob("*.toml"))}


def changed(tables: Mapping[str, Any], settings: Sequence[str], where: str) -> dict[str, Any]:
    """Tables with ``--set`` changes applied; what would do nothing is refused: a key that the grid varies would be
    overruled, a readout needs an encoder (see :mod:`unseen.vocabulary.unused_keys`)."""
    tables = dict(tables)
    pairs = [setting(change) for change in settings]
    paths = [_path(key) for key, _ in pairs]
    varying = {".".join(rest) for first, *rest in paths if first == "grid"}
    for (key, value), (first, *rest) in zip(pairs, paths):
        if first == "grid" and rest and isinstance(tables.get("grid"), list | tuple):
            tables["grid"] = varied(grids_of(tables, where), ".".join(rest), value)
        else:
            tables = override(tables, key, value)
    for change, (key, value), path in zip(settings, pairs, paths):
        check_overruled(grids_of(tables, where), ".".join(path), change, also=".".join(path) in varying)
        if value != {}:
            check_unused(path[0], _within(path[1:], value), [tables], where, f"--set {key}")
    return tables


def _within(path: Sequence[str], value: Any) -> Mapping[str, Any]:
    """The keys of a section that a setting sets: one, or all of a table."""
    return {path[0]: value} if path else value if isinstance(value, Mapping) else {}


def _key_of(problem: Any) -> str:
    """The dotted key that a complaint is about; pydantic adds the kinds it tried ("literal[...]")."""
    return ".".join(str(part) for part in problem["loc"] if not re.match(r"(literal|tuple)\[|float$", str(part)))


def _explain(problem: Any, where: str, instead: str) -> str:
    """One pydantic complaint as a sentence. ``instead``: what a key that takes words may also be given."""
    key = _key_of(problem)
    place = key.split(".")
    given = shown(problem["input"])
    if problem["type"] == "model_type":
        below = "name = ..." if key in ("world", "design") else "its keys"
        return f"{where}: {key} = {given} must be a section, e.g. [{key}] and {below} below it."
    if problem["type"] == "value_error":  # of a whole section
        return f"{where}: [{key}] {problem['ctx']['error']}."
    if problem["type"] == "tuple_type":
        return f"{where}: {key} = {given} must be a list, e.g. [{given}]."
    if problem["type"] == "extra_forbidden":
        model: Any = Recipe
        for part in place[:-1]:
            field = model.model_fields.get(part)
            model = field.annotation if field is not None else Recipe
        names = list(model.model_fields)
        guess = nearest(place[-1], names)
        hint = f" Did you mean '{guess}'?" if guess else ""
        return f"{where}: no key '{key}'; possible: {listed(names, most=20)}.{hint}"
    if problem["type"] == "missing":
        return f"{where}: '{key}' is missing; every recipe needs title, [world] with a name and [design] with a name."
    if problem["type"] == "literal_error":
        expected = problem["ctx"]["expected"]
        guess = nearest(problem["input"], [word.strip("' ") for word in expected.replace(" or ", ",").split(",")])
        hint = f" Did you mean '{guess}'?" if guess else ""
        also = f", or {instead}" if "literal" in str(problem["loc"][-1]) else ""
        return f"{where}: {key} = {given}; possible: {expected}{also}.{hint}"
    if problem["type"] == "dict_type":
        return f"{where}: {key} = {given} must be a table, e.g. {{ NAME = VALUE }}."
    if problem["type"] in ("float_parsing", "float_type"):
        return f"{where}: {key} = {given} must be a number."
    if problem["type"] == "bool_type":
        return f"{where}: {key} = {given} must be true or false."
    return f"{where}: {key} = {given}: {problem['msg'][0].lower()}{problem['msg'][1:]}."
