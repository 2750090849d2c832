"""What was learned, kept beside the trials: ``weights/<learned>/`` with the weights and how they came to be.

Trials that differ in their recordings alone share one such folder. Whatever is wrong with it costs training time and
never a result: weights that cannot be read, or are not what was written, are told and learned anew.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.studies.archives import FACTS, IDENTITY, plain_json
from unseen.studies.glances import Looked, glances
from unseen.studies.identities import learned_identity, learned_part
from unseen.studies.sound import Damaged, odd_fact, read_facts
from unseen.studies.store import DiskTrouble, Store, disk_error, unwritten
from unseen.studies.whole_trials import bytes_in, set_aside, write_folder
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.visible import visible

if TYPE_CHECKING:
    from torch import Tensor

WEIGHTS = "weights.safetensors"
LEARNED = "learned.json"  # written last: whoever has it has the weights
OF_RECORDING = ("no invariance", "no maps", "maps left out")  # flags that belong to what was recorded


@dataclass(frozen=True)
class TrainingRecord:
    """How a network came to its weights: kept beside them, and told in every trial that is recorded of them.

    ``packed`` trials took ``seconds_together``, on ``machine``."""

    curve: list[dict[str, float]]
    best_epoch: int
    flags: dict[str, str]
    seconds: float
    packed: int
    seconds_together: float
    machine: dict[str, str]
    search: Mapping[str, Any] | None = None

    def facts(self) -> dict[str, Any]:
        """As ``trial.json`` and ``learned.json`` have them."""
        told = asdict(self)
        return told if told["search"] else {key: value for key, value in told.items() if key != "search"}


@dataclass(frozen=True)
class KeptWeights:
    """Weights of a store. ``folder``: one of ``weights/``, or a finished trial of before they had a place of their own.
    ``precision``: in which they were learned, and are asked."""

    identity: str
    folder: Path
    precision: str


class Unusable(UnseenError):
    """Weights that are there and cannot be asked."""

    def __init__(self, why: object) -> None:
        super().__init__(visible(why))


def weights_folder(store: Store, identity: str) -> Path | None:
    """Where what was learned is kept, if it is."""
    folder = store.weights / identity
    return folder if (folder / LEARNED).is_file() and (folder / WEIGHTS).is_file() else None


def all_kept(store: Store) -> list[str]:
    """The identities of all that is kept in ``weights/``."""
    if not store.weights.is_dir():
        return []
    return sorted(path.name for path in store.weights.iterdir() if IDENTITY.fullmatch(path.name) and path.is_dir())


def inside_trials(store: Store) -> dict[str, Path]:
    """Finished trials that hold their own weights, as all did that kept any, by what they learned."""
    found = {}
    for folder in _with_weights(store):
        try:
            found[learned_identity(read_facts(folder)["description"])] = folder
        except Damaged:
            continue
    return found


def _with_weights(store: Store, looked: Looked | None = None) -> Iterator[Path]:
    looked = glances(store.path) if looked is None else looked
    holding = [*looked.weights, *looked.others]
    return (store.trials / name for name in holding if (store.trials / name / WEIGHTS).is_file())


def keep(store: Store, description: Mapping[str, Any], learned: TrainingRecord, state: Mapping[str, Tensor]) -> str:
    """Keep weights, whole or not at all; gives why not, where they could not be. A network that has learned is worth
    more than its weights: it is asked all the same."""
    identity = learned_identity(description)
    facts = {"identity": identity, "description": learned_part(description), **learned.facts()}
    folder = store.weights / identity
    try:
        if (folder / LEARNED).is_file() and not (folder / WEIGHTS).is_file():  # half of them would stay for ever
            set_aside(folder, WEIGHTS)
        write_folder(store.weights / identity, partial(_write, state, facts), LEARNED)
    except OSError as error:
        return f"{disk_error(error, store.path)}"
    except DiskTrouble as error:
        return str(error)
    except Exception as error:  # a user's network may call anything its state
        return f"what it calls its weights cannot be written ({visible(error)[:200]})"
    return ""


def _write(state: Mapping[str, Tensor], facts: Mapping[str, Any], folder: Path) -> None:
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    try:  # copies: tensors that share their memory (tied weights) are refused otherwise
        copies = {key: value.detach().cpu().contiguous().clone() for key, value in state.items()}
        save_file(copies, folder / WEIGHTS)
    except SafetensorError as error:
        raise unwritten(error) from error
    told = {**facts, "digest": _digest(folder / WEIGHTS)}
    (folder / LEARNED).write_text(json.dumps(told, default=str), encoding="utf-8")


def read(kept: KeptWeights) -> tuple[TrainingRecord, dict[str, Tensor]]:
    """How it was learned, and the weights; :class:`Unusable` where they are not what was written."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    facts = _facts(kept)
    try:
        if facts.get("digest", "") not in ("", _digest(kept.folder / WEIGHTS)):
            raise Unusable(f"{WEIGHTS} is not what was written")
        state = load_file(kept.folder / WEIGHTS)
    except (OSError, SafetensorError, ValueError) as error:
        raise Unusable(f"{WEIGHTS} cannot be read ({error})") from None
    flags = {name: why for name, why in facts["flags"].items() if name not in OF_RECORDING}
    told = {key: facts[key] for key in TrainingRecord.__dataclass_fields__ if key in facts}
    return TrainingRecord(**{**told, "flags": flags}), state


def _facts(kept: KeptWeights) -> dict[str, Any]:
    if kept.folder.name != kept.identity:  # inside a trial
        try:
            facts = read_facts(kept.folder)
        except Damaged as error:
            raise Unusable(f"{FACTS} beside them {error.why}") from None
    else:
        try:
            facts = plain_json((kept.folder / LEARNED).read_bytes())
        except (OSError, ValueError) as error:
            raise Unusable(f"{LEARNED} cannot be read ({error})") from None
        if not isinstance(facts, dict) or facts.get("identity") != kept.identity:
            raise Unusable(f"{LEARNED} belongs to other weights")
    keys = [key for key in TrainingRecord.__dataclass_fields__ if key != "search"]
    if odd := odd_fact(facts, keys):
        raise Unusable(f"its record is missing or malformed: {odd}")
    return facts


def remove(store: Store, identities: list[str] | None = None) -> int:
    """Remove what is kept under these identities, or all weights, those inside trials too; gives the bytes freed."""
    freed = 0
    for name in all_kept(store) if identities is None else identities:
        freed += bytes_in(store.weights / name)
        shutil.rmtree(store.weights / name, ignore_errors=True)
    for folder in _with_weights(store) if identities is None else ():
        freed += (folder / WEIGHTS).stat().st_size
        (folder / WEIGHTS).unlink()
    return freed


def taken(store: Store, looked: Looked | None = None) -> tuple[int, int]:
    """How many networks' weights are kept, and their bytes. ``looked``: what is known of trials that are whole."""
    folders = [store.weights / name for name in all_kept(store)]
    inside = [(folder / WEIGHTS).stat().st_size for folder in _with_weights(store, looked)]
    return len(folders) + len(inside), sum(map(bytes_in, folders)) + sum(inside)


def _digest(path: Path) -> str:
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "blake2b").hexdigest()[:32]
