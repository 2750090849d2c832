"""How deep each parameter of a network lies: what layer-wise learning rates go by.

Of a timm network that is one stage the depths are timm's own (``group_matcher``, which follow BEiT: Bao et al. 2022):
stem, blocks one after another with the last norm, then the heads. Of a network that is cut into stages each block of a
stage is one (as timm's of a ResNet), and a stage without blocks of its own is one (ours).
"""

from __future__ import annotations

from typing import Any

from torch import nn


def depths_of(body: nn.Module) -> dict[str, int]:
    """The depth of each parameter of a trunk or a branch, from 0."""
    stages = dict(body.named_children())
    if list(stages) == ["network"]:
        inner: Any = stages["network"]
        prefix = "network."
        if type(inner).__name__ == "Features":  # a user's network behind its forward_features
            inner, prefix = inner.network, "network.network."
        if hasattr(inner, "group_matcher"):
            from timm.models import group_parameters

            known: Any = group_parameters(inner, inner.group_matcher(coarse=False), reverse=True)
            return {prefix + name: int(known[name]) for name, _ in inner.named_parameters()}
        return {prefix + name: depth for name, depth in _by_order(inner).items()}
    return _by_order(body)


def _by_order(body: nn.Module) -> dict[str, int]:
    """A depth for each numbered block of a child, and one for a child without; in the order they stand in."""
    places: dict[tuple[str, ...], int] = {}
    found = {}
    for name, _ in body.named_parameters():
        parts = name.split(".")
        place = (parts[0], parts[1]) if len(parts) > 1 and parts[1].isdigit() else (parts[0],)
        found[name] = places.setdefault(place, len(places))
    return found


def undecayed(body: nn.Module) -> set[str]:
    """Parameters that a network says are not to decay, whatever their shape (positions, class tokens), by name."""
    found = set()
    for path, module in body.named_modules():
        said: Any = getattr(module, "no_weight_decay", None)
        if callable(said):
            names: Any = said()
            found |= {f"{path}.{name}" if path else str(name) for name in names}
    return found
