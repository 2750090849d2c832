"""Encoders: networks that were pretrained, which trials need before they begin.

An encoder is kept in ``encoders/<identity>/``: its weights, and ``encoder.json``, which says what it is, how it came to
be and a digest of the weights. Trials that say the same ``[pretraining]`` on the same network share one, whatever they
are asked. Importing this module loads no torch.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.studies.archives import ENCODERS
from unseen.studies.identities import identity
from unseen.studies.sound import Damaged, digest_of, read_encoder
from unseen.studies.store import Store, disk_error, unwritten
from unseen.studies.trials import Trial, encoder_described, setting_text, stem_of
from unseen.studies.whole_trials import bytes_in, write_folder
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.protocol_names import NO_PRETRAINING
from unseen.vocabulary.sections import NamedSection
from unseen.vocabulary.visible import visible

if TYPE_CHECKING:
    from torch import Tensor

    from unseen.vocabulary.world import World

Study = Any  # that of studies/study.py, which looks encoders up
WEIGHTS, RECORD = ENCODERS
OWN = ("pretraining.", "network.backbone", "network.arguments")  # keys of a grid that tell encoders apart


@dataclass(frozen=True, eq=False)
class Encoder:
    """One encoder to make, by the first trial that needs it."""

    identity: str
    trial: Trial
    description: Mapping[str, Any]

    @property
    def label(self) -> str:
        """
        >>> from unseen.vocabulary.recipe import recipe_from
        >>> tables = {"title": "t", "world": {"name": "w"}, "design": {"name": "d"}}
        >>> recipe = recipe_from({**tables, "pretraining": {"world": {"name": "w"}, "objective": "simclr"}})
        >>> Encoder("0", Trial(recipe, 0, {"pretraining.world.instances": 5}), {}).label
        'encoder · simclr · resnet18 · instances 5 · seed 0'
        """
        section, said = self.trial.recipe.pretraining, self.trial.condition
        named = ("pretraining.objective", "pretraining.seed", "network.backbone")
        more = [_said(key, said[key]) for key in said if key.startswith(OWN) and key not in named]
        backbone = self.trial.recipe.network.backbone
        return " · ".join(["encoder", section.objective, backbone, *filter(None, more), f"seed {section.seed}"])


def _said(key: str, value: object) -> str:
    """A key of a grid and its value; of a table its keys, nothing of an empty one.

    >>> _said("pretraining.objective_arguments", {"crop": 0.5, "flip": 0.0}), _said("pretraining.lr", 0.1)
    ('crop 0.5, flip 0.0', 'lr 0.1')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {one}" for name, one in value.items())
    return setting_text(key, value)


class BadEncoder(UnseenError):
    """An encoder that is there and cannot be used."""


def pretraining_world(trial: Trial) -> NamedSection | None:
    """The world that a trial's encoder learns from, if it needs one."""
    return trial.recipe.pretraining.world


def needs_encoder(trial: Trial) -> bool:
    """Whether something is to be learned before it; an encoder that keeps its first weights is made in its place."""
    return pretraining_world(trial) is not None and trial.recipe.pretraining.objective != NO_PRETRAINING


def encoder_of(trial: Trial, world: World) -> Encoder:
    """The encoder that a trial needs; ``world`` is that of its encoder."""
    description = encoder_described(trial, stem=stem_of(trial.recipe.network, world.size))
    return Encoder(identity(description), trial, description)


def encoder_folder(store: Store, name: str) -> Path:
    return store.path / "encoders" / name


def encoders_kept(store: Store) -> list[str]:
    """Identities of the encoders that are here whole."""
    return store.encoders()


def keep_encoder(store: Store, name: str, record: Mapping[str, Any], state: Mapping[str, Tensor]) -> None:
    """Keep an encoder, whole or not at all."""
    try:
        write_folder(encoder_folder(store, name), partial(_write, record, state), RECORD)
    except OSError as error:
        raise disk_error(error, store.path) from error


def _write(record: Mapping[str, Any], state: Mapping[str, Tensor], folder: Path) -> None:
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    try:
        save_file({key: one.detach().cpu().contiguous().clone() for key, one in state.items()}, folder / WEIGHTS)
    except SafetensorError as error:
        raise unwritten(error) from error
    told = {**record, "digest": digest_of(folder / WEIGHTS)}
    (folder / RECORD).write_text(json.dumps(told, indent=1, default=str), encoding="utf-8")


def encoder_record(store: Store, name: str) -> dict[str, Any] | None:
    """What is told of an encoder, if it is here; :class:`BadEncoder` where it is not what it should be."""
    folder = encoder_folder(store, name)
    if not (folder / RECORD).is_file():
        return None
    try:
        return read_encoder(folder)
    except Damaged as error:
        raise BadEncoder(
            f"encoder '{folder}' cannot be used: it {error.why}. `unseen run` makes it anew; nothing else is lost."
        ) from None


def encoder_state(store: Store, name: str) -> dict[str, Tensor]:
    """The weights of an encoder."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    if encoder_record(store, name) is None:
        raise UnseenError(
            f"encoder {name} is not in '{store.path}'; `unseen run` makes it before the trials that need it, and "
            "notes why where it cannot."
        )
    try:
        return load_file(encoder_folder(store, name) / WEIGHTS)
    except (OSError, SafetensorError, ValueError) as error:
        raise BadEncoder(f"the weights of encoder {name} cannot be read ({visible(error)}).") from None


def encoder_flags(study: Study, trial: Trial) -> dict[str, str]:
    """What was odd about the encoder that a trial starts from (it diverged, it collapsed), to be told of the trial."""
    needed = study.encoder(trial)
    try:
        record = None if needed is None else encoder_record(study.store, needed.identity)
    except BadEncoder:
        record = None
    return {} if record is None else {f"encoder {name}": why for name, why in record["flags"].items()}


def remove_encoders(store: Store, names: list[str] | None = None) -> int:
    """Remove these encoders, or all; gives the bytes freed."""
    freed = 0
    for name in encoders_kept(store) if names is None else names:
        folder = encoder_folder(store, name)
        freed += bytes_in(folder)
        shutil.rmtree(folder, ignore_errors=True)
    return freed


def encoders_taken(store: Store) -> tuple[int, int]:
    """How many encoders are kept, and their bytes."""
    names = encoders_kept(store)
    return len(names), sum(bytes_in(encoder_folder(store, name)) for name in names)
