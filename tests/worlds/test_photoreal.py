"""The same scenes through Mitsuba: masks and depth to the pixel, light and textures from the same side."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.rendering.baking import baked, bilinear, from_three_sides, linear
from unseen.worlds.rendering.bank import Bank
from unseen.worlds.rendering.lighting import sky_irradiance
from unseen.worlds.rendering.mesh import Mesh, mesh, upright
from unseen.worlds.rendering.photoreal import depths, engine, photoreal
from unseen.worlds.rendering.renderer import layers, render
from unseen.worlds.rendering.scene import SKY, Scenes, Things
from unseen.worlds.rendering.staging import staged


def ball(n: int = 24, **looks: object) -> Mesh:
    """A sphere of unit diameter, smooth, with texture coordinates."""
    u, v = np.meshgrid(np.linspace(0, 1, 2 * n + 1), np.linspace(0, 1, n + 1))
    a, e = u * 2 * np.pi, (v - 0.5) * np.pi
    points = np.stack([np.cos(a) * np.cos(e), np.sin(a) * np.cos(e), np.sin(e)], -1).reshape(-1, 3)
    at = np.arange((n + 1) * (2 * n + 1)).reshape(n + 1, -1)
    p, q, r, s = at[:-1, :-1].ravel(), at[:-1, 1:].ravel(), at[1:, 1:].ravel(), at[1:, :-1].ravel()
    faces = np.concatenate([np.stack([p, q, r], 1), np.stack([p, r, s], 1)])
    area = np.linalg.norm(
        np.cross(points[faces[:, 1]] - points[faces[:, 0]], points[faces[:, 2]] - points[faces[:, 0]]), axis=1
    )
    uv = np.stack([u, v], -1).reshape(-1, 2)
    return upright(mesh(points, faces[area > 1e-9], normals=points, uv=uv, gloss=0.0, **looks))  # type: ignore[arg-type]


def table() -> Mesh:
    """A slab on two boards: edges, overlaps, both sides of an open sheet."""

    def block(low: tuple[float, ...], high: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
        corners = np.array([[(low, high)[k >> axis & 1][axis] for axis in range(3)] for k in range(8)])
        sides = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
        return corners, np.array([face for a, b, c, d in sides for face in ((a, b, c), (a, c, d))])

    parts = [
        block((-1, -0.6, 0.8), (1, 0.6, 0.9)),
        block((-0.9, -0.5, 0), (-0.8, 0.5, 0.8)),
        block((0.8, -0.5, 0), (0.9, 0.5, 0.8)),
    ]
    points = np.concatenate(
        [corners for corners, _ in parts] + [np.array([[-0.5, 0, 0.9], [0.5, 0, 0.9], [0, 0, 1.6]])]
    )
    faces = np.concatenate(
        [faces + 8 * k for k, (_, faces) in enumerate(parts)] + [np.array([[24, 25, 26], [24, 26, 25]])]
    )
    return upright(mesh(points, faces, colour=(0.7, 0.5, 0.3), gloss=0.1))


def with_clutter(scenes: Scenes) -> Scenes:
    """A second, smaller thing in the first image."""
    things = scenes.things
    second = Things(**{name: getattr(things, name)[:1] for name in Things.__dataclass_fields__})
    second = replace(
        second, position=torch.tensor([[0.5, 0.35, 0.0]]), size=torch.tensor([0.4]), label=torch.tensor([1])
    )
    columns = {name: torch.cat([getattr(second, name), getattr(things, name)]) for name in Things.__dataclass_fields__}
    return replace(scenes, things=Things(**columns))


def test_without_the_extra_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mitsuba", None)
    with pytest.raises(UnseenError, match="uv sync --extra photoreal"):
        photoreal(staged(torch.zeros(1)), Bank((ball(),)), 16)


def test_an_unknown_variant_lists_those_there_are() -> None:
    pytest.importorskip("mitsuba")
    with pytest.raises(UnseenError, match=r"no variant of Mitsuba 'scalar'.*scalar_rgb"):
        engine("scalar")


def test_masks_labels_and_depth_agree_with_our_renderer_to_the_pixel() -> None:
    pytest.importorskip("mitsuba")
    bank = Bank((ball(), table()))
    scenes = staged(
        torch.tensor([0, 1, 1, 1]), azimuth=torch.tensor([10.0, 35, 130, 0]), elevation=torch.tensor([5.0, 25, 60, 90]),
        floor=torch.tensor([-1, -1, -2, -1]), yaw=torch.tensor([0.0, 20, 0, 45]), roll=torch.tensor([0.0, 0, 30, 0]),
    )  # fmt: skip
    scenes = with_clutter(scenes)
    depth, label = depths(scenes, bank, 40)
    ours = layers(scenes, bank, 40)
    assert set(ours.label.unique().tolist()) == {-2, -1, 0, 1}
    horizon = (ours.label == -2) & (ours.depth > 100)  # Mitsuba's floor has an end
    assert ((label == ours.label) | horizon).float().mean() > 0.9995
    same = (label == ours.label) & (label >= 0)
    assert (depth[same] - ours.depth[same]).abs().max() < 1e-4
    floor = (label == -2) & (ours.label == -2) & (depth < 50)
    assert (depth[floor] / ours.depth[floor] - 1).abs().max() < 1e-3


def lit_only_from_around(scenes: Scenes, ambient: torch.Tensor) -> Scenes:
    dark = torch.zeros_like(scenes.light_colour)
    return replace(scenes, light_colour=dark, shadow=scenes.shadow * 0, ambient=ambient.expand(len(scenes), -1, 3))


def test_light_from_around_falls_from_the_same_side() -> None:
    pytest.importorskip("mitsuba")
    bank = Bank((ball(),))
    lopsided = torch.tensor([0.4, 0.25, 0.1, -0.15])[:, None].repeat(1, 3)
    scenes = lit_only_from_around(staged(torch.zeros(2), azimuth=torch.tensor([0.0, 100.0]), floor=-2), lopsided)
    ours, theirs = render(scenes, bank, 24), photoreal(scenes, bank, 24, samples_per_pixel=48)
    mask = layers(scenes, bank, 24).mask[:, None].expand(-1, 3, -1, -1)
    # our transfer function is a square root, Mitsuba's picture is sRGB: compare light
    gap = linear(theirs.numpy() / 255.0) - (ours.numpy() / 255.0) ** 2
    assert np.corrcoef(ours[mask].double(), theirs[mask].double())[0, 1] > 0.97
    assert abs(gap[mask.numpy()].mean()) < 0.05


def test_a_sky_map_lights_from_where_it_is_bright_and_lies_behind() -> None:
    pytest.importorskip("mitsuba")
    sky = np.full((32, 64, 3), 20, np.uint8)
    sky[4:14, 8:24] = (255, 240, 200)  # left of the middle: from +y, above
    bank = Bank((ball(),), skies=(sky,), picture_size=32)
    ambient = sky_irradiance(torch.from_numpy((sky / 255.0) ** 2)) * 4
    scenes = staged(torch.zeros(2), azimuth=torch.tensor([0.0, 180.0]), floor=-2, behind=SKY, bottom=(1.0, 1.0, 1.0))
    scenes = lit_only_from_around(scenes, ambient)
    ours, theirs = render(scenes, bank, 24), photoreal(scenes, bank, 24, samples_per_pixel=64)
    found = layers(scenes, bank, 24)
    away = ~found.mask
    edge = torch.nn.functional.max_pool2d(found.mask[:, None].float(), 3, 1, 1)[:, 0] > 0
    outside = (away & ~edge)[:, None].expand(-1, 3, -1, -1)
    assert (ours[outside].int() - theirs[outside].int()).abs().max() <= 3, "the same sky behind"
    mask = found.mask[:, None].expand(-1, 3, -1, -1)
    assert np.corrcoef(ours[mask].double(), theirs[mask].double())[0, 1] > 0.9
    right = torch.arange(24) >= 12
    for n, bright in ((0, right), (1, ~right)):  # seen from the front +y is on the right
        columns = found.mask[n] & bright[None, :]
        others = found.mask[n] & ~bright[None, :]
        assert theirs[n, 0][columns].float().mean() > theirs[n, 0][others].float().mean() + 20


def test_shadows_and_textures_lie_in_the_same_place() -> None:
    pytest.importorskip("mitsuba")
    rng = np.random.default_rng(1)
    tiles = rng.integers(0, 255, (4, 4, 3), dtype=np.uint8).repeat(16, 0).repeat(16, 1)
    own = ball(texture=rng.integers(0, 255, (4, 4, 3), dtype=np.uint8).repeat(16, 0).repeat(16, 1))
    bank = Bank((own, ball()), textures=(tiles,), texture_size=64)
    scenes = staged(
        torch.tensor([0, 1, 1]), azimuth=torch.tensor([20.0, 60.0, 20.0]), elevation=35.0, shadow=1.0,
        texture=torch.tensor([-1, 0, -1]), floor=torch.tensor([-1, -1, 0]), floor_scale=0.8,
        sky=(0.1, 0.1, 0.1), ground=(0.05, 0.05, 0.05),
    )  # fmt: skip
    ours, theirs = render(scenes, bank, 32), photoreal(scenes, bank, 32, samples_per_pixel=32, softness=0.5)
    for n in range(3):
        assert np.corrcoef(ours[n].flatten().double(), theirs[n].flatten().double())[0, 1] > 0.93, n


def test_colours_and_textures_are_baked_face_by_face() -> None:
    rng = np.random.default_rng(2)
    picture = rng.integers(0, 255, (8, 8, 3), dtype=np.uint8).repeat(8, 0).repeat(8, 1)
    one = replace(ball(8, texture=picture, colour=(0.9, 0.8, 0.7)), paint=np.ones(9 * 17, np.float32))
    tint = np.array([1.0, 0.5, 0.25])
    done = baked(one, tint, None, texels=200)
    assert done.texture is not None
    assert np.allclose(done.vertices, one.vertices[one.faces].reshape(-1, 3))
    for face in rng.choice(len(one.faces), 40):
        for weights in rng.dirichlet((2, 2, 2), 10):
            wanted = bilinear(picture, weights @ one.uv[one.faces[face]]) * (0.9, 0.8, 0.7) * tint
            found = bilinear(done.texture, weights @ done.uv.reshape(-1, 3, 2)[face])
            assert np.abs(wanted - found).max() < 0.2
    plain = baked(ball(4, colour=(0.5, 0.5, 0.5)), np.ones(3), None, 100)
    assert plain.texture is None
    assert np.allclose(plain.colours, 0.5)


def test_a_texture_laid_from_three_sides_follows_the_dominant_axis() -> None:
    picture = np.arange(64 * 64 * 3, dtype=np.int64).reshape(64, 64, 3).astype(np.uint8)
    places = np.array([[0.3, 0.1, 0.2]])
    for axis, uv in ((0, (0.6, 0.2)), (1, (0.8, 0.2)), (2, (0.8, 0.1))):
        found = from_three_sides(picture, places, np.eye(3)[axis][None])
        assert np.allclose(found, bilinear(picture, np.array([uv])))
