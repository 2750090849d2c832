"""The fused kernels draw what the eager code draws. Without a GPU Triton's interpreter runs them, in a process of its
own (it is chosen when Triton is imported) and on pictures of a few pixels, since it is slow. With one they run as is.
Whether they compile for a GPU can be tested without one.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from unseen.worlds.rendering import kernels
from unseen.worlds.rendering.bank import Bank
from unseen.worlds.rendering.camera import towards, turned
from unseen.worlds.rendering.mesh import Mesh, mesh
from unseen.worlds.rendering.scene import GRADIENT, NO_FLOOR, PICTURE, PLAIN_FLOOR, SHADOWS, SKY, Scenes, Things

pytestmark = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="needs triton")
on_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


def block(textured: bool) -> Mesh:
    """A cube on the floor; its faces have own vertices, uv and, perhaps, a texture."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (0.0, 1.0)])
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    uv = np.random.default_rng(1).uniform(0, 1.5, (8, 2))
    colour = np.random.default_rng(2).uniform(0.3, 1.0, (8, 3))
    return mesh(
        corners, faces, colour=colour, paint=0.7, gloss=0.6, uv=uv, texture=noise(3, 8, 8) if textured else None
    )


def gem() -> Mesh:
    """An octahedron with smooth normals, above the floor."""
    points = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)
    faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
    return mesh(
        points * 0.5 + [0, 0, 0.5], np.array(faces), normals=points, colour=(0.9, 0.6, 0.3), paint=0.2, gloss=0.9
    )


