"""The fifteen corruptions of ImageNet-C: Pillow, scikit-image, scipy and the package's formulas as yardsticks."""

import io

import numpy as np
import pytest
import torch
from PIL import Image
from scipy import ndimage
from skimage import color, filters, util

from unseen.vocabulary.errors import UnseenError
from unseen.worlds import make
from unseen.worlds.transforms import (
    HENDRYCKS,
    SETS,
    TRANSFORMATIONS,
    corruption_blur,
    corruption_digital,
    plasma,
)
from unseen.worlds.transforms.corruption_blur import by_sorting, by_squares
from unseen.worlds.transforms.jpeg import by_pillow, compressed, computed
from unseen.worlds.transforms.transformed import transformed

SIZES = [(40, 48), (37, 29), (33, 50)]
STEP = 1 / 255 * 255  # one step of a byte


def pictures(size=(40, 48), channels=3, n=3):
    """Noise, a smooth picture, and one that reaches both ends."""
    rng = np.random.default_rng(3)
    found = rng.integers(0, 256, (n, *size, channels)).astype(float)
    found[1:] = ndimage.gaussian_filter(found[1:], (0, 2, 2, 0))
    found[2] = (found[2] - found[2].mean()) * 6 + 128
    return np.clip(found, 0, 255).astype(np.uint8)


def shown(name, given, severity, keys=None):
    keys = torch.arange(len(given)) * 991 if keys is None else keys
    images = torch.from_numpy(given).permute(0, 3, 1, 2)
    return TRANSFORMATIONS[f"hendrycks-{name}"](images, severity, keys).permute(0, 2, 3, 1).numpy()


@pytest.mark.parametrize("size", [*SIZES, (16, 17), (5, 3), (2, 3), (1, 1)], ids=str)
@pytest.mark.parametrize("channels", [3, 1])
def test_jpeg_has_the_bytes_of_pillow_at_any_size_and_quality(size, channels):
    given = pictures(size, channels)
    for quality in (25, 18, 15, 10, 7, 60, 95):
        images = torch.from_numpy(given).permute(0, 3, 1, 2)
        found = computed(images, quality)
        assert torch.equal(by_pillow(images, quality), found)
        assert torch.equal(compressed(images.float() + 0.3, quality), found)
        for picture, ours in zip(given, found.permute(0, 2, 3, 1).numpy()):
            file = io.BytesIO()
            Image.fromarray(picture if channels == 3 else picture[..., 0]).save(file, "JPEG", quality=quality)
            assert np.array_equal(np.asarray(Image.open(file)).reshape(picture.shape), ours)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("severity", [1, 2, 3, 4, 5])
def test_pixelate_has_the_bytes_of_pillow(size, severity):
    given, share = pictures(size), (0.6, 0.5, 0.4, 0.3, 0.25)[severity - 1]
    for picture, ours in zip(given, shown("pixelate", given, severity)):
        small = Image.fromarray(picture).resize((int(size[1] * share), int(size[0] * share)), Image.Resampling.BOX)
        assert np.array_equal(np.asarray(small.resize(size[::-1], Image.Resampling.NEAREST)), ours)
    images = torch.from_numpy(given).permute(0, 3, 1, 2)
    assert torch.equal(corruption_digital._pixelated(images, share).permute(0, 2, 3, 1), torch.from_numpy(
        shown("pixelate", given, severity)))  # fmt: skip


@pytest.mark.parametrize("name", ["contrast", "elastic-transform", "zoom-blur"])
def test_a_picture_among_others_is_what_it_is_alone(name):
    given, keys = pictures(), torch.arange(3) * 991
    together = shown(name, given, 3, keys)
    for place in range(3):
        assert np.array_equal(shown(name, given[place : place + 1], 3, keys[place : place + 1])[0], together[place])


@pytest.mark.parametrize("severity", [1, 3, 5])
def test_brightness_is_scikit_images_value_and_contrast_is_about_each_channels_mean(severity):
    given = pictures()
    hsv = color.rgb2hsv(given / 255)
    hsv[..., 2] = np.clip(hsv[..., 2] + (0.1, 0.2, 0.3, 0.4, 0.5)[severity - 1], 0, 1)
    np.testing.assert_allclose(shown("brightness", given, severity), color.hsv2rgb(hsv) * 255, atol=1e-3)
    mean, c = given.mean((1, 2), keepdims=True), (0.4, 0.3, 0.2, 0.1, 0.05)[severity - 1]
    np.testing.assert_allclose(
        shown("contrast", given, severity), np.clip((given - mean) * c + mean, 0, 255), atol=1e-3
    )


