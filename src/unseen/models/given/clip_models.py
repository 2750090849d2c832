"""Given models by their open_clip names: features of pictures and of texts in one space, no answers of their own."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from unseen.models.given.digests import of_module
from unseen.models.given.hub import Published, facts_of, obtained
from unseen.models.given.model import GivenModel
from unseen.models.given.preprocessing import Preprocessing
from unseen.models.weights import opened
from unseen.vocabulary.errors import UnseenError, listed, nearest, unknown
from unseen.vocabulary.extras import needs_extra

HUB_NAMES = ("open_clip_model.safetensors", "open_clip_pytorch_model.bin")


class TwoTowers:
    """A model of open_clip. Its features are what it projects pictures and texts to, not normalised."""

    def __init__(self, name: str, module: nn.Module, tokens: Any) -> None:
        self.name, self._module, self._tokens = name, module.eval(), tokens

    @property
    def module(self) -> nn.Module:
        return self._module

    @property
    def logit_scale(self) -> float:
        """By what it multiplies cosines before the softmax."""
        return float(self._module.logit_scale.detach().exp())  # type: ignore[operator]

    def outputs(self, images: Tensor) -> Tensor:
        raise AssertionError("a model without outputs is not asked for them")

    def features(self, images: Tensor) -> Tensor:
        return self._module.encode_image(images)  # type: ignore[operator]

    def texts(self, texts: Sequence[str]) -> Tensor:
        device = next(self._module.parameters()).device
        return self._module.encode_text(self._tokens(list(texts)).to(device))  # type: ignore[operator]

    def to(self, device: torch.device) -> None:
        self._module.to(device)


def from_open_clip(
    name: str,
    said: str,
    *,
    checkpoint: str | None = None,
    random: int | None = None,
    download: bool = False,
    arguments: Mapping[str, Any] | None = None,
) -> GivenModel:
    """``said`` is an architecture and its weights: ViT-B-16/openai."""
    clip = library(f"model '{name}'")
    architecture, _, tag = said.partition("/")
    if architecture not in clip.list_models():
        close = nearest(architecture, clip.list_models())
        raise UnseenError(
            f"open_clip has no '{architecture}'." + (f" Did you mean '{close}'?" if close else "")
            + " `open_clip.list_models()` lists them."
        )  # fmt: skip
    tags = clip.list_pretrained_tags_by_model(architecture)
    if tag and tag not in tags:
        raise unknown("weights", tag, tags, where=f"open_clip's '{architecture}'")
    if not tag and checkpoint is None and random is None:
        raise UnseenError(
            f"model '{name}': say which weights, as in open_clip:{architecture}/{tags[0] if tags else 'TAG'}; "
            f"possible: {listed(tags)}."
        )
    config = clip.get_pretrained_cfg(architecture, tag) if tag else {}
    settings = {"force_quick_gelu": bool(config.get("quick_gelu", False)), **(arguments or {})}
    known: dict[str, Any] = {}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(random or 0)
        net = _made(name, architecture, clip, settings)
    if random is not None:
        known["weights"] = f"random, seed {random}"
    else:
        one = published(architecture, tag, config) if checkpoint is None else None
        file = Path(checkpoint).expanduser() if one is None else obtained(one, download=download)  # type: ignore[arg-type]
        known |= facts_of(file, one) if file.is_file() else {}
        _fill(net, str(file))
    known["parameters"] = sum(value.numel() for value in net.parameters())
    body = TwoTowers(name, net, clip.get_tokenizer(architecture))
    return GivenModel(
        name, "open_clip", body, outputs=0, preprocessing=preprocessing_of(net), known=known,
        digest=of_module(net, "open_clip", architecture, sorted(settings.items())),
    )  # fmt: skip


def library(what: str) -> Any:
    try:
        import open_clip
    except ImportError as error:
        raise needs_extra(what, "open_clip_torch", "clip") from error
    return open_clip


def published(architecture: str, tag: str, config: Mapping[str, Any]) -> Published:
    """Where open_clip's weights of a name come from."""
    where, _, file = str(config.get("hf_hub", "")).partition("/")
    owner, where = where, file
    repository, _, own = where.partition("/")
    return Published(
        f"{architecture}/{tag}", f"{owner}/{repository}" if owner else "", (own,) if own else HUB_NAMES,
        url=str(config.get("url", "")),
    )  # fmt: skip


def _made(name: str, architecture: str, clip: Any, settings: Mapping[str, Any]) -> nn.Module:
    logging.disable(logging.WARNING)  # it warns that no weights were loaded, which is what was asked for
    try:
        return clip.create_model(architecture, pretrained=None, load_weights=False, **settings)
    except Exception as error:
        raise UnseenError(f"open_clip could not build '{name}': {type(error).__name__}: {error}") from error
    finally:
        logging.disable(logging.NOTSET)


def _fill(net: nn.Module, file: str) -> None:
    """open_clip's own conversions of a file's tensors, loaded strictly; the file is read as tensors only."""
    from open_clip.factory import load_checkpoint

    opened(file)  # says what is wrong with a file before open_clip reads it
    try:
        load_checkpoint(net, file, strict=True, weights_only=True)  # type: ignore[arg-type]
    except Exception as error:
        raise UnseenError(
            f"checkpoint '{file}' does not fit: {str(error)[:400]}. Name the architecture that it was made with."
        ) from error


def preprocessing_of(net: Any) -> Preprocessing:
    """What open_clip's transform for validation does."""
    from open_clip.transform import PreprocessCfg

    said = PreprocessCfg(**{"size": net.visual.image_size, **getattr(net.visual, "preprocess_cfg", {})})
    size = (said.size, said.size) if isinstance(said.size, int) else tuple(said.size)
    return Preprocessing(
        size=size,  # type: ignore[arg-type]
        resize={"squash": "exact", "longest": "longer"}.get(said.resize_mode, "shorter"),  # type: ignore[arg-type]
        resize_to=min(size),
        crop=1.0,
        interpolation="bilinear" if said.interpolation == "bilinear" else "bicubic",
        mean=tuple(said.mean),
        std=tuple(said.std),
        fill=(said.fill_color,),
    )
