"""A model that somebody brings: it comes with its weights, and says what it is fed and what its outputs are called."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from unseen.models.given.preprocessing import Preprocessing
from unseen.vocabulary.errors import UnseenError, listed

SOURCES = (
    "timm", "torchvision", "open_clip", "huggingface", "module", "exported", "onnx", "callable",
)  # fmt: skip
CHUNK = {"cpu": 16}  # pictures at a time; 64 of them take EfficientNet-Lite0 2.3 s of CPU time so, 4 s at once
CHUNK_ELSEWHERE = 256

Keys = Sequence[object] | None


@runtime_checkable
class Backend(Protocol):
    """What answers: prepared pictures in, outputs out."""

    @property
    def module(self) -> nn.Module | None:
        """The network, where it is one of torch."""
        ...

    def outputs(self, images: Tensor) -> Tensor:
        """What it answers to prepared pictures [n, ...]."""
        ...

    def features(self, images: Tensor) -> Tensor:
        """What lies before its answers [n, d], for prepared pictures."""
        ...

    def texts(self, texts: Sequence[str]) -> Tensor:
        """What texts are beside its features [t, d]."""
        ...

    def to(self, device: torch.device) -> None: ...


class GivenModel:
    """A model with its weights.

    ``outputs`` counts what it answers, 0 where it has no answers of its own (a bare encoder, or one that is asked
    by texts). ``labels`` are their texts and ``label_space`` the known set they are of; both empty where unknown.
    ``digest`` is of its weights and, where it is code, of its source: two models of one digest answer alike.
    """

    def __init__(
        self,
        name: str,
        source: str,
        body: Backend,
        *,
        outputs: int,
        preprocessing: Preprocessing,
        digest: str,
        labels: Sequence[str] = (),
        label_space: str = "",
        are_probabilities: bool = False,
        known: Mapping[str, Any] = MappingProxyType({}),
        device: str | torch.device = "cpu",
    ) -> None:
        assert source in SOURCES, source
        if labels and outputs != -1 and len(labels) != outputs:
            raise UnseenError(
                f"model '{name}' has {outputs} outputs and was given {len(labels)} labels ({listed(labels, 3)}); give "
                "one text for each output, in their order."
            )
        self.name, self.source, self.body = name, source, body
        self.outputs, self.labels, self.label_space = outputs, tuple(labels), label_space
        self.preprocessing, self.digest, self.are_probabilities = preprocessing, digest, are_probabilities
        self.known = dict(known)
        self.precision = "float32"
        self.device = torch.device("cpu")
        self.to(device)

    @property
    def module(self) -> nn.Module | None:
        """The network itself, to probe, finetune or explain it; None where there is none of torch."""
        return self.body.module

    def to(self, device: str | torch.device) -> GivenModel:
        """Itself, moved."""
        device = torch.device(device)
        if device != self.device:
            self.body.to(device)
            self.device = device
        return self

    def scores(self, images: Tensor, *, keys: Keys = None) -> Tensor:
        """Its outputs as they are, float32 [n, outputs], for uint8 pictures [n, c, h, w].

        ``keys`` name the pictures in errors; otherwise their number does.
        """
        if not self.outputs:
            raise UnseenError(
                f"model '{self.name}' has no answers of its own"
                + (
                    ": it is asked by texts, one for each category (protocol zero-shot)."
                    if self.source == "open_clip"
                    else "; put a head on its features (protocol probe or finetune)."
                )
            )
        made = self._in_chunks(images, self.body.outputs, "outputs", (self.outputs,))
        if not torch.isfinite(made).all():
            raise self._not_finite(made, "answers", keys)
        return made

    def probabilities(self, images: Tensor, *, keys: Keys = None) -> Tensor:
        """The softmax of its outputs, or these themselves where they are probabilities already."""
        made = self.scores(images, keys=keys)
        return made if self.are_probabilities else made.softmax(1)

    def features(self, images: Tensor, *, keys: Keys = None) -> Tensor:
        """What lies before its answers, float32 [n, d]."""
        made = self._in_chunks(images, self.body.features, "features", None)
        if not torch.isfinite(made).all():
            raise self._not_finite(made, "features", keys)
        return made

    def text_features(self, texts: Sequence[str]) -> Tensor:
        """What texts are in the space of its features, float32 [t, d]; for models that know texts."""
        with torch.no_grad():
            return self.body.texts(list(texts)).float()

    @property
    def logit_scale(self) -> float:
        """By what cosines of its pictures and texts are multiplied before the softmax; 1 where it knows no texts."""
        return float(getattr(self.body, "logit_scale", 1.0))

    def tried(self, side: int) -> Tensor:
        """What it answers to two pictures of noise, whatever the number of its outputs."""
        height, width = self.preprocessing.size or (side, side)
        channels = 1 if self.preprocessing.channels == "grey" else 3
        noise = torch.randint(0, 256, (2, channels, height, width), generator=torch.Generator().manual_seed(0))
        return self._in_chunks(noise.to(torch.uint8), self.body.outputs, "outputs", None)

    def facts(self) -> dict[str, Any]:
        """All that is known of it, for provenance: plain values."""
        return {
            "name": self.name,
            "source": self.source,
            "digest": self.digest,
            "outputs": self.outputs,
            "label_space": self.label_space,
            "are_probabilities": self.are_probabilities,
            "precision": self.precision,
            "preprocessing": self.preprocessing.facts(),
            "preprocessing_words": self.preprocessing.words,
            **self.known,
        }

    def __repr__(self) -> str:
        return f"GivenModel({self.name!r}, {self.outputs} outputs, {self.preprocessing.words})"

    def _in_chunks(
        self, images: Tensor, run: Callable[[Tensor], Tensor], what: str, last: tuple[int, ...] | None
    ) -> Tensor:
        size = CHUNK.get(self.device.type, CHUNK_ELSEWHERE)
        images = images.to(self.device)
        made = []
        with torch.no_grad():
            for start in range(0, max(len(images), 1), size):
                part = images[start : start + size]
                if not len(part):
                    return torch.zeros((0, *(last or (0,))), device=self.device)
                with self._in_precision():
                    answered = run(self.preprocessing(part))
                made.append(self._checked(answered, len(part), what, last))
        return torch.cat(made) if len(made) > 1 else made[0]

    def _in_precision(self) -> contextlib.AbstractContextManager:
        if self.precision == "float32":
            return contextlib.nullcontext()
        return torch.autocast(self.device.type, dtype=torch.bfloat16)

    def _checked(self, made: Any, n: int, what: str, last: tuple[int, ...] | None) -> Tensor:
        if not isinstance(made, Tensor):
            raise UnseenError(
                f"model '{self.name}' gave a {type(made).__name__} as its {what}; possible: one tensor or array "
                f"[n, {what}] of numbers."
            )
        if made.ndim != 2 or made.shape[0] != n or (last and tuple(made.shape[1:]) != last):
            expected = f"[{n}, {last[0] if last else 'd'}]"
            raise UnseenError(
                f"model '{self.name}' gave {what} of shape {list(made.shape)} for {n} pictures; expected {expected}."
            )
        return made.to(self.device).float()

    def _not_finite(self, made: Tensor, what: str, keys: Keys) -> UnseenError:
        bad = (~torch.isfinite(made)).any(1).nonzero().flatten().tolist()
        first = f"'{keys[bad[0]]}'" if keys is not None else f"number {bad[0]}"
        return UnseenError(
            f"model '{self.name}' gave {what} that are NaN or infinite for {len(bad):,} of {len(made):,} images, the "
            f"first of them {first}. Is it fed as it was trained ({self.preprocessing.words})? Half precision that "
            "overflows and weights that did not load give such numbers too."
        )
