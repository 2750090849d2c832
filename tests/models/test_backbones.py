"""One contract for every backbone of the table in every sharing pattern, on the meta device: shapes without numbers."""

import functools
import itertools

import pytest
import torch
from torch import nn

from unseen.models import BACKBONES, SHARING, STEMS, Network, build, describe_models, layer_names
from unseen.vocabulary.errors import UnseenError

TARGETS = {"category": 9, "position": 4}
ENDS = ("split-1", "split-3")  # built as split-2 is, of other layers
PAIRS = [
    pytest.param(name, sharing, id=f"{name}-{sharing}", marks=pytest.mark.slow if sharing in ENDS else ())
    for name, sharing in itertools.product(BACKBONES, SHARING)
    if sharing in BACKBONES[name].sharing
]


@functools.cache
def on_meta(backbone: str, **options) -> Network:
    with torch.device("meta"):
        return build(backbone, TARGETS, seed=0, **options)


def count(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


@pytest.mark.parametrize(("name", "sharing"), PAIRS)
def test_every_backbone_answers_every_target_and_names_layers_that_run(name, sharing):
    network = on_meta(name, sharing=sharing)
    ran, hooks = [], []
    for layer in network.layers:
        note = functools.partial(lambda layer, _m, _i, out: ran.append((layer, out.ndim)), layer)
        hooks.append(network.layer(layer).register_forward_hook(note))
    images = torch.zeros(2, 3, 96, 96, device="meta").to(memory_format=torch.channels_last)
    logits = network(images)
    for hook in hooks:
        hook.remove()
    assert {target: tuple(value.shape) for target, value in logits.items()} == {"category": (2, 9), "position": (2, 4)}
    assert ran == [(layer, 4) for layer in network.layers], "each layer runs once, in order, and gives maps"
    assert len(set(network.layers)) == len(network.layers)
    assert network.layers == layer_names(name, tuple(TARGETS), sharing)
    sum(value.sum() for value in logits.values()).backward()
    assert not [path for path, parameter in network.named_parameters() if parameter.grad is None]


@pytest.mark.parametrize("name", BACKBONES)
def test_the_table_tells_the_number_of_parameters(name):
    network = on_meta(name)
    assert count(network.trunk) == BACKBONES[name].parameters
    assert network.description["parameters"] == count(network)


@pytest.mark.parametrize("name", ["resnet18", "resnext50_32x4d", "wide_resnet50_2", "inception_v3", "densenet121"])
def test_backbones_have_the_size_of_torchvisions(name):
    models = pytest.importorskip("torchvision.models")
    options = {"aux_logits": False, "init_weights": False} if name == "inception_v3" else {}
    with torch.device("meta"):
        theirs = getattr(models, name)(num_classes=9, **options)
    shapes = [tuple(parameter.shape) for parameter in theirs.parameters()]
    ours = [tuple(p.shape) for p in [*on_meta(name).trunk.parameters(), *on_meta(name).heads[0].parameters()]]
    assert sorted(ours) == sorted(shapes)


@pytest.mark.parametrize("name", BACKBONES)
def test_separate_is_one_whole_network_per_target(name):
    shared, separate = on_meta(name), on_meta(name, sharing="separate")
    assert count(separate.trunk) == 0
    assert [count(branch) for branch in separate.branches] == [count(shared.trunk)] * 2
    assert count(separate) == 2 * count(shared.trunk) + sum(count(head) for head in shared.heads)


@pytest.mark.parametrize(("name", "k"), list(itertools.product(BACKBONES, (1, 2, 3))))
def test_split_k_shares_the_stem_and_k_blocks(name, k):
    shared, split = on_meta(name), on_meta(name, sharing=f"split-{k}")
    stages = list(BACKBONES[name].stages)
    alone = sum(count(shared.layer(stage)) for stage in stages[k + 1 :])
    assert count(split) == count(shared) + alone
    for stage in stages[: k + 1]:
        assert split.tasks_of(stage) == ("category", "position")
    for stage in stages[k + 1 :]:
        assert split.tasks_of(f"position.{stage}") == ("position",)


def widths(network: Network) -> list[int]:
    return [module.out_channels for module in network.modules() if isinstance(module, nn.Conv2d)]


@pytest.mark.parametrize("name", [name for name, row in BACKBONES.items() if row.width])
def test_shared_wide_doubles_every_width_and_the_released_one_keeps_the_stem(name):
    plain, wide, released = (
        on_meta(name),
        on_meta(name, sharing="shared-wide"),
        on_meta(name, sharing="shared-wide", as_released=True),
    )
    assert widths(wide) == [2 * width for width in widths(plain)]
    own = BACKBONES[name].width
    assert released.layer("stem").conv1.out_channels == own
    assert wide.layer("stem").conv1.out_channels == 2 * own
    assert released.layer("layer1")[0].conv1.out_channels == wide.layer("layer1")[0].conv1.out_channels
    assert released.description["as_released"] is True


@pytest.mark.parametrize("stem", STEMS)
@pytest.mark.parametrize("name", ["resnet18", "inception_v3", "densenet121"])
def test_the_smallest_image_a_table_row_tells_is_the_smallest_that_works(name, stem):
    side = BACKBONES[name].smallest[stem]
    network = on_meta(name, stem=stem, input_size=(side, side + 3)).eval()
    assert network(torch.zeros(1, 3, side, side, device="meta"))["category"].shape == (1, 9)
    if side > 1:
        with pytest.raises(RuntimeError):
            network(torch.zeros(1, 3, side - 1, side - 1, device="meta"))
        with pytest.raises(UnseenError, match=f"too small.*at least {side}" + (".*small" if stem != "small" else "")):
            on_meta(name, stem=stem, input_size=(side - 1, 500))


@pytest.mark.parametrize("name", ["resnet18-w8", "resnet18", "inception_v3", "densenet121"])
def test_the_small_stem_keeps_the_maps_large(name):
    standard, small = (on_meta(name, stem=s, input_size=(80, 80)).description for s in ("standard", "small"))
    last = standard["layers"][-1]
    assert small["maps"]["stem"][1] >= 3 * standard["maps"]["stem"][1]
    assert small["maps"][last][0] == standard["maps"][last][0]
    assert small["maps"][last][1] >= 3 * standard["maps"][last][1]
    assert (standard["stem"], small["stem"]) == ("standard", "small")


def test_a_last_block_that_sees_few_positions_is_noted_with_the_stem_that_leaves_more():
    (note,) = on_meta("resnet18-w8", stem="standard", input_size=(40, 64)).description["notes"]
    assert "the last block sees 2×2 positions, fewer than 3×3" in note
    assert 'stem = "medium" would leave 3×4' in note
    (note,) = on_meta("resnet18-w8", input_size=(16, 16)).description["notes"]
    assert "larger images would leave more" in note
    assert on_meta("resnet18-w8", input_size=(17, 40)).description["notes"] == []


def test_grey_images_are_one_channel():
    network = on_meta("densenet121", channels=1, stem="small", input_size=(32, 32))
    assert network(torch.zeros(2, 1, 32, 32, device="meta"))["position"].shape == (2, 4)


def test_the_list_of_models_says_what_each_can_do():
    rows = {row["name"]: row for row in describe_models()}
    assert list(rows) == list(BACKBONES)
    assert rows["resnet18"]["parameters"] == 11.18
    assert rows["resnet18"]["stages"] == ["stem", "layer1", "layer2", "layer3", "layer4"]
    assert "shared-wide" in rows["resnet18"]["sharing"]
    assert "shared-wide" not in rows["densenet121"]["sharing"]
    assert rows["inception_v3"]["smallest"] == {"standard": 75, "medium": 39, "small": 13}
    assert rows["densenet121"]["sides"] == {"standard": 93, "medium": 47, "small": 24}
