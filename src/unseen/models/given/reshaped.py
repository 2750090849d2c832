"""What a model in a file takes and gives: its own size, layout, type and batch, and which output is meant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from unseen.models.given.backends import flat
from unseen.models.given.preprocessing import DTYPES, Preprocessing
from unseen.vocabulary.errors import UnseenError, listed, unknown


@dataclass(frozen=True)
class InputForm:
    """The shape and type of a model's input; None where any size will do."""

    shape: tuple[int | None, ...]
    dtype: str = "float32"

    @property
    def batch(self) -> int | None:
        return self.shape[0] if self.shape else None

    @property
    def layout(self) -> str:
        last = self.shape[3] if len(self.shape) == 4 else None
        return "NHWC" if last in (1, 3) and (len(self.shape) == 4 and self.shape[1] not in (1, 3)) else "NCHW"

    @property
    def size(self) -> tuple[int | None, int | None]:
        return self.shape[1:3] if self.layout == "NHWC" else self.shape[2:4]  # type: ignore[return-value]

    def preprocessing(self, name: str) -> Preprocessing:
        """What the file itself tells; mean, deviation and crop are not among it, and are ImageNet's."""
        if len(self.shape) != 4 or self.dtype not in DTYPES:
            raise UnseenError(
                f"model '{name}' takes {self.dtype} of shape {self.words}; a model of pictures takes four axes (batch, "
                f"channels, height, width) of {listed(DTYPES)}."
            )
        height, width = self.size
        channels = self.shape[3 if self.layout == "NHWC" else 1]
        return Preprocessing(
            size=(height or 224, width or 224),
            channels="grey" if channels == 1 else "RGB",
            mean=(0.449,) if channels == 1 else Preprocessing().mean,
            std=(0.226,) if channels == 1 else Preprocessing().std,
            layout=self.layout,  # type: ignore[arg-type]
            dtype=self.dtype,  # type: ignore[arg-type]
        )

    @property
    def words(self) -> str:
        return "×".join("any" if side is None else str(side) for side in self.shape)

    def check(self, name: str, images: Tensor) -> None:
        """Pictures as prepared, against what the file says."""
        sides = tuple(images.shape)
        if len(sides) != len(self.shape) or any(
            want not in (None, have) for have, want in zip(sides[1:], self.shape[1:])
        ):
            raise UnseenError(
                f"model '{name}' takes pictures of shape {self.words} and is fed {'×'.join(map(str, sides))}; its "
                "size is fixed in the file: set preprocessing size to it, or export the model with other sizes."
            )


@dataclass(frozen=True)
class ChosenOutputs:
    """Which outputs of several are the answers and the features, by name or number; the first is the answers."""

    features: str = ""

    def answers(self, name: str, made: Mapping[str, Tensor]) -> Tensor:
        rest = [key for key in made if key != self.features]
        if not rest:
            raise UnseenError(f"model '{name}' gives no tensor of answers.")
        found = made[rest[0]]
        return found.flatten(1) if found.ndim == 4 and found.shape[2:] == (1, 1) else found

    def named(self, name: str, made: Mapping[str, Tensor]) -> Tensor:
        if self.features not in made:
            raise unknown("output", self.features, made, where=f"model '{name}'")
        return flat(made[self.features])


def in_fixed_batches(
    images: Tensor, batch: int | None, run: Callable[[Tensor], Mapping[str, Tensor]]
) -> dict[str, Tensor]:
    """All outputs for pictures, in batches of exactly ``batch``; the last one is filled up with its last picture."""
    if batch is None:
        return dict(run(images))
    parts: list[Mapping[str, Tensor]] = []
    for start in range(0, len(images), batch):
        part = images[start : start + batch]
        short = batch - len(part)
        filled = torch.cat([part, part[-1:].expand(short, *part.shape[1:])]) if short else part
        made = run(filled.contiguous())
        parts.append({key: value[: len(part)] for key, value in made.items()})
    return {key: torch.cat([part[key] for part in parts]) for key in parts[0]}
