"""The network of a study: what its tasks share, what each has alone, and the names of its layers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from unseen.models.depths import depths_of, undecayed
from unseen.models.staged_backbones import StagedBackbone
from unseen.vocabulary.errors import unknown


class Network(nn.Module):
    """A trunk that all targets share, then a branch and a head per target (no branches where all is shared).

    Branches and heads are numbered in the order of ``targets``, so that a target may have any name (``nn.ModuleDict``
    refuses "type"). There is no data-dependent control flow: a step can be captured as a CUDA graph or compiled.
    """

    targets: tuple[str, ...]
    layers: tuple[str, ...]
    description: dict[str, Any]

    def __init__(
        self,
        backbones: list[StagedBackbone],
        outputs: Mapping[str, int],
        shared: int,
        *,
        bottleneck: bool = False,
        apart: bool = False,
    ):
        """``shared`` stages come from the first backbone; what is left of each backbone is the branch of its target.
        ``bottleneck``: the head of the first target reads what the others answer; ``apart``: and teaches them nothing.
        """
        super().__init__()
        first, stages = backbones[0], [list(backbone.stages.items()) for backbone in backbones]
        self.targets = tuple(outputs)
        self.trunk = nn.Sequential(OrderedDict(stages[0][:shared]))
        rest = [OrderedDict(pieces[shared:]) for pieces in stages]
        self.branches = nn.ModuleList(nn.Sequential(pieces) for pieces in rest if pieces)
        self.heads = nn.ModuleList(nn.Linear(first.features, count) for count in outputs.values())
        self.concepts = self.targets[1:] if bottleneck else ()
        self._apart = apart
        if bottleneck:
            label, *concepts = outputs.values()
            self.heads[0] = nn.Linear(sum(concepts), label)
        common = {name for name, _ in stages[0][:shared]}
        self._places: dict[str, str] = {}
        self._tasks: dict[str, tuple[str, ...]] = {}
        self._plain: dict[str, str] = {}  # the layer's name in its backbone
        for layer, place in first.places.items():
            if place.partition(".")[0] in common:
                self._places[layer], self._tasks[layer], self._plain[layer] = f"trunk.{place}", self.targets, layer
        for number, target in enumerate(self.targets if self.branches else ()):
            for layer, place in first.places.items():
                if place.partition(".")[0] not in common:
                    name = f"{target}.{layer}"
                    self._places[name], self._tasks[name] = f"branches.{number}.{place}", (target,)
                    self._plain[name] = layer
        self.layers = tuple(self._places)
        self._frozen = False
        self._axes = dict(first.axes)
        maps = {layer: list(first.shapes[name]) for layer, name in self._plain.items() if name in first.shapes}
        self.description = {
            "outputs": dict(outputs),
            "parameters": sum(parameter.numel() for parameter in self.parameters()),
            "features": first.features,
            "layers": list(self.layers),
            "maps": maps,
            **({"concepts": list(self.concepts)} if bottleneck else {}),
        }

    def _known(self, layer: str) -> str:
        if layer not in self._places:
            raise unknown("layer", layer, self.layers, where=f"network '{self.description.get('backbone', '')}'")
        return layer

    def layer(self, name: str) -> nn.Module:
        """The module whose output is the activity of the layer called ``name``."""
        return self.get_submodule(self._places[self._known(name)])

    def tasks_of(self, layer: str) -> tuple[str, ...]:
        """The targets a layer serves: all for a shared one, one for a branch's."""
        return self._tasks[self._known(layer)]

    def channel_axis(self, layer: str) -> int:
        """Which axis holds a layer's units: 1 in maps ``[n, c, h, w]``, -1 in tokens ``[n, t, c]`` and Swin's maps."""
        return self._axes[self._plain[self._known(layer)]]

    def freeze(self) -> Network:
        """Let only the heads learn from now on: all else keeps its weights, and the statistics of its normalisation."""
        self._frozen = True
        for part in (self.trunk, self.branches):
            part.requires_grad_(False)
        return self.train(self.training)

    def train(self, mode: bool = True) -> Network:
        super().train(mode)
        if self._frozen:
            self.trunk.eval()
            self.branches.eval()
        return self

    def forward(self, images: Tensor) -> dict[str, Tensor]:
        """Logits (or regressed values) per target; the shared part runs once."""
        common = self.trunk(images)
        if len(self.branches) == 0:
            features = pooled(common)
            if self.concepts:
                said = {name: head(features) for name, head in zip(self.concepts, list(self.heads)[1:], strict=True)}
                return {self.targets[0]: self.from_concepts(shares(said)), **said}
            return {target: head(features) for target, head in zip(self.targets, self.heads, strict=True)}
        parts = zip(self.targets, self.branches, self.heads, strict=True)
        return {target: head(pooled(branch(common))) for target, branch, head in parts}

    def from_concepts(self, shares: Mapping[str, Tensor]) -> Tensor:
        """Logits of the first target, given for each concept how probable each of its levels is: the network's own
        answers, or the truth in place of some (an intervention). Probabilities in place of Koh et al.'s logits are
        ours: a level that is known is then a one."""
        seen = torch.cat([shares[name] for name in self.concepts], 1)
        return self.heads[0](seen.detach() if self._apart else seen)

    def depths(self) -> dict[str, int]:
        """How deep each parameter lies, from 0; all heads are the deepest (:mod:`unseen.models.depths`)."""
        found = {f"trunk.{name}": depth for name, depth in depths_of(self.trunk).items()}
        above = max(found.values(), default=-1) + 1
        for number, branch in enumerate(self.branches):
            found |= {f"branches.{number}.{name}": above + depth for name, depth in depths_of(branch).items()}
        last = max(found.values(), default=-1) + 1
        return {**found, **{f"heads.{name}": last for name, _ in self.heads.named_parameters()}}

    def undecayed(self) -> set[str]:
        """Parameters that timm's networks say are not to decay."""
        return undecayed(self)

    def features(self, images: Tensor) -> Tensor:
        """What the heads see, ``[n, features]``, or ``[n, targets, features]`` where each has a branch of its own."""
        common = self.trunk(images)
        if len(self.branches) == 0:
            return pooled(common)
        return torch.stack([pooled(branch(common)) for branch in self.branches], 1)


class Heads(nn.Module):
    """The heads of a network, which stay its own: features in (:meth:`Network.features`), answers out."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.targets, self.heads, self.branched = network.targets, network.heads, len(network.branches) > 0

    def forward(self, features: Tensor) -> dict[str, Tensor]:
        inputs = features.unbind(1) if self.branched else [features] * len(self.targets)
        return {target: head(one) for target, head, one in zip(self.targets, self.heads, inputs, strict=True)}


def shares(answers: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """How probable each level is, of each concept."""
    return {name: logits.softmax(1) for name, logits in answers.items()}


def pooled(features: Tensor) -> Tensor:
    """Maps averaged over positions; what is pooled already stays."""
    return features.mean((2, 3)) if features.ndim == 4 else features
