"""Given models from ONNX files, run by onnxruntime (extra ``onnx``)."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unseen.models.given.programs import Program, first_line
from unseen.models.given.reshaped import ChosenOutputs, InputForm
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.extras import needs_extra

TYPES = {
    "tensor(float)": "float32", "tensor(float16)": "float16", "tensor(uint8)": "uint8", "tensor(bfloat16)": "bfloat16",
}  # fmt: skip


class Onnx(Program):
    """A session of onnxruntime."""

    def __init__(self, name: str, file: Path, chosen: ChosenOutputs) -> None:
        super().__init__(name, chosen)
        self.file = file
        self._session = self._opened("cpu")
        inputs = self._session.get_inputs()
        if len(inputs) != 1:
            raise UnseenError(
                f"model '{name}' takes {len(inputs)} inputs ({', '.join(one.name for one in inputs)}); a model of "
                "pictures takes one."
            )
        self._input = inputs[0].name
        self._outputs = [one.name for one in self._session.get_outputs()]
        if chosen.features and chosen.features not in self._outputs:
            raise unknown("output", chosen.features, self._outputs, where=f"model '{name}'")
        shape = tuple(side if isinstance(side, int) and side > 0 else None for side in inputs[0].shape)
        kind = str(inputs[0].type)
        self.taken = InputForm(shape, TYPES.get(kind, kind))
        self.what = f"an ONNX file whose outputs are {', '.join(self._outputs)}"

    def to(self, device: torch.device) -> None:
        self._session = self._opened(device.type)

    def _opened(self, device: str) -> Any:
        runtime = library(f"model '{self.name}'")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        options.log_severity_level = 3
        wanted = "CUDAExecutionProvider"
        there = wanted in runtime.get_available_providers()
        if device == "cuda" and not there:
            raise UnseenError(
                f"model '{self.name}' is an ONNX file, and the onnxruntime here runs on the CPU alone: install "
                "onnxruntime-gpu in its place, or ask for device cpu."
            )
        providers = [wanted] if device == "cuda" else []
        try:
            return runtime.InferenceSession(str(self.file), options, providers=[*providers, "CPUExecutionProvider"])
        except Exception as error:
            raise UnseenError(
                f"model '{self.name}': onnxruntime could not load '{self.file}' ({first_line(error)}). Is the file "
                "complete, with its .data file beside it if it has one?"
            ) from error

    def run(self, images: Tensor) -> dict[str, Tensor]:
        made = self._session.run(self._outputs, {self._input: images.cpu().contiguous().numpy()})
        return {
            name: torch.from_numpy(value).to(images.device)
            for name, value in zip(self._outputs, made)
            if isinstance(value, np.ndarray) and value.dtype.kind == "f"
        }


def library(what: str) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise needs_extra(what, "onnxruntime", "onnx") from error
    return onnxruntime


def files_of(file: Path) -> list[Path]:
    """An ONNX file and those beside it whose names it mentions: weights may lie outside of it."""
    if not file.stat().st_size:
        return [file]
    with file.open("rb") as handle, mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as content:
        beside = (one for one in sorted(file.parent.iterdir()) if one.is_file() and not one.samefile(file))
        return [file, *(one for one in beside if content.find(one.name.encode()) >= 0)]
