"""What was done to a picture that is to be restored, and classical ways to undo it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.extras import needs_extra
from unseen.vocabulary.seeds import stream

if TYPE_CHECKING:
    import torch
    from torch import Tensor

TASKS = ("denoise", "inpaint", "jpeg", "super-resolve")


@dataclass(frozen=True, eq=False)
class Damage:
    """One of ``TASKS``, and how much: σ of the noise in 0–255, the share of pixels that is missing, the JPEG quality,
    or how many times smaller. ``mask`` ``[h, w]`` is true where a pixel is known."""

    task: str
    amount: float
    mask: np.ndarray | None = None

    def size(self, damaged: tuple[int, ...]) -> tuple[int, int]:
        """Of the restored picture."""
        times = round(self.amount) if self.task == "super-resolve" else 1
        return damaged[0] * times, damaged[1] * times

    def operator(self, device: torch.device) -> Callable[[Tensor, Tensor], Tensor]:
        """``(shown, given) → [n]``: the mean squared error after damaging what is shown, where pixels are known."""
        import torch

        if self.task == "super-resolve":
            times = round(self.amount)

            def smaller(shown: Tensor, given: Tensor) -> Tensor:
                down = torch.from_numpy(shrinking(shown.shape[-2], times)).to(device)
                across = torch.from_numpy(shrinking(shown.shape[-1], times)).to(device)
                return ((down @ shown @ across.T - given) ** 2).mean((1, 2, 3))

            return smaller
        if self.mask is None:
            return lambda shown, given: ((shown - given) ** 2).mean((1, 2, 3))
        known = torch.from_numpy(self.mask.astype(np.float32)).to(device)
        return lambda shown, given: (((shown - given) * known) ** 2).mean((1, 2, 3))


def shrinking(size: int, times: int) -> np.ndarray:
    """Pillow's Lanczos weights ``[size / times, size]``, as the paper downsamples."""
    from PIL import Image

    lights = Image.fromarray(np.eye(size, dtype=np.float32))
    return np.ascontiguousarray(np.asarray(lights.resize((size // times, size), Image.Resampling.LANCZOS)).T)


def damaged(
    pictures: np.ndarray, task: str, amount: float, *, mask: np.ndarray | None = None, seed: int = 0
) -> tuple[np.ndarray, Damage]:
    """Pictures ``[n, c, h, w]`` in 0…1 after the damage, and what it was. Super-resolution cuts sides to a multiple."""
    if task not in TASKS:
        raise unknown("task", task, TASKS, where="--task")
    low, high, meaning = {
        "denoise": (0, 255, "the standard deviation of the noise on the 0–255 scale"),
        "inpaint": (0, 0.99, "the share of the pixels that is missing"),
        "jpeg": (1, 100, "the JPEG quality"),
        "super-resolve": (2, 8, "how many times smaller the given picture is"),
    }[task]
    if not low <= amount <= high:
        raise UnseenError(f"--amount {amount:g} is not possible with --task {task}: it is {meaning}, {low} to {high}.")
    rng, (height, width) = stream(seed, "damage", task), pictures.shape[-2:]
    if task == "denoise":
        noise = rng.normal(0, amount / 255, pictures.shape)
        return np.clip(pictures + noise, 0, 1).astype(np.float32), Damage(task, amount)
    if task == "inpaint":
        known = rng.random((height, width)) >= amount if mask is None else mask
        return (pictures * known).astype(np.float32), Damage(task, amount, known)
    if task == "jpeg":
        import torch

        from unseen.worlds.transforms.jpeg import compressed

        whole = torch.from_numpy(np.rint(pictures * 255).astype(np.uint8))
        return compressed(whole, round(amount)).numpy() / np.float32(255), Damage(task, amount)
    down, across = (shrinking(side, round(amount)) for side in (height, width))
    return np.clip(down @ pictures @ across.T, 0, 1).astype(np.float32), Damage(task, round(amount))


def text_mask(height: int, width: int, text: str = "unseen unseen unseen ") -> np.ndarray:
    """True where a page of text leaves a pixel free (the paper's Fig. 7, top)."""
    from PIL import Image, ImageDraw, ImageFont

    page = Image.new("L", (width, height), 255)
    pen, size = ImageDraw.Draw(page), max(8, height // 9)
    font = ImageFont.load_default(size=size)
    for line in range(height // (size + 2) + 1):
        pen.text((-3 * line % 23 - 23, line * (size + 2)), text * (width // 20 + 2), fill=0, font=font)
    return np.asarray(page) > 127


def classical(given: np.ndarray, damage: Damage) -> dict[str, np.ndarray]:
    """Pictures restored without a network, by name, with scikit-image: total variation and non-local means (after noise
    and JPEG), biharmonic inpainting, Lanczos and bicubic enlargement."""
    if damage.task == "super-resolve":
        from PIL import Image

        size = damage.size(given.shape[-2:])
        made = {}
        for name, how in (("bicubic", Image.Resampling.BICUBIC), ("Lanczos", Image.Resampling.LANCZOS)):
            planes = [
                [Image.fromarray(p).resize((size[1], size[0]), how) for p in one] for one in given.astype(np.float32)
            ]
            made[name] = np.clip(np.array([[np.asarray(p) for p in one] for one in planes]), 0, 1)
        return made
    try:
        from skimage import restoration
    except ImportError:
        raise needs_extra("the classical denoisers beside", "scikit-image", "restore") from None
    if damage.task == "inpaint":
        assert damage.mask is not None
        holes = ~damage.mask
        return {"biharmonic": np.stack([restoration.inpaint_biharmonic(x, holes, channel_axis=0) for x in given])}
    sigma = [_sigma(x) for x in given]
    weights = [max(0.02, 1.2 * one) for one in sigma]
    return {
        "total variation": np.stack(
            [restoration.denoise_tv_chambolle(x, weight=w, channel_axis=0) for x, w in zip(given, weights)]
        ),
        "non-local means": np.stack(
            [
                restoration.denoise_nl_means(
                    x, h=0.8 * s, sigma=s, patch_size=5, patch_distance=6, fast_mode=True, channel_axis=0
                )
                for x, s in zip(given, sigma)
            ]
        ),
    }


def _sigma(picture: np.ndarray) -> float:
    """The noise's deviation, from the median of second differences (Immerkær 1996 by a robust scale; ours)."""
    inner = picture[:, 1:-1, 1:-1] * 4
    inner = inner - 2 * (picture[:, :-2, 1:-1] + picture[:, 2:, 1:-1] + picture[:, 1:-1, :-2] + picture[:, 1:-1, 2:])
    inner += picture[:, :-2, :-2] + picture[:, :-2, 2:] + picture[:, 2:, :-2] + picture[:, 2:, 2:]
    return float(np.median(np.abs(inner)) / 0.6745 / 6)
