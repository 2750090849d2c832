"""The models that a recipe's ``[network]`` brings: opened once in a process, and counted by what they hold.

A recipe may also name a model that Python holds (:func:`hold`), as long as the process lives that holds it.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import NetworkSection
from unseen.vocabulary.trust import CodeUnknown

if TYPE_CHECKING:
    from unseen.models.given import Given

HELD = "held:"
SAID = (
    "model",
    "checkpoint",
    "labels",
    "preprocessing",
    "arguments",
    "part",
    "features",
)  # of [network]: what a model is opened by
_held: dict[str, Given] = {}


def hold(model: Given) -> str:
    """Let recipes name a model that Python holds: gives what to put as ``network.model``."""
    name = f"{HELD}{model.name}-{model.digest[:12] or secrets.token_hex(6)}"
    _held[name] = model
    return name


def given_of(network: NetworkSection) -> Given:
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
        return _held[network.model]
    told = network.model_dump(mode="json", include=set(SAID))
    return _opened(json.dumps({**told, "file": _state(network.model), "start": _state(network.checkpoint)}))


def _state(path: str | None) -> list[float] | None:
    """Of a file, so that one that was written again is opened again."""
    if path is None or not Path(path).expanduser().is_file():
        return None
    there = Path(path).expanduser().stat()
    return [there.st_size, there.st_mtime_ns]


@lru_cache(maxsize=2)  # models are large
def _opened(told: str) -> Given:
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


def model_in_identity(network: NetworkSection) -> dict[str, Any]:
    """What a model counts by: its weights and its code, whatever it is called and wherever it lies. Unknown where it
    cannot be opened here, so that results of it can be read all the same."""
    if network.model is None:
        return {}
    try:
        found = given_of(network)
    except UnseenError as error:
        raise CodeUnknown(str(error)) from None
    labels = {} if network.labels is None else {"labels": list(found.labels)}
    return {"model": model_name(network), "code": found.digest or network.model, **labels}


def model_name(network: NetworkSection) -> str:
    """A model's name without the folder it lies in."""
    name = network.name
    return Path(name).name if Path(name).expanduser().exists() else name


def model_told(model: Given, network: NetworkSection) -> Mapping[str, Any]:
    """All that decides what a model makes of pictures."""
    layer = {"features": network.features} if network.features else {}
    return {"digest": model.digest or id(model), "preprocessing": model.preprocessing.facts(), **layer}


def model_description(model: Given) -> dict[str, Any]:
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
