"""Stems are chosen by the size of the images: the rule's arithmetic is what the networks do."""

import itertools
import sys

import pytest
import torch
from torch import nn

from unseen.models import BACKBONES, SHARING, SMALL, STEMS, Network, build, feasible
from unseen.models.staged_backbones import row_of
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.stems import FAMILIES, LEAST, few_positions, positions, settled, side_for

TARGETS = {"category": 9, "position": 4}
SIDES = (16, 21, 24, 28, 32, 33, 47, 48, 64, 65, 71, 84, 93, 96, 138, 139, 224)
TINY = "resnet18-w8"


def on_meta(backbone: str, **options) -> Network:
    with torch.device("meta"):
        return build(backbone, TARGETS, seed=0, **options)


def test_the_rule_knows_the_backbones_of_the_table_and_no_others():
    assert list(FAMILIES) == list(BACKBONES)
    for name in ("resnet18.tv_in1k", "resnet18-w8.tv_in1k", "resnet18-w8", "resnet50", "mlp", "mine:small", "vae"):
        assert (positions(name, "small", (32, 32)) is None) == (row_of(name) is None), name


LARGE = ("resnext50_32x4d", "wide_resnet50_2", "densenet121", "inception_v3")


@pytest.mark.parametrize(
    ("name", "sides"),
    [
        *(pytest.param(name, SIDES, id=name) for name in ("resnet18", TINY)),
        *(pytest.param(name, SIDES[::3], id=f"{name}, some sides") for name in LARGE),
        *(pytest.param(name, SIDES, id=name, marks=pytest.mark.slow) for name in LARGE),
    ],
)
def test_the_positions_that_the_rule_counts_are_those_of_the_last_block(name, sides):
    for stem in STEMS:
        network = on_meta(name, stem=stem).eval()
        last = network.layer(network.layers[-1])
        seen = []
        last.register_forward_hook(lambda _m, _i, out, seen=seen: seen.append(tuple(out.shape[2:])))
        for side in sides:
            if side < BACKBONES[name].smallest[stem]:
                continue
            network(torch.zeros(1, 3, side, side + 9, device="meta"))
            assert seen.pop() == positions(name, stem, (side, side + 9)), (stem, side)


@pytest.mark.parametrize(
    ("name", "sharing", "side"),
    [
        pytest.param(
            name,
            sharing,
            side,
            id=f"{name}-{sharing}-{side}",
            marks=() if name == TINY or (side == 64 and name not in LARGE) else pytest.mark.slow,
        )
        for name, sharing, side in itertools.product(BACKBONES, SHARING, (28, 64, 96))
        if sharing in BACKBONES[name].sharing and (name in ("resnet18", TINY) or sharing in ("split-2", "shared-wide"))
    ],
)
def test_every_stem_builds_in_every_sharing_with_the_same_layers_and_the_positions_promised(name, sharing, side):
    found = {}
    for stem in STEMS:
        if side < BACKBONES[name].smallest[stem]:
            with pytest.raises(UnseenError, match="too small"):
                on_meta(name, sharing=sharing, stem=stem, input_size=(side, side))
            continue
        network = on_meta(name, sharing=sharing, stem=stem, input_size=(side, side)).eval()
        told = network.description
        assert (told["stem"], told["input_size"]) == (stem, [side, side])
        assert tuple(told["positions"]) == tuple(told["maps"][network.layers[-1]][1:])
        assert tuple(told["positions"]) == positions(name, stem, (side, side))
        assert {k: tuple(v.shape) for k, v in network(torch.zeros(2, 3, side, side, device="meta")).items()} == {
            "category": (2, 9), "position": (2, 4),
        }  # fmt: skip
        found[stem] = network
    assert len({network.layers for network in found.values()}) == 1
    chosen = on_meta(name, sharing=sharing, input_size=(side, side)).description
    assert chosen["stem"] == settled("auto", name, (side, side))
    assert min(chosen["positions"]) >= LEAST
    assert chosen["notes"] == []


@pytest.mark.parametrize("name", BACKBONES)
def test_the_rule_takes_the_first_stem_that_leaves_three_positions_and_the_shorter_side_decides(name):
    for side in range(8, 300):
        chosen = settled("auto", name, (side, 300))
        assert chosen == settled("auto", name, (300, side))
        enough = [stem for stem in STEMS if side >= side_for(name, stem)]
        assert chosen == (enough or ["small"])[0]


