"""Small networks that paint a picture in one style: feed-forward style transfer (Johnson, Alahi & Fei-Fei 2016, with
instance normalisation after Ulyanov, Vedaldi & Lempitsky 2016), read from released weights.

A file holds one or several styles, keys ``<style>/Variable_<k>_…``. Layer i has ``Variable_{3i}`` as weights,
``{3i + 1}`` as shift, ``{3i + 2}`` as scale (``Variable`` is number 0): a convolution of 9, two of 3 that halve the
picture, five residual pairs of 3 (no ReLU after the second), two transposed convolutions of 3 that double it, one of 9.
After each stands instance normalisation (ε = .001), then a ReLU except there and at the end, which is 150 tanh(x) +
127.5. Pictures are RGB from 0 to 255, padding is TensorFlow's SAME. Sums are in float64 and what is shown are whole
numbers, so that a picture does not depend on its batch (ours). Sides that are no multiple of four are mirrored on
(ours).
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from unseen.vocabulary.errors import UnseenError, listed

if TYPE_CHECKING:
    import torch
    from torch import Tensor

LAYERS, PAIRS = 16, range(3, 13)
EPSILON = 1e-3
_KEY = re.compile(r"(?P<style>.+)/Variable(?:_(?P<number>\d+))?(?:_read.*)?$")
Layers = tuple[tuple[np.ndarray, np.ndarray, np.ndarray], ...]


@dataclass(frozen=True, eq=False)
class Styles:
    """Named networks, each its layers (weights, shift, scale), and the hash of the file they are from."""

    layers: Mapping[str, Layers]
    content: str
    _there: dict[tuple[str, str], list] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.layers)

    def painted(self, images: Tensor, styles: np.ndarray) -> Tensor:
        """Pictures ``[n, 3, h, w]`` on the 0–255 scale, each in its style (a number), as float32 of whole numbers."""
        import torch

        found = torch.empty(images.shape, dtype=torch.float32, device=images.device)
        for number in np.unique(styles):
            here = torch.from_numpy(np.flatnonzero(styles == number)).to(images.device)
            layers = self._on(self.names[int(number)], images.device)
            found[here] = paint(images[here].double(), layers).float()
        return found

    def _on(self, name: str, device: torch.device) -> list:
        import torch

        key = name, str(device)
        if key not in self._there:
            self._there[key] = [
                tuple(torch.from_numpy(part).double().to(device) for part in layer) for layer in self.layers[name]
            ]
        return self._there[key]


def paint(images: Tensor, layers: list) -> Tensor:
    """One style's network, on pictures ``[n, 3, h, w]`` in float64."""
    import torch
    from torch.nn import functional as F

    height, width = images.shape[-2:]
    down, across = -height % 4, -width % 4
    x = F.pad(images, (0, across, 0, down), mode="reflect") if down or across else images
    kept = x
    for number, (weight, shift, scale) in enumerate(layers):
        if number in (1, 2):
            x = F.conv2d(F.pad(x, (0, 1, 0, 1)), weight, stride=2)  # SAME: of an even side all padding is at its end
        elif number in (13, 14):
            x = F.conv_transpose2d(x, weight, stride=2)[..., : 2 * x.shape[-2], : 2 * x.shape[-1]]
        else:
            kept = x if number in PAIRS and number % 2 else kept
            x = F.conv2d(x, weight, padding=weight.shape[-1] // 2)
        middle = x.mean((-2, -1), keepdim=True)
        spread = ((x - middle) ** 2).mean((-2, -1), keepdim=True)
        x = (x - middle) / torch.sqrt(spread + EPSILON) * scale + shift
        if number in PAIRS and number % 2 == 0:
            x = x + kept
        elif number < LAYERS - 1:
            x = x.relu()
    shown = (150 * torch.tanh(x) + 127.5).clamp(0, 255).round()
    return shown[..., :height, :width]


@lru_cache(maxsize=4)
def styles_of(root: str) -> Styles:
    """The styles of an .npz file, in the order of their names."""
    path = Path(root).expanduser()
    if path.is_dir():
        files = sorted(path.glob("*.npz"))
        if len(files) != 1:
            raise UnseenError(f"the folder '{root}' has {len(files)} .npz files; name the one that holds the styles.")
        path = files[0]
    if not path.is_file():
        raise UnseenError(
            f"no file '{root}' here ({Path.cwd()}); `root` of world 'stylised' is an .npz file of style networks "
            f"(github.com/webmachinelearning/test-data, models/fast_style_transfer_nchw)."
        )
    data = path.read_bytes()
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise UnseenError(f"'{root}' cannot be read as an .npz file: {str(error).splitlines()[0]}.") from None
    found: dict[str, dict[int, np.ndarray]] = {}
    for name, array in arrays.items():
        told = _KEY.match(name)
        if told is not None:
            found.setdefault(told["style"], {})[int(told["number"] or 0)] = np.asarray(array, np.float64)
    if not found:
        raise UnseenError(
            f"'{root}' holds no style: keys are '<style>/Variable_<k>', and it has {listed(arrays, 3) or 'none'}."
        )
    layers = {name: _layers(name, found[name], root) for name in sorted(found)}
    return Styles(layers, hashlib.blake2b(data, digest_size=16).hexdigest())


def _layers(name: str, parts: Mapping[int, np.ndarray], root: str) -> Layers:
    if sorted(parts) != list(range(3 * LAYERS)):
        raise UnseenError(f"style '{name}' of '{root}' has {len(parts)} arrays and needs {3 * LAYERS}, three a layer.")
    made, channels = [], 3
    for number in range(LAYERS):
        weight, shift, scale = (parts[3 * number + part] for part in range(3))
        turned = number in (13, 14)
        inside, outside = (0, 1) if turned else (1, 0)
        if weight.ndim != 4 or weight.shape[inside] != channels or {shift.size, scale.size} != {weight.shape[outside]}:
            raise UnseenError(
                f"layer {number} of style '{name}' of '{root}' has weights {list(weight.shape)}, shift {shift.size} "
                f"and scale {scale.size}, which do not follow its {channels} channels."
            )
        if not all(np.isfinite(part).all() for part in (weight, shift, scale)):
            raise UnseenError(f"layer {number} of style '{name}' of '{root}' has weights that are no numbers.")
        channels = weight.shape[outside]
        made.append((weight, shift.reshape(1, -1, 1, 1), scale.reshape(1, -1, 1, 1)))
    if channels != 3:
        raise UnseenError(f"style '{name}' of '{root}' ends with {channels} channels; a picture has three.")
    return tuple(made)
