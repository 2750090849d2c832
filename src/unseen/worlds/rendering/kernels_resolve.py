"""The kernel that turns a z-buffer into pictures: samples are shaded and pixels averaged without leaving the chip.

One program takes a few tiles of 8 × 4 pixels of one image, a pixel per lane, so that a branch (is any thing seen here?
any floor?) is taken by a whole warp at once. Floor and background follow ``backdrop``.
"""

from __future__ import annotations

from typing import no_type_check

import triton
import triton.language as tl

from unseen.worlds.rendering.kernels_lookup import arctangent, occluded, sampled
from unseen.worlds.rendering.kernels_raster import carried
from unseen.worlds.rendering.kernels_shading import shaded


@triton.jit
@no_type_check
def _backdrop(
    px, py, im, look, kind, heights, contacts, textures, levels, stride, pictures, picture_levels, picture_stride,
    skies, sky_levels, sky_stride, SIDE: tl.constexpr, MAP: tl.constexpr, CONTACT_MAP: tl.constexpr, L: tl.constexpr,
    K: tl.constexpr, HOVER: tl.constexpr, CONTACT: tl.constexpr, SLANT: tl.constexpr, TEXTURE: tl.constexpr,
    LEVELS: tl.constexpr,
    PICTURE: tl.constexpr, PICTURE_LEVELS: tl.constexpr, SKY: tl.constexpr, SKY_LEVELS: tl.constexpr,
):  # fmt: skip
    """Linear colour of floor and background at pixels: ``backdrop.backdrop``. ``kind`` points to three whole numbers:
    the floor, what lies behind, and which picture. All lanes are of one image, so these are branches."""
    lamps, sky = look + 11, look + 11 + 6 * L
    step = 2.0 / (tl.load(im + 12) * SIDE)
    x = (px.to(tl.float32) - (SIDE * 0.5 - 0.5)) * step
    y = (py.to(tl.float32) - (SIDE * 0.5 - 0.5)) * -step
    rise = tl.load(im + 8) + y * tl.load(im + 5)
    apart = tl.maximum(tl.abs(tl.load(im + 5) * step), 1e-6)
    eye = tl.load(im + 11)
    floor, behind, picture = tl.load(kind), tl.load(kind + 1), tl.load(kind + 2)
    share = tl.minimum(tl.maximum(0.5 - rise / apart, 0.0), 1.0)
    share = share * ((floor != -2) & (eye > 0)).to(tl.float32)

    up = 1.0 - (py.to(tl.float32) + 0.5) / SIDE
    red = tl.load(look + 5) + (tl.load(look + 8) - tl.load(look + 5)) * up
    green = tl.load(look + 6) + (tl.load(look + 9) - tl.load(look + 6)) * up
    blue = tl.load(look + 7) + (tl.load(look + 10) - tl.load(look + 7)) * up
    red, green, blue = red * red, green * green, blue * blue
    if PICTURE > 0:  # noqa: SIM102 (the first is known when compiling, the second is not)
        if behind == 1:
            u, v = (px.to(tl.float32) + 0.5) / SIDE, (py.to(tl.float32) + 0.5) / SIDE
            span = u * 0.0 + PICTURE / SIDE
            red, green, blue = sampled(pictures, picture_levels, picture_stride, picture, u, v, span,
                                       PICTURE, PICTURE, PICTURE_LEVELS, False, False)  # fmt: skip
            red *= tl.load(look + 5) * tl.load(look + 5)
            green *= tl.load(look + 6) * tl.load(look + 6)
            blue *= tl.load(look + 7) * tl.load(look + 7)
    if SKY > 0:  # noqa: SIM102
        if behind == 2:
            dx = tl.load(im + 6) + y * tl.load(im + 3) + x * tl.load(im)
            dy = tl.load(im + 7) + y * tl.load(im + 4) + x * tl.load(im + 1)
            dz = rise + x * tl.load(im + 2)
            u = 0.5 - arctangent(dy, dx) * 0.15915494309189535
            v = 0.5 - arctangent(dz, tl.sqrt(dx * dx + dy * dy)) * 0.3183098861837907
            v = tl.minimum(tl.maximum(v, 0.0), 1.0)
            span = u * 0.0 + step * (SKY * 0.3183098861837907)
            red, green, blue = sampled(skies, sky_levels, sky_stride, picture, u - tl.floor(u), v, span,
                                       SKY, 2 * SKY, SKY_LEVELS, True, False)  # fmt: skip
            red *= tl.load(look + 5) * tl.load(look + 5)
            green *= tl.load(look + 6) * tl.load(look + 6)
            blue *= tl.load(look + 7) * tl.load(look + 7)

    if tl.max(share, axis=0) > 0:
        distance = eye / tl.maximum(-rise, apart * 0.25)
        wx = tl.load(im + 9) + (tl.load(im + 6) + y * tl.load(im + 3)) * distance + x * (tl.load(im) * distance)
        wy = tl.load(im + 10) + (tl.load(im + 7) + y * tl.load(im + 4)) * distance + x * (tl.load(im + 1) * distance)
        base_r, base_g, base_b = x * 0.0 + 1.0, x * 0.0 + 1.0, x * 0.0 + 1.0
        if TEXTURE > 0:  # noqa: SIM102
            if floor >= 0:
                scale = 1.0 / tl.maximum(tl.load(look + 4), 1e-9)
                width = distance * step * scale * TEXTURE
                span = tl.maximum(width, width / tl.maximum(-rise, step * 0.25) * SLANT)
                u, v = wx * scale, 1.0 - wy * scale
                base_r, base_g, base_b = sampled(textures, levels, stride, floor, u - tl.floor(u), v - tl.floor(v),
                                                  span + u * 0.0, TEXTURE, TEXTURE, LEVELS, True, True)  # fmt: skip
        dark, closed = x * 0.0, x * 0.0
        if tl.load(look) > 0:
            column, row, height = carried(wx, wy, wx * 0.0, im + 14)
            inside = (column > 0) & (column < MAP) & (row > 0) & (row < MAP)
            if tl.max(inside.to(tl.int32), axis=0) > 0:
                dark = occluded(heights, column, row, height, 1.0, tl.load(im + 50), MAP)
                dark = tl.where(inside, dark * tl.load(look), 0.0)
                column, row, height = carried(wx, wy, wx * 0.0, im + 26)
                near = occluded(contacts, column, row, -HOVER, 1.0 / HOVER, tl.load(im + 51), CONTACT_MAP)
                closed = tl.where(inside, near * near * CONTACT * tl.load(look), 0.0)
        if floor == -3:  # what lies behind, and shadows on it
            red *= 1.0 - share * _lost(lamps + 3, sky, lamps, dark, closed, L, K)
            green *= 1.0 - share * _lost(lamps + 4, sky + 1, lamps, dark, closed, L, K)
            blue *= 1.0 - share * _lost(lamps + 5, sky + 2, lamps, dark, closed, L, K)
        else:
            red = red * (1.0 - share) + share * base_r * _on_floor(look + 1, lamps + 3, sky, lamps, dark, closed, L, K)
            green = green * (1.0 - share) + share * base_g * _on_floor(
                look + 2, lamps + 4, sky + 1, lamps, dark, closed, L, K
            )
            blue = blue * (1.0 - share) + share * base_b * _on_floor(
                look + 3, lamps + 5, sky + 2, lamps, dark, closed, L, K
            )
    red = tl.minimum(tl.maximum(red, 0.0), 1.0)
    green = tl.minimum(tl.maximum(green, 0.0), 1.0)
    return red, green, tl.minimum(tl.maximum(blue, 0.0), 1.0)


