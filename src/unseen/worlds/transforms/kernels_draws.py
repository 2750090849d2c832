"""Triton kernels of what is drawn: numbers of :mod:`chance`, spectra of noise, pixels that move by a field."""

from __future__ import annotations

from typing import no_type_check

import triton
import triton.language as tl

from unseen.worlds.rendering import chance

GOLDEN, MIX, LAST = tl.constexpr(chance.GOLDEN), tl.constexpr(chance.MIX), tl.constexpr(chance.LAST)
MAGIC = tl.constexpr(1.5 * 2.0**52)  # adding and subtracting it rounds a float64 to a whole number, halves to even


@triton.jit
@no_type_check
def whole(number):
    return (number + MAGIC) - MAGIC


@triton.jit
@no_type_check
def drawn(key, at, seed):
    """63 bits of ``chance.counted`` at a place."""
    z = (key + at) * GOLDEN + seed
    z = (z ^ ((z >> 30) & ((1 << 34) - 1))) * MIX
    z = (z ^ ((z >> 27) & ((1 << 37) - 1))) * LAST
    z = z ^ ((z >> 31) & ((1 << 33) - 1))
    return (z >> 1) & ((1 << 63) - 1)


@triton.jit
@no_type_check
def mirrored(place, size):
    """Beyond its edges a picture is a mirror, which shows the last pixel twice."""
    place = place % (2 * size)
    place = tl.where(place < 0, place + 2 * size, place)
    return tl.where(place < size, place, 2 * size - 1 - place)