@pytest.mark.parametrize("size", [*SIZES, (9, 7)], ids=str)
@pytest.mark.parametrize("severity", [1, 3, 5])
def test_defocus_is_scipys_correlation_with_a_smoothed_disk(size, severity):
    given, (radius, smooth) = pictures(size), corruption_blur.DISKS[severity - 1]
    kernel = corruption_blur.disk(radius, smooth)
    wanted = ndimage.correlate(given.astype(float), kernel[None, :, :, None], mode="mirror")
    np.testing.assert_allclose(shown("defocus-blur", given, severity), np.clip(wanted, 0, 255), atol=1e-3)


@pytest.mark.parametrize("severity", [1, 3, 5])
def test_zoom_blur_is_a_mean_of_scipys_zooms(severity):
    given = pictures()
    height, width = given.shape[1:3]
    factors = np.arange(1, *corruption_blur.ZOOMS[severity - 1])
    for picture, ours in zip(given / 255, shown("zoom-blur", given, severity)):
        total = picture.copy()
        for factor in factors:
            tall, wide = (int(np.ceil(side / factor)) for side in (height, width))
            top, left = (height - tall) // 2, (width - wide) // 2
            inner = picture[top : top + tall, left : left + wide]
            layer = ndimage.zoom(inner, (factor, factor, 1), order=1)[:height, :width]
            total[: layer.shape[0], : layer.shape[1]] += layer
        np.testing.assert_allclose(ours, np.clip(total / (len(factors) + 1), 0, 1) * 255, atol=STEP)


def moved_along(picture, radius, sigma, angle):
    """Copies moved by whole pixels, the nearest pixel beyond the edges, weighted by half a Gaussian."""
    steps = np.arange(2 * radius + 1)
    bell = np.exp(-0.5 * (steps / sigma) ** 2)
    found = np.zeros(picture.shape)
    for step, weight in zip(steps, bell / bell.sum()):
        dy, dx = (-int(np.ceil(step * side(np.deg2rad(angle)) - 0.5)) for side in (np.sin, np.cos))
        padded = np.pad(picture.astype(float), ((50, 50), (50, 50), (0, 0)), mode="edge")
        found += weight * padded[50 - dy : 50 - dy + len(picture), 50 - dx : 50 - dx + picture.shape[1]]
    return found


@pytest.mark.parametrize("severity", [1, 3, 5])
def test_motion_blur_moves_along_one_of_65536_directions_drawn_by_the_key(severity):
    given, (radius, sigma) = pictures(), corruption_blur.MOTIONS[severity - 1]
    drawn = corruption_blur.chance.bits(torch.arange(3) * 991, 0, "direction") & 0xFFFF
    found = shown("motion-blur", given, severity)
    for picture, ours, place in zip(given, found, drawn.tolist()):
        angle = -45 + (place + 0.5) / 65536 * 90
        np.testing.assert_allclose(ours, moved_along(picture, radius, sigma, angle), atol=1e-3)


@pytest.mark.parametrize("severity", [1, 3, 5])
def test_noises_have_the_moments_of_numpys_and_scikit_images(severity):
    flat = np.full((40, 64, 64, 3), 128, np.uint8)
    rng = np.random.default_rng(0)
    deviation, photons = (0.08, 0, 0.18, 0, 0.38)[severity - 1], (60, 0, 12, 0, 3)[severity - 1]
    share = (0.03, 0, 0.09, 0, 0.27)[severity - 1]
    theirs = {
        "gaussian-noise": np.clip(flat / 255 + rng.normal(0, deviation, flat.shape), 0, 1) * 255,
        "shot-noise": np.clip(rng.poisson(flat / 255 * photons) / photons, 0, 1) * 255,
        "impulse-noise": util.random_noise(flat / 255, mode="s&p", amount=share, rng=0) * 255,
    }
    for name, wanted in theirs.items():
        found = shown(name, flat, severity)
        assert found.mean() == pytest.approx(wanted.mean(), abs=0.6)
        assert found.std() == pytest.approx(wanted.std(), rel=0.02)
        assert found[..., 0].std() == pytest.approx(found[..., 2].std(), rel=0.03)
        assert abs(np.corrcoef(found[..., 0].ravel(), found[..., 1].ravel())[0, 1]) < 0.01  # channels by themselves


