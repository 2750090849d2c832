"""Transformations against code that nobody here wrote: scipy, torchvision, Pillow, colorsys, numpy's transform."""

import colorsys

import numpy as np
import pytest
import torch
from PIL import Image
from scipy import ndimage

from unseen.worlds.transforms import TRANSFORMATIONS, filters
from unseen.worlds.transforms.filters import gaussian

GREY = 0.4423 * 255


def pictures(size=(32, 32), channels=3, n=4):
    return np.random.default_rng(2).integers(0, 256, (n, channels, *size)).astype(np.uint8)


def shown(name, images, strength=None):
    return TRANSFORMATIONS[name](torch.from_numpy(images), strength, torch.arange(len(images))).numpy()


@pytest.mark.parametrize("sigma", [0.5, 1.0, 2.5, 7.0, 20.0])
def test_blur_is_scipys_gaussian_filter_with_zeros_outside(sigma):
    given = pictures((31, 40))
    wanted = ndimage.gaussian_filter(given.astype(float), (0, 0, sigma, sigma), mode="constant")
    np.testing.assert_allclose(shown("blur", given, sigma), wanted, atol=2e-4)
    assert gaussian(sigma).sum() == 2**28


@pytest.mark.parametrize("size", [(31, 40), (5, 3), (1, 1)], ids=str)
def test_a_narrow_blur_has_the_same_bits_as_a_sum_of_pairs_and_as_a_product(size, monkeypatch):
    for given in (pictures(size), np.random.default_rng(1).uniform(-300, 900, (2, 3, *size)).astype(np.float32)):
        for sigma in (0.0, 0.4, 1.3, 3.0):
            summed = shown("blur", given, sigma)
            monkeypatch.setattr(filters, "NARROW", -1)
            assert np.array_equal(shown("blur", given, sigma), summed)
            monkeypatch.undo()


def test_blur_is_torchvisions_inside_the_picture():
    from torchvision.transforms.v2.functional import gaussian_blur

    given = pictures((40, 40))
    wanted = gaussian_blur(torch.from_numpy(given).double(), [17, 17], [2.0, 2.0])
    found = shown("blur", given, 2.0)
    np.testing.assert_allclose(found[..., 8:-8, 8:-8], wanted[..., 8:-8, 8:-8], atol=2e-4)


@pytest.mark.parametrize("name", ["geirhos-low-pass", "geirhos-high-pass"])
def test_their_filters_are_scipys_around_mean_grey(name):
    given = pictures((33, 26), channels=1)
    strength = TRANSFORMATIONS[name].check()
    unit = given.astype(float) / 255
    low = ndimage.gaussian_filter(unit, (0, 0, strength, strength), mode="constant", cval=0.4423)
    high = unit - low
    high = high + 0.4423 - high.mean((2, 3), keepdims=True)
    wanted = low if name == "geirhos-low-pass" else high
    np.testing.assert_allclose(shown(name, given), np.clip(wanted, 0, 1) * 255, atol=3e-4)


def test_derivatives_are_scipys_prewitt_filters():
    given = pictures((19, 22))
    for name, axis in (("horizontal", 3), ("vertical", 2)):
        planes = [[ndimage.prewitt(p.astype(float), axis - 2, mode="constant") for p in image] for image in given]
        assert np.array_equal(shown(name, given), np.array(planes))


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("high-pass", np.outer([-1, 2, 4, 2, -1], [-1, 2, 4, 2, -1])),
        ("high-pass-zero-sum", [[-1] * 5, [-1, 1, 2, 1, -1], [-1, 2, 4, 2, -1], [-1, 1, 2, 1, -1], [-1] * 5]),
    ],
)
def test_high_pass_is_torchs_convolution(name, kernel):
    given = pictures((12, 15))
    weight = torch.tensor(np.asarray(kernel, dtype=float)).expand(3, 1, 5, 5)
    wanted = torch.nn.functional.conv2d(torch.from_numpy(given).double(), weight, padding=2, groups=3)
    assert np.array_equal(shown(name, given), wanted.numpy())


