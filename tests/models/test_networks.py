"""What a network computes, what its weights depend on, and what a mistyped request teaches."""

import copy
import json
import subprocess
import sys

import pytest
import torch

from unseen.models import SHARING, build, layer_names
from unseen.vocabulary.errors import UnseenError

TARGETS = {"category": 3, "position": 4}
TINY = "resnet18-w8"


def tiny(sharing="shared", seed=0, **options):
    return build(TINY, TARGETS, sharing=sharing, stem="small", seed=seed, **options)


def images(n=4, side=12, seed=0):
    return torch.randn(n, 3, side, side, generator=torch.Generator().manual_seed(seed))


def test_shared_computes_what_timm_computes_with_the_same_weights():
    import timm

    theirs = timm.create_model("resnet18", num_classes=3).eval()
    ours = build("resnet18", {"category": 3, "position": 4}, seed=1).eval()
    named = {
        f"trunk.{'stem.' if key.startswith(('conv1', 'bn1')) else ''}{key}": value
        for key, value in theirs.state_dict().items()
        if not key.startswith("fc.")
    }
    heads = {key: value for key, value in ours.state_dict().items() if key.startswith("heads.")}
    heads |= {"heads.0.weight": theirs.fc.weight, "heads.0.bias": theirs.fc.bias}
    ours.load_state_dict({**named, **heads})
    with torch.no_grad():
        torch.testing.assert_close(ours(images(2, 64))["category"], theirs(images(2, 64)))


@pytest.mark.parametrize(("name", "side"), [("densenet121", 32), ("inception_v3", 75)])
def test_cutting_a_network_into_stages_does_not_change_what_it_computes(name, side, tmp_path):
    import timm

    theirs = timm.create_model(name, num_classes=5).eval()
    torch.save(theirs.state_dict(), tmp_path / "weights.pt")
    ours = build(name, {"category": 2}, seed=0, checkpoint=str(tmp_path / "weights.pt")).eval()
    with torch.no_grad():
        expected = theirs.forward_head(theirs.forward_features(images(1, side)), pre_logits=True)
        torch.testing.assert_close(ours.trunk(images(1, side)).mean((2, 3)), expected)
    assert "left out" in ours.description["notes"][0]


@pytest.mark.parametrize("sharing", SHARING)
def test_gradient_reaches_every_parameter(sharing):
    network = tiny(sharing)
    logits = network(images())
    sum(torch.nn.functional.cross_entropy(value, torch.tensor([0, 1, 2, 0])) for value in logits.values()).backward()
    assert not [name for name, p in network.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]


@pytest.mark.parametrize("sharing", ["split-1", "split-2", "split-3", "separate"])
def test_one_tasks_loss_does_not_touch_the_other_tasks_branch(sharing):
    network = tiny(sharing)
    network(images())["category"].square().sum().backward()
    for layer in network.layers:
        touched = any(parameter.grad is not None for parameter in network.layer(layer).parameters())
        assert touched == ("category" in network.tasks_of(layer)), layer
    assert network.heads[1].weight.grad is None


def test_the_shared_trunk_runs_once_and_its_activity_survives_the_branches():
    network, seen = tiny("split-2").eval(), []
    network.layer("layer2").register_forward_hook(lambda _m, _i, out: seen.append((out, out.clone())))
    network(images())
    assert len(seen) == 1
    assert torch.equal(*seen[0])


def test_weights_depend_on_the_seed_only_and_the_global_stream_is_left_alone():
    torch.manual_seed(1)
    before = torch.random.get_rng_state()
    first = tiny("split-1", seed=5).state_dict()
    assert torch.equal(before, torch.random.get_rng_state())
    torch.manual_seed(2)
    again, other = tiny("split-1", seed=5).state_dict(), tiny("split-1", seed=6).state_dict()
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["trunk.stem.conv1.weight"], other["trunk.stem.conv1.weight"])


def test_separate_networks_start_differently_and_the_first_as_the_shared_one():
    shared, separate = tiny(), tiny("separate")
    one, two = (separate.layer(f"{target}.layer1")[0].conv1.weight for target in TARGETS)
    assert not torch.equal(one, two)
    assert torch.equal(one, shared.layer("layer1")[0].conv1.weight)
    assert torch.equal(separate.heads[1].weight, shared.heads[1].weight)


def test_a_network_survives_copying_saving_and_channels_last():
    network = tiny("split-2").eval()
    twin = copy.deepcopy(network)
    other = tiny("split-2", seed=9).eval()
    other.load_state_dict(network.state_dict())
    last = tiny("split-2").eval().to(memory_format=torch.channels_last)
    with torch.no_grad():
        expected = network(images())["position"]
        for copied in (twin, other):
            torch.testing.assert_close(copied(images())["position"], expected)
        torch.testing.assert_close(
            last(images().to(memory_format=torch.channels_last))["position"], expected, rtol=1e-4, atol=1e-5
        )
    assert twin.layer("position.layer4") is not network.layer("position.layer4")


@pytest.mark.parametrize("sharing", ["shared", "separate"])
def test_bfloat16_autocast_gives_bfloat16_logits(sharing):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = tiny(sharing)(images())["category"]
    assert logits.dtype == torch.bfloat16
    assert logits.float().isfinite().all()


def test_a_network_traces_to_one_graph():
    network = tiny("split-1").eval()
    compiled = torch.compile(network, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(images(2))["category"], network(images(2))["category"])


