"""What colour a face has at a sample, in one pass: weights, normal, lights, shadow, texture.

The formulas are those of ``shading``; see there for reasons and sources.
"""

from __future__ import annotations

from typing import no_type_check

import triton
import triton.language as tl

from unseen.worlds.rendering.kernels_lookup import occluded, sampled
from unseen.worlds.rendering.kernels_raster import carried, cross, placed


@triton.jit
@no_type_check
def _mixed(at, k, second, third):
    """Attribute ``k`` of three vertices, at the weights of the second and third; ``at`` points to their rows."""
    a, b, c = at
    first = tl.load(a + k)
    return first + (tl.load(b + k) - first) * second + (tl.load(c + k) - first) * third


@triton.jit
@no_type_check
def _painted(at, k, paint, tint, plain, second, third):
    """Linear colour: squared, with its tint, at the vertices; a draped mesh (``plain`` 1) is white before its tint."""
    a, b, c = at
    p, q, r = paint
    first, other, last = tl.load(a + k), tl.load(b + k), tl.load(c + k)
    first = (first + (1.0 - first) * plain) * (1.0 + p * tint)
    other = (other + (1.0 - other) * plain) * (1.0 + q * tint)
    last = (last + (1.0 - last) * plain) * (1.0 + r * tint)
    first = first * first
    return first + (other * other - first) * second + (last * last - first) * third


@triton.jit
@no_type_check
def _ambient(at, nx, ny, nz, K: tl.constexpr):
    """One channel of the sky's light on a surface; ``at`` points to its first coefficient, the next is 3 further."""
    light = tl.load(at)
    if K > 1:
        light = light + tl.load(at + 3) * ny + tl.load(at + 6) * nz + tl.load(at + 9) * nx
    if K > 4:
        light = light + tl.load(at + 12) * (nx * ny) + tl.load(at + 15) * (ny * nz)
        light = light + tl.load(at + 18) * (3.0 * nz * nz - 1.0) + tl.load(at + 21) * (nx * nz)
        light = light + tl.load(at + 24) * (nx * nx - ny * ny)
    return tl.maximum(light, 0.0)


@triton.jit
@no_type_check
def _step(a, b, c, at, q, second, third, inverse):
    """How far a coordinate moves from one sample to the next: the quotient rule on two planes."""
    return (a * q + (b - a) * second + (c - a) * third - at * q) / inverse


