"""The Triton kernels of ``kernels``: a correlation along one axis, and a random number per pixel. Both do the eager
code's arithmetic in its order, so they give its bits: products are exact, and may be fused with sums."""

from __future__ import annotations

from typing import no_type_check

import triton
import triton.language as tl

MAGIC = tl.constexpr(1.5 * 2.0**52)  # adding and subtracting it rounds a float64 to a whole number, halves to even


@triton.jit
@no_type_check
def _whole(number):
    return (number + MAGIC) - MAGIC


@triton.jit
@no_type_check
def correlate(
    images, weights, out, height, width, TAPS: tl.constexpr, DOWN: tl.constexpr, EXACT: tl.constexpr,
    STEPS: tl.constexpr, SCALE: tl.constexpr, LAST: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """One block of one plane: the sum of shifted pixels times weights, zeros outside.

    ``EXACT`` sums whole numbers in float64 (pixels times ``STEPS``, if given, are made whole), scales the sum, makes it
    whole and scales it again by ``LAST``; otherwise the sum is in float32.
    """
    size = height * width
    blocks = tl.cdiv(size, BLOCK)
    plane = (tl.program_id(0) // blocks).to(tl.int64) * size
    at = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    if DOWN:
        here, length, stride = at // width, height, width
    else:
        here, length, stride = at % width, width, 1
    found = tl.zeros([BLOCK], dtype=tl.float64 if EXACT else tl.float32)
    for tap in range(TAPS):
        by = tap - TAPS // 2
        inside = (at < size) & (here + by >= 0) & (here + by < length)
        pixel = tl.load(images + plane + at + by * stride, mask=inside, other=0).to(found.dtype)
        if STEPS > 0.0:
            pixel = _whole(pixel * STEPS)
        found += pixel * tl.load(weights + tap)
    if EXACT:
        found = _whole(found * SCALE) * LAST
    tl.store(out + plane + at, found.to(out.dtype.element_ty), mask=at < size)


@triton.jit
@no_type_check
def speckle(
    images, keys, deviates, out, places, below, CHANNELS: tl.constexpr, SALT: tl.constexpr, SEED: tl.constexpr,
    GOLDEN: tl.constexpr, MIX: tl.constexpr, LAST: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """One block of one image: the 63 bits of ``chance.counted``, then either noise or salt and pepper."""
    blocks = tl.cdiv(places, BLOCK)
    image = (tl.program_id(0) // blocks).to(tl.int64)
    at = (tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)
    inside = at < places
    z = (tl.load(keys + image) + at) * GOLDEN + SEED
    z = (z ^ ((z >> 30) & ((1 << 34) - 1))) * MIX
    z = (z ^ ((z >> 27) & ((1 << 37) - 1))) * LAST
    z = z ^ ((z >> 31) & ((1 << 33) - 1))
    z = (z >> 1) & ((1 << 63) - 1)
    for channel in tl.static_range(CHANNELS):
        here = (image * CHANNELS + channel) * places + at
        pixel = tl.load(images + here, mask=inside, other=0).to(tl.float32)
        if SALT:
            pixel = tl.where((z & ((1 << 32) - 1)) < below, ((z >> 32) & 1).to(tl.float32) * 255.0, pixel)
        else:
            pixel = tl.load(deviates + ((z >> (16 * channel)) & 65535), mask=inside, other=0.0) + pixel
        tl.store(out + here, pixel, mask=inside)
