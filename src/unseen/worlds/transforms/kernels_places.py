"""Triton kernels of pixels that show other places: closer, along a path, moved by a field, exchanged within squares.

All channels of a place are taken together, since they lie at the same place. Where eager torch multiplies and adds at
once, so do they.
"""

from __future__ import annotations

from typing import no_type_check

import triton
import triton.language as tl

from unseen.worlds.transforms.kernels_draws import drawn, mirrored


@triton.jit
@no_type_check
def placed(size, CHANNELS: tl.constexpr, BLOCK: tl.constexpr, channels):
    """This program's picture, its channels ``[channels, 1]``, its places ``[1, places]``, and which of both exist."""
    blocks = tl.cdiv(size, BLOCK)
    picture = (tl.program_id(0) // blocks).to(tl.int64)
    at = (tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK))[None, :]
    channel = tl.arange(0, CHANNELS)[:, None]
    return picture, channel, at, (channel < channels) & (at < size)


@triton.jit
@no_type_check
def closer(
    images, rows, columns, row_shares, column_shares, out, channels, height, width, tall, wide, LAYERS: tl.constexpr,
    PLAIN: tl.constexpr, SCALE: tl.constexpr, CHANNELS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The sum of a picture's enlarged middles and, if ``PLAIN``, of the picture itself, scaled."""
    picture, channel, at, inside = placed(tall * wide, CHANNELS, BLOCK, channels)
    shown = images + (picture * channels + channel) * height * width
    y, x = at // wide, at % wide
    here = at < tall * wide
    found = tl.zeros([CHANNELS, BLOCK], dtype=tl.float32)
    if PLAIN:
        found += tl.load(shown + y * width + x, mask=inside, other=0).to(tl.float32)
    for layer in range(LAYERS):
        row, column = rows + layer * tall + y, columns + layer * wide + x
        top = tl.load(row, mask=here, other=0) * width
        bottom = tl.load(row + LAYERS * tall, mask=here, other=0) * width
        left, right = tl.load(column, mask=here, other=0), tl.load(column + LAYERS * wide, mask=here, other=0)
        low = tl.load(row_shares + layer * tall + y, mask=here, other=0)
        near = tl.load(column_shares + layer * wide + x, mask=here, other=0)
        one = tl.load(shown + top + left, mask=inside, other=0).to(tl.float32) * (1 - low)
        one += tl.load(shown + bottom + left, mask=inside, other=0).to(tl.float32) * low
        two = tl.load(shown + top + right, mask=inside, other=0).to(tl.float32) * (1 - low)
        two += tl.load(shown + bottom + right, mask=inside, other=0).to(tl.float32) * low
        found += one * (1 - near) + two * near
    tl.store(out + (picture * channels + channel) * tall * wide + at, found * SCALE, mask=inside)


@triton.jit
@no_type_check
def path(
    images, moves, weights, out, channels, height, width, STEPS: tl.constexpr, CHANNELS: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """The weighted sum of copies moved along a picture's own path; outside is the nearest pixel."""
    picture, channel, at, inside = placed(height * width, CHANNELS, BLOCK, channels)
    shown = images + (picture * channels + channel) * height * width
    y, x = at // width, at % width
    found = tl.zeros([CHANNELS, BLOCK], dtype=tl.float32)
    for step in range(STEPS):
        move = moves + (picture * STEPS + step) * 2
        down = tl.minimum(tl.maximum(y - tl.load(move).to(tl.int32), 0), height - 1)
        across = tl.minimum(tl.maximum(x - tl.load(move + 1).to(tl.int32), 0), width - 1)
        pixel = tl.load(shown + down * width + across, mask=inside, other=0).to(tl.float32)
        found = tl.fma(pixel, tl.load(weights + step), found)
    tl.store(out + (picture * channels + channel) * height * width + at, found, mask=inside)


@triton.jit
@no_type_check
def uniform(keys, seeds, settings, out, n, places, BLOCK: tl.constexpr):
    """Numbers from −``settings`` to that number, of so many fields as there are seeds."""
    blocks = tl.cdiv(places, BLOCK)
    field = (tl.program_id(0) // blocks).to(tl.int64)
    at = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    share = (drawn(tl.load(keys + field % n), at.to(tl.int64), tl.load(seeds + field // n)) >> 39).to(tl.float32)
    tl.store(out + field * places + at, (share * 2.0**-23 - 1.0) * tl.load(settings), mask=at < places)


@triton.jit
@no_type_check
def between(
    images, moves, settings, out, n, channels, height, width, CHANNELS: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    """Every pixel shows the place that lies a move away, linear between pixels; edges are mirrors."""
    size = height * width
    picture, channel, at, inside = placed(size, CHANNELS, BLOCK, channels)
    shown = images + (picture * channels + channel) * size
    here, times = at < size, tl.load(settings)
    down = at // width + tl.load(moves + picture * size + at, mask=here, other=0) * times
    across = at % width + tl.load(moves + (n + picture) * size + at, mask=here, other=0) * times
    top, left = tl.floor(down), tl.floor(across)
    below, right = down - top, across - left
    found = tl.zeros([CHANNELS, BLOCK], dtype=tl.float32)
    for turn in tl.static_range(4):
        row = mirrored(top.to(tl.int32) + turn // 2, height) * width
        column = mirrored(left.to(tl.int32) + turn % 2, width)
        tall = below if turn // 2 else 1 - below
        wide = right if turn % 2 else 1 - right
        found += tl.load(shown + row + column, mask=inside, other=0).to(tl.float32) * (tall * wide)
    found = tl.minimum(tl.maximum(found, 0.0), 255.0)
    tl.store(out + (picture * channels + channel) * size + at, found, mask=inside)


@triton.jit
@no_type_check
def scored(keys, seeds, out, places, BLOCK: tl.constexpr):
    """31 bits for each place, by the number that a key draws first."""
    blocks = tl.cdiv(places, BLOCK)
    picture = (tl.program_id(0) // blocks).to(tl.int64)
    at = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    key = drawn(tl.load(keys + picture), 0, tl.load(seeds))
    score = drawn(key, at.to(tl.int64), tl.load(seeds + 1)) >> 32
    tl.store(out + picture * places + at, score.to(tl.int32), mask=at < places)


@triton.jit
@no_type_check
def exchanged(
    images, keys, seeds, scores, out, channels, height, width, SIDE: tl.constexpr, DOWN: tl.constexpr,
    ACROSS: tl.constexpr, CHANNELS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Each pixel goes to the place in its square whose number is the pixel's rank by score."""
    size = height * width
    picture, channel, at, inside = placed(size, CHANNELS, BLOCK, channels)
    key, here = drawn(tl.load(keys + picture), 0, tl.load(seeds)), at < size
    first, second = ((key >> DOWN) % SIDE).to(tl.int32), ((key >> ACROSS) % SIDE).to(tl.int32)
    y, x = at // width, at % width
    top, left = (y + first) // SIDE * SIDE - first, (x + second) // SIDE * SIDE - second
    own, rank = tl.load(scores + picture * size + at, mask=here, other=0), tl.zeros([1, BLOCK], dtype=tl.int32)
    for turn in range(SIDE * SIDE):
        row, column = top + turn // SIDE, left + turn % SIDE
        there = row * width + column
        met = here & (row >= 0) & (row < height) & (column >= 0) & (column < width)
        other = tl.load(scores + picture * size + there, mask=met, other=0)
        rank += (met & ((other < own) | ((other == own) & (there < at)))).to(tl.int32)
    broad = tl.minimum(left + SIDE, width) - tl.maximum(left, 0)
    goes = (tl.maximum(top, 0) + rank // broad) * width + tl.maximum(left, 0) + rank % broad
    shown = (picture * channels + channel) * size
    tl.store(out + shown + goes, tl.load(images + shown + at, mask=inside, other=0), mask=inside)
