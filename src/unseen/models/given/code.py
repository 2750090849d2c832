"""Given models that are Python: a network, a function, or ``module:factory`` that makes one."""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from torch import nn

from unseen.models.factories import code_of, factory_of
from unseen.models.given.backends import Function, Network
from unseen.models.given.digests import of_function, of_module, source_of
from unseen.models.given.hub import facts_of
from unseen.models.given.layouts import Layout, load_layout
from unseen.models.given.model import GivenModel
from unseen.models.given.preprocessing import Preprocessing
from unseen.models.given.timm_models import preprocessing_of
from unseen.vocabulary.errors import UnseenError

AS_IT_IS = Preprocessing(
    size=None, resize="none", mean=(0.0,), std=(1.0,), range=255.0, channels="any", dtype="uint8"
)  # of a function, until more is said


def from_factory(
    name: str, *, checkpoint: str | None, layout: Layout, arguments: Mapping[str, Any], features: str, trust: bool
) -> GivenModel:
    """What a factory of a user's own module makes, with the weights of a file if one is given."""
    factory = factory_of(name, trust=trust)
    if not callable(factory):
        raise UnseenError(f"model '{name}': that is no factory; write module:factory, as in mynet:small.")
    try:
        made = factory(**arguments)
    except Exception as error:
        raise UnseenError(f"model '{name}': its factory failed: {type(error).__name__}: {error}") from error
    if isinstance(made, GivenModel):
        return made
    code = code_of(name)["source"] or ""
    if code and arguments:  # they may decide what no weight shows: a temperature, a stride
        code = f"{code} {json.dumps(dict(arguments), sort_keys=True, default=str)}"
    if isinstance(made, nn.Module):
        known: dict[str, Any] = {}
        if checkpoint is not None:
            known["notes"] = load_layout(made, checkpoint, layout)
            known |= facts_of(Path(checkpoint).expanduser())
        return from_network(made, name, features=features, code=code, known=known)
    if callable(made) and checkpoint is None:
        return from_function(made, name, digest=code)
    raise UnseenError(
        f"model '{name}': its factory gave a {type(made).__name__}"
        + (", which cannot take a checkpoint" if callable(made) else "")
        + "; possible: a torch.nn.Module, or a function of pictures (without checkpoint)."
    )


def snapshot(net: nn.Module) -> nn.Module:
    """A copy of a network as it is now: its user may train on, and keeps it in training mode and where it was."""
    try:
        return copy.deepcopy(net)
    except Exception as error:
        raise UnseenError(
            f"a {type(net).__name__} cannot be copied ({type(error).__name__}: {error}); give a function "
            "that calls it: lambda images: net(images)."
        ) from error


def from_network(
    net: nn.Module, name: str = "", *, features: str = "", code: str = "", known: Mapping[str, Any] | None = None
) -> GivenModel:
    """A network of torch. It counts by its weights, by what it prints of itself (strides, activations), and by the
    source of its classes, where that can be had."""
    name = name or type(net).__name__
    source = "\n".join([code, *_written(net), re.sub(r" at 0x\w+", "", repr(net))])
    of_timm = getattr(net, "pretrained_cfg", None)
    return GivenModel(
        name, "module", Network(name, net, features), outputs=-1,
        preprocessing=preprocessing_of(net) if of_timm else Preprocessing(),
        digest=of_module(net, "module", type(net).__qualname__, hashlib.sha256(source.encode()).hexdigest()),
        known={
            "parameters": sum(value.numel() for value in net.parameters()),
            **(known or {}),
            **({} if of_timm else {"preprocessing_is": "assumed"}),
        },
    )  # fmt: skip


def _written(net: nn.Module) -> list[str]:
    """The sources of the classes it is made of, torch's own left out."""
    kinds = {type(part) for part in net.modules()}
    own = [kind for kind in kinds if kind.__module__.partition(".")[0] != "torch"]
    return sorted(source for kind in own if (source := source_of(kind)))


def from_function(function: Callable[..., Any], name: str = "", *, digest: str = "") -> GivenModel:
    """A function of pictures. It counts by what its user calls this version of it, else by its source and that of the
    functions it uses. One that holds more, such as a network, counts as itself, in this process alone."""
    name = name or getattr(function, "__name__", type(function).__name__)
    own = digest or of_function(function)
    told = "given" if digest else "of the source of the function and of those it uses" if own else ""
    known = {
        "digest_is": told
        or "none: it holds more than its source tells, so its answers are not found again by another "
        "process; give a digest that names this version of it"
    }
    return GivenModel(
        name, "callable", Function(name, function), outputs=-1, preprocessing=AS_IT_IS, digest=own, known=known
    )
