"""The Triton kernels of ``kernels``: a correlation along one axis, and a random number per pixel. Both do the eager
code's arithmetic in its order, so they give its bits: products are exact, and may be fused with sums."""

from __future__ import annotations

from typing import no_type_check

import triton
import triton.language as tl

from unseen.worlds.transforms.kernels_draws import drawn, whole


@triton.jit
@no_type_check
def correlate(
    images, weights, out, height, width, TAPS: tl.constexpr, DOWN: tl.constexpr, EXACT: tl.constexpr,
    STEPS: tl.constexpr, SCALE: tl.constexpr, LAST: tl.constexpr, EDGE: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """One block of one plane: the sum of shifted pixels times weights. Outside are zeros (``EDGE`` 0), the nearest
    pixel (1) or a mirror (2).

    ``EXACT`` sums whole numbers in float64 (pixels times ``STEPS``, if given, are made whole), scales the sum, makes it
    whole and scales it again by ``LAST``; otherwise the sum is in float32, or in float64 as the images.
    """
    size = height * width
    blocks = tl.cdiv(size, BLOCK)
    plane = (tl.program_id(0) // blocks).to(tl.int64) * size
    at = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    if DOWN:
        here, length, stride = at // width, height, width
    else:
        here, length, stride = at % width, width, 1
    precise: tl.constexpr = EXACT or images.dtype.element_ty == tl.float64
    found = tl.zeros([BLOCK], dtype=tl.float64 if precise else tl.float32)
    for tap in range(TAPS):
        by = tap - TAPS // 2
        inside, there = at < size, here + by
        if EDGE == 0:
            inside = inside & (there >= 0) & (there < length)
        elif EDGE == 1:
            there = tl.minimum(tl.maximum(there, 0), length - 1)
        else:
            there = tl.where(there < 0, -1 - there, there)  # reaches are below lengths: no division
            there = tl.where(there < length, there, 2 * length - 1 - there)
        pixel = tl.load(images + plane + at + (there - here) * stride, mask=inside, other=0).to(found.dtype)
        if STEPS > 0.0:
            pixel = whole(pixel * STEPS)
        found = tl.fma(pixel, tl.load(weights + tap), found)
    if EXACT:
        found = whole(found * SCALE) * LAST
    tl.store(out + plane + at, found.to(out.dtype.element_ty), mask=at < size)


@triton.jit
@no_type_check
def speckle(
    images, keys, deviates, out, places, below, CHANNELS: tl.constexpr, SALT: tl.constexpr, SEED: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """One block of one image: the 63 bits of ``chance.counted``, then either noise or salt and pepper."""
    blocks = tl.cdiv(places, BLOCK)
    image = (tl.program_id(0) // blocks).to(tl.int64)
    at = (tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)
    inside = at < places
    z = drawn(tl.load(keys + image), at, SEED)
    for channel in tl.static_range(CHANNELS):
        here = (image * CHANNELS + channel) * places + at
        pixel = tl.load(images + here, mask=inside, other=0).to(tl.float32)
        if SALT:
            pixel = tl.where((z & ((1 << 32) - 1)) < below, ((z >> 32) & 1).to(tl.float32) * 255.0, pixel)
        else:
            pixel = tl.load(deviates + ((z >> (16 * channel)) & 65535), mask=inside, other=0.0) + pixel
        tl.store(out + here, pixel, mask=inside)


@triton.jit
@no_type_check
def photons(
    images, keys, counts, out, places, CHANNELS: tl.constexpr, SCALE: tl.constexpr, SEED: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """One block of one image: for each pixel, rounded to a byte, one of its 65,536 counts."""
    blocks = tl.cdiv(places, BLOCK)
    image = (tl.program_id(0) // blocks).to(tl.int64)
    at = (tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)
    inside = at < places
    z = drawn(tl.load(keys + image), at, SEED)
    for channel in tl.static_range(CHANNELS):
        here = (image * CHANNELS + channel) * places + at
        level = whole(tl.load(images + here, mask=inside, other=0).to(tl.float64))
        level = tl.minimum(tl.maximum(level, 0.0), 255.0).to(tl.int64)
        count = tl.load(counts + level * 65536 + ((z >> (16 * channel)) & 65535), mask=inside, other=0)
        tl.store(out + here, tl.minimum(count.to(tl.float32) * SCALE, 255.0), mask=inside)


@triton.jit
@no_type_check
def struck(
    images, keys, out, places, below, CHANNELS: tl.constexpr, SEED: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    """One block of one image: each channel's number by itself may become black or white; clipped."""
    blocks = tl.cdiv(places, BLOCK)
    image = (tl.program_id(0) // blocks).to(tl.int64)
    at = (tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)
    inside = at < places
    z = drawn(tl.load(keys + image), at, SEED)
    for channel in tl.static_range(CHANNELS):
        here = (image * CHANNELS + channel) * places + at
        pixel = tl.load(images + here, mask=inside, other=0).to(tl.float32)
        end = ((z >> (48 + channel)) & 1).to(tl.float32) * 255.0
        pixel = tl.where(((z >> (16 * channel)) & 65535) < below, end, pixel)
        tl.store(out + here, tl.minimum(tl.maximum(pixel, 0.0), 255.0), mask=inside)


@triton.jit
@no_type_check
def turned(images, weights, out, places, BLOCK: tl.constexpr):
    """One block of one image of three channels: squares times a matrix, and the root of that, in float64."""
    blocks = tl.cdiv(places, BLOCK)
    image = (tl.program_id(0) // blocks).to(tl.int64)
    at = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    inside, here = at < places, image * 3 * places + at
    red = tl.load(images + here, mask=inside, other=0).to(tl.float64) / 255
    green = tl.load(images + here + places, mask=inside, other=0).to(tl.float64) / 255
    blue = tl.load(images + here + 2 * places, mask=inside, other=0).to(tl.float64) / 255
    red, green, blue = red * red, green * green, blue * blue
    for channel in tl.static_range(3):
        row = weights + 3 * channel
        light = red * tl.load(row) + green * tl.load(row + 1) + blue * tl.load(row + 2)
        light = tl.sqrt(tl.minimum(tl.maximum(light, 0.0), 1.0)) * 255
        tl.store(out + here + channel * places, light.to(tl.float32), mask=inside)


@triton.jit
@no_type_check
def settle(
    found, out, height, width, tall, wide, edge, SOURCES: tl.constexpr, CHANNELS: tl.constexpr, FINEST: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """One block of one image: what lies within an edge of so many pixels, to whole steps of 1 / ``FINEST``, clipped.
    Of one source all channels are made."""
    size = height * width
    blocks = tl.cdiv(size, BLOCK)
    image = (tl.program_id(0) // blocks).to(tl.int64)
    at = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    inside, place = at < size, (at // width + edge) * wide + at % width + edge
    for channel in tl.static_range(CHANNELS):
        source = image * SOURCES + channel % SOURCES
        pixel = tl.load(found + source * tall * wide + place, mask=inside, other=0).to(tl.float64)
        pixel = tl.minimum(tl.maximum(whole(pixel * FINEST) * (1.0 / FINEST), 0.0), 255.0)
        tl.store(out + (image * CHANNELS + channel) * size + at, pixel.to(tl.float32), mask=inside)
