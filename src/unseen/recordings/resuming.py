"""Run only what comes after a layer: an ablation changes nothing before it.

A pass over a batch is remembered: for each layer asked about, the outputs of all modules that had finished when the
layer answered (the outermost of them; what they hold inside is not needed). A later pass over the same batch returns
these instead of computing them. It knows nothing of how a network is put together, only in which order its modules
finish; a module that is called more than once, or gives something other than one tensor, is simply run again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

Finished = dict[nn.Module, Tensor]


@dataclass
class Memory:
    """What had finished when each layer answered, and how often each module was called in the whole pass."""

    finished: dict[str, Finished] = field(default_factory=dict)
    calls: Counter[nn.Module] = field(default_factory=Counter)

    def before(self, layer: str, module: nn.Module) -> Finished:
        """What need not be run again for ``layer``: nothing, where it is called more than once."""
        if self.calls[module] != 1:
            return {}
        return {done: output for done, output in self.finished[layer].items() if self.calls[done] == 1}


@contextmanager
def remembering(network: nn.Module, layers: Mapping[str, nn.Module]) -> Iterator[Memory]:
    """Remember the pass that is run inside. Outputs are copied, since a network may go on in place."""
    memory, done = Memory(), Finished()
    inside = {module: [inner for inner in module.modules() if inner is not module] for module in network.modules()}
    named: dict[nn.Module, list[str]] = {}
    for name, module in layers.items():
        named.setdefault(module, []).append(name)

    def finish(module: nn.Module, inputs: object, output: object) -> None:
        memory.calls[module] += 1
        for inner in inside[module]:
            done.pop(inner, None)
        if len(memory.finished) == len(layers):  # nothing later is of use
            done.clear()
            return
        if isinstance(output, Tensor):
            done[module] = output.clone()
        for name in named.get(module, ()):
            memory.finished[name] = dict(done)

    hooks = [module.register_forward_hook(finish) for module in network.modules()]
    try:
        yield memory
    finally:
        for hook in hooks:
            hook.remove()


@contextmanager
def resuming(finished: Finished) -> Iterator[None]:
    """Inside, modules that had finished give what they gave, at once."""
    before = {module: module.__dict__.get("forward") for module in finished}
    try:
        for module, output in finished.items():
            module.forward = _again(output)
        yield
    finally:
        for module, own in before.items():
            if own is None:
                module.__dict__.pop("forward", None)
            else:
                module.forward = own


def _again(output: Tensor):
    def forward(*inputs: object, **named: object) -> Tensor:
        return torch.clone(output)

    return forward
