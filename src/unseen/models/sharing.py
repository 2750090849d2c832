"""Sharing patterns: how much of a network several tasks have in common (Madan et al. 2022, Fig. 2 and supplement).

- ``shared``: one backbone, global average pooling, one Linear per task.
- ``separate``: one whole network per task, each with its own initial weights.
- ``split-k``: the stem and the first k stages are shared, the rest is copied per task with its own initial weights.
- ``concepts``: ``shared``, but the head of the first task sees what the others answer, and nothing else: a concept
  bottleneck (Koh et al. 2020, "joint"); ``concepts-apart``: the first task's loss does not reach the trunk
  ("sequential", both learned at once).
- ``shared-wide``: ``shared`` with every width doubled, to match ``separate`` in units per layer. The paper doubles the
  stem too; the released code leaves it (``as_released``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from unseen.models.catalogue import BACKBONES, CONCEPTS, SHARING, Backbone
from unseen.models.factories import factory_of
from unseen.models.network import Network
from unseen.models.small import SMALL, Small
from unseen.models.staged_backbones import (
    Request,
    StagedBackbone,
    check_known,
    check_size,
    from_factory,
    from_small,
    from_table,
    from_timm,
    row_of,
)
from unseen.models.weights import fit, read
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.seeds import seed_of
from unseen.vocabulary.stems import AUTO, SCRATCH, STANDARD, settled

Kind = Backbone | Small | Callable[..., Any] | None


def build(
    backbone: str,
    outputs: Mapping[str, int],
    *,
    sharing: str = "shared",
    stem: str = AUTO,
    channels: int = 3,
    as_released: bool = False,
    checkpoint: str | None = None,
    pretrained: bool = False,
    input_size: tuple[int, int] | None = None,
    seed: int,
    arguments: Mapping[str, Any] | None = None,
    trust: bool = True,
) -> Network:
    """A network for the targets in ``outputs`` (name → number of outputs) on a backbone of the table, timm's or yours.

    ``backbone`` is a name in :data:`BACKBONES`, one in :data:`SMALL`, any other timm name, or ``module:factory`` (these
    three ``shared`` or ``separate`` only); ``arguments`` go to the network's maker, to timm or to the factory. ``stem``
    is ``auto`` (by ``input_size``: see :mod:`unseen.vocabulary.stems`), ``standard``, ``medium`` (5×5, stride 2, no
    pooling) or ``small`` (3×3, stride 1, no pooling). With ``input_size`` the network looks at one image at once, so
    that a wrong size is told here, and the description holds the shape of every map.

    Weights are random unless a ``checkpoint`` file or ``pretrained`` (timm's, downloaded) is asked for; those start
    every branch alike. A checkpoint may also hold a whole :class:`Network`; heads that do not fit then start afresh.
    Initial weights depend on ``seed`` only (and on what a user's factory does). Each branch and each head has its own
    stream, so the first branch of ``separate`` starts as ``shared`` does (ours; the paper says "from scratch"), and
    torch's global stream is left as it was.

    ``trust``: ``module:factory`` is named by whoever calls, and imported. A recipe's is imported once it was allowed.
    """
    kind = _kind(backbone, sharing, trust, len(outputs))
    stem = settled(stem, backbone, input_size, weights=pretrained or checkpoint is not None)
    _check(backbone, kind, outputs, stem, channels, pretrained, checkpoint)
    tensors = read(checkpoint) if checkpoint else None
    entire = tensors is not None and _is_network(tensors)
    alone, wide = sharing in ("shared", "shared-wide", *CONCEPTS), sharing == "shared-wide"
    asked = Request(
        name=backbone,
        channels=channels,
        stem=stem,
        wide=wide,
        as_released=wide and as_released,
        pretrained=pretrained,
        checkpoint=checkpoint,
        tensors=None if entire else tensors,
        input_size=input_size,
        arguments=dict(arguments or {}),
    )
    with torch.random.fork_rng(devices=[]):
        backbones = []
        for number in range(1 if alone else len(outputs)):
            torch.default_generator.manual_seed(seed_of(seed, "network", "branch", number))
            backbones.append(_backbone(asked, kind))
        if len({id(next(iter(backbone.stages.values()))) for backbone in backbones}) < len(backbones):
            raise UnseenError(
                f"'{backbone}' returned the same module twice; separate networks need a new one per call."
            )
        network = Network(
            backbones, outputs, _shared_stages(sharing, len(backbones[0].stages)),
            bottleneck=sharing in CONCEPTS, apart=sharing == "concepts-apart",
        )  # fmt: skip
        for target, head in zip(outputs, network.heads, strict=True):
            torch.default_generator.manual_seed(seed_of(seed, "network", "head", target))
            head.reset_parameters()  # pyright: ignore[reportCallIssue]
    notes = list(backbones[0].notes)
    if entire and tensors is not None:
        notes += fit(network, tensors, str(checkpoint), heads=("heads",))
    network.description = {
        "backbone": backbone,
        "source": backbones[0].source,
        "sharing": sharing,
        **({"as_released": as_released} if wide else {}),
        "stem": stem if isinstance(kind, Backbone) else "its own",
        **({"input_size": list(input_size)} if input_size else {}),
        **({"positions": list(found)} if (found := backbones[0].positions) and input_size else {}),
        "channels": channels,
        "weights": _pretrained(kind) if pretrained else f"checkpoint {checkpoint}" if checkpoint else SCRATCH,
        "arguments": {key: repr(value) for key, value in asked.arguments.items()},
        **network.description,
        "notes": notes,
    }
    return network


def layer_names(
    backbone: str,
    targets: tuple[str, ...] | list[str],
    sharing: str,
    *,
    stem: str = AUTO,
    channels: int = 3,
    input_size: tuple[int, int] | None = None,
    arguments: Mapping[str, Any] | None = None,
    trust: bool = True,
) -> tuple[str, ...]:
    """The layers that :func:`build` would name: at once for the table, by building any other network.

    With ``input_size`` images that are too small are refused here already.
    """
    row = _kind(backbone, sharing, trust, len(targets))
    if not isinstance(row, Backbone):
        options = {"channels": channels, "input_size": input_size, "arguments": arguments, "trust": trust}
        return build(backbone, dict.fromkeys(targets, 1), sharing=sharing, seed=0, **options).layers
    check_size(backbone, row, settled(stem, backbone, input_size), input_size)
    stages = list(row.stages)
    shared = _shared_stages(sharing, len(stages))
    return (*stages[:shared], *(f"{target}.{stage}" for target in targets for stage in stages[shared:]))


def _shared_stages(sharing: str, stages: int) -> int:
    """How many stages are shared: the stem and k blocks for split-k."""
    return {"separate": 0, "split-1": 2, "split-2": 3, "split-3": 4}.get(sharing, stages)


def _is_network(tensors: Mapping[str, Tensor]) -> bool:
    """Whether these are the weights of a whole Network, rather than of a backbone."""
    return "heads.0.weight" in tensors and any(name.startswith(("trunk.", "branches.")) for name in tensors)


def _check(
    backbone: str,
    kind: Kind,
    outputs: Mapping[str, int],
    stem: str,
    channels: int,
    pretrained: bool,
    checkpoint: str | None,
) -> None:
    """What can be told to be wrong before anything is built."""
    if kind is None or (row_of(backbone) is not None and "." in backbone):
        check_known(backbone)
    if not outputs:
        raise UnseenError("a network needs at least one target, such as {'category': 9}.")
    for target, count in outputs.items():
        if not isinstance(count, int) or count < 1:
            raise UnseenError(f"target '{target}' has {count!r} outputs; it needs a whole number of at least one.")
    if channels < 1:
        raise UnseenError(f"channels = {channels}; images have at least one channel (grey 1, colour 3).")
    if pretrained and checkpoint:
        raise UnseenError("both 'pretrained' and 'checkpoint' are given; weights can come from one of them only.")
    if stem != STANDARD and not isinstance(kind, Backbone):
        raise UnseenError(f"'{backbone}' keeps its own stem; stem = '{stem}' is possible for {listed(BACKBONES)}.")
    if pretrained and kind is not None and not isinstance(kind, Backbone | Small):
        raise UnseenError(f"'{backbone}' is your own network: give its weights as 'checkpoint', not 'pretrained'.")


def _pretrained(kind: Kind) -> str:
    return f"{kind.pretrained}, pretrained" if isinstance(kind, Small) else "timm, pretrained"


def _kind(backbone: str, sharing: str, trust: bool, targets: int) -> Kind:
    """A row of a table, a user's factory, or None for timm; checks that it can be shared in this way."""
    if sharing not in SHARING:
        raise unknown("sharing", sharing, SHARING)
    if sharing in CONCEPTS and targets < 2:
        raise UnseenError(
            f"sharing = '{sharing}' reads the first target from the others, its concepts, and there are none; name "
            'further factors as targets, e.g. targets = ["category", "legs", "wheels"]. The world \'described\' adds '
            "such factors to any world."
        )
    kind = row_of(backbone) or SMALL.get(backbone) or factory_of(backbone, trust=trust)
    if not isinstance(kind, Backbone) and sharing not in ("shared", "separate", *CONCEPTS):
        raise UnseenError(
            f"'{backbone}' can be shared or separate, or read from concepts: where to cut or widen it is not known. "
            f"'{sharing}' is possible for {listed(name for name, row in BACKBONES.items() if sharing in row.sharing)}."
        )
    if isinstance(kind, Backbone) and sharing not in kind.sharing:
        able = listed(name for name, row in BACKBONES.items() if sharing in row.sharing)
        raise UnseenError(f"the widths of '{backbone}' cannot be doubled; 'shared-wide' is possible for {able}.")
    return kind


def _backbone(asked: Request, kind: Kind) -> StagedBackbone:
    if isinstance(kind, Backbone):
        return from_table(asked, kind)
    if isinstance(kind, Small):
        return from_small(asked, kind)
    return from_timm(asked) if kind is None else from_factory(asked, kind)