def noise(seed: int, height: int, width: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def bank() -> Bank:
    return Bank(
        meshes=(block(True), block(False), gem()), textures=(noise(4, 8, 8),), pictures=(noise(5, 8, 8),),
        skies=(noise(6, 8, 16),), texture_size=8, picture_size=8,
    )  # fmt: skip


def scenes() -> Scenes:
    """Six images: a mesh's own texture before a picture; a draped texture on a textured floor under a sky, and clutter
    so far away that the shadow map leaves it out; a camera inside a cube, which crosses the near plane; nothing at all;
    no floor and no shadow; shadows on a picture."""
    rng = np.random.default_rng(0)

    def drawn(low: float, high: float, *shape: int) -> torch.Tensor:
        return torch.from_numpy(rng.uniform(low, high, shape).astype(np.float32))

    image = torch.tensor([0, 1, 1, 2, 4, 5])
    m, b = len(image), 6
    things = Things(
        image=image, mesh=torch.tensor([0, 1, 2, 1, 2, 0]), rotation=turned(drawn(0, 360, m), drawn(-20, 20, m)),
        position=torch.tensor([[0, 0, 0], [0, 0, -0.1], [-2.5, -2, 0.1], [0, 0, 0], [0, 0, 0.2],
                               [0, 0, 0]], dtype=torch.float32),
        size=drawn(0.8, 1.2, m), tint=drawn(0.2, 1, m, 3), texture=torch.tensor([-1, 0, -1, -1, -1, -1]),
        label=torch.tensor([0, 0, 1, 0, 0, 0]),
    )  # fmt: skip
    eye = torch.tensor([[2.5, 0.4, 1.2], [1.8, 1.8, 1.5], [0.3, 0.2, 0.7], [2, 1, 1], [2, -1, 0.9], [3, 0.5, 1.6]])
    light = torch.stack([towards(drawn(0, 360, b), drawn(30, 70, b)), towards(drawn(0, 360, b), drawn(5, 40, b))], 1)
    return Scenes(
        things=things, eye=eye, target=torch.tensor([0.0, 0.0, 0.4]).expand(b, 3), fov=drawn(35, 50, b), light=light,
        light_colour=drawn(0.1, 0.8, b, 2, 3), ambient=drawn(-0.05, 0.2, b, 9, 3),
        shadow=torch.tensor([0.8, 1.0, 0.5, 0.7, 0.0, 0.9]),
        floor=torch.tensor([PLAIN_FLOOR, 0, PLAIN_FLOOR, PLAIN_FLOOR, NO_FLOOR, SHADOWS]),
        floor_colour=drawn(0.4, 0.9, b, 3), floor_scale=drawn(0.5, 1.5, b),
        behind=torch.tensor([PICTURE, SKY, GRADIENT, SKY, GRADIENT, PICTURE]), behind_colour=drawn(0.3, 1.0, b, 2, 3),
        behind_picture=torch.zeros(b, dtype=torch.int64),
    )  # fmt: skip


def compared(device: str, side: int) -> dict[str, float]:
    """Fused against eager: the share of pixels within 2/255, and whether an image alone has the bits of the batch."""
    from unseen.worlds.rendering.renderer import render

    held, some = bank(), scenes().to(device)
    os.environ["UNSEEN_KERNELS"] = "0"
    eager = render(some, held, side)
    fused = kernels.render(some, held.on(device), side, 2)
    alone = kernels.render(some.part(1, 2), held.on(device), side, 2)
    apart = (eager.int() - fused.int()).abs().amax(1)
    return {
        "close": float((apart <= 2).double().mean()),
        "worst": int(apart.max()),
        "same": float(torch.equal(fused[1:2], alone)),
        "contrast": float(eager.double().flatten(1).std(1).min()),
    }


def test_fused_and_eager_pictures_agree_and_an_image_alone_has_the_bits_it_has_in_a_batch():
    env = os.environ | {"TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, env=env, timeout=600)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["close"] >= 0.999, found
    assert found["same"] == 1
    assert found["contrast"] > 1, "an image of one colour would agree with anything"


@on_cuda
@pytest.mark.parametrize("side", [64, 65, 128])
def test_on_a_gpu_fused_and_eager_pictures_agree(side: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("UNSEEN_KERNELS", "1")
    found = compared("cuda", side)
    assert found["close"] >= 0.999, found
    assert found["same"] == 1


@on_cuda
def test_on_a_gpu_neither_chunks_nor_the_division_of_labour_change_a_bit(monkeypatch: pytest.MonkeyPatch):
    held, some = bank(), scenes().to("cuda")
    whole = kernels.render(some, held.on("cuda"), 32, 2)
    for name, value in (("BLOCKS", 1), ("LANES", 8), ("SMALL", 4), ("TILES", 1)):
        monkeypatch.setattr(kernels, name, value)
        assert torch.equal(whole, kernels.render(some, held.on("cuda"), 32, 2)), name
        monkeypatch.undo()
    assert torch.equal(whole, kernels.render(some, held.on("cuda"), 32, 2, memory=2 * kernels.bytes_of(32, 2)))


def test_kernels_draw_on_cuda_alone_and_can_be_turned_off(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("UNSEEN_KERNELS", raising=False)
    monkeypatch.setenv("CC", "cc")
    assert kernels.available("cuda")
    assert not kernels.available("cpu")
    monkeypatch.setenv("UNSEEN_KERNELS", "0")
    assert not kernels.available("cuda")


@on_cuda
def test_on_a_gpu_a_batch_is_drawn_without_waiting_for_the_device():
    held, some = bank(), scenes().to("cuda")
    whole = kernels.render(some, held.on("cuda"), 32, 2)  # packs the shelf, compiles
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        again = kernels.render(some, held.on("cuda"), 32, 2)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert torch.equal(whole, again)


@pytest.mark.slow
def test_the_kernels_compile_for_an_h200_without_one():
    """Each kernel is asked of Triton as `kernels` asks for it, but compiled for compute capability 9.0 and not run."""
    if os.environ.get("TRITON_INTERPRET") == "1":
        pytest.skip("the interpreter compiles nothing")
    found = compiled()
    assert {name for name, _ in found} == {"frame", "raster", "resolve"}
    assert len(found) == 5
    assert all(shared == 0 for _, shared in found), "one warp needs no shared memory"


def compiled() -> list[tuple[str, int]]:
    """Names and bytes of shared memory of all kernels that one drawing launches."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from unseen.worlds.rendering import kernels_framing, kernels_raster, kernels_resolve

    found = []
    types = {torch.float32: "*fp32", torch.int32: "*i32", torch.int64: "*i64", torch.uint8: "*u8"}

    class Compiling:
        def __init__(self, kernel) -> None:
            self.kernel = kernel

        def __getitem__(self, grid):
            return self.launched

        def launched(self, *args, num_warps: int, enable_fp_fusion: bool = True, **constants) -> None:
            names = [name for name in self.kernel.arg_names if name not in constants]
            kinds = [types[a.dtype] if isinstance(a, torch.Tensor) else "i32" for a in args]
            signature = dict(zip(names, kinds, strict=True)) | dict.fromkeys(constants, "constexpr")
            source = ASTSource(self.kernel, {n: signature[n] for n in self.kernel.arg_names}, constants)
            options = {"num_warps": num_warps, "enable_fp_fusion": enable_fp_fusion}
            done = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
            found.append((self.kernel.__name__, done.metadata.shared))

    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((kernels_framing, "frame"), (kernels_raster, "raster"), (kernels_resolve, "resolve")):
            patch.setattr(module, name, Compiling(getattr(module, name)))
        kernels.render(scenes(), bank().on("cpu"), 16, 2)
    return found


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
    torch.set_num_threads(1)
    np.seterr(all="ignore")  # lanes that are not asked divide by zero
    kernels.LANES = 128  # the interpreter's time goes by steps, not by lanes
    print(json.dumps(compared("cpu", 8)))
