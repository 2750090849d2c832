"""A recipe names a world, a design, a network, its training and a grid over them; checked before any work starts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from unseen.vocabulary.errors import UnseenError, listed, nearest, unknown
from unseen.vocabulary.grids import check_overruled, grids_of, setting_value, varied
from unseen.vocabulary.idle import check_readout

RECIPES = Path(str(files("unseen") / "recipes"))
SETS = ("seen", "unseen")


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)


class Named(BaseModel):
    """A section that names a row of a table and gives its arguments; those are checked against its signature."""

    model_config = ConfigDict(extra="allow", frozen=True)
    name: str

    @property
    def arguments(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


class DesignSection(Named):
    seed: int = 0


class NetworkSection(Section):
    backbone: str = "resnet18"
    sharing: str = "shared"
    stem: Literal["standard", "small"] = "standard"
    channels: Literal[1, 3] = 3
    as_released: bool = False
    checkpoint: str | None = None
    pretrained: bool = False
    frozen: bool = False
    arguments: dict[str, Any] = {}


class TrainingSection(Section):
    """How weights come to be. Adam, 1e-3, lowest validation loss: Madan et al. 2022; the other defaults are ours."""

    epochs: int = Field(default=10, ge=1)
    batch: int = Field(default=256, ge=1)
    optimiser: Literal["adam", "adamw", "sgd"] = "adam"
    lr: float = Field(default=1e-3, gt=0)
    momentum: float = Field(default=0.9, ge=0, lt=1)
    weight_decay: float = Field(default=0.0, ge=0)
    schedule: Literal["constant", "cosine", "linear"] = "constant"
    warmup: float = Field(default=0.0, ge=0)
    loss_weights: dict[str, float] = {}
    augment: dict[str, float] = {}
    normalise: Literal["imagenet", "mnist", "half", "none", "lite", "per-image"] = "imagenet"
    select: Literal["best", "last"] = "best"
    patience: int | None = Field(default=None, ge=1)
    precision: Literal["auto", "float32", "bf16"] = "auto"
    compile: bool = False
    threads: int = Field(default=1, ge=1)
    objective: str = "supervised"
    objective_arguments: dict[str, Any] = {}

    @model_validator(mode="after")
    def _stops_for_the_best(self) -> TrainingSection:
        if self.patience is not None and self.select == "last":
            raise ValueError(
                f'patience = {self.patience} stops training once no epoch was better for so long, and select = "last" '
                'does not ask which is the best; leave patience out or set select = "best"'
            )
        return self


class SearchSection(Section):
    """Learning rate and weight decay by a grid, each tried on the training rows without a ``share`` of them that is
    then asked; the best is trained on all (Zaidi et al. 2020: 10 %). Both lists empty: no search."""

    lr: tuple[Annotated[float, Field(gt=0, allow_inf_nan=False)], ...] = ()
    weight_decay: tuple[Annotated[float, Field(ge=0, allow_inf_nan=False)], ...] = ()
    share: float = Field(default=0.1, gt=0, lt=1)


class CalibrationSection(Section):
    """Strengths of transformations, raised in ``steps`` (one per level; none: no calibration) until a network trained
    on plain images falls under ``target``: accuracy, or "relative": a tenth of the way from chance to the plain one."""

    steps: dict[str, float] = {}
    target: float | Literal["relative"] = 0.1
    most: int = Field(default=20, ge=1)
    images: int = Field(default=2000, ge=1)
    seed: int = 0


class RecordingsSection(Section):
    """What is kept of a trained network. ``layers``: "last", "all", "none" or names.

    ``cells`` keeps the mean activity of their units in every cell of the design's two factors. ``invariance`` keeps the
    score of every unit on the probe's images plain and transformed; a unit is active above ``threshold``, which
    "search" finds by ablation. ``negative``: what to do with activity below 0."""

    sets: tuple[str, ...] = SETS
    layers: Literal["last", "all", "none"] | tuple[str, ...] = "last"
    activity: Literal["mean", "max"] = "mean"
    cells: bool = True
    weights: bool = False
    invariance: bool = False
    threshold: float | Literal["search"] = "search"
    negative: Literal["error", "rectify", "keep"] = "error"


class MeasuresSection(Section):
    variant: Literal["paper", "as_released"] = "paper"
    scaling: Literal["min-max", "max", "none"] = "min-max"


class Recipe(Section):
    """A study. ``grid`` maps dotted keys to lists of values; several grids (``[[grid]]``) are joined."""

    title: str
    question: str = ""
    shows: str = ""
    world: Named
    design: DesignSection
    targets: tuple[str, ...] = ()
    task: Literal["classification", "regression"] = "classification"
    network: NetworkSection = NetworkSection()
    training: TrainingSection = TrainingSection()  # pyright: ignore[reportCallIssue]
    readout: TrainingSection = TrainingSection()  # pyright: ignore[reportCallIssue]
    search: SearchSection = SearchSection()  # pyright: ignore[reportCallIssue]
    calibration: CalibrationSection = CalibrationSection()  # pyright: ignore[reportCallIssue]
    recordings: RecordingsSection = RecordingsSection()
    measures: MeasuresSection = MeasuresSection()
    seeds: tuple[int, ...] = Field(default=(0, 1, 2), min_length=1)
    grid: tuple[dict[str, list[Any]], ...] = ({},)
    published: str = ""
    citation: str = ""


def parse(text: str, where: str = "recipe") -> dict[str, Any]:
    """TOML text to nested tables, with the line named where it does not parse."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnseenError(f"{where} is not valid TOML: {error}. Text needs quotes, lists need brackets.") from None