@triton.jit
@no_type_check
def _on_floor(colour, lamp_colour, sky, lamps, dark, closed, L: tl.constexpr, K: tl.constexpr):
    """One channel of a plain floor's light."""
    base = tl.load(colour)
    light, lost = _light(lamp_colour, sky, lamps, dark, closed, L, K)
    return base * base * light * (1.0 - lost)


@triton.jit
@no_type_check
def _lost(lamp_colour, sky, lamps, dark, closed, L: tl.constexpr, K: tl.constexpr):
    """The share of one channel of the floor's light that shadows take."""
    _, lost = _light(lamp_colour, sky, lamps, dark, closed, L, K)
    return lost


@triton.jit
@no_type_check
def _light(lamp_colour, sky, lamps, dark, closed, L: tl.constexpr, K: tl.constexpr):
    """One channel of the light on a floor, which looks up, and the share of it that shadows take."""
    light = tl.load(sky)
    if K > 1:
        light += tl.load(sky + 6)
    if K > 4:
        light += 2.0 * tl.load(sky + 18)
    light = tl.maximum(light, 0.0)
    ambient = light
    key = tl.load(lamp_colour) * tl.maximum(tl.load(lamps + 2), 0.0)
    for lamp in tl.static_range(L):
        light += tl.load(lamp_colour + lamp * 6) * tl.maximum(tl.load(lamps + lamp * 6 + 2), 0.0)
    return light, (key * dark + ambient * closed) / tl.maximum(light, 1e-12)


