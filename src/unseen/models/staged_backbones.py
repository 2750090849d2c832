"""Backbones made ready to be shared or copied, whether from the table, from timm or from a user's factory.

Each is an ordered run of stages, the layers in it that can be recorded, and how many features it gives. One from the
table is cut into its stages; any other network is one stage, which cannot be branched.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from unseen.models.catalogue import BACKBONES, Backbone, create, cut, inception
from unseen.models.encoders import ENCODERS
from unseen.models.small import SIZE, SMALL, Small, made
from unseen.models.weights import fit, last_linear
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.stems import STANDARD, STEMS, few_positions

WHOLE = "network"  # the single stage of a backbone that is not cut


@dataclass(frozen=True)
class Request:
    """What a user asked of one backbone; ``tensors`` are those of the ``checkpoint`` file, read once."""

    name: str
    channels: int = 3
    stem: str = "standard"
    wide: bool = False
    as_released: bool = False
    pretrained: bool = False
    checkpoint: str | None = None
    tensors: Mapping[str, Tensor] | None = None
    input_size: tuple[int, int] | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def fitted(self, net: nn.Module, heads: tuple[str, ...]) -> list[str]:
        """Load the checkpoint, if there is one, and give the notes on it."""
        return [] if self.tensors is None else fit(net, self.tensors, str(self.checkpoint), heads=heads)


@dataclass
class StagedBackbone:
    """One backbone: ``places`` maps a layer's name to its path below the stages, ``shapes`` to one image's map."""

    stages: dict[str, nn.Module]
    places: dict[str, str]
    features: int
    source: str
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    axes: dict[str, int] = field(default_factory=dict)
    positions: tuple[int, int] | None = None  # that the last block sees, by its last kernel larger than 1×1
    notes: list[str] = field(default_factory=list)


class Features(nn.Module):
    """A user's network seen through its ``forward_features``."""

    def __init__(self, network: nn.Module):
        super().__init__()
        self.network = network

    def forward(self, images: Tensor) -> Tensor:
        return self.network.forward_features(images)  # pyright: ignore[reportCallIssue]


def row_of(name: str) -> Backbone | None:
    """The table's row for a name, with or without timm's weight tag (``resnet18.tv_in1k``)."""
    base, _, tag = name.partition(".")
    row = BACKBONES.get(base)
    return None if row is None or (tag and row.architecture != base) else row


def check_size(name: str, row: Backbone, stem: str, size: tuple[int, int] | None) -> None:
    """Refuse images that a backbone's strides would shrink to nothing."""
    if size and min(size) < row.smallest[stem]:
        others = [f"{row.smallest[one]} with stem = '{one}'" for one in STEMS[STEMS.index(stem) + 1 :]]
        other = f", or {', '.join(others)}" if others else ""
        raise UnseenError(
            f"images of {size[0]}×{size[1]} are too small for '{name}' with the {stem} stem: its maps shrink to "
            f"nothing. It needs a side of at least {row.smallest[stem]}{other}."
        )


def check_has_weights(name: str, row: Backbone, wide: bool) -> None:
    """timm's weights are for its own widths."""
    if wide or ("." not in name and row.architecture != name):
        raise UnseenError(
            f"timm has no weights for '{name}'{' with doubled widths' if wide else ''}; set pretrained = false."
        )


def from_table(asked: Request, row: Backbone) -> StagedBackbone:
    """A backbone of the table, cut into its stages, with doubled widths where asked."""
    name, stem, size = asked.name, asked.stem, asked.input_size
    check_size(name, row, stem, size)
    architecture = name if "." in name else row.architecture
    altered = asked.wide or architecture != name
    if asked.pretrained:
        check_has_weights(name, row, asked.wide)
    widths = {}
    if row.width:
        width = 2 * row.width if asked.wide else row.width
        widths = {"width": width, "stem_width": row.width if asked.as_released else width}
    options = {"channels": asked.channels, "stem": stem, "pretrained": asked.pretrained, "arguments": asked.arguments}
    net: Any = row.make(architecture, **options, **widths)
    source = f"timm's {row.architecture} in a width of our own" if altered else "timm"
    backbone = StagedBackbone(cut(net, row.stages), {stage: stage for stage in row.stages}, net.num_features, source)
    backbone.axes = dict.fromkeys(row.stages, 1)
    backbone.notes = asked.fitted(net, ("fc", "classifier", "AuxLogits"))
    if asked.pretrained and stem != STANDARD and row.make is not inception:
        backbone.notes.append(
            f"the {stem} stem's convolution starts from fresh weights: timm's are for the standard one"
        )
    if size:
        look(nn.Sequential(*backbone.stages.values()), backbone.stages, asked, size, backbone)
    return backbone


