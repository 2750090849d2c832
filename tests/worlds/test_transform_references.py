"""Every transformation equals a reference in float64, written here from the papers' words."""

from inspect import unwrap
from itertools import pairwise

import numpy as np
import pytest
import torch
from scipy.special import ndtri

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import seed_of
from unseen.worlds.rendering import chance
from unseen.worlds.transforms import GEIRHOS, HENDRYCKS, SETS, TRANSFORMATIONS, ZAIDI, Transformation, transformation
from unseen.worlds.transforms.noise import quantiles

SIZES = [(24, 24), (17, 23), (20, 11), (1, 1), (2, 3), (5, 1)]
GREY = 0.4423 * 255
MASK = 2**64 - 1


def pictures(size, channels=3, n=5, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (n, channels, *size)).astype(np.uint8)


def keys_of(n):
    return torch.from_numpy(np.random.default_rng(9).integers(0, 2**62, n))


def hashed(number, name):
    """splitmix64's mixing in Python's own integers, of which the upper 63 bits are kept."""
    z = (number * 0x9E3779B97F4A7C15 + seed_of(0, name)) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return (z ^ (z >> 31)) >> 1


def pixel_numbers(images, keys):
    height, width = images.shape[-2:]
    rows = [[hashed(int(key) + place, "pixels") for place in range(height * width)] for key in keys]
    return np.array(rows, dtype=np.uint64).reshape(len(rows), 1, height, width)


def correlated(x, kernel):
    """Sum over a kernel's entries with zeros outside."""
    kernel = np.asarray(kernel, dtype=float)
    down, across = kernel.shape[0] // 2, kernel.shape[1] // 2
    padded = np.pad(x, ((0, 0), (0, 0), (down, down), (across, across)))
    height, width = x.shape[-2:]
    return sum(
        weight * padded[..., i : i + height, j : j + width]
        for i, line in enumerate(kernel)
        for j, weight in enumerate(line)
    )


def smooth(x, sigma, outside=0.0):
    reach = int(4 * sigma + 0.5)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    bell /= bell.sum()
    return correlated(correlated(x - outside, bell[None]), bell[:, None]) + outside


