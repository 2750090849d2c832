"""What kernels look up: textures between four texels and two levels, and shadows between sixteen texels.

The formulas are those of ``textures``, ``shadows`` and ``backdrop``; see there for reasons and sources.
"""

from __future__ import annotations

from typing import no_type_check

import triton
import triton.language as tl


@triton.jit
@no_type_check
def _pair(where, size, WRAPS: tl.constexpr):
    """The texels on both sides of a point, and how far it lies from the first to the second."""
    at = where * size.to(tl.float32) - 0.5
    low = tl.floor(at)
    first = low.to(tl.int32)
    second = first + 1
    if WRAPS:
        first = tl.where(first < 0, first + size, first)
        second = tl.where(second >= size, second - size, second)
    else:
        first = tl.minimum(tl.maximum(first, 0), size - 1)
        second = tl.minimum(tl.maximum(second, 0), size - 1)
    return first, second, at - low


@triton.jit
@no_type_check
def _texel(at, weight, r, g, b):
    texel = tl.load(at)
    red = (texel & 255).to(tl.float32)
    green = ((texel >> 8) & 255).to(tl.float32)
    blue = ((texel >> 16) & 255).to(tl.float32)
    return r + red * red * weight, g + green * green * weight, b + blue * blue * weight


@triton.jit
@no_type_check
def _level(texels, levels, u, v, level, H: tl.constexpr, W: tl.constexpr, AROUND: tl.constexpr, OVER: tl.constexpr):
    left, right, across = _pair(u, W >> level, AROUND)
    top, bottom, down = _pair(v, H >> level, OVER)
    start = texels + tl.load(levels + level)
    top, bottom = top * (W >> level), bottom * (W >> level)
    r, g, b = _texel(start + top + left, (1 - down) * (1 - across), 0.0, 0.0, 0.0)
    r, g, b = _texel(start + top + right, (1 - down) * across, r, g, b)
    r, g, b = _texel(start + bottom + left, down * (1 - across), r, g, b)
    r, g, b = _texel(start + bottom + right, down * across, r, g, b)
    return r * (1.0 / 65025.0), g * (1.0 / 65025.0), b * (1.0 / 65025.0)


@triton.jit
@no_type_check
def sampled(
    texels, levels, stride, number, u, v, span,
    H: tl.constexpr, W: tl.constexpr, LEVELS: tl.constexpr, AROUND: tl.constexpr, OVER: tl.constexpr,
):  # fmt: skip
    """Linear colour of a picture of an atlas, trilinear; ``levels`` points to the offsets of the pyramid's levels."""
    ratio = tl.maximum(span, 1.0).to(tl.int32, bitcast=True)
    level = tl.minimum((ratio - 0x3F800000).to(tl.float32) * (1.0 / 8388608.0), LEVELS - 1.0)
    fine = tl.floor(level)
    between = level - fine
    near = tl.minimum(tl.maximum(fine.to(tl.int32), 0), LEVELS - 1)  # a lane that is not asked may hold anything
    at = texels + number.to(tl.int64) * stride
    r0, g0, b0 = _level(at, levels, u, v, near, H, W, AROUND, OVER)
    r1, g1, b1 = _level(at, levels, u, v, tl.minimum(near + 1, LEVELS - 1), H, W, AROUND, OVER)
    return r0 + (r1 - r0) * between, g0 + (g1 - g0) * between, b0 + (b1 - b0) * between


@triton.jit
@no_type_check
def _height(at):
    """A height of the shadow map, from the whole number that sorts as it does."""
    ordered = tl.load(at)
    return (ordered ^ ((ordered >> 31) & 0x7FFFFFFF)).to(tl.float32, bitcast=True)


@triton.jit
@no_type_check
def _line(at, height, rise, share):
    """Three times the mean of four answers over an interval of three texels that starts ``share`` after the first."""
    a = tl.minimum(tl.maximum((_height(at) - height) * rise, 0.0), 1.0)
    b = tl.minimum(tl.maximum((_height(at + 1) - height) * rise, 0.0), 1.0)
    c = tl.minimum(tl.maximum((_height(at + 2) - height) * rise, 0.0), 1.0)
    d = tl.minimum(tl.maximum((_height(at + 3) - height) * rise, 0.0), 1.0)
    return (d - a) * share + a + b + c


@triton.jit
@no_type_check
def occluded(heights, column, row, height, rise, fade, SIZE: tl.constexpr):
    """How much of the light is kept from points: ``shadows.occluded``."""
    edge = tl.minimum(tl.minimum(column, SIZE - column), tl.minimum(row, SIZE - row))
    edge = tl.minimum(tl.maximum((edge - 2.0) * fade, 0.0), 1.0)
    column = tl.minimum(tl.maximum(column, 2.0), SIZE - 2.001) - 0.5
    row = tl.minimum(tl.maximum(row, 2.0), SIZE - 2.001) - 0.5
    x, y = tl.floor(column), tl.floor(row)
    # a lane that is not asked may hold anything, even no number: its texel must still exist
    left = tl.minimum(tl.maximum(x.to(tl.int32) - 1, 0), SIZE - 4)
    top = tl.minimum(tl.maximum(y.to(tl.int32) - 1, 0), SIZE - 4)
    at = heights + top * SIZE + left
    first = _line(at, height, rise, column - x)
    fourth = _line(at + 3 * SIZE, height, rise, column - x)
    total = (fourth - first) * (row - y) + first
    total += _line(at + SIZE, height, rise, column - x)
    return (total + _line(at + 2 * SIZE, height, rise, column - x)) * (1.0 / 9.0) * edge


@triton.jit
@no_type_check
def arctangent(y, x):
    """atan2 by the polynomial of ``backdrop.arctangent``."""
    ax, ay = tl.abs(x), tl.abs(y)
    ratio = tl.minimum(ax, ay) / tl.maximum(tl.maximum(ax, ay), 1e-20)
    square = ratio * ratio
    angle = square * 0.0028662257 - 0.0161657367
    angle = angle * square + 0.0429096138
    angle = angle * square - 0.0752896400
    angle = angle * square + 0.1065626393
    angle = angle * square - 0.1420889944
    angle = angle * square + 0.1999355085
    angle = angle * square - 0.3333314528
    angle = (angle * square + 1.0) * ratio
    angle = tl.where(ay > ax, 1.5707963267948966 - angle, angle)
    angle = tl.where(x < 0, 3.141592653589793 - angle, angle)
    return tl.where(y < 0, -angle, angle)
