"""BagNets: as published, seeing patches alone, and exact about their evidence."""

import numpy as np
import pytest
import torch
from explained import Small, pictures, tiny_vit
from torch import nn

from unseen.explanations import Difference, Score
from unseen.explanations.evidence import evidence
from unseen.models import Preprocessed, build
from unseen.vocabulary.errors import UnseenError


def bagnet(patch, side=40, **options):
    return build(f"bagnet-{patch}", {"category": 3}, input_size=(side, side), seed=0, **options).eval()


@pytest.mark.parametrize("patch", [pytest.param(9, marks=pytest.mark.slow), 17, 33])
def test_a_place_sees_a_patch_of_the_published_size_and_nothing_else(patch):
    network = bagnet(patch)
    with torch.no_grad():
        for module in network.modules():  # positive weights: no gradient cancels, no ReLU is closed
            if isinstance(module, nn.Conv2d):
                module.weight.abs_()
    images = torch.rand(1, 3, 48, 48, generator=torch.Generator().manual_seed(0)).requires_grad_()
    maps = network.trunk(images)
    places = (48 - patch) // 8 + 1
    assert maps.shape == (1, 2048, places, places)
    for row, column in ((0, 0), (places - 1, 0)):
        seen = torch.autograd.grad(maps[0, :, row, column].sum(), images, retain_graph=True)[0][0].abs().sum(0) > 0
        down, across = (torch.nonzero(seen.any(axis)).flatten() for axis in (1, 0))
        assert (len(down), len(across)) == (patch, patch)
        assert (int(down[0]), int(across[0])) == (8 * row, 8 * column)


@pytest.mark.parametrize("patch", [pytest.param(9, marks=pytest.mark.slow), 33])
def test_the_mean_of_the_evidence_is_the_score(patch):
    images = torch.randint(0, 256, (3, 3, 48, 48), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
    model = Preprocessed(bagnet(patch, 48))
    found = evidence(model, images, 1, batch=2)
    with torch.no_grad():
        scores = model.eval()(images)["category"]
    np.testing.assert_allclose(found.maps.mean((1, 2)), scores[:, 1], rtol=1e-4, atol=1e-5)
    assert found.off < 1e-4
    two = evidence(model, images, Difference(1, 2, target="category"))
    np.testing.assert_allclose(two.maps.mean((1, 2)), scores[:, 1] - scores[:, 2], rtol=1e-3, atol=1e-5)


def test_a_cnn_with_a_mean_at_its_end_has_evidence_and_a_transformer_has_none():
    model, images = Small(), pictures()
    found = evidence(model, images, Score((0, 1, 2, 3)))
    assert found.maps.shape == (4, 8, 8)
    np.testing.assert_allclose(found.maps.mean((1, 2)), found.scores, atol=1e-5)
    with pytest.raises(UnseenError, match="no exact map"):
        evidence(tiny_vit(), pictures(2, 3, 32, 32), 0)


def test_images_smaller_than_a_patch_are_refused():
    with pytest.raises(UnseenError, match="smaller than the patches of 33"):
        bagnet(33, 32)


def test_a_narrow_bagnet_is_as_exact_and_sees_the_same_patch():
    network = bagnet(9, 24, arguments={"width": 2})
    assert network.trunk(torch.zeros(1, 3, 24, 24)).shape == (1, 64, 2, 2)
    model = Preprocessed(network)
    found = evidence(model, pictures(2, 3, 24, 24), 1)
    with torch.no_grad():
        scores = model.eval()(pictures(2, 3, 24, 24))["category"]
    np.testing.assert_allclose(found.maps.mean((1, 2)), scores[:, 1], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("width", [0, -3, True])
def test_a_width_that_is_no_number_of_channels_is_refused(width):
    with pytest.raises(UnseenError, match="whole number of channels"):
        bagnet(9, 24, arguments={"width": width})
