"""On a rendered world it is known what each pixel shows, and so whether a map is right."""

import numpy as np
import pytest
import torch
from torch import nn

from unseen.explanations import explain
from unseen.measures import energy_gain, energy_on, pointing_game, rank_by_region


class Looking(nn.Module):
    """A linear network that looks at one region of its images and nowhere else; its other class looks everywhere."""

    def __init__(self, region):
        super().__init__()
        generator = torch.Generator().manual_seed(0)
        weights = torch.rand(2, 3, *region.shape, generator=generator) + 0.1
        self.weight = nn.Parameter(torch.stack([weights[0] * torch.as_tensor(region), weights[1]]))

    def forward(self, images):
        return torch.einsum("nchw,kchw->nk", images.float() + 1, self.weight)


@pytest.fixture(scope="module")
def rendered():
    from unseen.worlds.objects import objects
    from unseen.worlds.rendering.renderer import layers

    world = objects(["mug"], instances=2, pose=2, side=32)
    rows = np.arange(2)
    labels = layers(world.scenes(rows), world.furnished, 32).label.numpy()
    assert 0.02 < (labels == 0).mean() < 0.6
    return world.images(rows), labels


@pytest.mark.parametrize("method", ["gradient", "gradient-times-input", "integrated-gradients", "occlusion"])
def test_a_network_that_looks_at_the_object_is_seen_to(rendered, method):
    images, labels = rendered
    mask = labels == 0
    settings = {"occlusion": {"patch": 1, "stride": 1}, "integrated-gradients": {"steps": 2}}.get(method, {})
    found = explain(Looking(mask[0]), images[:1], method, 0, **settings)
    if method != "gradient":  # what it looks at is black where the renderer says so; nothing else is zero
        assert found.maps[~mask[:1]].max() == 0
    np.testing.assert_allclose(energy_on(found.maps, mask[:1]), 1)
    np.testing.assert_allclose(pointing_game(found.maps, mask[:1]), 1)
    ranks = rank_by_region(found.maps, labels[:1], {"object": 0, "floor": -2, "behind": -1})
    assert ranks["object"][0] > 0.8
    around = explain(Looking(~mask[0]), images[:1], method, 0, **settings)
    np.testing.assert_allclose(energy_on(around.maps, mask[:1]), 0)
    np.testing.assert_allclose(pointing_game(around.maps, mask[:1]), 0)
    everywhere = explain(Looking(mask[0]), images[:1], "gradient", 1)
    np.testing.assert_allclose(energy_gain(everywhere.maps, mask[:1]), 1, atol=0.1)
