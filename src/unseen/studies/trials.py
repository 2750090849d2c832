"""A recipe's grid becomes trials; a trial's identity is the hash of everything that could change its result.

It has two, one inside the other: that of what was *learned* (all that could change the weights), and that of what was
*recorded* of it (which rows were asked, which layers kept), by which a finished trial is found. Where weights are kept,
another recording is taken from them and nothing is trained.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from unseen.studies.given_models import model_in_identity, model_name
from unseen.studies.identities import KEPT
from unseen.studies.protocol_table import protocol_of
from unseen.studies.tables import component_versions, design_call, digest, placeless
from unseen.vocabulary.errors import UnseenError, listed, nearest
from unseen.vocabulary.protocol_names import NO_PRETRAINING, PROBE
from unseen.vocabulary.recipe import Recipe, override, recipe_from
from unseen.vocabulary.sections import AnswersSection, NetworkSection, PretrainingSection, Section
from unseen.vocabulary.stems import AUTO, STANDARD, settled
from unseen.vocabulary.world import World

PRECISIONS = ("float32", "bf16")
MOST_TRIALS = 100_000
EXPLANATIONS_VERSION = 1  # raise it when maps that are recorded would be others
PRETRAINING_VERSION = 1  # raise it when an encoder would learn otherwise
MOST_VALUES = 3  # of a list, said one by one
DEALT = "world.dealt"  # of the world "shuffled": the control whose labels say nothing


@dataclass(frozen=True)
class Trial:
    """One network to train: a recipe without a grid, a seed, and the grid's values that led here."""

    recipe: Recipe
    seed: int
    condition: Mapping[str, Any]
    learned_from: str = ""  # the fingerprint of the world that its network was pretrained on

    @property
    def label(self) -> str:
        """A short name for people; two trials may have the same, only ``identity`` tells all apart.

        >>> from unseen.vocabulary.recipe import recipe_from
        >>> recipe = recipe_from({"title": "t", "world": {"name": "w"}, "design": {"name": "d"}})
        >>> Trial(recipe, 1, {"design.seen_per_level": 4, "network.sharing": "shared"}).label
        'seen_per_level 4 · shared · seed 1'
        """
        parts = []
        for key, value in self.condition.items():
            bare = isinstance(value, str) and not key.startswith("design.")  # blur: seen, or all but it?
            parts.append(value if bare else setting_text(key, value))
        return " · ".join([*parts, f"seed {self.seed}"])


def setting_text(key: str, value: Any) -> str:
    """A key of a grid and its value in a few words.

    >>> setting_text("design.train", ["blur", "hue"]), setting_text("training.lr", 0.1)
    ('train blur + hue', 'lr 0.1')
    >>> setting_text("design.level", list("abcd")), setting_text("design.train", list("abcd"))
    ('4 levels', 'train 4 levels')
    >>> setting_text("design.seed", 1)  # what is held out is drawn; a network's own seed is another
    'draw 1'
    >>> setting_text("world.dealt", True)
    'random labels'
    >>> setting_text("network.arguments", {"width": 32})
    'width 32'
    """
    if key == DEALT:
        return "random labels" if value else "true labels"
    name = "draw" if key == "design.seed" else key.rpartition(".")[2]
    if isinstance(value, Mapping) and value:
        return " ".join(f"{inner} {given}" for inner, given in value.items())
    if not isinstance(value, list | tuple):
        return f"{name} {value}"
    if len(value) <= MOST_VALUES:
        return f"{name} {' + '.join(map(str, value)) or 'none'}"
    if name in ("level", "levels"):
        return f"{len(value)} levels"
    return f"{name} {len(value)} {'levels' if key.startswith('design.') else 'values'}"


def expand(recipe: Recipe) -> list[Trial]:
    """All trials of a recipe: every combination of each grid, for every seed; a combination named twice counts once."""
    _check_number(recipe)
    base = recipe.model_dump(mode="python")
    trials: dict[tuple[str, int], Trial] = {}
    for grid in recipe.grid:
        keys = list(grid)
        for values in itertools.product(*(grid[key] for key in keys)):
            condition = dict(zip(keys, values))
            tables = {**base, "grid": {}, "seeds": recipe.seeds[:1]}  # many of them are checked once, and not here
            for key, value in condition.items():
                _check_key(tables, key)
                tables = override(tables, key, value)
            single = recipe_from(tables, f"recipe with {condition}").model_copy(update={"seeds": recipe.seeds})
            told = single.model_dump(mode="json", exclude={"grid": True, "recordings": KEPT})
            text = json.dumps(told, sort_keys=True, default=str)
            for seed in recipe.seeds if protocol_of(single).seeded else recipe.seeds[:1]:
                if (text, seed) not in trials:
                    trials[text, seed] = Trial(single, seed, condition)
    return list(trials.values())


