"""Drawn images per second, and whether the fast path draws the same pictures as the plain one.

    python -m bench.rendering                                    # this machine's GPU, or its CPU where there is none
    python -m bench.rendering --device cuda --sides 64 128 --faces 500 2000 8000 --batches 256 1024 4096
    python -m bench.rendering --device cuda --profile --tune     # where the time goes, and what other settings give

Meshes are tori and spheres, a floor, two lights, shadows, 2×2 supersampling. On CUDA the fused kernels and the eager
torch code take turns; on the CPU our renderer and Mitsuba (`scalar_rgb`, direct light, 4 samples per pixel: as many as
2×2 supersampling takes) draw the same meshes at the same size. What fails is printed in full and the rest goes on.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import tempfile
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bench.machine import CUDA, arguments, settle
from bench.rendering_scenes import bank, scenes
from unseen.cli.memory import keep_freed_memory
from unseen.worlds.rendering.bank import Bank
from unseen.worlds.rendering.scene import Scenes

Draw = Callable[[Scenes], torch.Tensor]


def drawing(held: Bank, side: int, fused: bool) -> Draw:
    """The fused kernels, or the eager code whatever the environment says."""
    from unseen.worlds.rendering import kernels
    from unseen.worlds.rendering.renderer import render

    def draw(some: Scenes) -> torch.Tensor:
        if fused:
            return kernels.render(some, held.on(some.eye.device), side, 2)
        before = os.environ.get("UNSEEN_KERNELS", "1")
        os.environ["UNSEEN_KERNELS"] = "0"
        try:
            return render(some, held, side, supersampling=2)
        finally:
            os.environ["UNSEEN_KERNELS"] = before

    return draw


def rate(draw: Callable[[Any], Any], some: Any, device: torch.device, seconds: float, rounds: int = 5) -> float:
    """Images per second: the median over rounds, after one drawing that compiles and one that sizes the rounds."""
    draw(some)
    settle(device)
    started = time.perf_counter()
    draw(some)
    settle(device)
    each = max(1, round(seconds / rounds / max(time.perf_counter() - started, 1e-6)))
    found = []
    for _ in range(rounds):
        started = time.perf_counter()
        for _ in range(each):
            draw(some)
        settle(device)
        found.append(each * len(some) / (time.perf_counter() - started))
    return float(np.median(found))


def tried(what: str, make: Callable[..., Any], *args: Any) -> Any:
    """A measurement, or None and its error in full: one kernel that does not compile must not cost the others."""
    try:
        return make(*args)
    except Exception:
        print(f"  {what}: failed\n{traceback.format_exc()}", flush=True)
        return None


def copy_bandwidth(device: torch.device) -> float:
    """Bytes read and written per second by a plain copy, in this run."""
    size = 2**30 if device.type == "cuda" else 2**27
    a, b = (torch.zeros(size, dtype=torch.uint8, device=device) for _ in range(2))
    found = []
    for _ in range(6):
        settle(device)
        started = time.perf_counter()
        b.copy_(a)
        settle(device)
        found.append(2 * size / (time.perf_counter() - started))
    return float(np.median(found))


def moved_bytes(side: int, supersampling: int, faces: int) -> dict[str, int]:
    """Bytes per image that the fused path must move if every cache were perfect: each buffer written and read once, the
    mesh read once per pass. Meshes shared by images stay in the cache, so that their part is an upper bound."""
    samples, texels = (side * supersampling) ** 2, max(side, 48) ** 2 + max(side // 2, 48) ** 2
    corners = faces * 3 * 4 + faces // 2 * 3 * 4  # indices, and positions of half as many vertices as faces
    attributes = faces // 2 * 4 * (3 + 3 + 1 + 1 + 2)
    return {
        "z-buffer, filled and read": samples * 8 * 2,
        "shadow and contact map, filled and read": texels * 4 * 2,
        "picture, written": side * side * 3,
        "mesh, read by three passes and by shading": 4 * corners + attributes,
    }


def apart(a: torch.Tensor, b: torch.Tensor) -> dict[str, float]:
    """How far two batches of pictures are from each other, a pixel by its worst channel."""
    worst = (a.cpu().int() - b.cpu().int()).abs().amax(1)
    return {
        "within 2/255": float((worst <= 2).double().mean()),
        "worst": int(worst.max()),
        "mean": float(worst.double().mean()),
    }


def agreement(held: Bank, side: int, n: int, device: torch.device) -> dict[str, dict[str, float]]:
    """Fused and eager on the GPU, and both against the CPU: the same scenes, pixel by pixel."""
    on_cpu = drawing(held, side, fused=False)(scenes(n, torch.device("cpu")))
    here = scenes(n, device)
    eager = drawing(held, side, fused=False)(here)
    found = {"eager GPU – CPU": apart(eager, on_cpu)}
    fused = tried("fused", drawing(held, side, fused=True), here)
    if isinstance(fused, torch.Tensor):
        found |= {"fused GPU – CPU": apart(fused, on_cpu), "fused GPU – eager GPU": apart(fused, eager)}
    return found


def repeatable(draw: Draw, n: int, device: torch.device, sizes: tuple[int, ...]) -> bool:
    """Whether pictures are the same to the bit, drawn together or in batches of these sizes."""
    some = scenes(n, device)
    whole = draw(some)
    parts = [torch.cat([draw(some.part(i, min(i + k, n))) for i in range(0, n, k)]) for k in sizes]
    return all(torch.equal(whole, part) for part in parts)


def mitsuba_rate(held: Bank, side: int, n: int, folder: Path) -> float | None:
    """Images per second of Mitsuba's direct integrator on the same meshes, cameras and lights; loading a scene counts,
    since every image has its own. Floor included, gradient not."""
    try:
        import mitsuba as mi
    except ImportError:
        return None
    mi.set_variant("scalar_rgb")
    files = []
    for place, one in enumerate(held.meshes):
        shape = mi.Mesh(str(place), len(one.vertices), len(one.faces), has_vertex_normals=True)
        params = mi.traverse(shape)
        for name, array in (("positions", one.vertices), ("normals", one.normals), ("faces", one.faces)):
            key = "faces" if name == "faces" else f"vertex_{name}"
            params[key] = array.ravel().tolist()
        params.update()
        files.append(str(folder / f"{place}.ply"))
        shape.write_ply(files[-1])
    some = scenes(n, torch.device("cpu"))
    started = time.perf_counter()
    for i in range(n):
        np.asarray(mi.render(mi.load_dict(_mitsuba_scene(mi, some, files, i, side)), spp=4))
    return n / (time.perf_counter() - started)


def _mitsuba_scene(mi, some: Scenes, files: list[str], i: int, side: int) -> dict:
    things = some.things
    pose = np.eye(4)
    pose[:3, :3] = things.rotation[i].numpy() * float(things.size[i])
    pose[:3, 3] = things.position[i].numpy()
    lights = {
        f"light {k}": {"type": "directional", "direction": (-some.light[i, k]).tolist(),
                       "irradiance": {"type": "rgb", "value": (some.light_colour[i, k] * math.pi).tolist()}}
        for k in range(some.light.shape[1])
    }  # fmt: skip
    view = mi.ScalarTransform4f().look_at(some.eye[i].tolist(), some.target[i].tolist(), [0, 0, 1])
    return {
        "type": "scene", "integrator": {"type": "direct"}, **lights,
        "sky": {"type": "constant", "radiance": {"type": "rgb", "value": 0.25}},
        "sensor": {"type": "perspective", "fov": float(some.fov[i]), "to_world": view,
                   "film": {"type": "hdrfilm", "width": side, "height": side, "rfilter": {"type": "box"}},
                   "sampler": {"type": "independent", "sample_count": 4}},
        "thing": {"type": "ply", "filename": files[int(things.mesh[i])], "to_world": mi.ScalarTransform4f(pose),
                  "bsdf": {"type": "diffuse", "reflectance": {"type": "rgb", "value": things.tint[i].tolist()}}},
        "floor": {"type": "rectangle", "to_world": mi.ScalarTransform4f().scale(100.0)},
    }  # fmt: skip


def profile(draw: Draw, some: Scenes) -> None:
    """Where the time goes on the GPU, kernel by kernel."""
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as watched

    draw(some)
    torch.cuda.synchronize()
    with watched(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
        draw(some)
        torch.cuda.synchronize()
    print(seen.key_averages().table(sort_by="cuda_time_total", row_limit=25, max_name_column_width=60), flush=True)


def headline(args: argparse.Namespace, device: torch.device) -> dict[str, float]:
    """Each side at the given face count, fused and eager in turns where there is a GPU; Mitsuba where there is none."""
    rates: dict[str, float] = {}
    held = bank(args.faces[len(args.faces) // 2])
    some = scenes(max(args.batches), device)
    for side in args.sides:
        ways = {"fused": True, "eager": False} if device.type == "cuda" else {"eager": False}
        for way, fused in ways.items():
            name = f"{way}, {side} px"
            draw = drawing(held, side, fused)
            found = tried(name, rate, draw, some, device, args.seconds)
            if isinstance(found, float):
                rates[name] = found
                print(f"  {name:24} {found:12,.0f} images/s", flush=True)
            if args.profile and device.type == "cuda":
                tried(f"profile of {name}", profile, draw, some)
        if device.type == "cpu":
            with tempfile.TemporaryDirectory() as folder:
                found = tried("Mitsuba", mitsuba_rate, held, side, args.rival, Path(folder))
            if found is None:
                print("  Mitsuba is not installed (pip install mitsuba): no side by side")
            elif isinstance(found, float):
                rates[f"Mitsuba, {side} px"] = found
                ratio = rates.get(f"eager, {side} px", math.nan) / found
                print(
                    f"  {f'Mitsuba, {side} px':24} {found:12,.1f} images/s   ours is {ratio:.1f}× as fast", flush=True
                )
    return rates


def table(args: argparse.Namespace, device: torch.device) -> dict[str, float]:
    """Images per second against batch size and face count."""
    found: dict[str, float] = {}
    for side in args.sides:
        print(f"  {side} px: faces \\ batch" + "".join(f"{n:>12,}" for n in args.batches))
        for faces in args.faces:
            held, line = bank(faces), f"  {faces:>20,}"
            for n in args.batches:
                some, draw = scenes(n, device), drawing(held, side, fused=device.type == "cuda")
                value = tried(f"{side} px, {faces} faces, {n}", rate, draw, some, device, args.seconds / 4, 3)
                found[f"{side} px, {faces} faces, batch {n}"] = value if isinstance(value, float) else math.nan
                line += f"{value:>12,.0f}" if isinstance(value, float) else f"{'–':>12}"
            print(line, flush=True)
    return found


def worlds(args: argparse.Namespace, device: torch.device) -> dict[str, float]:
    """Worlds that ship with the package, from rows to pictures: composing scenes counts."""
    from unseen.worlds import make

    found: dict[str, float] = {}
    for name in ("objects", "cars"):
        world = tried(name, make, name)
        if world is None:
            continue
        n = min(1024 if device.type == "cuda" else 16, len(world.samples))
        rows = np.linspace(0, len(world.samples) - 1, n).astype(np.int64)
        for what, ask in {"scenes": world.scenes, "pictures": world.images}.items():
            value = tried(
                f"{what} of {name}", rate, partial(ask, device=str(device)), rows, device, args.seconds / 2, 3
            )
            if value is not None:
                found[f"world {name}, {what}"] = value
                print(f"  world {name}, {what}: {value:,.0f} per second ({world.side} px, batch {n})", flush=True)
    return found


def tune(args: argparse.Namespace, device: torch.device, faces: int) -> dict[str, float]:
    """The kernels' two free numbers, one at a time."""
    from unseen.worlds.rendering import kernels

    held, some, found = bank(faces), scenes(min(2048, max(args.batches)), device), {}
    for name, values in (("SMALL", (16, 32, 64, 128, 256)), ("TILES", (2, 4, 8, 16, 32))):
        usual = getattr(kernels, name)
        for side in args.sides:
            line = f"  {side} px, {name}:"
            for value in values:
                setattr(kernels, name, value)
                rated = tried(
                    f"{name} {value}", rate, drawing(held, side, fused=True), some, device, args.seconds / 4, 3
                )
                found[f"{side} px, {name} {value}"] = rated
                line += f"   {value}: {rated or math.nan:,.0f}"
            print(line + " images/s", flush=True)
        setattr(kernels, name, usual)
    return found


