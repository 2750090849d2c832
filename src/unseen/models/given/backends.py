"""What answers in a given model: a network of torch, or any function of prepared pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from unseen.models.weights import last_linear
from unseen.vocabulary.errors import UnseenError, listed, unknown

POOLED = "forward_features and forward_head, as timm's networks have"


class Network:
    """A network of torch: outputs by calling it, features from timm's ``forward_head``, or from a layer.

    ``layer`` names the module whose *output* the features are; maps and tokens are averaged. Without it they are what
    goes into the last Linear layer.
    """

    def __init__(self, name: str, module: nn.Module, layer: str = "") -> None:
        self.name, self._module, self.layer = name, module.eval(), layer
        if layer:
            self._layer(layer)

    @property
    def module(self) -> nn.Module:
        return self._module

    def outputs(self, images: Tensor) -> Tensor:
        return logits_in(self._module(images))

    def features(self, images: Tensor) -> Tensor:
        module: Any = self._module
        if not self.layer and hasattr(module, "forward_features") and hasattr(module, "forward_head"):
            return flat(module.forward_head(module.forward_features(images), pre_logits=True))
        if self.layer:
            return flat(self._seen_at(self._layer(self.layer), images, before=False))
        last = last_linear(module)
        if not last:
            raise UnseenError(
                f"model '{self.name}' does not end in a Linear layer, so that it is not known where its features are; "
                f"name a layer: features = one of {listed(self.layers(), 12)}."
            )
        return flat(self._seen_at(module.get_submodule(last[0]) if last[0] else module, images, before=True))

    def texts(self, texts: Sequence[str]) -> Tensor:
        raise no_texts(self.name)

    def to(self, device: torch.device) -> None:
        self._module.to(device)

    def layers(self) -> list[str]:
        return [name for name, _ in self._module.named_modules() if name]

    def _layer(self, layer: str) -> nn.Module:
        found = dict(self._module.named_modules())
        if layer not in found or not layer:
            raise unknown("layer", layer, self.layers(), where=f"model '{self.name}'")
        return found[layer]

    def _seen_at(self, layer: nn.Module, images: Tensor, *, before: bool) -> Tensor:
        """What goes into a layer, or comes out of it, while the network answers."""
        seen: list[Any] = []
        hook = (
            layer.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
            if before
            else layer.register_forward_hook(lambda _, __, made: seen.append(logits_in(made)))
        )
        try:
            self._module(images)
        finally:
            hook.remove()
        if len(seen) != 1:
            raise UnseenError(
                f"model '{self.name}': the layer its features are taken at ran {len(seen)} times for one batch; name "
                "another one (features = ...)."
            )
        return seen[0]


class Function:
    """Any function of prepared pictures; numpy and lists come back as tensors."""

    module = None

    def __init__(self, name: str, function: Callable[[Tensor], Any]) -> None:
        self.name, self.function = name, function

    def outputs(self, images: Tensor) -> Tensor:
        try:
            made = self.function(images)
        except UnseenError:
            raise
        except Exception as error:
            raise UnseenError(
                f"model '{self.name}' failed on {images.dtype} pictures of shape {list(images.shape)}: "
                f"{type(error).__name__}: {error}. It is called with one tensor of prepared pictures."
            ) from error
        return as_tensor(self.name, made)

    def features(self, images: Tensor) -> Tensor:
        raise no_features(self.name, "a function")

    def texts(self, texts: Sequence[str]) -> Tensor:
        raise no_texts(self.name)

    def to(self, device: torch.device) -> None:
        """A function runs where it will; its pictures come on the device asked for."""


def as_tensor(name: str, made: Any) -> Tensor:
    """Answers as a tensor, whatever list or array they came as."""
    if isinstance(made, Tensor):
        return made
    try:
        found = np.asarray(made.__array__() if hasattr(made, "__array__") else made)
    except (TypeError, ValueError) as error:
        raise UnseenError(
            f"model '{name}' gave a {type(made).__name__} that is no array of numbers: {error}."
        ) from None
    if found.dtype.kind not in "fiub":
        raise UnseenError(
            f"model '{name}' gave a {type(made).__name__}, not numbers; it must give one row of outputs for each "
            "picture, as a tensor or an array [n, outputs]."
        )
    return torch.from_numpy(np.ascontiguousarray(found))


def logits_in(made: Any) -> Any:
    """The tensor in what a network gives: itself, its ``logits`` (transformers), or the first of several."""
    if isinstance(made, Tensor):
        return made
    if isinstance(getattr(made, "logits", None), Tensor):
        return made.logits
    if isinstance(made, dict) and isinstance(made.get("logits"), Tensor):
        return made["logits"]
    if isinstance(made, tuple | list) and made and isinstance(made[0], Tensor):
        return made[0]
    return made


def flat(made: Tensor) -> Tensor:
    """One vector for each picture: of maps and tokens the mean."""
    if made.ndim == 4:
        return made.mean((2, 3))
    return made.mean(1) if made.ndim == 3 else made


def no_features(name: str, what: str) -> UnseenError:
    return UnseenError(
        f"model '{name}' is {what}: only its outputs are known. Features come from networks of torch (a name of timm, "
        "torchvision, open_clip, a Hugging Face folder, module:factory)."
    )


def no_texts(name: str) -> UnseenError:
    return UnseenError(
        f"model '{name}' has no text encoder; for texts bring a model by its open_clip name (open_clip:ARCH/TAG)."
    )