def _check_number(recipe: Recipe) -> None:
    """A grid over many keys has more points than anybody can train, and would be listed for ever."""
    count = len(recipe.seeds) * sum(math.prod(map(len, grid.values())) for grid in recipe.grid)
    if count > MOST_TRIALS:
        sizes = listed(f"{key}: {len(values):,}" for grid in recipe.grid for key, values in grid.items())
        raise UnseenError(
            f"this recipe makes {count:,} trials ({len(recipe.seeds):,} seeds; values to try of {sizes}); "
            f"{MOST_TRIALS:,} at most. Each value is tried with each of the others: list fewer, or give several grids."
        )


def _check_key(tables: Mapping[str, Any], key: str) -> None:
    """A dotted grid key must lead to a section that exists; open sections check their own arguments later."""
    section, _, name = key.partition(".")
    sections = (
        "world", "design", "network", "training", "answers", "recordings", "explanations", "measures", "pretraining",
    )  # fmt: skip
    if key in ("protocol", "targets"):
        return
    if section not in sections or not name:
        guess = nearest(key, [f"{s}.{k}" for s in sections for k in (tables.get(s) or {})])
        hint = f" Did you mean '{guess}'?" if guess else ""
        raise UnseenError(
            f'grid key "{key}" must be section.key with a section of {listed(sections)}, or protocol or targets.{hint}'
        )


def precisions(recipe: Recipe, device: str, asked: str = "") -> tuple[str, ...]:
    """Precisions that answer the recipe (or what is ``asked`` in another section of it), the one this device would use
    first: "auto" is content with any."""
    asked = asked or recipe.training.precision
    if asked != "auto":
        return (asked,)
    first = "bf16" if device == "cuda" else "float32"
    return (first, *(p for p in PRECISIONS if p != first))


def describe(trial: Trial, world: World, precision: str) -> dict[str, Any]:
    """All that decides a trial's result, as plain data. Where files lie is not part of it; what they hold is.

    Settings at their defaults are left out, so that a new setting does not orphan old results; a default that changes
    its meaning raises a component's version instead, or is settled before, as the stem is (:func:`stem_of`).
    """
    stem, versions = stem_of(trial.recipe.network, world.size), component_versions(trial.recipe, world.samples.space)
    return described(trial, precision, world.fingerprint, versions, stem=stem)


def stem_of(network: NetworkSection, size: Sequence[int]) -> str:
    """The stem of a trial's network on images of this size."""
    return settled(network.stem, network.backbone, size, weights=bool(network.start))


def without_start(trial: Trial, size: Sequence[int]) -> Trial:
    """The same trial with random weights in the same network: to be looked at, where weights do not matter."""
    own = trial.recipe.network
    bare = own.model_copy(update={"pretrained": False, "checkpoint": None, "stem": stem_of(own, size)})
    changes = {"network": bare, "pretraining": PretrainingSection()}  # pyright: ignore[reportCallIssue]
    return replace(trial, recipe=trial.recipe.model_copy(update=changes))


def without_encoder(trial: Trial) -> Trial:
    """The same trial whose network starts from its first weights, whatever encoder it is to start from: where all its
    weights are at hand, or none matters."""
    if trial.recipe.pretraining.world is None:
        return trial
    first = trial.recipe.pretraining.model_copy(update={"objective": NO_PRETRAINING})
    return replace(trial, recipe=trial.recipe.model_copy(update={"pretraining": first}))


def encoder_described(trial: Trial, *, stem: str, code: bool = True) -> dict[str, Any]:
    """All that decides the encoder a trial starts from: its world, its network, how it learned. Where its precision is
    "auto" it is the same on any device, so that what was made on a GPU serves the same study on a CPU."""
    recipe, section = trial.recipe, trial.recipe.pretraining
    assert section.world is not None
    own = section.model_dump(mode="json", exclude_defaults=True, exclude={"world", "overlap"})
    world = {"name": section.world.name, "arguments": placeless(section.world.arguments)}
    network = recipe.network.model_dump(mode="json", exclude_defaults=True, include={"channels", "arguments"})
    return {
        "world": {**world, "fingerprint": trial.learned_from},
        "network": {
            **network,
            "backbone": recipe.network.backbone,
            **({"stem": stem} if stem != STANDARD else {}),
            **(code_in_identity(recipe.network.backbone) if code else {}),
        },
        "pretraining": {**own, "objective": section.objective},
        "normalise": recipe.training.normalise,
        "version": PRETRAINING_VERSION,
    }


