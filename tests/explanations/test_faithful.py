"""Whether the answer follows the map: against captum, and where the truth is known."""

import numpy as np
import pytest
import torch
from explained import Linear, Quadratic, Small, pictures

from unseen.explanations import explain
from unseen.explanations.faithful import curves, infidelity, sensitivity
from unseen.measures.attribution import area_under
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import seed_of


def test_of_a_linear_score_deletion_walks_the_attributions_from_the_largest():
    model, images = Linear(channels=1), pictures(channels=1, height=8, width=8)
    maps = explain(model, images, "gradient-times-input", 0).maps
    found = curves(model, images, maps, 0, steps=64, probability=False, batch=17)
    fallen = np.concatenate([np.zeros((4, 1)), -np.sort(-maps.reshape(4, -1), axis=1).cumsum(1)], axis=1)
    np.testing.assert_allclose(found["deletion"], found["deletion"][:, :1] + np.where(fallen, -fallen, 0), atol=1e-4)
    whole = model(images)[:, 0].detach()
    np.testing.assert_allclose(found["deletion"][:, 0], whole, atol=1e-5)
    np.testing.assert_allclose(found["deletion"][:, -1], 0, atol=1e-5)
    np.testing.assert_allclose(found["insertion"][:, -1], whole, atol=1e-5)


def test_a_right_map_is_deleted_faster_than_a_wrong_one():
    model, images = Linear(), pictures(height=8, width=8)
    maps = explain(model, images, "gradient-times-input").maps
    right, wrong = (area_under(curves(model, images, one)["deletion"]) for one in (maps, -maps))
    assert (right < wrong).all()
    with pytest.raises(UnseenError, match="are not those of images"):
        curves(model, images, maps[:2])


def test_infidelity_is_captums_and_none_for_a_linear_score():
    metrics = pytest.importorskip("captum.metrics")
    model, images = Small(), pictures()
    attributions = torch.randn(images.shape, generator=torch.Generator().manual_seed(3))
    moved = torch.randn(10, *images.shape, generator=torch.Generator().manual_seed(4)) * 0.1
    turn = iter(moved)

    def perturb(inputs):
        one = next(turn)
        return one, inputs - one

    right = metrics.infidelity(
        model, perturb, images, attributions, target=1, n_perturb_samples=10, max_examples_per_batch=4
    )
    found = infidelity(model, images, attributions, 1, perturbations=moved, batch=9)
    np.testing.assert_allclose(found, right.detach(), rtol=1e-4)
    linear, small = Linear(), pictures(height=8, width=8)
    exact = linear.weight[1].detach().expand(4, -1, -1, -1)
    assert (infidelity(linear, small, exact, 1) < 1e-8).all()
    assert (infidelity(linear, small, exact * 2, 1) > 1e-2).all()


def test_sensitivity_of_known_maps():
    images = pictures(height=8, width=8)
    assert (sensitivity(Linear(), images, "gradient", 0) < 1e-6).all()
    found = sensitivity(Quadratic(channels=1), images[:, :1], "gradient", 0, radius=0.01, steps=5)
    spread = (images[:, :1].amax((1, 2, 3)) - images[:, :1].amin((1, 2, 3))).numpy()
    assert (found > 0).all()
    assert (found < 0.01 * spread * 8 / np.sqrt(images[:, :1].square().sum((1, 2, 3)).numpy()) * 4).all()


def test_sensitivity_is_captums_under_the_same_changes():
    metrics = pytest.importorskip("captum.metrics")
    model, images, step = Small(), pictures(), iter(range(5))
    spread = images.amax((1, 2, 3), keepdim=True) - images.amin((1, 2, 3), keepdim=True)

    def perturb(inputs):
        generator = torch.Generator().manual_seed(seed_of(0, "sensitivity", next(step)))
        taken = inputs[0] if isinstance(inputs, tuple) else inputs
        return taken + 0.05 * spread * (torch.rand(taken.shape[1:], generator=generator) * 2 - 1)

    def mapped(inputs):
        taken = (inputs[0] if isinstance(inputs, tuple) else inputs).detach().requires_grad_()
        return torch.autograd.grad(model(taken)[:, 2].sum(), taken)[0].sum(1, keepdim=True)

    right = metrics.sensitivity_max(mapped, images, perturb, n_perturb_samples=5, max_examples_per_batch=4)
    np.testing.assert_allclose(sensitivity(model, images, "gradient", 2, radius=0.05, steps=5), right, rtol=1e-4)