def override(tables: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:
    """The same tables with one dotted key set; quotes keep a dotted name together, as in TOML.

    >>> override({"a": {"b": 1}}, "a.b", 2), override({}, 'grid."a.b"', [1])
    ({'a': {'b': 2}}, {'grid': {'a.b': [1]}})
    """
    return _override(tables, _path(key), value, key)


def _path(key: str) -> list[str]:
    path = [quoted or bare.strip() for quoted, bare in re.findall(r'"([^"]*)"|([^".]+)', key)]
    if not path or key.count('"') % 2 or key.strip().startswith(".") or key.strip().endswith(".") or ".." in key:
        raise UnseenError(f"{key!r} is not a key; write it as section.key, e.g. training.epochs.")
    return path


def _override(tables: Mapping[str, Any], path: Sequence[str], value: Any, key: str) -> dict[str, Any]:
    first, *rest = path
    if not rest:
        return {**tables, first: value}
    inner = tables.get(first, {})
    if not isinstance(inner, Mapping):
        raise UnseenError(f"'{key}': '{first}' is a value ({inner!r}), not a section.")
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
    tables = dict(tables)
    tables["grid"] = grids_of(tables, where)
    for one in tables["grid"]:
        for key, values in one.items():
            if not isinstance(values, list) or not values:
                raise UnseenError(
                    f'{where}: grid "{key}" = {values!r} must be a list of values to try, e.g. [1, 2, 4].'
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


def read_tables(path: Path, above: tuple[Path, ...] = ()) -> dict[str, Any]:
    """A recipe file's tables, laid over those of the recipe it ``extends`` (a neighbour's name, or a shipped one's)."""
    return extended(own_tables(path), path, above)


def own_tables(path: Path) -> dict[str, Any]:
    """A recipe file's tables as they are written there."""
    if not path.is_file():
        raise UnseenError(f"no recipe file '{path}'. `unseen recipes` lists those that ship; `unseen init` writes one.")
    try:
        return parse(path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError:
        raise UnseenError(f"'{path}' is not a recipe: it is not UTF-8 text.") from None


def check_own_readout(own: Mapping[str, Any], resolved: Sequence[Mapping[str, Any]], where: str) -> None:
    """A ``[readout]`` that a recipe writes itself must have something to read out, before or after ``--set``. What is
    written there as it would be anyway says nothing, and a section with every key is a study's own file, which has
    what its recipe inherited."""
    given, fields = own.get("readout"), TrainingSection.model_fields
    if isinstance(given, Mapping) and not {key for key in fields if fields[key].default is not None} <= set(given):
        chosen = [
            f"{key} = {value!r}" for key, value in given.items() if key in fields and value != fields[key].default
        ]
        if chosen:
            check_readout(f"[readout] ({listed(chosen)})", resolved, where)


def extended(tables: Mapping[str, Any], path: Path = Path("recipe"), above: tuple[Path, ...] = ()) -> dict[str, Any]:
    """Tables laid over those of the recipe they extend, if any; ``path`` is the file they stand in."""
    own = dict(tables)
    name = own.pop("extends", None)
    if name is None:
        return own
    places = [path.parent / f"{name}.toml", RECIPES / f"{name}.toml"]
    base = next((place for place in places if place.is_file()), None)
    if base is None:
        beside = sorted(place.stem for place in path.parent.glob("*.toml") if place != path)
        raise unknown("recipe", name, [*beside, *shipped()], where=f"{path}: extends")
    if base in above or base == path:
        raise UnseenError(f"{path} extends '{name}', which extends it in turn; one of them must stand alone.")
    return laid_over(read_tables(base, (*above, path)), own)


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
    overruled, a readout needs an encoder."""
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
        if path[0] == "readout" and value != {}:
            check_readout(f"--set {key}", [tables], where)
    return tables


def _key_of(problem: Any) -> str:
    """The dotted key that a complaint is about; pydantic adds the kinds it tried ("literal[...]")."""
    return ".".join(str(part) for part in problem["loc"] if not re.match(r"(literal|tuple)\[|float$", str(part)))


def _explain(problem: Any, where: str, instead: str) -> str:
    """One pydantic complaint as a sentence. ``instead``: what a key that takes words may also be given."""
    key = _key_of(problem)
    place = key.split(".")
    given = problem["input"]
    if problem["type"] == "model_type":
        below = "name = ..." if key in ("world", "design") else "its keys"
        return f"{where}: {key} = {given!r} must be a section, e.g. [{key}] and {below} below it."
    if problem["type"] == "value_error":  # of a whole section
        return f"{where}: [{key}] {problem['ctx']['error']}."
    if problem["type"] == "tuple_type":
        return f"{where}: {key} = {given!r} must be a list, e.g. [{given!r}]."
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
        return f"{where}: {key} = {given!r}; possible: {expected}{also}.{hint}"
    if problem["type"] == "dict_type":
        return f"{where}: {key} = {given!r} must be a table, e.g. {{ NAME = VALUE }}."
    if problem["type"] in ("float_parsing", "float_type"):
        return f"{where}: {key} = {given!r} must be a number."
    return f"{where}: {key} = {given!r}: {problem['msg'][0].lower()}{problem['msg'][1:]}."