@triton.jit
@no_type_check
def shaded(
    number, fx, fy, im, look, things, ints, faces, rows, heights, textures, levels, stride, bits,
    SIZE: tl.constexpr, MAP: tl.constexpr, L: tl.constexpr, K: tl.constexpr, NEAR: tl.constexpr,
    TEXTURE: tl.constexpr, LEVELS: tl.constexpr, OFFSET: tl.constexpr, BIAS: tl.constexpr,
):  # fmt: skip
    """Linear colour of face ``number`` at the sample (fx, fy) from the middle of the frame, and 1 / its distance."""
    lamps, sky, frame = look + 11, look + 11 + 6 * L, im + 38
    thing = number >> bits
    one = things + thing * 16
    face = faces + (tl.load(ints + thing * 7 + 1) + (number & ((1 << bits) - 1))) * 3
    i, j, k = tl.load(face), tl.load(face + 2), tl.load(face + 1)
    x, y, z = placed(rows, i, one)
    ax, ay, aw = carried(x, y, z, frame)
    x, y, z = placed(rows, j, one)
    bx, by, bw = carried(x, y, z, frame)
    x, y, z = placed(rows, k, one)
    cx, cy, cw = carried(x, y, z, frame)
    nx, ny, nw = cross(bx - ax, by - ay, bw - aw, cx - ax, cy - ay, cw - aw)
    scale = 1.0 / (nx * ax + ny * ay + nw * aw)
    ux, uy, uw = cross(cx - ax, cy - ay, cw - aw, ax, ay, aw)
    vx, vy, vw = cross(ax, ay, aw, bx - ax, by - ay, bw - aw)
    inverse = (nx * fx + ny * fy + nw) * scale
    limit = 1.0 / tl.maximum(tl.minimum(tl.minimum(aw, bw), cw), NEAR)
    inverse = tl.maximum(tl.minimum(inverse, limit), 1e-30)
    second = tl.minimum(tl.maximum((ux * fx + uy * fy + uw) * scale / inverse, 0.0), 1.0)
    third = tl.minimum(tl.maximum((vx * fx + vy * fy + vw) * scale / inverse, 0.0), 1.0)
    total = tl.maximum(second + third, 1.0)
    second, third = second / total, third / total

    at = rows + i * 16, rows + j * 16, rows + k * 16
    lx, ly, lz = _mixed(at, 3, second, third), _mixed(at, 4, second, third), _mixed(at, 5, second, third)
    nx_ = tl.load(one) * lx + tl.load(one + 1) * ly + tl.load(one + 2) * lz
    ny_ = tl.load(one + 3) * lx + tl.load(one + 4) * ly + tl.load(one + 5) * lz
    nz_ = tl.load(one + 6) * lx + tl.load(one + 7) * ly + tl.load(one + 8) * lz
    length = tl.maximum(tl.sqrt(nx_ * nx_ + ny_ * ny_ + nz_ * nz_), 1e-20)
    mx, my, mz = nx_ / length, ny_ / length, nz_ / length

    # the ray of the sample: where the surface lies on it, and the way back to the eye
    focal = 2.0 / (tl.load(im + 12) * SIZE)
    sx, sy = fx * focal, fy * -focal
    dx = tl.load(im + 6) + sx * tl.load(im) + sy * tl.load(im + 3)
    dy = tl.load(im + 7) + sx * tl.load(im + 1) + sy * tl.load(im + 4)
    dz = tl.load(im + 8) + sx * tl.load(im + 2) + sy * tl.load(im + 5)
    back = -1.0 / tl.sqrt(dx * dx + dy * dy + dz * dz)
    ex, ey, ez = dx * back, dy * back, dz * back
    red = _ambient(sky, mx, my, mz, K)
    green = _ambient(sky + 1, mx, my, mz, K)
    blue = _ambient(sky + 2, mx, my, mz, K)
    shine_r, shine_g, shine_b = red * 0.0, red * 0.0, red * 0.0
    for lamp in tl.static_range(L):
        light = lamps + lamp * 6
        tx, ty, tz = tl.load(light), tl.load(light + 1), tl.load(light + 2)
        facing = tl.maximum(mx * tx + my * ty + mz * tz, 0.0)
        hx, hy, hz = tx + ex, ty + ey, tz + ez
        along = tl.maximum(mx * hx + my * hy + mz * hz, 0.0)
        mirror = along * along / tl.maximum(hx * hx + hy * hy + hz * hz, 1e-12)
        mirror = mirror * mirror
        mirror = mirror * mirror
        mirror = mirror * mirror
        mirror = mirror * mirror
        if lamp == 0:
            dark = tl.load(look)
            if dark > 0:
                out = tl.load(im + 13) * OFFSET
                far = 1.0 / inverse
                px = tl.load(im + 9) + dx * far + nx_ * out
                py = tl.load(im + 10) + dy * far + ny_ * out
                pz = tl.load(im + 11) + dz * far + nz_ * out
                column, row, height = carried(px, py, pz, im + 14)
                lit = 1.0 - dark * occluded(heights, column, row, height + BIAS, 1.0, tl.load(im + 50), MAP)
                facing, mirror = facing * lit, mirror * lit
        red += tl.load(light + 3) * facing
        green += tl.load(light + 4) * facing
        blue += tl.load(light + 5) * facing
        shine_r += tl.load(light + 3) * mirror
        shine_g += tl.load(light + 4) * mirror
        shine_b += tl.load(light + 5) * mirror
    gloss = _mixed(at, 10, second, third)

    a, b, c = at
    draped = tl.load(ints + thing * 7 + 3)
    paint = tl.load(a + 9), tl.load(b + 9), tl.load(c + 9)
    plain = (draped >= 0).to(tl.float32)
    red *= _painted(at, 6, paint, tl.load(one + 13) - 1.0, plain, second, third)
    green *= _painted(at, 7, paint, tl.load(one + 14) - 1.0, plain, second, third)
    blue *= _painted(at, 8, paint, tl.load(one + 15) - 1.0, plain, second, third)
    if TEXTURE > 0:
        own = tl.load(ints + thing * 7 + 4)
        own = tl.where(draped >= 0, -1, own)
        if tl.max(own, axis=0) >= 0:
            u0, u1, u2 = tl.load(a + 11), tl.load(b + 11), tl.load(c + 11)
            v0, v1, v2 = tl.load(a + 12), tl.load(b + 12), tl.load(c + 12)
            u, v = _mixed(at, 11, second, third), _mixed(at, 12, second, third)
            ax_, ay_ = nx * scale, ny * scale
            bx_, by_, cx_, cy_ = ux * scale, uy * scale, vx * scale, vy * scale
            du, dv = _step(u0, u1, u2, u, ax_, bx_, cx_, inverse), _step(v0, v1, v2, v, ax_, bx_, cx_, inverse)
            eu, ev = _step(u0, u1, u2, u, ay_, by_, cy_, inverse), _step(v0, v1, v2, v, ay_, by_, cy_, inverse)
            span = tl.sqrt(tl.maximum(du * du + dv * dv, eu * eu + ev * ev)) * TEXTURE
            u, v = u - tl.floor(u), 1.0 - v
            r, g, b_ = sampled(textures, levels, stride, tl.maximum(own, 0), u, v - tl.floor(v), span,
                                TEXTURE, TEXTURE, LEVELS, True, True)  # fmt: skip
            red, green, blue = (
                tl.where(own >= 0, red * r, red),
                tl.where(own >= 0, green * g, green),
                tl.where(own >= 0, blue * b_, blue),
            )
        if tl.max(draped, axis=0) >= 0:
            size = tl.maximum(tl.abs(tl.load(one + 9)), 1e-12)
            span = focal / (inverse * size) * TEXTURE
            r, g, b_ = _three_sides(at, second, third, lx, ly, lz, tl.maximum(draped, 0), span,
                                    textures, levels, stride, TEXTURE, LEVELS)  # fmt: skip
            red, green, blue = (
                tl.where(draped >= 0, red * r, red),
                tl.where(draped >= 0, green * g, green),
                tl.where(draped >= 0, blue * b_, blue),
            )
    red = tl.minimum(tl.maximum(red + shine_r * gloss, 0.0), 1.0)
    green = tl.minimum(tl.maximum(green + shine_g * gloss, 0.0), 1.0)
    blue = tl.minimum(tl.maximum(blue + shine_b * gloss, 0.0), 1.0)
    return red, green, blue, inverse


