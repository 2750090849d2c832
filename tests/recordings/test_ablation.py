"""Units set to zero, for all images or each its own: against a second network, hand-made ones, and no shortcut."""

import numpy as np
import pytest
import torch
from small_networks import CPU, Layered, fetching, noise
from torch import nn

from unseen.measures import tau_from_curve
from unseen.models import Preprocessed, build
from unseen.recordings import Ablation, inactive, respond, respond_ablated, threshold_curves
from unseen.recordings.ablation import THRESHOLDS
from unseen.vocabulary.errors import UnseenError

TWO = {"category": 3, "view": 4}
SMALL_VIT = {"depth": 2, "embed_dim": 24}


def made(name, side, **options):
    return Preprocessed(build(name, TWO, input_size=(side, side), seed=0, **options), normalise="half")


NETWORKS = {
    "maps, tokens and features": (Layered, 8),
    "resnet18-w16": (lambda: made("resnet18-w16", 16, stem="small"), 16),
    "resnet18-w8 split": (lambda: made("resnet18-w8", 16, stem="small", sharing="split-2"), 16),
    "mlp": (lambda: made("mlp", 16), 16),
    "set-encoder": (lambda: made("set-encoder", 32), 32),
    "a transformer": (lambda: made("vit_tiny_patch16_224", 32, arguments=SMALL_VIT), 32),
    "swin": (
        lambda: made(
            "swin_tiny_patch4_window7_224", 64, arguments={"depths": (1, 1), "embed_dim": 12, "num_heads": (1, 2)}
        ),
        64,
    ),
}


def units_of(network, layer, images):
    seen = []
    hook = network.layer(layer).register_forward_hook(lambda module, inputs, output: seen.append(output.shape))
    with torch.inference_mode():
        network.eval()(images[:1])
    hook.remove()
    return seen[0][network.channel_axis(layer)]


def silenced(network, layer, mask, images):
    """Another way to the same answers: an output multiplied by zeros and ones, no memory of an earlier pass."""

    def hook(module, inputs, output):
        keep = torch.from_numpy(~mask).float()
        moved = output.movedim(network.channel_axis(layer), -1)
        return (moved * keep.reshape(len(keep), *[1] * (moved.ndim - 2), -1)).movedim(-1, network.channel_axis(layer))

    handle = network.layer(layer).register_forward_hook(hook)
    with torch.inference_mode():
        outputs = network.eval()(images)
    handle.remove()
    return {target: outputs[target].softmax(1).max(1) for target in network.targets}


def hooks_of(network):
    return sum(len(module._forward_hooks) + ("forward" in module.__dict__) for module in network.modules())


@pytest.mark.parametrize("name", NETWORKS)
def test_every_named_layer_of_every_network_can_be_ablated_for_all_images_or_each(name):
    make, side = NETWORKS[name]
    network, images, rng = make(), noise(6, side), np.random.default_rng(0)
    masks, ablations = {}, {}
    for layer in network.layers:
        units = units_of(network, layer, images)
        masks[layer, "all"] = np.broadcast_to(rng.random(units) < 0.5, (6, units)).copy()
        masks[layer, "each"] = rng.random((6, units)) < 0.5
        ablations[layer, "all"] = Ablation(layer, masks[layer, "all"][0])
        ablations[layer, "each"] = Ablation(layer, masks[layer, "each"])
    whole, found = respond_ablated(
        network, network.targets, fetching(images), np.arange(6), ablations, device=CPU, size=4
    )
    plain = respond(network, network.targets, fetching(images), np.arange(6), device=CPU, size=4)
    for target in network.targets:
        assert whole[target][0].tolist() == plain[target][0].tolist()
    for (layer, kind), answers in found.items():
        expected = silenced(network, layer, masks[layer, kind], images)
        for target in network.targets:
            np.testing.assert_allclose(answers[target][1], expected[target][0], rtol=1e-4, atol=1e-5)
            assert answers[target][0].tolist() == expected[target][1].tolist()
    assert hooks_of(network) == 0


@pytest.mark.parametrize("name", NETWORKS)
def test_running_only_what_comes_after_a_layer_changes_no_answer(name):
    make, side = NETWORKS[name]
    network, images = make(), noise(5, side)
    ablations = {layer: Ablation(layer, lambda activity: activity > activity.mean(0)) for layer in network.layers}
    both = [
        respond_ablated(
            network, network.targets, fetching(images), np.arange(5), ablations, device=CPU, size=3, resume=resume
        )[1]
        for resume in (True, False)
    ]
    for layer in network.layers:
        for target in network.targets:
            np.testing.assert_array_equal(both[0][layer][target][1], both[1][layer][target][1])


