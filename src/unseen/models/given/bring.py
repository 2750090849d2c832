"""From what a user says to a given model: names of hubs, folders, files, code, functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from unseen.models.given.bodies import Function, Network
from unseen.models.given.digests import of_module
from unseen.models.given.labels import IMAGENET, imagenet_labels
from unseen.models.given.model import Given
from unseen.models.given.preprocessing import Preprocessing, with_settings
from unseen.vocabulary.errors import UnseenError

AS_IT_IS = Preprocessing(
    size=None, resize="none", mean=(0.0,), std=(1.0,), range=255.0, channels="any", dtype="uint8"
)  # of a function, until more is said


def bring(
    name: str | Callable[..., Any],
    *,
    checkpoint: str | None = None,
    preprocessing: Mapping[str, Any] | None = None,
    labels: Sequence[str] | None = None,
    outputs: int | None = None,
    are_probabilities: bool | None = None,
    features: str = "",
    digest: str | None = None,
    random: int | None = None,
    arguments: Mapping[str, Any] | None = None,
    download: bool = False,
    trust: bool = True,
    device: str | torch.device = "cpu",
) -> Given:
    """A model by its name, ready to answer."""
    from unseen.models.given.timm_models import from_timm, is_timm

    if not isinstance(name, str):
        found = from_function(name, outputs=outputs, labels=labels, digest=digest)
    else:
        scheme, _, rest = name.rpartition(":")
        if scheme not in ("", "timm") or not is_timm(rest):
            raise UnseenError(f"no model '{name}'.")
        found = from_timm(
            name, rest, checkpoint=checkpoint, random=random, download=download, arguments=arguments or {}
        )
    found.preprocessing = with_settings(found.preprocessing, preprocessing, f"model '{found.name}'")
    if labels is not None:
        found.labels, found.label_space = tuple(labels), ""
    if are_probabilities is not None:
        found.are_probabilities = are_probabilities
    return found.to(device)


def from_function(
    function: Callable[..., Any], *, outputs: int | None, labels: Sequence[str] | None, digest: str | None
) -> Given:
    """Any function of uint8 pictures [n, c, h, w], or of prepared ones where preprocessing is said."""
    name = getattr(function, "__name__", type(function).__name__)
    many = outputs or len(labels or ()) or 1000
    told = {"labels": imagenet_labels(), "label_space": IMAGENET} if many == 1000 and labels is None else {}
    if isinstance(function, nn.Module):
        return Given(
            name, "module", Network(name, function), outputs=many, preprocessing=Preprocessing(),
            digest=digest or of_module(function, name), **told,
        )  # fmt: skip
    return Given(
        name, "callable", Function(name, function), outputs=many, preprocessing=AS_IT_IS, digest=digest or "", **told
    )
