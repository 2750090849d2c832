"""AlexNet without its first two poolings: the layers of the paper at any size, as torch's own modules compute them."""

import pytest
import torch
from torch import nn

from unseen.models import Preprocessed, build, layer_names
from unseen.models.alexnet import ResponseNormalisation
from unseen.vocabulary.errors import UnseenError

NAME, TARGETS = "alexnet-no-early-pools", {"category": 5}
NARROW = {"widths": [8, 12, 16, 16, 12], "hidden": 24}
LAYERS = ("conv1", "conv2", "conv3", "conv4", "conv5", "fc6", "fc7")


def alexnet(side=64, seed=0, **options):
    arguments = {**NARROW, **options.pop("arguments", {})}
    return build(NAME, TARGETS, input_size=(side, side), seed=seed, arguments=arguments, **options)


def images(n=3, channels=3, side=64):
    return torch.randn(n, channels, side, side, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(("side", "maps"), [(15, 3), (32, 7), (64, 15), (96, 23), (128, 31), (224, 55)])
def test_without_the_early_poolings_maps_keep_the_size_that_conv1_gives_them(side, maps):
    with torch.device("meta"):
        network = build(NAME, TARGETS, input_size=(side, side), seed=0)
    assert network.layers == LAYERS
    shapes = network.description["maps"]
    assert [shapes[f"conv{k}"] for k in range(1, 6)] == [[c, maps, maps] for c in (96, 256, 384, 384, 256)]
    assert shapes["fc6"] == shapes["fc7"] == [4096]
    assert network.layer("fc6")[0].in_features == 256 * ((maps - 3) // 2 + 1) ** 2
    assert network(torch.zeros(2, 3, side, side, device="meta"))["category"].shape == (2, 5)


def test_responses_are_normalised_as_torch_does_with_the_numbers_of_the_paper_and_so_are_gradients():
    maps = 10 * images(2, 12, 9)
    ours, theirs = (maps.clone().requires_grad_() for _ in range(2))
    normed = ResponseNormalisation()(ours)
    expected = nn.LocalResponseNorm(5, alpha=5 * 1e-4, beta=0.75, k=2.0)(theirs)
    torch.testing.assert_close(normed, expected)
    normed.square().sum().backward()
    expected.square().sum().backward()
    torch.testing.assert_close(ours.grad, theirs.grad)
    last = maps[:, -1] / (2 + 1e-4 * maps[:, -3:].square().sum(1)) ** 0.75
    torch.testing.assert_close(normed[:, -1], last)


def test_the_whole_is_the_papers_layers_in_a_row():
    network = alexnet(32).eval()
    w, norm = NARROW["widths"], nn.LocalResponseNorm(5, alpha=5e-4, beta=0.75, k=2.0)
    kinds = [nn.Conv2d(3, w[0], 11, 4, 2), nn.Conv2d(w[0], w[1], 5, padding=2, groups=2)]
    kinds += [nn.Conv2d(w[1], w[2], 3, padding=1)]
    kinds += [nn.Conv2d(w[2], w[3], 3, padding=1, groups=2), nn.Conv2d(w[3], w[4], 3, padding=1, groups=2)]
    kinds += [nn.Linear(w[4] * 9, 24), nn.Linear(24, 24)]
    for layer, kind in zip(LAYERS, kinds):
        kind.load_state_dict(network.layer(layer)[0].state_dict())
    maps = images(side=32)
    for place, kind in enumerate(kinds[:5]):
        maps = kind(maps).relu()
        maps = norm(maps) if place < 2 else maps
    features = nn.functional.max_pool2d(maps, 3, 2).flatten(1)
    for kind in kinds[5:]:
        features = kind(features).relu()
    torch.testing.assert_close(network(images(side=32))["category"], network.heads[0](features))


def test_weights_start_as_alexnets():
    network = alexnet(seed=3, arguments={"hidden": 512})
    for layer in LAYERS:
        start = network.layer(layer)[0].requires_grad_(False)
        assert start.weight.std() == pytest.approx(0.01, rel=0.1)
        assert start.weight.mean() == pytest.approx(0, abs=0.002)
        assert start.bias.unique().tolist() == [0.0 if layer in ("conv1", "conv3") else 1.0]
    again, other = alexnet(seed=3, arguments={"hidden": 512}), alexnet(seed=4, arguments={"hidden": 512})
    assert torch.equal(network.layer("fc6")[0].weight, again.layer("fc6")[0].weight)
    assert not torch.equal(network.layer("fc6")[0].weight, other.layer("fc6")[0].weight)


def test_half_of_the_hidden_units_drop_out_in_training_and_none_in_a_test():
    network = alexnet()
    dropped = [module for module in network.modules() if isinstance(module, nn.Dropout)]
    assert [module.p for module in dropped] == [0.5, 0.5]
    network.eval()
    assert torch.equal(network(images())["category"], network(images())["category"])
    network.train()
    assert not torch.equal(network(images())["category"], network(images())["category"])


@pytest.mark.parametrize("channels", [1, 3])
def test_gradients_reach_every_weight_and_named_activity_is_after_its_rectifier(channels):
    network = Preprocessed(alexnet(channels=channels), normalise="per-image", channels=channels)
    network = network.to(memory_format=torch.channels_last)
    seen = {}
    for layer in network.layers:
        network.layer(layer).register_forward_hook(lambda _m, _i, out, layer=layer: seen.update({layer: out.min()}))
    network(255 * images(4, channels).abs())["category"].square().sum().backward()
    assert not [name for name, p in network.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert all(value >= 0 for value in seen.values())
    with torch.device("meta"):
        assert network.layers == layer_names(NAME, ("category",), "shared", channels=channels, input_size=(64, 64))


def test_half_precision_agrees():
    network = alexnet().eval()
    with torch.no_grad():
        full = network(images())["category"]
        with torch.autocast("cpu", torch.bfloat16):
            half = network(images())["category"]
    torch.testing.assert_close(half.float(), full, atol=0.03, rtol=0.03)


@pytest.mark.parametrize(
    ("side", "arguments", "taught"),
    [
        (14, {}, "14×14 are too small for 'alexnet-no-early-pools'.*at least 15"),
        (32, {"widths": [8, 8]}, r"widths \[8, 8\] in 2 groups; it takes five"),
        (32, {"widths": [8, 9, 8, 8, 8]}, "each a multiple of the groups"),
        (32, {"hidden": 0}, "whole numbers of at least one"),
        (32, {"dropout": 1.0}, "dropout = 1.0; it takes a number from 0 below 1"),
        (32, {"dropout": "half"}, "cannot be built.*dropout = 'half'"),
        (32, {"depth": 3}, "no argument 'depth'"),
    ],
)
def test_what_can_go_wrong_is_told(side, arguments, taught):
    with pytest.raises(UnseenError, match=taught):
        alexnet(side, arguments=arguments)


def test_the_start_by_he_has_his_spread_no_biases_and_lets_pictures_reach_the_end():
    published, he = (alexnet(arguments={"widths": [32, 64, 64, 64, 32], "hidden": 256, "start": start}).eval()
                     for start in ("krizhevsky", "he"))  # fmt: skip
    for name in LAYERS:
        weight, bias = he.layer(name)[0].weight, he.layer(name)[0].bias
        assert weight.std().item() == pytest.approx((2 / weight[0].numel()) ** 0.5, rel=0.05)
        assert not bias.any()
        assert published.layer(name)[0].weight.std().item() == pytest.approx(0.01, rel=0.05)
    shown = images(20)
    few, much = (network(shown)["category"].std(0).mean() for network in (published, he))
    assert much > 100 * few


def test_a_start_that_is_none_is_named():
    with pytest.raises(UnseenError, match=r"no start 'hee'.*possible: krizhevsky, he\. Did you mean 'he'\?"):
        alexnet(arguments={"start": "hee"})