@triton.jit
@no_type_check
def _noise(keys, seeds, deviates, picture, n, place, mask):
    """The real and the imaginary part of a frequency of white noise."""
    z = drawn(tl.load(keys + picture % n), place.to(tl.int64), tl.load(seeds + picture // n))
    real = tl.load(deviates + (z & 65535), mask=mask, other=0).to(tl.float64)
    return real, tl.load(deviates + ((z >> 16) & 65535), mask=mask, other=0).to(tl.float64)


@triton.jit
@no_type_check
def waves(
    keys, seeds, deviates, gain_down, gain_across, out, n, height, width, tall, wide, rows, columns,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """One block of one spectrum of white noise, as factors of cosines and, after them, of sines.

    Of so many frequencies down and across, f and −f are drawn: cosines multiply their sum, sines i times their
    difference. The mean and the highest frequency of an even size have no opposite, and no sine.
    """
    size = tall * wide
    blocks = tl.cdiv(size, BLOCK)
    field = (tl.program_id(0) // blocks).to(tl.int64)
    at = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    inside, y, x = at < size, at // wide, at % wide
    high, broad = inside & (y > 0) & (2 * y != height), inside & (x > 0) & (2 * x != width)
    above, before = (height - y) % height, (width - x) % width
    one, one_i = _noise(keys, seeds, deviates, field, n, y * width + x, inside)
    two, two_i = _noise(keys, seeds, deviates, field, n, above * width + x, high)
    three, three_i = _noise(keys, seeds, deviates, field, n, y * width + before, broad)
    four, four_i = _noise(keys, seeds, deviates, field, n, above * width + before, high & broad)
    gain = tl.load(gain_down + y, mask=inside, other=0) * tl.load(gain_across + x, mask=inside, other=0)
    real, other = out + 2 * field * rows * columns, out + (2 * field + 1) * rows * columns
    here = y * columns + x
    tl.store(real + here, (one + two + three + four) * gain, mask=inside)
    tl.store(other + here, (one_i + two_i + three_i + four_i) * gain, mask=inside)
    here = (tall + y - 1) * columns + x
    tl.store(real + here, (two_i - one_i + four_i - three_i) * gain, mask=high)
    tl.store(other + here, (one - two + three - four) * gain, mask=high)
    here = y * columns + wide + x - 1
    tl.store(real + here, (three_i - one_i + four_i - two_i) * gain, mask=broad)
    tl.store(other + here, (one - three + two - four) * gain, mask=broad)
    here = (tall + y - 1) * columns + wide + x - 1
    tl.store(real + here, (two + three - one - four) * gain, mask=high & broad)
    tl.store(other + here, (two_i + three_i - one_i - four_i) * gain, mask=high & broad)


@triton.jit
@no_type_check
def displaced(
    blurs, coherent, own, settings, out, n, height, width, SCALES: tl.constexpr, CHANNELS: tl.constexpr,
    COHERENT: tl.constexpr, OWN: tl.constexpr, FINEST: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """One block of one picture: from coarse to fine the difference of two blurs at the place that a field names.

    ``settings`` are the reach and the weights of both fields; coherent fields are the sum of all that are coarser.
    """
    size = height * width
    blocks = tl.cdiv(size, BLOCK)
    picture = (tl.program_id(0) // blocks).to(tl.int64)
    at = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    far, together, alone = tl.load(settings), tl.load(settings + 1), tl.load(settings + 2)
    found = tl.zeros([BLOCK], dtype=tl.float64)
    sum_down, sum_across = tl.zeros([BLOCK], dtype=tl.float64), tl.zeros([BLOCK], dtype=tl.float64)
    for turn in range(SCALES):
        plane = ((SCALES - 1 - turn) * n + picture) * size
        down, across = tl.zeros([BLOCK], dtype=tl.float64), tl.zeros([BLOCK], dtype=tl.float64)
        if COHERENT:
            sum_down += tl.load(coherent + 2 * plane + at, mask=inside, other=0)
            sum_across += tl.load(coherent + 2 * plane + size + at, mask=inside, other=0)
            down, across = sum_down * together, sum_across * together
        if OWN:
            down += tl.load(own + 2 * plane + at, mask=inside, other=0) * alone
            across += tl.load(own + 2 * plane + size + at, mask=inside, other=0) * alone
        y = tl.floor(at // width + whole(down * FINEST) / FINEST * far).to(tl.int32)
        x = tl.floor(at % width + whole(across * FINEST) / FINEST * far).to(tl.int32)
        place = mirrored(y, height) * width + mirrored(x, width)
        found += tl.load(blurs + plane + place, mask=inside, other=0)
        if turn:
            found -= tl.load(blurs + plane + n * size + place, mask=inside, other=0)
    found = tl.minimum(tl.maximum(whole(found * FINEST) / FINEST, 0.0), 255.0).to(tl.float32)
    for channel in tl.static_range(CHANNELS):
        tl.store(out + (picture * CHANNELS + channel) * size + at, found, mask=inside)


@triton.jit
@no_type_check
def phases(keys, circle, out, height, width, SEED: tl.constexpr, RELEASED: tl.constexpr, BLOCK: tl.constexpr):
    """One block of what the frequencies of one picture are multiplied by: the angle that is drawn for one of a
    frequency and its opposite, or the mean of two, as the released code has it (``distortions``)."""
    half = width // 2 + 1
    size = height * half
    blocks = tl.cdiv(size, BLOCK)
    picture = (tl.program_id(0) // blocks).to(tl.int64)
    at = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    key, inside = tl.load(keys + picture), at < size
    down, across = at // half, at % half
    still = (2 * down == height) | (2 * across == width)
    if RELEASED:
        up, left = (height - 1) // 2, (width - 1) // 2
        signed = tl.where(2 * down > height, down - height, down)
        middle = up * (2 * left + 1) + left
        own = (signed + up) * (2 * left + 1) + across + left
        first = tl.minimum(own, 2 * middle - own)
        second, later, still = middle - 1 - first, own > middle, still | (own == middle)
    else:
        own, other = down * width + across, (height - down) % height * width + (width - across) % width
        first = tl.minimum(own, other)
        second, later, still = first, own > other, still | (own == other)
    one, two = drawn(key, first.to(tl.int64), SEED) & 65535, drawn(key, second.to(tl.int64), SEED) & 65535
    one, two = 2 * tl.where(later, 65535 - one, one), 2 * tl.where(later, 65535 - two, two)
    real = (tl.load(circle + one) + tl.load(circle + two)) / 2
    other_part = (tl.load(circle + one + 1) + tl.load(circle + two + 1)) / 2
    to = out + 2 * (picture * size + at)
    tl.store(to, tl.where(still, 1.0, real), mask=inside)
    tl.store(to + 1, tl.where(still, 0.0, other_part), mask=inside)
