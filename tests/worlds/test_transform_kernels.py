"""The fused kernels of transformations give the eager code's bits. Without a GPU Triton's interpreter runs them, in a
process of its own (it is chosen when Triton is imported) and on few pixels, since it is slow."""

import importlib.util
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from unseen.worlds.transforms import TRANSFORMATIONS, jpeg, kernels

pytestmark = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="needs triton")
on_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
STRENGTHS: dict[str, tuple[float | None, ...]] = {
    "blur": (0.0, 1.0),
    "high-pass": (None,),
    "horizontal": (None,),
    "vertical": (None,),
    "high-pass-zero-sum": (None,),
    "white-noise": (100.0,),
    "salt-and-pepper": (0.5, 1.0),
}
CORRUPTIONS = (
    "shot-noise", "impulse-noise", "glass-blur", "motion-blur", "zoom-blur", "snow", "frost", "fog",
    "elastic-transform",
)  # fmt: skip
NEAR: dict[str, tuple[float | None, ...]] = {  # these may differ by a step of 2⁻¹⁰ after other ways of adding up
    "geirhos-eidolon-1": (8.0,),
    "geirhos-eidolon-2": (8.0,),
    "geirhos-eidolon-3": (8.0,),
    "geirhos-opponent-colour": (None,),
    "geirhos-phase-noise": (None,),
    "geirhos-phase-noise-released": (None,),
    "geirhos-power-equalisation": (None,),
    "hendrycks-defocus-blur": (3,),
    "jpeg": (7, 75),
    **{f"hendrycks-{name}": (3,) for name in CORRUPTIONS},
}
CASES = (  # size, channels, bytes or not; the last is more than one block
    ((9, 14), 3, True), ((9, 14), 3, False), ((1, 1), 1, True), ((2, 3), 1, False), ((33, 32), 1, True),
)  # fmt: skip


def pictures(size: tuple[int, int], channels: int, whole: bool) -> torch.Tensor:
    rng = np.random.default_rng(0)
    shape = (2, channels, *size)
    if whole:
        return torch.from_numpy(rng.integers(0, 256, shape).astype(np.uint8))
    return torch.from_numpy(rng.uniform(-50, 400, shape).astype(np.float32))


def keys_of(n: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(9).integers(0, 2**63 - 1, n))


def transformed(name: str, given: torch.Tensor, strength: float | None, keys: torch.Tensor) -> torch.Tensor:
    if name == "jpeg":  # which Pillow does on a CPU
        return jpeg.computed(given, int(strength or 50))
    return TRANSFORMATIONS[name](given, strength, keys)


def different(device: str) -> list[str]:
    """What the kernels show otherwise than the eager code does."""
    ask, found = (kernels.available, kernels.asked), []
    for name, strengths in (STRENGTHS | NEAR).items():
        for strength, (size, channels, whole) in itertools.product(strengths, CASES[1:4:2] if name in NEAR else CASES):
            if channels == 1 and name == "geirhos-opponent-colour":
                continue
            given, keys = pictures(size, channels, whole).to(device), keys_of(2).to(device)
            shown = []
            for fused in (True, False):
                kernels.available = kernels.asked = lambda _, fused=fused: fused
                shown.append(transformed(name, given, strength, keys))
            apart = float((shown[0] - shown[1]).abs().max())
            if not apart <= (1e-3 if name in NEAR else 0) or shown[0].dtype != torch.float32:
                found.append(f"{name} {strength} {size} {channels} {whole}")
    kernels.available, kernels.asked = ask
    return found


def test_fused_and_eager_transformations_have_the_same_bits():
    env = os.environ | {"TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, env=env, timeout=600)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []


@on_cuda
def test_on_a_gpu_fused_and_eager_transformations_have_the_same_bits():
    assert different("cuda") == []


@on_cuda
@pytest.mark.parametrize("name", STRENGTHS | NEAR)
def test_on_a_gpu_a_batch_is_transformed_without_waiting_for_the_device(name: str, monkeypatch):
    monkeypatch.setenv("UNSEEN_KERNELS", "all")
    given, keys = pictures((32, 32), 3, True).cuda(), keys_of(2).cuda()
    first = transformed(name, given, None, keys)  # compiles, copies tables
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        again = transformed(name, given, None, keys)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert torch.equal(first, again)


def test_kernels_transform_on_cuda_alone():
    assert not kernels.available(torch.zeros(1, 1, 2, 2))


def test_kernels_that_have_not_run_on_a_gpu_wait_to_be_asked_for(monkeypatch):
    monkeypatch.setattr(kernels, "available", lambda images: True)
    assert not kernels.asked(torch.zeros(1, 1, 2, 2))
    monkeypatch.setenv("UNSEEN_KERNELS", "all")
    assert kernels.asked(torch.zeros(1, 1, 2, 2))


@pytest.mark.slow
def test_the_transforming_kernels_compile_for_an_h200_without_one():
    """Each kernel is asked of Triton as `kernels` asks for it, but compiled for compute capability 9.0 and not run."""
    if os.environ.get("TRITON_INTERPRET") == "1":
        pytest.skip("the interpreter compiles nothing")
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from unseen.worlds.rendering import kernels as rendering

    found = []
    types = {torch.float32: "*fp32", torch.float64: "*fp64", torch.int32: "*i32", torch.int64: "*i64"}
    types[torch.uint8] = "*u8"

    def launched(kernel, programs: int):
        def launch(*args, num_warps: int, enable_fp_fusion: bool = True, **constants) -> None:
            names = [name for name in kernel.arg_names if name not in constants]
            kinds = [types[a.dtype] if isinstance(a, torch.Tensor) else "i64" if a >= 2**31 else "i32" for a in args]
            signature = dict(zip(names, kinds, strict=True)) | dict.fromkeys(constants, "constexpr")
            source = ASTSource(kernel, {n: signature[n] for n in kernel.arg_names}, constants)
            options = {"num_warps": num_warps, "enable_fp_fusion": enable_fp_fusion}
            triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
            found.append(kernel.__name__)

        return launch

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rendering, "launched", launched)
        patch.setattr(kernels, "available", lambda images: True)
        patch.setattr(kernels, "asked", lambda images: True)
        for name, strengths in (STRENGTHS | NEAR).items():
            for whole in (True, False):
                transformed(name, pictures((8, 8), 3, whole), strengths[-1], keys_of(2))
    assert set(found) == {
        "correlate", "speckle", "waves", "displaced", "photons", "struck", "turned", "scored", "exchanged", "path",
        "closer", "uniform", "between", "finer", "frozen", "snowed", "phases", "apart",
        "coded", "together", "settle",
    }  # fmt: skip


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
    torch.set_num_threads(1)
    np.seterr(all="ignore")  # whole numbers are meant to overflow
    print(json.dumps(different("cpu")))
