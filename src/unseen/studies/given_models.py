"""The models that a recipe's ``[network]`` brings: opened once in a process, and counted by what they hold.

A recipe may also name a model that Python holds (:func:`hold`), as long as the process lives that holds it.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.sections import NetworkSection
from unseen.vocabulary.trust import CodeUnknown

if TYPE_CHECKING:
    from unseen.models.given import GivenModel

HELD, FOLDER = "held:", "huggingface:"
SAID = (
    "model",
    "checkpoint",
    "labels",
    "preprocessing",
    "arguments",
    "part",
    "features",
)  # of [network]: what a model is opened by
_held: dict[str, GivenModel] = {}
_unknown: WeakKeyDictionary[GivenModel, str] = (
    WeakKeyDictionary()
)  # what stands for the digest of models that have none


def hold(model: GivenModel) -> str:
    """Let recipes name a model that Python holds: gives what to put as ``network.model``."""
    name = f"{HELD}{model.name}-{_content(model, _digest(model))[:12]}"
    _held[name] = model
    return name


def given_of(network: NetworkSection) -> GivenModel:
    """The model of a recipe without a grid."""
    if network.model is None:
        raise UnseenError(
            "network.model is not given: name a model that comes with its weights (`unseen models` lists what is "
            'known), e.g. network.model = "timm:resnet50.a1_in1k" or "my_model.onnx".'
        )
    if network.model.startswith(HELD):
        if network.model not in _held:
            raise UnseenError(
                f"network.model = '{network.model}' was a model of another Python process; bring it again."
            )
        unheard = [f"network.{key}" for key in SAID[1:] if getattr(network, key) not in (None, "", {})]
        if unheard:
            raise UnseenError(
                f"network.model = '{network.model}' was brought by Python as it is, and {listed(unheard)} would do "
                "nothing; say that where it is brought, e.g. bring(..., preprocessing = ...)."
            )
        return _held[network.model]
    told = network.model_dump(mode="json", include=set(SAID))
    files = (network.model.removeprefix(FOLDER), network.checkpoint, network.labels)
    return _opened(json.dumps({**told, "files": [_state(file) for file in files if isinstance(file, str)]}))


def _state(path: str) -> list[tuple[str, int, int]]:
    """Of a file, or of those in a folder, so that what was written again is opened again."""
    place = Path(path).expanduser()
    files = sorted(place.iterdir()) if place.is_dir() else [place] if place.is_file() else []
    return [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files if file.is_file()]


@lru_cache(maxsize=2)  # models are large
def _opened(told: str) -> GivenModel:
    from unseen.models.given import bring

    said = json.loads(told)
    return bring(
        said["model"],
        checkpoint=said["checkpoint"],
        part=said["part"],
        features=said["features"],
        labels=said["labels"],
        preprocessing=said["preprocessing"] or None,
        arguments=said["arguments"] or None,
        trust=False,
    )


def fetch(networks: Iterable[NetworkSection]) -> list[str]:
    """Get the weights of models that a recipe brings by a hub's name, where they are not here; gives what was fetched.
    Files, code and what Python holds are left as they are."""
    from unseen.models.given import bring
    from unseen.studies.trusting import is_code

    found, seen = [], set()
    for network in networks:
        name = network.model
        said = json.dumps(network.model_dump(mode="json", include=set(SAID)))
        if name is None or said in seen or name.startswith(HELD) or is_code(name) or Path(name).expanduser().exists():
            continue
        seen.add(said)
        try:
            given_of(network)
        except UnseenError:
            bring(
                name, checkpoint=network.checkpoint, part=network.part, features=network.features,
                arguments=dict(network.arguments) or None, download=True, trust=False,
            )  # fmt: skip
            found.append(name)
    return found


def model_in_identity(network: NetworkSection) -> dict[str, Any]:
    """What a model counts by: its weights, its code, what it is fed and what its outputs are called, wherever it lies.
    Unknown where it cannot be opened here, so that results of it can be read all the same."""
    if network.model is None:
        return {}
    try:
        found = given_of(network)
    except UnseenError as error:
        raise CodeUnknown(str(error)) from None
    labels = {} if network.labels is None else {"labels": list(found.labels)}
    return {"model": model_name(network), "code": _content(found, found.digest or network.model), **labels}


def _digest(model: GivenModel) -> str:
    """Its digest; of one without any what no other model of any process has."""
    return model.digest or _unknown.setdefault(model, secrets.token_hex(8))


def _content(model: GivenModel, digest: str) -> str:
    """Of all that decides a model's answers and what they are called."""
    told = [digest, _fed(model), model.labels, model.label_space, model.are_probabilities]
    return hashlib.blake2b(json.dumps(told, default=str).encode(), digest_size=16).hexdigest()


def _fed(model: GivenModel) -> dict[str, Any]:
    """What decides numbers beside weights and code: preprocessing, precision, and the layer of its features."""
    body: Any = model.body
    layer = getattr(body, "layer", "") or getattr(getattr(body, "chosen", None), "features", "")
    return {
        "preprocessing": model.preprocessing.facts(),
        **({"features": layer} if layer else {}),
        **({"precision": model.precision} if model.precision != "float32" else {}),
    }


def model_name(network: NetworkSection) -> str:
    """A model's name without the folder it lies in."""
    name = network.name
    return Path(name).name if Path(name).expanduser().exists() else name


def model_told(model: GivenModel) -> Mapping[str, Any]:
    """All that decides what a model makes of pictures."""
    return {"digest": _digest(model), **_fed(model)}


def model_description(model: GivenModel) -> dict[str, Any]:
    """A model as a trial's record tells of its network."""
    module = model.module
    count = sum(parameter.numel() for parameter in module.parameters()) if module is not None else 0
    return {
        "backbone": model.name,
        "source": model.source,
        "parameters": count,
        "layers": [],
        "weights": "its own",
        "input": model.preprocessing.words,
        "model": model.facts(),
    }
