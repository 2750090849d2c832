"""A network as explanations need it: its scores, its layers by name, and where on the image a layer's places lie.

It takes any ``nn.Module``: one of unseen's networks (scores by target; ``layer``, ``channel_axis``, and ``prepare``
where it takes pictures as they are), timm's and torchvision's, or one of your own. Convolutional maps are
``[n, c, h, w]`` or ``[n, h, w, c]`` (Swin), tokens are ``[n, t, c]``, whose first few may be a class token and
registers. A plain callable from images to scores has no layers and no gradients; occlusion and RISE need neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from unseen.vocabulary.errors import UnseenError, listed, unknown

MOST_PREFIX = 17  # a class token and sixteen registers


class _Reached(Exception):
    """The layer that was asked about has answered; what comes after need not run."""


class Anatomy:
    """A network, its device, and the names of its parts."""

    def __init__(self, model: nn.Module | Callable[[Tensor], Any]) -> None:
        inside = getattr(model, "module", None)
        if not isinstance(model, nn.Module) and isinstance(inside, nn.Module):
            model = inside  # what unseen.network gives is a cover
        if not callable(model):
            raise UnseenError(f"a network or a function from images to scores can be explained; given {model!r}.")
        self.model = model
        self.network = model if isinstance(model, nn.Module) else None
        held = () if self.network is None else (*self.network.parameters(), *self.network.buffers())
        tensor = next(iter(held), None)
        self.device = torch.device("cpu") if tensor is None else tensor.device
        self.dtype = torch.float32 if tensor is None or not tensor.is_floating_point() else tensor.dtype

    # --- what it answers

    def taken(self, images: Tensor) -> Tensor:
        """Pictures as floats on the network's device."""
        return images.to(self.device, self.dtype)

    def scores(self, pictures: Tensor, target: str | None = None) -> Tensor:
        """Unnormalised scores ``[n, classes]`` for one target."""
        try:
            found = self.model(pictures)
        except (RuntimeError, ValueError, AssertionError, TypeError) as error:
            if isinstance(error, torch.cuda.OutOfMemoryError):
                raise
            shape = "×".join(map(str, pictures.shape[1:]))
            raise UnseenError(
                f"this {type(self.model).__name__} cannot take images of {shape} ({type(error).__name__}: {error}). "
                "Give them in the size and with the channels that it was made for."
            ) from error
        if isinstance(found, Mapping):
            if target is None and len(found) > 1:
                raise UnseenError(f"this network answers {listed(found)}; say which one as 'target'.")
            if target is not None and target not in found:
                raise unknown("target", target, found, where="what this network answers")
            found = found[target] if target is not None else next(iter(found.values()))
        elif target is not None:
            raise UnseenError(f"this network has one answer and no target '{target}'; leave 'target' out.")
        if not isinstance(found, Tensor):
            found = torch.as_tensor(np.asarray(found))
        if found.ndim != 2 or len(found) != len(pictures):
            raise UnseenError(
                f"scores [{len(pictures)}, classes] were expected for {len(pictures)} images; this "
                f"{type(self.model).__name__} gave {list(found.shape)}."
            )
        return found.to(self.device)

    def neutral(self, pictures: Tensor) -> Tensor:
        """The picture that says nothing, ``[n or 1, c, 1, 1]``: what the network sees as zero. Of a network that is
        given pictures on the 0–255 scale that is the colour it subtracts, of any other zero itself."""
        mean = getattr(self.model, "mean", None)
        channels = pictures.shape[1]
        if not hasattr(self.model, "prepare") or not isinstance(mean, Tensor):
            return pictures.new_zeros(1, channels, 1, 1)
        if getattr(self.model, "per_image", False):
            return pictures.mean((1, 2, 3), keepdim=True).expand(-1, channels, -1, -1)
        mean = mean.to(pictures).reshape(1, -1, 1, 1)
        return (mean.mean(1, keepdim=True) if channels == 1 else mean).expand(1, channels, 1, 1)

    # --- its layers

    @property
    def module(self) -> nn.Module:
        """The network, where gradients or layers are needed."""
        if self.network is None:
            raise UnseenError(
                "this method needs gradients or layers, and a function from images to answers has neither; possible "
                "for it: occlusion, rise."
            )
        return self.network

    def layer(self, name: str) -> nn.Module:
        """By the network's own names of layers, else by the path of a module."""
        network, named = self.module, getattr(self.network, "layers", ())
        named = named if isinstance(named, tuple | list) and hasattr(network, "layer") else ()
        if name in named:
            return network.layer(name)  # pyright: ignore[reportCallIssue]
        paths = dict(network.named_modules())
        if name and name in paths:
            return paths[name]
        raise unknown("layer", name, [*named, *(path for path in paths if path)], where=type(network).__name__)

    def declared_axis(self, name: str) -> int | None:
        """Which axis holds the channels, where the network says so."""
        if name in getattr(self.network, "layers", ()) and hasattr(self.network, "channel_axis"):
            return self.network.channel_axis(name)  # pyright: ignore[reportCallIssue,reportOptionalMemberAccess]
        return None

    @contextmanager
    def keeping(self, module: nn.Module, *, cut: bool = False, stop: bool = False) -> Iterator[list[Tensor]]:
        """What the layer gives inside, last call last. The network goes on with a copy: an in-place ReLU behind the
        layer changes that one. ``cut`` starts the graph here (nothing before is differentiated), ``stop`` ends the
        pass here."""
        kept: list[Tensor] = []

        def hook(_module: nn.Module, _inputs: Any, output: Any) -> Any:
            if not isinstance(output, Tensor):
                raise UnseenError(f"this layer gives a {type(output).__name__}, not a tensor; name one that does.")
            kept.append(output.detach().requires_grad_() if cut else output)
            if stop:
                raise _Reached
            return kept[-1].clone()

        handle = module.register_forward_hook(hook)
        try:
            yield kept
        except _Reached:
            pass
        finally:
            handle.remove()

    def outputs_of(self, pictures: Tensor, layer: str) -> Tensor:
        """What a layer gives for pictures; what comes after it does not run."""
        with self.keeping(self.layer(layer), stop=True) as kept:
            self.module(pictures)
        if not kept:
            raise UnseenError(f"layer '{layer}' does not run when this network sees an image.")
        return kept[-1]

    def units(self, output: Tensor, layer: str, pictures: Tensor) -> Tensor:
        """Activity ``[n, units]``: a channel's mean over its places (all tokens, as in recordings)."""
        if output.ndim < 2:
            raise UnseenError(f"layer '{layer}' gives {list(output.shape)}, which has no units.")
        axis = self.axis(output, layer, pictures)
        return output.movedim(axis, 1).flatten(2).mean(2) if output.ndim > 2 else output

    def activity(self, pictures: Tensor, layer: str, channel: int) -> Tensor:
        return self.units(self.outputs_of(pictures, layer), layer, pictures)[:, channel]

    def check_unit(self, images: Tensor, layer: str, channel: int) -> None:
        with torch.no_grad():
            pictures = self.taken(images)
            count = self.units(self.outputs_of(pictures, layer), layer, pictures).shape[1]
        if not 0 <= channel < count:
            raise UnseenError(f"no unit {channel} in layer '{layer}'; it has {count}, from 0 to {count - 1}.")

    # --- where on the image its places lie

    def axis(self, output: Tensor, layer: str, pictures: Tensor) -> int:
        declared = self.declared_axis(layer)
        if declared is not None or output.ndim == 2:
            return 1 if declared is None else declared
        if output.ndim == 3:
            return -1
        height, width = pictures.shape[2:]
        second, third, last = output.shape[1:4] if output.ndim == 4 else (0, 0, 1)
        channels_last = second * width == third * height and third * width != last * height
        return -1 if channels_last else 1

    def maps(self, output: Tensor, layer: str, pictures: Tensor) -> Tensor:
        """A layer's output as ``[n, c, h, w]``; tokens that lie nowhere on the image (class token, registers) left
        out."""
        if output.ndim == 4:
            found = output.movedim(self.axis(output, layer, pictures), 1)
        elif output.ndim == 3 and self.axis(output, layer, pictures) == -1:
            grid = self.grid(output.shape[1], pictures)
            if grid is None:
                raise UnseenError(
                    f"layer '{layer}' gives {list(output.shape)}: {output.shape[1]} tokens that do not tile an image "
                    f"of {pictures.shape[2]}×{pictures.shape[3]}. Name a layer whose tokens are patches of the image."
                )
            prefix, height, width = grid
            found = output[:, prefix:].transpose(1, 2).unflatten(2, (height, width))
        else:
            found = None
        if found is None or found.shape[2] * found.shape[3] < 2:
            raise UnseenError(
                f"layer '{layer}' gives {list(output.shape)} and has no places on the image; name one before pooling."
            )
        return found

    def grid(self, tokens: int, pictures: Tensor) -> tuple[int, int, int] | None:
        """Tokens that stand before the patches, and the height and width of the grid of patches."""
        height, width = pictures.shape[2:]
        modules = list(self.network.modules()) if self.network is not None else []
        says = [getattr(one, "num_prefix_tokens", None) for one in modules]
        declared = next((one for one in says if isinstance(one, int)), None)
        sizes = [getattr(one, "grid_size", None) for one in modules]
        size = next((one for one in sizes if isinstance(one, tuple) and len(one) == 2), None)
        for prefix in range(MOST_PREFIX + 1) if declared is None else (declared, 0):
            left = tokens - prefix
            if left < 1:
                break
            if size is not None and size[0] * size[1] == left:
                return prefix, *size
            rows = round((left * height / width) ** 0.5)
            if rows and left % rows == 0 and rows * width == left // rows * height:
                return prefix, rows, left // rows
        return None


