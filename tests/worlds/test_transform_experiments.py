"""The experiments of Geirhos et al. 2018 beyond the nine: power equalisation, opponent colour, Eidolons; levels."""

import inspect

import numpy as np
import pytest
import torch
from scipy import ndimage

from unseen.vocabulary.errors import UnseenError
from unseen.worlds import make
from unseen.worlds.transforms import DATA_SETS, GEIRHOS_MORE, SETS, TRANSFORMATIONS, eidolons, level_of, spectra
from unseen.worlds.transforms.colour import SCIKIT_IMAGE, luminance
from unseen.worlds.transforms.opponent import CONES, flipping
from unseen.worlds.transforms.transformed import transformed

EIDOLONS = ("geirhos-eidolon-1", "geirhos-eidolon-2", "geirhos-eidolon-3")


def pictures(size=(32, 40), channels=3, n=4, low=0, high=256):
    return torch.from_numpy(np.random.default_rng(5).integers(low, high, (n, channels, *size)).astype(np.uint8))


def shown(name, images, strength=None, keys=None):
    return TRANSFORMATIONS[name](images, strength, torch.arange(len(images)) * 7 if keys is None else keys)


@pytest.mark.parametrize("size", [(32, 40), (33, 27), (16, 16)], ids=str)
def test_all_pictures_have_one_power_spectrum_and_their_own_phases_after_power_equalisation(size):
    given = pictures(size)
    grey = luminance(given, SCIKIT_IMAGE)[:, 0].double()
    wanted = spectra.natural_amplitudes(*size, 1.2, grey.device)
    found = np.fft.rfft2(spectra.with_amplitudes(grey, wanted).numpy())
    np.testing.assert_allclose(np.abs(found), np.broadcast_to(wanted, found.shape), rtol=1e-9, atol=1e-6)
    before = np.fft.rfft2(grey.numpy())
    np.testing.assert_allclose(np.angle(found * before.conj()), 0, atol=1e-9)
    assert spectra.with_amplitudes(grey, wanted).mean().item() == pytest.approx(0.4423 * 255)
    assert spectra.with_amplitudes(grey, wanted).std(correction=0, dim=(1, 2)).numpy() == pytest.approx(51)
    picture = shown("geirhos-power-equalisation", given)
    clipped = spectra.with_amplitudes(grey, wanted).clamp(0, 255)
    np.testing.assert_allclose(picture[:, 0].double(), clipped, atol=6e-4)


def test_amplitudes_fall_as_the_strength_says():
    amplitudes = spectra.natural_amplitudes(64, 64, 1.5, torch.device("cpu")).numpy()
    assert np.polyfit(np.log(np.arange(1, 33)), np.log(amplitudes[0, 1:]), 1)[0] == pytest.approx(-1.5)


def test_pictures_are_equalised_to_their_own_mean_as_in_the_paper():
    grey = pictures()[:, 0].double()
    mean = spectra.mean_amplitudes(grey)
    np.testing.assert_allclose(mean, np.abs(np.fft.rfft2(grey.numpy())).mean(0), rtol=1e-12)
    found = np.abs(np.fft.rfft2(spectra.with_amplitudes(grey, mean).numpy()))
    np.testing.assert_allclose(found, np.broadcast_to(mean, found.shape), rtol=1e-9)


def test_a_flat_picture_has_no_phases_and_stays_flat_under_power_equalisation():
    flat = shown("geirhos-power-equalisation", torch.full((1, 3, 9, 8), 200, dtype=torch.uint8))
    assert torch.allclose(flat, torch.full_like(flat, 0.4423 * 255), atol=1e-3)


def test_opponent_colour_keeps_greys_and_luminance_and_is_its_own_inverse():
    levels = torch.arange(256, dtype=torch.uint8).view(1, 1, 16, 16).expand(1, 3, 16, 16)
    assert torch.allclose(shown("geirhos-opponent-colour", levels), levels.float(), atol=2e-4)
    given = pictures(low=100, high=150)  # far from the ends, so that nothing is clipped
    once = shown("geirhos-opponent-colour", given)
    assert not torch.allclose(once, given.float(), atol=5)
    assert torch.allclose(shown("geirhos-opponent-colour", once), given.float(), atol=1e-3)
    long_and_middle = np.array(CONES)[:2].sum(0)  # luminance of the released code: equal weights of L and M
    np.testing.assert_allclose(long_and_middle @ flipping(), long_and_middle, rtol=1e-6)


def test_red_becomes_green_and_blue_becomes_yellow():
    red, blue = torch.tensor([[160.0, 120, 120], [120, 120, 160]]).view(2, 3, 1, 1)
    found = shown("geirhos-opponent-colour", torch.stack([red, blue]))[:, :, 0, 0]
    assert found[0, 1] > found[0, 0]
    assert found[1, 2] < min(found[1, 0], found[1, 1])


@pytest.mark.parametrize("name", EIDOLONS)
@pytest.mark.parametrize("size", [(32, 40), (23, 17)], ids=str)
def test_an_eidolon_of_no_reach_is_the_picture_blurred_by_the_finest_scale(name, size):
    """The slices add up: what scipy's Gaussian gives, mirrored at the edges."""
    given = pictures(size)
    grey = luminance(given, SCIKIT_IMAGE)[:, 0].double().numpy()
    wanted = ndimage.gaussian_filter(grey, (0, 2**-0.5, 2**-0.5), mode="reflect", truncate=12)
    np.testing.assert_allclose(shown(name, given, 0)[:, 0], np.clip(wanted, 0, 255), atol=1e-3)


