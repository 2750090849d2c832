"""A recipe names a world, a design, a network, its training and a grid over them; checked before any work starts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from unseen.vocabulary.errors import UnseenError, listed, nearest, unknown
from unseen.vocabulary.grids import check_overruled, grids_of, setting_value, varied
from unseen.vocabulary.plain_values import DEEPEST, Whole, check_plain, shown
from unseen.vocabulary.protocol_names import PROBE, implied
from unseen.vocabulary.recipe_text import is_file, parse, text_of
from unseen.vocabulary.sections import (
    SECTIONS,
    AnswersSection,
    CalibrationSection,
    DesignSection,
    ExplanationsSection,
    MeasuresSection,
    NamedSection,
    NetworkSection,
    PretrainingSection,
    RecordingsSection,
    SearchSection,
    Section,
    TrainingSection,
)
from unseen.vocabulary.unfilled import check_filled_in
from unseen.vocabulary.unused_keys import UNUSED, check_unused

RECIPES = Path(str(files("unseen") / "recipes"))


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
