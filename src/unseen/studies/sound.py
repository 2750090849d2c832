"""Whether a finished trial is what it should be: its facts have their keys and kinds, and its files can be opened.

A store may have been edited by hand, half copied, made by another program or spoilt by a disk. Whoever reads it later
may rely on what is checked here; what is not as it should be is told by file and key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from unseen.studies.archives import ARRAYS, ENCODER, ENCODERS, FACTS, IDENTITY, SUBJECT, TABLES, plain_json
from unseen.vocabulary.design_facts import needed_facts
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.subjects import MODEL, PEOPLE
from unseen.vocabulary.visible import visible

ANSWERS = ("set", "target", "truth", "response")
ACTIVITY = "activity.safetensors"
MAPS = "maps.safetensors"
NO_ACTIVITY = f"{ACTIVITY} is missing, so that its units are not counted; all else of it is"


class Damaged(UnseenError):
    """A finished trial whose files are not what they were."""

    def __init__(self, folder: Path, why: object) -> None:
        self.folder, self.why = folder, visible(why)
        super().__init__(
            f"trial '{folder}' cannot be read: it {self.why}. Nothing else is lost. Move that folder out of the study "
            f"and run the study again: only this trial is trained again."
        )


def damaged(folder: Path, error: object) -> Damaged:
    """The same, for a file that could not be read."""
    return Damaged(folder, f"has files that cannot be read ({error})")


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds) and not (isinstance(value, bool) and bool not in kinds)


def _maps(of: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(map(of, value.values()))


def _lists(of: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(of, value))


_text, _table, _whole, _number = _is(str), _is(dict), _is(int), _is(int, float)
_count: Callable[[Any], bool] = lambda value: _whole(value) and value >= 0  # noqa: E731
_side: Callable[[Any], bool] = lambda value: _lists(_count)(value) and len(value) == 2  # noqa: E731
_MOST_EPOCHS = 10**9


def _curve(value: Any) -> bool:
    """Epochs with numbers, which may be NaN where training diverged; the epoch itself is a count."""
    if not _lists(_maps(_is(int, float, type(None))))(value):
        return False
    epochs = (point.get("epoch") for point in value)
    return all(epoch is None or 0 <= epoch <= _MOST_EPOCHS for epoch in epochs)


_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "identity": (_text, "a text"),
    "label": (_text, "a text"),
    "condition": (_table, "a table"),
    "seed": (_whole, "a whole number"),
    "description": (_table, "a table"),
    "facts": (_table, "a table"),
    "factors": (lambda value: _lists(_text)(value) and bool(value), "a list of names"),
    "targets": (_maps(_is(list)), "a table of lists"),
    "sets": (_maps(_count), "a table of counts"),
    "tasks": (_maps(_lists(_text)), "a table of lists of names"),
    "network": (_table, "a table"),
    "curve": (_curve, "a list of tables of numbers with an epoch each"),
    "best_epoch": (_whole, "a whole number"),
    "flags": (_maps(_text), "a table of texts"),
    "seconds_together": (_number, "a number"),
    "packed": (lambda value: _whole(value) and value >= 1, "a whole number of at least one"),
    "machine": (_maps(_text), "a table of texts"),
}
_INSIDE: dict[tuple[str, ...], tuple[Callable[[Any], bool], str]] = {
    ("sets", "train"): (_count, "a count"),
    ("machine", "device"): (_text, "a text"),
    ("network", "backbone"): (_text, "a text"),
    ("network", "parameters"): (_number, "a number"),
    ("description", "network"): (_table, "a table"),
    ("description", "network", "sharing"): (_text, "a text"),
    ("description", "network", "backbone"): (_text, "a text"),
    ("description", "training"): (_table, "a table"),
    ("description", "training", "precision"): (_text, "a text"),
}
_MAYBE = {
    ("task",): (_text, "a text"),
    ("finished",): (_text, "a text"),
    ("invariance",): (_table, "a table"),
    ("invariance", "layers"): (_maps(_maps(_table)), "a table of tables"),
    ("invariance", "images"): (_maps(_count), "a table of counts"),
    ("search",): (_table, "a table"),
    ("network", "notes"): (lambda value: value is None or _lists(_text)(value), "a list of texts"),
    ("network", "sharing"): (_is(str, type(None)), "a text"),
    ("network", "stem"): (_text, "a text"),
    ("network", "input_size"): (_side, "two counts"),
    ("network", "positions"): (_side, "two counts"),
    ("description", "world"): (_table, "a table"),
    ("description", "world", "name"): (_text, "a text"),
    ("description", "design"): (_table, "a table"),
    ("description", "recordings"): (_table, "a table"),
    ("facts", "withheld"): (_maps(_is(list)), "a table of lists"),
    ("facts", "grid"): (_lists(_count), "a list of counts"),
    ("facts", "combinations"): (_is(int, float, type(None)), "a number"),
}
_OF_SPLIT = {  # by the words of `needed_facts`
    "number": (_number, "a number"),
    "numbers": (_lists(_count), "a list of numbers"),
    "names": (_is(str, list), "a name"),
    "list": (_is(list), "a list"),
}


# What a trial that trained nothing has in place of what training tells.
_UNTRAINED: dict[str, Any] = {
    "tasks": {}, "network": {}, "curve": [], "best_epoch": -1, "flags": {}, "seconds_together": 0.0, "packed": 1,
    "machine": {},
}  # fmt: skip
_SUBJECT: dict[tuple[str, ...], tuple[Callable[[Any], bool], str]] = {
    ("label",): (_text, "a text"),
    ("subject",): (_table, "a table"),
    ("subject", "name"): (_text, "a text"),
    ("subject", "kind"): (lambda value: value in (MODEL, PEOPLE), "a kind of subject"),
    ("subject", "persons"): (_count, "a count"),
    ("description",): (_table, "a table"),
    ("description", "world"): (_table, "a table"),
    ("description", "world", "name"): (_text, "a text"),
    ("description", "world", "fingerprint"): (_text, "a text"),
    ("factors",): (lambda value: _lists(_text)(value) and bool(value), "a list of names"),
    ("targets",): (_maps(_lists(_text)), "a table of lists of names"),
    ("sets",): (_maps(_count), "a table of counts"),
    ("asked",): (_text, "a text"),
    ("no_answer",): (lambda value: value in ("wrong", "skip"), "'wrong' or 'skip'"),
    ("counts",): (_maps(_count), "a table of counts"),
    ("added",): (_text, "a text"),
}


_ENCODER: dict[tuple[str, ...], tuple[Callable[[Any], bool], str]] = {
    ("label",): (_text, "a text"),
    ("objective",): (_text, "a text"),
    ("images",): (_maps(_count), "a table of counts"),
    ("curve",): (_curve, "a list of tables of numbers with an epoch each"),
    ("flags",): (_maps(_text), "a table of texts"),
    ("machine",): (_maps(_text), "a table of texts"),
    ("seconds",): (_number, "a number"),
    ("digest",): (_text, "a text"),
}


def read_encoder(folder: Path) -> dict[str, Any]:
    """What is told of a pretrained network, checked; its weights are what was written."""
    facts = _json(folder, ENCODER)
    for path, kind in _ENCODER.items():
        _check(folder, facts, path, kind, file=ENCODER)
    try:
        if facts["digest"] != digest_of(folder / ENCODERS[0]):
            raise Damaged(folder, f"has {ENCODERS[0]}, which is not what was written")
    except OSError as error:
        raise Damaged(folder, f"has {ENCODERS[0]}, which cannot be read ({error})") from None
    flags = {visible(name): visible(text) for name, text in facts["flags"].items()}
    return {**facts, "label": visible(facts["label"]), "flags": flags}


def digest_of(path: Path) -> str:
    """Of a file's content."""
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "blake2b").hexdigest()[:32]


