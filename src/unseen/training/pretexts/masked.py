"""MAE: most patches of a picture are hidden from a vision transformer; a small decoder gives their pixels back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from unseen.training.augment import uniform
from unseen.training.objectives.terms import Terms
from unseen.training.pretexts.task import Pretext, PretextBatch, in_full
from unseen.training.pretexts.views import Crops, ViewRecipe, view
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import seed_of

NEEDED = ("patch_embed", "pos_embed", "blocks", "norm", "num_prefix_tokens")


def transformer_in(encoder: nn.Module) -> Any:
    """The vision transformer (timm's) inside a network, which takes its patches one by one."""
    for module in encoder.modules():
        if all(hasattr(module, name) for name in NEEDED) and getattr(module, "pos_embed") is not None:  # noqa: B009
            return module
    raise UnseenError(
        "objective 'mae' hides patches from a vision transformer, and this network is none; possible: vit-nano-p8, "
        "vit-tiny-p8, vit-small-p8 or another ViT of timm. ResNets and mixers take simclr, dino, clip or supervised."
    )


def patches(images: Float[Tensor, "n c h w"], size: tuple[int, int]) -> Float[Tensor, "n patches values"]:
    """The pixels of each patch, rows of patches from the top, channels last within one (as the official code)."""
    n, c, height, width = images.shape
    down, across = height // size[0], width // size[1]
    cut = images.reshape(n, c, down, size[0], across, size[1])
    return cut.permute(0, 2, 4, 3, 5, 1).reshape(n, down * across, size[0] * size[1] * c)


def masked_errors(
    images: Float[Tensor, "n c h w"],
    given: Float[Tensor, "n patches values"],
    hidden: Float[Tensor, "n patches"],
    size: tuple[int, int],
    *,
    normalise: bool = True,
) -> Float[Tensor, " n"]:
    """He et al. 2022: mean squared error of the pixels of hidden patches, per picture. ``normalise``: each patch less
    its mean by its standard deviation (§4, "w/ normalisation", the official code's ``norm_pix_loss``)."""
    target = patches(images.float(), size)
    if normalise:
        mean, var = target.mean(-1, keepdim=True), target.var(-1, keepdim=True)
        target = (target - mean) / (var + 1e-6).sqrt()
    errors = (given.float() - target).square().mean(-1)
    return (errors * hidden).sum(1) / hidden.sum(1)


def waves(grid: tuple[int, int], width: int) -> Float[Tensor, "patches width"]:
    """Sines and cosines of a patch's place, half of them of its column and half of its row (as the official code)."""
    quarter = width // 4
    speeds = 1 / 10000 ** (torch.arange(quarter, dtype=torch.float64) / quarter)
    rows, columns = torch.meshgrid(torch.arange(grid[0]), torch.arange(grid[1]), indexing="ij")
    told = [axis.reshape(-1, 1).double() * speeds for axis in (columns, rows)]
    return torch.cat([part for angle in told for part in (angle.sin(), angle.cos())], dim=1).float()


@dataclass(frozen=True)
class MAEOptions(Crops):
    """Three quarters are hidden; crops keep a fifth of the area or more, and half are mirrored (appendix A.1)."""

    mask: float = 0.75
    normalise: bool = True
    width: int = 128
    depth: int = 2
    crop: float = 0.2


class MAE(Pretext):
    """He et al. 2022. Ours: the encoder's positions are learned as in timm's ViT, a decoder of two narrow blocks."""

    def __init__(self, encoder: nn.Module, features: int, told: MAEOptions) -> None:
        from timm.models.vision_transformer import Block

        super().__init__(encoder)
        del features  # those of tokens count here
        vit = transformer_in(encoder)
        self.size: tuple[int, int] = tuple(vit.patch_embed.patch_size)
        self.grid: tuple[int, int] = tuple(vit.patch_embed.grid_size)
        self.number = math.prod(self.grid)
        self.visible = max(1, int(self.number * (1 - told.mask)))
        if self.visible == self.number:
            raise UnseenError(f"mask = {told.mask:g} hides none of {self.number} patches; hide more.")
        self.normalise, self.recipe = told.normalise, ViewRecipe(told.crop, told.flip)
        dim, width, channels = vit.embed_dim, told.width, vit.patch_embed.proj.in_channels
        self.entry = nn.Linear(dim, width)
        self.blank = nn.Parameter(torch.empty(1, 1, width))
        nn.init.normal_(self.blank, std=0.02)
        self.register_buffer("places", waves(self.grid, width), persistent=False)
        self.blocks = nn.ModuleList(Block(width, max(1, width // 32), qkv_bias=True) for _ in range(told.depth))
        self.last = nn.LayerNorm(width)
        self.pixels = nn.Linear(width, math.prod(self.size) * channels)

    def loss(self, asked: PretextBatch) -> Terms:
        images = asked.prepare(view(asked.images, self.recipe, asked.rows, asked.visit, asked.seed, 0))
        noise = uniform(asked.rows, asked.visit, seed_of(asked.seed, "mask"), self.number)
        order = noise.argsort(1)
        given = self.decoded(self.encoded(images, order[:, : self.visible]), order)
        hidden = (order.argsort(1) >= self.visible).float()
        with in_full(images):
            errors = masked_errors(images, given, hidden, self.size, normalise=self.normalise)
        return Terms(errors, {})

    def encoded(self, images: Tensor, seen: Int[Tensor, "n visible"]) -> Tensor:
        """Tokens of the patches that are ``seen``, behind those that stand for the whole (the class token)."""
        vit = transformer_in(self.encoder)
        tokens = vit.patch_embed(images)
        prefix = [one for one in (vit.cls_token, vit.reg_token) if one is not None]
        places = vit.pos_embed if vit.no_embed_class else vit.pos_embed[:, vit.num_prefix_tokens :]
        tokens = (tokens + places).gather(1, seen[:, :, None].expand(-1, -1, tokens.shape[2]))
        if prefix:
            first = torch.cat([one.expand(len(tokens), -1, -1) for one in prefix], 1)
            own = 0 if vit.no_embed_class else vit.pos_embed[:, : vit.num_prefix_tokens]
            tokens = torch.cat([first + own, tokens], 1)
        tokens = vit.norm_pre(tokens)
        for block in vit.blocks:
            tokens = block(tokens)
        return vit.norm(tokens)

    def decoded(self, tokens: Tensor, order: Int[Tensor, "n patches"]) -> Tensor:
        """The pixels of every patch, hidden ones from a token of their place alone."""
        prefix = tokens.shape[1] - self.visible
        tokens = self.entry(tokens)
        blank = self.blank.to(tokens.dtype).expand(len(tokens), self.number - self.visible, -1)
        places: Any = self.places
        placed = torch.cat([tokens[:, prefix:], blank], 1)
        back = order.argsort(1)[:, :, None].expand(-1, -1, placed.shape[2])
        tokens = torch.cat([tokens[:, :prefix], placed.gather(1, back) + places], 1)
        for block in self.blocks:
            tokens = block(tokens)
        return self.pixels(self.last(tokens))[:, prefix:]
