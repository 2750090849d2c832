"""Layers drawn anew: what changes, what comes back, and the known outcome on a trained network."""

import numpy as np
import pytest
import torch
from explained import Small, pictures, tiny_vit
from torch import nn
from torch.nn import functional as F

from unseen.explanations.randomised import drawn, groups_of, of_other_network, randomised, under_randomisation
from unseen.measures.similarity import DOES_NOT, judge_dependence, map_spearman
from unseen.vocabulary.errors import UnseenError


def test_groups_go_from_the_scores_down_and_hold_every_weight_once():
    from unseen.models import Seeing, build

    small = Small()
    groups = groups_of(small, lambda: small(pictures()))
    assert [group.name for group in groups] == ["fc", "conv3", "norm", "conv2", "conv1"]
    network = Seeing(build("resnet18", {"category": 3}, input_size=(32, 32), seed=0)).eval()
    for model, side, last in ((network, 32, "stem"), (tiny_vit(), 32, "patch_embed")):
        groups = groups_of(model, lambda model=model, side=side: model(pictures(1, 3, side, side)), most=8)
        held = [name for group in groups for name in group.parameters]
        assert sorted(held) == sorted(name for name, _ in model.named_parameters())
        assert 2 < len(groups) <= 8
        assert any(last in name for group in groups[-2:] for name in group.parameters)
        assert "head" in groups[0].name


def test_a_normalisation_that_holds_an_activation_stands_where_it_ran():
    from timm.layers.norm_act import BatchNormAct2d

    model = nn.Sequential(nn.Conv2d(3, 4, 3), BatchNormAct2d(4), nn.Flatten(), nn.Linear(4 * 36, 2)).eval()
    groups = groups_of(model, lambda: model(pictures(height=8, width=8)))
    assert [group.name for group in groups] == ["3", "1", "0"]


def test_weights_come_back_and_statistics_stay():
    model = Small()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    groups = groups_of(model, lambda: model(pictures()))
    with randomised(model, groups, seed=1), torch.no_grad():
        changed = {name for name, value in model.state_dict().items() if not torch.equal(value, before[name])}
        assert model(pictures()).isfinite().all()
        assert {name for name in before if name.endswith("weight") and "norm" not in name} <= changed
        assert not any("running" in name for name in changed)
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())


def test_what_is_drawn_keeps_its_spread_and_depends_on_its_name_alone():
    weights = torch.randn(64, 32, 3, 3, generator=torch.Generator().manual_seed(0)) * 0.3 + 0.1
    found = drawn(weights, 0, "a.weight")
    assert abs(found.std() / weights.std() - 1) < 0.02
    assert abs(found.mean()) < 0.01
    assert torch.equal(found, drawn(weights * 1.0, 0, "a.weight"))
    assert not torch.equal(found, drawn(weights, 0, "b.weight"))
    slopes = torch.rand(20)
    assert torch.equal(drawn(slopes, 0, "norm.weight").sort().values, slopes.sort().values)
    assert drawn(torch.zeros(10, 25), 0, "zero").std() == pytest.approx(0.2, rel=0.2)


def test_the_first_step_of_both_orders_is_the_same_and_the_last_one_is_not():
    model, images = Small(), pictures()
    cascade, alone = (
        under_randomisation(model, images, ["gradient", "edges"], 1, order=order)
        for order in ("cascading", "independent")
    )
    assert cascade.steps == alone.steps
    np.testing.assert_array_equal(cascade.after[0]["gradient"], alone.after[0]["gradient"])
    assert not np.allclose(cascade.after[-1]["gradient"], alone.after[-1]["gradient"])
    np.testing.assert_array_equal(cascade.before["edges"], cascade.after[-1]["edges"])
    assert np.isfinite([step["gradient"] for step in cascade.after]).all()
    with pytest.raises(UnseenError, match="one of two orders"):
        under_randomisation(model, images, ["gradient"], order="upwards")


def test_another_network_is_asked_about_the_same_classes():
    model, images, other = Small(), pictures(), Small()
    first, second = of_other_network(model, other, images, ["gradient", "grad-cam"])
    np.testing.assert_array_equal(first["gradient"], second["gradient"])
    with torch.no_grad():
        other.fc.weight.neg_()
    first, second = of_other_network(model, other, images, ["gradient"])
    np.testing.assert_allclose(first["gradient"], -second["gradient"], atol=1e-7)


class Trained(nn.Module):
    """Six convolutions in a row; what a small network of the field looks like."""

    def __init__(self, width=16):
        super().__init__()
        torch.manual_seed(0)
        layers, before = [], 1
        for depth in range(6):
            after = width * (1 + (depth >= 2) + (depth >= 4))
            stride = 2 if depth in (2, 4) else 1
            layers.append(nn.Sequential(nn.Conv2d(before, after, 3, stride, 1), nn.BatchNorm2d(after), nn.ReLU()))
            before = after
        self.features, self.fc = nn.Sequential(*layers), nn.Linear(before, 10)

    def forward(self, images):
        return self.fc(self.features(images).mean((2, 3)))


@pytest.mark.slow
def test_the_known_outcome_guided_backprop_stays_alike_while_gradient_and_grad_cam_change():
    """Adebayo et al. 2018, Fig. 2 to 4, on scikit-learn's digits enlarged to 24 pixels: 30 images, four epochs."""
    from sklearn.datasets import load_digits

    digits, labels = load_digits(return_X_y=True)
    images = F.interpolate(torch.tensor(digits, dtype=torch.float32).view(-1, 1, 8, 8) / 16, size=24, mode="bilinear")
    truth, model = torch.tensor(labels), Trained()
    optimiser = torch.optim.Adam(model.parameters(), 3e-3)
    generator = torch.Generator().manual_seed(0)
    for _ in range(4):
        for rows in torch.randperm(1500, generator=generator).split(100):
            optimiser.zero_grad()
            F.cross_entropy(model(images[rows]), truth[rows]).backward()
            optimiser.step()
    model.eval()
    assert (model(images[1500:]).argmax(1) == truth[1500:]).float().mean() > 0.85
    methods = ["gradient", "grad-cam", "guided-backprop", "edges"]
    found = under_randomisation(model, images[1500:1530], methods, settings={"grad-cam": {"signed": True}}, most=16)
    alike = {
        method: np.stack([map_spearman(found.before[method], step[method], absolute=True) for step in found.after])
        for method in methods
    }
    half = len(found.steps) // 2
    level = {method: float(np.nanmean(values[:half])) for method, values in alike.items()}
    assert level["guided-backprop"] > 0.7
    assert level["guided-backprop"] > level["gradient"] + 0.2
    assert level["guided-backprop"] > level["grad-cam"] + 0.2
    assert judge_dependence(alike["edges"]).words == judge_dependence(alike["guided-backprop"]).words == DOES_NOT
