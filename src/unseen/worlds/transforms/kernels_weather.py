"""Triton kernels of weather: clouds become finer, frost and snow are laid over pictures."""

from __future__ import annotations

from typing import no_type_check

import triton
import triton.language as tl

from unseen.worlds.transforms.kernels_draws import drawn


@triton.jit
@no_type_check
def _jittered(total, key, at, seed, most):
    share = (drawn(key, at.to(tl.int64), seed) >> 39).to(tl.float64) * 2.0**-23 - 1
    return total * 0.25 + share * most


@triton.jit
@no_type_check
def finer(clouds, keys, seeds, most, out, n, k, level, levels, BLOCK: tl.constexpr):
    """One block of one cloud of ``k`` × ``k`` points, from which twice as many each way are made (``plasma``).

    Middles of squares are drawn again by each of the three programs that need them. Seeds are those of every kind of
    cloud, level and part; ``most`` is the largest jitter of every kind and level.
    """
    size = k * k
    blocks = tl.cdiv(size, BLOCK)
    cloud = (tl.program_id(0) // blocks).to(tl.int64)
    at = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    kind = cloud // n * levels + level
    key, wide = tl.load(keys + cloud % n), tl.load(most + kind)
    first, second, third = tl.load(seeds + 3 * kind), tl.load(seeds + 3 * kind + 1), tl.load(seeds + 3 * kind + 2)
    here = clouds + cloud * size
    i, j = at // k, at % k
    up, down, left, right = (i + k - 1) % k, (i + 1) % k, (j + k - 1) % k, (j + 1) % k
    corner = tl.load(here + i * k + j, mask=inside, other=0)
    next_one = tl.load(here + i * k + right, mask=inside, other=0)
    below = tl.load(here + down * k + j, mask=inside, other=0)
    beyond = tl.load(here + down * k + right, mask=inside, other=0)
    above = tl.load(here + up * k + j, mask=inside, other=0)
    above_next = tl.load(here + up * k + right, mask=inside, other=0)
    before = tl.load(here + i * k + left, mask=inside, other=0)
    before_below = tl.load(here + down * k + left, mask=inside, other=0)
    middle = _jittered((corner + below) + (next_one + beyond), key, at, first, wide)
    upper = _jittered((above + corner) + (above_next + next_one), key, up * k + j, first, wide)
    lefter = _jittered((before + before_below) + (corner + below), key, i * k + left, first, wide)
    to = out + 4 * cloud * size + 4 * i * k + 2 * j
    tl.store(to, corner, mask=inside)
    tl.store(to + 2 * k + 1, middle, mask=inside)
    tl.store(to + 1, _jittered(middle + upper + corner + next_one, key, at, second, wide), mask=inside)
    tl.store(to + 2 * k, _jittered(middle + lefter + corner + below, key, at, third, wide), mask=inside)


@triton.jit
@no_type_check
def _share(clouds, least, most, number, side, y, x, mask):
    low, high = tl.load(least + number), tl.load(most + number)
    return (tl.load(clouds + number * side * side + y * side + x, mask=mask, other=0) - low) / (high - low)


@triton.jit
@no_type_check
def frozen(
    images, clouds, least, most, tints, out, n, height, width, side, CHANNELS: tl.constexpr, KEPT: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """Ice of three clouds over a picture."""
    size = height * width
    blocks = tl.cdiv(size, BLOCK)
    picture = (tl.program_id(0) // blocks).to(tl.int64)
    at = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    y, x = at // width, at % width
    one = 1 - tl.abs(2 * _share(clouds, least, most, picture, side, y, x, inside) - 1)
    two = 1 - tl.abs(2 * _share(clouds, least, most, n + picture, side, y, x, inside) - 1)
    grain = _share(clouds, least, most, 2 * n + picture, side, y, x, inside)
    crystals = tl.maximum(one, two)
    crystals = crystals * crystals
    ice = 0.15 + 0.75 * (crystals * crystals) + 0.5 * (grain - 0.5)
    ice = tl.minimum(tl.maximum(ice, 0.0), 1.0).to(tl.float32) * 255
    for channel in tl.static_range(CHANNELS):
        here = (picture * CHANNELS + channel) * size + at
        shown = tl.load(images + here, mask=inside, other=0).to(tl.float32) * KEPT + ice * tl.load(tints + channel)
        tl.store(out + here, tl.minimum(tl.maximum(shown, 0.0), 255.0), mask=inside)


@triton.jit
@no_type_check
def snowed(
    images, flakes, out, height, width, CHANNELS: tl.constexpr, KEPT: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    """A paler picture, flakes, and the same flakes turned by 180°."""
    size = height * width
    blocks = tl.cdiv(size, BLOCK)
    picture = (tl.program_id(0) // blocks).to(tl.int64)
    at = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    falling = tl.load(flakes + picture * size + at, mask=inside, other=0)
    turned = tl.load(flakes + picture * size + (size - 1 - at), mask=inside, other=0)
    first = images + picture * CHANNELS * size + at
    luma = tl.div_rn(tl.load(first, mask=inside, other=0).to(tl.float32), 255.0)
    if CHANNELS > 1:
        luma = luma * 0.299
        luma = luma + tl.div_rn(tl.load(first + size, mask=inside, other=0).to(tl.float32), 255.0) * 0.587
        luma = luma + tl.div_rn(tl.load(first + 2 * size, mask=inside, other=0).to(tl.float32), 255.0) * 0.114
    pale = luma * 1.5 + 0.5
    for channel in tl.static_range(CHANNELS):
        plain = tl.div_rn(tl.load(first + channel * size, mask=inside, other=0).to(tl.float32), 255.0)
        shown = plain * KEPT + tl.maximum(plain, pale) * (1 - KEPT)
        shown = (shown + falling + turned) * 255
        tl.store(
            out + (picture * CHANNELS + channel) * size + at, tl.minimum(tl.maximum(shown, 0.0), 255.0), mask=inside
        )
