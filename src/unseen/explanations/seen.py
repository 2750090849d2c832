"""Explanations to beat: what the image shows without any network. Whatever looks like these explains nothing yet."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from unseen.explanations.asked import Question


def edges(question: Question, images: Tensor, *, blur: float = 1.0) -> Tensor:
    """Sobel's edge detector on grey images, after a Gaussian ``blur``, ``[n, h, w]`` (Adebayo et al. 2018 set
    one beside their maps)."""
    grey = question.anatomy.taken(images).float().mean(1, keepdim=True)
    if blur > 0:
        grey = blurred(grey, blur)
    slope = torch.tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]], device=grey.device)
    kernels = torch.stack([slope, slope.T])[:, None]
    found = F.conv2d(F.pad(grey, (1, 1, 1, 1), mode="replicate"), kernels)
    return found.square().sum(1).sqrt()


def centred_blob(question: Question, images: Tensor, *, width: float = 0.25) -> Tensor:
    """A Gaussian in the middle, its σ a share of each side, ``[n, h, w]``: photographers put the object there."""
    height, across = images.shape[2:]
    down, right = (
        torch.exp(-0.5 * ((torch.arange(side, device=question.anatomy.device) + 0.5) / side - 0.5).square() / width**2)
        for side in (height, across)
    )
    return (down[:, None] * right[None]).expand(len(images), -1, -1)


def blurred(pictures: Tensor, sigma: float) -> Tensor:
    """Gaussian blur, its kernel cut at three σ, edges repeated."""
    reach = max(1, round(3 * sigma))
    places = torch.arange(-reach, reach + 1, device=pictures.device, dtype=pictures.dtype)
    kernel = torch.exp(-0.5 * (places / sigma).square())
    kernel = (kernel / kernel.sum()).expand(pictures.shape[1], 1, -1)
    channels = pictures.shape[1]
    wide = F.pad(pictures, (reach, reach, 0, 0), mode="replicate")
    wide = F.conv2d(wide, kernel[:, :, None, :], groups=channels)
    tall = F.pad(wide, (0, 0, reach, reach), mode="replicate")
    return F.conv2d(tall, kernel[:, :, :, None], groups=channels)
