"""Settings that would do nothing: told before work starts, where only the whole recipe shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.grids import grids_of

SUPERVISED = "supervised"


def reads_out(tables: Mapping[str, Any], where: str) -> bool:
    """Whether any trial of a recipe's tables has a readout: it learns without labels first.

    >>> reads_out({"training": {"epochs": 3}}, "recipe")
    False
    >>> reads_out({"grid": [{}, {"training.objective": ["beta-vae"]}]}, "recipe")
    True
    """
    training = tables.get("training", {})
    plain = training.get("objective", SUPERVISED) if isinstance(training, Mapping) else SUPERVISED
    found = [one.get("training.objective", [plain]) for one in grids_of(tables, where)]
    return any(values != [SUPERVISED] * len(values) if isinstance(values, list) else True for values in found)


def check_readout(what: str, tables: Sequence[Mapping[str, Any]], where: str) -> None:
    """``what`` was said about the readout, so some trial of these tables must have one. An inherited ``[readout]`` is
    not asked about: it is there for the encoders of the recipe it comes from."""
    if not any(reads_out(one, where) for one in tables):
        raise UnseenError(
            f"{where}: {what} does nothing: it is for the readout of an encoder that learned without labels, and all "
            f"trials of this recipe learn by them (training.objective = '{SUPERVISED}', the default). Leave it out (no "
            "result changes), or set training.objective and its encoder as network.backbone (`unseen models` lists "
            "them)."
        )