def check_known(name: str) -> None:
    """timm has a network of this name, and weights of the name behind a dot; the user's own were asked before."""
    import timm

    base, _, tag = name.partition(".")
    if timm.is_model(base):
        tags = [one.partition(".")[2] for one in timm.list_models(f"{base}.*", include_tags=True)] if tag else []
        if tag not in ("", *tags):
            raise unknown("weights", tag, tags, where=f"timm's '{base}'")
        return
    if name in ENCODERS:
        raise UnseenError(
            f"'{name}' is an encoder that learns without labels, not a backbone; in a recipe set training.objective"
            f" beside it (`unseen models {name}` lists which), in Python take build_encoder."
        )
    close = difflib.get_close_matches(name, set(timm.list_models()) - set(BACKBONES), n=4)
    encoders = f"encoders, for training.objective: {', '.join(ENCODERS)}"
    raise unknown(
        "backbone",
        name,
        [*BACKBONES, *SMALL, *ENCODERS, *close],
        where=f"the table or in timm (or give 'module:factory'; {encoders})",
    )


def from_timm(asked: Request) -> StagedBackbone:
    """Any other timm network, whole; its layers are those of timm's ``feature_info``."""
    import timm

    name, size = asked.name, asked.input_size
    check_known(name)
    config = timm.get_pretrained_cfg(name)
    native = (config.input_size[1], config.input_size[2]) if config else (224, 224)
    sized = {"img_size": size} if config and config.fixed_input_size and size not in (None, native) else {}
    net = create(name, channels=asked.channels, pretrained=asked.pretrained, arguments=asked.arguments, defaults=sized)
    classifier: Any = (config.classifier if config else None) or ()
    notes = asked.fitted(net, (classifier,) if isinstance(classifier, str) else tuple(classifier))
    size = size or native
    patch: Any = getattr(getattr(net, "patch_embed", None), "patch_size", (1, 1))
    if isinstance(patch, tuple) and (size[0] % patch[0] or size[1] % patch[1]):
        notes.append(f"patches of {patch[0]}×{patch[1]} do not fill {size[0]}×{size[1]}: the last pixels are not seen")
    info: Any = getattr(net, "feature_info", None)
    widths = {entry["module"]: entry["num_chs"] for entry in info} if isinstance(info, list) else {}
    return _whole(net, widths, StagedBackbone({WHOLE: net}, {}, 0, "timm", notes=notes), asked, size)


def from_small(asked: Request, row: Small) -> StagedBackbone:
    """One of our own networks, whole; its layers are its children (timm's: those of its ``feature_info``)."""
    name, size = asked.name, asked.input_size or SIZE
    net = made(name, channels=asked.channels, size=size, pretrained=asked.pretrained, arguments=asked.arguments)
    notes = asked.fitted(net, ())
    info: Any = getattr(net, "feature_info", None)
    widths = {entry["module"]: entry["num_chs"] for entry in info} if isinstance(info, list) else {}
    return _whole(net, widths, StagedBackbone({WHOLE: net}, {}, 0, row.source, notes=notes), asked, size)


