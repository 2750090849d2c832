"""Which sets a trial is asked, and which layers are recorded, as a recipe names them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase

from unseen.vocabulary.sections import SETS
from unseen.vocabulary.split import Split


def named_sets(wanted: Sequence[str], split: Split) -> tuple[str, ...]:
    """The sets of a split that a recipe names. A pattern ("one-out-*") takes those that are there, which may be none:
    splits of one grid need not have the same sets. A plain name must be there. The default, seen and unseen cells, is
    of designs that have such; of others it takes all that are neither trained on nor only measured."""
    if tuple(wanted) == SETS and not any(name in split.sets for name in SETS):
        return tuple(name for name in split.sets if name not in ("train", "validation", "probe"))
    found: dict[str, None] = {}
    for name in wanted:
        if is_pattern(name):
            found |= dict.fromkeys(there for there in split.sets if fnmatchcase(there, name))
        else:
            split[name]
            found[name] = None
    return tuple(found)


def is_pattern(name: str) -> bool:
    return any(mark in name for mark in "*?[")


def matching(layer: str, names: Sequence[str]) -> list[str]:
    """Layers of a network that a recipe's name means: itself, or that layer of every branch."""
    return [name for name in names if name == layer or name.endswith(f".{layer}")]


def layers_to_record(wanted: str | Sequence[str], names: Sequence[str]) -> list[str]:
    """The named layers: "last" is the deepest of every branch, "all" all of them."""
    if wanted == "none":
        return []
    if wanted == "all":
        return list(names)
    if wanted == "last":
        last = names[-1].rpartition(".")[2]
        return matching(last, names)
    found = [name for layer in wanted for name in matching(layer, names)]
    return [name for name, _ in Counter(found).items()]