@triton.jit(do_not_specialize=["stride", "picture_stride", "sky_stride", "bits"])
@no_type_check
def resolve(
    keys, images, looks, kinds, things, ints, faces, rows, maps, contact_maps, textures, levels, stride, pictures,
    picture_levels, picture_stride, skies, sky_levels, sky_stride, out, bits,
    SIDE: tl.constexpr, SS: tl.constexpr, MAP: tl.constexpr, CONTACT_MAP: tl.constexpr, L: tl.constexpr,
    K: tl.constexpr, NEAR: tl.constexpr, HOVER: tl.constexpr, CONTACT: tl.constexpr, SLANT: tl.constexpr,
    TEXTURE: tl.constexpr, LEVELS: tl.constexpr, PICTURE: tl.constexpr, PICTURE_LEVELS: tl.constexpr,
    SKY: tl.constexpr, SKY_LEVELS: tl.constexpr, OFFSET: tl.constexpr, BIAS: tl.constexpr, TILES: tl.constexpr,
):  # fmt: skip
    """Pictures from the z-buffer ``keys``. Program i · n + j takes TILES tiles of image i."""
    across: tl.constexpr = (SIDE + 7) // 8
    tiles: tl.constexpr = across * ((SIDE + 3) // 4)
    programs: tl.constexpr = (tiles + TILES - 1) // TILES
    size: tl.constexpr = SIDE * SS
    image = (tl.program_id(0) // programs).to(tl.int64)
    im = images + image * 64
    look = looks + image * (11 + 6 * L + 3 * K)
    heights = maps + image * (MAP * MAP)
    contacts = contact_maps + image * (CONTACT_MAP * CONTACT_MAP)
    mine = keys + image * (size * size)
    lane = tl.arange(0, 32)
    height = tl.load(im + 11)
    stands = (tl.load(kinds + image * 3) != -2) & (height > 0)
    for turn in range(TILES):
        tile = (tl.program_id(0) % programs) * TILES + turn
        px = (tile % across) * 8 + lane % 8
        py = (tile // across) * 4 + lane // 8
        within = (px < SIDE) & (py < SIDE)
        red, green, blue = tl.zeros([32], tl.float32), tl.zeros([32], tl.float32), tl.zeros([32], tl.float32)
        gaps = tl.full([32], SS * SS * 1.0, tl.float32)
        for k in range(SS * SS):
            key = tl.load(mine + k * (SIDE * SIDE) + py * SIDE + px, mask=within, other=0x7FFFFFFF00000000)
            hit = (key >> 32) != 0x7FFFFFFF
            if tl.max(hit.to(tl.int32), axis=0) > 0:
                number = tl.where(hit, key.to(tl.int32), 0)
                fx = (px * SS + k % SS).to(tl.float32) - (size * 0.5 - 0.5)
                fy = (py * SS + k // SS).to(tl.float32) - (size * 0.5 - 0.5)
                r, g, b, inverse = shaded(
                    number, fx, fy, im, look, things, ints, faces, rows, heights, textures, levels, stride,
                    bits, size, MAP, L, K, NEAR, TEXTURE, LEVELS, OFFSET, BIAS,
                )  # fmt: skip
                # what lies under the floor is hidden by it
                slope = tl.load(im + 5) * (-2.0 / (tl.load(im + 12) * size))
                above = (tl.load(im + 8) + slope * fy) / inverse + height > -1e-4
                hit = hit & (above | (stands == 0))
                red += tl.where(hit, r, 0.0)
                green += tl.where(hit, g, 0.0)
                blue += tl.where(hit, b, 0.0)
                gaps -= hit.to(tl.float32)
        if tl.max(tl.where(within, gaps, 0.0), axis=0) > 0:
            r, g, b = _backdrop(
                px, py, im, look, kinds + image * 3, heights, contacts, textures, levels, stride, pictures,
                picture_levels, picture_stride, skies, sky_levels, sky_stride, SIDE, MAP, CONTACT_MAP, L, K, HOVER,
                CONTACT, SLANT, TEXTURE, LEVELS, PICTURE, PICTURE_LEVELS, SKY, SKY_LEVELS,
            )  # fmt: skip
            red, green, blue = red + r * gaps, green + g * gaps, blue + b * gaps
        at = out + image * (3 * SIDE * SIDE) + py * SIDE + px
        part: tl.constexpr = 1.0 / (SS * SS)
        tl.store(at, (tl.sqrt(red * part) * 255.0 + 0.5).to(tl.int32).to(tl.uint8), mask=within)
        tl.store(at + SIDE * SIDE, (tl.sqrt(green * part) * 255.0 + 0.5).to(tl.int32).to(tl.uint8), mask=within)
        tl.store(at + 2 * SIDE * SIDE, (tl.sqrt(blue * part) * 255.0 + 0.5).to(tl.int32).to(tl.uint8), mask=within)
