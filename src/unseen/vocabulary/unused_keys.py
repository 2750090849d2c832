"""Settings that would do nothing: told before work starts, where only the whole recipe shows it.

Only what a recipe or ``--set`` says itself is asked about. What is inherited is there for the trials of the recipe it
comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.grids import grids_of
from unseen.vocabulary.protocol_names import BY_LABELS, SUPERVISED


@dataclass(frozen=True)
class UnusedKeys:
    """Keys of a section (none named: all) that do nothing unless some trial ``needs`` them; ``why`` ends a sentence."""

    section: str
    keys: tuple[str, ...]
    needs: Callable[[Mapping[str, Any], str], bool]
    why: str


def values_of(tables: Mapping[str, Any], section: str, key: str, where: str, default: Any) -> list[Any]:
    """All values that a key has in the trials of a recipe's tables.

    >>> values_of({"network": {"stem": "small"}, "grid": [{}, {"network.stem": ["a", "b"]}]}, "network", "stem", "", 0)
    ['small', 'a', 'b']
    """
    given = tables.get(section)
    plain = given.get(key, default) if isinstance(given, Mapping) else default
    found: list[Any] = []
    for one in grids_of(tables, where):
        values = one.get(f"{section}.{key}", [plain])
        found += values if isinstance(values, list) else [values]
    return found


def reads_out(tables: Mapping[str, Any], where: str) -> bool:
    """Whether any trial of a recipe's tables may have a readout: it learns without labels first, or by a protocol of
    which nothing is known here.

    >>> reads_out({"training": {"epochs": 3}}, "recipe")
    False
    >>> reads_out({"grid": [{}, {"training.objective": ["beta-vae"]}]}, "recipe")
    True
    >>> reads_out({"grid": [{"protocol": ["scratch", "of-another-package"]}]}, "recipe")
    True
    """
    plain = [tables.get("protocol", "")]
    given = [one.get("protocol", plain) for one in grids_of(tables, where)]
    named = [name for one in given for name in (one if isinstance(one, list) else [one])]
    if any(name and name not in BY_LABELS for name in named):
        return True
    return any(value != SUPERVISED for value in values_of(tables, "training", "objective", where, SUPERVISED))


def pretrains(tables: Mapping[str, Any], where: str) -> bool:
    """Whether any trial of a recipe's tables has a world to be pretrained on.

    >>> pretrains({"pretraining": {"world": {"name": "objects"}}}, "recipe"), pretrains({}, "recipe")
    (True, False)
    """
    inside = any(key.startswith("pretraining.world") for one in grids_of(tables, where) for key in one)
    return inside or any(values_of(tables, "pretraining", "world", where, None))


def _searches(tables: Mapping[str, Any], where: str) -> bool:
    return any(v for key in ("lr", "weight_decay") for v in values_of(tables, "search", key, where, ()))


def _calibrates(tables: Mapping[str, Any], where: str) -> bool:
    return any(values_of(tables, "calibration", "steps", where, {}))


def _explains(tables: Mapping[str, Any], where: str) -> bool:
    return any(values_of(tables, "explanations", "methods", where, ()))


def _scores(tables: Mapping[str, Any], where: str) -> bool:
    return any(values_of(tables, "recordings", "invariance", where, False))


def _widens(tables: Mapping[str, Any], where: str) -> bool:
    return any(value == "shared-wide" for value in values_of(tables, "network", "sharing", where, "shared"))


def _rolls(tables: Mapping[str, Any], where: str) -> bool:
    return any(value == "sgd" for value in values_of(tables, "training", "optimiser", where, "adam"))


UNUSED: tuple[UnusedKeys, ...] = (
    UnusedKeys(
        "readout",
        (),
        reads_out,
        f"it is for the readout of an encoder that learned without labels, and all trials of this recipe learn by them "
        f"(training.objective = '{SUPERVISED}', the default). Leave it out (no result changes), or set "
        "training.objective and its encoder as network.backbone (`unseen models` lists them).",
    ),
    UnusedKeys(
        "pretraining",
        (),
        pretrains,
        "it has no world to learn from. Leave it out, or give it one: [pretraining.world] and name = ... below it.",
    ),
    UnusedKeys(
        "search",
        ("share",),
        _searches,
        "nothing is searched for, since neither search.lr nor search.weight_decay lists what to try. Leave it out, or "
        "give a list.",
    ),
    UnusedKeys(
        "calibration",
        ("target", "most", "images", "seed"),
        _calibrates,
        "nothing is calibrated, since calibration.steps names no transformation. Leave it out, or give e.g. "
        "calibration.steps = { blur = 0.5 }.",
    ),
    UnusedKeys(
        "recordings",
        ("threshold", "negative"),
        _scores,
        "it is for the invariance of units, which is not recorded. Leave it out, or set recordings.invariance = true.",
    ),
    UnusedKeys(
        "explanations",
        ("images", "scored", "checked", "orders", "settings"),
        _explains,
        "no method is named, so no map is recorded. Leave it out, or name some, e.g. explanations.methods = "
        '["gradient", "grad-cam"].',
    ),
    UnusedKeys(
        "network",
        ("as_released",),
        _widens,
        "it narrows the stem of sharing = 'shared-wide', and no trial of this recipe has that. Leave it out, or set "
        'network.sharing = "shared-wide".',
    ),
    UnusedKeys(
        "training",
        ("momentum",),
        _rolls,
        "it is for optimiser = 'sgd', and no trial of this recipe has that. Leave it out, or set training.optimiser = "
        '"sgd".',
    ),
)


def check_unused(
    section: str, given: Mapping[str, Any], tables: Sequence[Mapping[str, Any]], where: str, said: str = ""
) -> None:
    """These keys of a section were said (``said``: in these words), so some trial of these tables must need them."""
    for row in UNUSED:
        found = {key: value for key, value in given.items() if not row.keys or key in row.keys}
        if row.section == section and found and not any(row.needs(one, where) for one in tables):
            chosen = listed(f"{key} = {value!r}" for key, value in found.items())
            what = said or f"[{section}] ({chosen})"
            raise UnseenError(f"{where}: {what} does nothing: {row.why}")