def test_targets_may_have_any_name():
    names = {"type": 2, "a.b c": 3, "forward": 4}
    network = build(TINY, names, sharing="split-3", stem="small", seed=0)
    assert {name: value.shape[1] for name, value in network(images(2)).items()} == names
    assert "a.b c.layer4" in network.layers


def test_the_description_can_be_written_as_json():
    description = json.loads(json.dumps(tiny("split-2", input_size=(12, 12)).description))
    assert description["layers"][-2:] == ["position.layer3", "position.layer4"]
    assert description["maps"]["position.layer4"] == [64, 2, 2]
    assert description["weights"] == "from scratch"


@pytest.mark.parametrize("sharing", ["shared", "separate"])
@pytest.mark.parametrize(
    ("name", "side", "layer", "axis"),
    [("mobilenetv3_small_050", 32, "blocks.0", 1), ("vit_tiny_patch16_224", 32, "blocks.11", -1)],
)
def test_any_other_timm_network_can_be_shared_or_separate(name, side, layer, axis, sharing):
    network = build(name, TARGETS, sharing=sharing, input_size=(side, side), seed=0).eval()
    layer = layer if sharing == "shared" else f"position.{layer}"
    seen = []
    network.layer(layer).register_forward_hook(lambda _m, _i, out: seen.append(out.shape))
    logits = network(images(2, side))
    assert {target: value.shape[1] for target, value in logits.items()} == TARGETS
    assert len(seen) == 1
    assert network.channel_axis(layer) == axis
    assert seen[0][axis] == network.description["maps"][layer][0 if axis == 1 else -1]
    assert network.description["source"] == "timm"


def test_layer_names_of_a_timm_network_come_from_timm():
    assert layer_names("mobilenetv3_small_050", ("category",), "shared")[:2] == ("bn1", "blocks.0")


def test_pixels_that_no_patch_covers_are_noted():
    with torch.device("meta"):
        vit = build("vit_tiny_patch16_224", {"category": 2}, input_size=(84, 84), seed=0)
    assert "the last pixels are not seen" in vit.description["notes"][0]


def test_maps_with_channels_last_are_known_as_such():
    with torch.device("meta"):
        swin = build("swin_tiny_patch4_window7_224", {"category": 2}, seed=0)
        convnext = build("convnext_atto", {"category": 2}, input_size=(64, 64), seed=0)
    assert (swin.channel_axis("layers.0"), convnext.channel_axis("stages.0")) == (-1, 1)
    assert swin.description["maps"]["layers.0"] == [56, 56, 96]


def test_timm_is_not_imported_before_a_network_is_built():
    code = "import sys, unseen.models as m; m.describe_models(); assert 'timm' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("given", "taught"),
    [
        ({"backbone": "resnet81"}, "no backbone 'resnet81'.*module:factory.*resnet18.*Did you mean"),
        ({"backbone": "resnet18-w9"}, "Did you mean 'resnet18-w"),
        ({"sharing": "split-4"}, "no sharing 'split-4'.*split-3"),
        ({"stem": "tiny"}, "no stem 'tiny'.*auto, standard, medium, small"),
        ({"outputs": {}}, "at least one target"),
        ({"outputs": {"category": 0}}, "'category' has 0 outputs"),
        ({"channels": 0}, "at least one channel"),
        ({"backbone": "densenet121", "sharing": "shared-wide"}, "cannot be doubled.*resnet18"),
        ({"backbone": "convnext_atto", "sharing": "split-2"}, "shared or separate, or read.*'split-2'.*resnet18"),
        ({"backbone": "convnext_atto", "stem": "small"}, "its own stem.*resnet18"),
        ({"pretrained": True, "checkpoint": "x.pt"}, "both 'pretrained' and 'checkpoint'"),
        ({"pretrained": True}, "timm has no weights for 'resnet18-w8'"),
        ({"arguments": {"in_chans": 1}}, "'in_chans' is set by unseen.*'channels'"),
        ({"arguments": {"bloks": 1}}, "timm could not build 'resnet18' with the arguments.*bloks"),
        ({"backbone": "vit_tiny_patch16_224", "input_size": (8, 8)}, "cannot take images of 8×8"),
        (
            {"backbone": "xcit_nano_12_p16_224", "input_size": (84, 84)},
            "could not build.*84×84.*a multiple of its patch",
        ),
    ],
)
def test_a_mistake_teaches(given, taught):
    request = {"backbone": TINY, "outputs": TARGETS, "seed": 0, **given}
    with pytest.raises(UnseenError, match=f"(?s){taught}"):
        build(request.pop("backbone"), request.pop("outputs"), **request)


def test_an_unknown_layer_is_answered_with_the_known_ones():
    with pytest.raises(UnseenError, match=r"no layer 'layer5' in network 'resnet18-w8'.*stem, layer1.*Did you mean"):
        tiny().layer("layer5")
    with pytest.raises(UnseenError, match=r"Did you mean 'category.layer3'"):
        tiny("split-2").tasks_of("categry.layer3")


def test_weights_that_cannot_be_downloaded_are_an_error_that_names_the_way_out(monkeypatch):
    import timm.models._builder as builder

    def unreachable(*_args, **_options):
        raise OSError("no route to huggingface.co")

    monkeypatch.setattr(builder, "load_state_dict_from_hf", unreachable)
    with pytest.raises(UnseenError, match=r"could not be had.*no route.*'checkpoint'"):
        build("resnet18", TARGETS, pretrained=True, seed=0)
