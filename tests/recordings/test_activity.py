"""Activity per cell: the naive computation over all images, in one streaming pass."""

import weakref

import numpy as np
import pytest
import torch
from small_networks import CPU, Layered, fetching, noise

from unseen.models import Preprocessed, build
from unseen.recordings import ACTIVITY, activity_per_cell
from unseen.vocabulary.errors import UnseenError


@pytest.fixture(autouse=True)
def one_thread():
    """On a busy machine, threads that wait for each other take seconds."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def naive(network, layers, images, cells, n_cells, reduce=np.mean):
    """One image at a time, everything kept, plain numpy."""
    kept = {layer: [] for layer in layers}
    hooks = [
        network.layer(layer).register_forward_hook(lambda m, i, out, layer=layer: kept[layer].append(out.clone()))
        for layer in layers
    ]
    with torch.no_grad():
        network.eval()
        for k in range(len(images)):
            network(images[k : k + 1])
    for hook in hooks:
        hook.remove()
    found = {}
    for layer, outputs in kept.items():
        values = []
        for output in outputs:
            array = output[0].double().numpy()
            if network.channel_axis(layer) == -1:
                array = np.moveaxis(array, -1, 0)
            values.append(reduce(array.reshape(len(array), -1), axis=1))
        values = np.array(values)
        found[layer] = np.stack(
            [
                values[cells == c].mean(0) if (cells == c).any() else np.full(values.shape[1], np.nan)
                for c in range(n_cells)
            ],
            axis=1,
        )
    return found


def resnet(sharing):
    two = {"category": 3, "view": 3}
    return Preprocessed(build("resnet18-w8", two, sharing=sharing, stem="small", seed=0), normalise="mnist")


def transformer():
    two, small = {"category": 3, "view": 3}, {"depth": 2, "embed_dim": 24}
    return Preprocessed(
        build("vit_tiny_patch16_224", two, input_size=(32, 32), seed=0, arguments=small), normalise="half"
    )


NETWORKS = {
    "maps, tokens and features": (Layered, 8),
    "resnet18-w8 shared": (lambda: resnet("shared"), 12),
    "resnet18-w8 split-2": (lambda: resnet("split-2"), 12),
    "a transformer": (transformer, 32),
}


@pytest.mark.parametrize("activity", ["mean", "max"])
@pytest.mark.parametrize("name", NETWORKS)
def test_activity_is_the_naive_computation_for_every_named_layer(name, activity):
    make, side = NETWORKS[name]
    network = make()
    images, cells = noise(16, side), np.random.default_rng(1).integers(0, 5, 16)
    cells[cells == 3] = 2  # cell 3 stays empty
    rows = np.arange(16)
    means, counts = activity_per_cell(
        network, network.layers, fetching(images), rows, cells, 5, activity=activity, device=CPU, size=7
    )
    expected = naive(network, network.layers, images, cells, 5, {"mean": np.mean, "max": np.max}[activity])
    assert list(means) == list(network.layers)
    assert counts.tolist() == [int((cells == c).sum()) for c in range(5)]
    for layer in network.layers:
        assert np.isnan(means[layer][:, 3]).all()
        assert not np.isnan(means[layer][:, [0, 1, 2, 4]]).any()
        np.testing.assert_allclose(means[layer], expected[layer], rtol=1e-4, atol=1e-5)


def test_rows_of_a_transformer_are_tokens_and_its_units_are_last():
    network, side = transformer(), 32
    means, _ = activity_per_cell(
        network, network.layers, fetching(noise(4, side)), np.arange(4), np.zeros(4, int), 1, device=CPU
    )
    assert any(network.channel_axis(layer) == -1 for layer in network.layers)
    assert all(len(means[layer]) == 24 for layer in network.layers if network.channel_axis(layer) == -1)


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_the_batch_size_changes_nothing_but_rounding(size):
    network, images, cells = Layered(), noise(40), np.arange(40) % 6
    one, few = (
        activity_per_cell(network, network.layers, fetching(images), np.arange(40), cells, 6, device=CPU, size=n)[0]
        for n in (13, size)
    )
    for layer in network.layers:
        np.testing.assert_allclose(one[layer], few[layer], rtol=1e-5, atol=1e-6)


def test_cells_belong_to_places_in_the_rows_not_to_row_numbers():
    network, images = Layered(), noise(20)
    rows, cells = np.array([19, 3, 3, 7]), np.array([0, 1, 1, 0])
    means, counts = activity_per_cell(network, ["maps"], fetching(images), rows, cells, 2, device=CPU)
    expected = naive(network, ["maps"], images[torch.from_numpy(rows)], cells, 2)
    np.testing.assert_allclose(means["maps"], expected["maps"], rtol=1e-5)
    assert counts.tolist() == [2, 2]


def test_a_layer_named_twice_is_recorded_once():
    network, images = Layered(), noise(4)
    means, _ = activity_per_cell(
        network, ["maps", "maps"], fetching(images), np.arange(4), np.zeros(4, int), 1, device=CPU
    )
    assert list(means) == ["maps"]


def hooks_of(network):
    return sum(len(module._forward_hooks) for module in network.modules())


def test_hooks_are_removed_after_recording_and_after_an_error():
    network, images = Layered(), noise(8)

    def broken(rows, device):
        raise OSError("disk gone")

    activity_per_cell(network, network.layers, fetching(images), np.arange(8), np.zeros(8, int), 1, device=CPU)
    assert hooks_of(network) == 0
    with pytest.raises(OSError, match="disk gone"):
        activity_per_cell(network, network.layers, broken, np.arange(8), np.zeros(8, int), 1, device=CPU)
    assert hooks_of(network) == 0
    with pytest.raises(UnseenError, match=r"no layer 'nowhere'.*possible: maps, tokens, pooled"):
        activity_per_cell(network, ["maps", "nowhere"], fetching(images), np.arange(8), np.zeros(8, int), 1, device=CPU)
    assert hooks_of(network) == 0


def test_an_unknown_layer_is_refused_with_what_is_possible():
    network = build("resnet18-w8", {"category": 3}, stem="small", seed=0)
    with pytest.raises(UnseenError, match=r"no layer 'block5'"):
        activity_per_cell(network, ["block5"], fetching(noise(2)), np.arange(2), np.zeros(2, int), 1, device=CPU)


def test_an_unknown_activity_is_refused_with_what_is_possible():
    with pytest.raises(UnseenError, match=r"no activity 'maximum'.*possible: mean, max"):
        activity_per_cell(
            Layered(), ["maps"], fetching(noise(2)), np.arange(2), np.zeros(2, int), 1, activity="maximum", device=CPU
        )
    assert set(ACTIVITY) == {"mean", "max"}


@pytest.mark.parametrize("n", [40, 400])
def test_one_pass_holds_one_batch_at_a_time_however_many_images_there_are(n):
    network = Layered()
    fetched, alive, most = 0, weakref.WeakSet(), 0
    outputs = []
    watch = network.maps.register_forward_hook(lambda m, i, out: outputs.append(weakref.ref(out)))

    def fetch(rows, device):
        nonlocal fetched, most
        assert sum(ref() is not None for ref in outputs) <= 1  # the maps of a batch go with it
        images = noise(len(rows), seed=int(rows[0]))
        alive.add(images)
        fetched, most = fetched + len(rows), max(most, len(alive))
        return images

    activity_per_cell(network, network.layers, fetch, np.arange(n), np.arange(n) % 9, 9, device=CPU, size=10)
    watch.remove()
    assert fetched == n  # each image once, for all layers
    assert most <= 2  # the batch in work and the one that replaces it


def test_many_batches_do_not_wear_the_sums_down():
    """Added up in float32, sixty thousand batches of 0.1 would be off in the fourth digit."""

    class Constant(torch.nn.Module):
        layers = ("only",)

        def __init__(self):
            super().__init__()
            self.only = torch.nn.Identity()

        def layer(self, name):
            return self.only

        def channel_axis(self, layer):
            return 1

        def forward(self, images):
            return {"x": self.only(images)}

    tenth = torch.full((1, 1), 0.1)
    n = 20_000
    means, _ = activity_per_cell(
        Constant(), ["only"], lambda r, d: tenth, np.arange(n), np.zeros(n, int), 1, device=CPU, size=1
    )
    assert means["only"][0, 0] == pytest.approx(float(tenth[0, 0]), rel=1e-9)


def test_the_network_is_left_in_evaluation_mode_with_its_weights_untouched():
    network = Preprocessed(build("resnet18-w8", {"category": 3}, stem="small", seed=0), normalise="mnist").train()
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    activity_per_cell(network, network.layers, fetching(noise(6)), np.arange(6), np.zeros(6, int), 1, device=CPU)
    assert not any(module.training for module in network.modules())
    assert all(torch.equal(before[name], tensor) for name, tensor in network.state_dict().items())


def test_activity_of_a_bf16_pass_is_averaged_in_full_precision():
    network, images, cells = Layered(), noise(30), np.arange(30) % 3
    full, half = (
        activity_per_cell(
            network, network.layers, fetching(images), np.arange(30), cells, 3, device=CPU, precision=precision
        )[0]
        for precision in ("float32", "bf16")
    )
    for layer in network.layers:
        np.testing.assert_allclose(half[layer], full[layer], atol=0.03)
        assert not np.array_equal(half[layer], full[layer])


def test_a_network_without_named_layers_is_refused():
    with pytest.raises(UnseenError, match="a Linear has no named layers"):
        activity_per_cell(
            torch.nn.Linear(2, 2), ["x"], fetching(noise(1)), np.zeros(1, int), np.zeros(1, int), 1, device=CPU
        )


def test_no_rows_give_no_counts():
    means, counts = activity_per_cell(
        Layered(), ["maps"], fetching(noise(1)), np.zeros(0, int), np.zeros(0, int), 4, device=CPU
    )
    assert counts.tolist() == [0, 0, 0, 0]
    assert means == {}


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_an_image_without_a_finite_activity_spoils_only_its_own_cell_and_unit(value):
    network, images, cells = Layered(), noise(24), np.arange(24) % 4
    clean, _ = activity_per_cell(network, ["maps"], fetching(images), np.arange(24), cells, 4, device=CPU, size=8)

    def spoil(module, inputs, output):
        output = output.clone()
        output[1, 2] = value  # image 1 of the batch, unit 2
        return output

    network.maps.register_forward_hook(spoil)
    found, _ = activity_per_cell(network, ["maps"], fetching(images), np.arange(24), cells, 4, device=CPU, size=8)
    wrong = ~np.isfinite(found["maps"])
    assert np.argwhere(wrong).tolist() == [[2, 1]]
    np.testing.assert_array_equal(found["maps"][~wrong], clean["maps"][~wrong])
