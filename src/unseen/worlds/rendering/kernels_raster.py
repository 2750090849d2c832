"""The renderer's inner loops as Triton kernels: which triangle is nearest at each sample, and what it looks like.

The arithmetic is that of ``projection``, ``visibility``, ``shading``, ``shadows`` and ``backdrop``, in the same order
and (for visibility) without contraction, so that edges and ties fall as they do there: those modules are the oracle.
Nothing here depends on the batch, and no kernel waits for the host.

Kernels are also marked ``no_type_check``: the run-time checks of the tests would wrap them, and Triton reads source.
"""

from __future__ import annotations

from typing import no_type_check

import triton
import triton.language as tl


@triton.jit
@no_type_check
def cross(ax, ay, az, bx, by, bz):
    """Swapping the two changes the sign and nothing else: faces that share an edge leave no crack."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@triton.jit
@no_type_check
def placed(rows, vertex, thing):
    """A vertex in the world; ``thing`` points to its rotation, size and position."""
    s = tl.load(thing + 9)
    at = rows + vertex * 16
    x = tl.load(at) * s
    y = tl.load(at + 1) * s
    z = tl.load(at + 2) * s
    wx = tl.load(thing) * x + tl.load(thing + 1) * y + tl.load(thing + 2) * z + tl.load(thing + 10)
    wy = tl.load(thing + 3) * x + tl.load(thing + 4) * y + tl.load(thing + 5) * z + tl.load(thing + 11)
    wz = tl.load(thing + 6) * x + tl.load(thing + 7) * y + tl.load(thing + 8) * z + tl.load(thing + 12)
    return wx, wy, wz


@triton.jit
@no_type_check
def carried(x, y, z, frame):
    """A point seen from a frame's origin along its three rows; ``frame`` points to the rows and the origin."""
    x = x - tl.load(frame + 9)
    y = y - tl.load(frame + 10)
    z = z - tl.load(frame + 11)
    a = tl.load(frame) * x + tl.load(frame + 1) * y + tl.load(frame + 2) * z
    b = tl.load(frame + 3) * x + tl.load(frame + 4) * y + tl.load(frame + 5) * z
    c = tl.load(frame + 6) * x + tl.load(frame + 7) * y + tl.load(frame + 8) * z
    return a, b, c


@triton.jit
@no_type_check
def _span(a, b, c, size):
    """First and last sample between the least and greatest of three coordinates from the middle of the frame."""
    half = size * 0.5 - 0.5
    low = tl.minimum(tl.minimum(a, b), c) + half
    high = tl.maximum(tl.maximum(a, b), c) + half
    first = tl.minimum(tl.maximum(tl.ceil(low), 0.0), size)
    last = tl.minimum(tl.maximum(tl.floor(high), -1.0), size - 1.0)
    return first.to(tl.int32), last.to(tl.int32)