def test_hue_turns_as_colorsys_and_torchvision_turn_it():
    from torchvision.transforms.v2.functional import adjust_hue

    given = pictures((8, 9), n=2)
    found = shown("hue", given)
    for n, i, j in np.ndindex(2, 8, 9):
        h, s, v = colorsys.rgb_to_hsv(*(given[n, :, i, j] / 255))
        np.testing.assert_allclose(
            found[n, :, i, j], np.array(colorsys.hsv_to_rgb((h + 0.5) % 1, s, v)) * 255, atol=1e-6
        )
    wanted = adjust_hue(torch.from_numpy(given).float() / 255, 0.5) * 255
    np.testing.assert_allclose(found, wanted, atol=1e-3)


def test_grey_and_inversion_are_torchvisions():
    from torchvision.transforms.v2.functional import invert, rgb_to_grayscale

    given = pictures()
    wanted = rgb_to_grayscale(torch.from_numpy(given).float(), num_output_channels=3)
    np.testing.assert_allclose(shown("grey-scale", given), wanted, atol=0.03)  # its weights: .2989, .587, .114
    assert np.array_equal(shown("inversion", given), invert(torch.from_numpy(given)).float())


@pytest.mark.parametrize(("name", "angle", "strength"), [("rotation-90", 90, None), ("rotation-180", 180, None),
                                                         ("geirhos-rotation", 270, 270)])  # fmt: skip
def test_turns_are_anti_clockwise_as_pillows_are(name, angle, strength):
    for size in ((16, 16), (12, 20)):  # Pillow keeps the frame and fills with black, as we do
        given = pictures(size, channels=1)
        wanted = [np.asarray(Image.fromarray(image[0]).rotate(angle))[None] for image in given]
        found = shown(name, given, strength)
        seen = np.ones(size, bool) if size[0] == size[1] or angle == 180 else np.zeros(size, bool)
        seen[:, (size[1] - size[0]) // 2 : (size[1] + size[0]) // 2] = True
        assert np.array_equal(found[..., seen], np.array(wanted)[..., seen])


@pytest.mark.parametrize("size", [(16, 16), (9, 21), (7, 30)])
def test_thinning_is_torchs_bilinear_resizing(size):
    given = pictures(size)
    half = size[1] // 2
    wanted = torch.nn.functional.interpolate(torch.from_numpy(given).double(), (size[0], half), mode="bilinear")
    left = (size[1] - half) // 2
    found = shown("thinning", given)
    np.testing.assert_allclose(found[..., left : left + half], wanted, atol=1e-3)
    assert not found[..., :left].any()
    assert not found[..., left + half :].any()


@pytest.mark.parametrize("size", [(16, 16), (15, 20), (9, 9)])
def test_phase_noise_keeps_amplitudes_and_moves_phases_within_its_width(size):
    rng = np.random.default_rng(0)
    given = (110 + rng.integers(0, 30, (6, 1, *size))).astype(np.uint8)  # far from black and white: nothing is clipped
    before, after = np.fft.fft2(given[:, 0]), np.fft.fft2(shown("geirhos-phase-noise", given, 60.0)[:, 0])
    np.testing.assert_allclose(np.abs(after), np.abs(before), atol=0.05)
    moved = np.rad2deg(np.abs(np.angle(after / before)))[np.abs(before) > 20]
    assert 50 < moved.max() < 60.5
    assert abs(np.median(moved) - 30) < 8


def test_the_contrast_that_is_left_is_the_one_asked_for():
    given = np.array([0, 255], dtype=np.uint8).reshape(2, 1, 1, 1)
    found = shown("geirhos-contrast", given).ravel()
    assert found.tolist() == pytest.approx([0.475 * 255, 0.525 * 255])
    assert (found[1] - found[0]) / (found[1] + found[0]) == pytest.approx(0.05)  # Michelson