def thin(x):
    width = x.shape[-1]
    half = max(1, width // 2)
    found = np.zeros_like(x)
    for column in range(half):
        place = (column + 0.5) * width / half - 0.5
        low = int(np.floor(place))
        share = place - low
        high = min(low + 1, width - 1)
        found[..., (width - half) // 2 + column] = x[..., low] * (1 - share) + x[..., high] * share
    return found


def turn(x, quarters):
    """The last column becomes the first line."""
    for _ in range(quarters):
        height, width = x.shape[-2:]
        found = np.zeros((*x.shape[:-2], width, height))
        for i in range(width):
            found[..., i, :] = x[..., :, width - 1 - i]
        x = found
    return x


def framed(x, size, outside):
    found = np.full((*x.shape[:-2], *size), outside)
    top, left = (size[0] - x.shape[-2]) // 2, (size[1] - x.shape[-1]) // 2
    for i in range(size[0]):
        for j in range(size[1]):
            if 0 <= i - top < x.shape[-2] and 0 <= j - left < x.shape[-1]:
                found[..., i, j] = x[..., i - top, j - left]
    return found


def weighted(x, weights):
    return x if x.shape[1] == 1 else np.einsum("nchw,c->nhw", x, weights)[:, None]


def grey(x):
    return weighted(x, (0.2125, 0.7154, 0.0721))


def hue(x):
    found = np.empty_like(x)
    for place in np.ndindex(x.shape[0], *x.shape[2:]):
        pixel = x[place[0], :, place[1], place[2]]
        order = np.argsort(pixel, kind="stable")
        low, middle, high = pixel[order]
        turned = np.empty(3)
        turned[order] = high, high - (middle - low), low
        found[place[0], :, place[1], place[2]] = turned
    return found


def white(x, sigma, keys):
    bits = pixel_numbers(x, keys)
    parts = [(bits >> np.uint64(16 * c)) & np.uint64(0xFFFF) for c in range(x.shape[1])]
    return x + sigma * ndtri((np.concatenate(parts, 1).astype(float) + 0.5) / 65536)


def peppered(x, share, keys):
    bits = pixel_numbers(x, keys)
    hit = (bits & np.uint64(2**32 - 1)).astype(float) < share * 2**32
    return np.where(hit, ((bits >> np.uint64(32)) & np.uint64(1)) * 255.0, x)


def uniform(x, keys):
    return (pixel_numbers(x, keys) >> np.uint64(39)).astype(float) / 2**24


def pale(x, contrast):
    return ((1 - contrast) / 2 + contrast * grey(x) / 255) * 255


def their_pepper(x, p, keys):
    share = uniform(x, keys)
    return np.clip(pale(x, 0.3) + 255.0 * (share >= 1 - p / 2) - 255.0 * (share < p / 2), 0, 255)


def their_high_pass(x, sigma):
    left = grey(x) - smooth(grey(x), sigma, GREY)
    return np.clip(left + GREY - left.mean((-2, -1), keepdims=True), 0, 255)


def phases(height, width, keys, degrees):
    """An angle for every frequency, the opposite one for the opposite frequency."""
    found = np.zeros((len(keys), height, width))
    for u, v in np.ndindex(height, width):
        a, b = u * width + v, -u % height * width + -v % width
        if a < b and 2 * u != height and 2 * v != width:
            numbers = np.array([hashed(int(key) + a, "phases") & 0xFFFF for key in keys])
            angle = np.deg2rad(degrees) * ((2 * numbers + 1) / 65536 - 1)
            found[:, u, v], found[:, -u % height, -v % width] = angle, -angle
    return found


def scrambled(x, degrees, keys):
    plain = grey(x)[:, 0]
    spectrum = np.fft.fft2(plain) * np.exp(1j * phases(*plain.shape[1:], keys, degrees))
    back = np.fft.ifft2(spectrum)
    assert np.abs(back.imag).max() < 1e-9
    return np.clip(back.real, 0, 255)[:, None]


def scrambled_as_released(x, degrees, keys):
    """The whole centred spectrum, what has an opposite laid in one row: its first half moves by angles, its second half
    by their opposites in the same order, and only the real part is shown."""
    plain = grey(x)[:, 0]
    height, width = plain.shape[1:]
    whole = np.fft.fftshift(np.fft.fft2(plain), axes=(1, 2))
    inner = whole[:, 1 - height % 2 :, 1 - width % 2 :]
    row = inner.reshape(len(plain), -1)
    half = row.shape[1] // 2
    numbers = np.array([[hashed(int(key) + place, "phases") & 0xFFFF for place in range(half)] for key in keys])
    angles = np.deg2rad(degrees) * ((2 * numbers.reshape(len(keys), half) + 1) / 65536 - 1)
    row = np.concatenate([row[:, :half] * np.exp(1j * angles), row[:, half : half + 1],
                          row[:, half + 1 :] * np.exp(-1j * angles)], 1)  # fmt: skip
    whole[:, 1 - height % 2 :, 1 - width % 2 :] = row.reshape(inner.shape)
    return np.clip(np.fft.ifft2(np.fft.ifftshift(whole, axes=(1, 2))).real, 0, 255)[:, None]


def equalised(x, falling):
    """Amplitudes of 1/f, the mean .4423 and a contrast of .2; the phases of the picture."""
    plain = grey(x)[:, 0]
    height, width = plain.shape[1:]
    spectrum = np.fft.fft2(plain)
    f = np.hypot(np.fft.fftfreq(height)[:, None], np.fft.fftfreq(width)[None])
    wanted = np.zeros((height, width))
    wanted[f > 0] = f[f > 0] ** -falling
    if wanted.any():
        wanted *= 51 * height * width / np.sqrt((wanted**2).sum())
    wanted[0, 0] = GREY * height * width
    size = np.abs(spectrum)
    spectrum = np.where(size > 1e-3, spectrum / np.maximum(size, 1e-3), 0) * wanted
    return np.clip(np.fft.ifft2(spectrum).real, 0, 255)[:, None]


def opposed(x):
    """Two axes of colour change their signs in linear light."""
    cones = np.array([[0.1619982647, 0.208049264, 0.0389347448], [0.0330275785, 0.2496504557, 0.0618343518],
                      [0.0015524055, 0.0198861001, 0.1890224274]])  # fmt: skip
    axes = np.array(
        [[9.27590805, 9.27590805, 0], [7.86421647, -9.33587662, 0], [-3.39709047, -3.39709047, 12.16230246]]
    )
    white = np.array([0.20449114, 0.17225619, 0.10523047])
    away = axes @ (np.einsum("ij,njp->nip", cones, (x.reshape(*x.shape[:2], -1) / 255) ** 2) - white[:, None])
    away[:, 1:] *= -1
    back = np.linalg.inv(cones) @ (np.linalg.inv(axes) @ away + white[:, None])
    return (np.sqrt(np.clip(back, 0, 1)) * 255).reshape(x.shape)


def circular(size, sigma):
    near = np.exp(-0.5 * (np.arange(-40 * size, 40 * size) / sigma) ** 2)
    wrapped = near.reshape(-1, size).sum(0)
    return np.fft.fft(wrapped / wrapped.sum()).real


def field(keys, size, sigma, name):
    height, width = size
    drawn = np.empty((len(keys), height * width), complex)
    for n, key in enumerate(keys):
        z = [(key_place(int(key) + at, name)) for at in range(height * width)]
        drawn[n] = [QUANTILES[b & 0xFFFF] + 1j * QUANTILES[(b >> 16) & 0xFFFF] for b in z]
    passed = circular(height, sigma)[:, None] * circular(width, sigma)[None]
    return drawn.reshape(-1, height, width) * passed * (height * width / np.sqrt((passed**2).sum()))


def key_place(number, name):
    z = (number * 0x9E3779B97F4A7C15 + seed_of(0, "eidolon", name)) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return (z ^ (z >> 31)) >> 1


def disarrayed(x, reach, keys, coherence):
    """Slices between two blurs, each shown through its own displacement; loops over pixels."""
    plain = grey(x)[:, 0]
    height, width = plain.shape[1:]
    short = min(height, width)
    levels = int(np.ceil(2 * np.log2(max(2, short / 4))))
    sigmas = [2 ** ((k - 1) / 2) for k in range(levels)]
    ways = [(s, f"coherent {k}") for k, s in enumerate(sigmas)]
    folded = np.concatenate([plain, plain[:, :, ::-1]], 2)
    folded = np.fft.fft2(np.concatenate([folded, folded[:, ::-1]], 1))
    passed = [circular(2 * height, s)[:, None] * circular(2 * width, s)[None] for s in sigmas]
    blurs = [np.fft.ifft2(folded * one).real for one in passed]
    blurs = [blur[:, :height, :width] for blur in blurs]
    slices = [*(a - b for a, b in pairwise(blurs)), blurs[-1]]
    found = np.zeros_like(plain)
    for k, one in enumerate(slices):
        total = np.zeros(plain.shape, complex)
        if coherence:
            total += coherence * sum(s / (short / 4) * field(keys, (height, width), s, name) for s, name in ways[k:])
        if coherence < 1:
            total += (1 - coherence) * field(keys, (height, width), 10 * short / 256, f"incoherent {k}")
        moves = np.fft.ifft2(total)
        moves = (np.rint(moves.real * 1024) + 1j * np.rint(moves.imag * 1024)) / 1024 * (reach * short / 256)
        for at in np.ndindex(plain.shape):
            i = int(np.floor(at[1] + moves[at].real)) % (2 * height)
            j = int(np.floor(at[2] + moves[at].imag)) % (2 * width)
            found[at] += one[at[0], min(i, 2 * height - 1 - i), min(j, 2 * width - 1 - j)]
    return np.clip(found, 0, 255)[:, None]


QUANTILES = quantiles().astype(float)
OUTER = np.outer([-1, 2, 4, 2, -1], [-1, 2, 4, 2, -1])
WIDELY_USED = [[-1, -1, -1, -1, -1], [-1, 1, 2, 1, -1], [-1, 2, 4, 2, -1], [-1, 1, 2, 1, -1], [-1, -1, -1, -1, -1]]
REFERENCES = {
    "grey-scale": lambda x, s, k: weighted(x, (0.2989, 0.5870, 0.1140)),
    "hue": lambda x, s, k: hue(x),
    "thinning": lambda x, s, k: thin(x),
    "rotation-90": lambda x, s, k: framed(turn(x, 1), x.shape[-2:], 0.0),
    "rotation-180": lambda x, s, k: turn(x, 2),
    "blur": lambda x, s, k: smooth(x, s),
    "high-pass": lambda x, s, k: correlated(x, OUTER),
    "high-pass-zero-sum": lambda x, s, k: correlated(x, WIDELY_USED),
    "horizontal": lambda x, s, k: correlated(x, [[-1, 0, 1]] * 3),
    "vertical": lambda x, s, k: correlated(x, [[-1] * 3, [0] * 3, [1] * 3]),
    "inversion": lambda x, s, k: 255 - x,
    "white-noise": white,
    "salt-and-pepper": peppered,
    "geirhos-colour": lambda x, s, k: x,
    "geirhos-grey": lambda x, s, k: grey(x),
    "geirhos-contrast": lambda x, s, k: pale(x, s),
    "geirhos-low-pass": lambda x, s, k: np.clip(smooth(grey(x), s, GREY), 0, 255),
    "geirhos-high-pass": lambda x, s, k: their_high_pass(x, s),
    "geirhos-phase-noise": scrambled,
    "geirhos-phase-noise-released": scrambled_as_released,
    "geirhos-rotation": lambda x, s, k: framed(turn(grey(x), int(s) // 90), x.shape[-2:], GREY),
    "geirhos-salt-and-pepper": their_pepper,
    "geirhos-power-equalisation": lambda x, s, k: equalised(x, s),
    "geirhos-opponent-colour": lambda x, s, k: opposed(x),
    "geirhos-eidolon-1": lambda x, s, k: disarrayed(x, s, k, 1.0),
    "geirhos-eidolon-2": lambda x, s, k: disarrayed(x, s, k, 0.3),
    "geirhos-eidolon-3": lambda x, s, k: disarrayed(x, s, k, 0.0),
    "geirhos-uniform-noise": lambda x, s, k: np.clip(pale(x, 0.3) + 255 * s * (2 * uniform(x, k) - 1), 0, 255),
}
EXACT = {"hue", "rotation-90", "rotation-180", "high-pass", "high-pass-zero-sum", "horizontal", "vertical", "inversion",
         "salt-and-pepper", "geirhos-colour"}  # fmt: skip
# steps of 2⁻¹⁰; a table scaled to a variance of one
TOLERANCE = {"geirhos-power-equalisation": 6e-4, "geirhos-eidolon-1": 6e-4, "geirhos-eidolon-2": 6e-4,
             "geirhos-eidolon-3": 6e-4, "geirhos-opponent-colour": 2e-3, "geirhos-phase-noise": 6e-4,
             "geirhos-phase-noise-released": 6e-4, "white-noise": 2e-2}  # fmt: skip


def test_every_row_of_the_table_has_a_reference():
    others = {*(row.name for row in HENDRYCKS), "patches-scrambled"}  # in test_corruptions, test_patches_scrambled
    assert set(REFERENCES) == set(TRANSFORMATIONS) - others
    assert (len(ZAIDI), len(GEIRHOS)) == (12, 9)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", REFERENCES)
def test_equals_its_reference_at_any_size_in_colour_and_in_grey(name, size):
    row = TRANSFORMATIONS[name]
    for channels in (3,) if row.needs_colour else (3, 1):
        given = pictures(size, channels)
        keys = keys_of(len(given))
        strength = row.check()
        found = row(torch.from_numpy(given), keys=keys)
        assert found.dtype == torch.float32
        assert found.shape == given.shape
        wanted = np.broadcast_to(REFERENCES[name](given.astype(float), strength, keys.numpy()), given.shape)
        if name in EXACT:
            assert np.array_equal(found.numpy(), wanted)
        else:
            np.testing.assert_allclose(found.numpy(), wanted, rtol=0, atol=TOLERANCE.get(name, 3e-4))


@pytest.mark.parametrize(
    ("name", "strength"),
    [("blur", 0.5), ("blur", 9.5), ("geirhos-contrast", 1.0), ("geirhos-high-pass", 3.0), ("geirhos-rotation", 270),
     ("white-noise", 25.0), ("salt-and-pepper", 0.1), ("geirhos-phase-noise", 180.0),
     ("geirhos-phase-noise-released", 180.0), ("geirhos-phase-noise-released", 0.0), ("geirhos-uniform-noise", 0.1)],
)  # fmt: skip
def test_equals_its_reference_at_another_strength(name, strength):
    given, keys = pictures((13, 18), seed=3), keys_of(5)
    found = TRANSFORMATIONS[name](torch.from_numpy(given), strength, keys)
    wanted = np.broadcast_to(REFERENCES[name](given.astype(float), strength, keys.numpy()), found.shape)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=0, atol=TOLERANCE.get(name, 3e-4))


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_an_image_has_the_same_bits_in_any_batch(name):
    row, given = TRANSFORMATIONS[name], torch.from_numpy(pictures((37, 29), n=40, seed=1))
    keys = keys_of(40)
    whole = row(given, keys=keys)
    for chosen in ([3], [39, 0], list(range(5, 26))):
        assert torch.equal(row(given[chosen], keys=keys[chosen]), whole[chosen])
    assert len(row(given[:0], keys=keys[:0])) == 0


@pytest.mark.parametrize("name", TRANSFORMATIONS)
@pytest.mark.parametrize("size", [(12, 14), (1, 1), (1, 2)], ids=str)
def test_bytes_and_floats_look_alike_and_what_is_given_is_not_changed(name, size):
    row, keys = TRANSFORMATIONS[name], keys_of(2)
    whole = torch.from_numpy(pictures(size, n=2))
    floats, before = whole.float(), whole.clone()
    found = row(whole, keys=keys)
    assert torch.equal(row(floats, keys=keys), found)
    assert found.dtype == torch.float32
    assert found.is_contiguous()
    assert torch.equal(whole, before)
    assert torch.equal(floats, before.float())


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("size", [(64, 64), (37, 29)], ids=str)
@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_a_gpu_shows_what_a_cpu_shows_in_any_batch(name, size):
    row, given, keys = TRANSFORMATIONS[name], torch.from_numpy(pictures(size, n=70, seed=1)), keys_of(70)
    whole = row(given.cuda(), keys=keys.cuda())
    assert (whole.cpu() - row(given, keys=keys)).abs().max() <= 1e-3  # a step of 2⁻¹⁰ after a Fourier transform
    for chosen in ([3], [69, 0], list(range(5, 38))):
        assert torch.equal(row(given[chosen].cuda(), keys=keys[chosen].cuda()), whole[chosen])


@pytest.mark.parametrize("name", [row.name for row in TRANSFORMATIONS.values() if row.chance])
def test_chance_looks_at_the_key_alone(name):
    row, given = TRANSFORMATIONS[name], torch.from_numpy(pictures((16, 16), n=1)).repeat(3, 1, 1, 1)
    found = row(given, keys=torch.tensor([7, 8, 7]))
    assert torch.equal(found[0], found[2])
    assert not torch.equal(found[0], found[1])


def test_bits_are_splitmix64s_on_every_device_and_by_count():
    keys = keys_of(7)
    wanted = [[hashed(int(key) + place, "pixels") for place in range(5)] for key in keys]
    assert chance.counted(keys, 5, 0, "pixels").tolist() == wanted
    assert chance.bits(keys[:, None] + torch.arange(5), 0, "pixels").tolist() == wanted
    numbers = torch.from_numpy(np.random.default_rng(0).integers(-(2**63), 2**63 - 1, (40, 3)))
    assert torch.equal(chance.mixed_by_torch(numbers.clone()), chance.mixed_by_numpy(numbers.clone()))


def test_noise_has_the_moments_and_shares_it_should():
    flat = torch.full((40, 3, 64, 64), 100.0)
    noise = (TRANSFORMATIONS["white-noise"](flat, 50.0, keys_of(40)) - 100) / 50
    assert abs(noise.mean()) < 0.005
    assert abs(noise.std() - 1) < 0.005
    assert abs((noise.double() ** 4).mean() - 3) < 0.05
    planes = noise.transpose(0, 1).reshape(3, -1)
    assert (torch.corrcoef(planes) - torch.eye(3)).abs().max() < 0.01  # channels are independent
    left, right = noise[..., :-1].flatten(), noise[..., 1:].flatten()
    assert torch.corrcoef(torch.stack([left, right]))[0, 1].abs() < 0.01  # and so are neighbours
    speckled = TRANSFORMATIONS["salt-and-pepper"](flat, keys=keys_of(40))
    assert abs((speckled == 0).float().mean() - 0.25) < 0.005
    assert abs((speckled == 255).float().mean() - 0.25) < 0.005
    assert torch.equal(speckled[:, 0], speckled[:, 2])


def test_signs_and_scale_are_kept_where_the_paper_does_not_clip():
    white = torch.full((1, 1, 9, 9), 255.0)
    assert TRANSFORMATIONS["high-pass"](white)[0, 0, 4, 4] == 36 * 255
    assert TRANSFORMATIONS["high-pass-zero-sum"](white)[0, 0, 4, 4] == 0
    edge = torch.zeros(1, 1, 9, 9)
    edge[..., 4:] = 255
    assert TRANSFORMATIONS["horizontal"](edge)[0, 0, 4, 3] == 3 * 255
    assert TRANSFORMATIONS["horizontal"](255 - edge)[0, 0, 4, 3] == -3 * 255
    assert TRANSFORMATIONS["vertical"](edge)[0, 0, 4, 3] == 0


def test_the_strengths_of_the_lectures_table():
    levels = {name: TRANSFORMATIONS[name].strength for name in SETS["geirhos2018"]}
    found = [strength.default for strength in levels.values() if strength]
    assert found == [0.05, 7, 0.7, 90, 90, 0.2, 0.35]
    steps = {row.name: row.strength.step for row in ZAIDI if row.strength and row.strength.step}
    assert steps == {"blur": 0.5, "white-noise": 25}


@pytest.mark.parametrize(
    ("name", "strength", "says"),
    [("blur", -1, "strength -1 .*'blur'.*0 to 100"), ("blur", "2", "'2'.*standard deviation"),
     ("blur", float("nan"), "nan"), ("blur", True, "True"), ("salt-and-pepper", 1.5, "0 to 1"),
     ("geirhos-rotation", 45, "90, 180, 270"), ("hue", 90, "'hue' has no strength"), ("blur", 10**400, "0 to 100")],
)  # fmt: skip
def test_a_strength_out_of_range_is_explained(name, strength, says):
    with pytest.raises(UnseenError, match=says):
        transformation(name).check(strength)


@pytest.mark.parametrize("strength", [2, np.int64(2), np.float32(2), np.float64(2)])
def test_a_strength_may_be_any_kind_of_number_and_is_kept_as_a_plain_one(strength):
    given = torch.from_numpy(pictures((8, 8)))
    found = transformation("blur").check(strength)
    assert (found, type(found)) == (2.0, float)
    row = TRANSFORMATIONS["blur"]
    call = unwrap(Transformation.__call__)  # types are checked in tests alone
    assert torch.equal(call(row, given, strength), row(given, 2.0))


@pytest.mark.parametrize(
    ("given", "keys", "says"),
    [(np.zeros((2, 3, 8, 8), np.uint8), None, r"given ndarray \[2, 3, 8, 8\] of uint8.*torch.from_numpy"),
     (torch.zeros(3, 8, 8), None, r"given Tensor \[3, 8, 8\] of float32.*picture\[None\]"),
     (None, None, r"takes pictures as a torch tensor \[n, c, h, w\]; given NoneType"),
     (torch.zeros(2, 3, 8, 8), torch.arange(3), r"per picture, a torch tensor \[2\] of int64; given Tensor \[3\]"),
     (torch.zeros(2, 3, 8, 8), torch.zeros(2), r"of int64; given Tensor \[2\] of float32"),
     (torch.zeros(2, 3, 8, 8), torch.zeros(2, 1, dtype=torch.long), r"given Tensor \[2, 1\] of int64"),
     (torch.zeros(2, 3, 8, 8), np.arange(2), r"given ndarray \[2\] of int64"),
     (torch.zeros(2, 3, 8, 8), [1, 2], r"given list\.$")],
)  # fmt: skip
@pytest.mark.parametrize("name", ["white-noise", "geirhos-phase-noise", "blur"])
def test_pictures_and_keys_of_another_kind_are_refused_in_words(name, given, keys, says):
    with pytest.raises(UnseenError, match=says):
        TRANSFORMATIONS[name](given, None, keys)


def test_a_row_that_is_called_wrongly_explains_itself():
    with pytest.raises(UnseenError, match="three channels; these have 1"):
        TRANSFORMATIONS["hue"](torch.zeros(1, 1, 2, 2))
    with pytest.raises(UnseenError, match="give `keys`"):
        TRANSFORMATIONS["white-noise"](torch.zeros(1, 1, 2, 2))