class DamagedAnswers(Damaged):
    """Answers of a subject that are not what they were."""

    def __init__(self, folder: Path, why: object) -> None:
        super().__init__(folder, why)
        self.args = (
            f"the answers of a subject in '{folder}' cannot be read: it {self.why}. Nothing else is lost. Move that "
            f"folder out of the study and add the answers again (`unseen answers add`).",
        )


def read_subject(folder: Path) -> dict[str, Any]:
    """What is noted of answers that were made elsewhere, checked."""
    try:
        facts = _json(folder, SUBJECT)
        for path, kind in _SUBJECT.items():
            _check(folder, facts, path, kind, file=SUBJECT)
    except Damaged as error:
        raise DamagedAnswers(folder, error.why) from None
    shown = {key: visible(value) if isinstance(value, str) else value for key, value in facts["subject"].items()}
    return {**facts, "label": visible(facts["label"]), "subject": shown}


def check_subject(folder: Path) -> dict[str, Any]:
    """Answers that come from elsewhere: their facts, and that their table can be opened and is of ours."""
    facts = read_subject(folder)
    try:
        _check_table(folder / TABLES[0], (*ANSWERS, "sample"))
    except Damaged as error:
        raise DamagedAnswers(folder, error.why) from None
    return facts


def _json(folder: Path, file: str) -> dict[str, Any]:
    """A table of facts, of the folder that its name says."""
    try:
        facts = plain_json((folder / file).read_bytes())
    except (OSError, ValueError) as error:
        raise Damaged(folder, f"has {file}, which cannot be read ({error})") from None
    if not isinstance(facts, dict):
        raise Damaged(folder, f"has {file}, which holds no table")
    given = facts.get("identity")
    if isinstance(given, str) and given != folder.name:
        raise Damaged(folder, f"is not what its name says ({file} has identity = '{given}')")
    return facts