def test_ablated_answers_can_be_asked_in_bf16():
    network, images = made("resnet18-w8", 16, stem="small"), noise(5, 16)
    ablations = {layer: Ablation(layer, lambda activity: activity > activity.mean(0)) for layer in network.layers}
    fast, slow = (
        respond_ablated(
            network, ("view",), fetching(images), np.arange(5), ablations, device=CPU, precision="bf16", resume=resume
        )[1]
        for resume in (True, False)
    )
    for layer in network.layers:
        np.testing.assert_array_equal(fast[layer]["view"][1], slow[layer]["view"][1])


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_the_curve_is_the_same_on_a_gpu():
    images, truth = evidence(strength=0.32)
    maxima = {"blur": {"units": images.amax(0).double().numpy()}}
    network, question = Evidence(8), {"units": "category"}
    curves = []
    for device in (CPU, torch.device("cuda")):
        network.weight = network.weight.to(device)
        curves.append(
            threshold_curves(
                network, question, fetching(images), np.arange(40), {"category": truth}, maxima, device=device, size=16
            )["blur"]["units"]
        )
    np.testing.assert_array_equal(curves[0].kept, curves[1].kept)
    np.testing.assert_array_equal(curves[0].removed, curves[1].removed)


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, images):
        self.calls += 1
        return images


class Twice(nn.Module):
    """A layer that is used twice, and one that changes its input in place."""

    targets, layers = ("category",), ("first", "shared", "last")

    def __init__(self):
        super().__init__()
        self.counted = Counted()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            self.first, self.shared, self.last = nn.Linear(4, 4), nn.Linear(4, 4), nn.ReLU(inplace=True)

    def layer(self, name):
        return getattr(self, name)

    def channel_axis(self, layer):
        return 1

    def forward(self, images):
        start = self.counted(images)
        first = self.first(start)
        first += 1  # what is remembered of a module must not change with this
        return {"category": self.last(self.shared(self.last(self.shared(first))))}


def test_what_a_network_does_in_place_or_twice_is_done_again():
    network, images = Twice(), torch.randn(7, 4, generator=torch.Generator().manual_seed(1))
    ablations = {layer: Ablation(layer, np.array([True, False, False, True])) for layer in network.layers}
    options = {"device": CPU, "size": 7}
    fast, slow = (
        respond_ablated(network, ("category",), fetching(images), np.arange(7), ablations, resume=resume, **options)
        for resume in (True, False)
    )
    for layer in network.layers:
        np.testing.assert_array_equal(fast[1][layer]["category"][1], slow[1][layer]["category"][1])


def test_images_are_fetched_once_and_what_comes_before_a_layer_is_run_once_per_batch():
    network, images, asked = Twice(), torch.randn(10, 4), []

    def fetch(rows, device):
        asked.append(len(rows))
        return images[rows]

    ablations = {tau: Ablation("first", lambda activity, tau=tau: activity > tau) for tau in range(30)}
    respond_ablated(network, ("category",), fetch, np.arange(10), ablations, device=CPU, size=4)
    assert asked == [4, 4, 2]
    assert network.counted.calls == 3


def test_a_rule_sees_the_activity_that_is_recorded():
    network, images, seen = Layered(), noise(6), {}

    def rule(activity):
        seen["activity"] = activity
        return activity > 1e9

    for activity, reduce in (("mean", torch.mean), ("max", torch.amax)):
        whole, found = respond_ablated(
            network, ("view",), fetching(images), np.arange(6), {"all": Ablation("maps", rule)},
            activity=activity, device=CPU,
        )  # fmt: skip
        with torch.inference_mode():
            expected = reduce(network.maps(images.float() / 255), (2, 3))
        torch.testing.assert_close(seen["activity"], expected)
        np.testing.assert_array_equal(found["all"]["view"][1], whole["view"][1])  # nothing was ablated