@pytest.mark.parametrize(("side", "size"), [(2, (20, 31)), (4, (16, 16)), (6, (21, 13)), (8, (7, 40))])
def test_pixels_change_places_alike_whether_squares_are_sorted_alone_or_together(side, size):
    pictures = torch.arange(3 * 2 * size[0] * size[1]).reshape(3, 2, *size).float()
    keys = torch.tensor([5, 12345678901, -77])
    assert torch.equal(by_squares(pictures, side, keys), by_sorting(pictures, side, keys))


def test_glass_keeps_the_grey_values_between_its_blurs_and_moves_pixels_as_far_as_swaps_do():
    given = pictures((48, 48))
    images = torch.from_numpy(given).permute(0, 3, 1, 2).float()
    keys = corruption_blur.chance.bits(torch.arange(3), 0, "x")
    for side in (2, 4, 8):
        moved = corruption_blur.permuted(images, side, keys)
        assert torch.equal(moved.flatten(2).sort().values, images.flatten(2).sort().values)
        places = torch.arange(48 * 48.0).view(1, 1, 48, 48).expand(3, 1, 48, 48)
        away = corruption_blur.permuted(places, side, keys) // 48 - places // 48
        assert away.abs().max() < side
        assert away.square().mean().item() == pytest.approx((side**2 - 1) / 6, rel=0.12)
    soft = corruption_blur.softened(images, 1.1).permute(0, 2, 3, 1).numpy()
    wanted = np.stack([filters.gaussian(one / 255, 1.1, mode="nearest", channel_axis=-1) * 255 for one in given])
    np.testing.assert_allclose(soft, wanted, atol=2e-3)


def their_plasma(side, decay, rng):
    """Diamond-square on a torus, point by point."""
    field, step, wibble = np.zeros((side, side)), side, 100.0
    while step >= 2:
        half = step // 2

        def jitter(four):
            return sum(four) / 4 + wibble * rng.uniform(-wibble, wibble)  # noqa: B023

        for i in range(half, side, step):
            for j in range(half, side, step):
                field[i, j] = jitter(
                    [field[(i + a) % side, (j + b) % side] for a in (-half, half) for b in (-half, half)]
                )
        for i in range(0, side, half):
            for j in range(half if i % step == 0 else 0, side, step):
                field[i, j] = jitter([field[i - half, j], field[(i + half) % side, j], field[i, j - half],
                                      field[i, (j + half) % side]])  # fmt: skip
        step, wibble = half, wibble / decay
    field -= field.min()
    return field / field.max()


@pytest.mark.parametrize("decay", [2.0, 1.4])
def test_fogs_clouds_have_the_spectrum_of_the_diamond_square_algorithm(decay):
    ours = plasma.plasma(torch.arange(200) * 17, 32, 32, decay, "fog").numpy()
    theirs = np.stack([their_plasma(32, decay, np.random.default_rng(seed)) for seed in range(60)])
    assert (ours.min((1, 2)) == 0).all()
    assert (ours.max((1, 2)) == 1).all()
    for measure in (
        lambda x: x.mean((1, 2)),
        lambda x: x.std((1, 2)),
        lambda x: np.abs(np.diff(x, axis=2)).mean((1, 2)),
    ):
        assert measure(ours).mean() == pytest.approx(measure(theirs).mean(), rel=0.06)


@pytest.mark.parametrize("size", [(32, 32), (37, 29), (5, 3), (1, 1)], ids=str)
def test_clouds_are_alike_whether_pictures_are_taken_alone_or_together(size):
    for n in (0, 1, 3, 18):
        keys = torch.arange(n) * 991
        assert torch.equal(plasma.by_pictures(keys, *size, 1.7, "fog"), plasma.at_once(keys, *size, 1.7, "fog"))


