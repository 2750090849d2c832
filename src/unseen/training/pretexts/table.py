"""The table of pretexts: what a network may be pretrained by, and what each can be told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from torch import nn

from unseen.training.pretexts.captioned import CLIP, CLIPOptions
from unseen.training.pretexts.contrast import SimCLR, SimCLROptions
from unseen.training.pretexts.distilled import DINO, DINOOptions
from unseen.training.pretexts.masked import MAE, MAEOptions
from unseen.training.pretexts.named import Supervised
from unseen.training.pretexts.task import Pretext
from unseen.training.pretexts.views import Looks
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.plain_numbers import is_number, is_whole
from unseen.vocabulary.protocol_names import NO_PRETRAINING

NONE = NO_PRETRAINING  # no pretraining: the same network with its first weights, as a control
SHARES = (
    "crop", "local_crop", "flip", "grey", "blur", "solarize", "mention", "mask", "freeze", "momentum",
    "centre_momentum",
)  # from 0 to 1  # fmt: skip
ABOVE_ZERO = ("temperature", "student_temperature", "teacher_temperature", "crop", "local_crop")
MOST = {"colour": 2.0}  # numbers of at least 0
WHOLE = {"width": (32, 4096), "depth": (0, 24), "output": (8, 4096), "prototypes": (2, 65536), "local": (0, 12)}
BY_32 = ("width",)  # of a transformer: heads of 32


@dataclass(frozen=True)
class PretextRow:
    """``pretext(encoder, features, told, **shown)`` with what it can be ``told``; ``pairs``: it tells pictures of a
    batch apart, so that one alone teaches nothing; ``does``: what a list says of it; ``source``: the paper."""

    pretext: Callable[..., Pretext]
    told: Callable[..., Any]
    does: str
    source: str
    pairs: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """Names and defaults of what a recipe may say of it."""
        told = self.told()
        return {one.name: getattr(told, one.name) for one in fields(told)}

    def make(self, encoder: nn.Module, features: int, options: Mapping[str, Any], **shown: Any) -> Pretext:
        """``options`` as a recipe gives them; ``shown``: what the world shows, where it is needed (phrases, say)."""
        return self.pretext(encoder, features, self.told(**options), **shown)


PRETEXTS: Mapping[str, PretextRow] = {
    "supervised": PretextRow(Supervised, Looks, "names the category", "labels"),
    "simclr": PretextRow(
        SimCLR, SimCLROptions, "tells two views of one picture from views of others", "Chen et al. 2020", pairs=True
    ),
    "mae": PretextRow(MAE, MAEOptions, "reconstructs hidden patches (ViTs only)", "He et al. 2022"),
    "dino": PretextRow(
        DINO, DINOOptions, "gives a view the answer that its own running mean gives other views", "Caron et al. 2021"
    ),
    "clip": PretextRow(
        CLIP, CLIPOptions, "tells a picture's caption from those of others", "Radford et al. 2021", pairs=True
    ),
}


def pretext_row(name: str) -> PretextRow:
    if name not in PRETEXTS:
        raise unknown("objective", name, [*PRETEXTS, NONE], where="pretraining.objective")
    return PRETEXTS[name]


def check_options(name: str, given: Mapping[str, Any], where: str = "pretraining.objective_arguments") -> None:
    """Options are those of the objective, each of its kind and in its range.

    >>> check_options("simclr", {"temperature": 0.2, "crop": 0.25})
    """
    if name == NONE:
        possible: dict[str, Any] = {}
    else:
        possible = pretext_row(name).options
    for key, value in given.items():
        if key not in possible:
            raise unknown("option", key, possible, where=f"{where} (pretraining.objective = '{name}')")
        if (wanted := _unfit(key, value, possible[key])) is not None:
            raise UnseenError(f"{where}: {key} = {value!r}; '{name}' takes {wanted} (without it: {possible[key]}).")


def _unfit(key: str, value: Any, default: Any) -> str | None:
    """What a value should have been, or nothing where it fits."""
    if isinstance(default, bool):
        return None if isinstance(value, bool) else "true or false"
    if key in WHOLE:
        low, high = WHOLE[key]
        step = 32 if key in BY_32 else 1
        fits = is_whole(value) and low <= value <= high and value % step == 0
        return None if fits else f"a whole number from {low} to {high}{', a multiple of 32' if step > 1 else ''}"
    least = "above 0" if key in ABOVE_ZERO else "of at least 0"
    most = 1.0 if key in SHARES else MOST.get(key)
    fits = is_number(value) and value >= 0 and (value > 0 or key not in ABOVE_ZERO) and value < 1e6
    if fits and (most is None or value <= most):
        return None
    return f"a number {least}{f' and at most {most:g}' if most is not None else ''}"