class Evidence(nn.Module):
    """Units of one layer are the pixels; unit k is evidence for class k % 2, so that what must be kept is known."""

    targets, layers = ("category",), ("units",)

    def __init__(self, units):
        super().__init__()
        self.units = nn.Identity()
        self.weight = torch.eye(2).repeat(units // 2, 1)

    def layer(self, name):
        return getattr(self, name)

    def channel_axis(self, layer):
        return 1

    def forward(self, images):
        return {"category": self.units(images) @ self.weight}


def evidence(n=40, strength=0.3):
    """Each image has its class by one unit at ``strength`` of that unit's maximum, and at a tenth of it much that
    speaks for either class; the first two images reach every maximum, 1."""
    truth, units = np.arange(n) % 2, 8
    images = torch.full((n, units), 0.1 * strength)
    images[np.arange(n), truth] = strength
    images[0, 0::2] = images[1, 1::2] = 1.0
    return images, truth


@pytest.mark.parametrize(("strength", "tau"), [(0.32, 0.3), (0.58, 0.55), (0.12, 0.1), (0.04, 0.0)])
def test_the_threshold_of_a_network_built_for_it_is_found(strength, tau):
    images, truth = evidence(strength=strength)
    network, rows = Evidence(8), np.arange(len(images))
    maxima = {"blur": {"units": images.amax(0).double().numpy()}}
    curve = threshold_curves(
        network, {"units": "category"}, fetching(images), rows, {"category": truth}, maxima, device=CPU, size=16
    )["blur"]["units"]
    found = tau_from_curve(curve.thresholds, curve.kept, curve.full, without_active=curve.removed)
    assert (curve.full, curve.images, found.tau) == (1.0, 40, pytest.approx(tau))
    assert curve.thresholds.tolist() == list(THRESHOLDS)
    low = curve.thresholds < strength
    assert (curve.kept[low] == 1).all()
    assert (curve.kept[~low] < 0.6).all()
    assert (curve.removed[low] <= 0.5).all()  # what is left says nothing, or speaks for the other class
    assert (curve.removed[~low] >= 0.95).all()  # only the two brightest images have active units


def test_a_dead_unit_is_inactive_everywhere():
    rule = inactive(np.array([0.0, 2.0, np.nan, -1.0]), 0.0)
    assert rule(torch.tensor([[0.0, 1.0, 5.0, -1.0]])).tolist() == [[True, False, True, True]]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_the_batch_size_changes_no_answer(size):
    images, _ = evidence()
    each = np.random.default_rng(0).random((40, 8)) < 0.5
    answers = [
        respond_ablated(
            Evidence(8), ("category",), fetching(images), np.arange(40), {0: Ablation("units", each)},
            device=CPU, size=n,
        )[1][0]["category"]
        for n in (13, size)
    ]  # fmt: skip
    for one, other in zip(*answers):
        np.testing.assert_array_equal(one, other)


def test_no_rows_give_empty_answers():
    whole, found = respond_ablated(
        Evidence(8),
        ("category",),
        fetching(noise(1)),
        np.zeros(0, int),
        {"a": Ablation("units", np.ones(8, bool))},
        device=CPU,
    )
    assert len(whole["category"][0]) == len(found["a"]["category"][1]) == 0
    with pytest.raises(UnseenError, match="at least one image"):
        threshold_curves(Evidence(8), {"units": "category"}, fetching(noise(1)), np.zeros(0, int), {}, {}, device=CPU)


def test_numbers_are_answered_too():
    network = Layered()
    network.heads = nn.ModuleList([nn.Linear(6, 1), nn.Linear(6, 1)])
    images = noise(5)
    whole, found = respond_ablated(
        network, ("view",), fetching(images), np.arange(5), {"a": Ablation("pooled", np.ones(6, bool))},
        device=CPU, numbers=True,
    )  # fmt: skip
    assert whole["view"][1] is None
    np.testing.assert_allclose(found["a"]["view"][0], network.heads[1].bias.detach().repeat(5), rtol=1e-6)


def test_a_target_that_the_network_does_not_answer_is_told_with_those_it_does():
    for ask in (respond_ablated, respond):
        more = ({"a": Ablation("units", np.ones(8, bool))},) if ask is respond_ablated else ()
        with pytest.raises(UnseenError, match=r"no target 'cat' in what this network answers; possible: category"):
            ask(Evidence(8), ["cat"], fetching(evidence()[0]), np.arange(40), *more, device=CPU)


@pytest.mark.parametrize(
    ("ablation", "sentence"),
    [
        (Ablation("unit", np.ones(8, bool)), r"no layer 'unit'.*possible: units"),
        (Ablation("units", np.ones(7, bool)), r"has 8 units.*\[40, 8\]; given \[7\] of bool"),
        (Ablation("units", np.array([1, 2])), r"given \[2\] of int64.*np.isin\(np.arange\(8\), numbers\)"),
        (Ablation("units", np.ones((3, 8), bool)), r"each of the 40 images"),
        (Ablation("units", lambda activity: activity), r"must answer with true and false.*\[16, 8\] of float32"),
        (Ablation("units", lambda activity: 3), r"it gave int"),
    ],
)
def test_what_cannot_be_ablated_is_refused_and_nothing_is_left_behind(ablation, sentence):
    images, _ = evidence()
    network = Evidence(8)
    with pytest.raises(UnseenError, match=sentence):
        respond_ablated(network, ("category",), fetching(images), np.arange(40), {0: ablation}, device=CPU, size=16)
    assert hooks_of(network) == 0