@pytest.mark.parametrize("size", [*SIZES, (5, 3), (2, 3), (1, 1)], ids=str)
def test_places_are_shown_alike_one_picture_at_a_time_or_all_together(size):
    images = torch.from_numpy(pictures(size)).permute(0, 3, 1, 2).float()
    moves = torch.rand(2, 3, *size, generator=torch.Generator().manual_seed(0)) * 20 - 10
    together = corruption_digital._shown_at(images, *moves)
    for place in range(3):
        here = slice(place, place + 1)
        assert torch.equal(corruption_digital._taken_at(images[here], *moves[:, here]), together[here])


def test_how_pictures_lie_in_memory_changes_nothing():
    images = torch.from_numpy(pictures()).permute(0, 3, 1, 2)  # channels last
    for row in HENDRYCKS:
        assert torch.equal(row(images, 3, torch.arange(3)), row(images.contiguous(), 3, torch.arange(3))), row.name


def test_fog_and_snow_blend_as_published():
    given = pictures()
    keys = torch.arange(3) * 991
    cloud = plasma.plasma(keys, 40, 48, 1.7, "fog").numpy()[..., None]
    plain = given / 255
    most = plain.max((1, 2, 3), keepdims=True)
    wanted = np.clip((plain + 2.5 * cloud) * most / (most + 2.5), 0, 1) * 255
    np.testing.assert_allclose(shown("fog", given, 3, keys), wanted, atol=1e-3)
    snowed = shown("snow", given, 5, keys) / 255
    grey = plain @ np.array([0.299, 0.587, 0.114])
    least = 0.55 * plain + 0.45 * np.maximum(plain, grey[..., None] * 1.5 + 0.5)  # before flakes
    assert (snowed >= np.clip(least, 0, 1) - 1e-5).all()
    flakes = (snowed - least)[:, ::-1, ::-1]  # the same flakes again, turned by 180°
    dark = np.zeros((1, 40, 48, 3), np.uint8)
    one = shown("snow", dark, 1, keys[:1])[0] / 255 - 0.1
    np.testing.assert_allclose(one, one[::-1, ::-1], atol=1e-5)
    assert flakes.shape == snowed.shape


def test_elastic_moves_pixels_by_noise_that_is_smoothed_as_scikit_image_does():
    given = pictures((64, 80))
    found = shown("elastic-transform", given, 5)
    rng = np.random.default_rng(1)
    changes = []
    for picture in given:
        noise = [rng.uniform(-0.32, 0.32, (64, 80)) for _ in range(2)]
        down, across = (filters.gaussian(one, (0.64, 0.8), mode="reflect", truncate=3) * 30 for one in noise)
        rows, columns = np.mgrid[:64, :80]
        changes.append([ndimage.map_coordinates(picture[..., c].astype(float), [rows + down, columns + across], order=1,
                                                mode="reflect") for c in range(3)])  # fmt: skip
    theirs = np.abs(np.array(changes).transpose(0, 2, 3, 1) - given).mean((1, 2, 3))
    assert np.abs(found - given).mean((1, 2, 3)) == pytest.approx(theirs, rel=0.12)


def test_a_worse_severity_changes_every_picture_more():
    world = make("objects", categories=["mug", "dog"], instances=1, pose=1, side=64)
    given = world.images(np.arange(2))
    for row in HENDRYCKS:
        if row.name == "hendrycks-frost":  # a bright picture is whiter at severity 1, as with the published numbers
            continue
        away = [float((row(given, s, torch.arange(2)) - given).abs().mean()) for s in (1, 5)]
        assert away[1] > away[0], row.name
        assert torch.equal(row(given, None, torch.arange(2)), row(given, 3, torch.arange(2)))


def test_the_set_has_fifteen_corruptions_at_five_severities_and_says_which_are_possible():
    assert len(HENDRYCKS) == 15
    assert len(SETS["hendrycks2019"]) == 75
    assert [row.family for row in HENDRYCKS] == ["noise"] * 3 + ["blur"] * 4 + ["weather"] * 4 + ["digital"] * 4
    with pytest.raises(UnseenError, match="it is the severity: 1, 2, 3, 4"):
        TRANSFORMATIONS["hendrycks-fog"].check(6)
    world = transformed({"name": "objects", "categories": 2, "instances": 1, "pose": 1, "side": 32}, "hendrycks2019")
    assert len(world.factor) == 76
    assert torch.isfinite(world.images(np.arange(76))).all()
