"""Maps from attention: rollout (Abnar & Zuidema 2020), and attention weighed by its gradient (Chefer et al. 2021).

Attention is met as a function: ``F.scaled_dot_product_attention`` (timm, most others) and
``F.multi_head_attention_forward`` (``nn.MultiheadAttention``: torchvision, open_clip). So no network needs to be known
by name, and none is changed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from unseen.explanations.asked import Question
from unseen.explanations.cams import enlarged
from unseen.vocabulary.errors import UnseenError


class _Watching(TorchFunctionMode):
    """Keeps attention ``[n, heads, tokens, tokens]`` of every layer, in order, as part of the graph."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[Tensor] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is F.scaled_dot_product_attention:
            return self._watched(*args, **kwargs)
        if func is F.multi_head_attention_forward:
            output, weights = func(*args, **{**kwargs, "need_weights": True, "average_attn_weights": False})
            self._keep(weights)
            return output, weights
        return func(*args, **kwargs)

    def _watched(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> Tensor:
        if enable_gqa:
            groups = query.shape[-3] // key.shape[-3]
            key, value = key.repeat_interleave(groups, -3), value.repeat_interleave(groups, -3)
        scores = query @ key.transpose(-2, -1) * (query.shape[-1] ** -0.5 if scale is None else scale)
        if is_causal:
            seen = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
            scores = scores.masked_fill(~seen, -torch.inf)
        if attn_mask is not None:
            hidden = attn_mask.dtype == torch.bool
            scores = scores.masked_fill(~attn_mask, -torch.inf) if hidden else scores + attn_mask
        return self._keep(scores.softmax(-1)) @ value

    def _keep(self, attention: Tensor) -> Tensor:
        if attention.ndim == 4 and attention.shape[2] == attention.shape[3]:  # of tokens to themselves
            self.kept.append(attention)
        return attention


@contextmanager
def _plain(network: torch.nn.Module) -> Iterator[None]:
    """timm's attention calls the one function that is watched, whatever it was set to."""
    attending: list[Any] = [m for m in network.modules() if isinstance(getattr(m, "fused_attn", None), bool)]
    before = [module.fused_attn for module in attending]
    try:
        for module in attending:
            module.fused_attn = True
        yield
    finally:
        for module, fused in zip(attending, before):
            module.fused_attn = fused


def attention_of(question: Question, pictures: Tensor, which: Tensor) -> tuple[list[Tensor], Tensor]:
    """Attention of every layer, and the scores."""
    with _plain(question.anatomy.module), _Watching() as watching:
        scores = question(pictures, which)
    n = len(pictures)
    if not watching.kept:
        raise UnseenError(
            "this network has no attention layers (rollout and gradient-weighted attention are for vision "
            "transformers); possible: grad-cam, gradient, occlusion."
        )
    if any(len(one) != n or one.shape[-1] != watching.kept[0].shape[-1] for one in watching.kept):
        raise UnseenError(
            "this network attends within windows or changes its tokens from layer to layer, where attention cannot be "
            "rolled out; possible: grad-cam, gradient, occlusion."
        )
    return watching.kept, scores


def attention_rollout(
    question: Question, images: Tensor, *, heads: str = "mean", size: str = "image", batch: int = 16
) -> Tensor:
    r"""How much of each patch has reached the output through attention alone, ``[n, h, w]``:
    :math:`\prod_l \frac12 (A_l + I)`, ``heads`` taken by their mean (as published), "max" or "min". It looks neither at
    values nor at what is asked, and so explains no class."""
    if heads not in ("mean", "max", "min"):
        raise UnseenError(f"heads are taken by their mean, max or min; given '{heads}'.")
    parts = []
    for pictures, which in question.batches(images, batch):
        with torch.no_grad():
            kept, _ = attention_of(question, pictures, which)
            one = torch.eye(kept[0].shape[-1], device=pictures.device, dtype=kept[0].dtype)
            rolled = one
            for attention in kept:
                mixed = {"mean": attention.mean, "max": attention.amax, "min": attention.amin}[heads](1) + one
                rolled = mixed / mixed.sum(-1, keepdim=True) @ rolled
        parts.append(_laid_out(question, rolled, pictures, size))
    return torch.cat(parts)


def attention_gradient(question: Question, images: Tensor, *, size: str = "image", batch: int = 16) -> Tensor:
    r"""Attention weighed by the gradient of the score (Chefer et al. 2021, ICCV, Eq. 5–6), ``[n, h, w]``:
    :math:`R \leftarrow R + \bar A_l R` from :math:`R = I`, with :math:`\bar A_l` the mean over heads of
    :math:`(\nabla A_l \odot A_l)^+`."""
    parts = []
    for pictures, which in question.batches(images, batch):
        with torch.enable_grad():
            kept, scores = attention_of(question, pictures.detach().requires_grad_(), which)
            slopes = torch.autograd.grad(scores.sum(), kept, allow_unused=True)
        relevance = torch.eye(kept[0].shape[-1], device=pictures.device, dtype=kept[0].dtype)
        for attention, slope in zip(kept, slopes, strict=True):
            if slope is not None:
                relevance = relevance + (slope * attention.detach()).clamp(min=0).mean(1) @ relevance
        if relevance.ndim == 2:
            relevance = relevance.expand(len(pictures), -1, -1)
        own = torch.eye(relevance.shape[-1], device=pictures.device, dtype=relevance.dtype)
        parts.append(_laid_out(question, relevance - own, pictures, size))
    return torch.cat(parts)


def _laid_out(question: Question, flow: Tensor, pictures: Tensor, size: str) -> Tensor:
    """What reaches the class token (without one: the mean of all patches), on the image."""
    grid = question.anatomy.grid(flow.shape[-1], pictures)
    if grid is None:
        raise UnseenError(
            f"{flow.shape[-1]} tokens do not tile an image of {pictures.shape[2]}×{pictures.shape[3]}; attention of "
            "this network cannot be laid out on it."
        )
    prefix, height, width = grid
    pools = (getattr(m, "global_pool", None) for m in question.anatomy.module.modules() if hasattr(m, "cls_token"))
    pools_patches = prefix == 0 or next(pools, "token") in ("avg", "avgmax", "max")
    row = flow[:, prefix:].mean(1) if pools_patches else flow[:, 0]
    found = row[:, prefix:].unflatten(1, (height, width))
    assert math.prod(found.shape[1:]) == height * width
    return enlarged(found, pictures) if size == "image" else found
