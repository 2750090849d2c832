"""JPEG on CUDA in four kernels: the bytes of :func:`jpeg.computed`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unseen.worlds.transforms.fused_corruptions import launch, numbers, over

if TYPE_CHECKING:
    from torch import Tensor

BLOCKS = 8  # of 8×8 pixels, that one program codes (ours)


def computed(
    images: Tensor, matrix: tuple[int, ...], luma_steps: tuple[int, ...], chroma_steps: tuple[int, ...],
    to_ycc: tuple[int, ...], to_rgb: tuple[int, ...],
) -> Tensor:  # fmt: skip
    """Bytes ``[n, 1 or 3, h, w]``, with libjpeg's transform, both tables of steps, and the weights of colours."""
    import torch

    from unseen.worlds.transforms import kernels_jpeg

    (n, channels, height, width), device = images.shape, images.device
    if channels == 1:
        return _coded(images.contiguous(), matrix, luma_steps).float()
    tall, wide = -(-height // 2), -(-width // 16) * 8
    kept = -(-width // 2)  # what only fills a block is not smoothed in
    luma = torch.empty(n, 1, height, width, dtype=torch.uint8, device=device)
    chroma = torch.empty(n, 2, tall, wide, dtype=torch.uint8, device=device)
    launch(
        kernels_jpeg.apart, over(images, tall * wide), images.contiguous(), numbers(to_ycc, "int32", device), luma,
        chroma, height, width, tall, wide,
    )  # fmt: skip
    luma, chroma = _coded(luma, matrix, luma_steps), _coded(chroma, matrix, chroma_steps)
    out = torch.empty(images.shape, device=device)
    launch(
        kernels_jpeg.together, over(images, height * width), luma, chroma, numbers(to_rgb, "int32", device), out,
        height, width, tall, wide, kept, SMOOTH=kept > 2,
    )  # fmt: skip
    return out


def _coded(planes: Tensor, matrix: tuple[int, ...], steps: tuple[int, ...]) -> Tensor:
    import torch

    from unseen.worlds.rendering import kernels as rendering
    from unseen.worlds.transforms import kernels_jpeg

    n, (height, width), device = planes.shape[0] * planes.shape[1], planes.shape[2:], planes.device
    found = torch.empty_like(planes)
    with torch.cuda.device_of(found):
        rendering.launched(kernels_jpeg.coded, -(-n * -(-height // 8) * -(-width // 8) // BLOCKS))(
            planes, numbers(matrix, "int32", device), numbers(steps, "int32", device), found, n, height, width,
            BLOCKS=BLOCKS, num_warps=4,
        )  # fmt: skip
    return found
