"""The kernel that frames each image: its camera, the map of its shadows and the map of what touches its floor.

In torch this is two hundred small steps per batch, each a launch; here it is one. The arithmetic is that of
``projection.camera_of`` and ``shadows._framed``, in the same order and without contraction.
"""

from __future__ import annotations

from typing import no_type_check

import triton
import triton.language as tl

# A row of 64 numbers per image: 0 right, up and forward; 9 the eye; 12 the focal length; 13 a texel of the shadow map;
# 14 the shadow map's frame and origin; 26 the contact map's; 38 the camera's, in samples; 50 how both maps fade.
ROW = 64


@triton.jit
@no_type_check
def _vector(at, x, y, z):
    tl.store(at, x)
    tl.store(at + 1, y)
    tl.store(at + 2, z)


@triton.jit
@no_type_check
def _axes(x, y, z):
    """Right and up of who looks along a direction: ``projection.axes``."""
    length = tl.sqrt_rn(x * x + y * y)
    steep = length < 1e-6
    length = tl.maximum(length, 1e-6)
    right_x = tl.where(steep, 0.0, tl.div_rn(y, length))
    right_y = tl.where(steep, 1.0, tl.div_rn(-x, length))
    zero = x * 0.0
    return right_x, right_y, right_y * z - zero * y, zero * x - right_x * z, right_x * y - right_y * x


@triton.jit
@no_type_check
def _span(ax, ay, az, one, low, high, on):
    """How far the box of a thing reaches along an axis: its least and greatest, by lane."""
    size = tl.load(one + 9, mask=on, other=0.0)
    along_x = ax * tl.load(one, mask=on, other=0.0) + ay * tl.load(one + 3, mask=on, other=0.0)
    along_x = along_x + az * tl.load(one + 6, mask=on, other=0.0)
    along_y = ax * tl.load(one + 1, mask=on, other=0.0) + ay * tl.load(one + 4, mask=on, other=0.0)
    along_y = along_y + az * tl.load(one + 7, mask=on, other=0.0)
    along_z = ax * tl.load(one + 2, mask=on, other=0.0) + ay * tl.load(one + 5, mask=on, other=0.0)
    along_z = along_z + az * tl.load(one + 8, mask=on, other=0.0)
    x0, x1 = tl.load(low, mask=on, other=0.0), tl.load(high, mask=on, other=0.0)
    y0, y1 = tl.load(low + 1, mask=on, other=0.0), tl.load(high + 1, mask=on, other=0.0)
    z0, z1 = tl.load(low + 2, mask=on, other=0.0), tl.load(high + 2, mask=on, other=0.0)
    at = ax * tl.load(one + 10, mask=on, other=0.0) + ay * tl.load(one + 11, mask=on, other=0.0)
    at = at + az * tl.load(one + 12, mask=on, other=0.0)
    at = at + along_x * ((x0 + x1) * 0.5 * size) + along_y * ((y0 + y1) * 0.5 * size)
    at = at + along_z * ((z0 + z1) * 0.5 * size)
    reach = tl.abs(along_x) * ((x1 - x0) * 0.5 * size) + tl.abs(along_y) * ((y1 - y0) * 0.5 * size)
    reach = reach + tl.abs(along_z) * ((z1 - z0) * 0.5 * size)
    return at - reach, at + reach


@triton.jit
@no_type_check
def _extent(ax, ay, az, things, ints, low, high, begin, end):
    """Along one axis: the least and greatest of all things of an image, and of what the image is about."""
    inf = float("inf")
    every_low, every_high, own_low, own_high = inf, -inf, inf, -inf
    lane = tl.arange(0, 32)
    first = begin
    while first < end:
        thing = first + lane
        on = thing < end
        mesh = tl.load(ints + thing * 7 + 5, mask=on, other=0)
        own = tl.load(ints + thing * 7 + 6, mask=on, other=1) == 0
        least, most = _span(ax, ay, az, things + thing * 16, low + mesh * 3, high + mesh * 3, on)
        every_low = tl.minimum(every_low, tl.min(tl.where(on, least, inf), axis=0))
        every_high = tl.maximum(every_high, tl.max(tl.where(on, most, -inf), axis=0))
        own_low = tl.minimum(own_low, tl.min(tl.where(on & own, least, inf), axis=0))
        own_high = tl.maximum(own_high, tl.max(tl.where(on & own, most, -inf), axis=0))
        first += 32
    own_low, own_high = tl.where(own_low < inf, own_low, every_low), tl.where(own_high > -inf, own_high, every_high)
    return every_low, every_high, own_low, own_high


