"""A user's own network by ``module:factory``, and checkpoints: what fits, what does not, what is said about it."""

import sys

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from unseen.models import build, layer_names
from unseen.vocabulary.errors import UnseenError

TARGETS = {"category": 3, "position": 4}
TINY = "resnet18-w8"

MODULE = """
import torch
from torch import nn

number = 3
cached = nn.Conv2d(3, 5, 3)

class Net(nn.Module):
    def __init__(self, width=6, classes=10):
        super().__init__()
        self.first = nn.Conv2d(3, width, 3)
        self.blocks = nn.ModuleList([nn.Conv2d(width, width, 1), nn.ReLU()])
        self.unused = nn.Linear(2, 2)
        self.fc = nn.Linear(width, classes)

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x)
        return self.fc(x.mean((2, 3)))

class WithFeatures(Net):
    def forward_features(self, x):
        return self.blocks[0](self.first(x))

    def forward(self, x):
        raise AssertionError("features were asked for")

def make(**arguments): return Net(**arguments)
def features(): return WithFeatures()
def timmish():
    import timm
    return timm.create_model("resnet18", channels=(8, 8, 8, 8), num_classes=7)
def same(): return cached
def breaks(): raise ValueError("no weights today")
def not_a_module(): return 7
def tokens(): return nn.Flatten(2)
def pair(): return nn.LSTM(8, 2)
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A module of the user's in the working directory, as a console script would meet it."""
    (tmp_path / "my_networks.py").write_text(MODULE)
    (tmp_path / "broken_networks.py").write_text("import a_module_that_is_not_there")
    (tmp_path / "wrong_networks.py").write_text("def (")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    yield tmp_path
    sys.modules.pop("my_networks", None)


def made(factory, **options):
    return build(f"my_networks:{factory}", TARGETS, input_size=(8, 8), seed=0, **options)


def images(n=2, side=8):
    return torch.randn(n, 3, side, side, generator=torch.Generator().manual_seed(0))


def test_a_users_network_is_shared_or_separate_with_its_children_as_layers(own):
    shared = made("make", arguments={"width": 4})
    assert {target: value.shape[1] for target, value in shared(images()).items()} == TARGETS
    assert shared.layers == ("first", "blocks.0", "blocks.1", "fc"), (
        "in the order they run; what does not run is no layer"
    )
    assert shared.description["source"] == "my_networks:make"
    assert shared.description["stem"] == "its own"
    separate = made("make", sharing="separate")
    assert separate.layers[:2] == ("category.first", "category.blocks.0")
    assert separate.layers == layer_names("my_networks:make", tuple(TARGETS), "separate", input_size=(8, 8))
    one, two = (separate.layer(f"{target}.first").weight for target in TARGETS)
    assert not torch.equal(one, two)


def test_forward_features_is_preferred_and_averaged_over_positions(own):
    network = made("features").eval()
    assert network.description["features"] == 6
    assert network.layers == ("first", "blocks.0")
    maps = network.layer("blocks.0")(network.layer("first")(images()))
    torch.testing.assert_close(network(images())["category"], network.heads[0](maps.mean((2, 3))))


def test_a_network_with_timms_classifier_loses_it(own):
    network = made("timmish")
    assert network.description["features"] == 8
    assert network(images(side=32))["position"].shape == (2, 4)


def test_looking_at_one_image_leaves_training_mode_and_statistics_alone(own):
    network = made("timmish")
    assert all(module.training for module in network.modules())
    assert all(buffer.sum() == 0 for name, buffer in network.named_buffers() if name.endswith("num_batches_tracked"))


@pytest.mark.parametrize(
    ("backbone", "taught"),
    [
        ("my_network:make", "no module 'my_network'.*working directory"),
        ("my_networks:mke", "no factory 'mke' in module 'my_networks'.*Did you mean 'make'"),
        ("my_networks:number", "'number' is a int, not something to call"),
        ("my_networks:breaks", "called with no arguments, failed: ValueError: no weights today"),
        ("my_networks:not_a_module", "returned a int; it must return a torch.nn.Module"),
        ("my_networks:tokens", r"returned shape \[1, 3, 64\].*\[n, features\]"),
        ("my_networks:pair", "cannot take images of 8×8 with 3 channels"),
        ("broken_networks:make", "needs the missing module 'a_module_that_is_not_there'"),
        ("wrong_networks:make", "importing 'wrong_networks' failed: SyntaxError"),
    ],
)
def test_what_can_go_wrong_with_a_users_network_is_told(own, backbone, taught):
    with pytest.raises(UnseenError, match=taught):
        build(backbone, TARGETS, input_size=(8, 8), seed=0)


def test_wrong_arguments_and_reused_modules_are_told(own):
    with pytest.raises(UnseenError, match=r"called with depth=3, failed: TypeError.*depth"):
        made("make", arguments={"depth": 3})
    with pytest.raises(UnseenError, match="the same module twice"):
        made("same", sharing="separate")
    with pytest.raises(UnseenError, match="your own network: give its weights as 'checkpoint'"):
        made("make", pretrained=True)


@pytest.mark.parametrize("kind", ["safetensors", "torch", "wrapped"])
def test_a_users_checkpoint_is_loaded_and_a_head_of_other_classes_is_noted(own, kind):
    weights = made("make", arguments={"classes": 12}).get_submodule("trunk.network").state_dict()
    if kind == "safetensors":
        save_file(weights, "weights.safetensors")
    else:
        wrapped = {f"module.{name}": value for name, value in weights.items()}
        torch.save(weights if kind == "torch" else {"epoch": 3, "state_dict": wrapped}, "weights.pt")
    path = "weights.safetensors" if kind == "safetensors" else "weights.pt"
    network = made("make", checkpoint=path, sharing="separate")
    for target in TARGETS:
        assert torch.equal(network.layer(f"{target}.first").weight, weights["first.weight"])
    assert ["fc.weight" in note for note in network.description["notes"]] == [True, True]
    assert network.description["weights"] == f"checkpoint {path}"