@contextmanager
def still(anatomy: Anatomy) -> Iterator[None]:
    """Inside, the network is in evaluation mode and its weights ask for no gradient (which saves the memory of what
    they would need); afterwards it is as it was."""
    if anatomy.network is None:
        yield
        return
    modes = [(module, module.training) for module in anatomy.network.modules()]
    asking = [parameter for parameter in anatomy.network.parameters() if parameter.requires_grad]
    try:
        anatomy.network.eval()
        for parameter in asking:
            parameter.requires_grad_(False)
        yield
    finally:
        for module, mode in modes:
            module.training = mode
        for parameter in asking:
            parameter.requires_grad_(True)


def as_images(images: Tensor | np.ndarray) -> Tensor:
    """Pictures ``[n, c, h, w]``; what is not that is refused."""
    found = images if isinstance(images, Tensor) else torch.from_numpy(np.ascontiguousarray(images))
    if found.ndim != 4 or found.shape[0] == 0:
        more = " (for one image write images[None])" if found.ndim == 3 else ""
        raise UnseenError(f"images [n, channels, height, width] were expected; given {list(found.shape)}{more}.")
    if found.is_floating_point() and not bool(torch.isfinite(found).all()):
        wrong = int((~torch.isfinite(found.flatten(1)).all(1)).nonzero()[0])
        raise UnseenError(
            f"image {wrong} has pixels that are no number (NaN or infinite), so nothing it shows is known."
        )
    return found


def passes(images: int, steps: int, batch: int) -> Iterator[tuple[slice, slice]]:
    """All pairs of an image and a step, at most ``batch`` at a time: which images, which steps. Steps of one image are
    summed inside a pass, so memory is set by ``batch`` alone."""
    if batch < 1:
        raise UnseenError(f"a batch holds at least one picture; given {batch}.")
    group = min(images, batch)
    together = max(1, batch // group)
    for first in range(0, images, group):
        for step in range(0, steps, together):
            yield slice(first, min(first + group, images)), slice(step, min(step + together, steps))