def test_full_coherence_moves_all_scales_together_and_none_moves_each_by_itself():
    """Fields of scales are independent; their sums up to the coarsest, by which coherent slices move, are not."""
    keys = torch.arange(3) * 11
    height = width = 64
    sigmas = eidolons.scales(height, width)
    names = [f"coherent {number}" for number in range(len(sigmas))]
    fields = [torch.fft.ifft2(eidolons._noise(keys, height, width, s, n)).real for s, n in zip(sigmas, names)]
    for field in fields:
        assert field.pow(2).mean().item() == pytest.approx(1, abs=0.5)
    apart = torch.corrcoef(torch.stack([field.flatten() for field in fields]))
    assert (apart - torch.eye(len(fields))).abs().max() < 0.25
    total = [sum(s / 16 * f for s, f in list(zip(sigmas, fields))[k:]) for k in range(len(fields))]
    assert torch.corrcoef(torch.stack([total[0].flatten(), total[-1].flatten()]))[0, 1] > 0.6
    big = torch.zeros(3, 1, height, width)
    big[:, :, 16:48, 16:48] = 255
    one, three = (shown(name, big, 8, keys) for name in (EIDOLONS[0], EIDOLONS[2]))
    assert (one - big).abs().mean() < (three - big).abs().mean()


@pytest.mark.parametrize("name", EIDOLONS)
def test_a_longer_reach_leaves_less_of_the_picture(name):
    world = make("objects", categories=["mug", "dog"], instances=2, pose=1, side=48)
    given = world.images(np.arange(4))
    plain = shown("geirhos-grey", given)

    def left(reach):
        pair = torch.stack([plain[:, 0].flatten(), shown(name, given, reach)[:, 0].flatten()])
        return float(torch.corrcoef(pair)[0, 1])

    assert left(1) > left(8) > left(64)


def test_every_data_set_of_model_vs_human_made_by_a_formula_has_its_levels():
    assert len(DATA_SETS) == 12
    assert len(GEIRHOS_MORE) == 5
    assert len(SETS["geirhos2018-all"]) == 14
    for name, conditions in DATA_SETS.items():
        for level in conditions.values():
            level_of(level)
        assert set(SETS[f"model-vs-human/{name}"]) == set(conditions.values())
    assert DATA_SETS["contrast"]["c05"] == "geirhos-contrast@0.05"
    assert DATA_SETS["eidolonII"]["16-3-10"] == "geirhos-eidolon-2@16"
    assert DATA_SETS["high-pass"]["inf"] == "geirhos-grey"


class Held:
    """Four pictures that lie in memory."""

    def __new__(cls):
        return make("objects", categories=["mug", "dog"], instances=2, pose=1, side=32)


def test_a_transformation_may_be_there_at_several_strengths_with_one_draw():
    inner = Held()
    world = transformed(
        inner, ["geirhos-uniform-noise@0.1", "geirhos-uniform-noise@0.2", "blur"], strengths={"blur": 1}
    )
    assert world.factor.levels == ("none", "geirhos-uniform-noise@0.1", "geirhos-uniform-noise@0.2", "blur")
    assert world.factor.texts[1:3] == ("uniform noise (0.1)", "uniform noise (0.2)")
    assert world.fresh(np.arange(4)).tolist() == [False, True, True, False]
    weak, strong = world.images(np.array([1, 2]))
    pale = TRANSFORMATIONS["geirhos-contrast"](inner.images(np.array([0])), 0.3)[0]
    assert torch.allclose((strong - pale), 2 * (weak - pale), atol=1e-3)
    single = transformed(inner, ["geirhos-uniform-noise"], strengths={"geirhos-uniform-noise": 0.2})
    assert torch.equal(single.images(np.array([1]))[0], strong)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"levels": ["geirhos-contrast@2"]}, "0 to 1"),
        ({"levels": ["geirhos-contrast@low"]}, "no number after the @.*'geirhos-contrast@0.05'"),
        ({"levels": ["geirhos-contrst@0.1"]}, "Did you mean 'geirhos-contrast'"),
        ({"levels": ["geirhos-grey@1"]}, "has no strength"),
        ({"levels": ["geirhos-grey@x"]}, "has no strength; leave '@x' out"),
        ({"levels": ["blur@1", "blur@1"]}, "blur@1 more than once"),
        ({"levels": ["blur@1"], "strengths": {"blur@1": 2}}, "without a strength of its own"),
        ({"levels": ["blur@1"], "strengths": {"blur": 2}}, "not among `levels`"),
        ({"levels": "model-vs-human/contrst"}, "Did you mean 'model-vs-human/contrast'"),
    ],
)
def test_a_level_that_names_a_wrong_strength_is_explained(arguments, says):
    call = inspect.unwrap(transformed)
    with pytest.raises(UnseenError, match=says):
        call(Held(), **arguments)


def test_observers_stand_beside_every_level_that_people_were_asked():
    from unseen.kinds.published_observers import observed

    known = observed()
    assert set(known) == {level for conditions in DATA_SETS.values() for level in conditions.values()}
    assert known["geirhos-contrast@0.05"].mean == pytest.approx(0.353)  # the lecture's table has .476 of another set-up
    assert all(one.low <= one.mean <= one.high and one.observers >= 4 for one in known.values())
    reaches = [known[f"geirhos-eidolon-1@{reach}"].mean for reach in (2, 4, 8, 16, 32, 64, 128)]
    assert reaches == sorted(reaches, reverse=True)