def described(
    trial: Trial, precision: str, fingerprint: str, versions: Mapping[str, int], *, stem: str, code: bool = True
) -> dict[str, Any]:
    """The same, with what a world tells given. ``code=False`` leaves out that of a user's own network.

    The standard stem is left out: it was the default before stems were chosen by size, and those results still hold. So
    is a protocol that other keys say too: named or not, it is the same trial."""
    recipe = trial.recipe
    protocol = protocol_of(recipe)
    if recipe.calibration.steps:  # without its strengths a trial is not yet any trial
        raise UnseenError(
            f"'{trial.label}' needs the strengths of {', '.join(recipe.calibration.steps)}, which are to be calibrated "
            f"first: `unseen run` does it, or unseen.studies.calibration.calibrate(study)."
        )
    _, design_arguments = design_call(recipe.design)
    what = placeless(recipe.world.arguments)
    frozen = recipe.network.frozen or protocol.name == PROBE
    lists = design_arguments.pop("lists", None)
    if lists is not None:
        design_arguments["lists"] = {name: digest("\n".join(map(str, rows))) for name, rows in lists.items()}
    return {
        "world": {"name": recipe.world.name, "arguments": what, "fingerprint": fingerprint},
        "design": {"name": recipe.design.name, "seed": recipe.design.seed, "arguments": design_arguments},
        "targets": list(recipe.targets),
        **({"task": recipe.task} if recipe.task != "classification" else {}),
        **({"protocol": protocol.name} if not recipe.is_implied else {}),
        **({"pretraining": encoder_described(trial, stem=stem, code=code)} if recipe.pretraining.world else {}),
        "network": {
            **_chosen(recipe.network.model_copy(update={"stem": AUTO, "frozen": frozen, "labels": None})),
            **({"stem": stem} if stem != STANDARD else {}),
            **({"model": model_name(recipe.network)} if recipe.network.model else {}),
            "backbone": model_name(recipe.network),
            "sharing": recipe.network.sharing,
            "checkpoint": _content(recipe.network.checkpoint),
            **(_code(recipe.network) if code else {}),
        },
        "training": {**_trained_by(recipe), "precision": precision},
        **({"readout": _chosen(recipe.readout)} if "readout" in protocol.sections else {}),
        **({"search": _chosen(recipe.search)} if protocol.trains and _searched(recipe) else {}),
        **({"answers": answers_in_identity(recipe.answers)} if protocol.answers else {}),
        "recordings": recipe.recordings.model_dump(mode="json", exclude_defaults=True, exclude=KEPT),
        **({"explanations": explanations_in_identity(recipe)} if recipe.explanations.methods else {}),
        "seed": trial.seed,
        "versions": dict(versions),
    }


def explanations_in_identity(recipe: Recipe) -> dict[str, Any]:
    """Maps are recorded of what was learned: they are a part of the second identity alone."""
    return {**_chosen(recipe.explanations), "version": EXPLANATIONS_VERSION}


def _chosen(section: Section) -> dict[str, Any]:
    return section.model_dump(mode="json", exclude_defaults=True)


def _trained_by(recipe: Recipe) -> dict[str, Any]:
    """Keys of [training] that count: none where nothing is trained, and those of a fit where probes are fitted."""
    together = protocol_of(recipe).together
    chosen = _chosen(recipe.training)
    if together is None or not together.takes(recipe):
        return chosen
    return {key: value for key, value in chosen.items() if key in together.keys}


def _searched(recipe: Recipe) -> bool:
    return bool(recipe.search.lr or recipe.search.weight_decay)


def _code(network: NetworkSection) -> dict[str, Any]:
    return model_in_identity(network) if network.model else code_in_identity(network.backbone)


def answers_in_identity(answers: AnswersSection) -> dict[str, Any]:
    """A map of one's own counts by what it holds."""
    chosen = _chosen(answers)
    path = Path(answers.map).expanduser()
    return {**chosen, "map": _hashed_file(path)} if path.is_file() else chosen


def _hashed_file(path: Path) -> str:
    there = path.stat()
    return _hashed(path.resolve(), there.st_size, there.st_mtime_ns)


def _content(checkpoint: str | None) -> str | None:
    """A checkpoint counts by what it holds, not by where it lies."""
    if checkpoint is None:
        return None
    path = Path(checkpoint).expanduser()
    if not path.is_file():
        raise UnseenError(f"network.checkpoint = '{checkpoint}' is not a file here ({Path.cwd()}).")
    return _hashed_file(path)


@lru_cache(maxsize=64)
def _hashed(path: Path, size: int, changed: int) -> str:
    """Once for all trials that start from a file, as long as it is not written again."""
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "blake2b").hexdigest()[:16]


@lru_cache(maxsize=8)
def _added_backbones(path: tuple[str, ...]) -> frozenset[str]:
    """Names that installed packages give to networks; looking them up takes long, and asks the same packages."""
    del path  # other places to look at, other packages
    return frozenset(entry_points(group="unseen.backbones").names)


def code_in_identity(backbone: str) -> dict[str, Any]:
    """A user's own network counts by its code; networks of the table and of timm by their names."""
    if ":" not in backbone and backbone not in _added_backbones(tuple(sys.path)):
        return {}
    from unseen.models.factories import code_of
    from unseen.models.staged_backbones import row_of

    return {} if row_of(backbone) else {"code": code_of(backbone)}
