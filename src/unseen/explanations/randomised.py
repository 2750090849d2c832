"""Networks whose layers are drawn anew, one by one from the scores down or each alone (Adebayo et al. 2018, §4).

A layer's weights are drawn from a normal of their own deviation around zero, so that activity keeps its scale; its
biases, and the slopes and offsets of normalisation, are shuffled (ours). Running statistics of batch normalisation stay
as they were: drawn at random, variances could be negative, and all maps not a number. What is drawn depends on the seed
and on the tensor's name alone, so that the cascade and the single layers share it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from unseen.explanations.anatomy import Anatomy, as_images, still
from unseen.explanations.asked import Asked, settled
from unseen.explanations.methods import as_asked, checked, explained
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import seed_of

ORDERS = ("cascading", "independent")


@dataclass(frozen=True)
class Group:
    """Layers that are drawn anew together: a name, and the names of their parameters."""

    name: str
    parameters: tuple[str, ...]


def groups_of(network: nn.Module, run: Callable[[], object], most: int = 8) -> tuple[Group, ...]:
    """Layers with weights from the scores down, in the order in which they ran, put together by the longest common
    start of their names that leaves ``most`` groups (a ResNet-18: its classifier, its four blocks, its stem)."""
    owners: dict[str, nn.Module] = {}

    def finish(path: str) -> Callable[..., None]:
        def hook(module: nn.Module, _inputs: Any, _output: Any) -> None:
            owners.pop(path, None)
            owners[path] = module

        return hook

    leaves = {path: m for path, m in network.named_modules() if next(m.parameters(recurse=False), None) is not None}
    ends = {path: m for path, m in leaves.items() if len(list(m.parameters())) == len(_own(m))}
    hooks = [module.register_forward_hook(finish(path)) for path, module in ends.items()]
    try:
        with torch.no_grad():
            run()
    finally:
        for hook in hooks:
            hook.remove()
    order = [path for path in leaves if path not in owners] + list(
        owners
    )  # parameters of no call (a class token) first
    if not order:
        raise UnseenError("this network has no weights that could be drawn anew.")
    deepest = max(path.count(".") for path in order) + 1
    found = _grouped(order, 1)
    for depth in range(1, deepest + 1):
        finer = _grouped(order, depth)
        if len(finer) > most:
            break
        found = finer
    return tuple(
        Group(name or type(network).__name__, tuple(f"{p}.{key}".lstrip(".") for p in paths for key in _own(leaves[p])))
        for name, paths in reversed(found.items())
    )


def _own(module: nn.Module) -> list[str]:
    return [key for key, _ in module.named_parameters(recurse=False)]


def _grouped(order: Sequence[str], depth: int) -> dict[str, list[str]]:
    """Paths by their first parts; a group stands where its last layer ran."""
    found: dict[str, list[str]] = {}
    for path in order:
        name = ".".join(path.split(".")[:depth])
        found[name] = [*found.pop(name, []), path]
    return found


@contextmanager
def randomised(network: nn.Module, groups: Sequence[Group], seed: int = 0) -> Iterator[nn.Module]:
    """The network with these groups drawn anew; afterwards it has its weights back."""
    tensors = dict(network.named_parameters())
    names = [name for group in groups for name in group.parameters]
    before = {name: tensors[name].detach().clone() for name in names}
    try:
        with torch.no_grad():
            for name in names:
                tensors[name].copy_(drawn(tensors[name], seed, name))
        yield network
    finally:
        with torch.no_grad():
            for name in names:
                tensors[name].copy_(before[name])


def drawn(weights: Tensor, seed: int, name: str) -> Tensor:
    """Other weights in the place of these, on the CPU, whatever the device."""
    generator = torch.Generator().manual_seed(seed_of(seed, "randomise", name))
    if weights.ndim < 2:
        order = torch.randperm(weights.numel(), generator=generator)
        return weights.detach().cpu().flatten()[order].reshape(weights.shape).to(weights.device)
    deviation = float(weights.detach().float().std(correction=0))
    if deviation == 0:  # a layer that has not learned: the usual deviation of a start
        deviation = weights[0].numel() ** -0.5
    return (torch.randn(weights.shape, generator=generator) * deviation).to(weights)


@dataclass(frozen=True, eq=False)
class Randomised:
    """Maps of a network as it is, ``{method: [n, h, w]}``, and of the network after each step: ``steps[k]`` names what
    was drawn anew last, ``after[k]`` holds the maps, with all steps before it where the order is cascading."""

    order: str
    steps: tuple[str, ...]
    before: dict[str, Any]
    after: tuple[dict[str, Any], ...]


def under_randomisation(
    model: Any,
    images: Any,
    methods: Sequence[str],
    asked: Asked | int | None = None,
    *,
    order: str = "cascading",
    most: int = 8,
    seed: int = 0,
    channels: str = "sum",
    settings: dict[str, dict[str, Any]] | None = None,
    batch: int = 64,
) -> Randomised:
    """Maps by several methods while layers are drawn anew: all from the scores down one after another ("cascading"), or
    each alone ("independent"). What is asked is settled on the network as it was. ``settings`` are by method."""
    if order not in ORDERS:
        raise UnseenError(f"layers are drawn anew in one of two orders: {', '.join(ORDERS)}; given '{order}'.")
    own = settings or {}
    rows = {method: checked(method, own.get(method, {}), channels) for method in methods}
    anatomy, given = Anatomy(model), as_images(images)
    network = anatomy.module

    def maps() -> dict[str, Any]:
        return {
            name: explained(question, given, name, row, channels, own.get(name, {})).maps for name, row in rows.items()
        }

    with still(anatomy):
        question = settled(anatomy, given, as_asked(asked), batch)
        groups = groups_of(network, lambda: anatomy.model(anatomy.taken(given[:1])), most)
        before, after = maps(), []
        for number in range(len(groups)):
            now = groups[: number + 1] if order == "cascading" else groups[number : number + 1]
            with randomised(network, now, seed):
                after.append(maps())
    return Randomised(order, tuple(group.name for group in groups), before, tuple(after))


def of_other_network(
    model: Any,
    other: Any,
    images: Any,
    methods: Sequence[str],
    asked: Asked | int | None = None,
    *,
    channels: str = "sum",
    settings: dict[str, dict[str, Any]] | None = None,
    batch: int = 64,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Maps of a network, and of another that is asked about the same classes: one trained on random labels (Adebayo et
    al. 2018, §5), one of another seed."""
    own = settings or {}
    rows = {method: checked(method, own.get(method, {}), channels) for method in methods}
    anatomy, second, given = Anatomy(model), Anatomy(other), as_images(images)
    with still(anatomy), still(second):
        question = settled(anatomy, given, as_asked(asked), batch)
        again = question.of_others(second)
        found = [
            {name: explained(one, given, name, row, channels, own.get(name, {})).maps for name, row in rows.items()}
            for one in (question, again)
        ]
    return found[0], found[1]
