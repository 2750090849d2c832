"""``meshes``: users' own 3D models on the same stage as the procedural objects, drawn when asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.samples import Samples
from unseen.worlds.circumstances import check_drawn, check_seed, circumstances, whole_number
from unseen.worlds.lazy_stage import LazyStage
from unseen.worlds.meshes.things import MeshFiles
from unseen.worlds.rendered import Problems, RenderedWorld, fingerprint_of
from unseen.worlds.rendering.environment import environment_of, said_of_light
from unseen.worlds.stage import with_levels
from unseen.worlds.things import VERSION
from unseen.worlds.variation import FIRST, variation_named


def meshes(
    root: str | Path,
    *,
    index: str | Path | None = None,
    layout: str = "",
    categories: int | Sequence[str] | None = None,
    per_category: int | None = None,
    instances: int | None = None,
    minimum: int = 1,
    duplicates: str = "keep",
    pose: int = 8,
    position: int = 1,
    size: int = 1,
    light: int = 1,
    elevation: int = 1,
    backgrounds: int | str = 0,
    textures: int | str = 0,
    drawn: Sequence[str] = (),
    variation: str = FIRST.name,
    environment: str = "",
    side: int = 128,
    max_faces: int = 4000,
    texture_size: int = 256,
    up: str = "",
    front: str = "",
    seed: int = 0,
    cache: str | Path | None = None,
    workers: int | None = None,
) -> RenderedWorld:
    """3D models from files: OBJ, glTF, GLB, STL, PLY.

    ``root`` holds a sub-folder per category, or an ``index`` (index.csv by default) with the columns category and path
    and, where known, name, licence, creator, up, front and yaw; or it is ShapeNetCore, ModelNet, Objaverse, Google
    Scanned Objects or a furniture library of Sweet Home 3D. Which ``layout`` it has is told from what is there.

    ``categories`` chooses and orders, or says how many; ``per_category`` draws that many meshes of each, ``instances``
    up to that many. Categories with fewer than ``minimum`` are left out. ``duplicates`` (one form in other colours,
    sizes or places) are told, and kept ("keep"), left out ("drop"), or kept with a factor ``form``, by which pools are
    disjoint then ("together").

    ``pose``, ``position``, ``size``, ``light``, ``elevation``, ``backgrounds``, ``textures``, ``drawn``, ``variation``
    and ``environment`` are those of the world ``objects``.

    Every mesh stands upright, its longest edge 1, and looks along +x: ``up`` and ``front`` name axes of the files ("y",
    "-z") where they differ from the format's own, and columns of the index go before. Meshes of more than
    ``max_faces``, counting both sides of open surfaces, are simplified (0: never); a mesh's texture has an edge of
    ``texture_size``. Files that show no mesh are left out and listed under ``problems`` in the provenance. Files are
    read once, side by side in ``workers`` processes, and kept in the ``cache``.
    """
    whole_number("side", side, 8)
    check_seed(seed)
    check_drawn(drawn, backgrounds, textures)
    counts = {"pose": pose, "position": position, "size": size, "light": light, "elevation": elevation}
    with_levels(counts, variation_named(variation))  # a wrong number is found before any file is read
    files = MeshFiles(
        root, index=index, layout=layout, per_category=per_category, minimum=minimum, duplicates=duplicates,
        max_faces=max_faces, texture_size=texture_size, up=up, front=front, cache=cache, workers=workers,
    )  # fmt: skip
    things = files.things(categories, instances, seed)
    varied = circumstances(things.categories, counts, backgrounds, textures, drawn, seed, variation)
    light_map = environment_of(environment) if environment else None
    samples = Samples(FactorSpace((*things.factors, *varied.grid)), (things.block([f.name for f in varied.grid]),))
    furnish = things.furnish(varied.around)
    problems = Problems((*things.problems, *varied.problems))
    return RenderedWorld(
        name="meshes", samples=samples, bank=furnish, side=side,
        compose=LazyStage(furnish, samples, varied.drawn, seed, varied.around.grounds(), varied.variation, light_map),
        fingerprint=fingerprint_of(
            world="meshes", version=VERSION, side=side, seed=seed, textures=str(textures),
            categories=things.categories, **things.said, **varied.said(), **said_of_light(light_map),
        ),
        provenance={**things.provenance, **({"problems": "; ".join(problems.lines())} if problems else {})},
        problems=problems,
    )  # fmt: skip