def limits(args: argparse.Namespace, device: torch.device, faces: int, rates: dict[str, float]) -> dict[str, float]:
    """What memory alone would allow, from counted bytes and a copy timed in this run, and the share of it reached."""
    bandwidth = copy_bandwidth(device)
    found = {"copy, bytes/s": bandwidth}
    for side in args.sides:
        moved, reached = sum(moved_bytes(side, 2, faces).values()), rates.get(f"fused, {side} px")
        line = f"  {side} px: {moved / 1e3:,.0f} kB must move per image, a copy moves {bandwidth / 1e9:,.0f} GB/s: "
        line += f"at most {bandwidth / moved:,.0f} images/s"
        if reached is not None:
            found[f"share of bandwidth, {side} px"] = reached * moved / bandwidth
            line += f"; {reached * moved / bandwidth:.1%} of it reached"
        print(line, flush=True)
    return found


def sameness(args: argparse.Namespace, device: torch.device, faces: int) -> dict[str, object]:
    """Devices and ways against each other, and batches against each other."""
    held, n, found = bank(faces), 64 if device.type == "cuda" else 8, {}
    for side in args.sides:
        pairs = tried("agreement", agreement, held, side, n, device) if device.type == "cuda" else None
        for name, values in (pairs or {}).items():
            print(
                f"  {side} px, {name}: {values['within 2/255']:.4%} within 2/255, worst {values['worst']}", flush=True
            )
            found[f"{name}, {side} px"] = values
        sizes = (1, 3, n // 2 + 1)
        draw = drawing(held, side, fused=device.type == "cuda")
        same = tried("repeatability", repeatable, draw, n, device, sizes)
        print(f"  {side} px, {n} pictures have the same bits in batches of {sizes}: {same}", flush=True)
        found[f"repeatable, {side} px"] = same
    return found


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--sides", type=int, nargs="+", default=[64, 128])
    parser.add_argument("--faces", type=int, nargs="+", default=[500, 2000, 8000] if CUDA else [2000])
    parser.add_argument("--batches", type=int, nargs="+", default=[64, 256, 1024, 4096] if CUDA else [16, 64])
    parser.add_argument("--seconds", type=float, default=2.0, help="of measuring per figure")
    parser.add_argument("--rival", type=int, default=6, help="images Mitsuba draws on a CPU")
    parser.add_argument("--profile", action="store_true", help="kernel by kernel on CUDA")
    parser.add_argument("--tune", action="store_true", help="try the kernels' free numbers on CUDA")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of torch on a CPU")
    args = parser.parse_args()
    keep_freed_memory()  # as the command line does
    device, faces = torch.device(args.device), args.faces[len(args.faces) // 2]
    if device.type == "cpu":
        torch.set_num_threads(args.threads)
    where = torch.cuda.get_device_name() if device.type == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    print(f"rendering, {faces} faces, 2×2 supersampling, shadows, batch {max(args.batches)}, {where}", flush=True)
    rates = headline(args, device)
    found = {**rates, **limits(args, device, faces, rates), **sameness(args, device, faces), **table(args, device)}
    found |= worlds(args, device)
    if args.tune and device.type == "cuda":
        found |= tune(args, device, faces)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
