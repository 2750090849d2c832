"""Maps whose truth is known: linear and quadratic scores, attention multiplied out in numpy, units, layouts."""

import numpy as np
import pytest
import torch
from explained import Linear, Quadratic, Small, pictures, tiny_vit
from torch import nn

from unseen.explanations import METHODS, Difference, Score, Unit, explain, explain_rows, possible
from unseen.explanations.anatomy import Anatomy
from unseen.explanations.cams import grad_cam_plus_plus_weights

EASY = {"steps": 4, "masks": 30, "patch": 3, "stride": 1}


def small_settings(method):
    return {name: value for name, value in EASY.items() if name in METHODS[method].settings}


@pytest.mark.parametrize("method", ["gradient", "smoothgrad"])
def test_of_a_linear_score_gradients_are_its_weights(method):
    model, images = Linear(), pictures(height=8, width=8)
    found = explain(model, images, method, 1, **small_settings(method))
    np.testing.assert_allclose(found.maps, model.weight[1].sum(0).detach().expand(4, 8, 8), rtol=1e-5)


@pytest.mark.parametrize("method", ["gradient-times-input", "integrated-gradients"])
@pytest.mark.parametrize("reference", [None, 0.5, "picture"])
def test_of_a_linear_score_attributions_are_weights_times_what_is_there(method, reference):
    model, images = Linear(), pictures(height=8, width=8)
    start = pictures(seed=9, n=1, height=8, width=8)[0] if reference == "picture" else (reference or 0.0)
    found = explain(model, images, method, 0, reference=None if reference is None else start)
    right = (model.weight[0] * (images - start)).sum(1).detach()
    np.testing.assert_allclose(found.maps, right, atol=1e-5)


@pytest.mark.parametrize("rule", ["gauss-legendre", "midpoint"])
def test_of_a_quadratic_score_integrated_gradients_are_exact(rule):
    model, images = Quadratic(), pictures(height=8, width=8)
    found = explain(model, images, "integrated-gradients", 0, steps=3, rule=rule)
    np.testing.assert_allclose(found.maps, (model.weight[0] * images.square() / 2).sum(1).detach(), atol=1e-5)


def test_smoothed_gradients_of_a_quadratic_score_centre_on_the_plain_one_with_the_noise_asked():
    model, images = Quadratic(channels=1, height=8, width=8), pictures(channels=1, height=8, width=8)
    plain = explain(model, images, "gradient", 0).maps
    off = explain(model, images, "smoothgrad", 0, steps=400, noise=0.1).maps - plain
    spread = (images.amax((1, 2, 3)) - images.amin((1, 2, 3))).numpy() * 0.1
    expected = abs(model.weight[0, 0].detach().numpy()) * spread[:, None, None] / 20
    assert 0.7 < np.mean(abs(off)) / np.mean(expected * np.sqrt(2 / np.pi)) < 1.4


def test_occlusion_of_a_linear_score_by_single_pixels_is_gradient_times_input():
    model, images = Linear(), pictures(height=8, width=8)
    found = explain(model, images, "occlusion", 0, patch=1, stride=1)
    np.testing.assert_allclose(found.maps, explain(model, images, "gradient-times-input", 0).maps, atol=1e-5)


def test_rise_is_the_mean_of_masks_weighed_by_answers():
    from unseen.explanations.covered import _masks

    model, images = Linear(), pictures(height=8, width=8)
    found = explain(model, images, "rise", 1, masks=20, cells=3, probability=False, batch=7)
    masks = _masks(slice(0, 20), 3, 0.5, (8, 8), 0)
    scores = torch.stack([model(images * mask)[:, 1] for mask in masks]).detach()
    np.testing.assert_allclose(found.maps, torch.einsum("kn,khw->nhw", scores, masks) / 10, atol=1e-5)
    assert 0.35 < masks.mean() < 0.65


def test_a_function_from_images_to_answers_can_be_covered_and_nothing_else():
    model, images = Linear(), pictures(height=8, width=8)

    def answers(pictures):
        return model(torch.as_tensor(pictures)).detach().numpy()

    whole = explain(model, images, "occlusion", 0, patch=3)
    np.testing.assert_allclose(explain(answers, images, "occlusion", 0, patch=3).maps, whole.maps, atol=1e-6)
    assert set(possible(answers, images)) == {"occlusion", "rise", "edges", "centre"}