def test_side_from_which_a_stem_is_enough_is_the_first_at_which_three_positions_are_left():
    for name, stem in itertools.product(BACKBONES, STEMS):
        side = side_for(name, stem)
        assert positions(name, stem, (side, side)) == (LEAST, LEAST)
        assert min(positions(name, stem, (side - 1, side - 1)) or ()) < LEAST


@pytest.mark.parametrize("name", [TINY, pytest.param("densenet121", marks=pytest.mark.slow)])
def test_each_stem_has_a_kernel_of_its_own_so_that_a_checkpoint_tells_which_it_needs(name, tmp_path):
    for made, given in itertools.permutations(STEMS, 2):
        network = build(name, TARGETS, stem=made, sharing="separate", seed=0)
        torch.save(network.state_dict(), tmp_path / "weights.pt")
        with pytest.raises(UnseenError, match=f'that of the {made} stem; set stem = "{made}"'):
            build(name, TARGETS, stem=given, sharing="separate", checkpoint=str(tmp_path / "weights.pt"), seed=0)


def test_a_network_with_weights_of_its_own_keeps_the_standard_stem_and_says_what_is_left(tmp_path, monkeypatch):
    torch.save(build(TINY, TARGETS, stem="standard", seed=0).state_dict(), tmp_path / "weights.pt")
    path = str(tmp_path / "weights.pt")
    told = build(TINY, TARGETS, checkpoint=path, input_size=(28, 28), seed=0).description
    assert told["stem"] == "standard"
    assert any('stem = "small" would leave 4×4' in note for note in told["notes"])
    monkeypatch.setattr(
        sys.modules["unseen.models.feasible"], "_at_hand", lambda *_, **__: False
    )  # they would be fetched later
    options = {"sharing": "shared", "channels": 3, "input_size": (28, 28), "checkpoint": None}
    assert feasible("resnet18", TARGETS, pretrained=True, **options).description["stem"] == "standard"
    assert feasible("resnet18", TARGETS, pretrained=False, **options).description["stem"] == "small"


def test_without_a_size_the_stem_is_the_standard_one():
    assert on_meta(TINY).description["stem"] == "standard"
    assert "positions" not in on_meta(TINY).description


@pytest.mark.parametrize(
    ("name", "side", "left"),
    [
        ("resnet50", 64, (2, 2)),
        ("resnet50", 96, (3, 3)),
        ("convnext_atto", 64, (2, 2)),
        ("vit_tiny_patch16_224", 64, (4, 4)),
    ]
    + [("alexnet-no-early-pools", 64, (15, 15)), ("cnn", 64, (4, 4)), ("mlp", 64, None)],
)
def test_networks_with_their_own_stem_tell_what_their_last_convolution_sees(name, side, left):
    told = on_meta(name, input_size=(side, side)).description
    assert (told["stem"], tuple(told.get("positions", ())) or None) == ("its own", left)
    few = bool(left) and min(left) < LEAST
    assert [note for note in told["notes"] if "fewer than 3×3" in note] == (
        [few_positions(left or (), name, (side, side))] if few else []
    )
    assert not few or "the last convolution sees 2×2" in told["notes"][-1]


def test_an_own_network_that_shrinks_maps_to_one_position_is_told_so(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    steps = ", ".join(f"nn.Conv2d({3 if k == 0 else 4}, 4, 3, 2, 1)" for k in range(5))
    (tmp_path / "shrinking_for_tests.py").write_text(
        f"from torch import nn\n\ndef net():\n    return nn.Sequential({steps})\n"
    )
    told = build("shrinking_for_tests:net", TARGETS, input_size=(32, 32), seed=0).description
    assert told["positions"] == [2, 2]  # its last kernel lies over all of them
    assert "fewer than 3×3" in told["notes"][-1]


def test_all_small_networks_are_left_without_a_warning_at_the_size_they_were_made_for():
    for name in SMALL:
        if name != "efficientnet-lite0":  # enlarges pictures inside
            assert not on_meta(name, input_size=(64, 64)).description["notes"], name


@pytest.mark.parametrize("stem", STEMS)
def test_a_network_behind_every_stem_learns(stem):
    network = build(TINY, {"category": 2}, stem=stem, input_size=(24, 24), seed=0)
    images = torch.randn(16, 3, 24, 24, generator=torch.Generator().manual_seed(0))
    labels = torch.arange(16) % 2
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-2)
    losses = []
    for _ in range(12):
        optimiser.zero_grad()
        losses.append(nn.functional.cross_entropy(network(images)["category"], labels))
        losses[-1].backward()
        optimiser.step()
    assert losses[-1] < 0.5 * losses[0]
    assert all(parameter.grad is not None for parameter in network.parameters())