@triton.jit
@no_type_check
def _three_sides(
    at, second, third, lx, ly, lz, number, span, textures, levels, stride, TEXTURE: tl.constexpr, LEVELS: tl.constexpr
):
    """A texture laid over the mesh along its own axes, mixed by the fourth power of the normal."""
    x, y, z = _mixed(at, 0, second, third), _mixed(at, 1, second, third), _mixed(at, 2, second, third)
    length = tl.maximum(tl.sqrt(lx * lx + ly * ly + lz * lz), 1e-20)
    wx, wy, wz = lx / length, ly / length, lz / length
    wx, wy, wz = wx * wx * wx * wx, wy * wy * wy * wy, wz * wz * wz * wz
    total = tl.maximum(wx + wy + wz, 1e-12)
    red, green, blue = x * 0.0, x * 0.0, x * 0.0
    for side in tl.static_range(3):
        if side == 0:
            weight, u, v = wx / total, y + 0.5, 1.0 - z
        elif side == 1:
            weight, u, v = wy / total, x + 0.5, 1.0 - z
        else:
            weight, u, v = wz / total, x + 0.5, 1.0 - y
        r, g, b = sampled(textures, levels, stride, number, u - tl.floor(u), v - tl.floor(v), span,
                           TEXTURE, TEXTURE, LEVELS, True, True)  # fmt: skip
        red, green, blue = red + r * weight, green + g * weight, blue + b * weight
    return red, green, blue