@triton.jit
@no_type_check
def _sample(
    e0, e1, e2, plane, limit, cut, x, y, on, number, out, SIDE: tl.constexpr, SS: tl.constexpr, HEIGHT: tl.constexpr
):
    """Offer a triangle to the sample (x, y), if it lies inside. ``out`` has the order image, sub-row, sub-column, row,
    column: samples of one pixel lie in planes. ``limit`` is the plane's greatest value at a corner; beyond ``cut`` it
    is too near to be drawn."""
    a0, b0, c0 = e0
    a1, b1, c1 = e1
    a2, b2, c2 = e2
    p, q, r = plane
    half: tl.constexpr = SIDE * SS * 0.5 - 0.5
    fx = x.to(tl.float32) - half
    fy = y.to(tl.float32) - half
    inside = tl.fma(a0, fx, tl.fma(b0, fy, c0)) >= 0
    inside = inside & (tl.fma(a1, fx, tl.fma(b1, fy, c1)) >= 0)
    inside = inside & (tl.fma(a2, fx, tl.fma(b2, fy, c2)) >= 0)
    value = p * fx + (q * fy + r)
    place = (((y % SS) * SS + x % SS) * SIDE + y // SS) * SIDE + x // SS
    if HEIGHT:  # the largest value wins; negative floats sort backwards
        bits = tl.minimum(value, limit).to(tl.int32, bitcast=True)
        ordered = bits ^ ((bits >> 31) & 0x7FFFFFFF)
        tl.atomic_max(out + place, ordered, mask=on & inside, sem="relaxed")
    else:  # the largest 1 / W wins (by what it lacks to infinity), of equals the first triangle
        bits = tl.maximum(tl.minimum(value, limit), 1e-30).to(tl.int32, bitcast=True)
        key = ((0x7F800000 - bits).to(tl.int64) << 32) | number.to(tl.int64)
        tl.atomic_min(out + place, key, mask=on & inside & (value <= cut), sem="relaxed")


@triton.jit
@no_type_check
def _of(pick, value):
    """The whole number of the one lane that is picked, for all lanes: one instruction of the warp."""
    return tl.sum(tl.where(pick, value, 0), axis=0)


@triton.jit
@no_type_check
def _of_float(pick, value):
    return _of(pick, value.to(tl.int32, bitcast=True)).to(tl.float32, bitcast=True)


@triton.jit(do_not_specialize=["blocks", "bits", "stride"])
@no_type_check
def raster(
    things, ints, frames, looks, kinds, faces, rows, out, blocks, bits, stride,
    SIDE: tl.constexpr, SS: tl.constexpr, AT: tl.constexpr, HEIGHT: tl.constexpr, CONTACT: tl.constexpr,
    HOVER: tl.constexpr, NEAR: tl.constexpr, SMALL: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Draw the faces of all things: program t · blocks + j takes every ``blocks``-th group of BLOCK faces of thing
    t, a lane each.

    A small triangle's lane walks its bounding box alone, all lanes side by side; for a large one all lanes work
    together. With HEIGHT the frames have no perspective and ``out`` keeps the largest third coordinate; with CONTACT
    only of faces that come close to the floor.
    """
    thing = tl.program_id(0) // blocks
    image = tl.load(ints + thing * 7).to(tl.int64)
    count = tl.load(ints + thing * 7 + 2)
    if HEIGHT:
        count = tl.where(tl.load(looks + image * stride) > 0, count, 0)  # an image without shadows needs no map
    if CONTACT:
        count = tl.where(tl.load(kinds + image * 3) != -2, count, 0)  # and one without a floor none of its contacts
    begin = (tl.program_id(0) % blocks) * BLOCK
    while begin < count:
        lane = tl.arange(0, BLOCK)
        local = begin + lane
        on = local < count
        frame = frames + image * 64 + AT
        one = things + thing * 16
        face = faces + (tl.load(ints + thing * 7 + 1) + tl.minimum(local, count - 1)) * 3
        # the second and third corner change places: a face that looks at the camera then has a positive determinant
        x, y, z = placed(rows, tl.load(face), one)
        ax, ay, az = carried(x, y, z, frame)
        x, y, z = placed(rows, tl.load(face + 2), one)
        bx, by, bz = carried(x, y, z, frame)
        x, y, z = placed(rows, tl.load(face + 1), one)
        cx, cy, cz = carried(x, y, z, frame)
        aw, bw, cw = az, bz, cz
        if HEIGHT:
            ax, bx, cx = ax - SIDE * 0.5, bx - SIDE * 0.5, cx - SIDE * 0.5
            ay, by, cy = ay - SIDE * 0.5, by - SIDE * 0.5, cy - SIDE * 0.5
            aw = tl.full([BLOCK], 1.0, tl.float32)
            bw, cw = aw, aw
            if CONTACT:
                on = on & (tl.maximum(tl.maximum(az, bz), cz) > -HOVER)
        nx, ny, nw = cross(bx - ax, by - ay, bw - aw, cx - ax, cy - ay, cw - aw)
        det = nx * ax + ny * ay + nw * aw
        if HEIGHT:
            ux, uy, uw = cross(cx - ax, cy - ay, cw - aw, ax, ay, aw)
            vx, vy, vw = cross(ax, ay, aw, bx - ax, by - ay, bw - aw)
            p = (bz - az) * tl.div_rn(ux, det) + (cz - az) * tl.div_rn(vx, det)
            q = (bz - az) * tl.div_rn(uy, det) + (cz - az) * tl.div_rn(vy, det)
            r = (bz - az) * tl.div_rn(uw, det) + (cz - az) * tl.div_rn(vw, det) + az
        else:
            p, q, r = tl.div_rn(nx, det), tl.div_rn(ny, det), tl.div_rn(nw, det)
        size: tl.constexpr = SIDE * SS
        crosses = tl.minimum(tl.minimum(aw, bw), cw) < NEAR
        x0, x1 = _span(tl.div_rn(ax, aw), tl.div_rn(bx, bw), tl.div_rn(cx, cw), size * 1.0)
        y0, y1 = _span(tl.div_rn(ay, aw), tl.div_rn(by, bw), tl.div_rn(cy, cw), size * 1.0)
        x0, x1 = tl.where(crosses, 0, x0), tl.where(crosses, size - 1, x1)
        y0, y1 = tl.where(crosses, 0, y0), tl.where(crosses, size - 1, y1)
        if HEIGHT:
            limit = tl.maximum(tl.maximum(az, bz), cz)
        else:
            limit = tl.where(crosses, 1.0 / NEAR, tl.div_rn(1.0, tl.minimum(tl.minimum(aw, bw), cw)))
        cut = tl.where(crosses, 1.0 / NEAR, float("inf"))
        width, height = tl.maximum(x1 - x0 + 1, 0), tl.maximum(y1 - y0 + 1, 0)
        front = on & (det > 1e-30) & (tl.maximum(tl.maximum(aw, bw), cw) >= NEAR)
        samples = tl.where(front, width * height, 0)
        a0, b0, c0 = cross(bx, by, bw, cx, cy, cw)
        a1, b1, c1 = cross(cx, cy, cw, ax, ay, aw)
        a2, b2, c2 = cross(ax, ay, aw, bx, by, bw)
        number = (thing << bits) | local
        target = out + image * size * size

        few = tl.where(samples <= SMALL, samples, 0)
        x, y = x0, y0
        longest = tl.max(few, axis=0)  # `while`, not `range`: the interpreter cannot count to a tensor with numpy 2.4
        step = 0
        while step < longest:
            _sample((a0, b0, c0), (a1, b1, c1), (a2, b2, c2), (p, q, r), limit, cut, x, y, step < few, number,
                    target, SIDE, SS, HEIGHT)  # fmt: skip
            wrap = x >= x1
            x, y = tl.where(wrap, x0, x + 1), tl.where(wrap, y + 1, y)
            step += 1

        large = (samples > SMALL).to(tl.int32)
        first = tl.min(tl.where(large > 0, lane, BLOCK), axis=0)
        while first < BLOCK:
            pick = lane == first
            large = tl.where(pick, 0, large)
            e0 = _of_float(pick, a0), _of_float(pick, b0), _of_float(pick, c0)
            e1 = _of_float(pick, a1), _of_float(pick, b1), _of_float(pick, c1)
            e2 = _of_float(pick, a2), _of_float(pick, b2), _of_float(pick, c2)
            plane = _of_float(pick, p), _of_float(pick, q), _of_float(pick, r)
            wide, high = _of(pick, width), _of(pick, height)
            left, top = _of(pick, x0), _of(pick, y0)
            top_most, nearest = _of_float(pick, limit), _of_float(pick, cut)
            which = (thing << bits) | (begin + first)
            across = (wide + 7) // 8
            tiles = across * ((high + BLOCK // 8 - 1) // (BLOCK // 8))
            tile = 0
            while tile < tiles:
                u = (tile % across) * 8 + lane % 8
                v = (tile // across) * (BLOCK // 8) + lane // 8
                _sample(e0, e1, e2, plane, top_most, nearest, left + u, top + v, (u < wide) & (v < high), which, target,
                        SIDE, SS, HEIGHT)  # fmt: skip
                tile += 1
            first = tl.min(tl.where(large > 0, lane, BLOCK), axis=0)
        begin += blocks * BLOCK
