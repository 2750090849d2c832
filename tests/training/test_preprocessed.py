"""What a network is fed: pictures as they are become normalised floats, as torchvision would make them."""

import pytest
import torch
from torch import nn
from torchvision.transforms import v2

from unseen.models import Preprocessed, build
from unseen.models.inputs import NORMALISE
from unseen.vocabulary.errors import UnseenError


class Mirror(nn.Module):
    """Gives back what it sees."""

    targets, layers, description = ("seen",), ("only",), {"backbone": "mirror"}

    def forward(self, images):
        return {"seen": images}

    def layer(self, name):
        return self

    def tasks_of(self, layer):
        return ("seen",)

    def channel_axis(self, layer):
        return 1


def noise(channels, n=3, side=5):
    return torch.randint(
        0, 256, (n, channels, side, side), dtype=torch.uint8, generator=torch.Generator().manual_seed(0)
    )


def seen(images, **options):
    return Preprocessed(Mirror(), **options)(images)["seen"]


@pytest.mark.parametrize("normalise", list(NORMALISE))
def test_colour_pictures_are_normalised_as_torchvision_does(normalise):
    images = noise(3)
    mean, std = (list(x) * (3 // len(x)) for x in NORMALISE[normalise])
    expected = v2.Compose([v2.ToDtype(torch.float32, scale=True), v2.Normalize(mean, std)])(images)
    torch.testing.assert_close(seen(images, normalise=normalise), expected, rtol=1e-5, atol=1e-5)


def test_the_tables_own_numbers_are_those_of_timm_for_imagenet():
    from timm.data import IMAGENET_DEFAULT_MEAN, IMAGENET_DEFAULT_STD

    assert NORMALISE["imagenet"] == (IMAGENET_DEFAULT_MEAN, IMAGENET_DEFAULT_STD)


def test_grey_pictures_are_stacked_to_three_channels():
    images = noise(1)
    stacked = seen(images, normalise="imagenet")
    assert stacked.shape == (3, 3, 5, 5)
    assert torch.equal(stacked, seen(images.repeat(1, 3, 1, 1), normalise="imagenet"))


def test_a_network_of_one_channel_sees_grey_as_it_is_and_colour_as_its_mean():
    grey, colour = noise(1), noise(3)
    torch.testing.assert_close(seen(grey, normalise="none", channels=1), grey / 255)
    torch.testing.assert_close(seen(colour, normalise="none", channels=1), colour.float().mean(1, keepdim=True) / 255)
    assert seen(grey, normalise="imagenet", channels=1).shape == (3, 1, 5, 5)


def test_float_worlds_are_on_the_same_scale_and_may_leave_it():
    images = noise(3)
    assert torch.equal(seen(images.float()), seen(images))
    signed = images.float() - 400
    torch.testing.assert_close(seen(signed, normalise="none"), signed / 255)


def test_what_the_network_gets_is_in_channels_last_order():
    assert seen(noise(1)).is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize(("given", "channels"), [(3, 3), (1, 1), (1, 3), (3, 1)])
def test_per_image_each_picture_has_mean_zero_and_deviation_one_whatever_is_beside_it(given, channels):
    images = torch.cat([noise(given).float(), 3 * noise(given).float() - 400])
    images = torch.where(torch.arange(len(images))[:, None, None, None] == 1, images * 0.01, images)
    found = seen(images, normalise="per-image", channels=channels)
    assert found.shape == (6, channels, 5, 5)
    plain = images.double() if given == channels or given == 1 else images.double().mean(1, keepdim=True)
    plain = plain.repeat(1, channels // plain.shape[1], 1, 1).flatten(1)
    expected = (plain - plain.mean(1, keepdim=True)) / plain.std(1, keepdim=True, correction=0)
    torch.testing.assert_close(found.flatten(1).double(), expected, rtol=1e-4, atol=1e-4)
    assert torch.equal(found[1:2], seen(images[1:2], normalise="per-image", channels=channels))


def test_per_image_standardisation_is_tensorflows():
    """From the documentation of tf.image.per_image_standardization: its example, and the bound on the deviation."""
    example = torch.arange(1, 13).reshape(1, 2, 2, 3).permute(0, 3, 1, 2)  # theirs is height, width, channels
    first = seen(example.byte(), normalise="per-image")[0, :, 0, 0]
    torch.testing.assert_close(first, torch.tensor([-1.593255, -1.3035723, -1.0138896]))
    faint = torch.zeros(1, 3, 4, 4)
    faint[0, 0, 0, 0] = 0.01  # deviates by less than 1/√48
    expected = (faint - faint.mean()) * 48**0.5
    torch.testing.assert_close(seen(faint, normalise="per-image"), expected)


@pytest.mark.parametrize(("value", "dtype"), [(0, torch.uint8), (200, torch.uint8), (-317.3, torch.float32)])
def test_a_picture_of_one_colour_becomes_zeros_and_not_what_is_no_number(value, dtype):
    flat = torch.full((2, 1, 84, 84), value, dtype=dtype)
    assert not seen(flat, normalise="per-image").any()
    if dtype == torch.float32:
        flat.requires_grad_()
        (seen(flat, normalise="per-image") * torch.arange(84)).sum().backward()
        assert flat.grad.isfinite().all()


def test_an_unknown_normalisation_is_refused_with_what_is_possible():
    with pytest.raises(UnseenError, match=r"no normalisation 'imagnet'.*Did you mean 'imagenet'"):
        Preprocessed(Mirror(), normalise="imagnet")


def test_names_are_those_of_the_network_inside_and_the_buffers_are_not_weights():
    network = build("resnet18-w8", {"category": 3, "view": 2}, sharing="split-1", stem="small", seed=0)
    whole = Preprocessed(network, normalise="mnist")
    assert (whole.targets, whole.layers, whole.description) == (network.targets, network.layers, network.description)
    for layer in network.layers:
        assert whole.layer(layer) is network.layer(layer)
        assert whole.tasks_of(layer) == network.tasks_of(layer)
        assert whole.channel_axis(layer) == network.channel_axis(layer)
    assert {name.removeprefix("network.") for name in whole.state_dict()} == set(network.state_dict())