def read_facts(folder: Path) -> dict[str, Any]:
    """What a trial's file says of it, checked; names for people are made fit to be shown."""
    facts = _json(folder, FACTS)
    if "subject" in facts:  # nothing was trained for it
        facts = {**_UNTRAINED, **facts}
    for key, kind in _KINDS.items():
        _check(folder, facts, (key,), kind)
    for path, kind in _INSIDE.items() if "subject" not in facts else ():
        if path == ("sets", "train") and not facts["curve"]:
            continue  # nothing was trained, perhaps by a design that only asks
        _check(folder, facts, path, kind)
    for path, kind in _MAYBE.items():
        _check(folder, facts, path, kind, needed=False)
    design = str(facts["description"].get("design", {}).get("name"))
    for key, sort in needed_facts(design, facts["facts"]).items():
        _check(folder, facts, ("facts", key), _OF_SPLIT[sort])
    shown = {key: {visible(name): visible(text) for name, text in facts[key].items()} for key in ("flags", "machine")}
    return {**facts, "label": visible(facts["label"]), **shown}


def odd_fact(facts: Mapping[str, Any], keys: Sequence[str]) -> str:
    """The first of these facts that is missing or of another kind; nothing where all are as they should be."""
    return next((key for key in keys if key not in facts or not _KINDS.get(key, (_number,))[0](facts[key])), "")


def _check(
    folder: Path, facts: Any, path: tuple[str, ...], kind: tuple[Callable[[Any], bool], str], *, needed: bool = True,
    file: str = FACTS,
) -> None:  # fmt: skip
    value = facts
    for part in path:
        if not isinstance(value, dict) or part not in value:
            if needed:
                raise Damaged(folder, f"has {file} without '{'.'.join(path)}'")
            return
        value = value[part]
    if not kind[0](value):
        raise Damaged(folder, f"has {file}, in which {'.'.join(path)} = {str(value)[:40]!r} is not {kind[1]}")


def check_trial(folder: Path) -> None:
    """A trial that comes from elsewhere: its name, its facts and its files."""
    if not IDENTITY.fullmatch(folder.name) or not (folder / FACTS).is_file():
        raise Damaged(folder, f"is not what its name says: it has no {FACTS}")
    check_files(read_facts(folder), folder)


def check_files(facts: Mapping[str, Any], folder: Path) -> None:
    """A trial's tables and arrays can be opened and have the columns and axes of ours; their content is not read."""
    from pyarrow import ArrowException
    from safetensors import SafetensorError

    for name in TABLES:
        if name == TABLES[0] or (folder / name).exists():
            _check_table(folder / name, ANSWERS if name == TABLES[0] else ())
    for name in ARRAYS:
        if not (folder / name).exists():
            continue
        try:
            shapes = _shapes(folder / name)
        except (OSError, SafetensorError, ArrowException, ValueError) as error:
            raise Damaged(folder, f"has {name}, which cannot be opened ({error})") from None
        if name == ACTIVITY:
            _check_activity(facts, folder, shapes)
        elif name == MAPS:
            if not {"rows", "pictures"} <= set(shapes):
                raise Damaged(folder, f"has {name} without 'rows' or 'pictures'")
        elif not {"codes", "levels"} <= set(shapes):
            raise Damaged(folder, f"has {name} without 'codes' or 'levels'")


def _check_table(path: Path, columns: tuple[str, ...]) -> None:
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    try:
        found = pq.read_schema(path).names
    except FileNotFoundError:
        raise Damaged(path.parent, f"lacks its {path.name}") from None
    except (OSError, ArrowException, ValueError, RecursionError) as error:
        raise Damaged(path.parent, f"has {path.name}, which cannot be opened ({error})") from None
    missing = [name for name in columns if name not in found]
    if missing:
        raise Damaged(path.parent, f"has {path.name} without the column '{missing[0]}'")


def _shapes(path: Path) -> dict[str, tuple[int, ...]]:
    from safetensors import safe_open

    with safe_open(path, framework="np") as tensors:
        return {name: tuple(tensors.get_slice(name).get_shape()) for name in tensors.keys()}  # noqa: SIM118


def _check_activity(facts: Mapping[str, Any], folder: Path, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Units × levels × levels of each layer that was recorded, the same levels in all."""
    layers = {name: shape for name, shape in shapes.items() if name != "images"}
    for name, shape in layers.items():
        if name not in facts["tasks"]:
            raise Damaged(folder, f"has {ACTIVITY} with '{name}', which is no layer that was recorded")
        if len(shape) != 3 or 0 in shape:
            raise Damaged(folder, f"has {ACTIVITY} with '{name}' of shape {list(shape)}, not [units, rows, columns]")
    grids = {shape[1:] for shape in layers.values()} | {shape for name, shape in shapes.items() if name == "images"}
    if len(grids) > 1:
        raise Damaged(folder, f"has {ACTIVITY}, whose layers are of different grids")
    if len(facts["factors"]) != 2 and layers:
        raise Damaged(folder, f"has {ACTIVITY}, and its design has {len(facts['factors'])} factors, not two")


def lacks_activity(facts: Mapping[str, Any], folder: Path) -> bool:
    """Whether the activity of units was recorded and is not there any more."""
    recorded = facts["description"].get("recordings")
    return bool(
        recorded is not None and recorded.get("cells", True) and facts["tasks"] and not (folder / ACTIVITY).is_file()
    )