def from_factory(asked: Request, factory: Callable[..., Any]) -> StagedBackbone:
    """A user's own network: whatever ``factory(**arguments)`` returns, as long as it turns images into features.

    Features are ``[n, features]`` or maps ``[n, channels, height, width]``, averaged over positions; a network with a
    ``forward_features`` is asked for those, and one with timm's ``reset_classifier`` loses its classifier.
    """
    name, arguments = asked.name, asked.arguments
    try:
        net = factory(**arguments)
    except (Exception, SystemExit) as error:  # who leaves has not returned a network
        given = listed(f"{key}={value!r}" for key, value in arguments.items()) if arguments else "no arguments"
        raise UnseenError(
            f"the factory '{name}', called with {given}, failed: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(net, nn.Module):
        raise UnseenError(f"the factory '{name}' returned a {type(net).__name__}; it must return a torch.nn.Module.")
    notes = asked.fitted(net, last_linear(net))
    if hasattr(net, "reset_classifier"):
        net.reset_classifier(0)  # pyright: ignore[reportCallIssue]
    elif hasattr(net, "forward_features"):
        net = Features(net)
    return _whole(
        net, {}, StagedBackbone({WHOLE: net}, {}, 0, name, notes=notes), asked, asked.input_size or (224, 224)
    )


def _whole(
    net: nn.Module, widths: Mapping[str, int], backbone: StagedBackbone, asked: Request, size: tuple[int, int]
) -> StagedBackbone:
    """Finish a backbone of one stage. Only layers that really ran on a first image, and gave a tensor, are named.

    Channels come second in maps, and last in token sequences and in the maps of some timm networks (Swin), which
    ``feature_info`` gives away.
    """
    modules = dict(net.named_modules())
    prefix = "network." if isinstance(net, Features) else ""
    paths = list(widths) if widths and all(path in modules for path in widths) else []
    for child, module in () if paths else net.get_submodule(prefix.rstrip(".")).named_children():
        below = [f"{prefix}{child}.{k}" for k, _ in module.named_children()]
        paths += below if isinstance(module, nn.ModuleList | nn.ModuleDict) else [f"{prefix}{child}"]
    out = look(net, {path.removeprefix(prefix): modules[path] for path in paths}, asked, size, backbone)
    if not isinstance(out, Tensor) or out.ndim not in (2, 4):
        what = f"shape {list(out.shape)}" if isinstance(out, Tensor) else f"a {type(out).__name__}"
        raise UnseenError(
            f"'{asked.name}' returned {what} for one image; possible: features [n, features] or maps [n, channels, "
            "height, width]."
        )
    backbone.features = out.shape[1]
    backbone.places = {layer: f"{WHOLE}.{prefix}{layer}" for layer in backbone.shapes}
    for layer, shape in backbone.shapes.items():
        last = len(shape) == 2 or (len(shape) == 3 and shape[0] != widths.get(layer, shape[0]) == shape[-1])
        backbone.axes[layer] = -1 if last else 1
    return backbone


def look(
    net: nn.Module, layers: Mapping[str, nn.Module], asked: Request, size: tuple[int, int], backbone: StagedBackbone
) -> Any:
    """Show the network one black image; note each layer's shape (without the image axis), in the order they ran."""

    def note(layer: str) -> Callable[..., None]:
        def hook(_module: nn.Module, _inputs: Any, output: Any) -> None:
            if isinstance(output, Tensor) and output.ndim >= 2 and len(output) == 1:
                backbone.shapes.setdefault(layer, tuple(output.shape[1:]))

        return hook

    def last(module: Any, inputs: Any, output: Any) -> None:
        if isinstance(output, Tensor) and output.ndim == 4:
            before = inputs[0].shape[2:]
            over_all = all(kernel >= side for kernel, side in zip(module.kernel_size, before))  # like a Linear layer
            height, width = before if over_all else output.shape[2:]
            backbone.positions = (height, width)

    modes = [(module, module.training) for module in net.modules()]
    handles = [module.register_forward_hook(note(layer)) for layer, module in layers.items()]
    kernels = [one for one in net.modules() if isinstance(one, nn.Conv2d) and max(one.kernel_size) > 1]
    handles += [one.register_forward_hook(last) for one in kernels]
    tensor = next(iter([*net.parameters(), *net.buffers()]), torch.empty(0))
    try:
        net.eval()
        with torch.no_grad():
            out = net(torch.zeros(1, asked.channels, *size, device=tensor.device))
        if backbone.positions and (few := few_positions(backbone.positions, asked.name, size)):
            backbone.notes.append(few)
        return out
    except (Exception, SystemExit) as error:
        raise UnseenError(
            f"'{asked.name}' cannot take images of {size[0]}×{size[1]} with {asked.channels} channels "
            f"({type(error).__name__}: {error}). Set 'input_size' and 'channels' to what it was made for, or resize "
            "the images."
        ) from error
    finally:
        for handle in handles:
            handle.remove()
        for module, mode in modes:
            module.training = mode
