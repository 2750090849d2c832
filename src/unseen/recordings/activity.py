"""Mean activity of every unit in every cell, for any named layers, in one streaming pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from torch import Tensor, nn

from unseen.recordings.responses import Images, autocast, batches
from unseen.vocabulary.errors import UnseenError, unknown


@runtime_checkable
class Recordable(Protocol):
    """A network whose layers have names."""

    def layer(self, name: str) -> nn.Module: ...
    def channel_axis(self, layer: str) -> int: ...


def spatial_mean(output: Tensor, axis: int) -> Tensor:
    """A unit is a channel; its activity on an image is its mean over places (ours: the supplement is not at hand)."""
    output = output.movedim(axis, 1).flatten(2) if output.ndim > 2 else output[:, :, None]
    return output.mean(2, dtype=torch.float32)


def spatial_max(output: Tensor, axis: int) -> Tensor:
    """A unit's activity is its largest value over places."""
    output = output.movedim(axis, 1).flatten(2) if output.ndim > 2 else output[:, :, None]
    return output.amax(2).float()


Reduce = Callable[[Tensor, int], Tensor]
ACTIVITY: dict[str, Reduce] = {"mean": spatial_mean, "max": spatial_max}


def reducing(activity: str) -> Reduce:
    """What makes one number per unit and image of a layer's output."""
    if activity not in ACTIVITY:
        raise unknown("activity", activity, ACTIVITY, where="recordings.activity")
    return ACTIVITY[activity]


def named_layers(network: nn.Module, names: Sequence[str]) -> tuple[Recordable, dict[str, nn.Module]]:
    """The modules of named layers, each once; a name that is not there is refused with those that are."""
    recordable, there = _recordable(network), getattr(network, "layers", None)
    for name in names:
        if there is not None and name not in there:
            raise unknown("layer", name, there, where=f"this {type(network).__name__}")
    return recordable, {name: recordable.layer(name) for name in dict.fromkeys(names)}


@torch.inference_mode()
def activity_per_cell(
    network: nn.Module,
    layers: Sequence[str],
    fetch: Images,
    rows: np.ndarray,
    cells: np.ndarray,
    n_cells: int,
    *,
    activity: str = "mean",
    device: torch.device,
    precision: str = "float32",
    size: int = 1024,
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Mean activity ``{layer: [units, cells]}`` and the number of images per cell.

    A cell without images is NaN, and a unit's cell in which one image gave no finite number.

    Memory holds one batch and one ``[cells, units]`` sum per layer, however many images there are.
    """
    reduce, (recordable, modules) = reducing(activity), named_layers(network, layers)
    layers = tuple(modules)
    precise = torch.float32 if device.type == "mps" else torch.float64
    network.eval()
    now: dict[str, Tensor] = {}
    sums: dict[str, Tensor] = {}
    broken: dict[str, Tensor] = {}
    hooks = []
    try:
        for name, module in modules.items():
            hooks.append(module.register_forward_hook(keeping(now, name, reduce, recordable.channel_axis(name))))
        for places, images in batches(fetch, rows, device, size):
            at = torch.as_tensor(cells[places], dtype=torch.long, device=device)
            with autocast(device, precision):
                network(images)
            member = torch.nn.functional.one_hot(at, n_cells).to(torch.float32)
            for name in layers:
                if name not in sums:
                    sums[name] = torch.zeros(n_cells, now[name].shape[1], dtype=precise, device=device)
                    broken[name] = torch.zeros(n_cells, now[name].shape[1], device=device)
                values = now.pop(name)
                finite = values.isfinite()  # a product with zero would carry what is not to every other cell
                sums[name] += member.T @ values.where(finite, 0)
                broken[name] += member.T @ (~finite).float()
    finally:
        for hook in hooks:
            hook.remove()
    counts = np.bincount(cells, minlength=n_cells)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = {
            name: (total.where(broken[name] == 0, torch.nan).double().cpu().numpy() / counts[:, None]).T
            for name, total in sums.items()
        }
    return means, counts


def keeping(now: dict[str, Tensor], name: str, reduce: Reduce, axis: int) -> Callable[..., None]:
    """A hook that leaves the units' activity on this batch in ``now``."""

    def hook(module: nn.Module, inputs: object, output: Tensor) -> None:
        now[name] = reduce(output, axis)

    return hook


def _recordable(network: nn.Module) -> Recordable:
    if not isinstance(network, Recordable):
        raise UnseenError(
            f"a {type(network).__name__} has no named layers to record: give it `layer(name)` and "
            "`channel_axis(name)`, or build it with unseen.models.build."
        )
    return network