@pytest.mark.parametrize("registers", [0, 2])
@pytest.mark.parametrize("class_token", [True, False])
def test_rollout_and_gradient_weighted_attention_are_those_multiplied_out_in_numpy(class_token, registers):
    more = {} if class_token else {"class_token": False, "global_pool": "avg"}
    model = tiny_vit(reg_tokens=registers, **more)
    images, prefix = pictures(n=2, height=32, width=32), registers + class_token
    kept, slopes = [], []
    for block in model.blocks:
        block.attn.fused_attn = False
        block.attn.attn_drop.register_forward_hook(lambda m, i, out: (out.retain_grad(), kept.append(out))[1])
    model(images)[:, 1].sum().backward()
    slopes = [one.grad.numpy() for one in kept]
    attention = [one.detach().numpy() for one in kept]
    tokens = attention[0].shape[-1]
    rolled, relevance = np.eye(tokens), np.zeros((2, tokens, tokens)) + np.eye(tokens)
    for one, slope in zip(attention, slopes):
        mixed = 0.5 * one.mean(1) + 0.5 * np.eye(tokens)
        rolled = mixed @ rolled
        relevance = relevance + (one * slope).clip(min=0).mean(1) @ relevance
    relevance = relevance - np.eye(tokens)
    model = tiny_vit(reg_tokens=registers, **more)
    for method, flow in (("attention-rollout", rolled), ("attention-gradient", relevance)):
        row = flow[:, 0, prefix:] if class_token else flow[:, prefix:, prefix:].mean(1)
        found = explain(model, images, method, 1, size="layer", batch=1).maps
        np.testing.assert_allclose(found, row.reshape(2, 4, 4), atol=1e-5)
        assert explain(model, images, method, 1).maps.shape == (2, 32, 32)


