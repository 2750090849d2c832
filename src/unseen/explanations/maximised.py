r"""Pictures that excite a class or a unit most: :math:`\arg\max_I S(I) - \lambda \lVert I \rVert^2`.

The lecture (after Simonyan et al. 2013) starts from zero, what the network sees as zero here, and lets pixels be free:
space = "pixels". Such pictures are noise to the eye. Olah et al. 2017 ("Feature Visualization", and their code, lucid)
climb in a "fourier" space instead, where low frequencies are as near as high ones and colours are decorrelated, and ask
the picture to keep its effect when it is moved, scaled and turned: both are theirs, with their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from unseen.explanations.anatomy import Anatomy, still
from unseen.explanations.asked import Asked, Question, Score, Unit, settled
from unseen.explanations.seen import blurred
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.seeds import seed_of, stream

SPACES = ("fourier", "pixels")
COLOURS = ((0.26, 0.09, 0.02), (0.27, 0.00, -0.05), (0.27, -0.09, 0.03))  # lucid: √ of ImageNet's colour covariance
SCALES = (0.9, 0.95, 1.0, 1.05, 1.1)  # lucid's, fewer
TURNS = (-5.0, -2.5, 0.0, 2.5, 5.0)  # degrees
NO_NUMBER = (
    "this network answers with what is no number (NaN or infinite), so no picture can excite it; look for weights or "
    "statistics that are no numbers."
)


@dataclass(frozen=True, eq=False)
class Excited:
    """Pictures ``[n, c, h, w]`` from 0 to 1, what was asked of each, and the answer to the start and to the picture."""

    pictures: np.ndarray
    asked: tuple[Asked, ...]
    before: np.ndarray
    after: np.ndarray


def maximise(
    model: Any,
    asked: Sequence[Asked | int],
    *,
    size: tuple[int, int],
    space: str = "fourier",
    steps: int = 256,
    rate: float = 0.05,
    penalty: float | None = None,
    jitter: int = 8,
    transform: bool = True,
    blur: float = 0.0,
    channels: int = 3,
    span: tuple[float, float] | None = None,
    seed: int = 0,
    batch: int = 16,
) -> Excited:
    """One picture for each of ``asked`` (class scores of one target, or units of one layer), ``batch`` at a time.

    ``span`` is what black and white are to the network (0 and 255 for one that takes pictures as they are, else 0 and
    1). ``penalty`` is λ, on pixels as shares of half the span, their mean rather than their sum, so that it means the
    same at every size; by default 300 in the space of pixels (ours), 0 in Fourier's. ``jitter`` moves the picture by up
    to so many pixels at each step, ``transform`` scales and turns it, ``blur`` smoothes it every ten steps (Yosinski et
    al. 2015; pixels only).
    """
    if space not in SPACES:
        raise unknown("space", space, SPACES)
    if steps < 1 or min(size) < 2:
        raise UnseenError(f"at least one step and 2×2 pixels are needed; given {steps} and {size[0]}×{size[1]}.")
    anatomy = Anatomy(model)
    low, high = span or ((0.0, 255.0) if hasattr(anatomy.network, "prepare") else (0.0, 1.0))
    wanted = [Score(one) if isinstance(one, int) else one for one in asked]
    if not wanted:
        raise UnseenError("nothing was asked: name a class or a unit at least, e.g. [0] or [Unit('layer3', 7)].")
    if anatomy.network is None:
        raise UnseenError(
            "a picture that excites needs gradients, and a function from images to scores has none; give the network."
        )
    weight = (300.0 if space == "pixels" else 0.0) if penalty is None else penalty
    shown, before, after = [], [], []
    with still(anatomy):
        for start in range(0, len(wanted), batch):
            some = wanted[start : start + batch]
            canvas = _Canvas(space, len(some), channels, size, (low, high), anatomy, seed)
            climb = _climb(anatomy, some, canvas.pictures().detach())
            optimiser = (
                torch.optim.Adam([canvas.variable], rate)
                if space == "fourier"
                else _Ascent(canvas.variable, rate, steps)
            )
            with torch.no_grad():
                before.append(climb(canvas.pictures()).float().cpu().numpy())
            for step in range(steps):
                pictures = canvas.pictures()
                seen = moved(pictures, step, seed, jitter, transform)
                off = (pictures - canvas.middle) / ((high - low) / 2)
                goal = climb(seen).sum() - weight * off.square().mean((1, 2, 3)).sum()
                optimiser.zero_grad()
                (-goal).backward()
                optimiser.step()
                if blur and space == "pixels" and step % 10 == 9:
                    with torch.no_grad():
                        canvas.variable.copy_(blurred(canvas.variable, blur))
            with torch.no_grad():
                final = canvas.pictures().clamp(low, high)
                after.append(climb(final).float().cpu().numpy())
                if not np.isfinite(after[-1]).all():
                    raise UnseenError(NO_NUMBER)
                shown.append(((final - low) / (high - low)).float().cpu().numpy())
    return Excited(np.concatenate(shown), tuple(wanted), np.concatenate(before), np.concatenate(after))


class _Ascent:
    """Gradient steps, as Simonyan et al.: Adam would make the faintest pixel as loud as the rest. A step is ``rate``
    per pixel on average, less and less towards the last one (ours)."""

    def __init__(self, variable: Tensor, rate: float, steps: int) -> None:
        self.variable, self.rate, self.steps, self.taken = variable, rate, steps, 0

    def zero_grad(self) -> None:
        self.variable.grad = None

    @torch.no_grad()
    def step(self) -> None:
        slopes = self.variable.grad
        assert slopes is not None
        length = slopes.square().mean((1, 2, 3), keepdim=True).sqrt().clamp(min=1e-12)
        now = self.rate * 0.5 * (1 + np.cos(np.pi * self.taken / self.steps))
        self.variable -= now * slopes / length
        self.taken += 1


def _climb(anatomy: Anatomy, asked: Sequence[Asked], pictures: Tensor) -> Callable[[Tensor], Tensor]:
    """One number for each picture, the answer to its own question, in one pass."""
    which = torch.arange(len(asked), device=anatomy.device)
    if all(isinstance(one, Unit) for one in asked):
        units = [one for one in asked if isinstance(one, Unit)]
        layers = {one.layer for one in units}
        if len(layers) > 1:
            raise UnseenError(
                f"one call maximises units of one layer; given units of {len(layers)} layers. Call it per layer."
            )
        layer = layers.pop()
        channels = [unit.channel for unit in units]
        for channel in {min(channels), max(channels)}:
            anatomy.check_unit(pictures[:1], layer, channel)
        own = torch.tensor(channels, device=anatomy.device)

        def activity(seen: Tensor) -> Tensor:
            found = anatomy.units(anatomy.outputs_of(seen, layer), layer, seen)
            return found.gather(1, own[:, None]).squeeze(1)

        return activity
    scores = [one for one in asked if isinstance(one, Score) and isinstance(one.label, int)]
    targets = {one.target for one in scores}
    if len(scores) < len(asked) or len(targets) > 1:
        raise UnseenError(
            "one call maximises units of one layer, or classes of one target; name each, and do not mix the two."
        )
    labels = tuple(int(one.label) for one in scores)  # pyright: ignore[reportArgumentType]
    question: Question = settled(anatomy, pictures, Score(labels, targets.pop()), len(pictures))
    return lambda seen: question(seen, which)


class _Canvas:
    """Pictures and the variable behind them."""

    def __init__(
        self,
        space: str,
        count: int,
        channels: int,
        size: tuple[int, int],
        span: tuple[float, float],
        anatomy: Anatomy,
        seed: int,
    ) -> None:
        self.space, self.size, self.span = space, size, span
        device, dtype = anatomy.device, anatomy.dtype
        blank = torch.zeros(1, channels, *size, device=device, dtype=dtype)
        neutral = anatomy.neutral(blank + sum(span) / 2)
        inside = span[0] < float(neutral.amin()) and float(neutral.amax()) < span[1]
        self.middle = neutral if inside or space == "pixels" else blank[..., :1, :1] + sum(span) / 2
        height, width = size
        if space == "pixels":
            self.variable = torch.zeros(count, channels, height, width, device=device, dtype=dtype)
        else:
            generator = torch.Generator().manual_seed(seed_of(seed, "maximise", "start"))
            shape = (1, channels, height, width // 2 + 1, 2)
            start = torch.randn(shape, generator=generator) * 0.01
            self.variable = start.expand(count, *shape[1:]).to(device, dtype).clone()
            down = torch.fft.fftfreq(height, device=device)[:, None]
            across = torch.fft.rfftfreq(width, device=device)[None]
            frequency = (down.square() + across.square()).sqrt().clamp(min=1 / max(size))
            self.scale = (1 / frequency).to(dtype)
            colours = torch.tensor(COLOURS, device=device, dtype=dtype)
            self.mix = colours / colours.square().sum(0).sqrt().max()
        self.variable.requires_grad_()

    def pictures(self) -> Tensor:
        low, high = self.span
        if self.space == "pixels":
            return self.middle + self.variable * (high - low) / 2
        spectrum = torch.view_as_complex(self.variable.float()) * self.scale
        found = torch.fft.irfft2(spectrum, s=self.size, norm="ortho").to(self.variable.dtype) / 4
        if found.shape[1] == 3:
            found = torch.einsum("nchw,kc->nkhw", found, self.mix)
        return low + (high - low) * torch.sigmoid(found)


def moved(pictures: Tensor, step: int, seed: int, jitter: int, transform: bool) -> Tensor:
    """The pictures as the network sees them at this step: shifted, scaled, turned about their middle, edges mirrored;
    all alike."""
    if not jitter and not transform:
        return pictures
    rng = stream(seed, "maximise", "move", step)
    height, width = pictures.shape[2:]
    right, down = (2 * rng.integers(-jitter, jitter + 1, size=2) / (width, height)) if jitter else (0.0, 0.0)
    scale = float(rng.choice(SCALES)) if transform else 1.0
    angle = float(np.deg2rad(rng.choice(TURNS))) if transform else 0.0
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) / scale
    turn = turn * np.array([[1, height / width], [width / height, 1]])
    affine = np.concatenate([turn, np.array([[right], [down]])], axis=1)
    grid = F.affine_grid(
        torch.as_tensor(affine)[None].to(pictures).expand(len(pictures), -1, -1),
        list(pictures.shape),
        align_corners=False,
    )
    return F.grid_sample(pictures, grid, padding_mode="reflection", align_corners=False)


def excite_layer(model: Any, layer: str, units: Sequence[int] | None = None, **settings: Any) -> Excited:
    """A picture for every unit of a layer (or for some), all kept: of a layer of many,
    :func:`~unseen.explanations.unit_sheets` writes pages."""
    anatomy = Anatomy(model)
    if units is None:
        size, channels = settings["size"], settings.get("channels", 3)
        blank = torch.zeros(1, channels, *size, device=anatomy.device, dtype=anatomy.dtype)
        with still(anatomy), torch.no_grad():
            units = range(anatomy.units(anatomy.outputs_of(blank, layer), layer, blank).shape[1])
    return maximise(model, [Unit(layer, number) for number in units], **settings)
