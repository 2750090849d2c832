"""Answers of a network some of whose units are set to zero: for every image alike, or for each image its own.

A unit is a channel of a named layer, as in :mod:`unseen.recordings.activity`; ablated, it is zero at every place.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from unseen.recordings.activity import Reduce, named_layers, reducing
from unseen.recordings.responses import Images, answered, autocast, batches
from unseen.recordings.resuming import Finished, remembering, resuming
from unseen.vocabulary.errors import UnseenError

Rule = Callable[[Tensor], Tensor]
Answers = dict[str, tuple[np.ndarray, np.ndarray | None]]
Name = TypeVar("Name", bound=Hashable)

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(21))  # Zaidi et al. 2020, section 3.2: 0 to 1 by .05


@dataclass(frozen=True, eq=False)
class Ablation:
    """Units of one layer, true where set to zero: ``Bool[units]`` for every image, ``Bool[images, units]`` for each row
    asked, or a rule that is given the units' activity on a batch, ``[images, units]``, and answers in that shape."""

    layer: str
    units: np.ndarray | Tensor | Rule

    def mask(self, activity: Tensor, places: np.ndarray, rows: int) -> Tensor:
        """True where a unit is set to zero, for the rows at ``places`` of all."""
        units = activity.shape[1]
        if callable(self.units) and not isinstance(self.units, Tensor):
            found = self.units(activity)
            if not isinstance(found, Tensor) or found.dtype != torch.bool or found.shape != activity.shape:
                raise UnseenError(
                    f"a rule for layer '{self.layer}' is given activity {list(activity.shape)} (images, units) and "
                    f"must answer with true and false in that shape; it gave {_shape(found)}."
                )
            return found
        given = torch.as_tensor(self.units)
        if given.dtype != torch.bool or tuple(given.shape) not in ((units,), (rows, units)):
            raise UnseenError(
                f"layer '{self.layer}' has {units} units: an ablation of it is true or false for each, [{units}], or "
                f"for each of the {rows} images, [{rows}, {units}]; given {_shape(given)}. For unit numbers write "
                f"np.isin(np.arange({units}), numbers)."
            )
        here = given[torch.from_numpy(places).to(given.device)] if given.ndim == 2 else given[None]
        return here.to(activity.device).expand_as(activity)


def inactive(maxima: Float[np.ndarray, " units"], threshold: float) -> Rule:
    r"""Units that an image leaves inactive: :math:`\hat f_k(x) / \max \hat f_k \le \tau`. A dead unit always is."""
    active = _active(maxima, threshold)
    return lambda activity: ~active(activity)


def _active(maxima: np.ndarray, threshold: float) -> Rule:
    scale = np.where((maxima > 0) & np.isfinite(maxima), maxima, np.nan)

    @cache
    def there(device: torch.device) -> Tensor:
        return torch.as_tensor(scale, dtype=torch.float32 if device.type == "mps" else torch.float64).to(device)

    def rule(activity: Tensor) -> Tensor:
        return activity / there(activity.device) > threshold

    return rule


@torch.inference_mode()
def respond_ablated(
    network: nn.Module,
    targets: Sequence[str],
    fetch: Images,
    rows: np.ndarray,
    ablations: Mapping[Name, Ablation],
    *,
    activity: str = "mean",
    device: torch.device,
    precision: str = "float32",
    size: int = 256,
    numbers: bool = False,
    resume: bool = True,
) -> tuple[Answers, dict[Name, Answers]]:
    """What a network answers untouched, and under each ablation; in the form of :func:`unseen.recordings.respond`.

    Images are fetched once, and the untouched pass is run once per batch. Each ablation then runs what comes after its
    layer (``resume=False``: all, with the same answers). Memory holds one batch, its maps, and the answers.
    """
    reduce = reducing(activity)
    recordable, layers = named_layers(network, [ablation.layer for ablation in ablations.values()])
    network.eval()
    whole: list[dict[str, tuple[Tensor, Tensor | None]]] = []
    parts: dict[Name, list[dict[str, tuple[Tensor, Tensor | None]]]] = {name: [] for name in ablations}
    for places, images in batches(fetch, rows, device, size):
        with remembering(network, layers if resume else {}) as memory, autocast(device, precision):
            whole.append(answered(network(images), targets, numbers))
        for name, ablation in ablations.items():
            module = layers[ablation.layer]
            done = dict(memory.before(ablation.layer, module)) if resume else {}
            hook = _silence(ablation, reduce, recordable.channel_axis(ablation.layer), places, len(rows))
            outputs = _run(network, images, module, hook, done, device, precision)
            parts[name].append(answered(outputs, targets, numbers))
    return _joined(whole, targets, numbers), {name: _joined(found, targets, numbers) for name, found in parts.items()}