def test_a_backbones_checkpoint_starts_every_branch_and_leaves_its_classifier_out(tmp_path):
    import timm

    weights = timm.create_model("mobilenetv3_small_050", num_classes=6).state_dict()
    save_file(weights, tmp_path / "weights.safetensors")
    network = build(
        "mobilenetv3_small_050", TARGETS, sharing="separate", checkpoint=str(tmp_path / "weights.safetensors"), seed=0
    )
    first, second = (network.layer(f"{target}.blocks.0").state_dict() for target in TARGETS)
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert "classifier.weight" in network.description["notes"][0]


def test_a_whole_networks_weights_are_taken_with_the_heads_that_fit(tmp_path):
    path = tmp_path / "trained.safetensors"
    trained = build(TINY, TARGETS, sharing="split-2", seed=1)
    save_file(trained.state_dict(), path)
    again = build(TINY, TARGETS, sharing="split-2", checkpoint=str(path), seed=2)
    assert all(torch.equal(value, again.state_dict()[name]) for name, value in trained.state_dict().items())
    assert again.description["notes"] == []
    other = build(TINY, {"category": 3, "position": 8}, sharing="split-2", checkpoint=str(path), seed=2)
    assert torch.equal(other.heads[0].weight, trained.heads[0].weight)
    assert other.heads[1].weight.shape == (8, 64)
    assert "heads.1.weight" in other.description["notes"][1]
    with pytest.raises(UnseenError, match=r"does not fit.*unknown to the network.*sharing"):
        build(TINY, TARGETS, sharing="shared", checkpoint=str(path), seed=2)


def saved(tmp_path, weights):
    torch.save(weights, tmp_path / "w.pt")
    return str(tmp_path / "w.pt")


def timm_weights(**options):
    import timm

    return timm.create_model("resnet18", num_classes=2, **options).state_dict()


def test_checkpoints_that_do_not_fit_say_how(tmp_path):
    def fitting(weights, backbone="resnet18", **options):
        build(backbone, TARGETS, checkpoint=saved(tmp_path, weights), seed=0, **options)

    weights = timm_weights()
    with pytest.raises(UnseenError, match=r"1 missing in the file \(layer1.0.conv1.weight\); 119 of 120 fit"):
        fitting({name: value for name, value in weights.items() if name != "layer1.0.conv1.weight"})
    with pytest.raises(UnseenError, match=r"2 unknown to the network \(a, b\)"):
        fitting({**weights, "a": torch.zeros(1), "b": torch.zeros(1)})
    with pytest.raises(
        UnseenError, match=r"of another shape \(conv1.weight: file \[64, 3, 7, 7\].*… \(.*in another width"
    ):
        fitting(weights, backbone=TINY)
    with pytest.raises(UnseenError, match=r"Only the kernel of 'conv1.weight' differs.*7×7, that.*stem = \"standard\""):
        fitting(weights, stem="small")
    with pytest.raises(UnseenError, match=r"Only the input channels of 'conv1.weight' differ: set 'channels' to 3"):
        fitting(weights, channels=1)
    with pytest.raises(UnseenError, match="differ by a prefix only"):
        fitting({f"encoder.{name}": value for name, value in weights.items()})


def test_a_transformers_checkpoint_for_another_image_size_is_told(tmp_path):
    import timm

    path = saved(tmp_path, timm.create_model("vit_tiny_patch16_224", num_classes=0, depth=1, img_size=48).state_dict())
    with pytest.raises(UnseenError, match=r"pos_embed.*made for images of another size"):
        build("vit_tiny_patch16_224", TARGETS, checkpoint=path, input_size=(32, 32), arguments={"depth": 1}, seed=0)


def test_files_that_are_no_checkpoints_say_so(tmp_path):
    def opening(path):
        build(TINY, TARGETS, checkpoint=str(path), seed=0)

    with pytest.raises(UnseenError, match=r"no checkpoint '.*x.pt'; beside it: none"):
        opening(tmp_path / "x.pt")
    with pytest.raises(UnseenError, match=r"the folder .* does not exist"):
        opening(tmp_path / "nowhere" / "x.pt")
    with pytest.raises(UnseenError, match=r"holds more than tensors.*state_dict"):
        opening(saved(tmp_path, nn.Linear(2, 2)))
    with pytest.raises(UnseenError, match=r"is not a state_dict.*'epoch': 'int'"):
        opening(saved(tmp_path, {"epoch": 3}))
    for name in ("cut.pt", "cut.safetensors"):
        (tmp_path / name).write_bytes(b"not a network at all")
        with pytest.raises(UnseenError, match=r"could not be read|holds more than tensors"):
            opening(tmp_path / name)


def test_an_installed_package_can_add_a_backbone_of_its_own(own, monkeypatch):
    import importlib.metadata as metadata

    point = metadata.EntryPoint("their-net", "my_networks:make", "unseen.backbones")
    monkeypatch.setattr(metadata, "entry_points", lambda group: [point] if group == "unseen.backbones" else [])
    monkeypatch.syspath_prepend(str(own))
    network = build("their-net", TARGETS, input_size=(8, 8), seed=0)
    assert network.description["source"] == "their-net"


def test_the_working_directory_does_not_stay_on_the_path(own):
    made("make")
    assert str(own) not in sys.path
