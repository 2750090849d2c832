"""Triton kernels of JPEG: colours apart and at half the size, blocks of 8×8 to whole steps and back, colours together.

All numbers are whole and below 2³¹, as in libjpeg; see :mod:`jpeg` for the formulas.
"""

from __future__ import annotations

from typing import no_type_check

import triton
import triton.language as tl

HALF, MIDDLE = tl.constexpr(1 << 15), tl.constexpr(128 << 16)


@triton.jit
@no_type_check
def apart(images, fixed, luma, chroma, height, width, tall, wide, BLOCK: tl.constexpr):
    """One block of one image: luma of every pixel, and the mean of both colours over 2×2 pixels, ``[tall, wide]``.

    ``fixed`` are the nine weights of luma, blue and red.
    """
    size, fewer = height * width, tall * wide
    blocks = tl.cdiv(fewer, BLOCK)
    image = (tl.program_id(0) // blocks).to(tl.int64)
    at = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    i, j = at // wide, at % wide
    to_blue, to_red = tl.zeros([BLOCK], dtype=tl.int32), tl.zeros([BLOCK], dtype=tl.int32)
    for turn in tl.static_range(4):
        y, x = 2 * i + turn // 2, 2 * j + turn % 2
        exists = (at < fewer) & (y < height) & (x < width)
        place = tl.minimum(y, height - 1) * width + tl.minimum(x, width - 1)
        here = images + image * 3 * size + place
        red = tl.load(here, mask=at < fewer, other=0).to(tl.int32)
        green = tl.load(here + size, mask=at < fewer, other=0).to(tl.int32)
        blue = tl.load(here + 2 * size, mask=at < fewer, other=0).to(tl.int32)
        light = red * tl.load(fixed) + green * tl.load(fixed + 1) + blue * tl.load(fixed + 2)
        tl.store(luma + image * size + place, ((light + HALF) >> 16).to(tl.uint8), mask=exists)
        found = red * tl.load(fixed + 3) + green * tl.load(fixed + 4) + blue * tl.load(fixed + 5)
        to_blue += (found + (MIDDLE + HALF - 1)) >> 16
        found = red * tl.load(fixed + 6) + green * tl.load(fixed + 7) + blue * tl.load(fixed + 8)
        to_red += (found + (MIDDLE + HALF - 1)) >> 16
    bias, to = 1 + j % 2, chroma + image * 2 * fewer + at
    tl.store(to, ((to_blue + bias) >> 2).to(tl.uint8), mask=at < fewer)
    tl.store(to + fewer, ((to_red + bias) >> 2).to(tl.uint8), mask=at < fewer)


@triton.jit
@no_type_check
def _summed(blocks, matrix, BITS: tl.constexpr):
    """Rows of blocks times rows of a matrix, (x + half) >> bits."""
    return (tl.sum(blocks[:, :, None, :] * matrix[None, None, :, :], axis=3) + (1 << (BITS - 1))) >> BITS


@triton.jit
@no_type_check
def coded(planes, matrix, steps, out, n, height, width, BLOCKS: tl.constexpr):
    """Some blocks of 8×8, transformed, rounded to steps and back. Beyond the edges is the nearest pixel."""
    wide, tall = tl.cdiv(width, 8), tl.cdiv(height, 8)
    block = tl.program_id(0) * BLOCKS + tl.arange(0, BLOCKS)
    plane = (block // (tall * wide)).to(tl.int64)[:, None, None]
    line = tl.arange(0, 8)
    y = (block // wide % tall * 8)[:, None, None] + line[None, :, None]
    x = (block % wide * 8)[:, None, None] + line[None, None, :]
    place = plane * height * width + tl.minimum(y, height - 1) * width + tl.minimum(x, width - 1)
    forward = tl.load(matrix + line[:, None] * 8 + line[None, :])
    backward = tl.load(matrix + line[None, :] * 8 + line[:, None])
    step = tl.load(steps + line[None, :] * 8 + line[:, None])[None]  # columns are rows, since they are transformed last
    found = tl.load(planes + place, mask=plane < n, other=0).to(tl.int32) - 128
    found = tl.permute(_summed(found, forward, 11), (0, 2, 1))
    found = _summed(found, forward, 15)
    size = (tl.abs(found) + 4 * step) // (8 * step) * step
    found = _summed(tl.where(found < 0, -size, size), backward, 11)
    found = _summed(tl.permute(found, (0, 2, 1)), backward, 18) + 128
    found = tl.minimum(tl.maximum(found, 0), 255).to(tl.uint8)
    tl.store(out + place, found, mask=(plane < n) & (y < height) & (x < width))


@triton.jit
@no_type_check
def _doubled(plane, y, x, last, end, wide, SMOOTH: tl.constexpr, mask):
    """¾ of the nearer and ¼ of the farther pixel both ways, or the nearer, less 128."""
    i, j = y // 2, x // 2
    found = tl.load(plane + i * wide + j, mask=mask, other=0).to(tl.int32)
    if SMOOTH:
        row = tl.minimum(tl.maximum(i - 1 + 2 * (y % 2), 0), last)
        column = tl.minimum(tl.maximum(j - 1 + 2 * (x % 2), 0), end)
        own = 3 * found + tl.load(plane + row * wide + j, mask=mask, other=0).to(tl.int32)
        other = 3 * tl.load(plane + i * wide + column, mask=mask, other=0).to(tl.int32)
        other += tl.load(plane + row * wide + column, mask=mask, other=0).to(tl.int32)
        found = (3 * own + other + (8 - x % 2)) >> 4
    return found - 128


@triton.jit
@no_type_check
def together(luma, chroma, fixed, out, height, width, tall, wide, kept, SMOOTH: tl.constexpr, BLOCK: tl.constexpr):
    """One block of one image in colour again; ``fixed`` are the weights of red, of green (two) and of blue."""
    size, fewer = height * width, tall * wide
    blocks = tl.cdiv(size, BLOCK)
    image = (tl.program_id(0) // blocks).to(tl.int64)
    at = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    y, x = at // width, at % width
    first = chroma + image * 2 * fewer
    blue = _doubled(first, y, x, tall - 1, kept - 1, wide, SMOOTH, inside)
    red = _doubled(first + fewer, y, x, tall - 1, kept - 1, wide, SMOOTH, inside)
    light = tl.load(luma + image * size + at, mask=inside, other=0).to(tl.int32)
    for channel in tl.static_range(3):
        found = light
        if channel == 0:
            found = light + ((tl.load(fixed) * red + HALF) >> 16)
        elif channel == 1:
            found = light + ((tl.load(fixed + 1) * blue + tl.load(fixed + 2) * red + HALF) >> 16)
        else:
            found = light + ((tl.load(fixed + 3) * blue + HALF) >> 16)
        found = tl.minimum(tl.maximum(found, 0), 255).to(tl.float32)
        tl.store(out + (image * 3 + channel) * size + at, found, mask=inside)