@triton.jit
@no_type_check
def _map(
    row, seen, rx, ry, rz, ux, uy, uz, tx, ty, tz, things, ints, low, high, begin, end,
    SIZE: tl.constexpr, MARGIN: tl.constexpr, FARTHEST: tl.constexpr, FADE: tl.constexpr, CUT_FADE: tl.constexpr,
):  # fmt: skip
    """Write the frame of a map of SIZE texels along three axes; give a texel's length, and how fast shadows fade
    towards the map's edge."""
    x0, x1, p0, p1 = _extent(rx, ry, rz, things, ints, low, high, begin, end)
    y0, y1, q0, q1 = _extent(ux, uy, uz, things, ints, low, high, begin, end)
    reach = tl.maximum((x1 - x0) * 0.5, (y1 - y0) * 0.5)
    limit = tl.maximum(tl.maximum((p1 - p0) * 0.5, (q1 - q0) * 0.5), seen) * FARTHEST
    far = reach > limit
    column = tl.where(far, (p0 + p1) * 0.5, (x0 + x1) * 0.5)
    line = tl.where(far, (q0 + q1) * 0.5, (y0 + y1) * 0.5)
    reach = tl.where(far, limit, reach)
    usual = (reach > 0) & (reach < float("inf"))  # an image without things, too, needs some frame
    reach, column, line = tl.where(usual, reach, 1.0), tl.where(usual, column, 0.0), tl.where(usual, line, 0.0)
    texel = reach * (2.0 / (SIZE - 2 * MARGIN))
    column, line = column - texel * (SIZE * 0.5), line - texel * (SIZE * 0.5)
    _vector(row, tl.div_rn(rx, texel), tl.div_rn(ry, texel), tl.div_rn(rz, texel))
    _vector(row + 3, tl.div_rn(ux, texel), tl.div_rn(uy, texel), tl.div_rn(uz, texel))
    _vector(row + 6, tl.div_rn(tx, texel), tl.div_rn(ty, texel), tl.div_rn(tz, texel))
    _vector(row + 9, rx * column + ux * line, ry * column + uy * line, rz * column + uz * line)
    return texel, tl.where(far, CUT_FADE / SIZE, FADE)


@triton.jit
@no_type_check
def frame(
    views, starts, things, ints, low, high, out,
    SIZE: tl.constexpr, MAP: tl.constexpr, CONTACT_MAP: tl.constexpr, MARGIN: tl.constexpr, FARTHEST: tl.constexpr,
    FADE: tl.constexpr, CUT_FADE: tl.constexpr,
):  # fmt: skip
    """Program i frames image i. ``views`` [b, 10] holds eye, target, the first light and the focal length; ``starts``
    the first thing of each image."""
    image = tl.program_id(0).to(tl.int64)
    begin, end = tl.load(starts + image).to(tl.int32), tl.load(starts + image + 1).to(tl.int32)
    view = views + image * 10
    row = out + image * 64
    ex, ey, ez = tl.load(view), tl.load(view + 1), tl.load(view + 2)
    fx, fy, fz = tl.load(view + 3) - ex, tl.load(view + 4) - ey, tl.load(view + 5) - ez
    length = tl.sqrt_rn(fx * fx + fy * fy + fz * fz)
    focal = tl.load(view + 9)
    seen = tl.div_rn(length, focal)  # half the height of what is seen at the target's distance
    length = tl.maximum(length, 1e-20)
    fx, fy, fz = tl.div_rn(fx, length), tl.div_rn(fy, length), tl.div_rn(fz, length)
    rx, ry, ux, uy, uz = _axes(fx, fy, fz)
    _vector(row, rx, ry, rx * 0.0)
    _vector(row + 3, ux, uy, uz)
    _vector(row + 6, fx, fy, fz)
    _vector(row + 9, ex, ey, ez)
    tl.store(row + 12, focal)
    scale = focal * (SIZE * 0.5)
    _vector(row + 38, rx * scale, ry * scale, rx * 0.0)
    _vector(row + 41, ux * -scale, uy * -scale, uz * -scale)
    _vector(row + 44, fx, fy, fz)
    _vector(row + 47, ex, ey, ez)
    lx, ly, lz = tl.load(view + 6), tl.load(view + 7), tl.load(view + 8)
    rx, ry, ux, uy, uz = _axes(-lx, -ly, -lz)
    texel, fade = _map(row + 14, seen, rx, ry, rx * 0.0, -ux, -uy, -uz, lx, ly, lz, things, ints, low, high,
                       begin, end, MAP, MARGIN, FARTHEST, FADE, CUT_FADE)  # fmt: skip
    tl.store(row + 13, texel)
    tl.store(row + 50, fade)
    zero = lx * 0.0
    one = zero + 1.0
    texel, fade = _map(row + 26, seen, one, zero, zero, zero, one, zero, zero, zero, -one, things, ints, low,
                       high, begin, end, CONTACT_MAP, MARGIN, FARTHEST, FADE, CUT_FADE)  # fmt: skip
    tl.store(row + 51, fade)
