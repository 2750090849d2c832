"""CLIP: a picture and its caption are to be nearer to each other than to any other of the batch."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from unseen.training.augment import uniform
from unseen.training.objectives.terms import Terms
from unseen.training.pretexts.task import Pretext, PretextBatch, in_full
from unseen.training.pretexts.views import ViewRecipe, view
from unseen.vocabulary.captions import Phrases
from unseen.vocabulary.seeds import seed_of

MOST_SCALE = math.log(100)  # Radford et al. 2021, §2.5


def symmetric(
    images: Float[Tensor, "n d"], texts: Float[Tensor, "n d"], scale: Float[Tensor, ""]
) -> tuple[Float[Tensor, " n"], Bool[Tensor, " n"]]:
    """Radford et al. 2021, Fig. 3: cross-entropy of each picture over all texts, and of each text over all pictures,
    their mean per pair; and whether a picture's own text was the nearest. ``scale`` multiplies the cosines."""
    with in_full(images):
        one, other = (nn.functional.normalize(x.float(), dim=1) for x in (images, texts))
        scores = scale * one @ other.T
        own = torch.arange(len(scores), device=scores.device)
        losses = [nn.functional.cross_entropy(way, own, reduction="none") for way in (scores, scores.T)]
        return (losses[0] + losses[1]) / 2, scores.argmax(1) == own


class Texts(nn.Module):
    """Captions → features: a small transformer over words.

    Ours: it looks both ways and is read at its first place, since captions have gaps where a factor is not mentioned;
    CLIP's looks back only and is read at the end.
    """

    def __init__(self, words: int, length: int, width: int, depth: int, outputs: int) -> None:
        from timm.models.vision_transformer import Block

        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Parameter(torch.empty(1, length, width))
        self.blocks = nn.ModuleList(Block(width, max(1, width // 32), qkv_bias=True) for _ in range(depth))
        self.last, self.output = nn.LayerNorm(width), nn.Linear(width, outputs, bias=False)
        nn.init.normal_(self.words.weight, std=0.02)
        nn.init.normal_(self.places, std=0.01)

    def forward(self, tokens: Tensor, there: Tensor) -> Tensor:
        x = self.words(tokens) + self.places
        mask = there[:, None, None, :]
        with _repeatable(x):
            for block in self.blocks:
                x = block(x, attn_mask=mask)
        return self.output(self.last(x[:, 0]))


def _repeatable(tokens: Tensor) -> AbstractContextManager:
    """The kernel that a GPU takes for attention under a mask adds up gradients in any order; captions are short enough
    for the plain one."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    return sdpa_kernel(SDPBackend.MATH) if tokens.is_cuda else nullcontext()


@dataclass(frozen=True)
class CLIPOptions:
    """``mention``: with which probability each factor but the category is said (ours)."""

    mention: float = 0.5
    width: int = 128
    depth: int = 2
    output: int = 128
    crop: float = 0.8


class CLIP(Pretext):
    """Radford et al. 2021, with captions written from the factors (:mod:`unseen.vocabulary.captions`).

    The temperature starts at 0.07 and learns, cut at 0.01 (§2.5); crops are the only augmentation (§2.4 a square crop;
    here of 80 % of the area or more, ours: smaller ones would make the caption's place and size untrue), and nothing is
    mirrored or recoloured, since captions tell left from right and colours.
    """

    def __init__(self, encoder: nn.Module, features: int, told: CLIPOptions, *, phrases: Phrases) -> None:
        super().__init__(encoder)
        self.mention, self.recipe = told.mention, ViewRecipe(told.crop, flip=0.0)
        self.said, self.always = tuple(phrases.factors), phrases.always
        lengths = []
        for place, table in enumerate(phrases.tokens):
            self.register_buffer(f"phrases_{place}", torch.as_tensor(table), persistent=False)
            lengths.append(table.shape[1])
        self.register_buffer("start", torch.full((1, 1), phrases.start), persistent=False)
        self.texts = Texts(len(phrases.words), 1 + sum(lengths), told.width, told.depth, told.output)
        self.projection = nn.Linear(features, told.output, bias=False)
        self.scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    def loss(self, asked: PretextBatch) -> Terms:
        images = asked.prepare(view(asked.images, self.recipe, asked.rows, asked.visit, asked.seed, 0))
        seen = self.projection(self.features(images))
        read = self.texts(*self.captions(asked))
        losses, right = symmetric(seen, read, self.scale.clamp(max=MOST_SCALE).exp())
        return Terms(losses, {"right": right.float()})

    def captions(self, asked: PretextBatch) -> tuple[Tensor, Tensor]:
        """Words by number ``[n, length]``, and which places are said (the first, which stands for the whole, is)."""
        u = uniform(asked.rows, asked.visit, seed_of(asked.seed, "captions"), max(1, len(self.said)))
        start: Any = self.start
        tokens = [start.expand(len(asked.rows), 1)]
        there = [torch.ones_like(tokens[0], dtype=torch.bool)]
        for place, factor in enumerate(self.said):
            words: Tensor = getattr(self, f"phrases_{place}").index_select(0, asked.levels[:, factor])
            mentioned = u[:, place] < (1.0 if place in self.always else self.mention)
            tokens.append(words)
            there.append((words > 0) & mentioned[:, None])
        return torch.cat(tokens, 1), torch.cat(there, 1)