def test_attention_of_torchs_own_module_is_met_too():
    class Own(nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.patches = nn.Conv2d(3, 8, 8, stride=8)
            self.attend = nn.MultiheadAttention(8, 2, batch_first=True)
            self.fc = nn.Linear(8, 3)

        def forward(self, images):
            tokens = self.patches(images).flatten(2).transpose(1, 2)
            return self.fc((tokens + self.attend(tokens, tokens, tokens, need_weights=False)[0]).mean(1))

    model, images = Own().eval(), pictures(n=2, height=32, width=16)
    tokens = model.patches(images).flatten(2).transpose(1, 2)
    attention = model.attend(tokens, tokens, tokens)[1].detach().numpy()
    right = (0.5 * attention + 0.5 * np.eye(8)).mean(1).reshape(2, 4, 2)
    np.testing.assert_allclose(explain(model, images, "attention-rollout", size="layer").maps, right, atol=1e-6)


def test_grad_cam_of_tokens_is_the_formula_in_numpy():
    model, images = tiny_vit(), pictures(n=2, height=32, width=32)
    kept = []
    hook = model.blocks[1].register_forward_hook(lambda m, i, out: (out.retain_grad(), kept.append(out))[1])
    model(images)[:, 2].sum().backward()
    hook.remove()
    tokens, slopes = kept[0].detach().numpy()[:, 1:], kept[0].grad.numpy()[:, 1:]
    coarse = (tokens * slopes.mean(1, keepdims=True)).sum(2).clip(min=0).reshape(2, 4, 4)
    found = explain(model, images, "grad-cam", 2, layer="blocks.1", size="layer")
    np.testing.assert_allclose(found.maps, coarse, atol=1e-6)
    fine = explain(model, images, "hires-cam", 2, layer="blocks.1", size="layer", signed=True)
    np.testing.assert_allclose(fine.maps, (tokens * slopes).sum(2).reshape(2, 4, 4), atol=1e-6)


def test_grad_cam_finds_the_last_layer_with_places_of_any_network():
    from unseen.explanations.asked import settled
    from unseen.explanations.cams import last_layer

    def last(model, side):
        anatomy = Anatomy(model)
        return last_layer(
            settled(anatomy, pictures(n=1, height=side, width=side), Score(0), 1), pictures(1, 3, side, side)
        )

    import timm

    torch.manual_seed(0)
    assert last(Small(), 16) == "relu3"
    assert last(tiny_vit(), 32) == "blocks.2.norm1"  # behind it only the class token counts
    assert last(tiny_vit(class_token=False, global_pool="avg"), 32) == "norm"
    mixer = timm.models.MlpMixer(3, 32, patch_size=8, num_blocks=2, embed_dim=16)
    nn.init.normal_(mixer.head.weight)
    assert last(mixer.eval(), 32) == "norm"
    swin = {"img_size": 64, "embed_dim": 8, "depths": (1, 1), "num_heads": (1, 2), "window_size": 4, "num_classes": 3}
    model = timm.create_model("swin_tiny_patch4_window7_224", **swin).eval()
    assert last(model, 64) == "norm"
    assert explain(model, pictures(2, 3, 64, 64), "grad-cam", 1, size="layer").maps.shape == (2, 8, 8)


def test_a_unit_is_a_channels_mean_and_a_difference_is_a_difference():
    model, images = Small(), pictures()
    two, one = (explain(model, images, "gradient", label).maps for label in (2, 1))
    both = explain(model, images, "gradient", Difference(2, 1)).maps
    np.testing.assert_allclose(both, two - one, atol=1e-7)
    taken = images.clone().requires_grad_()
    unit = model.relu2(model.norm(model.conv2(model.relu1(model.conv1(taken)))))[:, 3].mean((1, 2)).sum()
    right = torch.autograd.grad(unit, taken)[0].sum(1)
    found = explain(model, images, "gradient", Unit("relu2", 3))
    np.testing.assert_allclose(found.maps, right, atol=1e-7)
    assert explain(model, images, "grad-cam", Unit("relu3", 3), layer="relu1").maps.any()


def test_what_is_answered_and_its_runner_up_are_found_for_each_image():
    model, images = Linear(classes=4), pictures(n=6, height=8, width=8)
    first, second = model(images).topk(2).indices.T
    right = explain(model, images, "gradient", Difference(tuple(first.tolist()), tuple(second.tolist()))).maps
    np.testing.assert_array_equal(explain(model, images, "gradient", Difference()).maps, right)
    right = explain(model, images, "gradient", Score(tuple(first.tolist()))).maps
    np.testing.assert_array_equal(explain(model, images, "gradient").maps, right)


def test_unseens_own_networks_take_pictures_as_they_are_and_name_target_and_layer():
    from unseen.models import Preprocessed, build

    network = build("resnet18", {"category": 3, "pose": 4}, sharing="split-3", input_size=(32, 32), seed=0)
    model = Preprocessed(network, normalise="imagenet")
    images = torch.randint(0, 256, (2, 3, 32, 32), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
    inside = explain(network.eval(), model.prepare(images), "gradient-times-input", Score(1, "pose"))
    found = explain(model, images, "gradient-times-input", Score(1, "pose"))
    np.testing.assert_allclose(found.maps, inside.maps, atol=1e-5)
    cam = explain(model, images, "grad-cam", Score(1, "pose"), layer="pose.layer4", size="layer")
    assert cam.maps.shape == (2, 4, 4)
    assert not explain(model, images, "occlusion", Score(2, "category"), patch=32).notes[0]
    assert explain(model, images[:, :1], "gradient", Score(2, "category")).maps.shape == (2, 32, 32)


def test_a_map_does_not_depend_on_its_batch_and_rows_stream():
    model, images = Small(), pictures(n=7)
    for method in ("smoothgrad", "integrated-gradients", "occlusion", "rise", "grad-cam++"):
        settings = small_settings(method)
        whole = explain(model, images, method, 1, **settings).maps
        alone = explain(model, images[3:4], method, 1, batch=2, **settings).maps
        np.testing.assert_allclose(whole[3:4], alone, atol=1e-6)
    found = list(explain_rows(model, lambda rows, device: images[rows], np.arange(7), "gradient", 1, size=3))
    assert [list(places) for places, _ in found] == [[0, 1, 2], [3, 4, 5], [6]]
    np.testing.assert_allclose(
        np.concatenate([one.maps for _, one in found]), explain(model, images, "gradient", 1).maps, atol=1e-6
    )


def test_a_network_is_left_as_it_was():
    model, images = Small().train(), pictures()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    for method in possible(model, images):
        explain(model, images, method, 1, **small_settings(method))
    assert model.training
    assert model.fc.training
    assert all(parameter.requires_grad and parameter.grad is None for parameter in model.parameters())
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    assert not any(module._forward_hooks for module in model.modules())


def test_grad_cam_plus_plus_weighs_each_place_by_its_own_third_derivative():
    activity = torch.tensor([[[[1.0, 2.0], [0.5, 3.0]]]])
    slopes = torch.tensor([[[[0.5, -1.0], [2.0, 0.25]]]])
    a, g = activity[0, 0].numpy(), slopes[0, 0].numpy()
    weight = 0.0
    for i in range(2):
        for j in range(2):  # Eq. 19: the sum over all places is of activity alone
            weight += g[i, j] ** 2 / (2 * g[i, j] ** 2 + a.sum() * g[i, j] ** 3) * max(g[i, j], 0)
    np.testing.assert_allclose(grad_cam_plus_plus_weights(activity, slopes)[0, 0].numpy(), weight * a, rtol=1e-6)