def _run(
    network: nn.Module,
    images: Tensor,
    module: nn.Module,
    hook: Callable[..., Tensor],
    done: Finished,
    device: torch.device,
    precision: str,
) -> dict[str, Tensor]:
    handle = module.register_forward_hook(hook)
    try:
        with resuming(done), autocast(device, precision):
            return network(images)
    finally:
        handle.remove()


def _silence(ablation: Ablation, reduce: Reduce, axis: int, places: np.ndarray, rows: int) -> Callable[..., Tensor]:
    def hook(module: nn.Module, inputs: object, output: Tensor) -> Tensor:
        mask = ablation.mask(reduce(output, axis), places, rows)
        shape = [1] * output.ndim
        shape[0], shape[axis] = mask.shape
        return output.masked_fill(mask.reshape(shape), 0)

    return hook


def _joined(
    found: Sequence[Mapping[str, tuple[Tensor, Tensor | None]]], targets: Sequence[str], numbers: bool
) -> Answers:
    """Answers of all batches, brought from the device at once."""
    answers: Answers = {}
    for target in targets:
        first = [batch[target][0] for batch in found]
        response = torch.cat(first).cpu().numpy() if first else np.zeros(0, np.float32 if numbers else np.int64)
        second = [surety for batch in found if (surety := batch[target][1]) is not None]
        confidence = None if numbers else (torch.cat(second).cpu().numpy() if second else np.zeros(0, np.float32))
        answers[target] = response, confidence
    return answers


@dataclass(frozen=True)
class AblationCurve:
    """Accuracy of a network by τ: with each image's inactive units ablated (``kept``), with its active ones ablated
    instead (``removed``), and untouched (``full``)."""

    thresholds: Float[np.ndarray, " steps"]
    kept: Float[np.ndarray, " steps"]
    removed: Float[np.ndarray, " steps"]
    full: float
    images: int


def threshold_curves(
    network: nn.Module,
    asked: Mapping[str, str],
    fetch: Images,
    rows: np.ndarray,
    truth: Mapping[str, np.ndarray],
    maxima: Mapping[Name, Mapping[str, np.ndarray]],
    *,
    thresholds: Sequence[float] = THRESHOLDS,
    activity: str = "mean",
    device: torch.device,
    precision: str = "float32",
    size: int = 256,
) -> dict[Name, dict[str, AblationCurve]]:
    """How much of a layer can be silenced by τ (Zaidi et al. 2020, sections 2.2 and 3.2).

    ``asked`` names the target whose accuracy is taken for each layer, ``truth`` the right answers to ``rows``, and
    ``maxima`` the largest activity of every unit by layer, under any names (one per transformation, say). All curves
    come from one pass over the images; see :func:`respond_ablated`.
    """
    if not len(rows):
        raise UnseenError("an ablation curve needs at least one image; the rows are empty.")
    grid = np.asarray(thresholds, np.float64)
    ablations = {}
    for name, layers in maxima.items():
        for layer in asked:
            for step, tau in enumerate(grid):
                silent = inactive(layers[layer], float(tau))
                ablations[name, layer, step, True] = Ablation(layer, silent)
                ablations[name, layer, step, False] = Ablation(layer, _active(layers[layer], float(tau)))
    targets = tuple(dict.fromkeys(asked.values()))
    full, found = respond_ablated(
        network, targets, fetch, rows, ablations, activity=activity, device=device, precision=precision, size=size
    )

    def accuracy(answers: Answers, layer: str) -> float:
        return float(np.mean(answers[asked[layer]][0] == truth[asked[layer]]))

    def curve(name: Name, layer: str) -> AblationCurve:
        kept, removed = (
            np.array([accuracy(found[name, layer, step, which], layer) for step in range(len(grid))])
            for which in (True, False)
        )
        return AblationCurve(grid, kept, removed, accuracy(full, layer), len(rows))

    return {name: {layer: curve(name, layer) for layer in asked} for name in maxima}


def _shape(given: object) -> str:
    if isinstance(given, Tensor):
        return f"{list(given.shape)} of {str(given.dtype).removeprefix('torch.')}"
    return type(given).__name__
