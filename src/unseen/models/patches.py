"""Vision transformers and mixers for small pictures: timm's code, in sizes that it has no names for.

Patches of 8 pixels make 64 tokens of a picture of 64 pixels, 256 of one of 128 (timm's named models have patches of 16
or 32, for 224). ``tiny`` and ``small`` are the widths and depths of Touvron et al. 2021 (DeiT) and Tolstikhin et al.
2021 (Mixer-S); ``nano`` is for CPUs (ours).
"""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from torch import nn

PATCH = 8
VITS = {"nano": (96, 4, 3), "tiny": (192, 12, 3), "small": (384, 12, 6)}  # width, depth, heads
MIXERS = {"nano": (96, 4), "tiny": (256, 8), "small": (512, 8)}


def check_patch(size: tuple[int, int], patch: int) -> None:
    if isinstance(patch, bool) or not isinstance(patch, int) or patch < 1:
        raise ValueError(f"patch = {patch!r} is no whole number of pixels")
    if size[0] % patch or size[1] % patch:
        able = [side for side in range(2, min(size) + 1) if not size[0] % side and not size[1] % side]
        raise ValueError(
            f"patches of {patch} pixels do not fill a picture of {size[0]}×{size[1]}; take images of a multiple of "
            f"{patch}, or a patch of {', '.join(map(str, able[:8]))}"
        )


def _vit(width: str, channels: int, size: tuple[int, int], *, patch: int = PATCH, pool: str = "avg") -> nn.Module:
    """A pre-norm transformer over patches, with a class token. ``pool``: read at the mean of all other tokens ("avg",
    ours, after Beyer et al. 2022; and a class token's features hardly differ between pictures after a short MAE), or at
    that "token"."""
    from timm.models.vision_transformer import VisionTransformer

    check_patch(size, patch)
    if pool not in ("token", "avg"):
        raise ValueError(f"pool = {pool!r}; possible: token, avg")
    dim, depth, heads = VITS[width]
    return VisionTransformer(
        img_size=size, patch_size=patch, in_chans=channels, num_classes=0, embed_dim=dim, depth=depth, num_heads=heads,
        global_pool=cast(Any, pool), fc_norm=False,
    )  # fmt: skip


def _mixer(width: str, channels: int, size: tuple[int, int], *, patch: int = PATCH) -> nn.Module:
    """Layers that mix patches and layers that mix channels, in turn, and no attention."""
    from timm.models.mlp_mixer import MlpMixer

    check_patch(size, patch)
    dim, depth = MIXERS[width]
    return MlpMixer(
        num_classes=0, img_size=cast(Any, size), in_chans=channels, patch_size=patch, num_blocks=depth, embed_dim=dim
    )


vit_nano, vit_tiny, vit_small = (partial(_vit, width) for width in VITS)
mixer_nano, mixer_tiny, mixer_small = (partial(_mixer, width) for width in MIXERS)
